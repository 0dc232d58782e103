//! What happened in a turn, in words: what the rules tell, and what they do not know of.

use crate::timeline::{Change, Timeline};
use agon_core::{Incident, Key, Seat, Standing, Weight};
use agon_referee::{EntryRecord, FaultRecord, Mismatch, Rerun, Step};

/// One thing that happened in a turn.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Told {
    pub kind: &'static str,
    pub weight: Importance,
    pub seat: Option<Seat>,
    pub keys: Vec<Key>,
    pub text: String,
}

/// Why it matters. The numbers are those that the page reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Importance {
    Gain = 0,
    Loss = 1,
    Lead = 2,
    Fault = 3,
    Refusal = 4,
    Other = 5,
    Change = 6,
}

/// Plays the next turn in `rerun`, and tells what a viewer with the eyes of a seat learns of it.
///
/// # Errors
/// Fails if there is no such turn, or if the rules do not accept it.
pub(crate) fn play_on(rerun: &mut Rerun, timeline: &Timeline, eyes: Option<Seat>) -> Result<Vec<Told>, Mismatch> {
    let ply = rerun.board().plies() + 1;
    let Some(record) = timeline.play.turns.get(ply as usize - 1) else { return Err(Mismatch::AfterTheEnd { ply }) };
    let mut told: Vec<Told> = timeline.changes.iter().filter(|change| change.ply == ply).map(Told::change).collect();
    let before = rerun.board().standing();
    let mut show = |step: &Step<'_>| told.extend(step.incidents(eyes).into_iter().map(Told::incident));
    rerun.follow(record, Some(&mut show))?;
    // A viewer that does not know all scores does not learn who leads.
    let mut known = Vec::new();
    for seat in (0..timeline.play.spec.seats.len()).map(Seat::new) {
        rerun.board().measure(eyes, seat, &mut known);
    }
    if known.iter().all(|number| !number.is_nan()) {
        told.extend(Told::lead(&before, &rerun.board().standing()));
    }
    let mine = |seat: Seat| eyes.is_none_or(|eyes| eyes == seat);
    told.extend(timeline.faults.iter().filter(|f| f.ply == ply && mine(f.seat)).map(Told::fault));
    told.extend(record.entries.iter().filter(|entry| mine(entry.seat)).flat_map(Told::refusals));
    Ok(told)
}

/// The order in which incidents win where a turn gets one mark.
const WEIGHTS: [Importance; 6] =
    [Importance::Gain, Importance::Loss, Importance::Lead, Importance::Change, Importance::Refusal, Importance::Fault];

/// Returns what weighs most of a turn, the first of those that weigh the same. `None` if nothing deserves a mark.
pub(crate) fn weightiest(told: Vec<Told>) -> Option<Told> {
    let weight = |one: &Told| WEIGHTS.iter().position(|weight| *weight == one.weight);
    let weighty = told.into_iter().filter(|one| weight(one).is_some());
    weighty.reduce(|best, one| if weight(&one) > weight(&best) { one } else { best })
}

impl Told {
    fn change(change: &Change) -> Self {
        Self { kind: "changed", weight: Importance::Change, seat: None, keys: Vec::new(), text: change.text.clone() }
    }

    fn new(kind: &'static str, weight: Importance, seat: Seat, text: String) -> Self {
        Self { kind, weight, seat: Some(seat), keys: Vec::new(), text }
    }

    /// Tells an incident. The viewer must be one who learns of it.
    pub(crate) fn incident(incident: Incident) -> Self {
        let Incident { kind, weight, seat, keys, text, .. } = incident;
        let weight = match weight {
            Weight::Gain => Importance::Gain,
            Weight::Loss => Importance::Loss,
            Weight::Other => Importance::Other,
        };
        Self { kind, weight, seat, keys, text }
    }

    /// Tells whether a seat now leads alone that did not before.
    pub(crate) fn lead(before: &Standing, after: &Standing) -> Option<Self> {
        let seat = leader(after).filter(|seat| leader(before) != Some(*seat))?;
        Some(Self::new("takes-lead", Importance::Lead, seat, format!("seat {seat} takes the lead")))
    }

    pub(crate) fn fault(record: &FaultRecord) -> Self {
        Self::new("fault", Importance::Fault, record.seat, format!("seat {}: {}", record.seat, record.fault))
    }

    /// Tells the orders and commands of a decision that were refused.
    pub(crate) fn refusals(entry: &EntryRecord) -> impl Iterator<Item = Self> + '_ {
        refusals(entry)
            .map(|text| Self::new("refusal", Importance::Refusal, entry.seat, format!("seat {}: {text}", entry.seat)))
    }
}

/// Returns why orders and commands of a decision were refused.
pub(crate) fn refusals(entry: &EntryRecord) -> impl Iterator<Item = String> + '_ {
    let command = |refused: &agon_spec::RefusedRecord| {
        let order = refused.order.as_ref().map_or_else(String::new, |order| format!("{}: ", order.as_str()));
        let times = if refused.times > 1 { format!(" ({} times)", refused.times) } else { String::new() };
        format!("{order}{}{times}", refused.why)
    };
    entry.refusal.iter().cloned().chain(entry.refused.iter().map(command))
}

/// Returns the seat that has the highest score alone.
fn leader(standing: &Standing) -> Option<Seat> {
    let best = standing.scores.iter().max()?;
    let mut seats = (0..standing.scores.len()).filter(|seat| standing.scores[*seat] == *best);
    let first = seats.next()?;
    seats.next().is_none().then(|| Seat::new(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Ending;

    #[test]
    fn only_who_leads_alone_takes_the_lead() {
        let told = |before: [i64; 3], after: [i64; 3]| {
            let of = |scores: [i64; 3]| Standing::by_score(scores.to_vec(), Ending::Unfinished);
            Told::lead(&of(before), &of(after)).and_then(|told| told.seat).map(Seat::number)
        };
        assert_eq!(told([0, 0, 0], [0, 2, 1]), Some(2));
        assert_eq!(told([0, 2, 1], [0, 3, 1]), None, "it led before");
        assert_eq!(told([0, 2, 1], [0, 2, 2]), None, "two are equal");
        assert_eq!(told([0, 2, 2], [5, 2, 2]), Some(1));
    }
}
