//! Formats of other programs for recorded matches: one table, a line a format.

mod grid;
mod planet_wars;
mod portals;

use agon_core::Flaw;
use agon_replay::Replay;

/// One format that replays of a game can be written in, and perhaps read from.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The game whose format it is.
    pub game: &'static str,
    /// As written on the command line, as `playback`.
    pub name: &'static str,
    /// What it is, a short sentence.
    pub about: &'static str,
    /// The usual ending of its files, without the dot.
    pub ending: &'static str,
    /// Writes a replay in it.
    pub export: fn(&Replay) -> Result<Vec<u8>, Flaw>,
    /// Reads it; `None` if it does not hold enough to play the match again.
    pub import: Option<Import>,
}

/// Reads a recorded match, by the rule set that is given, or by the first that explains it.
pub type Import = fn(&[u8], Option<&str>) -> Result<Replay, Flaw>;

/// Every format of every game.
static FORMATS: &[Format] = &[planet_wars::PLAYBACK, grid::TEXT, portals::DUMP, portals::REPLAY];

/// The formats of one game, which stand side by side in the table.
pub(crate) fn of(game: &str) -> &'static [Format] {
    let first = FORMATS.iter().position(|f| f.game == game).unwrap_or(FORMATS.len());
    let count = FORMATS[first..].iter().take_while(|f| f.game == game).count();
    &FORMATS[first..first + count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_of_a_game_stand_side_by_side_under_unique_names() {
        let games: Vec<_> = FORMATS.chunk_by(|a, b| a.game == b.game).map(|run| run[0].game).collect();
        for (i, game) in games.iter().enumerate() {
            assert!(!games[..i].contains(game), "{game} stands twice");
            assert!(crate::find(game).is_some(), "{game} is no game");
            let names: Vec<_> = of(game).iter().map(|f| f.name).collect();
            assert!(names.iter().enumerate().all(|(i, n)| !names[..i].contains(n)), "{names:?}");
        }
        assert!(of("no such game").is_empty());
    }
}
