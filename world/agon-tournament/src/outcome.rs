//! What the schedule needs to know of a result.

use agon_store::{Ending, RecordedResult, StoredMatch};
use agon_tourney::{Outcome, SeatResult};

/// The reason of a match that was not played because one of its bots was withdrawn. The schedule knows of it already.
pub(crate) const WITHDRAWN: &str = "withdrawn";

/// Returns whether a match counts as not played, because one of its bots was withdrawn before it in the schedule.
pub(crate) fn is_left_out(result: &RecordedResult) -> bool {
    result.ending == Ending::Void && result.reason == WITHDRAWN
}

/// Returns what the schedule needs to know of a match. `None` if it is still to be played, or not played for good.
pub(crate) fn of_match(stored: &StoredMatch) -> Option<Outcome> {
    let result = stored.result.as_ref()?;
    match result.ending {
        Ending::Void if is_left_out(result) => None,
        // A match that was declared void after it was played: the amendment says that it does not count.
        Ending::Void if result.seats.is_empty() => Some(Outcome::Void),
        _ => Some(of_result(result)),
    }
}

pub(crate) fn of_result(result: &RecordedResult) -> Outcome {
    if result.seats.is_empty() {
        return Outcome::NoResult;
    }
    let seat = |seat: &agon_store::RecordedSeat| SeatResult {
        place: u8::try_from(seat.place).unwrap_or(SeatResult::WORST_PLACE).min(SeatResult::WORST_PLACE),
        score: seat.score,
        fault: seat.fault.is_some(),
    };
    Outcome::Finished(result.seats.iter().map(seat).collect())
}
