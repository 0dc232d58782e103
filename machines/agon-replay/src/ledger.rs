//! What the faults in a replay say, held against its turns and its footer.

use agon_core::{Failure, Seat};
use agon_referee::{FaultRecord, MatchEvent, PlyRecord};

/// The fault of each seat. A seat fails once, and from then on every turn of it must say so.
#[derive(Debug)]
pub(crate) struct Ledger {
    seats: Vec<Option<Account>>,
    /// Whether the line of play was changed: a turn that told the rules of a fault may be gone.
    changed: bool,
}

#[derive(Debug)]
struct Account {
    record: FaultRecord,
    /// Whether a turn has told the rules of it.
    counted: bool,
}

impl Ledger {
    pub(crate) fn new(seats: usize) -> Self {
        Self { seats: (0..seats).map(|_| None).collect(), changed: false }
    }

    /// Takes in what happened.
    ///
    /// # Errors
    /// What contradicts what was said before, a lower-case fragment.
    pub(crate) fn add(&mut self, event: &MatchEvent) -> Result<(), String> {
        match event {
            MatchEvent::Fault(record) => self.fault(record),
            MatchEvent::Ply(record) => self.turn(record),
            MatchEvent::Rewound { .. } | MatchEvent::Edited { .. } => {
                self.changed = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn fault(&mut self, record: &FaultRecord) -> Result<(), String> {
        match self.seats.get_mut(record.seat.index()) {
            None => Err(format!("a fault of seat {}, which there is not", record.seat)),
            Some(Some(_)) => Err(format!("seat {} has failed twice", record.seat)),
            Some(account) => {
                *account = Some(Account { record: record.clone(), counted: false });
                Ok(())
            }
        }
    }

    fn turn(&mut self, record: &PlyRecord) -> Result<(), String> {
        for entry in &record.entries {
            // Matches that were recorded by others come without faults.
            let Some(Some(account)) = self.seats.get_mut(entry.seat.index()) else { continue };
            let fault = account.record.fault.failure();
            let agrees = match (entry.failure, account.counted) {
                // It had decided before it failed in the same turn.
                (None, false) => account.record.ply == record.ply,
                (None, true) => false,
                (Some(failure), true) => failure == Failure::Gone,
                (Some(Failure::Gone), false) if self.changed => true,
                // An unlawful order came before whatever broke the bot down.
                (Some(failure), false) => failure == fault || (!failure.is_breakdown() && fault.is_breakdown()),
            };
            account.counted |= entry.failure.is_some();
            if !agrees {
                return Err(format!("turn {} does not go with the fault of seat {}", record.ply, entry.seat));
            }
        }
        Ok(())
    }

    /// Whether this seat has failed.
    pub(crate) fn has_failed(&self, seat: Seat) -> bool {
        self.seats.get(seat.index()).is_some_and(Option::is_some)
    }
}
