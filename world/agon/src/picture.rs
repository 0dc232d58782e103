//! Draws a [`Frame`] as an SVG picture for pages, reports and slides. It uses the same display list as the terminal.

pub mod animation;
pub mod pixels;

use crate::{
    board::numbers::Numbers,
    clean::{clean, cut},
};
use agon_core::{Frame, Item, Shape};
use std::fmt::Write as _;

/// The length of the board's longer side, in pixels.
const SIDE: f32 = 720.0;
/// The least width of a picture, in pixels: names and scores need room also below a narrow board.
const NARROWEST: f32 = 480.0;
/// The margin around the board, in pixels.
const MARGIN: f32 = 16.0;
/// How far below a label the number of its thing is, in pixels.
const NUMBER_BELOW: f32 = 11.0;
/// The height of a line of text below the board, in pixels.
const LINE: f32 = 20.0;

/// The maximum length of a bot's name below the board, in characters.
const NAME_WIDTH: usize = 40;
/// The colours of the seats (after Okabe and Ito). People with any colour vision can tell them apart, up to eight
/// seats. Captions also name each seat beside its colour.
const SEATS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7f00", "#555555"];

/// Returns the picture as the text of an SVG file. `names` are the names of the seats; it is empty if no match is played.
pub fn svg(frame: &Frame, names: &[&str]) -> String {
    let span = |i: usize| (frame.high[i] - frame.low[i]).max(f32::MIN_POSITIVE);
    let longer = span(0).max(span(1));
    let scale = if longer.is_finite() && longer > 1e-6 { SIDE / longer } else { 1.0 };
    let drawer = Drawer { frame, scale, height: span(1) * scale, numbers: Numbers::of(frame) };
    let (width, board) = ((span(0) * scale + 2.0 * MARGIN).max(NARROWEST), drawer.height + 2.0 * MARGIN);
    let height = board + LINE * (1 + frame.captions.len()) as f32 + MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fbfaf7\"/>\n"
    );
    for item in &frame.items {
        drawer.item(item, &mut out);
    }
    let mut line = |i: usize, fill: &str, text: &str| {
        let y = board + LINE * (i as f32 + 0.5);
        let _ =
            writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\" font-size=\"14\" fill=\"{fill}\">{}</text>", escape(text));
    };
    line(0, "#222222", &frame.title);
    for (i, caption) in frame.captions.iter().enumerate() {
        let name = names.get(i).map_or_else(String::new, |name| cut(&clean(name), NAME_WIDTH) + ": ");
        line(i + 1, colour(Some(i)), &format!("{} {name}{caption}", i + 1));
    }
    out.push_str("</svg>\n");
    out
}

struct Drawer<'a> {
    frame: &'a Frame,
    /// Pixels for each unit of the board.
    scale: f32,
    /// The height of the board in pixels.
    height: f32,
    numbers: Numbers,
}

impl Drawer<'_> {
    fn place(&self, at: [f32; 2]) -> (f32, f32) {
        let x = MARGIN + (at[0] - self.frame.low[0]) * self.scale;
        let y = (at[1] - self.frame.low[1]) * self.scale;
        (x, MARGIN + if self.frame.y_up { self.height - y } else { y })
    }

    fn item(&self, item: &Item, out: &mut String) {
        let seat = item.seat.map(agon_core::Seat::index);
        let fill = fill(item.class, seat);
        let strength = if item.strength.is_finite() { item.strength.clamp(0.0, 1.0) } else { 1.0 };
        let tip = if item.tip.is_empty() { String::new() } else { format!("<title>{}</title>", escape(&item.tip)) };
        let _ = match &item.shape {
            Shape::Cell(at) => {
                let side = self.frame.cell * self.scale;
                let (x, y) = self.place(*at);
                writeln!(
                    out,
                    "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{side:.2}\" height=\"{side:.2}\" fill=\"{fill}\" \
                     fill-opacity=\"{:.2}\" stroke=\"#ffffff\" stroke-width=\"0.5\">{tip}</rect>",
                    x - side / 2.0,
                    y - side / 2.0,
                    0.15 + 0.85 * strength,
                )
            }
            Shape::Disc(at, radius) => {
                let (x, y) = self.place(*at);
                let r = (radius * self.scale).max(2.5);
                writeln!(
                    out,
                    "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{r:.2}\" fill=\"{fill}\" stroke=\"#222222\" \
                     stroke-width=\"0.8\">{tip}</circle>"
                )
            }
            Shape::Line(from, to) => {
                let ((x1, y1), (x2, y2)) = (self.place(*from), self.place(*to));
                writeln!(
                    out,
                    "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{fill}\" \
                     stroke-width=\"2\" stroke-opacity=\"{:.2}\">{tip}</line>",
                    0.3 + 0.7 * strength,
                )
            }
            Shape::Polygon(corners) => {
                let points: Vec<String> = corners
                    .iter()
                    .map(|corner| {
                        let (x, y) = self.place(*corner);
                        format!("{x:.2},{y:.2}")
                    })
                    .collect();
                writeln!(
                    out,
                    "<polygon points=\"{}\" fill=\"{fill}\" fill-opacity=\"0.22\">{tip}</polygon>",
                    points.join(" ")
                )
            }
            Shape::Label(at, text) => {
                let (x, y) = self.place(*at);
                if let Some(number) = self.numbers.beside(*at, text) {
                    let y = y + 4.5 + NUMBER_BELOW;
                    let _ = writeln!(
                        out,
                        "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"10\" text-anchor=\"middle\" fill=\"#444444\" \
                         stroke=\"#ffffff\" stroke-width=\"2.2\" stroke-opacity=\"0.7\" paint-order=\"stroke\">{number}</text>",
                    );
                }
                writeln!(
                    out,
                    "<text x=\"{x:.2}\" y=\"{:.2}\" font-size=\"13\" text-anchor=\"middle\" fill=\"#111111\" \
                     stroke=\"#ffffff\" stroke-width=\"2.2\" stroke-opacity=\"0.7\" paint-order=\"stroke\">{}</text>",
                    y + 4.5,
                    escape(text)
                )
            }
        };
    }
}

/// Returns the colour of a thing: the colour of its owner, or else the colour of its class.
fn fill(class: &str, seat: Option<usize>) -> &'static str {
    if seat.is_some() {
        return colour(seat);
    }
    match class {
        "sea" | "wall" => "#31465c",
        "land" => "#d9b44a",
        "empty" => "#e4e2dc",
        _ => "#8c8c8c",
    }
}

fn colour(seat: Option<usize>) -> &'static str {
    seat.map_or("#8c8c8c", |i| SEATS[i % SEATS.len()])
}

/// Escapes text, so that nothing in it becomes markup. XML has no control characters, so they are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Key, Seat};

    #[test]
    fn text_never_becomes_markup() {
        let mut frame = Frame { high: [1.0, 1.0], title: "<script>\u{1b}[2J".into(), ..Frame::default() };
        frame.add("point", Key::default(), Shape::Label([0.0, 0.0], "\"><img>".into())).tip("</title>");
        let picture = svg(&frame, &[]);
        assert!(picture.contains("&lt;script&gt;\u{fffd}[2J"));
        assert!(!picture.contains("<img>") && !picture.contains("<script>"));
    }

    #[test]
    fn y_grows_upwards_where_the_game_says_so() {
        let at = |y_up| {
            let mut frame = Frame { high: [10.0, 10.0], y_up, ..Frame::default() };
            frame.add("planet", Key::default(), Shape::Disc([0.0, 10.0], 1.0)).of(Some(Seat::new(0)));
            svg(&frame, &[])
        };
        assert!(at(true).contains("cy=\"16.00\""), "the highest point is at the top");
        assert!(at(false).contains("cy=\"736.00\""), "the largest y is at the bottom");
    }

    #[test]
    fn bots_are_named_below_the_board() {
        let frame = Frame { captions: vec!["score 3".into(), "score 4".into()], ..Frame::default() };
        let picture = svg(&frame, &["rage", "</text><script>\u{202e}"]);
        assert!(picture.contains(">1 rage: score 3</text>"), "{picture}");
        assert!(picture.contains(">2 &lt;/text&gt;&lt;script&gt;") && !picture.contains('\u{202e}'), "{picture}");
    }

    #[test]
    fn a_board_of_one_point_is_drawn() {
        let mut frame = Frame::default();
        frame.add("point", Key::default(), Shape::Disc([0.0, 0.0], 0.0));
        assert!(svg(&frame, &[]).contains("<circle"));
    }
}
