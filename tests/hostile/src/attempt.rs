//! What a hostile bot says about one thing that it has tried: a line of its stderr.

use crate::errno::Errno;
use std::{fmt, str::FromStr};

/// One thing that was tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// What, in a word or two; never with a colon.
    pub what: String,
    /// What came of it.
    pub came: Came,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Came {
    /// The system refused it.
    Refused(Errno),
    /// It went on until the system had enough.
    Stopped {
        /// How far it came, in whatever the kind counts.
        at: u64,
        /// Why it ended.
        errno: Errno,
    },
    /// It was done.
    Succeeded(String),
}

const WORD: &str = "attack ";

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{WORD}{}: {}", self.what, self.came)
    }
}

impl fmt::Display for Came {
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
        let (what, came) = line.strip_prefix(WORD).and_then(|rest| rest.split_once(": ")).ok_or(())?;
        let errno = |text: &str| text.strip_suffix(')').and_then(Errno::named).ok_or(());
        let came = if let Some(why) = came.strip_prefix("blocked (") {
            Came::Refused(errno(why)?)
        } else if let Some((at, why)) = came.strip_prefix("stopped at ").and_then(|rest| rest.split_once(" (")) {
            Came::Stopped { at: at.parse().map_err(drop)?, errno: errno(why)? }
        } else {
            Came::Succeeded(came.strip_prefix("SUCCEEDED").ok_or(())?.trim_start().to_owned())
        };
        Ok(Self { what: what.to_owned(), came })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errno::{EMFILE, EPERM};

    #[test]
    fn lines_go_both_ways() {
        let came = [
            Came::Refused(EPERM),
            Came::Refused(Errno(4000)),
            Came::Stopped { at: 61, errno: EMFILE },
            Came::Succeeded(String::new()),
            Came::Succeeded("pid 7: stopped".to_owned()),
        ];
        for came in came {
            let attempt = Attempt { what: "kill -1".to_owned(), came };
            assert_eq!(attempt.to_string().parse(), Ok(attempt));
        }
        for line in ["", "attack", "attack x", "attack x: lost", "attack x: blocked (EWHAT)", "other: blocked (EPERM)"]
        {
            assert_eq!(line.parse::<Attempt>(), Err(()), "{line}");
        }
    }
}
