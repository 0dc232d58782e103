//! Checks the faults in a replay against its turns and its footer.

use agon_core::{Failure, Seat};
use agon_referee::{FaultRecord, MatchEvent, PlyRecord};

/// The fault of each seat. A seat fails only once in a line of play, and all its later turns must show the failure.
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
            MatchEvent::Rewound { ply, .. } => {
                self.take_back(*ply);
                Ok(())
            }
            MatchEvent::Edited { .. } => {
                self.take_back(0);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes back the turns after `ply`. A referee lets a seat that has failed in one of them fail again at its next turn; in
    /// a console it may decide again.
    fn take_back(&mut self, ply: u32) {
        self.changed = true;
        for account in &mut self.seats {
            if account.as_ref().is_some_and(|account| account.record.ply > ply) {
                *account = None;
            }
        }
    }

    fn fault(&mut self, record: &FaultRecord) -> Result<(), String> {
        match self.seats.get_mut(record.seat.index()) {
            None => Err(format!("a fault names seat {}, but the match has no such seat", record.seat)),
            Some(Some(_)) => Err(format!(
                "seat {} has a fault, but it has failed before and that turn was not taken back",
                record.seat
            )),
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

#[cfg(test)]
mod tests {
    use super::*;
    use agon_referee::{EntryRecord, Fault, Mark};

    fn fault(ply: u32) -> MatchEvent {
        let late = Fault::Late { limit_us: 1, heard: 0, unread: false, time: None };
        MatchEvent::Fault(FaultRecord { seat: Seat::new(0), ply, round: None, fault: late })
    }

    fn turn(ply: u32, failure: Option<Failure>) -> MatchEvent {
        let entries = vec![EntryRecord { failure, ..EntryRecord::new(Seat::new(0)) }];
        MatchEvent::Ply(PlyRecord { ply, entries, ..PlyRecord::default() })
    }

    #[test]
    fn a_seat_fails_again_only_if_its_turn_was_taken_back() {
        let (late, back) = (Some(Failure::Late), |ply| MatchEvent::Rewound { ply, fingerprint: Mark::default() });
        let edited = MatchEvent::Edited { map: String::new(), state: Default::default(), fingerprint: Mark::default() };
        for (then, stands) in [
            (vec![fault(4)], false),
            (vec![turn(4, None)], false),
            (vec![back(3), fault(4)], false),
            (vec![back(3), turn(4, None)], false),
            (vec![back(2), turn(3, None), fault(4), turn(4, late)], true),
            (vec![back(2), turn(3, Some(Failure::Gone))], true),
            (vec![back(2), fault(3), fault(3)], false),
            (vec![edited, turn(1, None), fault(2)], true),
        ] {
            let mut ledger = Ledger::new(1);
            let before = [turn(1, None), turn(2, None), fault(3), turn(3, late)];
            before.iter().for_each(|event| ledger.add(event).expect("it is whole"));
            let whole = then.iter().try_for_each(|event| ledger.add(event));
            assert_eq!(whole.is_ok(), stands, "{then:?}: {whole:?}");
        }
    }
}
