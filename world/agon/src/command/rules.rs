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
  agon rules planet-wars fleets arrive    paragraphs with both words")]
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

/// Returns the sections whose headings have all of the words, and below their headings the paragraphs and the rows of
/// tables that have them.
fn found(page: &str, words: &[String]) -> Vec<String> {
    if words.is_empty() {
        return vec![page.trim_end().to_owned()];
    }
    let has_all = |text: &str| words.iter().all(|word| has_word(text, word));
    let (mut found, mut heading, mut section) = (Vec::new(), None, None);
    for block in blocks(page) {
        let level = heading_level(&block);
        if section.is_some_and(|section| level.is_some_and(|level| level <= section)) {
            section = None;
        }
        if let (None, Some(level)) = (section, level) {
            section = has_all(&block).then_some(level);
            heading = Some(block.clone());
        }
        if section.is_some() {
            heading = None;
            found.push(block);
        } else if level.is_none()
            && let Some(text) = matching(&block, has_all)
        {
            found.extend(heading.take());
            found.push(text);
        }
    }
    found
}

/// Returns what of a paragraph is shown: all of it, or the rows of a table that match, below its head.
fn matching(block: &str, has_all: impl Fn(&str) -> bool) -> Option<String> {
    if !block.starts_with('|') {
        return has_all(block).then(|| block.to_owned());
    }
    let rows: Vec<&str> = block.lines().skip(2).filter(|row| has_all(row)).collect();
    let shown = block.lines().take(2).chain(rows.iter().copied());
    (!rows.is_empty()).then(|| shown.collect::<Vec<_>>().join("\n"))
}

/// Returns the headings and paragraphs of a page. A block of code is one, whatever it contains.
fn blocks(page: &str) -> Vec<String> {
    let (mut blocks, mut code) = (vec![String::new()], false);
    for line in page.lines() {
        code ^= line.trim_start().starts_with("```");
        if line.is_empty() && !code {
            blocks.push(String::new());
        } else if let Some(block) = blocks.last_mut() {
            if !block.is_empty() {
                block.push('\n');
            }
            block.push_str(line);
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Returns the level of a heading, from 1. `None` for any other line.
fn heading_level(line: &str) -> Option<usize> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (level > 0 && text.starts_with(' ')).then_some(level)
}

/// Returns whether a text has a word, in capitals or not. A word in quotes may be several.
fn has_word(text: &str, word: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').filter(|part| !part.is_empty());
        parts.map(str::to_lowercase).collect()
    };
    let (text, word) = (parts(text), parts(word));
    !word.is_empty() && text.windows(word.len()).any(|part| part == word)
}

/// Paints headings.
fn painted(text: &str, colour: bool) -> String {
    let mut code = false;
    let lines = text.lines().map(|line| {
        code ^= line.trim_start().starts_with("```");
        let is_heading = !code && heading_level(line).is_some();
        if is_heading { Style::Strong.paint(line, colour) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n")
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
        assert_eq!(of(&["(G12)."]), ["## A", "Tile two (G12)."]);
        assert_eq!(of(&["tile two"]), ["## A", "Tile two (G12)."]);
        assert_eq!(of(&["b"]), ["## B", "| a | b |\n| --- | --- |\n| one | two |\n| three | four |"]);
        assert!(of(&["fleet"]).is_empty() && of(&["."]).is_empty());
        assert_eq!(of(&[]), [page.trim_end()]);
    }

    #[test]
    fn code_is_no_heading_and_stays_whole() {
        let page = "# Grid\n\n## Maps\n\n```\n## 1\n\n# two\n```\n\nMore.\n";
        assert_eq!(found(page, &["two".to_owned()]), ["## Maps", "```\n## 1\n\n# two\n```"]);
        assert_eq!(
            painted(page, true).matches('\u{1b}').count(),
            2 * painted("# Grid", true).matches('\u{1b}').count()
        );
    }

    #[test]
    fn every_heading_can_be_found() {
        for (name, page) in PAGES {
            for heading in blocks(page).iter().filter(|block| heading_level(block).is_some()) {
                let words: Vec<String> =
                    heading.trim_start_matches('#').split_whitespace().map(str::to_owned).collect();
                assert!(found(page, &words).contains(heading), "{name}: {heading}");
            }
        }
    }
}
