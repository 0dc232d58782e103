//! What happened in a turn, in words: what the rules tell, and what they do not know of.

use agon_core::{Incident, Key, Seat, Standing, Weight};
use agon_referee::{EntryRecord, FaultRecord};

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
}

impl Told {
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
