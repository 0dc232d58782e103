//! What came of the suite: one row a kind.

use crate::Kind;
use agon_spec::{HostileDocument, HostileKind, HostileRow, Isolation};
use std::time::Duration;

/// What became of one kind.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kind.
    pub kind: &'static Kind,
    /// What its model says for the level.
    pub expected: String,
    /// What was seen. It may quote what a bot said: whoever prints it cleans it.
    pub seen: String,
    /// Whether that is as modelled.
    pub state: State,
    /// How long the row took, with everything around the match.
    pub took: Duration,
    /// By how much the resident memory of its referee grew at most, in KiB; `None` where that was not looked at.
    pub growth_kib: Option<u64>,
}

/// Whether a row is as modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It is.
    Passed,
    /// It is not.
    Failed,
    /// It was not run, because nothing would contain it.
    NotRun,
}

/// All rows, in the order of the attacks.
#[derive(Clone, Debug)]
pub struct Report {
    /// The level of isolation of the bots.
    pub level: Isolation,
    /// One a kind.
    pub rows: Vec<Row>,
}

impl Report {
    /// How many rows are in this state.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// For programs.
    #[must_use]
    pub fn document(&self) -> HostileDocument {
        HostileDocument {
            level: self.level,
            rows: self.rows.iter().map(Row::document).collect(),
            passed: self.count(State::Passed),
            failed: self.count(State::Failed),
            not_run: self.count(State::NotRun),
        }
    }
}

impl Row {
    fn document(&self) -> HostileRow {
        HostileRow {
            kind: HostileKind { expected: self.expected.clone(), ..self.kind.document(self.kind.needs) },
            seen: self.seen.clone(),
            ok: match self.state {
                State::Passed => Some(true),
                State::Failed => Some(false),
                State::NotRun => None,
            },
            took_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            memory_growth_kib: self.growth_kib,
        }
    }
}
