//! Decisions of the organiser and of the rules: which bots are withdrawn, and which matches do not count.

use crate::{
    BrokenBot, Tournament, TournamentError, TournamentEvent,
    outcome::{WITHDRAWN, of_match},
    played::now_ms,
    tournament::{note, wait},
};
use agon_core::Flaw;
use agon_store::{BotChange, Decision, Ending, EventKind, RecordedResult, Records, Store, StoredEvent};
use agon_tourney::{Amendment, Entrant, MatchId, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// What [`Tournament::void`] found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Voided {
    /// The match counted, or was still to be played. From now on it does not count.
    Now,
    /// The match did not count before, for this reason. Nothing has changed. Clean the reason before you show it.
    Before(String),
}

/// Returns the bots whose last withdrawal is among the events of the store.
pub(crate) fn noted(store: &impl Records) -> Result<BTreeSet<u32>, TournamentError> {
    let mut noted = BTreeSet::new();
    for StoredEvent { kind, bot, .. } in store.events(usize::MAX)? {
        match (kind, bot) {
            (EventKind::Withdrawn, Some(bot)) => drop(noted.insert(bot)),
            (EventKind::Readmitted, Some(bot)) => drop(noted.remove(&bot)),
            _ => {}
        }
    }
    Ok(noted)
}

/// Gives a bot another name. Everything that it has played stays its own. The file of the tournament must have the new name
/// from then on.
///
/// # Errors
/// If there is no such bot, another one has this name, or the store cannot be written.
pub fn rename(store: &impl Store, bot: u32, name: &str, why: &str) -> Result<(), TournamentError> {
    let bots = store.bots()?;
    let old = bots.get(bot as usize).map(|bot| bot.name.as_str()).unwrap_or_default();
    let text = format!("its name was `{old}`: {why}");
    let event = StoredEvent { kind: EventKind::Renamed, at_ms: now_ms(), id: None, bot: Some(bot), text };
    let change = Some(BotChange::Renamed(bot, name.to_owned()));
    Ok(wait(store, store.decide(Decision { amendment: None, again: Vec::new(), bot: change, event }))?)
}

impl<S: Store> Tournament<S> {
    /// Withdraws a bot. Its matches that have not begun are not played.
    ///
    /// # Errors
    /// If it is withdrawn already, or the store cannot be written.
    pub fn withdraw(&mut self, bot: u32, why: &str) -> Result<TournamentEvent, TournamentError> {
        let amendment = self.schedule.withdraw(Entrant(bot)).map_err(TournamentError::Schedule)?;
        // The amendment is last: without it, the next run completes the withdrawal.
        wait(&self.store, self.store.withdraw(bot, Some(why)))?;
        self.note_withdrawal(bot, why)?;
        wait(&self.store, self.amend(&amendment)?)?;
        Ok(TournamentEvent::Withdrawn { bot, why: why.to_owned() })
    }

    /// Stores the event of a withdrawal, unless a run that was killed behind it has stored it.
    pub(crate) fn note_withdrawal(&mut self, bot: u32, why: &str) -> Result<(), TournamentError> {
        if self.noted.insert(bot) {
            wait(&self.store, note(&self.store, EventKind::Withdrawn, Some(bot), why))?;
        }
        Ok(())
    }

    /// Withdraws from the schedule the bots whose withdrawal a killed run has stored only in part.
    pub(crate) fn complete_withdrawals(&mut self) -> Result<(), TournamentError> {
        for bot in self.store.bots()? {
            let Some(why) = bot.withdrawn.filter(|_| !self.schedule.is_withdrawn(Entrant(bot.number))) else {
                continue;
            };
            let amendment = self.schedule.withdraw(Entrant(bot.number)).map_err(TournamentError::Schedule)?;
            self.note_withdrawal(bot.number, &why)?;
            wait(&self.store, self.amend(&amendment)?)?;
            self.withdrawn.push(TournamentEvent::Withdrawn { bot: bot.number, why });
        }
        Ok(())
    }

    /// Lets a withdrawn bot play again. Returns how many of its matches that were left out are played after all: none if
    /// something was drawn since then that rests on them.
    ///
    /// # Errors
    /// If it is not withdrawn, or the store cannot be written.
    pub fn readmit(&mut self, bot: u32, why: &str) -> Result<usize, TournamentError> {
        let (amendment, missed) = self.schedule.readmit(Entrant(bot)).map_err(TournamentError::Schedule)?;
        let mut again = Vec::new();
        for MatchId(id) in &missed {
            // Only what was handed out before is in the store.
            again.extend(self.store.find(*id)?.filter(|stored| stored.result.is_some()).map(|_| *id));
        }
        let event = StoredEvent {
            kind: EventKind::Readmitted,
            at_ms: now_ms(),
            id: None,
            bot: Some(bot),
            text: why.to_owned(),
        };
        self.noted.remove(&bot);
        self.decide(Some(&amendment), again, Some(BotChange::Readmitted(bot)), event)?;
        Ok(missed.len())
    }

    /// Opens a match that is over, so that the next run plays it again: the same bots, seats, map and seed. The result that
    /// it had stays in the store and does not count.
    ///
    /// # Errors
    /// If there is no such match, it is not over, a bot of it is withdrawn, or the store cannot be written.
    pub fn rerun(&mut self, id: u64, why: &str) -> Result<(), TournamentError> {
        let stored = self.store.find(id)?;
        // Without an outcome it is not over, which the schedule refuses.
        let was = stored.as_ref().and_then(of_match).unwrap_or(Outcome::Void);
        let amendment = self.schedule.rerun(MatchId(id), was).map_err(TournamentError::Schedule)?;
        let event =
            StoredEvent { kind: EventKind::Rerun, at_ms: now_ms(), id: Some(id), bot: None, text: why.to_owned() };
        self.decide(Some(&amendment), vec![id], None, event)
    }

    /// Stores a decision with everything that it changes, and then the table after it.
    pub(crate) fn decide(
        &mut self,
        amendment: Option<&Amendment>,
        again: Vec<u64>,
        bot: Option<BotChange>,
        event: StoredEvent,
    ) -> Result<(), TournamentError> {
        let text = amendment.map(serde_json::to_string).transpose();
        let amendment = text.map_err(|why| TournamentError::Schedule(Flaw::new(why.to_string())))?;
        let fewer = again.len() as u64;
        wait(&self.store, self.store.decide(Decision { amendment, again, bot, event }))?;
        self.over -= fewer;
        // What was kept is out of date.
        self.kept = 0;
        Ok(wait(&self.store, self.keep_table(&self.standings())?)?)
    }

    /// Withdraws every bot of the field that cannot play.
    ///
    /// # Errors
    /// If this host may be the reason, or fewer than two bots would be left; or the store cannot be written.
    pub fn withdraw_broken(&mut self) -> Result<Vec<TournamentEvent>, TournamentError> {
        let broken = self.broken();
        let left = |bot: &u32| !self.schedule.is_withdrawn(Entrant(*bot)) && !broken.contains_key(bot);
        let left = (0..self.schedule.spec().entrants).filter(left).count();
        if !broken.is_empty() && (left < 2 || broken.values().any(|why| !why.is_of_bot())) {
            return Err(TournamentError::Bots(broken.into_values().collect()));
        }
        broken.into_iter().map(|(bot, broken)| self.withdraw(bot, &broken.why)).collect()
    }

    /// Returns the bots that cannot play and are not withdrawn, by their numbers.
    pub(crate) fn broken(&self) -> BTreeMap<u32, BrokenBot> {
        let broken = (0..).zip(self.field.bots()).filter_map(|(number, bot)| Some((number, bot.ready.as_ref().err()?)));
        broken
            .filter(|(number, _)| !self.schedule.is_withdrawn(Entrant(*number)))
            .map(|(n, why)| (n, why.clone()))
            .collect()
    }

    /// Declares that a match does not count. A match that does not count already keeps its reason.
    ///
    /// # Errors
    /// If there is no such match, or the store cannot be written.
    pub fn void(&mut self, id: u64, why: &str) -> Result<Voided, TournamentError> {
        if why == WITHDRAWN {
            let flaw = agon_core::Flaw::new(format!("`{WITHDRAWN}` is the reason of matches that Agon leaves out"));
            return Err(TournamentError::Schedule(flaw.hint("say more about the reason")));
        }
        let result = self.store.find(id)?.and_then(|stored| stored.result);
        let was_over = result.is_some();
        match result {
            Some(RecordedResult { ending: Ending::Void, reason, .. }) => return Ok(Voided::Before(reason)),
            // A run that was killed behind the amendment has not come to store the reason.
            Some(RecordedResult { ending: Ending::Finished, .. }) if self.schedule.is_void(MatchId(id)) => {}
            Some(RecordedResult { ending: Ending::Finished, .. }) => {
                let amendment = self.schedule.void(MatchId(id)).map_err(TournamentError::Schedule)?;
                wait(&self.store, self.amend(&amendment)?)?;
            }
            _ => {
                let flaw = |why: agon_tourney::RecordError| agon_core::Flaw::new(why.to_string());
                let recorded = self.schedule.record(MatchId(id), agon_tourney::Outcome::Void);
                recorded.map_err(|why| TournamentError::Schedule(flaw(why)))?;
                let pairing = self.schedule.pairing(MatchId(id));
                wait(&self.store, self.store.enqueue(pairing.iter().map(crate::run::planned_match).collect()))?;
                self.over += u64::from(!was_over);
            }
        }
        wait(&self.store, self.store.void(id, why, now_ms()))?;
        wait(&self.store, self.keep_table(&self.standings())?)?;
        Ok(Voided::Now)
    }
}
