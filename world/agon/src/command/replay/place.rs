//! The place in a recorded match that a command is about: a turn, and the seat through whose eyes one looks.

use crate::error::{Error, Result};
use agon_core::Seat;
use clap::{Args, builder::RangedI64ValueParser, value_parser};

/// The turn whose board is drawn.
#[derive(Args, Clone, Copy, Debug)]
pub struct Ply {
    /// Draw the board after this turn; 0 is the start. The default is the last turn.
    #[arg(long, visible_alias = "turn", value_name = "N", value_parser = ply(), allow_negative_numbers = true)]
    pub ply: Option<u32>,
}

/// Parses the number of a turn. 0 is the start.
pub fn ply() -> RangedI64ValueParser<u32> {
    value_parser!(u32).range(0..)
}

/// Parses the number of a seat, counted from 1. A match may have fewer seats: [`seat_of`] checks that.
pub fn seat() -> RangedI64ValueParser<u8> {
    value_parser!(u8).range(1..=32)
}

/// Returns the seat with this number in a match of `seats` seats.
///
/// # Errors
/// The match has fewer seats.
pub fn seat_of(number: u8, seats: usize) -> Result<Seat> {
    Seat::from_number(number).filter(|seat| seat.index() < seats).ok_or_else(|| {
        Error::user(format!("this match has no seat {number}")).hint(format!("it has the seats 1 to {seats}"))
    })
}
