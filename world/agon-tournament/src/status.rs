//! How far a tournament is, at a glance: no matches are counted but those that were spoilt, and those of each worker.

use crate::{
    TournamentError, TournamentFile, decisions,
    past::parse,
    report::spoilt::Spoilt,
    run::{PLANNED, TABLE},
    workers::known_workers,
};
use agon_core::Flaw;
use agon_spec::{ReportSpoilt, TournamentDecision, TournamentWorker};
use agon_store::{Progress, Records, StoredBot, StoredEvent};
use agon_tourney::Standings;

/// How far a tournament is.
#[derive(Clone, PartialEq, Debug)]
pub struct Status {
    /// The file of the last run.
    pub file: TournamentFile,
    /// Matches in each state, as far as they were drawn.
    pub progress: Progress,
    /// The number of all matches when the last table was made, without those that were left out by then because a bot was
    /// withdrawn. `None` if results decide how many are needed.
    pub planned: Option<u64>,
    /// The bots with their sums.
    pub bots: Vec<StoredBot>,
    /// The last table, and the number of matches that it takes into account. `None` if there was none yet.
    pub table: Option<(u64, Standings)>,
    /// How often matches were spoilt, by bot and cause.
    pub spoilt: Vec<ReportSpoilt>,
    /// The last events, oldest first.
    pub events: Vec<StoredEvent>,
    /// What was decided about matches and bots, the first decision first.
    pub decisions: Vec<TournamentDecision>,
    /// The machines that have played. Their matches are counted.
    pub workers: Vec<TournamentWorker>,
}

impl Status {
    /// Reads it from a store.
    ///
    /// # Errors
    /// If the store or its table cannot be read, or there is no tournament.
    pub fn read(records: &impl Records) -> Result<Self, TournamentError> {
        let files = records.files()?;
        let last = files.last().ok_or(TournamentError::NotBegun)?;
        let table = records.snapshot(TABLE)?.map(|kept| match serde_json::from_str(&kept.text) {
            Ok(standings) => Ok((kept.after, standings)),
            Err(why) => Err(TournamentError::Schedule(Flaw::new(format!("the stored table cannot be read: {why}")))),
        });
        let bots = records.bots()?;
        let name = |number: u32| bots.get(number as usize).map_or_else(String::new, |bot| bot.name.clone());
        let spoilt = Spoilt::of_events(records)?.rows(name);
        Ok(Self {
            file: parse(last)?,
            progress: records.progress()?,
            planned: records.snapshot(PLANNED)?.and_then(|kept| kept.text.parse().ok()),
            bots,
            spoilt,
            table: table.transpose()?,
            events: records.events(10)?,
            decisions: decisions(records)?,
            workers: known_workers(records)?,
        })
    }

    /// Returns each bot's share of the time of all decisions, from 0 to 1.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let all: u64 = self.bots.iter().map(|bot| bot.totals.time_us).fold(0, u64::saturating_add);
        self.bots.iter().map(|bot| bot.totals.time_us as f64 / all.max(1) as f64).collect()
    }
}
