//! `agon rules GAME`: the page about a game, in the terminal.

use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    printer::{Printer, Style},
    values,
};
use clap::Args;

/// The page about each game in `docs/games/`, with the game's name. `build.rs` embeds them.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Show the rules of a game, its protocol and where they come from.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon rules grid | less
  agon rules grid G12              what does this point of the rules say?
  agon rules planet-wars fleet arrives")]
pub struct Rules {
    /// The game.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// Show only the paragraphs and rows of tables with all of these words.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

impl Rules {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let Some((_, page)) = PAGES.iter().find(|(name, _)| *name == game.name()) else {
            return Err(Error::user(format!("there is no page about {}", game.info().title)));
        };
        let paragraphs = found(page, &self.words);
        if paragraphs.is_empty() {
            let words = clean(&self.words.join(" "));
            return Err(Error::user(format!("no paragraph about {} has `{words}`", game.info().title))
                .hint(format!("`agon rules {}` shows all of them", game.name())));
        }
        let shown: Vec<String> = paragraphs.iter().map(|text| painted(text, printer.colour)).collect();
        printer.data(shown.join("\n\n") + "\n")?;
        Ok(Exit::Done)
    }
}

/// Returns the paragraphs and the rows of tables that have all of the words, below their headings.
fn found(page: &str, words: &[String]) -> Vec<String> {
    if words.is_empty() {
        return vec![page.trim_end().to_owned()];
    }
    let has_all = |text: &str| words.iter().all(|word| has_word(text, word));
    let (mut found, mut heading) = (Vec::new(), None);
    for paragraph in page.split("\n\n").map(|text| text.trim_matches('\n')).filter(|text| !text.is_empty()) {
        if paragraph.starts_with('#') {
            heading = Some(paragraph.to_owned());
        } else if paragraph.starts_with('|') {
            let rows: Vec<&str> = paragraph.lines().skip(2).filter(|row| has_all(row)).collect();
            if !rows.is_empty() {
                found.extend(heading.take());
                let head = paragraph.lines().take(2);
                found.push(head.chain(rows).collect::<Vec<_>>().join("\n"));
            }
        } else if has_all(paragraph) {
            found.extend(heading.take());
            found.push(paragraph.to_owned());
        }
    }
    found
}

/// Returns whether a text has a word, in capitals or not.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').any(|part| part.eq_ignore_ascii_case(word))
}

/// Paints headings.
fn painted(text: &str, colour: bool) -> String {
    let line = |line: &str| if line.starts_with('#') { Style::Strong.paint(line, colour) } else { line.to_owned() };
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_page_and_every_page_a_game() {
        for game in agon_games::all() {
            assert!(PAGES.iter().any(|(name, page)| *name == game.name() && page.starts_with("# ")), "{}", game.name());
        }
        assert!(PAGES.iter().all(|(name, _)| agon_games::find(name).is_some()));
    }

    #[test]
    fn words_choose_paragraphs_below_their_headings() {
        let page = "# Grid\n\nOf tiles.\n\n## A\n\nTile one (G1).\n\nTile two (G12).\n\n## B\n\n| a | b |\n| --- | --- |\n| one | two |\n| three | four |\n";
        let of = |words: &[&str]| found(page, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["g1"]), ["## A", "Tile one (G1)."]);
        assert_eq!(of(&["tile"]), ["## A", "Tile one (G1).", "Tile two (G12)."]);
        assert_eq!(of(&["tile", "two"]), ["## A", "Tile two (G12)."]);
        assert_eq!(of(&["four"]), ["## B", "| a | b |\n| --- | --- |\n| three | four |"]);
        assert!(of(&["fleet"]).is_empty());
        assert_eq!(of(&[]), [page.trim_end()]);
    }
}
