//! One match from the first process to the last.

use crate::{
    CancelFlag, Capture, Launch, People, Program, StartError, cores,
    pin::Pinned,
    pipes::{self, Pipes},
    seat::{Arriving, Bot},
    steal::StealTime,
    timing::Timing,
    turns::{Clock, Left, Polling, Sinks, Turns, timespec},
};
use agon_core::{Seat, Standing};
use agon_referee::{AnyReferee, Denial, Exit, FaultRecord, In, LastWords, MatchEvent, SeatKind, Times};
use agon_sandbox::Shortage;
use rustix::{
    event::{PollFd, PollFlags, poll},
    fd::AsFd,
};
use std::{
    io,
    time::{Duration, Instant},
};

/// How a match is run. [`Options::default`] is what a match on the command line needs.
pub struct Options<'a> {
    /// Receives everything that bots read and write, as it happens. `None` keeps no transcript.
    pub transcript: Option<&'a mut (dyn FnMut(Chunk<'_>) + 'a)>,
    /// The cores on which this thread stays for the match; see [`cores`]. If the list is empty, the system
    /// chooses the cores.
    pub cores: Vec<usize>,
    /// The cores on which the bot of each seat stays. A bot without an entry, or with an empty one, uses those of this
    /// thread.
    pub seat_cores: Vec<Vec<usize>>,
    /// How long bots may take to exit by themselves after the match. A bot that takes longer is killed.
    pub grace: Duration,
    /// The decisions and requests of people. Required if a person plays in one of the seats.
    pub people: Option<People>,
    /// Receives the messages to these people. `None` drops them.
    pub notices: Option<&'a mut (dyn FnMut(Notice<'_>) + 'a)>,
}

/// A message to the people who take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice<'a> {
    /// The match waits for a decision.
    Asked {
        /// The seat that decides.
        seat: Seat,
    },
    /// A decision or another request was refused.
    Denied {
        /// The seat that decided, or `None` if the request was an undo or another position.
        seat: Option<Seat>,
        /// The reason, for the person who asked.
        why: &'a Denial,
    },
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            transcript: None,
            cores: Vec::new(),
            seat_cores: Vec::new(),
            grace: Duration::from_millis(40),
            people: None,
            notices: None,
        }
    }
}

/// One of a bot's three standard streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Its stdin: what the referee sends to the bot.
    In,
    /// Its stdout: what the bot answers.
    Out,
    /// Its stderr.
    Err,
}

impl Stream {
    /// The name of the stream in a transcript: `in`, `out` or `err`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Err => "err",
        }
    }
}

/// A piece of what a bot has read or written.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The ply that was being played, counted from 1. During the greeting it is 1 too.
    pub ply: u32,
    /// The seat whose bot read or wrote these bytes.
    pub seat: Seat,
    /// The stream that carried the bytes.
    pub stream: Stream,
    /// The time since the start of the match.
    pub at: Duration,
    /// The bytes of one read or write, unchanged. A chunk can begin and end within a line.
    pub bytes: &'a [u8],
}

/// Whether a match was played to its end, and if not, why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The match ended by the rules of the game.
    Finished,
    /// Programs of these seats could not be started. The match has no result.
    NeverStarted(Vec<(Seat, StartError)>),
    /// The [`CancelFlag`] was set, or the match waited for a person after the last
    /// [`PeopleHandle`](crate::PeopleHandle) was dropped. The match has no result.
    Interrupted,
    /// The host was short of something that the match needs. The match has no result, and nobody has lost.
    Short(Shortage),
}

/// What [`play()`] returns about a match.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How the match ended, and so whether it has a result.
    pub ended: Ended,
    /// Scores and places. If the match has no result, they are those of the last position.
    pub standing: Standing,
    /// How many plies were played.
    pub plies: u32,
    /// The wall time from the start of the first process to the end of the last ply.
    pub wall: Duration,
    /// One entry for each seat, in the order of the seats.
    pub seats: Vec<SeatOutcome>,
}

/// What happened in one seat.
#[derive(Clone, Debug)]
pub struct SeatOutcome {
    /// The fault of the seat, or `None` if it played without a fault.
    pub fault: Option<FaultRecord>,
    /// How long its decisions took.
    pub times: Times,
    /// The part of the bot's stderr that was kept.
    pub stderr: Capture,
    /// How the process of the bot ended. `None` if the runner killed it, or if no process plays in this seat.
    pub exit: Option<Exit>,
    /// The end of the conversation with the bot. `None` unless it failed.
    pub last_words: Option<LastWords>,
    /// The most memory that the bot was seen to use, in MiB. `None` if its memory is not watched, or a host runs the bot.
    pub peak_mib: Option<u64>,
    /// How far the bot had read what was sent to it when it was killed for its failure.
    pub input: InputState,
}

/// How far a bot has read what was sent to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputState {
    /// Something is left in its pipe, or did not fit into it.
    Unread,
    /// It has read everything, or nobody looked.
    #[default]
    Read,
    /// It has read everything and waits for more: none of its threads computes, and it does not sleep for a time of its own.
    Waiting,
}

/// Plays a match to its end on this thread and leaves no process behind. `launches` has one entry for each seat.
///
/// `observer` is called for every event as it happens. Its time is not charged to any bot.
///
/// # Errors
/// * The launches do not match the machine's seats.
/// * A person plays in a seat and [`Options::people`] is not set.
/// * The system refuses something that the match needs before it begins, such as a move to a core that does not exist.
pub fn play(
    machine: &mut dyn AnyReferee,
    launches: &[Launch],
    observer: &mut dyn FnMut(&MatchEvent),
    cancel: &CancelFlag,
    options: Options<'_>,
) -> io::Result<Outcome> {
    check(machine, launches, options.people.is_some())?;
    #[cfg(target_os = "linux")]
    agon_sandbox::watch_memory_on_these_cores();
    let pin = Some(&options.cores).filter(|cores| !cores.is_empty());
    let _pinned = pin.map(|cores| Pinned::to(cores)).transpose()?;
    let stderr = machine.spec().limits.stderr as usize;
    let people = options.people.as_ref();

    let start = Instant::now();
    let mut pipes: Vec<Pipes> = Vec::new();
    let mut bots: Vec<Option<Bot>> = Vec::new();
    let mut never_started = Vec::new();
    // All bots start before any is waited for, so that their sandboxes are made at the same time.
    let arriving: Vec<_> = launches
        .iter()
        .enumerate()
        .map(|(i, launch)| match launch {
            Launch::Builtin | Launch::Human => None,
            Launch::Program(program) => Some(start_on(options.seat_cores.get(i), Seat::new(i), program)),
        })
        .collect();
    let settings = machine.settings();
    for (i, arriving) in arriving.into_iter().enumerate() {
        let memory_mib = machine.spec().memory_mib(Seat::new(i));
        let arrive = |arriving: Arriving| arriving.arrive(stderr, memory_mib, settings.in_turn);
        bots.push(match arriving.map(|started| started.and_then(arrive)) {
            None => None,
            Some(Ok((pipe, mut bot))) => {
                pipes.push(pipe);
                // It starts in its first turn, in one piece.
                if settings.freeze && settings.in_turn {
                    bot.pause.stop(start.elapsed());
                }
                Some(bot)
            }
            Some(Err(why)) => {
                never_started.push((Seat::new(i), why));
                None
            }
        });
    }

    let seat_cores = options.seat_cores.iter().map(Vec::len).filter(|cores| *cores > 0).max();
    // Without a process, the reading would be a tenth of a short match.
    let steal = if pipes.is_empty() { StealTime::default() } else { StealTime::over(&options.seat_cores) };
    let timing = Timing::new(machine.spec(), seat_cores.unwrap_or_else(|| cores().len()).max(1) as u32, steal);
    let mut turns = Turns {
        machine,
        bots,
        sinks: Sinks { observer, transcript: options.transcript, notices: options.notices },
        cancel,
        clock: Clock { start, now: Duration::ZERO },
        timing,
        polling: Polling::default(),
        buffer: vec![0; 64 << 10].into_boxed_slice(),
        short: None,
    };
    let at = turns.clock.read();
    match never_started.first() {
        Some((seat, why)) => turns.machine.feed(at, In::NeverStarted { seat: *seat, reason: &why.to_string() }),
        None => turns.machine.feed(at, In::Begin),
    }
    let left = turns.run(&mut pipes, people);
    let left = match left {
        Ok(broken_off @ (Left::Cancelled | Left::Short(_))) => {
            turns.kill_all();
            let at = turns.clock.read();
            turns.machine.feed(at, In::Abort);
            turns.run(&mut pipes, people).map(|_| broken_off)
        }
        left => left,
    };
    let left = left.or_else(|error| Shortage::among_causes(&error).map(Left::Short).ok_or(error));
    let wall = turns.clock.read();
    turns.send_home(&mut pipes, options.grace);
    let left = left?;

    let ended = match left {
        _ if !never_started.is_empty() => Ended::NeverStarted(never_started),
        Left::Over => Ended::Finished,
        Left::Cancelled => Ended::Interrupted,
        Left::Short(shortage) => Ended::Short(shortage),
    };
    let bots = core::mem::take(&mut turns.bots);
    let seats = bots.into_iter().enumerate().map(|(i, bot)| {
        let (input, peak_mib) = bot.as_ref().map_or_else(Default::default, |bot| (bot.end.input, bot.peak_mib()));
        let (stderr, exit) = bot.map_or_else(Default::default, |mut bot| {
            (core::mem::take(&mut bot.streams.stderr), bot.end.exit.take().filter(|_| !bot.end.killed))
        });
        let seat = Seat::new(i);
        let (fault, times) = (machine.fault(seat).cloned(), machine.times(seat).clone());
        let last_words = machine.last_words(seat).cloned();
        SeatOutcome { fault, times, stderr, exit, last_words, peak_mib, input }
    });
    let seats = seats.collect();
    Ok(Outcome { ended, standing: machine.standing(), plies: machine.plies(), wall, seats })
}

/// Starts a program on these cores, or on those of this thread.
fn start_on(cores: Option<&Vec<usize>>, seat: Seat, program: &Program) -> Result<Arriving, StartError> {
    let cores = cores.filter(|cores| !cores.is_empty());
    let _pinned = match cores.map(|cores| Pinned::to(cores)).transpose() {
        Ok(pinned) => pinned,
        Err(why) => return Err(StartError::io("its cores", &why)),
    };
    Bot::start(seat, program)
}

/// Checks that the launches match the seats of the machine.
fn check(machine: &dyn AnyReferee, launches: &[Launch], people: bool) -> io::Result<()> {
    let wrong = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let seats = machine.spec().seats.len();
    if launches.len() != seats {
        return wrong(format!("{} bots for {seats} seats", launches.len()));
    }
    for (i, launch) in launches.iter().enumerate() {
        let seat = Seat::new(i);
        match (machine.kind(seat), launch) {
            (SeatKind::Process, Launch::Program(_)) | (SeatKind::Builtin(_), Launch::Builtin) => {}
            (SeatKind::Human, Launch::Human) if people => {}
            (SeatKind::Human, _) => return wrong(format!("seat {seat} needs `Launch::Human` and `Options::people`")),
            _ => return wrong(format!("seat {seat} has another kind of launch than its referee expects")),
        }
    }
    Ok(())
}

impl Turns<'_, '_> {
    fn kill_all(&mut self) {
        self.bots.iter_mut().flatten().for_each(Bot::kill);
    }

    /// Ends the bots after a match: closes their input, gives them `grace` to exit, and kills those that still run.
    fn send_home(&mut self, pipes: &mut [Pipes], grace: Duration) {
        let until = self.clock.read() + grace;
        for pipe in &mut *pipes {
            pipe.stdin = None;
        }
        loop {
            let mut living = Vec::new();
            for pipe in &*pipes {
                self.last_errors(pipe);
                self.swallow_output(pipe);
                if let Some(bot) = &mut self.bots[pipe.seat.index()]
                    && !bot.end.killed
                    && bot.look().is_none()
                {
                    living.push(pipe);
                }
            }
            let left = until.saturating_sub(self.clock.read());
            if living.is_empty() || left.is_zero() || self.cancel.is_cancelled() {
                break;
            }
            // The next check comes within a millisecond, so that a bot that writes before it exits does not block.
            let ended = living.iter().filter_map(|pipe| pipe.ended.as_ref());
            let mut fds: Vec<_> = ended.map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)).collect();
            let pause = timespec(left.min(Duration::from_millis(1)));
            if poll(&mut fds, Some(&pause)).is_err_and(|error| error != rustix::io::Errno::INTR) {
                break;
            }
        }
        self.kill_all();
        for pipe in &*pipes {
            if let Some(bot) = &mut self.bots[pipe.seat.index()] {
                bot.reap();
                bot.streams.open.stderr = true;
            }
            self.last_errors(pipe);
        }
    }

    /// Reads and discards what a bot writes after the end of the match.
    fn swallow_output(&mut self, pipe: &Pipes) {
        let open = self.bots[pipe.seat.index()].as_ref().is_some_and(|bot| bot.streams.open.stdout);
        if let Some(stdout) = pipe.stdout.as_ref().filter(|_| open) {
            let _ = pipes::read(stdout, &mut self.buffer);
        }
    }
}
