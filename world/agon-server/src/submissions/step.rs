//! What a step is given, and what it gives back.

use super::taken::Taken;
use agon_contest::submission::{Step, StepEnd};
use agon_play::Cancel;
use std::path::Path;

/// The log of a step has at most so many bytes: the first and the last of what was written.
pub const LOG: usize = 64 << 10;
/// A replay that is larger is not kept, in bytes.
pub const REPLAY: u64 = 16 << 20;

/// A step of a version that is to be run.
#[derive(Clone, Copy, Debug)]
pub struct StepRun<'a> {
    /// The step.
    pub step: Step,
    /// The name of the game.
    pub game: &'a str,
    /// A number by which all attempts of the version play the same matches.
    pub seed: u64,
    /// The folder that the step has for itself. Before the intake it holds nothing but what was sent; behind it also what
    /// [`Taken`] says.
    pub folder: &'a Path,
    /// What the intake has taken. `None` for the intake itself.
    pub taken: Option<&'a Taken>,
    /// Stops the step.
    pub cancel: &'a Cancel,
}

/// What a step gives back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepReport {
    /// How it ended.
    pub end: StepEnd,
    /// What the team is shown of it.
    pub log: String,
    /// The replay of its match, compressed.
    pub replay: Option<Vec<u8>>,
    /// What the intake has taken, if this was the intake.
    pub taken: Option<Taken>,
}

impl StepReport {
    /// Makes a report of a step that has nothing but a log.
    #[must_use]
    pub fn new(end: StepEnd, log: impl Into<String>) -> Self {
        Self { end, log: log.into(), replay: None, taken: None }
    }

    /// Makes a report of a step that the machine could not run.
    #[must_use]
    pub fn host_trouble(why: impl Into<String>) -> Self {
        let why = why.into();
        Self::new(StepEnd::HostTrouble(why.clone()), format!("the server could not run this step: {why}\n"))
    }
}

/// Runs the steps of a version, one after the other.
pub trait RunSteps: Send + Sync {
    /// Runs a step to its end. What a bot does wrong is in the report, and so is trouble of the machine.
    fn run(&self, run: &StepRun<'_>) -> StepReport;
}
