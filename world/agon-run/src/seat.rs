//! One bot: its state, and the work that is pending for it.

use crate::{
    Capture, Host, Program, StartError,
    counters::{self, Stillness},
    evidence::{Evidence, weigh},
    exit,
    held::Held,
    launch::Begun,
    memory::MemoryWatch,
    meter::Meter,
    pipes::{Open, Pipes},
    reach::{Reach, signal_all},
    watchdog::WatchedBot,
};
use agon_core::Seat;
use agon_referee::Exit;
use rustix::process::Signal;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The pipe that a bot has closed, while it is not known yet whether its process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Closing {
    /// Its stdout.
    Output,
    /// Its stdin.
    Input,
}

/// A prompt that waits until the bot has read everything that was sent before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drain {
    /// The prompt is written at this instant even if the bot has not read everything.
    pub until: Duration,
    /// The time of the next check.
    pub look: Duration,
    /// The pause after that check. It doubles with every check.
    pub pause: Duration,
}

/// A bot that was started, but may not run yet.
pub(crate) struct Arriving {
    seat: Seat,
    begun: Begun,
    host: Option<Host>,
}

/// The state of a bot.
#[derive(Debug)]
pub(crate) struct Bot {
    held: Held,
    pub open: Open,
    /// Whether its stdin is full and something is left to write.
    pub pending: bool,
    pub drain: Option<Drain>,
    pub closing: Option<(Closing, Duration)>,
    /// Whether it was already given more time to exit.
    excused: bool,
    /// Nothing is read from its stderr before this instant, because it writes too much.
    pub muted: Option<Duration>,
    /// How its process ended. `None` until that is known.
    pub exit: Option<Exit>,
    /// Whether the runner killed it before it exited by itself.
    pub killed: bool,
    /// Whether it was waiting for input when it was killed for its failure.
    pub waiting: bool,
    /// Whether its process was waited for. From then on the system may give its process ID to another process.
    reaped: bool,
    pub stderr: Capture,
    /// Measures where the time of its answers goes.
    pub meter: Meter,
    /// The instant from which its answer to the last prompt counts as slow.
    pub slow_at: Duration,
    /// When its last prompt was written.
    pub asked: Duration,
    /// Whether it was ever stopped for computing outside its turn.
    caught: bool,
    /// Set while it is frozen.
    frozen: Option<Frozen>,
    /// Its processes, and whether the watchdog looks at them.
    pub watched: Arc<WatchedBot>,
    /// Set if a host runs it.
    pub host: Option<Host>,
}

/// The state of a frozen bot.
#[derive(Clone, Copy, Debug)]
struct Frozen {
    since: Duration,
    /// When to check again whether all its processes have stopped. `None` once they have.
    look: Option<Duration>,
    /// Its CPU time at the moment when all its processes had stopped. `None` until they have: a process with threads
    /// stops only when its first thread has got a core.
    still: Option<Duration>,
}

impl Frozen {
    fn since(since: Duration) -> Self {
        Self { since, look: Some(since.saturating_add(LOOK)), still: None }
    }
}

/// How long the runner waits for a process that is ending. On a loaded machine, a process with much memory takes a
/// while to end, and so do the sandbox processes around it.
const LAST_BREATH: Duration = Duration::from_secs(2);
/// An answer that takes longer than this is worth a look at the threads of the bot.
const QUICK: Duration = Duration::from_micros(100);
/// How many threads of a bot are looked at after such an answer.
const CROWD: usize = 6;
/// The time between two checks whether a frozen bot has stopped.
const LOOK: Duration = Duration::from_millis(2);
/// The time between two such checks of a bot whose threads wait in the kernel for each other, and never stop. Each has a signal that
/// stops it before it computes again, so there is no hurry, and each check takes the opponent's time.
const BLOCKED: Duration = Duration::from_millis(64);
/// After this time a frozen bot counts as stopped.
const STOPPING: Duration = Duration::from_millis(40);

impl Bot {
    /// Starts the program of a bot.
    pub(crate) fn start(seat: Seat, program: &Program) -> Result<Arriving, StartError> {
        program.start().map(|begun| Arriving { seat, begun, host: program.host })
    }

    /// Whether the bot has closed a pipe because its process is ending. If so, this gives it more time, but only once:
    /// the exit explains the fault better than the closed pipe.
    pub(crate) fn is_excused(&mut self, now: Duration) -> bool {
        let Some((closing, _)) = self.closing.filter(|_| !self.excused) else { return false };
        self.excused = counters::is_ending(self.reach().main());
        if self.excused {
            self.closing = Some((closing, now + LAST_BREATH));
        }
        self.excused
    }

    /// How the process ended, or `None` while it runs.
    pub(crate) fn look(&mut self) -> Option<&Exit> {
        if self.exit.is_none() && !self.reaped {
            self.exit = self.held.look();
            if self.exit.is_some() {
                self.watched.end();
            }
        }
        self.exit.as_ref()
    }

    /// Kills the whole process group. The signal is always SIGKILL, because no process can ignore it and it ends
    /// stopped processes too.
    pub(crate) fn kill(&mut self) {
        if self.look().is_none() {
            self.killed = true;
            self.watched.end();
        }
        // This is needed even if the bot itself has exited: its children may still run in its group.
        self.held.kill();
        self.open = Open { stdin: false, stdout: false, stderr: false };
        self.pending = false;
        self.drain = None;
        self.closing = None;
    }

    /// Whether the bot was killed because it used more memory than it may, by its watch or by a control group.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        if self.held.memory().is_some_and(MemoryWatch::is_exceeded) {
            return true;
        }
        match &self.held {
            Held::Outside(..) => false,
            #[cfg(target_os = "linux")]
            Held::Inside(process) => matches!(self.exit, Some(Exit::Signal(_))) && process.ran_out_of_memory(),
        }
    }

    /// Weighs whether the bot, which has ended in this way and with these last lines of stderr, died for lack of memory. Also
    /// returns the most memory that it used, in MiB.
    pub(crate) fn died_for_lack_of_memory(&self, exit: &Exit, stderr: &str) -> (Evidence, u64) {
        let Some(memory) = self.held.memory().filter(|_| self.host.is_none()) else { return (Evidence::None, 0) };
        (weigh(exit, memory.peak(), memory.limit(), stderr), memory.peak() >> 20)
    }

    /// The most memory that the bot was seen to use, in MiB. `None` if its memory is not watched, or a host runs the bot.
    pub(crate) fn peak_mib(&self) -> Option<u64> {
        self.held.memory().filter(|_| self.host.is_none()).map(|memory| memory.peak() >> 20)
    }

    /// Notes that the bot has answered. It is stopped as soon as it computes, and at once if it was caught before.
    pub(crate) fn leave_turn(&mut self, now: Duration) {
        if self.caught {
            self.hold(now);
        } else if self.frozen.is_none() && self.exit.is_none() && !self.killed {
            self.watched.leave_turn();
        }
    }

    /// Stops a bot at once that has written something, which may be its whole answer, if it was caught before or if
    /// several of its threads are ready to run. Such threads would keep the runner from a core while it reads counters.
    /// Returns whether it did.
    pub(crate) fn hold(&mut self, now: Duration) -> bool {
        if self.frozen.is_some() || self.exit.is_some() || self.killed {
            return false;
        }
        let slow = now.saturating_sub(self.asked) > QUICK;
        let holds = self.caught || slow && counters::ready_threads(self.reach().main(), CROWD) > 1;
        if holds {
            self.freeze(now);
        }
        holds
    }

    /// Notes that it has computed outside its turn. From now on it is stopped as soon as it has answered.
    pub(crate) fn catch(&mut self) {
        self.caught = true;
    }

    /// Begins its turn, and lets it continue if it was stopped. Returns the CPU time that it used although it was stopped.
    pub(crate) fn enter_turn(&mut self) -> Duration {
        let stopped = self.watched.end();
        self.caught |= stopped;
        if stopped || self.frozen.is_some() { self.thaw() } else { Duration::ZERO }
    }

    /// Notes that the watchdog has stopped it. Returns when, in the time of a match that began at `start`.
    pub(crate) fn note_stop(&mut self, start: Instant) -> Option<Duration> {
        let since = self.watched.take_stop()?.saturating_duration_since(start);
        self.caught = true;
        self.frozen = Some(Frozen::since(since));
        Some(since)
    }

    /// Whether the bot is outside its turn, is not stopped, and computes now.
    pub(crate) fn is_ready_off_turn(&self) -> bool {
        self.watched.is_off_turn()
            && self.exit.is_none()
            && !self.killed
            && self.reach().processes().into_iter().any(counters::is_ready)
    }

    /// Whether it seems to wait for input: none of its threads runs or waits for a core, and it does not sleep for a time of its
    /// own.
    pub(crate) fn is_waiting(&self) -> bool {
        let processes = self.reach().processes();
        let is_awake = |process: &i32| counters::is_ready(*process) || counters::is_stopped(*process);
        self.exit.is_none() && !processes.iter().any(is_awake) && !counters::is_napping(&processes)
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.watched.reach
    }

    /// Returns the CPU time of all processes of the bot, if it may have several and a control group counts it.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        match &self.held {
            Held::Outside(..) => None,
            #[cfg(target_os = "linux")]
            Held::Inside(process) if process.may_be_several() => process.cpu_time(),
            #[cfg(target_os = "linux")]
            Held::Inside(_) => None,
        }
    }

    /// Whether children of the bot may end without being counted.
    pub(crate) fn counts_partially(&self) -> bool {
        self.reach().may_be_several() && self.cpu_time().is_none()
    }

    /// Stops all its processes until its next turn.
    pub(crate) fn freeze(&mut self, now: Duration) {
        self.caught |= self.watched.end();
        self.stop();
        self.frozen = Some(Frozen::since(now));
    }

    /// When to check that a frozen bot has stopped. `None` if that is known, or if the bot is not frozen.
    pub(crate) fn settles(&self) -> Option<Duration> {
        self.frozen?.look
    }

    /// Checks whether a frozen bot has stopped. If so, notes its CPU time, which must not grow from then on. If not, stops
    /// it again: a process may have been started while the others were being stopped, and the kernel forgets to stop a
    /// process that executes another program at that moment.
    pub(crate) fn settle(&mut self, now: Duration) {
        let Some(Frozen { still, since, .. }) = self.frozen else { return };
        let is_over = now >= since.saturating_add(STOPPING);
        let reach = self.reach();
        let (stillness, processes) = reach.stillness();
        let is_due = still.is_none() && (stillness == Stillness::Stopped || is_over);
        let cpu = is_due.then(|| reach.cpu_time());
        let stopped = stillness == Stillness::Stopped;
        let Some(frozen) = &mut self.frozen else { return };
        frozen.still = frozen.still.or(cpu);
        let pause = if stillness == Stillness::Blocked { BLOCKED } else { LOOK };
        frozen.look = (!stopped).then_some(now.saturating_add(pause));
        match stillness {
            Stillness::Stopped => {
                if let Some(memory) = self.held.memory() {
                    memory.is_stopped(true);
                }
            }
            // These were all found a moment ago. To look for them again would take the opponent's time.
            Stillness::Blocked => {
                if self.is_there() {
                    signal_all(&processes, Signal::STOP);
                }
            }
            Stillness::Awake => self.stop(),
        }
    }

    /// Lets all processes of the bot continue. Returns the CPU time that they used after they had stopped.
    fn thaw(&mut self) -> Duration {
        let still = self.frozen.take().and_then(|frozen| frozen.still);
        let used = still.map(|still| self.reach().cpu_time().saturating_sub(still));
        if let Some(memory) = self.held.memory() {
            memory.is_stopped(false);
        }
        if self.is_there() {
            self.reach().go_on();
        }
        used.unwrap_or_default()
    }

    fn stop(&self) {
        if self.is_there() {
            self.reach().stop();
        }
    }

    /// Whether its IDs are still its own.
    fn is_there(&self) -> bool {
        self.exit.is_none() && !self.reaped
    }

    /// Waits for the process, which was killed or has exited, so that the system removes it.
    pub(crate) fn reap(&mut self) {
        // From then on its IDs may belong to other processes.
        self.watched.end();
        // An error means that something else has waited for it, such as a SIGCHLD handler in a program that uses Agon.
        if let Ok(status) = self.held.wait()
            && self.exit.is_none()
        {
            self.exit = Some(exit::exit(status));
        }
        self.reaped = true;
    }
}

impl Arriving {
    /// Waits until the program runs. `stderr` is how many bytes of its stderr are kept. Its pipes never block.
    /// `memory_mib` limits the memory of a program without a sandbox.
    pub(crate) fn arrive(self, stderr: usize, memory_mib: Option<u32>) -> Result<(Pipes, Bot), StartError> {
        let mut held = Held::arrive(self.begun)?;
        let spare = self.host.map_or(0, |host| host.spare_mib);
        if let Some(limit) = memory_mib.map(|mib| mib.saturating_add(spare)) {
            held.limit_memory(limit).map_err(|e| StartError::io("the watch over its memory", &e))?;
        }
        let (stdin, stdout, errors) = held.pipes();
        let pipes = Pipes { seat: self.seat, stdin, stdout, stderr: errors, ended: held.end() };
        let reach = Reach::of(&held);
        // A keeper may have kept other bots before.
        let meter = reach.keeper().map_or_else(Meter::default, |root| Meter::beside(counters::process(root)));
        let watched = Arc::new(WatchedBot::new(reach));
        let bot = Bot {
            held,
            open: Open { stdin: true, stdout: true, stderr: true },
            pending: false,
            drain: None,
            closing: None,
            excused: false,
            muted: None,
            exit: None,
            killed: false,
            waiting: false,
            reaped: false,
            stderr: Capture::new(stderr),
            meter,
            slow_at: Duration::ZERO,
            asked: Duration::ZERO,
            caught: false,
            frozen: None,
            watched,
            host: self.host,
        };
        match pipes.unblock() {
            Ok(()) => Ok((pipes, bot)),
            Err(errno) => Err(StartError::System { what: "cannot set up its pipes".into(), errno }),
        }
    }
}

/// A bot never outlives its match, not even if the match panics.
impl Drop for Bot {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            self.reap();
        }
    }
}
