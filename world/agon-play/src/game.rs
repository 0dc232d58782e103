//! Games and their clocks, by the names that users write.

use agon_core::{ClockPolicy, Flaw};
use agon_games::AnyGame;

/// There is no game of this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no game `{name}`")]
pub struct NoGame {
    /// The name that was asked for, shortened.
    pub name: String,
    /// The game with the most similar name, if one is similar.
    pub nearest: Option<&'static str>,
}

impl NoGame {
    /// Returns a hint on how to fix the problem.
    #[must_use]
    pub fn hint(&self) -> String {
        match self.nearest {
            Some(near) => format!("did you mean `{near}`? `agon games` lists all games"),
            None if self.name.starts_with('@') || self.name.contains([' ', '/']) => {
                "the name of the game comes first, and then the bots".to_owned()
            }
            None => format!("the games are: {}", joined(agon_games::all().iter().map(|game| game.name()))),
        }
    }
}

/// Finds the game of this name.
///
/// # Errors
/// If there is no such game.
pub fn find_game(name: &str) -> Result<&'static dyn AnyGame, NoGame> {
    agon_games::find(name).ok_or_else(|| NoGame {
        name: agon_core::text::cut(name, 40),
        nearest: nearest(name, agon_games::all().iter().map(|game| game.name())),
    })
}

/// Parses a clock. The text is a list of parts that change `base`, or the name of a clock of the game and then parts
/// that change that clock.
///
/// # Errors
/// If a part is unknown, a value is not a time, or a limit is zero.
pub fn parse_clock(game: &dyn AnyGame, base: ClockPolicy, text: &str) -> Result<ClockPolicy, Flaw> {
    let named = game.info().clocks;
    let (first, rest) = text.split_once(',').unwrap_or((text, ""));
    let (base, parts) = match named.iter().find(|(name, _)| *name == first.trim()) {
        Some((_, clock)) => (*clock, rest),
        None => (base, text),
    };
    let clock = base.amended(parts).map_err(|mut flaw: Flaw| {
        if !named.is_empty() {
            let names = joined(named.iter().map(|(name, _)| *name));
            flaw.hint = Some(match flaw.hint {
                Some(hint) => format!("{hint}; the clocks are: {names}").into(),
                None => format!("the clocks are: {names}").into(),
            });
        }
        flaw
    })?;
    for (part, limit) in [("move", clock.hard), ("greeting", clock.greeting), ("bank", clock.bank)] {
        if limit.is_some_and(|limit| limit.is_zero()) {
            return Err(Flaw::new(format!("`{part}=0s`: the limit must be longer than zero"))
                .hint(format!("`{part}=off` removes the limit")));
        }
    }
    Ok(clock)
}

/// Describes the number of bots that a game takes, as in `2` or `2 to 4`.
#[must_use]
pub fn seat_range(game: &dyn AnyGame) -> String {
    let (least, most) = game.info().seats.clone().into_inner();
    if least == most { format!("{least}") } else { format!("{least} to {most}") }
}

/// Joins names with commas: `a, b, c`.
pub(crate) fn joined(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    names.map(|name| name.as_ref().to_owned()).collect::<Vec<_>>().join(", ")
}

/// Finds the known name that is closest to `name`. The two differ by at most two letters.
#[must_use]
pub fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let name: String = name.chars().take(64).collect::<String>().to_lowercase().replace(['_', ' '], "-");
    known.map(|k| (strsim::levenshtein(&name, k), k)).filter(|(d, _)| *d <= 2).min().map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_recognised() {
        let games = || ["lighthouses", "planet-wars", "grid"].into_iter();
        assert_eq!(nearest("planet_wars", games()), Some("planet-wars"));
        assert_eq!(nearest("Lighthouse", games()), Some("lighthouses"));
        assert_eq!(nearest("chess", games()), None);
        assert_eq!(find_game("chess").err().and_then(|why| why.nearest), None);
        for bot in ["@random", "./bot", "python3 bot.py"] {
            assert!(find_game(bot).err().is_some_and(|why| why.hint().contains("the game comes first")), "{bot}");
        }
        assert_eq!(find_game("gridd").err().and_then(|why| why.nearest), Some("grid"));
    }

    #[test]
    fn a_clock_that_leaves_no_time_is_refused() {
        let game = find_game("grid").expect("it is a game");
        for text in
            ["move=0s", "greeting=0ms", "bank=0s", "bank=0s,increment=1s", "off,bank=0us,first=+2s", "move=0.0001ms"]
        {
            let flaw = parse_clock(game, game.info().clock, text).expect_err(text);
            let part = text.trim_start_matches("off,").split('=').next().expect("a part");
            assert!(flaw.what.starts_with(&format!("`{part}=0s`")), "{text}: {flaw}");
        }
        let clock = parse_clock(game, game.info().clock, "move=250ms").expect("a clock");
        assert_eq!(clock.hard, Some(std::time::Duration::from_millis(250)));
    }
}
