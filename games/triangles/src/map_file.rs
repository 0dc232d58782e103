//! Map files: plain text, one item on each line.
//!
//! ```text
//! # anything after a hash is a comment
//! point 4 8
//! point 3 5
//! point 8 6
//! segment 1 2            # put there by an editor, paid to no player
//! segment 2 3 by 1 for 0 # drawn by seat 1, paid 0 points
//! scores 0 0
//! turn 2
//! ```
//!
//! Points come first and are numbered from 1 in their order. Everything else is optional. The lines `set_points 3 4 8
//! 3 5 8 6` and `play 1 2` of the protocol mean the same as their `point` and `segment` lines, so the commands with
//! which a referee sets up a board are a map.

use crate::{
    field::MOST_POINTS,
    map::{Map, Part, Stroke},
    position::Made,
    segment::Segment,
};
use agon_core::{Flaw, Seat, geometry::pt};
use alloc::{format, string::String, vec::Vec};
use core::fmt::Write;

/// The largest accepted file, in bytes. It is enough for any board with many comments.
const LONGEST_FILE: usize = 1 << 20;

/// Where a part of the map was written: line, column and length. Lines and columns count from 1.
type Spot = (usize, usize, usize);

/// Reads a map file.
///
/// # Errors
/// The first flaw, with line and column: a line of unknown form, a point off the board or given twice, or a segment
/// that may not be drawn after those before it.
pub fn parse(text: &[u8]) -> Result<Map, Flaw> {
    if text.len() > LONGEST_FILE {
        return Err(Flaw::new(format!("the map has more than {LONGEST_FILE} bytes")));
    }
    let mut reader = Reader::default();
    for (k, line) in text.split(|b| *b == b'\n').enumerate() {
        let line = core::str::from_utf8(line).map_err(|e| {
            let before = String::from_utf8_lossy(&line[..e.valid_up_to()]).chars().count();
            Flaw::new("the map has bytes that are not text")
                .at(k + 1, before + 1)
                .hint("write the map as plain text in UTF-8")
        })?;
        reader.line(k + 1, line)?;
    }
    let Some((part, flaw)) = reader.map.flaw() else { return Ok(reader.map) };
    let (line, column, length) = match part {
        Part::Point(k) => reader.points[k],
        Part::Stroke(k) => reader.strokes[k],
        Part::Whole => (1, 1, 1),
    };
    Err(flaw.spanning(line, column, length))
}

/// Writes a map file. [`parse`] reads it back as the same map.
#[must_use]
pub fn print(map: &Map) -> String {
    let mut text = String::new();
    let mut line = |arguments: core::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = text.write_fmt(arguments);
        text.push('\n');
    };
    for p in &map.points {
        line(format_args!("point {} {}", p.x, p.y));
    }
    for Stroke { segment, made } in &map.strokes {
        match made.by {
            Some(seat) => line(format_args!("segment {segment} by {seat} for {}", made.gained)),
            None => line(format_args!("segment {segment}")),
        }
    }
    if map.scores != [0, 0] {
        line(format_args!("scores {} {}", map.scores[0], map.scores[1]));
    }
    if map.to_move != 0 {
        line(format_args!("turn {}", map.to_move + 1));
    }
    text
}

/// One word of a line, with its column.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    column: usize,
}

#[derive(Default)]
struct Reader {
    map: Map,
    points: Vec<Spot>,
    strokes: Vec<Spot>,
    scores_given: bool,
    turn_given: bool,
}

impl Reader {
    fn line(&mut self, line: usize, text: &str) -> Result<(), Flaw> {
        let text = text.strip_suffix('\r').unwrap_or(text);
        let words = words(text.split('#').next().unwrap_or_default());
        let Some((name, rest)) = words.split_first() else { return Ok(()) };
        let spot = (line, name.column, spanned(&words));
        let at = |flaw: Flaw| flaw.spanning(line, name.column, name.text.chars().count());
        match name.text {
            "point" => {
                let [x, y] = numbers(line, name, rest, "point X Y")?;
                self.point(x, y, spot)
            }
            "set_points" => self.set_points(line, name, rest),
            "segment" | "play" => self.segment(line, name, rest, spot),
            "scores" | "turn" if self.is_given(name.text) => {
                Err(at(Flaw::new(format!("the line `{}` is given twice", name.text))))
            }
            "scores" => {
                let scores: [_; 2] = numbers(line, name, rest, "scores A B")?;
                for (k, score) in scores.into_iter().enumerate() {
                    self.map.scores[k] = u32::try_from(score).map_err(|_| {
                        let flaw = Flaw::new(format!("the score {score} is negative")).hint("a score is 0 or more");
                        flaw.spanning(line, rest[k].column, rest[k].len())
                    })?;
                }
                Ok(())
            }
            "turn" => {
                let [seat] = numbers(line, name, rest, "turn SEAT")?;
                self.map.to_move = self.seat(line, rest[0], seat)?.index();
                Ok(())
            }
            _ => {
                let known = "a line starts with `point`, `segment`, `scores`, `turn`, `set_points` or `play`";
                Err(at(Flaw::new(format!("unknown line `{}`", shortened(name.text)))).hint(known))
            }
        }
    }

    /// Whether a line of this kind was given before. Notes that it is given now.
    fn is_given(&mut self, name: &str) -> bool {
        core::mem::replace(if name == "turn" { &mut self.turn_given } else { &mut self.scores_given }, true)
    }

    fn point(&mut self, x: i32, y: i32, spot: Spot) -> Result<(), Flaw> {
        let (line, column, length) = spot;
        if !self.map.strokes.is_empty() {
            let flaw = Flaw::new("a point comes after a segment").hint("write all points before the first segment");
            return Err(flaw.spanning(line, column, length));
        }
        if self.points.len() >= MOST_POINTS {
            return Err(
                Flaw::new(format!("the board has more than {MOST_POINTS} points")).spanning(line, column, length)
            );
        }
        self.map.points.push(pt(x, y));
        self.points.push(spot);
        Ok(())
    }

    fn set_points(&mut self, line: usize, name: &Word<'_>, rest: &[Word<'_>]) -> Result<(), Flaw> {
        let form = "set_points N X1 Y1 ... XN YN";
        let Some((count, rest)) = rest.split_first() else { return Err(malformed(line, name, form)) };
        let n = number(line, *count)?;
        if !self.points.is_empty() {
            return Err(Flaw::new("the points are given twice").spanning(line, name.column, name.len()));
        }
        let pairs = rest.chunks(2);
        if i64::try_from(rest.len()) != Ok(2 * i64::from(n)) || n < 1 {
            let what = format!("`set_points` announces {n} points, but {} coordinates follow", rest.len());
            return Err(Flaw::new(what).spanning(line, count.column, count.len()).hint(format!("write `{form}`")));
        }
        for pair in pairs {
            let (x, y) = (number(line, pair[0])?, number(line, pair[1])?);
            self.point(x, y, (line, pair[0].column, spanned(pair)))?;
        }
        Ok(())
    }

    fn segment(&mut self, line: usize, name: &Word<'_>, rest: &[Word<'_>], spot: Spot) -> Result<(), Flaw> {
        let form = if name.text == "play" { "play I J" } else { "segment I J` or `segment I J by SEAT for POINTS" };
        let (ends, made) = match rest {
            [i, j, by, seat, kw, points] if name.text == "segment" && by.text == "by" && kw.text == "for" => {
                let by = self.seat(line, *seat, number(line, *seat)?)?;
                let paid = number(line, *points)?;
                let Some(gained) = u8::try_from(paid).ok().filter(|g| *g <= 2) else {
                    let flaw = Flaw::new(format!("a segment cannot have paid {paid}"));
                    let flaw = flaw.hint("a segment pays at most 2 points, one on each side");
                    return Err(flaw.spanning(line, points.column, points.len()));
                };
                ([*i, *j], Made { by: Some(by), gained })
            }
            [i, j] => ([*i, *j], Made { by: None, gained: 0 }),
            _ => return Err(malformed(line, name, form)),
        };
        let mut numbers = [0; 2];
        for (slot, word) in numbers.iter_mut().zip(ends) {
            let end = number(line, word)?;
            let n = self.points.len();
            *slot = u8::try_from(end).ok().filter(|k| (1..=n).contains(&usize::from(*k))).ok_or_else(|| {
                let what = format!("`{end}` is not a point: the points are 1 to {n}");
                Flaw::new(what).spanning(line, word.column, word.len())
            })?;
        }
        if self.strokes.len() > crate::field::MOST_SEGMENTS {
            return Err(Flaw::new("the map has more segments than any board can hold").spanning(line, spot.1, spot.2));
        }
        self.map.strokes.push(Stroke { segment: Segment { i: numbers[0], j: numbers[1] }, made });
        self.strokes.push(spot);
        Ok(())
    }

    fn seat(&self, line: usize, word: Word<'_>, number: i32) -> Result<Seat, Flaw> {
        u8::try_from(number).ok().and_then(Seat::from_number).filter(|seat| seat.index() < 2).ok_or_else(|| {
            Flaw::new(format!("there is no seat {number}"))
                .spanning(line, word.column, word.len())
                .hint("there are two seats, 1 and 2")
        })
    }
}

impl Word<'_> {
    fn len(&self) -> usize {
        self.text.chars().count()
    }
}

/// The words of a line, with their columns in characters.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (column, (at, c)) in line.char_indices().enumerate() {
        match (c.is_whitespace(), start) {
            (false, None) => start = Some((column, at)),
            (true, Some((column, from))) => {
                words.push(Word { text: &line[from..at], column: column + 1 });
                start = None;
            }
            _ => {}
        }
    }
    if let Some((column, from)) = start {
        words.push(Word { text: &line[from..], column: column + 1 });
    }
    words
}

/// The number of characters from the first word to the end of the last.
fn spanned(words: &[Word<'_>]) -> usize {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => last.column + last.len() - first.column,
        _ => 1,
    }
}

fn numbers<const N: usize>(line: usize, name: &Word<'_>, rest: &[Word<'_>], form: &str) -> Result<[i32; N], Flaw> {
    if rest.len() != N {
        return Err(malformed(line, name, form));
    }
    let mut numbers = [0; N];
    for (slot, word) in numbers.iter_mut().zip(rest) {
        *slot = number(line, *word)?;
    }
    Ok(numbers)
}

fn number(line: usize, word: Word<'_>) -> Result<i32, Flaw> {
    word.text.parse().map_err(|_| {
        let flaw = Flaw::new(format!("`{}` is not a whole number", shortened(word.text)));
        flaw.spanning(line, word.column, word.len())
    })
}

fn malformed(line: usize, name: &Word<'_>, form: &str) -> Flaw {
    let flaw = Flaw::new(format!("the line `{}` is incomplete or too long", name.text));
    flaw.spanning(line, name.column, name.len()).hint(format!("write `{form}`"))
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[track_caller]
    fn flaw(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn both_forms_mean_the_same() {
        let ours = "# a board\npoint 4 8\n\n  point 3 5 # two\r\npoint 8 6\nsegment 1 2\nsegment 3 2\n";
        let theirs = "set_points 3 4 8 3 5 8 6\nplay 1 2\nplay 3 2\n";
        assert_eq!(parse(ours.as_bytes()), parse(theirs.as_bytes()));
    }

    #[test]
    fn a_game_in_progress_survives_print_and_parse() {
        let text = "point 1 1\npoint 9 1\npoint 5 7\nsegment 1 2\nsegment 3 2 by 1 for 0\nsegment 1 3 by 2 for 1\n\
                    scores 0 1\nturn 2\n";
        let map = parse(text.as_bytes()).unwrap();
        assert_eq!(map.scores, [0, 1]);
        assert_eq!(map.to_move, 1);
        assert_eq!(map.strokes[2].made, Made { by: Some(Seat::new(1)), gained: 1 });
        assert_eq!(print(&map), text);
    }

    #[test]
    fn flaws_have_exact_places() {
        assert_eq!(flaw(""), "line 1, column 1: a board needs at least one point");
        assert_eq!(flaw("point 4 8\npoint 4 8"), "line 2, column 1: point `4 8` is already point 1");
        assert_eq!(flaw("\n  point 0 8"), "line 2, column 3: point `0 8` is off the board");
        assert_eq!(flaw("point 4 x"), "line 1, column 9: `x` is not a whole number");
        assert_eq!(flaw("point 4"), "line 1, column 1: the line `point` is incomplete or too long");
        assert_eq!(
            flaw("set_points 2 1 1 2"),
            "line 1, column 12: `set_points` announces 2 points, but 3 coordinates follow"
        );
        assert_eq!(flaw("set_points 2 1 1 1 1"), "line 1, column 18: point `1 1` is already point 1");
        assert_eq!(flaw("point 1 1\nsegment 1 2"), "line 2, column 11: `2` is not a point: the points are 1 to 1");
        assert_eq!(flaw("point 1 1\nturn 3"), "line 2, column 6: there is no seat 3");
        assert_eq!(flaw("point 1 1\nscores 1 -1"), "line 2, column 10: the score -1 is negative");
        assert_eq!(flaw("point 1 1\nscores 1 1\nscores 1 1"), "line 3, column 1: the line `scores` is given twice");
        assert_eq!(flaw("poin 1 1"), "line 1, column 1: unknown line `poin`");
        let board = "point 1 1\npoint 3 3\npoint 1 3\npoint 3 1\npoint 5 5\nsegment 1 2\n";
        let then = |line: &str| flaw(&(board.to_string() + line));
        assert_eq!(then(" play 3 4"), "line 7, column 2: segment `3 4` crosses the drawn segment `1 2`");
        assert_eq!(then("segment 5 1"), "line 7, column 1: point 2 lies inside segment `5 1`");
        assert_eq!(then("segment 2 1"), "line 7, column 1: segment `1 2` is drawn already");
        assert_eq!(then("segment 2 2"), "line 7, column 1: a segment from point 2 to itself");
        assert_eq!(then("point 7 7"), "line 7, column 1: a point comes after a segment");
        assert_eq!(then("segment 2 3 by 1 for 3"), "line 7, column 22: a segment cannot have paid 3");
        assert_eq!(then("segment 2 3 by 3 for 1"), "line 7, column 16: there is no seat 3");
    }

    #[test]
    fn a_place_counts_characters() {
        let place = parse("point 1 1 é\n".as_bytes()).unwrap_err().place.unwrap();
        assert_eq!((place.line, place.column, place.length), (1, 1, 5));
        let place = parse("point é 1\n".as_bytes()).unwrap_err().place.unwrap();
        assert_eq!((place.column, place.length), (7, 1));
    }
}
