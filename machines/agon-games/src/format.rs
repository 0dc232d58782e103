//! Formats of other programs for recorded matches, in one table.

mod grid;
mod planet_wars;
mod portals;
mod saved_game;

use agon_core::Flaw;
use agon_replay::Replay;

/// A format of another program. Agon writes replays of a game in it, and may read them back.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name of the game.
    pub game: &'static str,
    /// The name of the format on the command line, for example `playback`.
    pub name: &'static str,
    /// A short sentence that says what the format is.
    pub about: &'static str,
    /// The usual ending of its files, without the dot.
    pub ending: &'static str,
    /// Writes a replay in this format.
    pub export: fn(&Replay) -> Result<Vec<u8>, Flaw>,
    /// Reads this format. `None` if a file does not hold enough to play the match again.
    pub import: Option<Import>,
}

/// A function that reads a recorded match under the given rule set. Without one it takes the first that reproduces the
/// record.
pub type Import = fn(&[u8], Option<&str>) -> Result<Replay, Flaw>;

/// Every format of every game.
static FORMATS: &[Format] = &[planet_wars::PLAYBACK, grid::TEXT, portals::DUMP, portals::REPLAY];

/// Returns the formats of one game. The table must list them next to each other.
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
            assert!(!games[..i].contains(game), "the formats of {game} are not next to each other");
            assert!(crate::find(game).is_some(), "{game} is not a game");
            let names: Vec<_> = of(game).iter().map(|f| f.name).collect();
            assert!(names.iter().enumerate().all(|(i, n)| !names[..i].contains(n)), "{names:?}");
        }
        assert!(of("no such game").is_empty());
    }
}
