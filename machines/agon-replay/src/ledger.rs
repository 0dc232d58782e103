//! Checks the faults in a replay against its turns and its footer.

use agon_core::{Failure, Seat};
use agon_referee::{FaultRecord, MatchEvent, PlyRecord};

/// The fault of each seat. A seat fails only once, and all its later turns must show the failure.
#[derive(Debug)]
pub(crate) struct Ledger {
    seats: Vec<Option<Account>>,
    /// Whether turns were taken back or the position was edited. The turn in which a fault counted may then be gone.
    changed: bool,
}

/// The fault of one seat.
#[derive(Debug)]
struct Account {
    record: FaultRecord,
    /// Whether the fault has counted as a failure in a turn.
    counted: bool,
}

impl Ledger {
    pub(crate) fn new(seats: usize) -> Self {
        Self { seats: (0..seats).map(|_| None).collect(), changed: false }
    }

    /// Adds an event.
    ///
    /// # Errors
    /// Says how the event contradicts earlier ones, as a lower-case fragment.
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
            None => Err(format!("a fault names seat {}, but the match has no such seat", record.seat)),
            Some(Some(_)) => Err(format!("seat {} has two faults, but a seat can only fail once", record.seat)),
            Some(account) => {
                *account = Some(Account { record: record.clone(), counted: false });
                Ok(())
            }
        }
    }

    fn turn(&mut self, record: &PlyRecord) -> Result<(), String> {
        for entry in &record.entries {
            // Matches that other programs recorded have no faults.
            let Some(Some(account)) = self.seats.get_mut(entry.seat.index()) else { continue };
            let fault = account.record.fault.failure();
            let agrees = match (entry.failure, account.counted) {
                // The seat decided before it failed in the same turn.
                (None, false) => account.record.ply == record.ply,
                (None, true) => false,
                (Some(failure), true) => failure == Failure::Gone,
                (Some(Failure::Gone), false) if self.changed => true,
                // An unlawful order came before the breakdown.
                (Some(failure), false) => failure == fault || (!failure.is_breakdown() && fault.is_breakdown()),
            };
            account.counted |= entry.failure.is_some();
            if !agrees {
                return Err(format!("turn {} contradicts the fault of seat {}", record.ply, entry.seat));
            }
        }
        Ok(())
    }

    /// Returns whether this seat has failed.
    pub(crate) fn has_failed(&self, seat: Seat) -> bool {
        self.seats.get(seat.index()).is_some_and(Option::is_some)
    }
}
