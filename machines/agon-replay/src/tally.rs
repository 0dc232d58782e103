//! Collects the content of a footer while the match is played.

use crate::{Certificate, End, Footer, SeatTime};
use agon_core::{Failure, GREETING_NAME};
use agon_referee::{FaultRecord, MatchEvent, PlyRecord, Times};
use agon_spec::RefusedCount;
use std::time::Duration;

/// Collects faults, times and refused commands from the events of a match. The writer of a replay and the code that prints a result both
/// use it, so the two cannot differ.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    times: Vec<Times>,
    certificates: Vec<Certificate>,
    faults: Vec<FaultRecord>,
    refused: Vec<RefusedCount>,
    greeted_as: Vec<Option<String>>,
}

impl Tally {
    /// Adds an event. Returns the footer if the event ends the match.
    pub fn add(&mut self, event: &MatchEvent) -> Option<Footer> {
        match event {
            MatchEvent::Started { spec, .. } => {
                let seats = spec.seats.len();
                *self = Self {
                    times: vec![Times::default(); seats],
                    certificates: vec![Certificate::default(); seats],
                    faults: Vec::new(),
                    refused: vec![RefusedCount::default(); seats],
                    greeted_as: vec![None; seats],
                };
                None
            }
            MatchEvent::Ply(record) => {
                self.ply(record);
                None
            }
            MatchEvent::Fault(fault) => {
                self.fault(fault);
                None
            }
            MatchEvent::Greeted { seat, name, .. } => {
                if let Some(known) = self.greeted_as.get_mut(seat.index()) {
                    *known = name.as_ref().map(|name| name.chars().take(GREETING_NAME).collect());
                }
                None
            }
            MatchEvent::Rewound { .. } | MatchEvent::Edited { .. } => None,
            MatchEvent::Finished { standing, plies } => {
                Some(Footer { standing: Some(standing.clone()), ..self.footer(End::Finished, *plies) })
            }
            MatchEvent::Aborted { fault, spoilt, plies } => {
                // No other event names a bot that never started.
                fault.iter().for_each(|fault| self.fault(fault));
                Some(Footer { spoilt: *spoilt, ..self.footer(End::Aborted, *plies) })
            }
        }
    }

    /// Returns the faults so far.
    pub(crate) fn faults(&self) -> &[FaultRecord] {
        &self.faults
    }

    /// Returns a footer with the faults and the times so far, without a standing.
    #[must_use]
    pub fn footer(&self, end: End, plies: u32) -> Footer {
        let seats = self.times.iter().zip(&self.certificates);
        let times = seats.map(|(times, sum)| SeatTime { certificate: Some(*sum), ..SeatTime::from(times) }).collect();
        Footer { end, standing: None, spoilt: None, plies, faults: self.faults.clone(), times }
    }

    /// Returns the refused commands of each seat so far.
    #[must_use]
    pub fn refused(&self) -> &[RefusedCount] {
        &self.refused
    }

    /// Returns the name that each bot has given itself in its greeting.
    #[must_use]
    pub fn greeted_as(&self) -> &[Option<String>] {
        &self.greeted_as
    }

    pub(crate) fn ply(&mut self, record: &PlyRecord) {
        for entry in &record.entries {
            // A seat that failed in an earlier turn is not asked, so it takes no time. If that turn was taken back, it may be.
            let failed = self.faults.iter().any(|f| f.seat == entry.seat && f.ply < record.ply);
            let asked = !failed || entry.failure != Some(Failure::Gone);
            if let Some(times) = self.times.get_mut(entry.seat.index())
                && asked
            {
                times.add(Duration::from_micros(entry.wall_us), entry.soft_late);
                self.certificates[entry.seat.index()].add(entry);
                self.refused[entry.seat.index()].add(entry);
            }
        }
    }

    fn fault(&mut self, fault: &FaultRecord) {
        if !self.faults.contains(fault) {
            self.faults.push(fault.clone());
        }
    }
}
