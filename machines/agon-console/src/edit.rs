//! Changes of the text of a map.

use crate::argument::Arguments;
use agon_core::Flaw;

/// A change of the map of the position. Lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapEdit {
    /// Replaces a line.
    Set(usize, String),
    /// Inserts a line before this one. One more than the number of lines adds it at the end.
    Insert(usize, String),
    /// Removes a line.
    Delete(usize),
    /// Replaces as many characters as the text has, from this line and column on.
    At(usize, usize, String),
    /// Replaces the whole map.
    Map(String),
}

impl MapEdit {
    pub(crate) fn parse(arguments: &mut Arguments<'_>) -> Result<Self, Flaw> {
        let word = arguments.need("what to edit")?;
        Ok(match word.text {
            "set" => Self::Set(arguments.need("the number of a line")?.number("a line")?, text(arguments)?),
            "insert" => Self::Insert(arguments.need("the number of a line")?.number("a line")?, text(arguments)?),
            "delete" => Self::Delete(arguments.need("the number of a line")?.number("a line")?),
            "at" => {
                let line = arguments.need("the number of a line")?.number("a line")?;
                Self::At(line, arguments.need("the number of a column")?.number("a column")?, text(arguments)?)
            }
            "map" => Self::Map(text(arguments)?),
            other => return Err(word.flaw(format!("unknown edit `{other}`"))),
        })
    }

    /// Returns the changed text of a map.
    pub(crate) fn apply(&self, map: &str) -> Result<String, Flaw> {
        let mut lines: Vec<String> = map.lines().map(str::to_owned).collect();
        let count = lines.len();
        let known = |line: usize, most: usize| {
            let flaw = || Flaw::new(format!("the map has no line {line}")).hint(format!("its lines are 1 to {most}"));
            if (1..=most).contains(&line) { Ok(line - 1) } else { Err(flaw()) }
        };
        match self {
            Self::Set(line, text) => lines[known(*line, count)?].clone_from(text),
            Self::Insert(line, text) => lines.insert(known(*line, count + 1)?, text.clone()),
            Self::Delete(line) => drop(lines.remove(known(*line, count)?)),
            Self::At(line, column, text) => {
                let line = &mut lines[known(*line, count)?];
                let mut characters: Vec<char> = line.chars().collect();
                let end = column.checked_sub(1).and_then(|start| start.checked_add(text.chars().count()));
                let Some(end) = end.filter(|end| *end <= characters.len()) else {
                    return Err(Flaw::new(format!(
                        "the line has no {} characters from column {column} on",
                        text.chars().count()
                    ))
                    .hint(format!("it has {} characters", characters.len())));
                };
                characters.splice(column - 1..end, text.chars());
                *line = characters.into_iter().collect();
            }
            Self::Map(text) => return Ok(text.clone()),
        }
        Ok(lines.into_iter().map(|line| line + "\n").collect())
    }
}

/// Reads a text. If it begins with a quote it is a JSON string, which can have blanks at its ends and line feeds.
fn text(arguments: &mut Arguments<'_>) -> Result<String, Flaw> {
    let word = arguments.text("the new text")?;
    if !word.text.starts_with('"') {
        return Ok(word.text.to_owned());
    }
    serde_json::from_str(word.text).map_err(|why| word.flaw(format!("the text is not a JSON string: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_characters_are_replaced() {
        let map = "ab\ncd\n";
        for (edit, expected) in [
            ("set 2 xyz", "ab\nxyz\n"),
            ("insert 3 e", "ab\ncd\ne\n"),
            ("insert 1 \" e\"", " e\nab\ncd\n"),
            ("delete 1", "cd\n"),
            ("at 2 2 x", "ab\ncx\n"),
            ("map \"q\\nr\\n\"", "q\nr\n"),
        ] {
            let parsed = MapEdit::parse(&mut Arguments::new(edit)).expect(edit);
            assert_eq!(parsed.apply(map).as_deref(), Ok(expected), "{edit}");
        }
        for wrong in
            ["set 3 x", "set 0 x", "delete 9", "insert 4 x", "at 1 2 xy", "at 1 0 x", "at 1 18446744073709551615 xyz"]
        {
            let parsed = MapEdit::parse(&mut Arguments::new(wrong)).expect(wrong);
            assert!(parsed.apply(map).is_err(), "{wrong}");
        }
    }
}
