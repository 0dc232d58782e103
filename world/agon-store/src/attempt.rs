//! Attempts to play a match that did not give the result that counts.

use crate::{Claim, EventKind, Report, StoredEvent};

/// An attempt to play a match that did not give the result that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The number of the match.
    pub id: u64,
    /// The claim under which it was played. `None` if it was not claimed.
    pub token: Option<u64>,
    /// The number of the worker in [`StoredWorker`](crate::StoredWorker). `None` if it is not known.
    pub worker: Option<u32>,
    /// When it began, in milliseconds since 1970.
    pub began_ms: i64,
    /// When it ended, in milliseconds since 1970.
    pub ended_ms: i64,
    /// How it ended.
    pub end: AttemptEnd,
    /// What people are told. It may quote bots, so clean it before you show it.
    pub why: String,
}

/// How an attempt ended that did not give the result that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptEnd {
    /// The host spoilt it.
    Spoilt,
    /// The worker was not heard of until its claim had ended.
    Silent,
    /// Another result had been stored before it came. [`Attempt::why`] says whether they agree.
    Late,
    /// It was a check of the result that counts, and has confirmed it.
    Confirmed,
    /// It was a check of the result that counted then, and has refuted it.
    Refuted,
}

impl AttemptEnd {
    /// Every end.
    pub const ALL: [Self; 5] = [Self::Spoilt, Self::Silent, Self::Late, Self::Confirmed, Self::Refuted];

    /// Returns the word for it: `spoilt`, `silent`, `late`, `confirmed` or `refuted`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spoilt => "spoilt",
            Self::Silent => "silent",
            Self::Late => "late",
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
        }
    }

    /// Returns whether the match was played without a result, so that it counts as one of the attempts that a match has.
    #[must_use]
    pub fn is_used(self) -> bool {
        matches!(self, Self::Spoilt | Self::Silent)
    }
}

impl Attempt {
    /// Makes the attempt of a claim that has run out at this moment.
    #[must_use]
    pub fn of_silence(claim: &Claim, now_ms: i64) -> Self {
        let Claim { token, id, worker, began_ms, .. } = *claim;
        let why = "nothing was heard of its worker".to_owned();
        let (token, worker) = (Some(token), Some(worker));
        Self { id, token, worker, began_ms, ended_ms: now_ms, end: AttemptEnd::Silent, why }
    }

    /// Makes the attempt of a report that came when there was another result, which says the same or not.
    #[must_use]
    pub fn of_late(report: &Report, agrees: bool) -> Self {
        let result = &report.result;
        let lasted_ms = i64::try_from(result.wall_us / 1_000).unwrap_or(i64::MAX);
        let same = if agrees { "the same result" } else { "another result" };
        Self {
            id: report.id,
            token: report.token,
            worker: result.worker,
            began_ms: result.started_ms,
            ended_ms: result.started_ms.saturating_add(lasted_ms),
            end: AttemptEnd::Late,
            why: format!("{same} came first"),
        }
    }

    /// Returns the event that tells of this attempt. `None` if it is no news.
    #[must_use]
    pub fn event(&self) -> Option<StoredEvent> {
        let kind = match self.end {
            AttemptEnd::Spoilt => EventKind::Spoilt,
            AttemptEnd::Silent => EventKind::Silent,
            AttemptEnd::Late => EventKind::Late,
            AttemptEnd::Confirmed => return None,
            AttemptEnd::Refuted => EventKind::Refuted,
        };
        Some(StoredEvent { kind, at_ms: self.ended_ms, id: Some(self.id), bot: None, text: self.why.clone() })
    }
}
