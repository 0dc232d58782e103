//! Facts about a game that need no position.

use crate::{ClockPolicy, Flaw};
use alloc::{format, vec::Vec};
use core::ops::RangeInclusive;

/// A game in names, numbers and lists. Help texts, menus and JSON documents show them.
///
/// A game sets the fields that it needs and takes the rest from [`GameInfo::DEFAULT`].
#[derive(Clone, PartialEq, Debug)]
pub struct GameInfo {
    /// The name for people, for example `Planet Wars`.
    pub title: &'static str,
    /// One sentence that says what the game is about.
    pub about: &'static str,
    /// How many bots may play a match, from 1 to [`MAX_SEATS`](crate::MAX_SEATS).
    pub seats: RangeInclusive<usize>,
    /// How many bots play if the user names no number.
    pub default_seats: usize,
    /// The limit on the length of a match. `None` if every match ends without one.
    pub limit: Option<TurnLimit>,
    /// The kinds of maps that the game can generate. The default comes first.
    pub map_kinds: &'static [MapKind],
    /// The default kind of what began before the first of [`GameInfo::map_kinds`] was the default, if it was another one.
    pub first_map_kind: Option<&'static str>,
    /// The built-in bots in order of strength. There are at least four, and the weakest (`random`) comes first.
    pub bots: &'static [BotKind],
    /// The options of a seat's dialogue.
    pub dialect: &'static [DialectOption],
    /// The clock that applies if the user names none.
    pub clock: ClockPolicy,
    /// Other clocks of the contest by name. On the command line they are written `--time NAME`.
    pub clocks: &'static [(&'static str, ClockPolicy)],
    /// The longest line or message, in bytes, that a lawful bot may need to write.
    pub line_limit: usize,
    /// What ends a bot's decision, in words for people, for example ``the line `go` ``.
    pub decision_end: &'static str,
    /// The contest's memory limit for one bot, in MiB. `None` if the contest had no such limit.
    pub memory_mib: Option<u32>,
    /// Whether champions of the contest can play. A champion is a library whose functions Agon calls; on the command
    /// line it is written `champion:PATH`.
    pub champions: bool,
    /// How a program is brought to a position that it has not reached by its own turns.
    pub into_step: IntoStep,
    /// The first words of the lines that the protocol sends to a bot, so that a person can complete them. The list is empty if
    /// lines do not begin with words.
    pub protocol_words: &'static [&'static str],
}

impl GameInfo {
    /// A game for two bots, with lines of up to 64 KiB and without limit, options, clock or champions. The title, the
    /// kinds of maps and the bots are empty, because every game must set its own.
    pub const DEFAULT: Self = Self {
        title: "",
        about: "",
        seats: 2..=2,
        default_seats: 2,
        limit: None,
        map_kinds: &[],
        first_map_kind: None,
        bots: &[],
        dialect: &[],
        clock: ClockPolicy::OFF,
        clocks: &[],
        line_limit: 64 * 1024,
        decision_end: "the end of its line",
        memory_mib: None,
        champions: false,
        into_step: IntoStep::Replayed,
        protocol_words: &[],
    };

    /// Finds the built-in bot of this name.
    ///
    /// # Errors
    /// Fails as [`no_bot`](Self::no_bot) if the game has none.
    pub fn bot(&self, name: &str) -> Result<&'static BotKind, Flaw> {
        self.bots.iter().find(|bot| bot.name == name).ok_or_else(|| self.no_bot("", name))
    }

    /// Returns the flaw of a name that no built-in bot has. `sign` is written before the names of bots: `@` or nothing.
    #[must_use]
    pub fn no_bot(&self, sign: &str, name: &str) -> Flaw {
        let known: Vec<_> = self.bots.iter().map(|bot| format!("{sign}{}", bot.name)).collect();
        Flaw::new(format!("{} has no built-in bot `{sign}{name}`", self.title))
            .hint(format!("the built-in bots are: {}", known.join(", ")))
    }
}

/// How a program is brought to a position that it has not reached by its own turns, as after an undo or an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntoStep {
    /// The protocol has commands that set up a position. After [`reposition`](crate::Dialogue::reposition), the next
    /// prompt gives them.
    Setup,
    /// Every prompt holds the whole position, so nothing needs to be done.
    Stateless,
    /// The program is started anew, gets the prompts of every turn so far, and its answers are dropped.
    Replayed,
}

impl IntoStep {
    /// Returns the name in documents: `setup`, `stateless` or `replayed`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Stateless => "stateless",
            Self::Replayed => "replayed",
        }
    }
}

/// A limit on the length of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnLimit {
    /// The limit that applies if the user names none.
    pub default: u32,
    /// What the limit counts: `turns` or `rounds`.
    pub unit: &'static str,
}

/// One kind of map that a game can generate, written `gen:KIND:SEED`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MapKind {
    /// The name on the command line.
    pub name: &'static str,
    /// A short sentence that says what such a map looks like.
    pub about: &'static str,
}

/// One built-in bot, written `@NAME`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BotKind {
    /// The name on the command line. The weakest bot of every game is `random`.
    pub name: &'static str,
    /// A short sentence that says how the bot plays.
    pub about: &'static str,
}

/// One option of a seat's dialogue, written `--seat N:NAME=VALUE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DialectOption {
    /// The name on the command line.
    pub name: &'static str,
    /// A short sentence that says what the option changes.
    pub about: &'static str,
    /// The values that the option may have.
    pub values: &'static [&'static str],
}
