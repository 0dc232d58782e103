//! One match from the first process to the last.

use crate::{
    CancelFlag, Capture, Launch, People, StartError,
    memory::MemoryWatch,
    pin::Pinned,
    seat::{Bot, Pipes},
    timing::Timing,
    turns::{Left, Turns, timespec},
};
use agon_core::{Seat, Standing};
use agon_referee::{AnyReferee, Denial, Exit, FaultRecord, In, MatchEvent, SeatKind, Times};
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
    /// Where everything goes that bots read and write, as it happens.
    pub transcript: Option<&'a mut (dyn FnMut(Chunk<'_>) + 'a)>,
    /// The cores on which this thread and the bots stay for the match; see [`cores`](crate::cores). Empty: wherever the
    /// system puts them.
    pub cores: Vec<usize>,
    /// How long bots may take to end by themselves after the match. Those that do not end are killed.
    pub grace: Duration,
    /// What people decide and ask for; needed where a seat is a person's.
    pub people: Option<People>,
    /// What is said to them.
    pub notices: Option<&'a mut (dyn FnMut(Notice<'_>) + 'a)>,
}

/// Something that is said to people who take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice<'a> {
    /// The match waits for a decision.
    Asked {
        /// The seat that decides.
        seat: Seat,
    },
    /// What was asked for cannot be done.
    Denied {
        /// Whose decision it was, or `None` if it was an undo or another position.
        seat: Option<Seat>,
        /// The reason, for the person who asked.
        why: &'a Denial,
    },
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { transcript: None, cores: Vec::new(), grace: Duration::from_millis(40), people: None, notices: None }
    }
}

/// Which of a bot's streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// What it was told.
    In,
    /// What it said.
    Out,
    /// What it wrote to its stderr.
    Err,
}

impl Stream {
    /// As in a transcript: `in`, `out`, `err`.
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
    /// The turn that was being played, counted from 1; also 1 in the greeting.
    pub ply: u32,
    /// The seat that wrote or was sent this.
    pub seat: Seat,
    /// Which stream.
    pub stream: Stream,
    /// Since the start of the match.
    pub at: Duration,
    /// As it was, cut wherever the system cut it.
    pub bytes: &'a [u8],
}

/// How a match ended, as far as the world is concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// By the rules.
    Finished,
    /// Programs could not be started: no result.
    NeverStarted(Vec<(Seat, StartError)>),
    /// The [`CancelFlag`] was set: no result.
    Interrupted,
}

/// A match that was played, or not.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether there is a result.
    pub ended: Ended,
    /// Scores and places; without a result, as they stood.
    pub standing: Standing,
    /// How many turns were played.
    pub plies: u32,
    /// From the first process to the last turn.
    pub wall: Duration,
    /// One a seat.
    pub seats: Vec<SeatOutcome>,
}

/// What became of a seat.
#[derive(Clone, Debug)]
pub struct SeatOutcome {
    /// How it failed, if it did.
    pub fault: Option<FaultRecord>,
    /// How long its decisions took.
    pub times: Times,
    /// What is kept of its stderr.
    pub stderr: Capture,
    /// How its process ended by itself; `None` if it was killed, or is no process.
    pub exit: Option<Exit>,
}

/// Plays a match to its end on this thread, and leaves no process of it behind. `launches` has one entry a seat.
///
/// The observer is called for every event as it happens; what it takes is on nobody's clock but the match's own.
///
/// # Errors
/// If the launches do not fit the machine's seats, if a seat is a person's and there are no
/// [people](Options::people), or if the system refuses what a match needs (`poll`, a core that does not exist).
pub fn play(
    machine: &mut dyn AnyReferee,
    launches: &[Launch],
    observer: &mut dyn FnMut(&MatchEvent),
    cancel: &CancelFlag,
    options: Options<'_>,
) -> io::Result<Outcome> {
    check(machine, launches, options.people.is_some())?;
    let pin = Some(&options.cores).filter(|cores| !cores.is_empty());
    let _pinned = pin.map(|cores| Pinned::to(cores)).transpose()?;
    let stderr = machine.spec().limits.stderr as usize;
    let people = options.people.as_ref();

    let start = Instant::now();
    let mut pipes: Vec<Pipes> = Vec::new();
    let mut bots: Vec<Option<Bot>> = Vec::new();
    let mut never_started = Vec::new();
    // All at once: what it takes to get into a sandbox is waited for once.
    let arriving: Vec<_> = launches
        .iter()
        .enumerate()
        .map(|(i, launch)| match launch {
            Launch::Builtin | Launch::Human => None,
            Launch::Program(program) => Some(Bot::start(Seat::new(i), program)),
        })
        .collect();
    for (i, arriving) in arriving.into_iter().enumerate() {
        bots.push(match arriving.map(|started| started.and_then(|arriving| arriving.arrive(stderr))) {
            None => None,
            Some(Ok((pipe, bot))) => {
                pipes.push(pipe);
                Some(bot)
            }
            Some(Err(why)) => {
                never_started.push((Seat::new(i), why));
                None
            }
        });
    }

    let memory = machine.spec().limits.memory_mib.map(MemoryWatch::new);
    let timing = Timing::new(machine.spec());
    let mut turns = Turns {
        machine,
        observer,
        transcript: options.transcript,
        notices: options.notices,
        deserted: false,
        cancel,
        start,
        now: Duration::ZERO,
        buffer: vec![0; 64 << 10].into_boxed_slice(),
        bots,
        changed: false,
        memory,
        wrote: false,
        looked: Duration::ZERO,
        timing,
    };
    let at = turns.clock();
    match never_started.first() {
        Some((seat, why)) => turns.machine.feed(at, In::NeverStarted { seat: *seat, reason: &why.to_string() }),
        None => turns.machine.feed(at, In::Begin),
    }
    let left = turns.run(&mut pipes, people);
    let left = match left {
        Ok(Left::Cancelled) => {
            turns.kill_all();
            let at = turns.clock();
            turns.machine.feed(at, In::Abort);
            turns.run(&mut pipes, people).map(|_| Left::Cancelled)
        }
        left => left,
    };
    let wall = turns.clock();
    turns.send_home(&mut pipes, options.grace);
    let left = left?;

    let ended = match left {
        _ if !never_started.is_empty() => Ended::NeverStarted(never_started),
        Left::Over => Ended::Finished,
        Left::Cancelled => Ended::Interrupted,
    };
    let bots = core::mem::take(&mut turns.bots);
    let seats = bots.into_iter().enumerate().map(|(i, bot)| {
        let (stderr, exit) = match bot {
            Some(mut bot) => (core::mem::take(&mut bot.stderr), bot.exit.take().filter(|_| !bot.killed)),
            None => (Capture::default(), None),
        };
        let seat = Seat::new(i);
        SeatOutcome { fault: machine.fault(seat).cloned(), times: machine.times(seat).clone(), stderr, exit }
    });
    let seats = seats.collect();
    Ok(Outcome { ended, standing: machine.standing(), plies: machine.plies(), wall, seats })
}

/// Whether the launches fit the machine.
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
            (SeatKind::Human, _) => return wrong(format!("seat {seat} is a person's, who cannot be asked here")),
            _ => return wrong(format!("what sits in seat {seat} is not what the machine expects there")),
        }
    }
    Ok(())
}

impl Turns<'_, '_> {
    fn kill_all(&mut self) {
        self.bots.iter_mut().flatten().for_each(Bot::kill);
    }

    /// The match is over: every bot sees the end of its input, may end by itself for a moment, and is killed.
    fn send_home(&mut self, pipes: &mut [Pipes], grace: Duration) {
        let until = self.clock() + grace;
        for pipe in &mut *pipes {
            pipe.stdin = None;
        }
        loop {
            let mut living = Vec::new();
            for pipe in &*pipes {
                self.last_errors(pipe);
                self.swallow_output(pipe);
                if let Some(bot) = &mut self.bots[pipe.seat.index()]
                    && !bot.killed
                    && bot.look().is_none()
                {
                    living.push(pipe);
                }
            }
            let left = until.saturating_sub(self.clock());
            if living.is_empty() || left.is_zero() || self.cancel.is_cancelled() {
                break;
            }
            // Looks again after a millisecond at the latest: a bot that writes before it ends must not block.
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
                bot.open.stderr = true;
            }
            self.last_errors(pipe);
        }
    }

    /// Reads and forgets what a bot says after the end.
    fn swallow_output(&mut self, pipe: &Pipes) {
        let open = self.bots[pipe.seat.index()].as_ref().is_some_and(|bot| bot.open.stdout);
        if let Some(stdout) = pipe.stdout.as_ref().filter(|_| open) {
            let _ = crate::seat::read(stdout, &mut self.buffer);
        }
    }
}
