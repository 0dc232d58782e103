//! What the symbols of a board mean.

use agon_core::{Frame, Item, Shape};

/// How things of a class are drawn.
#[derive(Clone, Copy)]
pub struct Kind {
    /// The symbol. `None` if the mark of the seat, or a shade, is all there is.
    pub symbol: Option<char>,
    /// Whether it moves about the board.
    pub moves: bool,
    /// Whether it is listed below the board if it shares its place.
    pub listed: bool,
}

/// Returns how an item is drawn. Its class says what it is.
pub fn kind(item: &Item) -> Kind {
    let (symbol, moves) = match item.class {
        "player" | "agent" => (Some('@'), true),
        "fleet" | "fleet-ships" => (Some('>'), true),
        "lighthouse" => (Some('L'), false),
        "portal" => (Some('P'), false),
        "shield" => (Some('S'), false),
        _ => (None, false),
    };
    Kind { symbol, moves, listed: matches!(item.class, "player" | "agent" | "lighthouse" | "portal") }
}

/// What a class means on a board. N is the mark of a seat.
const MEANINGS: &[(&str, &str)] = &[
    ("player", "@N player N"),
    ("agent", "@N agent of N"),
    ("lighthouse", "LN lighthouse of N"),
    ("lighthouse", "L neutral"),
    ("portal", "PN portal of N"),
    ("portal", "P neutral"),
    ("shield", "SN portal of N with shields"),
    ("planet", "N:10 planet of N with 10 ships"),
    ("planet", "o:10 neutral"),
    ("fleet", ">N:10 fleet of N"),
    ("tile", "N tile of N"),
    ("empty", "· empty"),
    ("land", "·░▒▓ more energy"),
    ("connection", "·· connection"),
    ("link", "·· link"),
    ("segment", "·· segment"),
    ("course", "·· course"),
    ("point", "o point"),
    ("stone", "o stone"),
];

/// Returns the legend of a board as lines of at most `width` columns, if one entry fits.
pub fn lines(frame: &Frame, width: usize) -> Vec<String> {
    let has = |class: &str| frame.items.iter().any(|item| item.class == class);
    let mut entries: Vec<&str> = MEANINGS.iter().filter(|(class, _)| has(class)).map(|(_, text)| *text).collect();
    if crowded(frame) {
        entries.push("@+ several");
    }
    if frame.items.iter().filter_map(|item| item.seat).any(|seat| seat.index() >= 9) {
        entries.push("N is 1 to 9, then a, b, c");
    }
    wrapped("legend:", &entries, width)
}

/// Returns entries as lines of at most `width` columns, if one entry fits. The first line begins with `title`.
pub fn wrapped(title: &str, entries: &[impl AsRef<str>], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in entries.iter().map(AsRef::as_ref) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + entry.chars().count() <= width => {
                line.push_str("   ");
                line.push_str(entry);
            }
            Some(_) => lines.push(format!("{:width$} {entry}", "", width = title.len())),
            None => lines.push(format!("{title} {entry}")),
        }
    }
    lines
}

/// Whether several things that move share a place.
fn crowded(frame: &Frame) -> bool {
    let mut places: Vec<[u32; 2]> = Vec::new();
    for item in frame.items.iter().filter(|item| kind(item).moves && kind(item).listed) {
        if let Shape::Disc(at, _) | Shape::Cell(at) = item.shape {
            places.push(at.map(f32::to_bits));
        }
    }
    places.sort_unstable();
    places.windows(2).any(|pair| pair[0] == pair[1])
}
