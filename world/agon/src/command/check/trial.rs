//! A match between the bot under check and built-in bots, with every byte that was read or written.

use crate::{
    command::match_::doubt,
    error::{Error, Result},
    exit::Exit,
    interrupt,
};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{
    Cancel, Cause, Event, History, Listen, MapSource, MatchResult, MatchTerms, NamedBot, NotStarted, Outcome,
    PlayOptions, PreparedBot, ReplaySink, TranscriptSink, cause, play, unique_names,
};
use agon_referee::{FaultRecord, MatchEvent};
use agon_run::{Options, StartError, StartFault, Stream};
use agon_spec::MatchSpec;
use std::{
    cell::Cell,
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

/// How long a bot may run after its input has ended.
pub const GRACE: Duration = Duration::from_secs(2);
/// How often a match is played that the host spoils.
const ATTEMPTS: u32 = 3;
/// The maximum number of bytes of a bot's output that are searched.
const SAID: usize = 4 << 20;
/// The maximum number of bytes that are kept of the bot's last input.
const TOLD: usize = 4 << 20;

/// The terms of a trial, without the bot.
#[derive(Clone, Debug)]
pub struct Plan {
    /// A few words for people, for example `map gen:island`.
    pub about: String,
    /// The seat of the bot under check.
    pub seat: Seat,
    /// The number of seats.
    pub seats: usize,
    /// The built-in bot in every other seat.
    pub opponent: &'static str,
    /// The map.
    pub map: MapSource,
    /// The length in rounds or turns, if the game has such a limit.
    pub rounds: Option<u32>,
    /// An option of the wire protocol for the bot's seat.
    pub option: Option<(String, String)>,
}

/// A match that was played for the check.
#[derive(Debug)]
pub struct Trial {
    /// The terms of the trial.
    pub plan: Plan,
    /// The description of the match.
    pub spec: MatchSpec,
    /// How the match ended.
    pub result: MatchResult,
    /// The turns of the match.
    pub turns: History,
    /// The time of the answer to the greeting, in microseconds. `None` if the game asks for no answer.
    pub greeted_us: Option<u64>,
    /// The last input of the bot.
    pub told: Vec<u8>,
    /// The output of the bot, up to [`SAID`] bytes.
    pub said: Vec<u8>,
    /// The lines of its replay and of its transcript, if trials keep them.
    pub kept: [Vec<u8>; 2],
    /// The likely reason why the bot failed.
    pub doubt: Option<String>,
    /// The likely cause of its failure.
    pub cause: Option<Cause>,
}

/// What all trials have in common.
pub struct Ground<'a> {
    /// The game of the bot.
    pub game: &'static dyn AnyGame,
    /// The bot as the user named it.
    pub bot: &'a NamedBot,
    /// The same bot, ready to be started.
    pub prepared: &'a PreparedBot,
    /// The seed, the rules and the clock.
    pub terms: &'a MatchTerms,
    /// The flag that Ctrl-C sets.
    pub cancel: &'a Cancel,
    /// Whether the bot has been seen not to end by itself. Later trials do not wait for that again.
    pub stuck: Cell<bool>,
    /// Whether trials keep their replays and transcripts.
    pub keeps: bool,
}

/// Returns the bots of a trial: the bot under check in its seat, and the opponent in every other seat.
///
/// # Errors
/// The game has no such opponent.
pub fn seated(game: &dyn AnyGame, bot: &NamedBot, seat: Seat, seats: usize, opponent: &str) -> Result<Vec<NamedBot>> {
    let other = NamedBot::builtin(game, opponent).map_err(agon_play::Error::from)?;
    let mut bots: Vec<_> = (0..seats).map(|i| if i == seat.index() { bot.clone() } else { other.clone() }).collect();
    unique_names(&mut bots);
    Ok(bots)
}

impl Ground<'_> {
    /// Plays one match. A match that the host spoils says nothing about the bot, so it is played again.
    ///
    /// # Errors
    /// The match cannot be set up, the user interrupted it (with the exit code of an interrupt), or the host spoilt it
    /// [`ATTEMPTS`] times (with the exit code of a spoilt match).
    pub fn play(&self, plan: Plan) -> Result<Trial> {
        for attempt in 1..=ATTEMPTS {
            let trial = self.play_once(plan.clone())?;
            match &trial.result.outcome {
                Outcome::Spoilt(_) => {}
                Outcome::Short(_) if attempt < ATTEMPTS => {}
                Outcome::NotStarted(NotStarted::Bots(seats))
                    if seats.iter().all(|(_, why)| why.fault() == StartFault::Host) =>
                {
                    if attempt == ATTEMPTS
                        && let Some((_, why)) = seats.first()
                    {
                        return Err(Error::from(agon_play::Error::Start(why.clone())).context(&plan.about));
                    }
                }
                Outcome::Short(shortage) => {
                    return Err(Error::from(agon_play::Error::Short(*shortage)).context(&plan.about));
                }
                _ => return Ok(trial),
            }
        }
        let what = format!("{}: other programs kept a bot from its core for its whole limit", plan.about);
        Err(Error::user(what).exit(Exit::Spoilt).hint("close other programs, or check with a longer `--time`"))
    }

    fn play_once(&self, plan: Plan) -> Result<Trial> {
        let named = seated(self.game, self.bot, plan.seat, plan.seats, plan.opponent)?;
        let mut terms = MatchTerms { map: plan.map.clone(), ..self.terms.clone() };
        if self.game.info().limit.is_some() {
            // `--rounds` makes long matches shorter.
            terms.rounds = [plan.rounds, self.terms.rounds].into_iter().flatten().min();
        }
        let checked = terms.plan(self.game, &named)?;
        let opponent = PreparedBot::builtin(self.game, plan.opponent).map_err(agon_play::Error::from)?;
        let ready = |(i, bot): (usize, &NamedBot)| {
            let prepared = if i == plan.seat.index() { self.prepared } else { &opponent };
            prepared.clone().named(&bot.name)
        };
        let bots: Vec<PreparedBot> = named.iter().enumerate().map(ready).collect();
        let mut spec = checked.spec(&bots);
        spec.seats[plan.seat.index()].dialect.extend(plan.option.clone());
        let (mut turns, mut greeted_us) = (History::default(), None);
        let mut heard = Overheard::default();
        let grace = if self.stuck.get() { Options::default().grace } else { GRACE };
        let (replay, transcript) = (Lines::default(), Lines::default());
        let options = PlayOptions {
            replay: self.keeps.then(|| ReplaySink::Writer(Box::new(replay.clone()))),
            transcript: self.keeps.then(|| TranscriptSink::Writer(Box::new(transcript.clone()))),
            cancel: Some(self.cancel.clone()),
            listen: Listen::Everything,
            grace: Some(grace),
            ..PlayOptions::default()
        };
        let result = play(self.game, &spec, &bots, options, &mut |event| match event {
            Event::Chunk(chunk) if chunk.seat == plan.seat => heard.add(chunk.stream, chunk.bytes),
            Event::Match(MatchEvent::Ply(record)) => turns.add(record),
            Event::Match(MatchEvent::Greeted { seat, wall_us, .. }) if *seat == plan.seat => {
                greeted_us = Some(*wall_us)
            }
            _ => {}
        })?;
        if matches!(result.outcome, Outcome::Aborted | Outcome::NotStarted(NotStarted::Cancelled)) {
            return Err(interrupt::error());
        }
        let seat = result.seats.get(plan.seat.index());
        let fault = seat.and_then(|seat| seat.fault.as_ref());
        let cause = seat.and_then(|seat| cause(self.game, &spec, &bots[plan.seat.index()], seat, turns.turns()));
        let doubt = fault.and_then(|fault| doubt(&bots[plan.seat.index()], fault));
        self.stuck.set(self.stuck.get() || seat.is_some_and(|s| s.fault.is_none() && s.exit.is_none()));
        let Overheard { told, said, .. } = heard;
        let mut trial = Trial {
            plan,
            spec,
            result,
            turns,
            greeted_us,
            told,
            said,
            kept: [replay.take(), transcript.take()],
            doubt,
            cause,
        };
        if trial.passed(self.game) {
            // Only the first match that failed is written, and a bot may write a lot.
            trial.kept = Default::default();
        }
        Ok(trial)
    }
}

/// A writer into memory that can be read when the match is over.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn take(&self) -> Vec<u8> {
        self.0.lock().map(|mut lines| std::mem::take(&mut *lines)).unwrap_or_default()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut lines = self.0.lock().map_err(|_| io::Error::other("a writer has panicked"))?;
        lines.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Collects the last input of the bot under check, and its output up to a limit.
#[derive(Default)]
struct Overheard {
    told: Vec<u8>,
    said: Vec<u8>,
    telling: bool,
}

impl Overheard {
    fn add(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::In => {
                if !self.telling {
                    self.told.clear();
                }
                self.telling = true;
                self.told.extend_from_slice(bytes);
                // A bot that answers ahead reads several prompts in a row.
                self.told.drain(..self.told.len().saturating_sub(TOLD));
            }
            Stream::Out => {
                self.telling = false;
                let room = SAID.saturating_sub(self.said.len());
                self.said.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Stream::Err => {}
        }
    }
}

impl Trial {
    /// Returns the fault of the bot, if it failed.
    pub fn fault(&self) -> Option<&FaultRecord> {
        self.result.seats.get(self.plan.seat.index()).and_then(|s| s.fault.as_ref())
    }

    /// Returns why the program of the bot could not be started, if it could not.
    pub fn never_started(&self) -> Option<&StartError> {
        match &self.result.outcome {
            Outcome::NotStarted(NotStarted::Bots(seats)) => {
                seats.iter().find(|(seat, _)| *seat == self.plan.seat).map(|(_, why)| why)
            }
            _ => None,
        }
    }

    /// Returns whether the bot started, did not fail, and wrote nothing but decisions.
    fn passed(&self, game: &dyn AnyGame) -> bool {
        self.never_started().is_none() && self.fault().is_none() && self.surplus(game).trim_ascii().is_empty()
    }

    /// Returns how many of the bot's decisions exceeded the soft limit.
    pub fn soft_late(&self) -> u64 {
        let times = self.result.footer.as_ref().and_then(|footer| footer.times.get(self.plan.seat.index()));
        times.map_or(0, |time| time.soft_late)
    }

    /// Returns the time that the host took from the bot, in microseconds.
    pub fn given_us(&self) -> u64 {
        let times = self.result.footer.as_ref().and_then(|footer| footer.times.get(self.plan.seat.index()));
        times.and_then(|time| time.certificate.as_ref()).map_or(0, |sum| sum.given_us)
    }

    /// Returns the number of the bot's decisions.
    pub fn decisions(&self) -> u64 {
        self.result.seats.get(self.plan.seat.index()).map_or(0, |s| s.times.count())
    }

    /// Returns what the bot wrote after its last decision. The function parses the whole output again. It returns
    /// nothing if there is too much output.
    pub fn surplus(&self, game: &dyn AnyGame) -> Vec<u8> {
        use agon_games::Reply;
        let (Ok(mut interview), Some(turns)) = (game.interview(&self.spec, self.plan.seat), self.turns.turns()) else {
            return Vec::new();
        };
        let (mut at, mut out) = (0, Vec::new());
        let mut hear = |interview: &mut dyn agon_games::AnyInterview, at: &mut usize| loop {
            let (used, heard) = interview.hear(&self.said[*at..], false, &mut out);
            *at += used;
            match heard {
                Reply::Ready | Reply::Decision { .. } => return true,
                Reply::More if used > 0 => {}
                Reply::More | Reply::Nonsense { .. } => return false,
            }
        };
        let mut told = Vec::new();
        if interview.greet(&mut told) && !hear(&mut *interview, &mut at) {
            return Vec::new();
        }
        for record in turns {
            let asked = interview.is_awaited()
                && record.entries.iter().any(|e| e.seat == self.plan.seat && e.failure.is_none());
            if asked {
                interview.prompt(&mut told);
                if !hear(&mut *interview, &mut at) {
                    return Vec::new();
                }
            }
            told.clear();
            if interview.step(record, &mut told).is_err() {
                return Vec::new();
            }
        }
        self.said[at..].to_vec()
    }
}
