//! Files that have a playback string in them: games as the site of 2010 saved them, and its page.

use agon_core::Flaw;

/// The key of the playback string in a saved game.
const PLAYBACK: &str = "playback_string";
/// The keys of the players' names.
const PLAYERS: [&str; 2] = ["player_one", "player_two"];
/// The variable of the page that has a playback string, or a whole saved game.
const DATA: &str = "data";
/// What ends a value: a line end, also an escaped one in a string of a script, a quote, a tag, or the end of a statement.
const ENDS: &[char] = &['\n', '\r', '\\', '\'', '"', '<', ';'];
/// The most characters of a player's name.
const NAME: usize = 80;

/// The parts of a file that say how a game went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SavedGame<'a> {
    file: &'a str,
    pub(super) playback: &'a str,
    pub(super) players: [Option<&'a str>; 2],
}

impl<'a> SavedGame<'a> {
    /// Finds the playback string in a file. If the file has nothing else, it is the whole text.
    pub(super) fn find(file: &'a str) -> Self {
        let has_header = |value: &&str| value.contains('|');
        let keyed = values(file, PLAYBACK).chain(values(file, DATA)).find(has_header);
        let name = |key| values(file, key).find(|name| !name.is_empty() && name.chars().count() <= NAME);
        Self {
            file,
            playback: keyed.unwrap_or_else(|| file.trim_start_matches('\u{feff}').trim()),
            players: if keyed.is_some() { PLAYERS.map(name) } else { [None; 2] },
        }
    }

    /// Moves the place of a flaw from the playback string into the file.
    pub(super) fn in_file(&self, mut flaw: Flaw) -> Flaw {
        let before = &self.file[..self.playback.as_ptr() as usize - self.file.as_ptr() as usize];
        if let Some(place) = &mut flaw.place {
            place.line += before.matches('\n').count() as u32;
            place.column += before.rsplit('\n').next().unwrap_or_default().chars().count() as u32;
        }
        flaw
    }
}

/// Returns the values of a key: `key=value`, `key = 'value'`, `"key": "value"`.
fn values<'a>(file: &'a str, key: &'static str) -> impl Iterator<Item = &'a str> {
    file.match_indices(key).filter_map(move |(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        // In a string of a script, the `n` of an escaped line end stands before the key.
        let begins_line = file[..at].ends_with("\\n");
        if !begins_line && file[..at].chars().next_back().is_some_and(is_word) {
            return None;
        }
        let rest = file[at + key.len()..].trim_start_matches(['\'', '"', ' ', '\t']);
        let value = rest.strip_prefix(['=', ':'])?.trim_start_matches(['\'', '"', ' ', '\t']);
        Some(value.split(ENDS).next().unwrap_or_default().trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRING: &str = "0.0,0.0,1,5,5:3,4,2,5,5|1.10,2.10:";

    #[test]
    fn a_playback_is_found_in_whatever_the_site_saved() {
        let game = format!("game_id=7559401\nplayer_one=ann\nplayer_two=bob\nplayback_string={STRING}\n");
        let escaped = game.replace('\n', "\\n");
        for (file, players) in [
            (STRING.to_owned(), [None; 2]),
            (format!("\u{feff}\n {STRING}\r\n\r\n"), [None; 2]),
            (game.clone(), [Some("ann"), Some("bob")]),
            (game.replace('\n', "\r\n"), [Some("ann"), Some("bob")]),
            (format!("var data = '{STRING}';"), [None; 2]),
            (format!("<html><script>\nvar data=\"{STRING}\"</script>"), [None; 2]),
            (format!("<script>var data = '{escaped}';</script>"), [Some("ann"), Some("bob")]),
            (format!("{{\"player_one\": \"ann\", \"playback_string\": \"{STRING}\"}}"), [Some("ann"), None]),
            (format!("metadata=1\ndata=x\ndata={STRING}"), [None; 2]),
        ] {
            let saved = SavedGame::find(&file);
            assert_eq!((saved.playback, saved.players), (STRING, players), "{file}");
        }
    }

    #[test]
    fn a_flaw_is_where_it_is_in_the_file() {
        let file = format!("game_id=1\n  playback_string={STRING}");
        let flaw = SavedGame::find(&file).in_file(Flaw::new("x").at(1, 3));
        assert_eq!(flaw.place.map(|place| (place.line, place.column)), Some((2, 21)));
    }
}
