//! The map file: the lines `heap 21` and `most 3`. A comment goes from `#` to the end of its line.

use agon_core::Flaw;
use alloc::{format, string::String};

/// The largest heap. With it a prompt is at most 16 bytes long.
pub const MOST_STONES: u32 = 9_999_999;
/// The largest number that a map may allow to be taken in one turn.
pub const MOST_TAKEN: u32 = 99;

/// The content of a map file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// The number of stones at the start, from 1 to 9999999.
    pub stones: u32,
    /// The largest number that may be taken in one turn, from 1 to 99.
    pub most: u32,
}

/// Reads a map file. A flaw names its line and column.
pub(crate) fn parse(text: &[u8]) -> Result<Map, Flaw> {
    let text = core::str::from_utf8(text).map_err(|_| Flaw::new("the map is not UTF-8 text"))?;
    let (mut stones, mut most) = (None, None);
    for (i, line) in text.lines().enumerate() {
        let meant = line.split('#').next().unwrap_or("").trim_end();
        if meant.is_empty() {
            continue;
        }
        let (word, number) = meant.split_once(' ').unwrap_or((meant, ""));
        let (place, limit) = match word {
            "heap" => (&mut stones, MOST_STONES),
            "most" => (&mut most, MOST_TAKEN),
            _ => {
                return Err(Flaw::new(format!("unknown word `{}`", word.chars().take(20).collect::<String>()))
                    .spanning(i + 1, 1, word.chars().count())
                    .hint("a map has the lines `heap 21` and `most 3`"));
            }
        };
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let value = if digits { number.parse().ok().filter(|n| (1..=limit).contains(n)) } else { None };
        let Some(value) = value else {
            return Err(Flaw::new(format!("`{word}` needs a number from 1 to {limit}")).spanning(
                i + 1,
                word.len() + 2,
                number.chars().count(),
            ));
        };
        if place.replace(value).is_some() {
            return Err(Flaw::new(format!("`{word}` is given twice")).spanning(i + 1, 1, word.len()));
        }
    }
    match (stones, most) {
        (Some(stones), Some(most)) => Ok(Map { stones, most }),
        (None, _) => Err(Flaw::new("the line `heap` is missing").hint("write `heap 21`")),
        (_, None) => Err(Flaw::new("the line `most` is missing").hint("write `most 3`")),
    }
}

/// Writes a map file.
pub(crate) fn print(heap: &Map) -> String {
    format!("heap {}\nmost {}\n", heap.stones, heap.most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flaw_names_its_place() {
        let at = |text: &[u8]| parse(text).unwrap_err().place.map(|p| (p.line, p.column, p.length));
        assert_eq!(at(b"heap 21\nmots 3\n"), Some((2, 1, 4)));
        assert_eq!(at(b"# a comment\nheap 21x\n"), Some((2, 6, 3)));
        assert_eq!(at(b"heap 0\nmost 3\n"), Some((1, 6, 1)));
        assert_eq!(at(b"heap 10000000\nmost 3\n"), Some((1, 6, 8)));
        assert_eq!(at(b"heap 3\nheap 4\n"), Some((2, 1, 4)));
        assert_eq!(at(b"heap 3\n"), None);
        assert_eq!(parse(b"most 3 # at once\r\n\nheap 21\n"), Ok(Map { stones: 21, most: 3 }));
    }
}
