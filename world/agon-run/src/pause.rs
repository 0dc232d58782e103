//! Stops a bot outside its own turn, with all its processes, and lets it continue.
//!
//! A bot that shares its core is stopped whenever it has answered. What it computed after that would be its opponent's time. A bot
//! with cores of its own takes nobody's time, so it is only looked at while its opponent thinks: one that computes is stopped then,
//! and from then on whenever it has answered.
//!
//! What a bot still has to do after an answer, such as collecting garbage, it does at the beginning of its next turn, and is charged
//! for it.

use crate::{
    counters::Stillness,
    reach::{Reach, signal_all},
    turns::ROUND,
};
use rustix::process::Signal;
use std::time::Duration;

/// The CPU time that a bot with cores of its own may use outside its turn. Runtimes do some housekeeping now and then.
const ALLOWANCE: Duration = Duration::from_millis(2);
/// The time until the first look whether a bot has stopped, and between two looks. It is longer than a tick of most kernels: a shorter
/// timer costs more.
const LOOK: Duration = Duration::from_millis(5);
/// The time between two such looks at a bot whose threads wait in the kernel for each other, and never stop. Each has a signal that
/// stops it before it computes again, so there is no hurry, and each look takes the opponent's time.
const BLOCKED: Duration = Duration::from_millis(64);
/// After this time a bot counts as stopped.
const STOPPING: Duration = Duration::from_millis(40);
/// The CPU time that a stopped bot may use, because the system uses some on its behalf.
const STOPPED: Duration = Duration::from_millis(1);

/// Whether a bot runs, and what stops it.
#[derive(Debug)]
pub(crate) struct Pause {
    pub reach: Reach,
    /// Whether the bot is stopped whenever it has answered.
    at_each_answer: bool,
    state: State,
    /// The CPU time that it has used outside its turn although it must not.
    used: Duration,
}

#[derive(Debug)]
enum State {
    /// It may compute, or it has ended.
    Runs,
    /// It must not compute, but was not stopped. `before` is its CPU time at the first look.
    OffTurn {
        look: Duration,
        before: Option<Duration>,
    },
    Stopped(Stopped),
}

#[derive(Clone, Copy, Debug)]
struct Stopped {
    since: Duration,
    /// When to look again whether all its processes have stopped. `None` once they have.
    look: Option<Duration>,
    /// What [`Reach::stop`] has returned.
    is_alone: bool,
    /// Its CPU time at the moment when all its processes had stopped. `None` until they have: a process with threads
    /// stops only when its first thread has got a core.
    still: Option<Duration>,
}

impl Pause {
    /// Makes the pause of a bot that runs.
    pub(crate) fn new(reach: Reach, at_each_answer: bool) -> Self {
        Self { reach, at_each_answer, state: State::Runs, used: Duration::ZERO }
    }

    /// Notes that the bot has answered and must not compute from now on.
    pub(crate) fn leave_turn(&mut self, now: Duration) {
        if self.at_each_answer {
            self.stop(now);
        } else {
            self.state = State::OffTurn { look: now.saturating_add(ROUND), before: None };
        }
    }

    /// Begins the turn of the bot, and lets it continue if it was stopped. Returns the CPU time that it has used outside its turn
    /// although it must not.
    pub(crate) fn enter_turn(&mut self) -> Duration {
        if let State::Stopped(Stopped { still, is_alone, .. }) = std::mem::replace(&mut self.state, State::Runs) {
            let used = still.map_or(Duration::ZERO, |still| self.reach.cpu_time().saturating_sub(still));
            if used > STOPPED {
                self.used += used;
            }
            self.reach.go_on(is_alone);
        }
        std::mem::take(&mut self.used)
    }

    /// Stops the bot until its next turn.
    pub(crate) fn stop(&mut self, now: Duration) {
        if !matches!(self.state, State::Stopped(_)) {
            let is_alone = self.reach.stop();
            let look = Some(now.saturating_add(LOOK));
            self.state = State::Stopped(Stopped { since: now, look, is_alone, still: None });
        }
    }

    /// Ends all looks at the bot, because it has ended. From the moment when it was waited for, its IDs may belong to other
    /// processes.
    pub(crate) fn end(&mut self) {
        self.state = State::Runs;
    }

    /// When to look at the bot next. `None` if there is no need.
    pub(crate) fn next_look(&self) -> Option<Duration> {
        match self.state {
            State::Runs => None,
            State::OffTurn { look, .. } => Some(look),
            State::Stopped(Stopped { look, .. }) => look,
        }
    }

    /// Takes a look at the bot: whether it computes outside its turn, or whether it has stopped.
    pub(crate) fn look(&mut self, now: Duration) {
        match self.state {
            State::Runs => {}
            State::OffTurn { before, .. } => {
                let cpu = self.reach.cpu_time();
                let used = before.map_or(Duration::ZERO, |before| cpu.saturating_sub(before));
                self.state = State::OffTurn { look: now.saturating_add(ROUND), before: before.or(Some(cpu)) };
                if used > ALLOWANCE {
                    self.at_each_answer = true;
                    self.used += used;
                    self.stop(now);
                }
            }
            State::Stopped(stopped) => self.state = State::Stopped(self.check_stopped(stopped, now)),
        }
    }

    /// Looks whether the bot has stopped. If so, notes its CPU time, which must not grow from then on. If not, stops it again: a
    /// process may have been started while the others were being stopped, and the kernel forgets to stop a process that executes
    /// another program at that moment.
    fn check_stopped(&self, stopped: Stopped, now: Duration) -> Stopped {
        let (stillness, processes) = self.reach.stillness();
        let is_over = stillness == Stillness::Stopped || now >= stopped.since.saturating_add(STOPPING);
        let still = stopped.still.or_else(|| is_over.then(|| self.reach.cpu_time()));
        let (is_alone, look) = match stillness {
            Stillness::Stopped => (stopped.is_alone, None),
            // These were all found a moment ago. To look for them again would take the opponent's time.
            Stillness::Blocked => {
                signal_all(&processes, Signal::STOP);
                (false, Some(BLOCKED))
            }
            Stillness::Awake => (self.reach.stop(), Some(LOOK)),
        };
        Stopped { look: look.map(|pause| now.saturating_add(pause)), is_alone, still, ..stopped }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::{
        counters,
        shell::{Shell, in_the_end},
    };

    /// Looks as often as there is need, at the instant of each look.
    fn looked(pause: &mut Pause) -> Option<Duration> {
        let at = pause.next_look()?;
        pause.look(at);
        Some(at)
    }

    fn is_stopped(pause: &Pause) -> bool {
        matches!(pause.state, State::Stopped(_))
    }

    #[test]
    fn a_bot_that_shares_its_core_is_stopped_at_each_answer() {
        for script in ["while :; do :; done", "echo; read x"] {
            let bot = Shell::new(script);
            let mut pause = Pause::new(bot.reach(), true);
            for turn in 0..3 {
                pause.leave_turn(Duration::from_secs(turn));
                assert!(in_the_end(|| counters::is_stopped(bot.id())), "{script}");
                assert!(in_the_end(|| looked(&mut pause).is_none()), "no look once it has stopped");
                assert_eq!(pause.enter_turn(), Duration::ZERO);
                assert!(in_the_end(|| !counters::is_stopped(bot.id())));
                assert_eq!(pause.next_look(), None);
            }
        }
    }

    #[test]
    fn with_a_core_of_its_own_only_a_bot_that_computes_is_stopped_and_then_always() {
        let (spinner, sleeper) = (Shell::new("while :; do :; done"), Shell::asleep());
        let mut pauses = [&spinner, &sleeper].map(|bot| Pause::new(bot.reach(), false));
        pauses.iter_mut().for_each(|pause| pause.leave_turn(Duration::ZERO));
        for look in 1..50 {
            assert_eq!(looked(&mut pauses[1]), Some(ROUND * look), "it is looked at, and sleeps");
        }
        let [spins, _] = &mut pauses;
        assert!(in_the_end(|| looked(spins).is_some() && is_stopped(spins)));
        assert!(spins.enter_turn() > ALLOWANCE, "it is told");
        spins.leave_turn(Duration::ZERO);
        assert!(is_stopped(spins));
        assert!(!is_stopped(&pauses[1]));
    }

    #[test]
    fn children_are_stopped_too() {
        let parent = Shell::new("while :; do :; done & wait");
        assert!(in_the_end(|| counters::tree(parent.id()).len() >= 2));
        let mut pause = Pause::new(parent.reach(), true);
        pause.leave_turn(Duration::ZERO);
        assert!(in_the_end(|| counters::tree(parent.id()).into_iter().all(counters::is_stopped)));
        pause.enter_turn();
        assert!(in_the_end(|| !counters::tree(parent.id()).into_iter().any(counters::is_stopped)));
    }

    #[test]
    fn a_bot_that_has_ended_is_left_alone() {
        let bot = Shell::new("while :; do :; done");
        let mut pause = Pause::new(bot.reach(), true);
        pause.leave_turn(Duration::ZERO);
        pause.end();
        assert_eq!((pause.next_look(), pause.enter_turn()), (None, Duration::ZERO));
    }
}
