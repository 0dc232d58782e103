//! What a store has: the schedule, made anew from it.

use crate::{TournamentError, TournamentFile, fault_count::FaultCount, kept, outcome, seeding, tournament::wait};
use agon_core::Flaw;
use agon_store::{Ending, FileVersion, RecordedResult, Records, Snapshot, Store};
use agon_tourney::{Amendment, MatchId, Schedule, Spec};

/// Matches that are read from the store at once.
pub(crate) const PAGE: usize = 2_000;

/// The name of the snapshot that says what a match is worth that all of its bots forfeit.
const FORFEITS: &str = "forfeits";

/// Notes in the store of a new tournament that all bots lose a match that all of them forfeit. Stores without this note
/// are older than the rule, and keep the meaning with which they began.
pub(crate) fn note_forfeits(store: &impl Store) -> Result<(), TournamentError> {
    Ok(wait(store, store.keep(FORFEITS, Snapshot { after: 0, text: "lose".to_owned() }))?)
}

/// A tournament as far as its store has it.
pub(crate) struct Past {
    pub(crate) schedule: Schedule,
    /// The number of matches in a row in which each bot has failed.
    pub(crate) streaks: Vec<u32>,
    /// The faults in a row, as far as they are counted.
    pub(crate) faults: FaultCount,
    /// How many matches are over.
    pub(crate) over: u64,
    /// How many were over when the schedule was kept with which this began. 0 if it was made anew.
    pub(crate) kept: u64,
}

/// Parses a file of the store.
pub(crate) fn parse(file: &FileVersion) -> Result<TournamentFile, TournamentError> {
    TournamentFile::parse(&file.text).map_err(TournamentError::Past)
}

impl Past {
    /// Makes the schedule of a tournament that began with this file on this many maps.
    pub(crate) fn read(records: &impl Records, first: &TournamentFile, maps: usize) -> Result<Self, TournamentError> {
        let mut past = Self::read_undrawn(records, first, maps)?;
        past.schedule.advance();
        Ok(past)
    }

    /// Does the same, but draws no match that is not in the store.
    pub(crate) fn read_undrawn(
        records: &impl Records,
        first: &TournamentFile,
        maps: usize,
    ) -> Result<Self, TournamentError> {
        let (spec, amendments) = Self::origin(records, first, maps)?;
        let mut outcomes = Vec::new();
        let (mut streaks, mut over, mut after) = (vec![0_u32; records.bots()?.len()], 0, 0);
        loop {
            let page = records.matches(after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.planned.id;
            for stored in page {
                if let Some(result) = &stored.result {
                    over += 1;
                    if !outcome::is_left_out(result) {
                        count_streaks(&mut streaks, &stored.planned.bots, result);
                    }
                }
                outcomes.extend(outcome::of_match(&stored).map(|outcome| (MatchId(stored.planned.id), outcome)));
            }
        }
        let schedule = Schedule::resume_undrawn(spec, amendments, outcomes).map_err(TournamentError::Schedule)?;
        let faults = FaultCount::new(streaks.len());
        Ok(Self { schedule, streaks, faults, over, kept: 0 })
    }

    /// Does the same, and begins with the schedule that was kept, if there is one. So it reads little of a long tournament.
    pub(crate) fn resume_undrawn(
        records: &impl Records,
        first: &TournamentFile,
        maps: usize,
    ) -> Result<Self, TournamentError> {
        let (spec, amendments) = Self::origin(records, first, maps)?;
        match kept::resume(records, spec, amendments)? {
            Some(past) => Ok(past),
            None => Self::read_undrawn(records, first, maps),
        }
    }

    /// Returns the tournament as it began, and every decision about it.
    fn origin(
        records: &impl Records,
        first: &TournamentFile,
        maps: usize,
    ) -> Result<(Spec, Vec<Amendment>), TournamentError> {
        let amendments = records.amendments()?;
        let amendments: Result<Vec<Amendment>, _> = amendments.iter().map(|text| serde_json::from_str(text)).collect();
        let amendments = amendments.map_err(|why| TournamentError::Schedule(Flaw::new(why.to_string())))?;
        let forfeits_lose = records.snapshot(FORFEITS)?.is_some();
        Ok((Spec { forfeits_lose, ..seeding::spec(records, first, maps)? }, amendments))
    }
}

/// Counts for each bot how many of its last matches in a row have failed. A match that the host spoilt again and again counts for all
/// of its bots: it has no result, and takes as long as many others.
pub(crate) fn count_streaks(streaks: &mut [u32], bots: &[u32], result: &RecordedResult) {
    for (place, bot) in bots.iter().enumerate() {
        let failed = match result.seats.get(place) {
            Some(seat) => seat.fault.is_some(),
            None if result.ending == Ending::Spoilt => true,
            None => continue,
        };
        if let Some(streak) = streaks.get_mut(*bot as usize) {
            *streak = if failed { streak.saturating_add(1) } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_store::{RecordedFault, RecordedSeat};

    #[test]
    fn matches_without_a_result_count_for_all_of_their_bots() {
        let mut streaks = [0, 0, 7];
        let spoilt = RecordedResult { ending: Ending::Spoilt, ..RecordedResult::default() };
        count_streaks(&mut streaks, &[0, 1], &spoilt);
        count_streaks(&mut streaks, &[1, 0], &spoilt);
        assert_eq!(streaks, [2, 2, 7]);
        let seats = vec![
            RecordedSeat { fault: Some(RecordedFault::default()), ..RecordedSeat::default() },
            RecordedSeat::default(),
        ];
        count_streaks(&mut streaks, &[0, 2], &RecordedResult { seats, ..RecordedResult::default() });
        assert_eq!(streaks, [3, 2, 0]);
        count_streaks(&mut streaks, &[0, 1], &RecordedResult { ending: Ending::Void, ..RecordedResult::default() });
        assert_eq!(streaks, [3, 2, 0]);
    }
}
