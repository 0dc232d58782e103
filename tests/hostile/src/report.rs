//! What came of the suite: one row a kind.

use crate::Kind;
use agon_spec::Isolation;
use serde_json::{Value, json};
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

    /// As a document: `level`, `rows`, `passed`, `failed`, `not_run`.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "level": self.level,
            "rows": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
            "passed": self.count(State::Passed),
            "failed": self.count(State::Failed),
            "not_run": self.count(State::NotRun),
        })
    }
}

impl Row {
    /// As a document; `ok` is `null` for a row that was not run.
    #[must_use]
    pub fn json(&self) -> Value {
        let ok = match self.state {
            State::Passed => Some(true),
            State::Failed => Some(false),
            State::NotRun => None,
        };
        json!({
            "name": self.kind.name,
            "number": self.kind.number,
            "attacks": self.kind.attacks,
            "level": self.kind.needs,
            "expected": self.expected,
            "seen": self.seen,
            "ok": ok,
            "took_ms": self.took.as_millis() as u64,
            "memory_growth_kib": self.growth_kib,
        })
    }
}
