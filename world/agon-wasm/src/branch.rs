//! Other turns than the recorded ones, played by hand from a recorded position.

use crate::engine::Failed;
use agon_core::{Seat, Seats};
use agon_referee::{Branch, Decision, JsonList, Step};
use serde::Deserialize;

/// The decision of a seat, as the page writes it.
#[derive(Deserialize)]
struct Written {
    seat: Seat,
    orders: JsonList,
}

/// Reads the decisions of a turn. An awaited seat without a decision gives no orders.
///
/// # Errors
/// Says why they cannot be read, or which seat does not decide now.
pub(crate) fn decisions(text: &[u8], awaited: Seats) -> Result<Vec<Decision>, Failed> {
    let wrong = |why: String| Failed { why, line: None };
    let mut written: Vec<Written> =
        serde_json::from_slice(text).map_err(|why| wrong(format!("the decisions cannot be read: {why}")))?;
    if let Some(stranger) = written.iter().find(|decision| !awaited.contains(decision.seat)) {
        return Err(wrong(format!("seat {} does not decide now", stranger.seat)));
    }
    let mut orders_of = |seat: Seat| {
        let found = written.iter_mut().find(|decision| decision.seat == seat);
        found.map(|decision| std::mem::take(&mut decision.orders)).unwrap_or_default()
    };
    Ok(awaited.iter().map(|seat| Decision { seat, orders: orders_of(seat), failure: None }).collect())
}

/// Plays a turn on the branch. `text` is a JSON list of objects with `seat` and `orders`. Calls `show` for each part of the
/// turn. Returns in words which orders were refused, as a viewer with the eyes of a seat learns it.
///
/// # Errors
/// Says why the turn cannot be played.
pub(crate) fn apply(
    branch: &mut Branch,
    text: &[u8],
    eyes: Option<Seat>,
    show: &mut dyn FnMut(&Step<'_>),
) -> Result<Vec<String>, Failed> {
    let decisions = decisions(text, branch.board().awaiting())?;
    let turn = branch.apply_in_steps(&decisions, show).map_err(|why| Failed { why: why.to_string(), line: None })?;
    let told = turn.refused.iter().filter(|refused| eyes.is_none_or(|eyes| eyes == refused.seat));
    Ok(told.map(|refused| format!("seat {}: {}", refused.seat, refused.why)).collect())
}
