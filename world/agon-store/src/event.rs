//! What happened beside the matches.

use std::fmt;

/// Something that happened beside the matches, for people who ask why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEvent {
    /// What happened.
    pub kind: EventKind,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The match that the event is about.
    pub id: Option<u64>,
    /// The number of the bot that the event is about.
    pub bot: Option<u32>,
    /// What people are told. It may quote bots, so clean it before you show it.
    pub text: String,
}

/// The kinds of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// The host spoilt a match, which is played again.
    Spoilt,
    /// Nothing was heard of a worker, and its match is played again.
    Silent,
    /// A result came when the match had another one.
    Late,
    /// A check has refuted the result that a worker has reported.
    Refuted,
    /// A person declared a match void.
    Void,
    /// A bot was withdrawn.
    Withdrawn,
    /// A withdrawn bot plays again.
    Readmitted,
    /// A bot has another name.
    Renamed,
    /// A match that was over is played again.
    Rerun,
    /// The tournament file was changed.
    FileChanged,
    /// A bot has a new version.
    NewVersion,
    /// A worker gets no more matches, and what it has played is played again: [`StoredEvent::of_worker`].
    PutAside,
    /// A worker that was put aside gets matches again: [`StoredEvent::of_worker`].
    TakenBack,
}

impl StoredEvent {
    /// Makes an event about a worker: the first line of its text is the worker's name, and the rest is the reason.
    #[must_use]
    pub fn of_worker(kind: EventKind, worker: &str, why: &str, at_ms: i64) -> Self {
        let name = worker.replace('\n', " ");
        Self { kind, at_ms, id: None, bot: None, text: format!("{name}\n{why}") }
    }

    /// Returns the name of the worker that the event is about, and the reason. `None` if it is about something else.
    #[must_use]
    pub fn worker(&self) -> Option<(&str, &str)> {
        match self.kind {
            EventKind::PutAside | EventKind::TakenBack => self.text.split_once('\n'),
            _ => None,
        }
    }
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Spoilt,
        Self::Silent,
        Self::Late,
        Self::Refuted,
        Self::Void,
        Self::Withdrawn,
        Self::Readmitted,
        Self::Renamed,
        Self::Rerun,
        Self::FileChanged,
        Self::NewVersion,
        Self::PutAside,
        Self::TakenBack,
    ];

    /// Returns the name of the kind, for example `spoilt`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spoilt => "spoilt",
            Self::Silent => "silent",
            Self::Late => "late",
            Self::Refuted => "refuted",
            Self::Void => "void",
            Self::Withdrawn => "withdrawn",
            Self::Readmitted => "readmitted",
            Self::Renamed => "renamed",
            Self::Rerun => "rerun",
            Self::FileChanged => "file-changed",
            Self::NewVersion => "new-version",
            Self::PutAside => "put-aside",
            Self::TakenBack => "taken-back",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
