//! Turns that are recorded only if a bot fails. Keeping a decision costs much less than writing it as JSON.

use crate::{EntryRecord, Mark, MatchEvent, PlyRecord, TypedReferee, ply::entry_record, timekeeper::Spent};
use agon_core::{Contest, Entry, Joint, MAX_SEATS, Seat, Seats, judge};
use agon_spec::RefusedRecord;
use core::{mem::take, time::Duration};

/// The most bytes that the kept turns of a match take. Bots decide how many orders they give, and the record of a turn goes to
/// where there are limits.
const MOST: usize = 8 << 20;

/// The decisions of all turns so far. No bot has failed in them.
pub(crate) struct KeptTurns<C: Contest> {
    /// The position before the first turn. The others follow from it and the decisions.
    start: C,
    /// The decisions, turn by turn.
    decisions: Vec<Decision>,
    /// The orders of all decisions.
    orders: Vec<C::Order>,
    /// The bytes that refused commands take.
    refused: usize,
}

/// One seat's part in a turn.
struct Decision {
    ply: u32,
    seat: Seat,
    /// The number of orders.
    orders: usize,
    spent: Spent,
    off_turn: Duration,
    /// The commands that the dialogue refused.
    refused: Vec<RefusedRecord>,
}

impl<C: Contest> KeptTurns<C> {
    pub(crate) fn new(start: C) -> Self {
        Self { start, decisions: Vec::new(), orders: Vec::new(), refused: 0 }
    }

    fn bytes(&self) -> usize {
        size_of::<Decision>() * self.decisions.len() + size_of::<C::Order>() * self.orders.len() + self.refused
    }
}

impl<C: Contest> TypedReferee<C> {
    /// Keeps the turn that has just ended.
    pub(crate) fn keep(&mut self, awaiting: Seats) {
        let Some(kept) = &mut self.kept else { return };
        for seat in awaiting.iter() {
            let state = &mut self.seats[seat.index()];
            let refused = state.refused_commands();
            kept.refused += refused.iter().map(RefusedRecord::weight).sum::<usize>();
            kept.orders.extend_from_slice(&state.orders);
            kept.decisions.push(Decision {
                ply: self.plies,
                seat,
                orders: state.orders.len(),
                spent: state.spent,
                off_turn: take(&mut state.off_turn),
                refused,
            });
        }
        if kept.bytes() > MOST {
            self.record_kept();
        }
    }

    /// Records the kept turns. From now on every turn is recorded as it ends.
    pub(crate) fn record_kept(&mut self) {
        let Some(KeptTurns { start: mut position, mut decisions, orders, .. }) = self.kept.take() else { return };
        let mut orders = &orders[..];
        for turn in decisions.chunk_by_mut(|one, next| one.ply == next.ply) {
            let round = position.round();
            let mut judged = [Entry { seat: Seat::new(0), orders: &[][..], failure: None }; MAX_SEATS];
            let mut entries = Vec::with_capacity(turn.len());
            for (Decision { seat, orders: count, spent, off_turn, refused, .. }, place) in
                turn.iter_mut().zip(&mut judged)
            {
                let (own, rest) = orders.split_at(*count);
                orders = rest;
                let (entry, refusal) = judge(&position, *seat, own, None, &mut self.scratch);
                *place = entry;
                let record = entry_record::<C>(*seat, own, (entry.failure, refusal), spent, *off_turn);
                entries.push(EntryRecord { refused: take(refused), ..record });
            }
            position.resolve(Joint::new(&judged[..turn.len()]), &mut self.scratch, &mut ());
            self.record(MatchEvent::Ply(PlyRecord {
                ply: turn[0].ply,
                round,
                entries,
                fingerprint: Mark(position.fingerprint()),
                ..PlyRecord::default()
            }));
        }
    }
}
