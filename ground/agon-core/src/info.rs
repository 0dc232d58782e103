//! What there is to know of a game without a position of it.

use crate::ClockPolicy;
use core::ops::RangeInclusive;

/// A game in names, numbers and lists: what help texts, menus and documents show of it.
///
/// Games spell out what they have and take the rest from [`GameInfo::DEFAULT`].
#[derive(Clone, PartialEq, Debug)]
pub struct GameInfo {
    /// The name for people, as `Planet Wars`.
    pub title: &'static str,
    /// What the game is about, one sentence.
    pub about: &'static str,
    /// How many bots may play a match, from 1 to [`MAX_SEATS`](crate::MAX_SEATS).
    pub seats: RangeInclusive<usize>,
    /// How many bots play if nobody says.
    pub default_seats: usize,
    /// How long a match may be; `None` if it always ends by itself.
    pub limit: Option<TurnLimit>,
    /// The kinds of maps that can be generated, the default first.
    pub map_kinds: &'static [MapKind],
    /// The built-in bots, weakest (`random`) first, at least four of rising strength.
    pub bots: &'static [BotKind],
    /// The options of a seat's dialogue.
    pub dialect: &'static [DialectOption],
    /// The clock if nobody says.
    pub clock: ClockPolicy,
    /// Other clocks of the contest, written `--time NAME`.
    pub clocks: &'static [(&'static str, ClockPolicy)],
    /// The longest line or message in bytes that a lawful bot may need to write.
    pub line_limit: usize,
    /// The memory limit of one bot in MiB that the contest had, if any.
    pub memory_mib: Option<u32>,
    /// Whether champions of the contest can play: libraries whose functions are called, written `champion:PATH`.
    pub champions: bool,
}

impl GameInfo {
    /// A game for two without limit, options, clock or champions, with lines of up to 64 KiB. Its title, its kinds of maps
    /// and its bots are missing: every game has its own.
    pub const DEFAULT: Self = Self {
        title: "",
        about: "",
        seats: 2..=2,
        default_seats: 2,
        limit: None,
        map_kinds: &[],
        bots: &[],
        dialect: &[],
        clock: ClockPolicy::OFF,
        clocks: &[],
        line_limit: 64 * 1024,
        memory_mib: None,
        champions: false,
    };
}

/// How long a match may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnLimit {
    /// The limit if nobody says.
    pub default: u32,
    /// What it counts: `turns` or `rounds`.
    pub unit: &'static str,
}

/// One kind of map that a game can generate, written `gen:KIND:SEED`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MapKind {
    /// As written on the command line. The first of a game is its default.
    pub name: &'static str,
    /// What it makes, a short sentence.
    pub about: &'static str,
}

/// One built-in bot, written `@NAME`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BotKind {
    /// As written on the command line. The weakest of every game is `random`.
    pub name: &'static str,
    /// How it plays, a short sentence.
    pub about: &'static str,
}

/// One option of a seat's dialogue, written `--seat N:NAME=VALUE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DialectOption {
    /// As written on the command line.
    pub name: &'static str,
    /// What it changes, a short sentence.
    pub about: &'static str,
    /// The values it may have.
    pub values: &'static [&'static str],
}
