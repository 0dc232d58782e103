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
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Spoilt,
        Self::Silent,
        Self::Late,
        Self::Void,
        Self::Withdrawn,
        Self::Readmitted,
        Self::Renamed,
        Self::Rerun,
        Self::FileChanged,
        Self::NewVersion,
    ];

    /// Returns the name of the kind, for example `spoilt`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spoilt => "spoilt",
            Self::Silent => "silent",
            Self::Late => "late",
            Self::Void => "void",
            Self::Withdrawn => "withdrawn",
            Self::Readmitted => "readmitted",
            Self::Renamed => "renamed",
            Self::Rerun => "rerun",
            Self::FileChanged => "file-changed",
            Self::NewVersion => "new-version",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
