//! What a hostile bot reports about one operation that it attempted: a line of its stderr.

use crate::errno::Errno;
use std::{fmt, str::FromStr};

/// One operation that an attack attempted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The operation, in a word or two; never with a colon.
    pub what: String,
    /// Its result.
    pub result: AttemptResult,
}

/// The result of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttemptResult {
    /// The system refused it.
    Refused(Errno),
    /// It succeeded several times, and then the system refused it.
    Stopped {
        /// The number of successes, in the unit that the kind counts.
        at: u64,
        /// Why the system refused more.
        errno: Errno,
    },
    /// It succeeded.
    Succeeded(String),
}

const PREFIX: &str = "attack ";

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}: {}", self.what, self.result)
    }
}

impl fmt::Display for AttemptResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(errno) => write!(f, "blocked ({errno})"),
            Self::Stopped { at, errno } => write!(f, "stopped at {at} ({errno})"),
            Self::Succeeded(detail) if detail.is_empty() => f.write_str("SUCCEEDED"),
            Self::Succeeded(detail) => write!(f, "SUCCEEDED {detail}"),
        }
    }
}

/// Reads what [`Display`](fmt::Display) writes.
impl FromStr for Attempt {
    type Err = ();

    fn from_str(line: &str) -> Result<Self, ()> {
        let (what, result) = line.strip_prefix(PREFIX).and_then(|rest| rest.split_once(": ")).ok_or(())?;
        let errno = |text: &str| text.strip_suffix(')').and_then(Errno::named).ok_or(());
        let result = if let Some(why) = result.strip_prefix("blocked (") {
            AttemptResult::Refused(errno(why)?)
        } else if let Some((at, why)) = result.strip_prefix("stopped at ").and_then(|rest| rest.split_once(" (")) {
            AttemptResult::Stopped { at: at.parse().map_err(drop)?, errno: errno(why)? }
        } else {
            AttemptResult::Succeeded(result.strip_prefix("SUCCEEDED").ok_or(())?.trim_start().to_owned())
        };
        Ok(Self { what: what.to_owned(), result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errno::{EMFILE, EPERM};

    #[test]
    fn lines_go_both_ways() {
        let result = [
            AttemptResult::Refused(EPERM),
            AttemptResult::Refused(Errno(4000)),
            AttemptResult::Stopped { at: 61, errno: EMFILE },
            AttemptResult::Succeeded(String::new()),
            AttemptResult::Succeeded("pid 7: stopped".to_owned()),
        ];
        for result in result {
            let attempt = Attempt { what: "kill -1".to_owned(), result };
            assert_eq!(attempt.to_string().parse(), Ok(attempt));
        }
        for line in ["", "attack", "attack x", "attack x: lost", "attack x: blocked (EWHAT)", "other: blocked (EPERM)"]
        {
            assert_eq!(line.parse::<Attempt>(), Err(()), "{line}");
        }
    }
}
