//! Finding what a user named: games, rule sets, clocks, options of a seat.

use crate::{
    clean::{clean, cut},
    error::{Error, Result},
};
use agon_core::{ClockPolicy, Flaw};
use agon_games::AnyGame;

/// The game of this name.
///
/// # Errors
/// There is none; with the names that there are, the nearest first.
pub fn find(name: &str) -> Result<&'static dyn AnyGame> {
    agon_games::find(name).ok_or_else(|| {
        let error = Error::user(format!("there is no game `{}`", clean(&cut(name, 40))));
        match nearest(name, agon_games::all().iter().map(|g| g.name())) {
            Some(near) => error.hint(format!("did you mean `{near}`? `agon games` lists all")),
            None => error.hint(format!("there are: {}", list(agon_games::all().iter().map(|g| g.name().to_owned())))),
        }
    })
}

/// The built-in bot of this name; errors write names with `sign` before them.
///
/// # Errors
/// There is none; with the nearest name, or all of them.
pub fn builtin(game: &dyn AnyGame, name: &str, sign: &str) -> Result<&'static str> {
    if let Some(bot) = game.bots().iter().find(|b| b.name == name) {
        return Ok(bot.name);
    }
    let error = Error::user(format!("{} has no built-in bot `{sign}{}`", game.title(), clean(&cut(name, 40))));
    let all = list(game.bots().iter().map(|b| format!("{sign}{}", b.name)));
    Err(match nearest(name, game.bots().iter().map(|b| b.name)) {
        Some(near) => error.hint(format!("did you mean `{sign}{near}`? there are: {all}")),
        None => error.hint(format!("there are: {all}")),
    })
}

/// Reads `--time`: parts of a clock on top of `base`, or the name of a clock of the game, then parts.
///
/// # Errors
/// An unknown part or a text that is not a time.
pub fn clock(game: &dyn AnyGame, base: ClockPolicy, text: &str) -> Result<ClockPolicy> {
    let named = game.clocks();
    let (first, rest) = text.split_once(',').unwrap_or((text, ""));
    let (base, parts) = match named.iter().find(|(name, _)| *name == first.trim()) {
        Some((_, clock)) => (*clock, rest),
        None => (base, text),
    };
    let clock = base.amended(parts).map_err(|mut flaw: Flaw| {
        flaw.what = clean(&flaw.what);
        if !named.is_empty() {
            let names = list(named.iter().map(|(name, _)| (*name).to_owned()));
            flaw.hint = Some(match flaw.hint {
                Some(hint) => format!("{hint}; or the name of a clock: {names}"),
                None => format!("names of clocks: {names}"),
            });
        }
        Error::from(flaw)
    })?;
    for (part, limit) in [("move", clock.hard), ("greeting", clock.greeting)] {
        if limit.is_some_and(|limit| limit.is_zero()) {
            return Err(Error::user(format!("`{part}=0s`: nothing is answered in no time"))
                .hint(format!("`{part}=off` is no limit")));
        }
    }
    Ok(clock)
}

/// A clock for people: that everything not named is off need not be said, nor what would count without a limit.
pub fn print_clock(clock: &ClockPolicy) -> String {
    if clock.is_off() {
        return "off".to_owned();
    }
    let text = clock.to_string();
    text.strip_prefix("off,").unwrap_or(&text).to_owned()
}

/// How many bots a game takes, in words.
pub fn seat_range(game: &dyn AnyGame) -> String {
    let (least, most) = game.seats().into_inner();
    if least == most { format!("{least}") } else { format!("{least} to {most}") }
}

/// `a, b, c`.
pub fn list(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The known name that differs from `name` by at most two letters.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name: String = name.chars().take(64).collect::<String>().to_lowercase().replace(['_', ' '], "-");
    known.map(|k| (distance(&name, k), k)).filter(|(d, _)| *d <= 2).min().map(|(_, k)| k)
}

/// Insertions, deletions and replacements of letters between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
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
        assert_eq!(distance("", "abc"), 3);
    }
}
