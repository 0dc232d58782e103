//! The whole contract between a game and the rest of Agon.

use crate::{Bot, Client, ClockPolicy, Dialogue, Flaw, Flawed, Frame, Game, Rng, RuleSet, Seat, Seed};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{fmt::Debug, ops::RangeInclusive, time::Duration};

/// How a match is set up beside its map.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms<R> {
    /// The rule set.
    pub rules: R,
    /// How many bots sit down.
    pub seats: usize,
    /// Rounds or turns, in the game's own count; `None` is the game's default.
    pub limit: Option<u32>,
}

/// A game whose positions can be set up: a *map* is any position that can be put on a board, lawful or not.
pub trait Setup: Game {
    /// The rule sets of the game.
    type Rules: RuleSet;
    /// What a map file or a board editor holds.
    type Map: Clone + PartialEq + Debug + Send;

    /// This position as a map, with what stands on it now as far as the map format can say it.
    fn to_map(&self) -> Self::Map;

    /// The position to start from.
    ///
    /// # Errors
    /// The first flaw, together with the map.
    fn from_map(map: Self::Map, terms: &Terms<Self::Rules>) -> Result<Self, Flawed<Self::Map>>;
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

/// Everything that Agon asks of a game beyond its rules. `agon-games` makes a trait object of it; nothing else knows
/// more than this about any game.
pub trait Contest: Setup {
    /// For people, as `Planet Wars`.
    const TITLE: &'static str;
    /// One sentence.
    const ABOUT: &'static str;
    /// How many bots may sit down.
    const SEATS: RangeInclusive<usize>;
    /// How many do if nobody says.
    const DEFAULT_SEATS: usize = 2;
    /// The default of [`Terms::limit`] and its unit, as `(200, "turns")`; `None` if the game has no such limit.
    const LIMIT: Option<(u32, &'static str)>;
    /// The kinds of maps, the default first.
    const MAP_KINDS: &'static [MapKind];
    /// The built-in bots, weakest (`random`) first, at least four of rising strength.
    const BOTS: &'static [BotKind];
    /// Options of a seat's dialogue.
    const DIALECT: &'static [DialectOption] = &[];
    /// The longest line or message in bytes that a lawful bot may need to write.
    const LINE_LIMIT: usize = 64 * 1024;
    /// Memory limit of one bot in MiB that the contest had, if any.
    const MEMORY_MIB: Option<u32> = None;
    /// Whether champions of the contest can play: libraries whose functions are called, written `champion:PATH`.
    const CHAMPIONS: bool = false;

    /// The clock if nobody says.
    fn clock() -> ClockPolicy;

    /// Named clocks, written `--time NAME`.
    fn clocks() -> Vec<(&'static str, ClockPolicy)> {
        Vec::new()
    }

    /// Reads a map file.
    ///
    /// # Errors
    /// What is wrong and where.
    fn parse_map(text: &[u8]) -> Result<Self::Map, Flaw>;

    /// Writes a map file that [`Contest::parse_map`] reads back as the same map.
    fn print_map(map: &Self::Map) -> String;

    /// Makes a map: the same kind, seed and seats make the same map on every platform and for ever.
    ///
    /// # Errors
    /// An unknown kind, or one that cannot seat so many.
    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Self::Map, Flaw>;

    /// Appends every single order that would be lawful for `seat` as the first of its decision. `false` where there
    /// are too many to list; then the list is empty.
    fn options(&self, seat: Seat, tmp: &mut Self::Scratch, out: &mut Vec<Self::Order>) -> bool;

    /// Replaces `out` with a random lawful decision of `seat`. Cheap: simulations are measured with it.
    fn sample(&self, seat: Seat, rng: &mut Rng, tmp: &mut Self::Scratch, out: &mut Vec<Self::Order>);

    /// The referee's half of the wire protocol for one seat. `dialect` holds pairs that were looked up in
    /// [`Contest::DIALECT`].
    fn dialogue(&self, seat: Seat, dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>>;

    /// How long a bot whose dialogue has these options may take to end once the match is over, where its protocol tells
    /// it of the end; `None`: the usual moment.
    fn grace(_dialect: &[(String, String)]) -> Option<Duration> {
        None
    }

    /// The bot's half of the wire protocol, for a bot that calls itself `name`.
    fn client(name: &str) -> Box<dyn Client<Self>>;

    /// The built-in bot of this name; `None` if there is none.
    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>>;

    /// What a viewer draws of this position.
    fn frame(&self) -> Frame;

    /// For the laws: a position that differs from this one only in what is hidden from `seat`. `None` where nothing
    /// is hidden.
    fn with_hidden_change(&self, _seat: Seat, _rng: &mut Rng) -> Option<Self> {
        None
    }

    /// For the laws: this position with seats 1 and 2 exchanged, where the game is symmetric under that.
    fn with_seats_exchanged(&self) -> Option<Self> {
        None
    }

    /// For simulations: this position without what only dialogues, frames and replays need, if the game keeps such
    /// things beside its rules. The same game by every rule, with the same fingerprints.
    #[must_use]
    fn for_simulation(self) -> Self {
        self
    }

    /// For bots of the library and tests of strategy: whether a failure of this kind would have cost the seat the
    /// match under `rules`. Used for the hint that another rule set would not enforce a rule.
    fn forgives(_reading: &Self::Rules, _why: &Self::Refusal) -> bool {
        false
    }
}
