//! One match of the bot under check against a built-in one, with everything that was said.

use crate::{
    error::{Error, Result, reason},
    history::History,
    interrupt,
    map_source::MapSource,
    printer::Printer,
    setup::Terms,
};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_referee::{FaultRecord, MatchEvent, Recording, Settings};
use agon_run::{CancelFlag, Chunk, Ended, Options, Outcome, StartError, Stream, play};
use agon_spec::MatchSpec;
use std::{cell::Cell, time::Duration};

/// How long a bot may take to end after its input has ended.
pub const GRACE: Duration = Duration::from_secs(2);
/// The most bytes of what a bot said that are looked at.
const SAID: usize = 4 << 20;
/// The most bytes of what it was told last.
const TOLD: usize = 4 << 20;

/// What a trial is about, beside the bot.
#[derive(Clone, Debug)]
pub struct Plan {
    /// A few words for people, as `map gen:island`.
    pub about: String,
    /// The seat of the bot under check.
    pub seat: Seat,
    /// How many seats.
    pub seats: usize,
    /// The built-in bot in every other seat.
    pub opponent: &'static str,
    /// The map.
    pub map: MapSource,
    /// Rounds or turns, where the game has such a limit.
    pub rounds: Option<u32>,
    /// An option of the dialogue of the bot's seat.
    pub option: Option<(String, String)>,
}

/// A match that was played for the check.
#[derive(Debug)]
pub struct Trial {
    /// What it was about.
    pub plan: Plan,
    /// Everything that decided it.
    pub spec: MatchSpec,
    /// How it ended.
    pub outcome: Outcome,
    /// Its turns.
    pub turns: History,
    /// How long the greeting took in microseconds, if there was one.
    pub greeted_us: Option<u64>,
    /// The last thing that the bot was told.
    pub told: Vec<u8>,
    /// Everything that it said, up to a limit.
    pub said: Vec<u8>,
    /// What may be behind its failure.
    pub doubt: Option<String>,
}

/// What stays the same in all trials.
pub struct Ground<'a> {
    /// The game.
    pub game: &'static dyn AnyGame,
    /// BOT as given.
    pub bot: &'a str,
    /// Seed, rules, clock.
    pub terms: &'a Terms,
    /// Says what is built.
    pub printer: &'a Printer,
    /// Ctrl-C.
    pub cancel: &'a CancelFlag,
    /// Whether the bot was seen not to end by itself: then nobody waits for that again.
    pub stuck: Cell<bool>,
}

impl Ground<'_> {
    /// Plays one match.
    ///
    /// # Errors
    /// The match cannot be set up, or it was interrupted (an error of its own exit code).
    pub fn play(&self, plan: Plan) -> Result<Trial> {
        let bots: Vec<String> = (0..plan.seats)
            .map(|i| if i == plan.seat.index() { self.bot.to_owned() } else { format!("@{}", plan.opponent) })
            .collect();
        let mut terms = self.terms.clone();
        terms.map = plan.map.clone();
        if self.game.limit().is_some() {
            // `--rounds` makes the long matches shorter.
            terms.rounds = [plan.rounds, self.terms.rounds].into_iter().flatten().min();
        }
        let mut setup = terms.setup(self.game, &bots, self.printer, self.cancel)?;
        setup.spec.seats[plan.seat.index()].dialect.extend(plan.option.clone());
        let settings = Settings { recording: Recording::Orders, ..Settings::default() };
        let mut machine = self.game.referee(&setup.spec, &setup.kinds, settings)?;
        let (mut turns, mut greeted_us) = (History::default(), None);
        let (mut told, mut said) = (Vec::<u8>::new(), Vec::<u8>::new());
        let mut telling = false;
        let mut overhear = |chunk: Chunk<'_>| {
            if chunk.seat != plan.seat {
                return;
            }
            match chunk.stream {
                Stream::In => {
                    if !telling {
                        told.clear();
                    }
                    telling = true;
                    told.extend_from_slice(chunk.bytes);
                    // A bot that answers ahead is told one thing after another.
                    told.drain(..told.len().saturating_sub(TOLD));
                }
                Stream::Out => {
                    telling = false;
                    let room = SAID.saturating_sub(said.len());
                    said.extend_from_slice(&chunk.bytes[..chunk.bytes.len().min(room)]);
                }
                Stream::Err => {}
            }
        };
        let mut observe = |event: &MatchEvent| match event {
            MatchEvent::Ply(record) => turns.add(record),
            MatchEvent::Greeted { seat, wall_us } if *seat == plan.seat => greeted_us = Some(*wall_us),
            _ => {}
        };
        let usual = Options::default();
        let grace = if self.stuck.get() { usual.grace } else { GRACE };
        let options = Options { transcript: Some(&mut overhear), grace, ..usual };
        let outcome = play(&mut *machine, &setup.launches, &mut observe, self.cancel, options)
            .map_err(|e| Error::user(format!("cannot run a match: {}", reason(&e))))?;
        if outcome.ended == Ended::Interrupted {
            return Err(interrupt::error());
        }
        let seat = outcome.seats.get(plan.seat.index());
        let doubt = seat.and_then(|seat| seat.fault.as_ref()).and_then(|fault| setup.doubt(fault));
        self.stuck.set(self.stuck.get() || seat.is_some_and(|s| s.fault.is_none() && s.exit.is_none()));
        Ok(Trial { plan, spec: setup.spec, outcome, turns, greeted_us, told, said, doubt })
    }
}

impl Trial {
    /// How the bot failed, if it did.
    pub fn fault(&self) -> Option<&FaultRecord> {
        self.outcome.seats.get(self.plan.seat.index()).and_then(|s| s.fault.as_ref())
    }

    /// Why the bot's program could not be started, if it could not.
    pub fn never_started(&self) -> Option<&StartError> {
        match &self.outcome.ended {
            Ended::NeverStarted(seats) => seats.iter().find(|(s, _)| *s == self.plan.seat).map(|(_, why)| why),
            Ended::Finished | Ended::Interrupted => None,
        }
    }

    /// How many decisions the bot has made.
    pub fn decisions(&self) -> u64 {
        self.outcome.seats.get(self.plan.seat.index()).map_or(0, |s| s.times.count())
    }

    /// What the bot said beyond its last decision, found by hearing all of it again; nothing if that is too much.
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
