//! When a bot has failed so often in a row that it is withdrawn.
//!
//! Faults are counted in the order of the schedule, up to the first match that is not over, never in the order in which
//! matches end. What a withdrawn bot has played after its last fault counts as not played. So a tournament withdraws
//! the same bots after the same matches, however many matches run at once and however often it is interrupted.

use crate::{
    Tournament, TournamentError, TournamentEvent, outcome::WITHDRAWN, past::parse, played::now_ms, tournament::wait,
};
use agon_core::Flaw;
use agon_store::{FileVersion, Snapshot, Store};
use agon_tourney::{Entrant, MatchId};
use serde::{Deserialize, Serialize};

/// The name of the snapshot that has the first match under the `withdraw-after` of now, and as its text this
/// `withdraw-after` as JSON.
const SINCE: &str = "withdraw-after";

/// The matches in a row in which each bot has failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct FaultCount {
    /// The first match that is not counted.
    next: MatchId,
    /// The first match after which bots may be withdrawn.
    since: MatchId,
    streaks: Vec<u32>,
}

impl FaultCount {
    pub(crate) fn new(bots: usize) -> Self {
        Self { next: MatchId(1), since: MatchId(1), streaks: vec![0; bots] }
    }

    /// Makes room for bots that have come since.
    pub(crate) fn with_bots(mut self, bots: usize) -> Self {
        self.streaks.resize(bots, 0);
        self
    }

    /// Begins to count anew, because matches that were counted are open again.
    pub(crate) fn begin_again(&mut self) {
        self.next = MatchId(1);
        self.streaks.fill(0);
    }
}

impl<S: Store> Tournament<S> {
    /// Counts the faults of the past, and withdraws bots that an interrupted run did not come to withdraw. `files` are
    /// those of the earlier runs. What was played under another `withdraw-after` stays as it is.
    pub(crate) fn count_past(&mut self, files: &[FileVersion]) -> Result<(), TournamentError> {
        let kept = self.store.snapshot(SINCE)?;
        self.faults.since = kept.as_ref().map_or(MatchId(1), |kept| MatchId(kept.after));
        let new = self.file.withdraw_after;
        // The last file may be that of a run that was killed before it kept its number here.
        let old = match kept {
            Some(Snapshot { text, .. }) => serde_json::from_str(&text)
                .map_err(|why| TournamentError::Past(Flaw::new(format!("`{SINCE}`: {why}"))))?,
            None => files.first().map(parse).transpose()?.map_or(new, |first| first.withdraw_after),
        };
        self.count(old)?;
        if old != new {
            self.faults.since = self.faults.next;
            let text = new.map_or_else(|| "null".to_owned(), |most| most.to_string());
            wait(&self.store, self.store.keep(SINCE, Snapshot { after: self.faults.next.0, text }))?;
        }
        Ok(())
    }

    /// Counts the faults of matches that are over, and withdraws bots that have failed too often.
    pub(crate) fn count_faults(&mut self) -> Result<(), TournamentError> {
        self.count(self.file.withdraw_after)
    }

    fn count(&mut self, most: Option<u32>) -> Result<(), TournamentError> {
        while let Some(seats) = self.schedule.faults(self.faults.next) {
            let id = self.faults.next;
            self.faults.next = MatchId(id.0 + 1);
            let mut due = Vec::new();
            for (bot, failed) in seats {
                let streak = &mut self.faults.streaks[bot.index()];
                *streak = if failed { streak.saturating_add(1) } else { 0 };
                // Whom the organiser has readmitted, only the organiser withdraws.
                let may_be = !self.schedule.is_readmitted(bot) && id >= self.faults.since;
                if failed && may_be && most.is_some_and(|most| *streak >= most) {
                    due.push(bot);
                }
            }
            for bot in due {
                self.withdraw_after(bot, id, most.unwrap_or(1))?;
            }
        }
        Ok(())
    }

    fn withdraw_after(&mut self, bot: Entrant, last: MatchId, most: u32) -> Result<(), TournamentError> {
        let (amendment, undone) = self.schedule.withdraw_after(bot, last).map_err(TournamentError::Schedule)?;
        if let Some(amendment) = amendment {
            let times = if most == 1 { "once".to_owned() } else { format!("{most} times in a row") };
            let why = format!("it failed {times}");
            // The amendment is last but for the matches: without it, the next run counts and does all of this again.
            wait(&self.store, self.store.withdraw(bot.0, Some(&why)))?;
            self.note_withdrawal(bot.0, &why)?;
            wait(&self.store, self.amend(&amendment)?)?;
            self.withdrawn.push(TournamentEvent::Withdrawn { bot: bot.0, why });
        }
        for id in undone {
            wait(&self.store, self.store.void(id.0, WITHDRAWN, now_ms()))?;
        }
        Ok(())
    }
}
