//! One bot: its state, and the work that is pending for it.

use crate::{
    Capture, Host, Program, StartError, counters,
    evidence::{Evidence, weigh},
    exit,
    held::Held,
    launch::Begun,
    memory::MemoryWatch,
    meter::Meter,
    pause::Pause,
    pipes::{Open, Pipes},
    play::InputState,
    reach::Reach,
};
use agon_core::Seat;
use agon_referee::Exit;
use agon_sandbox::Shortage;
use std::time::Duration;

/// The pipe that a bot has closed, while it is not known yet whether its process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Closing {
    /// Its stdout.
    Output,
    /// Its stdin.
    Input,
}

/// The pipes of a bot, as the runner uses them.
#[derive(Debug)]
pub(crate) struct Streams {
    pub open: Open,
    /// Whether its stdin is full and something is left to write.
    pub pending: bool,
    pub drain: Option<Drain>,
    pub closing: Option<(Closing, Duration)>,
    /// Whether it was already given more time to exit.
    excused: bool,
    /// Nothing is read from its stderr before this instant, because it writes too much.
    pub muted: Option<Duration>,
    pub stderr: Capture,
}

impl Streams {
    /// Begins with open pipes, and keeps so many bytes of its stderr.
    fn new(stderr: usize) -> Self {
        Self {
            open: Open { stdin: true, stdout: true, stderr: true },
            pending: false,
            drain: None,
            closing: None,
            excused: false,
            muted: None,
            stderr: Capture::new(stderr),
        }
    }

    /// Ends the dialogue: nothing more is written to the bot, and its output is not read.
    pub(crate) fn end_dialogue(&mut self) {
        (self.open.stdin, self.open.stdout) = (false, false);
        (self.pending, self.drain, self.closing) = (false, None, None);
    }
}

/// How the process of a bot ended.
#[derive(Debug, Default)]
pub(crate) struct End {
    /// How it exited. `None` until that is known.
    pub exit: Option<Exit>,
    /// Whether the runner killed it before it exited by itself.
    pub killed: bool,
    /// How far it had read its input when it was killed for its failure.
    pub input: InputState,
    /// Whether its process was waited for. From then on the system may give its process ID to another process.
    reaped: bool,
}

/// What is known about a bot's answer to the last prompt.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Measures where its time goes.
    pub meter: Meter,
    /// The instant from which it counts as slow.
    pub slow_at: Duration,
    /// How much had been [missed](Shortage::missed) when the prompt was written.
    pub missed: u64,
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
    /// Its processes, and whether they are stopped.
    pub pause: Pause,
    pub streams: Streams,
    pub answer: Answer,
    pub end: End,
    /// Set if a host runs it.
    pub host: Option<Host>,
}

/// How long the runner waits for a process that is ending. On a loaded machine, a process with much memory takes a
/// while to end, and so do the sandbox processes around it.
const LAST_BREATH: Duration = Duration::from_secs(2);

impl Bot {
    /// Starts the program of a bot.
    pub(crate) fn start(seat: Seat, program: &Program) -> Result<Arriving, StartError> {
        program.start().map(|begun| Arriving { seat, begun, host: program.host })
    }

    /// Whether the bot has closed a pipe because its process is ending. If so, this gives it more time, but only once:
    /// the exit explains the fault better than the closed pipe.
    pub(crate) fn is_excused(&mut self, now: Duration) -> bool {
        let Some((closing, _)) = self.streams.closing.filter(|_| !self.streams.excused) else { return false };
        self.streams.excused = counters::is_ending(self.reach().main());
        if self.streams.excused {
            self.streams.closing = Some((closing, now + LAST_BREATH));
        }
        self.streams.excused
    }

    /// How the process ended, or `None` while it runs.
    pub(crate) fn look(&mut self) -> Option<&Exit> {
        if self.end.exit.is_none() && !self.end.reaped {
            self.end.exit = self.held.look();
            if self.end.exit.is_some() {
                self.pause.end();
            }
        }
        self.end.exit.as_ref()
    }

    /// Kills the whole process group. The signal is always SIGKILL, because no process can ignore it and it ends
    /// stopped processes too.
    pub(crate) fn kill(&mut self) {
        if self.look().is_none() {
            self.end.killed = true;
            self.pause.end();
        }
        // This is needed even if the bot itself has exited: its children may still run in its group.
        self.held.kill();
        self.streams.end_dialogue();
        self.streams.open.stderr = false;
    }

    /// Whether the bot was killed because it used more memory than it may, by its watch or by a control group.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        if self.held.memory().is_some_and(MemoryWatch::is_exceeded) {
            return true;
        }
        match &self.held {
            Held::Outside(..) => false,
            #[cfg(target_os = "linux")]
            Held::Inside(process) => matches!(self.end.exit, Some(Exit::Signal(_))) && process.ran_out_of_memory(),
        }
    }

    /// What else the bot had too much of, in words, so that its watch has killed it.
    pub(crate) fn excess(&self) -> Option<String> {
        #[cfg(target_os = "linux")]
        return self.held.memory().and_then(MemoryWatch::excess).map(|excess| excess.to_string());
        #[cfg(not(target_os = "linux"))]
        None
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

    /// Notes that the bot has answered.
    pub(crate) fn leave_turn(&mut self, now: Duration) {
        if self.end.exit.is_none() && !self.end.killed {
            self.pause.leave_turn(now);
        }
    }

    /// Whether it seems to wait for input: none of its threads runs or waits for a core, and it does not sleep for a time of its
    /// own.
    pub(crate) fn is_waiting(&self) -> bool {
        let processes = self.reach().processes();
        let is_awake = |process: &i32| counters::is_ready(*process) || counters::is_stopped(*process);
        self.end.exit.is_none() && !processes.iter().any(is_awake) && !counters::is_napping(&processes)
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.pause.reach
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

    /// Waits for the process, which was killed or has exited, so that the system removes it.
    pub(crate) fn reap(&mut self) {
        // From then on its IDs may belong to other processes.
        self.pause.end();
        // An error means that something else has waited for it, such as a SIGCHLD handler in a program that uses Agon.
        if let Ok(status) = self.held.wait()
            && self.end.exit.is_none()
        {
            self.end.exit = Some(exit::exit(status));
        }
        self.end.reaped = true;
    }
}

impl Arriving {
    /// Waits until the program runs. `stderr` is how many bytes of its stderr are kept. Its pipes never block.
    /// `memory_mib` limits the memory of a program without a sandbox. `at_each_answer` says when it is [stopped](Pause).
    pub(crate) fn arrive(
        self,
        stderr: usize,
        memory_mib: Option<u32>,
        at_each_answer: bool,
    ) -> Result<(Pipes, Bot), StartError> {
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
        let bot = Bot {
            held,
            pause: Pause::new(reach, at_each_answer),
            streams: Streams::new(stderr),
            answer: Answer { meter, slow_at: Duration::ZERO, missed: Shortage::missed() },
            end: End::default(),
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
        if !self.end.reaped {
            self.kill();
            self.reap();
        }
    }
}
