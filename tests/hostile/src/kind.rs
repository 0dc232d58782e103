//! One kind of hostile bot, as data: what it does and how the match must end for it.

use crate::{Attack, Bot, Facts, Poisoning, client::Protocol, errno::Errno, kinds::limits};
use agon_spec::{HostileKind, Isolation};
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// A kind of hostile bot, with its model.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The name on the command line, for example `slow-drip`.
    pub name: &'static str,
    /// The number of the group of attacks in `docs/hostile.md`.
    pub number: u8,
    /// The promise about resources and fairness that it tries to break, by its number in `docs/hostile.md`.
    pub issue: Option<u8>,
    /// What it attacks and how, as a short phrase.
    pub attacks: &'static str,
    /// The weakest level of isolation that contains it. The suite never starts it at a weaker level.
    pub needs: Isolation,
    /// What it does.
    pub behaviour: Behaviour,
    /// The match that it plays.
    pub scenario: Scenario,
    /// The correct ends. One of them must occur.
    pub ends: &'static [End],
    /// The correct ends at level `restricted`, if they differ.
    pub restricted: Option<&'static [End]>,
    /// The program that must be installed for this kind. `None` if it needs none.
    pub tool: Option<&'static str>,
}

/// What a hostile bot does.
#[derive(Clone, Copy, Debug)]
pub enum Behaviour {
    /// Runs this function from the greeting on.
    Program(fn(&mut Bot)),
    /// Writes these bytes in place of its first decision, and then plays honestly.
    Answer(&'static [u8]),
    /// Makes this attack in its first turn, reports the results on stderr, and then plays honestly.
    Attack(fn(&mut Attack<'_>)),
    /// Does not play. It makes a folder, an archive or a replay in an empty folder and returns its path. The suite
    /// passes this path to `agon build` or `agon replay verify`.
    Submission(fn(&Path, &Facts) -> io::Result<PathBuf>),
    /// Is no bot: attacks what Agon keeps, or what a match writes. Returns the harm that an honest user has of it, if there
    /// is any.
    Poisoning(fn(&Poisoning<'_>) -> io::Result<Option<String>>),
}

/// How a match or a submission ends for a hostile bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The bot has no fault and plays to the end.
    Plays,
    /// The bot has no fault, and the system refused everything that it attempted with one of these errors.
    Refused(&'static [Errno]),
    /// The bot has no fault, and the system gave it at most this much, in this unit.
    Bounded(u64, &'static str),
    /// The bot has this fault.
    Fails(ExpectedFault),
    /// `agon match` prints what the bot wrote, and no control character reaches the terminal.
    Harmless,
    /// Agon rejects the submission before it starts anything of it.
    Rejected,
    /// The build of the submission starts and fails.
    NotBuilt,
    /// The build of the submission succeeds.
    Built,
    /// What Agon keeps for an honest user is what it would be without the attack.
    Unpoisoned,
    /// The suite kills the referee during the match, and no process of the match survives.
    EndsWithReferee,
}

/// A fault, as precisely as a model states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedFault {
    /// Late, without a byte of an answer.
    Silent,
    /// Late, with an incomplete answer.
    Late,
    /// Late, and the bot had not read the prompt.
    Unread,
    /// The process exited with this code.
    Exits(i32),
    /// This signal ended the process.
    Dies(&'static str),
    /// Agon stopped the process, and said why.
    Stopped,
    /// The bot closed its stdout.
    ClosedOutput,
    /// The bot closed its stdin.
    ClosedInput,
    /// The bot wrote a line that the protocol does not allow.
    Nonsense,
    /// The bot gave an order that the rules do not allow.
    Unlawful,
    /// The bot wrote a line that is too long.
    LongLine,
    /// The bot wrote more than its inbox holds.
    Flood,
    /// The bot used more memory than its limit.
    OutOfMemory,
}

/// The match that a kind plays. The hostile bot has seat 1; its opponent is honest.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The protocol, which also decides the game.
    pub protocol: Protocol,
    /// The number of stones in the heap of the toy game.
    pub stones: u32,
    /// The clock of the hostile bot. The honest bot always has the clock of [`TOY`].
    pub clock: &'static str,
    /// The size of the inbox in bytes. `None` stands for the default.
    pub inbox: Option<u32>,
    /// Whether bots are stopped outside their turns.
    pub freeze: bool,
    /// Whether the honest bot thinks for 50 ms in each turn.
    pub slow_opponent: bool,
    /// Whether both bots share one core, so that they are asked one after the other. Then they are stopped outside their
    /// turns, and the honest bot computes for 30 ms before each answer, with a limit of 100 ms.
    pub one_core: bool,
    /// How many processes a bot may be at once; more than one only at full isolation.
    pub processes: u32,
    /// How many threads a bot may have at once.
    pub threads: u32,
    /// Whether the hostile bot has both seats.
    pub both_seats: bool,
    /// The number of matches, which are played one after the other.
    pub matches: u8,
    /// The name of the bot if `agon match` plays the match. `None` if a referee of the suite plays it.
    pub bot_name: Option<&'static str>,
    /// Whether the suite plays no other row at the same time, because that would disturb a measurement.
    pub alone: bool,
}

/// The toy game, with limits that no honest bot reaches on any machine.
pub const TOY: Scenario = Scenario {
    protocol: Protocol::Toy,
    stones: 30,
    clock: "greeting=30s,move=30s",
    inbox: None,
    freeze: false,
    slow_opponent: false,
    one_core: false,
    processes: 1,
    threads: limits::THREADS,
    both_seats: false,
    matches: 1,
    bot_name: None,
    alone: false,
};

/// The toy game with a short limit for a decision.
pub const SHORT_MOVE_LIMIT: Scenario = Scenario { clock: "greeting=30s,move=600ms", ..TOY };

/// The toy game with a short limit for the greeting.
pub const SHORT_GREETING_LIMIT: Scenario = Scenario { clock: "greeting=1s,move=30s", ..TOY };

/// A few turns of Grid.
pub const GRID: Scenario = Scenario { protocol: Protocol::Grid, ..TOY };

/// A few turns of Lighthouses.
pub const LIGHTHOUSES: Scenario = Scenario { protocol: Protocol::Lighthouses, ..TOY };

impl Kind {
    /// Returns a bot that runs `program` and is harmless at every level.
    pub const fn program(number: u8, name: &'static str, attacks: &'static str, program: fn(&mut Bot)) -> Self {
        Self::new(number, name, attacks, Isolation::None, Behaviour::Program(program))
    }

    /// Returns a bot that writes `line` in place of its first decision.
    pub const fn answer(number: u8, name: &'static str, attacks: &'static str, line: &'static [u8]) -> Self {
        Self::new(number, name, attacks, Isolation::None, Behaviour::Answer(line))
    }

    /// Returns a bot that makes an attack. Level `restricted` contains it.
    pub const fn attack(number: u8, name: &'static str, attacks: &'static str, attack: fn(&mut Attack<'_>)) -> Self {
        Self::new(number, name, attacks, Isolation::Restricted, Behaviour::Attack(attack))
    }

    /// Returns a submission that is harmless at every level.
    pub const fn submission(
        number: u8,
        name: &'static str,
        attacks: &'static str,
        submit: fn(&Path, &Facts) -> io::Result<PathBuf>,
    ) -> Self {
        Self::new(number, name, attacks, Isolation::None, Behaviour::Submission(submit))
    }

    /// An attack on what Agon keeps that is harmless at every level.
    pub const fn poisoning(
        number: u8,
        name: &'static str,
        attacks: &'static str,
        attack: fn(&Poisoning<'_>) -> io::Result<Option<String>>,
    ) -> Self {
        Self::new(number, name, attacks, Isolation::None, Behaviour::Poisoning(attack))
    }

    const fn new(
        number: u8,
        name: &'static str,
        attacks: &'static str,
        needs: Isolation,
        behaviour: Behaviour,
    ) -> Self {
        let ends = &[End::Plays];
        Self { name, number, issue: None, attacks, needs, behaviour, scenario: TOY, ends, restricted: None, tool: None }
    }

    /// Sets the promise that it tries to break.
    #[must_use]
    pub const fn issue(mut self, issue: u8) -> Self {
        self.issue = Some(issue);
        self
    }

    /// Sets the weakest level that contains it.
    #[must_use]
    pub const fn needs(mut self, level: Isolation) -> Self {
        self.needs = level;
        self
    }

    /// Sets its match.
    #[must_use]
    pub const fn scenario(mut self, scenario: Scenario) -> Self {
        self.scenario = scenario;
        self
    }

    /// Sets the correct ends.
    #[must_use]
    pub const fn ends(mut self, ends: &'static [End]) -> Self {
        self.ends = ends;
        self
    }

    /// Sets the correct ends at level `restricted`.
    #[must_use]
    pub const fn restricted(mut self, ends: &'static [End]) -> Self {
        self.restricted = Some(ends);
        self
    }

    /// Names a program that must be installed.
    #[must_use]
    pub const fn tool(mut self, tool: &'static str) -> Self {
        self.tool = Some(tool);
        self
    }

    /// Returns the correct ends at this level.
    #[must_use]
    pub fn ends_at(&self, level: Isolation) -> &'static [End] {
        match (level, self.restricted) {
            (Isolation::Restricted, Some(ends)) => ends,
            _ => self.ends,
        }
    }

    /// Returns the correct ends at this level in words.
    #[must_use]
    pub fn expected(&self, level: Isolation) -> String {
        let ends: Vec<String> = self.ends_at(level).iter().map(End::to_string).collect();
        ends.join(" or ")
    }

    /// Returns the kind for programs, with its expected end at this level.
    #[must_use]
    pub fn document(&self, level: Isolation) -> HostileKind {
        HostileKind {
            name: self.name.to_owned(),
            number: self.number,
            issue: self.issue,
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
            Self::Rejected => f.write_str("rejected"),
            Self::NotBuilt => f.write_str("not built"),
            Self::Built => f.write_str("built"),
            Self::Unpoisoned => f.write_str("not poisoned"),
            Self::EndsWithReferee => f.write_str("ends with its referee"),
        }
    }
}

impl fmt::Display for ExpectedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => f.write_str("late, no answer"),
            Self::Late => f.write_str("late, incomplete answer"),
            Self::Unread => f.write_str("late, prompt unread"),
            Self::Exits(code) => write!(f, "crashed, exit code {code}"),
            Self::Dies(signal) => write!(f, "crashed, {signal}"),
            Self::Stopped => f.write_str("stopped"),
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
