//! Why a bot failed, as far as that can be told from outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The likely cause of a fault, in the terms of the bot's author.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultCause {
    /// The bot waited for input and had written nothing: its answer may still be in a buffer.
    NoFlush,
    /// The bot waited for input and had written nothing, and nothing of its output is kept in a buffer.
    ExtraRead,
    /// The bot wrote more and more answers without reading.
    NeverReads,
    /// The bot waited for input and had written a part of an answer, without its end.
    NoEndOfAnswer,
    /// The bot wrote text for people to its stdout.
    Prose,
    /// The bot wrote JSON with single quotes.
    Quotes,
    /// The bot began its output with a byte order mark.
    Bom,
    /// The bot ended its lines with a carriage return alone.
    LineEnds,
    /// The bot is written in Python 2 and runs under Python 3.
    Python2,
    /// The bot needed more memory than it may have.
    OutOfMemory,
    /// The bot looked for a file that exists, but that the sandbox does not show.
    HiddenFile,
    /// The bot looked for a file in the folder in which it starts, and the file is in that of its program.
    WrongFolder,
    /// The bot wrote where nothing can be written.
    ReadOnly,
    /// The bot used the network.
    NoNetwork,
    /// The bot started another process.
    Processes,
    /// The bot may not read a file, because bots run as another user.
    Rights,
    /// The bot imported a module that only its user's own packages have.
    UserPackages,
    /// The bot imported a module that nobody has here.
    NoModule,
    /// The bot's interpreter is chosen by a tool, and the version that it chooses is not installed.
    NoInterpreter,
    /// The bot computed for its whole time.
    EndlessLoop,
    /// The bot had not read its first prompt when its time was up.
    SlowStart,
    /// The bot broke a rule that another rule set does not have.
    OtherRules,
}

impl FaultCause {
    /// Every cause.
    pub const ALL: [Self; 22] = [
        Self::NoFlush,
        Self::ExtraRead,
        Self::NeverReads,
        Self::NoEndOfAnswer,
        Self::Prose,
        Self::Quotes,
        Self::Bom,
        Self::LineEnds,
        Self::Python2,
        Self::OutOfMemory,
        Self::HiddenFile,
        Self::WrongFolder,
        Self::ReadOnly,
        Self::NoNetwork,
        Self::Processes,
        Self::Rights,
        Self::UserPackages,
        Self::NoModule,
        Self::NoInterpreter,
        Self::EndlessLoop,
        Self::SlowStart,
        Self::OtherRules,
    ];

    /// Returns the name in documents, for example `no_flush`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoFlush => "no_flush",
            Self::ExtraRead => "extra_read",
            Self::NeverReads => "never_reads",
            Self::NoEndOfAnswer => "no_end_of_answer",
            Self::Prose => "prose",
            Self::Quotes => "quotes",
            Self::Bom => "bom",
            Self::LineEnds => "line_ends",
            Self::Python2 => "python2",
            Self::OutOfMemory => "out_of_memory",
            Self::HiddenFile => "hidden_file",
            Self::WrongFolder => "wrong_folder",
            Self::ReadOnly => "read_only",
            Self::NoNetwork => "no_network",
            Self::Processes => "processes",
            Self::Rights => "rights",
            Self::UserPackages => "user_packages",
            Self::NoModule => "no_module",
            Self::NoInterpreter => "no_interpreter",
            Self::EndlessLoop => "endless_loop",
            Self::SlowStart => "slow_start",
            Self::OtherRules => "other_rules",
        }
    }

    /// Returns the cause with this name. `None` if there is none, as when a newer program has written it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.name() == name)
    }
}

impl fmt::Display for FaultCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_the_names() {
        for cause in FaultCause::ALL {
            assert_eq!(serde_json::to_value(cause).expect("it is text"), cause.name());
            assert_eq!(FaultCause::named(cause.name()), Some(cause));
        }
    }
}
