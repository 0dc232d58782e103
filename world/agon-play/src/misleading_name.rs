//! Names of bots that people read as another one.

use agon_core::text::is_hidden;
use std::{collections::BTreeMap, fmt};
use unicode_security::confusable_detection::skeleton;

/// A name that people read as another one. Its text quotes the name, so clean it before you show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MisleadingName {
    /// Two names differ and look alike.
    Alike {
        /// The name that comes first.
        first: String,
        /// The other name.
        second: String,
        /// The first letter of the other name that is another one, as `а` (U+0430).
        letter: Option<char>,
    },
    /// A name has letters of another alphabet, and looks as if it had none.
    Mixed {
        /// The name.
        name: String,
        /// The name that people read.
        read: String,
        /// The first letter of another alphabet.
        letter: char,
    },
    /// A name has a character that cannot be seen, or that moves those beside it.
    Hidden {
        /// The name.
        name: String,
        /// The first of these characters.
        letter: char,
    },
}

/// Finds names that mislead, such as `rage` with a Cyrillic `а`, also if no bot is called `rage`.
#[must_use]
pub fn misleading_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<MisleadingName> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for second in names {
        let first = *seen.entry(looks(second)).or_insert(second);
        if first != second {
            let mut others = first.chars().map(Some).chain(std::iter::repeat(None));
            let letter = second.chars().find(|letter| others.next().flatten() != Some(*letter));
            found.push(MisleadingName::Alike { first: first.to_owned(), second: second.to_owned(), letter });
        } else {
            found.extend(alone(second));
        }
    }
    found
}

/// Returns what a name looks like. Names that look alike have the same.
fn looks(name: &str) -> String {
    // Blanks at the end cannot be seen, and a dot there is easily overlooked. Many systems drop both.
    let blanks: String = name.chars().map(|c| if is_blank(c) { ' ' } else { c }).collect();
    skeleton(&blanks).collect::<String>().trim_end_matches(['.', ' ']).to_owned()
}

/// A character that looks like a blank, or like nothing.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// Returns what misleads in a name, whatever the others are.
fn alone(name: &str) -> Option<MisleadingName> {
    let of = |letter: char| (name.to_owned(), letter);
    if let Some((name, letter)) = name.chars().find(|c| is_hidden(*c) || (is_blank(*c) && *c != ' ')).map(of) {
        return Some(MisleadingName::Hidden { name, letter });
    }
    let read = looks(name);
    // A name in one alphabet is what it looks like, and so is one of which a letter has no double in ASCII.
    if !read.is_ascii() || !name.contains(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let (name, letter) = name.chars().find(|c| c.is_alphanumeric() && !is_latin(*c)).map(of)?;
    Some(MisleadingName::Mixed { name, read, letter })
}

/// Whether a character is a usual letter of the Latin alphabet, with or without an accent, or a digit.
fn is_latin(c: char) -> bool {
    matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

impl fmt::Display for MisleadingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alike { first, second, letter } => {
                write!(f, "the name `{second}` looks like `{first}`")?;
                letter.map_or(Ok(()), |letter| write!(f, ": it has `{letter}` (U+{:04X})", u32::from(letter)))
            }
            Self::Mixed { name, read, letter } => {
                write!(f, "the name `{name}` looks like `{read}`: it has `{letter}` (U+{:04X})", u32::from(*letter))
            }
            Self::Hidden { name, letter } => {
                write!(f, "the name `{name}` has a character that nobody sees: U+{:04X}", u32::from(*letter))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_are_found() {
        for (first, second, other) in [
            ("rage", "r\u{430}ge", Some('\u{430}')),
            ("Hunter", "\u{41d}unter", Some('\u{41d}')),
            ("bot", "b\u{3bf}t", Some('\u{3bf}')),
            ("bot", "b\u{ff4f}t", Some('\u{ff4f}')),
            ("bot", "b\u{585}t", Some('\u{585}')),
            ("bot", "\u{1d41b}ot", Some('\u{1d41b}')),
            ("caf\u{e9}", "cafe\u{301}", Some('e')),
            ("Bill", "BiIl", Some('I')),
            ("b0t", "bOt", Some('O')),
            ("l1nes", "lInes", Some('I')),
            ("corn", "com", Some('m')),
            ("\u{440}\u{430}\u{43a}", "pa\u{43a}", Some('p')),
            ("bot", "b\u{200b}ot", Some('\u{200b}')),
            ("bot", "bot\u{3164}", Some('\u{3164}')),
            ("bot", "bo\u{fe0f}t", Some('\u{fe0f}')),
            ("bot", "\u{202e}bot", Some('\u{202e}')),
            ("my bot", "my\u{a0}bot", Some('\u{a0}')),
            ("my bot", "my\u{2800}bot", Some('\u{2800}')),
            ("bot", "bot.", Some('.')),
            ("bot", "bot\u{2800}", Some('\u{2800}')),
        ] {
            let found = misleading_names(["other", first, second]);
            let alike = |found: &MisleadingName| match found {
                MisleadingName::Alike { first: one, second: two, letter } => {
                    (one.as_str(), two.as_str(), *letter) == (first, second, other)
                }
                _ => false,
            };
            assert!(found.iter().any(alike), "{first:?} {second:?}: {found:?}");
        }
        assert_eq!(misleading_names(["rage", "Rage", "rage2", "\u{440}\u{430}\u{433}\u{435}", "rag", "range"]), []);
    }

    #[test]
    fn a_name_that_misleads_is_found_alone() {
        for (name, letter) in [
            ("r\u{430}ge", '\u{430}'),
            ("b\u{3bf}t 2", '\u{3bf}'),
            ("b\u{ff4f}t", '\u{ff4f}'),
            ("\u{1d41b}ot", '\u{1d41b}'),
            ("a\u{202e}b", '\u{202e}'),
            ("a\u{200d}b", '\u{200d}'),
            ("my\u{a0}bot", '\u{a0}'),
            ("bot\u{3164}", '\u{3164}'),
            ("my\u{2800}bot", '\u{2800}'),
        ] {
            let found = misleading_names([name]);
            let [MisleadingName::Mixed { letter: told, .. } | MisleadingName::Hidden { letter: told, .. }] = &found[..]
            else {
                panic!("{name:?}: {found:?}")
            };
            assert_eq!(*told, letter, "{name:?}");
            let text = found[0].to_string();
            assert!(text.contains(&format!("U+{:04X}", u32::from(letter))), "{text}");
        }
        for name in [
            "rage",
            "Équipe 3",
            "naïve",
            "Straße",
            "ısı",
            "Đorđe",
            "日本 bot",
            "हिन्दी दल",
            "Ракета",
            "Ωmega 2 ψ",
            "bot 🚀",
            "αβγ",
        ] {
            assert_eq!(misleading_names([name]), [], "{name}");
        }
    }
}
