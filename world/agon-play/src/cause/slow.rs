//! The cause of a late answer of a bot that did not wait for input.

use super::{Failure, Guess};
use agon_languages::{Entry, Language};
use agon_run::InputState;
use agon_spec::{FaultCause, TimeRecord};

/// The least share of the time which others left it that a bot computed which may be in an endless loop, in percent.
const SHARE: u64 = 75;

/// The bot is late and was not waiting for input.
pub(super) fn late(failure: &Failure<'_>, time: Option<&TimeRecord>) -> Option<Guess> {
    if failure.ply <= 1 && failure.input == InputState::Unread {
        let what = "it had not read its first prompt: perhaps it takes long to start";
        let longer = if failure.ply == 0 { "greeting=10s" } else { "first=+10s" };
        let hint = format!(
            "`--time {longer}` gives the start more time; load less before the first answer{}",
            failure.language.and_then(loads).unwrap_or_default()
        );
        return Some(Guess::new(FaultCause::SlowStart, what, hint));
    }
    if !time.is_some_and(computed) {
        return None;
    }
    let what =
        "it computed until its time was up: perhaps an endless loop, or a search that does not look at the clock";
    let hint = "let each loop end at a time of your own, well before the limit; docs/bots.md says how to profile a bot";
    Some(Guess::new(FaultCause::EndlessLoop, what, hint))
}

/// Whether the bot computed for most of the time that others left it. What they took is no sign against it, whoever is charged.
fn computed(time: &TimeRecord) -> bool {
    let taken = time.given_us.max(time.runnable_us).unwrap_or_default();
    let left = time.wall_us.saturating_sub(taken);
    time.busy_us.or(time.cpu_us).is_some_and(|busy| busy.saturating_mul(100) >= left.saturating_mul(SHARE))
}

/// Returns what often makes the start of a program slow.
fn loads(language: &Entry) -> Option<&'static str> {
    match language.language {
        Language::Python => Some(" (large modules, tables)"),
        Language::Java => Some(" (classes, tables)"),
        _ => None,
    }
}
