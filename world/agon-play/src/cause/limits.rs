//! Limits that a bot has hit, and the options that set them.

use super::Guess;
use crate::SandboxOptions;
use agon_core::Seat;
use agon_spec::{FaultCause, Isolation};

/// The most that `--processes` takes.
const MOST_PROCESSES: u32 = 64;

/// A memory limit.
#[derive(Clone, Copy)]
pub(super) struct MemoryLimit {
    /// The limit in MiB.
    pub mib: u32,
    /// The seat, if it has a limit of its own.
    pub seat: Option<Seat>,
}

/// The bot had too little memory. `limit` is its limit, if it has one.
pub(super) fn out_of_memory(limit: Option<MemoryLimit>, what: impl Into<String>) -> Guess {
    let more = limit.map(|limit| match (limit.mib.saturating_mul(2), limit.seat) {
        (mib, None) => format!(", or give it more: `--memory {mib}`"),
        (mib, Some(seat)) => format!(", or give it more: `--seat {seat}:memory={mib}MiB`"),
    });
    let hint = format!("let it use less{}", more.unwrap_or_default());
    Guess::new(FaultCause::OutOfMemory, what, hint)
}

/// The bot started another process, and may be `most` at once at its level of isolation.
pub(super) fn too_many_processes(most: u32, isolation: Option<Isolation>) -> Guess {
    let what = match most {
        0 | 1 => "it started another process, which the sandbox does not allow".to_owned(),
        _ => format!("it started another process, but it may be only {most} at once"),
    };
    let more = (most * 2).clamp(SandboxOptions::USUAL_PROCESSES, MOST_PROCESSES);
    let hint = match most {
        _ if isolation == Some(Isolation::Restricted) => {
            format!(
                "more than one needs `--sandbox full --processes {more}`, which does not work everywhere (`agon doctor`)"
            )
        }
        MOST_PROCESSES.. => "let it start fewer processes, or threads".to_owned(),
        _ => format!("`--processes {more}` lets each bot be up to {more} processes"),
    };
    Guess::new(FaultCause::Processes, what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_is_beyond_the_limit() {
        let memory = |mib, seat| out_of_memory(Some(MemoryLimit { mib, seat }), "").hint;
        assert!(memory(1024, None).contains("`--memory 2048`"));
        assert!(memory(300, Some(Seat::new(1))).contains("`--seat 2:memory=600MiB`"));
        assert!(!out_of_memory(None, "").hint.contains("--"));
        for (most, advice) in [(1, "--processes 16"), (16, "--processes 32"), (40, "--processes 64")] {
            let hint = too_many_processes(most, Some(Isolation::Full)).hint;
            assert!(hint.contains(advice), "{most}: {hint}");
        }
        assert!(!too_many_processes(64, None).hint.contains("--processes"));
        assert!(too_many_processes(1, Some(Isolation::Restricted)).hint.contains("--sandbox full"));
    }
}
