//! Plays a match again that the host has spoilt. Trouble of the host is never a loss.

use crate::{Cancel, Error, MatchResult, NotStarted, Outcome, Result, Tier};
use agon_core::Seat;
use agon_run::{StartError, StartFault};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// How often a match is played again before it is left without a result.
pub const MORE_ATTEMPTS: u32 = 3;
/// The pause before another attempt, times the number of attempts.
const PAUSE: Duration = Duration::from_millis(200);

/// What became of a match that is played again if the host spoils it.
#[derive(Debug)]
pub enum Settled {
    /// It has a result.
    Decided(MatchResult),
    /// The host spoilt every attempt.
    Undecided {
        /// What the host did, as a lower-case fragment.
        why: String,
        /// The last attempt, unless it could not begin.
        last: Option<MatchResult>,
    },
    /// These bots cannot be started. Each seat comes with the reason.
    NotStarted(Vec<(Seat, StartError)>),
    /// The match was cancelled.
    Cancelled,
}

/// Knows whether the host has ever played a match, so that a later failure is trouble that may pass.
#[derive(Debug)]
pub struct HostHistory {
    works: AtomicBool,
    pause: Duration,
}

impl Default for HostHistory {
    fn default() -> Self {
        Self { works: AtomicBool::new(false), pause: PAUSE }
    }
}

impl HostHistory {
    /// Plays a match by calling `once`, and calls it again if the host has spoilt the match, at most [`MORE_ATTEMPTS`]
    /// times.
    ///
    /// # Errors
    /// The first error of `once`, if it is not the host's or no match has been played before.
    pub fn settle(&self, cancel: &Cancel, mut once: impl FnMut() -> Result<MatchResult>) -> Result<Settled> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let settled = self.attempt(&mut once)?;
            if !matches!(settled, Settled::Undecided { .. }) || attempt > MORE_ATTEMPTS {
                return Ok(settled);
            }
            if cancel.is_cancelled() {
                return Ok(Settled::Cancelled);
            }
            self.pause(attempt);
        }
    }

    /// Plays a match once by calling `once`. Undecided is a match that the host has spoilt.
    ///
    /// # Errors
    /// The error of `once`, if it is not the host's or no match has been played before.
    pub fn attempt(&self, once: impl FnOnce() -> Result<MatchResult>) -> Result<Settled> {
        let (why, last) = match once() {
            // Whatever came of it: nobody knows what has played.
            Ok(MatchResult { changed: Some(changed), .. }) if changed.is_another => return Err(changed.into()),
            Ok(MatchResult { changed: Some(changed), .. }) => {
                let file = changed.file.display();
                (format!("`{file}` of {} was written or replaced while it played", changed.bot), None)
            }
            Ok(result) => match &result.outcome {
                Outcome::Finished(_) => {
                    self.works.store(true, Ordering::Relaxed);
                    return Ok(Settled::Decided(result));
                }
                Outcome::Spoilt(_) => ("the host kept a bot from a core for its whole limit".to_owned(), Some(result)),
                Outcome::Aborted | Outcome::NotStarted(NotStarted::Cancelled) => return Ok(Settled::Cancelled),
                Outcome::NotStarted(NotStarted::Bots(seats)) => match self.excuse(seats) {
                    Some(why) => (why, None),
                    None => return Ok(Settled::NotStarted(seats.clone())),
                },
            },
            Err(Error::Cancelled) => return Ok(Settled::Cancelled),
            Err(error) if self.works.load(Ordering::Relaxed) && is_of_host(&error) => (error.to_string(), None),
            Err(error) => return Err(error),
        };
        Ok(Settled::Undecided { why, last })
    }

    /// Waits before another attempt, longer with each. The host may lack something for a moment.
    pub fn pause(&self, attempts: u32) {
        thread::sleep(self.pause * attempts);
    }

    /// Returns what the host refused, if it alone is the reason why bots did not start and it has started some before.
    fn excuse(&self, seats: &[(Seat, StartError)]) -> Option<String> {
        let (_, first) = seats.first()?;
        let of_host = seats.iter().all(|(_, why)| why.fault() == StartFault::Host);
        (of_host && self.works.load(Ordering::Relaxed)).then(|| first.to_string())
    }
}

/// Whether waiting may help. A full disk is trouble of the host too.
fn is_of_host(error: &Error) -> bool {
    error.tier() == Tier::Host || matches!(error, Error::Sandbox(_) | Error::File(_) | Error::Replay(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MatchTerms, NamedBot, PlayOptions, PreparedBot, find_game, play};
    use std::io;

    fn finished() -> Result<MatchResult> {
        let game = find_game("grid")?;
        let bots = ["random", "random"].map(|name| NamedBot::builtin(game, name).expect("it is a bot"));
        let prepared = ["random", "random"].map(|name| PreparedBot::builtin(game, name).expect("it is a bot"));
        let plan = MatchTerms { rounds: Some(1), ..MatchTerms::default() }.plan(game, &bots)?;
        play(game, &plan.spec(&prepared), &prepared, PlayOptions::default(), &mut |_| ())
    }

    fn no_memory() -> Result<MatchResult> {
        Err(Error::Run(io::Error::from_raw_os_error(12)))
    }

    #[test]
    fn trouble_of_a_host_that_works_is_tried_again() {
        let (host, cancel) =
            (HostHistory { pause: Duration::ZERO, ..HostHistory::default() }, Cancel::new().expect("a flag"));
        assert!(matches!(host.settle(&cancel, no_memory), Err(Error::Run(_))), "it has never worked");
        assert!(matches!(host.settle(&cancel, finished), Ok(Settled::Decided(_))));
        let mut attempts = 0;
        let settled = host.settle(&cancel, || {
            attempts += 1;
            if attempts < 3 { no_memory() } else { finished() }
        });
        assert!(matches!(settled, Ok(Settled::Decided(_))) && attempts == 3);
        let mut attempts = 0;
        let settled = host.settle(&cancel, || {
            attempts += 1;
            no_memory()
        });
        assert!(matches!(settled, Ok(Settled::Undecided { .. })) && attempts == 1 + MORE_ATTEMPTS);
        let user = || Err(Error::Spec(agon_core::Flaw::new("no")));
        assert!(matches!(host.settle(&cancel, user), Err(Error::Spec(_))));
        cancel.finish();
        assert!(matches!(host.settle(&cancel, no_memory), Ok(Settled::Cancelled)));
    }
}
