//! Lists as a store has them, in JSON that databases can read too: the plans of several matches, and the seats of a result.

use crate::{PlannedMatch, RecordedFault, RecordedRefusals, RecordedSeat};
use serde::{Deserialize, Serialize};
use serde_json::Result;

/// Number, rank, attempts, round, map, seed of the map, seed, bots, and the bits of the probability.
type Plan<'a> = (u64, u8, u32, u32, u32, u64, u64, List<'a>, Option<u64>);

/// Version, score, place, decisions, sum of times, longest time, the fault, and what was refused. The last is missing if
/// nothing was, and in stores of version 2.
#[derive(Serialize, Deserialize)]
struct Seat(
    u32,
    i64,
    u32,
    u64,
    u64,
    u64,
    Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<Refusals>,
);

/// Kind, turn, reason, and cause. The last is missing if it is not known, and in stores of version 2.
#[derive(Serialize, Deserialize)]
struct Fault(String, u32, String, #[serde(default, skip_serializing_if = "Option::is_none")] Option<String>);

/// The number of refused commands, that of all commands, and the most frequent reasons.
type Refusals = (u64, u64, Vec<(String, u64)>);

/// A list that is borrowed to be written and owned after it was read.
type List<'a> = std::borrow::Cow<'a, [u32]>;

/// Returns the text of the plans of matches, each with the number of its attempts.
///
/// # Errors
/// Never: every list has a text.
pub fn of_plans<'a>(plans: impl Iterator<Item = (&'a PlannedMatch, u32)>) -> Result<String> {
    let plan = |(planned, attempts): (&'a PlannedMatch, u32)| -> Plan<'a> {
        let PlannedMatch { id, round, map, map_seed, seed, bots, probability, rank } = planned;
        let bots = bots.as_slice().into();
        (*id, *rank, attempts, *round, *map, *map_seed, *seed, bots, probability.map(f64::to_bits))
    };
    serde_json::to_string(&plans.map(plan).collect::<Vec<_>>())
}

/// Reads what [`of_plans`] has written.
///
/// # Errors
/// If the text is not such a list.
pub fn plans(text: &str) -> Result<Vec<(PlannedMatch, u32)>> {
    let plan = |plan: Plan<'_>| {
        let (id, rank, attempts, round, map, map_seed, seed, bots, probability) = plan;
        let (bots, probability) = (bots.into_owned(), probability.map(f64::from_bits));
        (PlannedMatch { id, round, map, map_seed, seed, bots, probability, rank }, attempts)
    };
    Ok(serde_json::from_str::<Vec<Plan<'_>>>(text)?.into_iter().map(plan).collect())
}

/// Returns the text of the seats of a result.
///
/// # Errors
/// Never: every list has a text.
pub fn of_seats(seats: &[RecordedSeat]) -> Result<String> {
    let seat = |seat: &RecordedSeat| -> Seat {
        let RecordedSeat { version, score, place, fault, refused, decisions, time_us, max_us } = seat;
        let fault = fault
            .as_ref()
            .map(|RecordedFault { kind, ply, text, cause }| Fault(kind.clone(), *ply, text.clone(), cause.clone()));
        let RecordedRefusals { count, of, top } = refused;
        let refused = (*refused != RecordedRefusals::default()).then(|| (*count, *of, top.clone()));
        Seat(*version, *score, *place, *decisions, *time_us, *max_us, fault, refused)
    };
    serde_json::to_string(&seats.iter().map(seat).collect::<Vec<_>>())
}

/// Reads what [`of_seats`] has written.
///
/// # Errors
/// If the text is not such a list.
pub fn seats(text: &str) -> Result<Vec<RecordedSeat>> {
    let seat = |seat: Seat| {
        let Seat(version, score, place, decisions, time_us, max_us, fault, refused) = seat;
        let fault = fault.map(|Fault(kind, ply, text, cause)| RecordedFault { kind, ply, text, cause });
        let refused = refused.map(|(count, of, top)| RecordedRefusals { count, of, top }).unwrap_or_default();
        RecordedSeat { version, score, place, fault, refused, decisions, time_us, max_us }
    };
    Ok(serde_json::from_str::<Vec<Seat>>(text)?.into_iter().map(seat).collect())
}
