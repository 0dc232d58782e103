//! The whole contract between a game and the rest of Agon.

use crate::{Bot, Client, Dialogue, Flaw, Flawed, Frame, Game, GameInfo, Rng, RuleSet, Seat, Seed};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{fmt::Debug, time::Duration};

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

/// Everything that Agon asks of a game beyond its rules. `agon-games` makes a trait object of it; nothing else knows
/// more than this about any game.
pub trait Contest: Setup {
    /// What there is to know of the game without a position of it.
    const INFO: &'static GameInfo;

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
    /// [`GameInfo::dialect`].
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

    /// For simulations: this position without what only dialogues, frames and replays need, if the game keeps such
    /// things beside its rules. The same game by every rule, with the same fingerprints.
    #[must_use]
    fn for_simulation(self) -> Self {
        self
    }

    /// Whether `rules` would let a seat play on after a decision that was refused for this reason. A rule set that would
    /// is named in the hint to a bot that has failed by another one.
    fn tolerates(_rules: &Self::Rules, _why: &Self::Refusal) -> bool {
        false
    }
}
