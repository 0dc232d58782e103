//! The exit codes. They are part of the public interface, like arguments and JSON. `agon help exit-codes` prints this
//! table, `docs/cli.md` contains it, and a test compares the two.

use std::process::{ExitCode, Termination};

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// The command succeeded.
    Done = 0,
    /// The input cannot be used: a map, a rule set or a replay. Or a bot failed its check.
    User = 1,
    /// The arguments are wrong.
    Usage = 2,
    /// There was nothing to run.
    Nothing = 4,
    /// A test found that the new version is not better by what was asked for.
    NotBetter = 10,
    /// A test ended without an answer.
    Undecided = 11,
    /// A test found that both versions are as good, within the margin that was asked for.
    Equivalent = 12,
    /// A bot could not be built or started, so there is no result.
    NotStarted = 20,
    /// A bot forfeited, and `--fail-on-forfeit` was given. Or a bot failed in every game of a test.
    Forfeit = 21,
    /// The host kept a bot from a core until its time had run out, or was short of something while matches were played: not every
    /// match has a result.
    Spoilt = 22,
    /// A replay does not reproduce.
    Differs = 30,
    /// The requested level of isolation does not work here, or the host is short of something, so nothing was played.
    Sandbox = 40,
    /// Agon has a bug.
    Internal = 70,
    /// The user interrupted the command.
    Interrupted = 130,
}

impl Exit {
    /// Every exit code in ascending order.
    pub const ALL: [Self; 14] = [
        Self::Done,
        Self::User,
        Self::Usage,
        Self::Nothing,
        Self::NotBetter,
        Self::Undecided,
        Self::Equivalent,
        Self::NotStarted,
        Self::Forfeit,
        Self::Spoilt,
        Self::Differs,
        Self::Sandbox,
        Self::Internal,
        Self::Interrupted,
    ];

    /// Returns the meaning of the code as a short sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::User => "the input cannot be used (map, rules, replay, unknown bot), or a bot failed `agon check`",
            Self::Usage => "wrong usage of the command line",
            Self::Nothing => "there was nothing to run",
            Self::NotBetter => "a test: the new version is not better, which does not mean that it is worse",
            Self::Undecided => "a test: undecided",
            Self::Equivalent => "a test: both versions are equivalent",
            Self::NotStarted => "a bot could not be built or started; there is no result",
            Self::Forfeit => {
                "a bot forfeited and --fail-on-forfeit was given; or a test: the old version, or both, fail again and again"
            }
            Self::Spoilt => {
                "the host kept a bot from a core for its whole limit, or ran short of something; a result or a file is missing"
            }
            Self::Differs => "a replay does not reproduce",
            Self::Sandbox => {
                "the requested level of isolation does not work here, or the host is short of something; nothing was played"
            }
            Self::Internal => "a bug of Agon",
            Self::Interrupted => "interrupted; what was played is kept",
        }
    }

    /// Returns the table as lines `CODE  MEANING`.
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
