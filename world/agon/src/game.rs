//! What is said of a game in words.

use crate::error::Result;
use agon_core::ClockPolicy;
use agon_games::AnyGame;

/// The game of this name.
///
/// # Errors
/// There is none; with the names that there are, the nearest first.
pub fn find(name: &str) -> Result<&'static dyn AnyGame> {
    Ok(agon_play::find_game(name).map_err(agon_play::Error::from)?)
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
    let (least, most) = game.info().seats.clone().into_inner();
    if least == most { format!("{least}") } else { format!("{least} to {most}") }
}

/// `a, b, c`.
pub fn list(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
