//! The whole contract between a game and the rest of Agon.

use crate::{Bot, Client, Dialogue, Flaw, Flawed, Frame, Game, GameInfo, Incident, Rng, RuleSet, Seat, Seed, State};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{fmt::Debug, time::Duration};

/// The terms of a match, except for its map.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms<R> {
    /// The rule set.
    pub rules: R,
    /// How many bots play.
    pub seats: usize,
    /// The limit in rounds or turns, whichever the game counts. `None` means the game's default.
    pub limit: Option<u32>,
}

/// A game whose positions can be set up from maps. A *map* is anything that can be put on a board, lawful or not.
pub trait Setup: Game {
    /// The rule sets of the game.
    type Rules: RuleSet;
    /// The content of a map file or of a board editor.
    type Map: Clone + PartialEq + Debug + Send;

    /// Returns the current position as a map, as far as the map format can express it.
    fn to_map(&self) -> Self::Map;

    /// Returns the position from which a match on this map starts.
    ///
    /// # Errors
    /// Returns the map with its first flaw if no match can start from it on these terms.
    fn from_map(map: Self::Map, terms: &Terms<Self::Rules>) -> Result<Self, Flawed<Self::Map>>;

    /// Returns what the position has and its map cannot say. It is empty if the map is everything. A law checks that map and
    /// state together give the position again.
    fn state(&self) -> State {
        State::default()
    }

    /// Returns the position of a match that has this map and this state. What the state leaves out is as at the start of a
    /// match on the map.
    ///
    /// # Errors
    /// Fails as [`Setup::from_map`] does. Fails with the path of an item if the state has an item that is unknown, or that
    /// does not fit the map, the terms or the other items.
    fn from_state(map: Self::Map, terms: &Terms<Self::Rules>, state: &State) -> Result<Self, Flaw> {
        let position = Self::from_map(map, terms).map_err(|flawed| flawed.flaw)?;
        state.read().only(&[])?;
        Ok(position)
    }
}

/// Everything that Agon asks of a game beyond its rules. `agon-games` makes a trait object of it. No other crate knows
/// more about a game than this.
pub trait Contest: Setup {
    /// Facts about the game that need no position.
    const INFO: &'static GameInfo;

    /// Reads a map file.
    ///
    /// # Errors
    /// Says what is wrong and where if `text` is not a map file of the game.
    fn parse_map(text: &[u8]) -> Result<Self::Map, Flaw>;

    /// Writes a map file. [`Contest::parse_map`] reads it back as the same map.
    fn print_map(map: &Self::Map) -> String;

    /// Generates a map. The same kind, seed and number of seats give the same map on every platform and in every
    /// version.
    ///
    /// # Errors
    /// Fails if the kind is unknown or has no maps for this number of seats.
    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Self::Map, Flaw>;

    /// Appends every order that is lawful for `seat` as the first order of its decision. If there are too many to list,
    /// returns `false` and appends nothing.
    fn options(&self, seat: Seat, tmp: &mut Self::Scratch, out: &mut Vec<Self::Order>) -> bool;

    /// Replaces `out` with a random lawful decision of `seat`. Keep it cheap: simulations spend much of their time
    /// here.
    fn sample(&self, seat: Seat, rng: &mut Rng, tmp: &mut Self::Scratch, out: &mut Vec<Self::Order>);

    /// Returns the referee's half of the wire protocol for one seat. `dialect` holds names and values from
    /// [`GameInfo::dialect`]; the caller has checked them.
    fn dialogue(&self, seat: Seat, dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>>;

    /// Returns how long a bot may take to exit after the match, if its dialogue with these options tells it that the
    /// match is over. `None` means the usual time.
    fn grace(_dialect: &[(String, String)]) -> Option<Duration> {
        None
    }

    /// Returns the bot's half of the wire protocol, for a bot that calls itself `name`.
    fn client(name: &str) -> Box<dyn Client<Self>>;

    /// Returns the built-in bot of this name, or `None` if the game has no such bot.
    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>>;

    /// The names of the numbers that describe a seat's state, such as `score`. Charts show them.
    const SERIES: &'static [&'static str];

    /// Returns the picture of this position for a viewer that sees everything.
    fn frame(&self) -> Frame;

    /// Returns the picture of this position for a viewer that knows only what `seat` would know if it were asked now, and
    /// what everybody may know: the number of the turn and its limit. Between two of its turns, that is more than its bot
    /// has been told. A game that hides facts makes it from the [`view`](Game::view) of the seat. By default it is the
    /// whole picture. A law checks that it shows no hidden fact.
    fn frame_of(&self, seat: Seat) -> Frame {
        let _ = seat;
        self.frame()
    }

    /// Appends the numbers of `seat` in this position, in the order of [`SERIES`](Contest::SERIES).
    fn measure(&self, seat: Seat, out: &mut Vec<f64>);

    /// Appends the numbers of `seat` that `watcher` knows, and `NAN` for each of the others. By default everything is
    /// known.
    fn measure_known(&self, watcher: Seat, seat: Seat, out: &mut Vec<f64>) {
        let _ = watcher;
        self.measure(seat, out);
    }

    /// Tells an event of the turn that led to this position. `None` if it is not worth a word.
    fn tell(&self, event: &Self::Event) -> Option<Incident>;

    /// Returns this position without the data that only dialogues, frames and replays need. Simulations use it. It
    /// plays by the same rules and has the same fingerprints.
    #[must_use]
    fn for_simulation(self) -> Self {
        self
    }

    /// Returns whether `rules` let a seat play on after a decision that was refused for the reason `why`. If another
    /// rule set does, the hint about a failed bot names it.
    fn tolerates(_rules: &Self::Rules, _why: &Self::Refusal) -> bool {
        false
    }
}
