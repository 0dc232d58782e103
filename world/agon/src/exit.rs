//! Exit codes: part of the public interface, like arguments and JSON. `agon help exit-codes` prints this table and
//! `docs/cli.md` holds it; a test compares the two.

use std::process::{ExitCode, Termination};

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The user's input cannot be taken: a map, a rule set, a replay, a bot that fails its check.
    User = 1,
    /// Wrong usage of the command line.
    Usage = 2,
    /// There was nothing to run.
    Nothing = 4,
    /// A bot could not be built or started.
    NotStarted = 20,
    /// A bot forfeited and `--fail-on-forfeit` was given.
    Forfeit = 21,
    /// A replay does not reproduce.
    Differs = 30,
    /// The level of isolation that was asked for cannot be had here.
    Sandbox = 40,
    /// A bug of Agon.
    Internal = 70,
    /// Interrupted.
    Interrupted = 130,
}

impl Exit {
    /// Every code, ascending.
    pub const ALL: [Self; 10] = [
        Self::Done,
        Self::User,
        Self::Usage,
        Self::Nothing,
        Self::NotStarted,
        Self::Forfeit,
        Self::Differs,
        Self::Sandbox,
        Self::Internal,
        Self::Interrupted,
    ];

    /// What it means, a short sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::User => "the input cannot be taken (map, rules, replay, unknown bot), or a bot failed `agon check`",
            Self::Usage => "wrong usage of the command line",
            Self::Nothing => "there was nothing to run",
            Self::NotStarted => "a bot could not be built or started; there is no result",
            Self::Forfeit => "a bot forfeited and --fail-on-forfeit was given; the result stands",
            Self::Differs => "a replay does not reproduce",
            Self::Sandbox => "the level of isolation that was asked for cannot be had here; nothing was run",
            Self::Internal => "a bug of Agon",
            Self::Interrupted => "interrupted; what was played is kept",
        }
    }

    /// The table as lines `CODE  MEANING`.
    #[must_use]
    pub fn table() -> String {
        Self::ALL.iter().map(|exit| format!("{:>3}  {}\n", *exit as u8, exit.about())).collect()
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
