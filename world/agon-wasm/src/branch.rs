//! Other turns than the recorded ones, played by hand from a recorded position.

use crate::engine::Failed;
use agon_core::{Seat, Seats};
use agon_referee::{AnyPosition, Decision, JsonList, Step};
use serde_json::Value;

/// Reads the decisions of a turn: a JSON list of objects with `seat` and `orders`. An awaited seat without a decision gives
/// no orders.
///
/// # Errors
/// Says what is wrong with the text.
pub(crate) fn decisions(text: &[u8], awaited: Seats) -> Result<Vec<Decision>, Failed> {
    let wrong = |why: String| Failed { why, line: None };
    let read: Value =
        serde_json::from_slice(text).map_err(|why| wrong(format!("the decisions are not JSON: {why}")))?;
    let list = read.as_array().ok_or_else(|| wrong("the decisions are not a list".into()))?;
    let mut decisions: Vec<Decision> = Vec::new();
    for seat in awaited.iter() {
        let of_seat = |decision: &&Value| decision["seat"].as_u64() == Some(seat.number().into());
        let orders = match list.iter().find(of_seat) {
            Some(decision) => decision["orders"]
                .as_array()
                .ok_or_else(|| wrong(format!("seat {seat} has no list of orders")))?
                .iter()
                .collect(),
            None => JsonList::default(),
        };
        decisions.push(Decision { seat, orders, failure: None });
    }
    let stranger = list.iter().find(|decision| {
        let seat = decision["seat"].as_u64().and_then(|n| u8::try_from(n).ok()).and_then(Seat::from_number);
        !seat.is_some_and(|seat| awaited.contains(seat))
    });
    match stranger {
        Some(decision) => Err(wrong(format!("seat {} does not decide now", decision["seat"]))),
        None => Ok(decisions),
    }
}

/// Plays a turn on the branch. Calls `show` for each part of it. Returns the refused orders in words.
///
/// # Errors
/// Says why the turn cannot be played.
pub(crate) fn apply(
    position: &mut dyn AnyPosition,
    text: &[u8],
    show: &mut dyn FnMut(&Step<'_>),
) -> Result<Vec<String>, Failed> {
    let decisions = decisions(text, position.awaiting())?;
    let turn = position.apply_in_steps(&decisions, show).map_err(|why| Failed { why: why.to_string(), line: None })?;
    Ok(turn.refused.iter().map(|refused| format!("seat {}: {}", refused.seat, refused.why)).collect())
}
