//! Plays a match again that the host has spoilt. Trouble of the host is never a loss.

use crate::{Cancel, Error, MatchResult, NotStarted, Outcome, Result, Shortage, Tier};
use agon_core::Seat;
use agon_run::{StartError, StartFault};
use std::{
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
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
    /// These bots cannot be started, on whatever host. Each seat comes with the reason.
    NotStarted(Vec<(Seat, StartError)>),
    /// The match was cancelled.
    Cancelled,
}

/// Knows whether the host has ever played a match. As long as it has not, what it lacks is an error in the end, because the other
/// matches would fare no better.
#[derive(Debug)]
pub struct HostHistory {
    works: AtomicBool,
    /// How many matches are being played.
    playing: AtomicU32,
    pause: Duration,
}

impl Default for HostHistory {
    fn default() -> Self {
        Self { works: AtomicBool::new(false), playing: AtomicU32::new(0), pause: PAUSE }
    }
}

impl HostHistory {
    /// Plays a match by calling `once`, and calls it again if the host has spoilt the match, at most [`MORE_ATTEMPTS`]
    /// times.
    ///
    /// # Errors
    /// The first error of `once` that is not the host's, or the last one of a host that has never played a match.
    pub fn play_until_decided(
        &self,
        cancel: &Cancel,
        mut once: impl FnMut() -> Result<MatchResult>,
    ) -> Result<Settled> {
        let mut before = 0;
        loop {
            let settled = self.attempt(before, &mut once)?;
            if !matches!(settled, Settled::Undecided { .. }) || before == MORE_ATTEMPTS {
                return Ok(settled);
            }
            if cancel.is_cancelled() {
                return Ok(Settled::Cancelled);
            }
            before += 1;
            self.pause(before);
        }
    }

    /// Plays a match once by calling `once`, after so many attempts `before`. Undecided is a match that the host has spoilt.
    ///
    /// # Errors
    /// An error of `once` that is not the host's, or after [`MORE_ATTEMPTS`] one of a host that has never played a match.
    pub fn attempt(&self, before: u32, once: impl FnOnce() -> Result<MatchResult>) -> Result<Settled> {
        self.playing.fetch_add(1, Ordering::Relaxed);
        let played = once();
        let others = self.playing.fetch_sub(1, Ordering::Relaxed) - 1;
        let lacking = match played {
            // Whatever came of it: nobody knows what has played.
            Ok(MatchResult { changed: Some(changed), .. }) if changed.is_another => return Err(changed.into()),
            Ok(MatchResult { changed: Some(changed), .. }) => {
                let file = changed.file.display();
                let why = format!("`{file}` of {} was written or replaced while it played", changed.bot);
                return Ok(Settled::Undecided { why, last: None });
            }
            Ok(result) => match &result.outcome {
                Outcome::Finished(_) => {
                    self.works.store(true, Ordering::Relaxed);
                    return Ok(Settled::Decided(result));
                }
                Outcome::Spoilt(_) => {
                    let why = "the host kept a bot from a core for its whole limit".to_owned();
                    return Ok(Settled::Undecided { why, last: Some(result) });
                }
                Outcome::Aborted | Outcome::NotStarted(NotStarted::Cancelled) => return Ok(Settled::Cancelled),
                Outcome::Short(shortage) => Error::Short(*shortage),
                Outcome::NotStarted(NotStarted::Bots(seats)) => match of_bots(seats) {
                    Ok(error) => error,
                    Err(seats) => return Ok(Settled::NotStarted(seats)),
                },
            },
            Err(Error::Cancelled) => return Ok(Settled::Cancelled),
            Err(error) if is_of_host(&error) => error,
            Err(error) => return Err(error),
        };
        // Another match that is being played may still show that the host works.
        if before < MORE_ATTEMPTS || others > 0 || self.works.load(Ordering::Relaxed) {
            return Ok(Settled::Undecided { why: lacking.to_string(), last: None });
        }
        Err(lacking)
    }

    /// Waits before another attempt, longer with each. The host may lack something for a moment.
    pub fn pause(&self, attempts: u32) {
        thread::sleep(self.pause * attempts);
    }
}

/// Returns what the host refused if it alone is the reason why bots did not start, and otherwise the bots that are to blame.
fn of_bots(seats: &[(Seat, StartError)]) -> Result<Error, Vec<(Seat, StartError)>> {
    let to_blame: Vec<_> = seats.iter().filter(|(_, why)| why.fault() == StartFault::Bot).cloned().collect();
    match seats.first() {
        Some((_, why)) if to_blame.is_empty() => Ok(Error::Start(why.clone())),
        _ => Err(to_blame),
    }
}

/// Whether waiting may help. A full disk is trouble of the host too.
fn is_of_host(error: &Error) -> bool {
    matches!(error.tier(), Tier::Host | Tier::Isolation) || Shortage::among_causes(error).is_some()
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

    fn not_started(seats: &[StartError]) -> Result<MatchResult> {
        let seats = seats.iter().enumerate().map(|(seat, why)| (Seat::new(seat), why.clone())).collect();
        let outcome = Outcome::NotStarted(NotStarted::Bots(seats));
        finished().map(|result| MatchResult { outcome, ..result })
    }

    fn patient() -> HostHistory {
        HostHistory { pause: Duration::ZERO, ..HostHistory::default() }
    }

    #[test]
    fn trouble_of_a_host_is_tried_again_and_an_error_if_it_has_never_played() {
        let (host, cancel) = (patient(), Cancel::new().expect("a flag"));
        let mut attempts = 0;
        let settled = host.play_until_decided(&cancel, || {
            attempts += 1;
            no_memory()
        });
        assert!(matches!(settled, Err(Error::Run(_))) && attempts == 1 + MORE_ATTEMPTS, "it has never worked");
        assert!(matches!(host.play_until_decided(&cancel, finished), Ok(Settled::Decided(_))));
        let mut attempts = 0;
        let settled = host.play_until_decided(&cancel, || {
            attempts += 1;
            if attempts < 3 { no_memory() } else { finished() }
        });
        assert!(matches!(settled, Ok(Settled::Decided(_))) && attempts == 3);
        let mut attempts = 0;
        let settled = host.play_until_decided(&cancel, || {
            attempts += 1;
            no_memory()
        });
        assert!(matches!(settled, Ok(Settled::Undecided { .. })) && attempts == 1 + MORE_ATTEMPTS);
        let user = || Err(Error::Spec(agon_core::Flaw::new("no")));
        assert!(matches!(host.play_until_decided(&cancel, user), Err(Error::Spec(_))));
        cancel.finish();
        assert!(matches!(host.play_until_decided(&cancel, no_memory), Ok(Settled::Cancelled)));
    }

    #[test]
    fn a_bot_is_not_started_only_if_the_host_is_not_to_blame() {
        let full = StartError::System { what: "pipes".into(), errno: rustix::io::Errno::MFILE };
        let empty = StartError::Empty;
        let cancel = Cancel::new().expect("a flag");
        for seats in [vec![full.clone()], vec![full.clone(), full.clone()]] {
            let settled = patient().play_until_decided(&cancel, || not_started(&seats));
            let Err(error) = settled else { panic!("{settled:?}") };
            assert_eq!((error.tier(), Shortage::among_causes(&error)), (Tier::Host, Some(Shortage::OpenFiles)));
        }
        for seats in [vec![empty.clone()], vec![full.clone(), empty.clone()], vec![empty.clone(), full.clone()]] {
            match patient().play_until_decided(&cancel, || not_started(&seats)) {
                Ok(Settled::NotStarted(blamed)) => assert!(matches!(&blamed[..], [(_, StartError::Empty)])),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_host_that_runs_short_in_a_match_has_spoilt_it() {
        let (host, cancel) = (patient(), Cancel::new().expect("a flag"));
        let short = || finished().map(|result| MatchResult { outcome: Outcome::Short(Shortage::OpenFiles), ..result });
        assert!(matches!(host.play_until_decided(&cancel, short), Err(Error::Short(Shortage::OpenFiles))));
        assert!(matches!(host.play_until_decided(&cancel, finished), Ok(Settled::Decided(_))));
        let settled = host.play_until_decided(&cancel, short);
        let Ok(Settled::Undecided { why, .. }) = settled else { panic!("{settled:?}") };
        assert!(why.contains("open files"), "{why}");
    }
}
