//! Words for people about a game: its name, its clock and its number of seats.

use crate::error::Result;
use agon_core::ClockPolicy;
use agon_games::AnyGame;

/// Returns the game with this name.
///
/// # Errors
/// No game has this name. The error lists the names, the nearest first.
pub fn find(name: &str) -> Result<&'static dyn AnyGame> {
    Ok(agon_play::find_game(name).map_err(agon_play::Error::from)?)
}

/// Returns a clock for people. It leaves out `off`, because everything that is not named is off.
pub fn print_clock(clock: &ClockPolicy) -> String {
    if clock.is_off() {
        return "off".to_owned();
    }
    let text = clock.to_string();
    text.strip_prefix("off,").unwrap_or(&text).to_owned()
}

/// Returns the number of bots that a game takes, for example `2 to 4`.
pub fn seat_range(game: &dyn AnyGame) -> String {
    let (least, most) = game.info().seats.clone().into_inner();
    if least == most { format!("{least}") } else { format!("{least} to {most}") }
}

/// Joins names for a message: `a, b, c`.
pub fn list(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
