//! What the symbols of a board mean, in the words of the game.

use agon_core::{Frame, Item, ItemClass, Shape};

/// Returns how an item is drawn. Its class says what it is.
pub fn class(frame: &Frame, item: &Item) -> &'static ItemClass {
    frame.class(item).unwrap_or(&UNKNOWN)
}

/// A class of which the legend says nothing.
static UNKNOWN: ItemClass = ItemClass::new("", &[]);

/// Returns the legend of a board as lines of at most `width` columns, if one entry fits.
pub fn lines(frame: &Frame, width: usize) -> Vec<String> {
    let is_there = |class: &&ItemClass| frame.items.iter().any(|item| item.class == class.name);
    let classes = frame.legend.iter().filter(is_there);
    let mut entries: Vec<&str> = classes.flat_map(|class| class.meanings).copied().collect();
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
    let is_listed = |item: &&Item| class(frame, item).moves && class(frame, item).is_listed;
    for item in frame.items.iter().filter(is_listed) {
        if let Shape::Disc(at, _) | Shape::Cell(at) = item.shape {
            places.push(at.map(f32::to_bits));
        }
    }
    places.sort_unstable();
    places.windows(2).any(|pair| pair[0] == pair[1])
}
