//! Changes of the position from outside the rules: undo and edit.

use crate::{
    AnyReferee, Denial, Do, Mark, MatchEvent, TypedReferee,
    referee::Stage,
    seat_state::{Decider, Phase, SeatState},
};
use agon_core::{Contest, State};

/// A requested change of the position. It waits until the processes that are thinking have answered.
pub(crate) enum Change {
    /// Takes this many turns back.
    Undo(usize),
    /// Continues from this map file.
    Edit(Vec<u8>),
}

impl<C: Contest> TypedReferee<C> {
    /// Requests a change of the position. It replaces a change that is still waiting.
    pub(crate) fn want(&mut self, change: Change) {
        if matches!(change, Change::Undo(_)) && !self.settings.undo {
            self.put(Do::Deny { seat: None, why: Denial::NoUndo });
        } else {
            self.change = Some(change);
        }
    }

    /// Applies a requested change, unless a process is still about to answer. Its answer would otherwise count for
    /// another question. Returns `true` if the request was applied or denied.
    pub(crate) fn apply_change(&mut self) -> bool {
        let answering = |state: &SeatState<C>| {
            matches!(state.decider, Decider::Process(_)) && matches!(state.phase, Phase::Asked | Phase::Decided)
        };
        if !matches!(self.stage, Stage::Between | Stage::Asking) || self.seats.iter().any(answering) {
            return false;
        }
        let Some(change) = self.change.take() else { return false };
        self.record_kept();
        let event = match change {
            Change::Undo(plies) => {
                let keep = self.history.len().saturating_sub(plies);
                if let Some(position) = self.history.drain(keep..).next() {
                    self.position = position;
                    self.plies = keep as u32;
                }
                MatchEvent::Rewound { ply: self.plies, fingerprint: Mark(self.position.fingerprint()) }
            }
            Change::Edit(map) => {
                let edited =
                    C::parse_map(&map).and_then(|map| C::from_map(map, &self.terms).map_err(|flawed| flawed.flaw));
                match edited {
                    Ok(position) => self.position = position,
                    Err(flaw) => {
                        self.put(Do::Deny { seat: None, why: Denial::Map(flaw) });
                        return true;
                    }
                }
                self.plies = 0;
                self.history.clear();
                MatchEvent::Edited {
                    map: self.map(),
                    state: State::default(),
                    fingerprint: Mark(self.position.fingerprint()),
                }
            }
        };
        for state in &mut self.seats {
            state.clock.cancel();
            state.clear();
            if let Decider::Process(wire) = &mut state.decider {
                wire.dialogue.reposition();
            }
        }
        self.stage = Stage::Between;
        self.record(event);
        true
    }
}
