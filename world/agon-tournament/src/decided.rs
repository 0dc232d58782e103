//! What the organiser has decided, with the reasons, for people.

use crate::{TournamentError, outcome::WITHDRAWN};
use agon_spec::{DecisionKind, TournamentDecision};
use agon_store::{EventKind, Records, StoredEvent};
use std::borrow::Cow;

/// Returns every decision about a match, a bot or a worker, the first one first. Withdrawals that the rules of the tournament made are
/// among them. Texts may quote bots, so clean them before you show them.
///
/// # Errors
/// If the store cannot be read.
pub fn decisions(records: &impl Records) -> Result<Vec<TournamentDecision>, TournamentError> {
    let bots = records.bots()?;
    let decision = |event: StoredEvent| {
        let (worker, why) = event.worker().map(|(name, why)| (name.to_owned(), why.to_owned())).unzip();
        let StoredEvent { kind, at_ms, id, bot, text } = event;
        let decision = match kind {
            EventKind::Void => DecisionKind::Void,
            EventKind::Withdrawn => DecisionKind::Withdrawn,
            EventKind::Readmitted => DecisionKind::Readmitted,
            EventKind::Renamed => DecisionKind::Renamed,
            EventKind::Rerun => DecisionKind::Rerun,
            EventKind::Spoilt
            | EventKind::Silent
            | EventKind::Late
            | EventKind::Refuted
            | EventKind::FileChanged
            | EventKind::NewVersion => return None,
            EventKind::PutAside => DecisionKind::PutAside,
            EventKind::TakenBack => DecisionKind::TakenBack,
        };
        // It follows from a withdrawal.
        if decision == DecisionKind::Void && text == WITHDRAWN {
            return None;
        }
        let bot = bot.and_then(|bot| Some(bots.get(bot as usize)?.name.clone()));
        Some(TournamentDecision { decision, id, bot, worker, why: why.unwrap_or(text), time_at_ms: at_ms })
    };
    Ok(records.events(usize::MAX)?.into_iter().filter_map(decision).collect())
}

/// Returns a decision as a line without its end. Clean it before you show it.
#[must_use]
pub fn decision_text(decision: &TournamentDecision) -> String {
    let TournamentDecision { decision, id, bot, worker, why, .. } = decision;
    let what = match (id, bot, worker) {
        (Some(id), ..) => Cow::from(format!("match {id}")),
        (None, Some(bot), _) => Cow::from(bot),
        (None, None, worker) => Cow::from(format!("worker {}", worker.as_deref().unwrap_or_default())),
    };
    let is = match decision {
        DecisionKind::Void => " is void",
        DecisionKind::Withdrawn => " was withdrawn",
        DecisionKind::Readmitted => " was readmitted",
        DecisionKind::Renamed => "",
        DecisionKind::Rerun => " is played again",
        DecisionKind::PutAside => " was put aside",
        DecisionKind::TakenBack => " was taken back",
    };
    format!("{what}{is}: {why}")
}
