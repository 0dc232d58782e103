//! One kind of hostile bot, as data: what it does and what must come of it.

use crate::{Bot, Facts, Tries, errno::Errno, player::Tongue};
use agon_spec::{HostileKind, Isolation};
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// A kind of hostile bot, with its model.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// As on the command line, as `slow-drip`.
    pub name: &'static str,
    /// Which attack of the list in `docs/hostile.md` it belongs to.
    pub number: u8,
    /// What it attacks and how, a short fragment.
    pub attacks: &'static str,
    /// The weakest level of isolation that contains it. It is never started at a weaker one.
    pub needs: Isolation,
    /// What it does.
    pub deed: Deed,
    /// The match that it plays.
    pub stage: Stage,
    /// The ends that are right, one of them.
    pub ends: &'static [End],
    /// The ends that are right at level `restricted`, where they differ.
    pub restricted: Option<&'static [End]>,
    /// Whether its attack leaves the process as it was, so that many such attacks can be made in a row by one process.
    pub brief: bool,
    /// A program that must be installed for it.
    pub tool: Option<&'static str>,
}

/// What a hostile bot does.
#[derive(Clone, Copy, Debug)]
pub enum Deed {
    /// A program of its own, from the greeting on.
    Program(fn(&mut Bot)),
    /// Says this when it is asked for its first decision, and plays on honestly.
    Says(&'static [u8]),
    /// Tries something when it is asked for its first decision, tells what came of it on stderr, and plays on honestly.
    Tries(fn(&mut Tries<'_>)),
    /// Makes a folder, an archive or a replay in an empty folder, and names it: it is given to `agon build`, or to
    /// `agon replay verify`.
    Submits(fn(&Path, &Facts) -> io::Result<PathBuf>),
}

/// An end of a hostile bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It has no fault and plays to the end.
    Plays,
    /// It has no fault; everything that it tried was refused for one of these reasons.
    Refused(&'static [Errno]),
    /// It has no fault; of what it took it got at most so much.
    Bounded(u64, &'static str),
    /// It has this fault.
    Fails(Failing),
    /// Whatever it writes, nothing of it reaches a terminal as it was.
    Harmless,
    /// It is refused before anything of it is started.
    TurnedAway,
    /// Its build begins, and does not end well.
    NotBuilt,
    /// It is built.
    Built,
    /// The referee is killed in the middle of the match, and nothing of the match outlives it.
    DiesWithItsReferee,
}

/// A fault, as far as a model tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failing {
    /// Late; nothing was heard.
    Silent,
    /// Late, after a part of an answer.
    Late,
    /// Late, and it had not read the question.
    Unread,
    /// Ended with this exit code.
    Exits(i32),
    /// Ended by this signal.
    Dies(&'static str),
    /// Closed its output.
    ClosedOutput,
    /// Closed its input.
    ClosedInput,
    /// Wrote a line that is not of the protocol.
    Nonsense,
    /// Gave an order that the rules refuse.
    Unlawful,
    /// Wrote a line that is too long.
    LongLine,
    /// Wrote more than anybody keeps.
    Flood,
    /// Took more memory than it may.
    OutOfMemory,
}

/// The match that a kind plays: in seat 1, against an honest bot.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// The protocol, and with it the game.
    pub tongue: Tongue,
    /// How many stones the heap has, in the toy game.
    pub stones: u32,
    /// The clock of the hostile bot. The honest one has all the time in the world.
    pub clock: &'static str,
    /// The most unread output, in bytes; `None` is what a match usually has.
    pub inbox: Option<u32>,
    /// Whether bots are stopped outside their turns.
    pub freeze: bool,
    /// Whether the honest bot takes its time.
    pub slow_opponent: bool,
    /// Whether the hostile bot sits in both seats.
    pub both: bool,
    /// How often the match is played, one after the other.
    pub times: u8,
    /// Whether it is played by `agon match`, and what the bot is called there.
    pub called: Option<&'static str>,
    /// Whether no other row is played beside it, because what it measures would be disturbed.
    pub alone: bool,
}

/// The toy game, with time enough on any machine.
pub const PATIENT: Stage = Stage {
    tongue: Tongue::Toy,
    stones: 30,
    clock: "greeting=30s,move=30s",
    inbox: None,
    freeze: false,
    slow_opponent: false,
    both: false,
    times: 1,
    called: None,
    alone: false,
};

/// The toy game with a limit that is reached.
pub const HURRIED: Stage = Stage { clock: "greeting=30s,move=600ms", ..PATIENT };

/// Grid, for a few turns.
pub const GRID: Stage = Stage { tongue: Tongue::Grid, ..PATIENT };

/// Lighthouses, for a few turns.
pub const LIGHTHOUSES: Stage = Stage { tongue: Tongue::Lighthouses, ..PATIENT };

impl Kind {
    /// A program of its own that is harmless at every level.
    pub const fn program(number: u8, name: &'static str, attacks: &'static str, program: fn(&mut Bot)) -> Self {
        Self::new(number, name, attacks, Isolation::None, Deed::Program(program))
    }

    /// A bot that says one thing in place of its first answer.
    pub const fn says(number: u8, name: &'static str, attacks: &'static str, line: &'static [u8]) -> Self {
        Self::new(number, name, attacks, Isolation::None, Deed::Says(line))
    }

    /// A bot that tries something which `restricted` contains.
    pub const fn tries(number: u8, name: &'static str, attacks: &'static str, tries: fn(&mut Tries<'_>)) -> Self {
        Self::new(number, name, attacks, Isolation::Restricted, Deed::Tries(tries))
    }

    /// Something that is submitted, and harmless at every level.
    pub const fn submits(
        number: u8,
        name: &'static str,
        attacks: &'static str,
        submit: fn(&Path, &Facts) -> io::Result<PathBuf>,
    ) -> Self {
        Self::new(number, name, attacks, Isolation::None, Deed::Submits(submit))
    }

    const fn new(number: u8, name: &'static str, attacks: &'static str, needs: Isolation, deed: Deed) -> Self {
        let ends = &[End::Plays];
        Self { name, number, attacks, needs, deed, stage: PATIENT, ends, restricted: None, brief: false, tool: None }
    }

    /// Contained from this level on.
    #[must_use]
    pub const fn needs(mut self, level: Isolation) -> Self {
        self.needs = level;
        self
    }

    /// In this match.
    #[must_use]
    pub const fn on(mut self, stage: Stage) -> Self {
        self.stage = stage;
        self
    }

    /// Ends so.
    #[must_use]
    pub const fn ends(mut self, ends: &'static [End]) -> Self {
        self.ends = ends;
        self
    }

    /// Ends so at level `restricted`.
    #[must_use]
    pub const fn restricted(mut self, ends: &'static [End]) -> Self {
        self.restricted = Some(ends);
        self
    }

    /// With a tool that must be installed.
    #[must_use]
    pub const fn with(mut self, tool: &'static str) -> Self {
        self.tool = Some(tool);
        self
    }

    /// Leaves the process as it was.
    #[must_use]
    pub const fn brief(mut self) -> Self {
        self.brief = true;
        self
    }

    /// The ends that are right at this level.
    #[must_use]
    pub fn ends_at(&self, level: Isolation) -> &'static [End] {
        match (level, self.restricted) {
            (Isolation::Restricted, Some(ends)) => ends,
            _ => self.ends,
        }
    }

    /// What is expected at this level, in words.
    #[must_use]
    pub fn expected(&self, level: Isolation) -> String {
        let ends: Vec<String> = self.ends_at(level).iter().map(End::to_string).collect();
        ends.join(" or ")
    }

    /// For programs, with what is expected at this level.
    #[must_use]
    pub fn document(&self, level: Isolation) -> HostileKind {
        HostileKind {
            name: self.name.to_owned(),
            number: self.number,
            attacks: self.attacks.to_owned(),
            level: self.needs,
            expected: self.expected(level),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plays => f.write_str("plays on"),
            Self::Refused(reasons) => {
                let reasons: Vec<String> = reasons.iter().map(Errno::to_string).collect();
                write!(f, "blocked ({})", reasons.join(", "))
            }
            Self::Bounded(most, unit) => write!(f, "at most {most} {unit}"),
            Self::Fails(failing) => failing.fmt(f),
            Self::Harmless => f.write_str("shown, made harmless"),
            Self::TurnedAway => f.write_str("turned away"),
            Self::NotBuilt => f.write_str("not built"),
            Self::Built => f.write_str("built"),
            Self::DiesWithItsReferee => f.write_str("gone with its referee"),
        }
    }
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => f.write_str("late, nothing heard"),
            Self::Late => f.write_str("late, a part heard"),
            Self::Unread => f.write_str("late, question unread"),
            Self::Exits(code) => write!(f, "crashed, exit code {code}"),
            Self::Dies(signal) => write!(f, "crashed, {signal}"),
            Self::ClosedOutput => f.write_str("closed its output"),
            Self::ClosedInput => f.write_str("closed its input"),
            Self::Nonsense => f.write_str("nonsense"),
            Self::Unlawful => f.write_str("unlawful"),
            Self::LongLine => f.write_str("line too long"),
            Self::Flood => f.write_str("flood"),
            Self::OutOfMemory => f.write_str("out of memory"),
        }
    }
}
