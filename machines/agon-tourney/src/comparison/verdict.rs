//! The answer of a test, and why it stopped.

use serde::{Deserialize, Serialize};

/// The answer of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The new version is better than the first bound says.
    Better,
    /// The new version does not reach the second bound. It may be as good as the old one.
    NotBetter,
    /// Both are as good, within the margin that was asked for.
    Equivalent,
    /// The matches do not say.
    #[default]
    Undecided,
}

/// Why a test stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The likelihood ratio, or the e-value, has reached a bound.
    Bound,
    /// Pairs did not vary, so that there is no likelihood ratio. An e-value has reached its bound.
    Interval,
    /// The interval that holds at any time is within the margin of equivalence.
    Margin,
    /// As many matches were played as are allowed.
    Limit,
    /// There are no more maps on which these bots would play anything new.
    Exhausted,
    /// One of the versions, or both, failed in every match, or all bots in a match of too many blocks in a row.
    Failing,
    /// The host spoilt too many blocks in a row.
    Spoilt,
    /// Somebody interrupted the test.
    Interrupted,
}

impl Verdict {
    /// Returns the word that documents have for it, for example `not_better`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::NotBetter => "not_better",
            Self::Equivalent => "equivalent",
            Self::Undecided => "undecided",
        }
    }
}

impl Reason {
    /// Returns the word that documents have for it, for example `exhausted`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Interval => "interval",
            Self::Margin => "margin",
            Self::Limit => "limit",
            Self::Exhausted => "exhausted",
            Self::Failing => "failing",
            Self::Spoilt => "spoilt",
            Self::Interrupted => "interrupted",
        }
    }
}
