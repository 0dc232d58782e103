//! Words for people about a game: its name, its clock and its number of seats.

use crate::error::Result;
use agon_core::ClockPolicy;
use agon_games::AnyGame;
pub use agon_play::seat_range;

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

/// Joins names for a message: `a, b, c`.
pub fn list(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
