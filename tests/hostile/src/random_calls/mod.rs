//! Random system calls from inside the sandbox, while an honest match beside them and the host are watched.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `signatures`, `calls`, `memory` | system calls and their arguments, all of which follow from a seed |
//! | `bot` | the bot that makes them |
//! | `traces` | a bot that leaves something behind, for the check of this check |
//! | `series` | a referee that plays one match after the other |
//! | `host` | what a host has that no bot may change |

mod bot;
mod calls;
mod host;
mod memory;
mod series;
mod signatures;
mod traces;

pub(crate) use series::run as run_series;

use crate::{
    Bot,
    comparison::{self, MAX_GROWTH_KIB},
    leftovers,
    role::{CALLERS, TRACES},
    victims::Victims,
};
use agon_core::Seed;
use agon_referee::{Exit, Fault};
use agon_spec::{FuzzDocument, FuzzEnd, FuzzFinding, Isolation};
use bot::Workers;
use host::Host;
use series::{PLAYERS, Played, Series};
use std::{
    cmp::Reverse,
    io,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The matches after which a referee has everything that it needs.
const WARM: u64 = 4;
/// How long the kernel may take to remove what has ended.
const SETTLING: Duration = Duration::from_secs(5);
/// After as many findings the run ends.
const ENOUGH: usize = 10;

/// A run of random calls.
#[derive(Clone, Debug)]
pub struct Fuzz {
    /// The program that becomes bots, referees and victim. Its `main` must begin with
    /// [`Role::asked_for`](crate::Role::asked_for).
    pub program: PathBuf,
    /// The level of isolation. At [`Isolation::None`] no random calls are made: one bot leaves harmless traces, which the
    /// run must find.
    pub level: Isolation,
    /// The seed of the first match. Each match has the next one.
    pub seed: Seed,
    /// How long to play.
    pub time: Duration,
}

/// Whether this is the name of a bot that makes random calls or leaves traces.
pub(crate) fn is_bot(name: &str) -> bool {
    CALLERS.contains(&name) || name == TRACES
}

/// Plays the part of the bot with this name.
pub(crate) fn play(name: &str, bot: &mut Bot) {
    let seed = Seed(bot.facts.seed);
    if name == TRACES {
        traces::play(bot);
    } else {
        bot::play(bot, Workers::of(seed, name == CALLERS[1]));
    }
}

/// A run of which nothing is known yet.
fn begin(level: Isolation, seed: Seed) -> FuzzDocument {
    FuzzDocument {
        level,
        seed,
        passed: false,
        matches: 0,
        calls: 0,
        refused: 0,
        ends: Vec::new(),
        honest_matches: 0,
        spoilt: 0,
        watched: 0,
        took_ms: 0,
        findings: Vec::new(),
    }
}

impl Fuzz {
    /// Plays until the time is over, something is found, or `stop` returns `true`. Calls `progress` after each match.
    ///
    /// # Errors
    /// If the victims cannot be created, a referee cannot be started, or the level does not contain the minimum.
    pub fn run(&self, progress: &dyn Fn(&FuzzDocument), stop: &dyn Fn() -> bool) -> io::Result<FuzzDocument> {
        adopt_orphans(true);
        let ended = self.watch(progress, stop);
        adopt_orphans(false);
        ended
    }

    fn watch(&self, progress: &dyn Fn(&FuzzDocument), stop: &dyn Fn() -> bool) -> io::Result<FuzzDocument> {
        let start = Instant::now();
        let before_all = host::children();
        let mut victims = Victims::new(&self.program)?;
        let facts = victims.facts(&format!("agon-fuzz-{}-", std::process::id()));
        let mut before = Host::read(&[]);
        let mut honest = Series::start(&self.program, PLAYERS[1], self.level, &facts)?;
        let mut fuzzed = begin(self.level, self.seed);
        // Nothing but honest bots has played between the two looks at the host.
        self.judge_honest(&mut fuzzed, &contained(honest.play(Seed(0))?)?, None);
        let second = Host::read(&[]);
        let restless = before.differing(&second).union(&second.differing(&before)).cloned().collect();
        before.forget_restless(&second);
        fuzzed.watched = before.len();

        let player = if self.level == Isolation::None { PLAYERS[2] } else { PLAYERS[0] };
        let mut random = Series::start(&self.program, player, self.level, &facts)?;
        let referees = [honest.id(), random.id()];
        let over = AtomicBool::new(false);
        let (random_result, honest_result) = thread::scope(|scope| {
            let playing = || {
                let mut beside = begin(self.level, self.seed);
                let mut warm = None;
                while !over.load(Ordering::Relaxed) && beside.findings.len() < ENOUGH {
                    let played = honest.play(Seed(beside.honest_matches + 1))?;
                    if beside.honest_matches == WARM {
                        warm = Some(played.has);
                    }
                    self.judge_honest(&mut beside, &played, warm);
                }
                honest.end().map(|()| beside)
            };
            let honest = match thread::Builder::new().spawn_scoped(scope, playing) {
                Ok(honest) => honest,
                Err(why) => return (Ok(()), Err(why)),
            };
            let played = self.play(&mut random, &mut victims, &mut fuzzed, start, progress, stop);
            over.store(true, Ordering::Relaxed);
            let played = played.and_then(|()| random.end());
            (played, honest.join().unwrap_or_else(|_| Err(io::Error::other("the honest match has panicked"))))
        });
        let beside = honest_result?;
        random_result?;
        fuzzed.honest_matches += beside.honest_matches;
        fuzzed.spoilt += beside.spoilt;
        fuzzed.findings.extend(beside.findings);

        let victim = facts.victim;
        let known = |process: &i32| *process != victim && !before_all.contains(process);
        for process in self.settled(|| host::children().into_iter().filter(known).collect::<Vec<_>>()) {
            // SAFETY: numbers alone; it is a child of ours that nobody has waited for.
            unsafe { libc::kill(process, libc::SIGKILL) };
            fuzzed.findings.push(FuzzFinding { seed: None, what: format!("process {process} was left") });
        }
        for change in self.settled(|| before.changes(&Host::read(&referees), &restless)) {
            fuzzed.findings.push(FuzzFinding { seed: None, what: change });
        }
        if self.level == Isolation::None {
            traces::remove(facts.driver);
        }
        fuzzed.took_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        fuzzed.passed = fuzzed.findings.is_empty();
        Ok(fuzzed)
    }

    /// Plays matches with random calls until the time is over.
    fn play(
        &self,
        random: &mut Series,
        victims: &mut Victims,
        fuzzed: &mut FuzzDocument,
        start: Instant,
        progress: &dyn Fn(&FuzzDocument),
        stop: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let facts = victims.facts(&format!("agon-fuzz-{}-", std::process::id()));
        let mut warm = None;
        loop {
            let seed = Seed(self.seed.0.wrapping_add(fuzzed.matches));
            let played = contained(random.play(seed)?)?;
            if fuzzed.matches == WARM {
                warm = Some(played.has);
            }
            fuzzed.matches += 1;
            fuzzed.calls += played.calls;
            fuzzed.refused += played.refused;
            fuzzed.spoilt += u64::from(played.spoilt);
            count_end(&mut fuzzed.ends, &played);
            let mut found = failure(&played, &[1], warm);
            let left = leftovers::kill(&series::marker(&facts, seed));
            if !left.is_empty() {
                found.push(format!("{} processes were left", left.len()));
            }
            found.extend(victims.harm());
            let harmed = !found.is_empty();
            fuzzed.findings.extend(found.into_iter().map(|what| FuzzFinding { seed: Some(seed), what }));
            progress(fuzzed);
            if harmed || start.elapsed() >= self.time || self.level == Isolation::None || stop() {
                return Ok(());
            }
        }
    }

    fn judge_honest(&self, beside: &mut FuzzDocument, played: &Played, warm: Option<series::Has>) {
        beside.honest_matches += 1;
        beside.spoilt += u64::from(played.spoilt);
        let found = failure(played, &[0, 1], warm);
        let told = |what| FuzzFinding { seed: None, what: format!("the honest match beside: {what}") };
        beside.findings.extend(found.into_iter().map(told));
    }

    /// Looks again and again until nothing is found. Returns what is still found when the time is over.
    fn settled<T>(&self, look: impl Fn() -> Vec<T>) -> Vec<T> {
        let start = Instant::now();
        loop {
            let found = look();
            // Without isolation there is nothing that settles.
            if found.is_empty() || start.elapsed() > SETTLING || self.level == Isolation::None {
                return found;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Returns what is wrong with a match: a failure of one of these seats, or what the referee has more than after the
/// first matches.
fn failure(played: &Played, honest: &[usize], warm: Option<series::Has>) -> Vec<String> {
    if played.spoilt {
        return Vec::new();
    }
    if let Some(error) = &played.error {
        return vec![error.clone()];
    }
    let mut found = Vec::new();
    for seat in honest {
        match played.faults.get(*seat) {
            Some(None) => {}
            Some(Some(fault)) => found.push(format!("the honest bot in seat {}: {fault}", seat + 1)),
            None => found.push("the referee did not report two seats".to_owned()),
        }
    }
    if honest.len() == 1 && played.places.get(1) != Some(&1) {
        found.push("the honest opponent came second".to_owned());
    }
    if let Some(warm) = warm {
        let has = played.has;
        for (what, now, then) in [
            ("open files", has.files, warm.files),
            ("threads", has.threads, warm.threads),
            ("children", has.children, warm.children),
        ] {
            if now > then {
                found.push(format!("the referee has {now} {what} after the match and had {then}"));
            }
        }
        let grown = has.memory_kib.saturating_sub(warm.memory_kib);
        if grown > MAX_GROWTH_KIB {
            found.push(format!("the referee has grown by {grown} KiB"));
        }
    }
    found
}

fn contained(played: Played) -> io::Result<Played> {
    match &played.unverified {
        Some(why) => Err(io::Error::other(format!("the level does not contain the minimum: {why}"))),
        None => Ok(played),
    }
}

/// Counts how the bot with the calls ended. The most frequent end comes first.
fn count_end(ends: &mut Vec<FuzzEnd>, played: &Played) {
    let end = match (played.spoilt, played.faults.first()) {
        (true, _) => "spoilt".to_owned(),
        (false, Some(Some(Fault::Crashed { exit: Exit::Code(_), .. }))) => "crashed, an exit code".to_owned(),
        (false, Some(Some(fault))) => comparison::name(fault),
        (false, Some(None)) => "plays on".to_owned(),
        (false, None) => "not played".to_owned(),
    };
    match ends.iter_mut().find(|known| known.end == end) {
        Some(known) => known.matches += 1,
        None => ends.push(FuzzEnd { end, matches: 1 }),
    }
    ends.sort_by_key(|end| Reverse(end.matches));
}

/// Makes this process the parent of every process below it whose parent has ended, so that none of them is overlooked.
fn adopt_orphans(adopt: bool) {
    #[cfg(target_os = "linux")]
    // SAFETY: numbers alone.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, i64::from(adopt), 0, 0, 0)
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use series::Has;

    #[test]
    fn faults_of_honest_bots_and_what_a_referee_keeps_are_found() {
        let crash = Fault::Crashed { exit: Exit::Code(3), stderr: String::new(), memory_mib: None };
        let fine = Played { faults: vec![Some(crash.clone()), None], places: vec![2, 1], ..Played::default() };
        assert_eq!(failure(&fine, &[1], None), [""; 0]);
        assert_eq!(failure(&fine, &[0, 1], None).len(), 1, "in an honest match both seats are honest");
        let second = Played { places: vec![1, 2], ..fine.clone() };
        assert_eq!(failure(&second, &[1], None), ["the honest opponent came second"]);
        let warm = Has { files: 7, threads: 1, children: 1, memory_kib: 100 };
        let more = Has { files: 8, threads: 1, children: 2, memory_kib: 101 + MAX_GROWTH_KIB };
        assert_eq!(failure(&Played { has: more, ..fine.clone() }, &[1], Some(warm)).len(), 3);
        assert_eq!(failure(&Played { has: warm, ..fine.clone() }, &[1], Some(warm)), [""; 0]);
        let error = Played { error: Some("never started".into()), ..fine };
        assert_eq!(failure(&error, &[1], None), ["never started"]);
        assert_eq!(failure(&Played { spoilt: true, ..error }, &[1], None), [""; 0]);
    }
}
