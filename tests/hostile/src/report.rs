//! The results of the suite, one row for each kind.

use crate::Kind;
use agon_spec::{HostileDocument, HostileKind, HostileRow, Isolation};
use std::time::Duration;

/// The result of one kind.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kind that was played.
    pub kind: &'static Kind,
    /// The ends that its model allows at this level, in words.
    pub expected: String,
    /// What the suite saw, in words, at last and at first. It may quote a bot, so whoever prints it must clean it.
    pub seen: String,
    /// Whether the model allows what was seen.
    pub state: State,
    /// The program that is not installed, if that is why the kind was not played.
    pub missing_tool: Option<&'static str>,
    /// The duration of the row, including everything around the match.
    pub took: Duration,
    /// The peak growth of the referee's resident memory, in KiB. `None` if it was not measured.
    pub growth_kib: Option<u64>,
    /// How often the row was played again, because it failed while programs of others kept the cores busy.
    pub repeated: u32,
}

/// Whether the model of a kind allows what was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The model allows it.
    Passed,
    /// The model does not allow it.
    Failed,
    /// The kind was not played, because nothing would contain it or a program is missing.
    NotRun,
}

/// The results of all kinds, in the order of the attacks.
#[derive(Clone, Debug)]
pub struct Report {
    /// The level of isolation of the bots.
    pub level: Isolation,
    /// One row for each kind.
    pub rows: Vec<Row>,
}

impl Report {
    /// Returns the number of rows in this state.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// Returns the results for programs.
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
    /// Notes how often it was played before, and what was `seen` the first time.
    pub(crate) fn after(mut self, repeated: u32, seen: Option<String>) -> Self {
        self.repeated = repeated;
        if let Some(seen) = seen {
            self.seen.push_str("; at first: ");
            self.seen.push_str(&seen);
        }
        self
    }

    fn document(&self) -> HostileRow {
        HostileRow {
            kind: HostileKind { expected: self.expected.clone(), ..self.kind.document(self.kind.needs) },
            seen: self.seen.clone(),
            ok: match self.state {
                State::Passed => Some(true),
                State::Failed => Some(false),
                State::NotRun => None,
            },
            missing_tool: self.missing_tool.map(str::to_owned),
            took_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            memory_growth_kib: self.growth_kib,
            repeated: self.repeated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_was_played_again_shows_what_was_seen_at_first() {
        let row = || Row {
            kind: crate::kinds()[0],
            expected: "plays on".into(),
            seen: "plays on".into(),
            state: State::Passed,
            missing_tool: None,
            took: Duration::ZERO,
            growth_kib: None,
            repeated: 0,
        };
        let once = row().after(0, None);
        assert_eq!((once.seen.as_str(), once.repeated), ("plays on", 0));
        let twice = row().after(1, Some("late".into()));
        assert_eq!((twice.seen.as_str(), twice.repeated), ("plays on; at first: late", 1));
    }
}
