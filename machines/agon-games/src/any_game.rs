//! The wide interface to a game: everything beyond its positions that the rest of Agon may ask of it.

use crate::{AnyBot, AnyConversation, AnyInterview, AnyPlayable, AnySimulation, AnyWireBot, Format, format};
use agon_core::{Flaw, Frame, Seat, Seed, State, rules::RulePoint};
use agon_referee::{AnyReferee, Board, PlyRecord, SeatKind, Settings};
use agon_spec::MatchSpec;
use std::time::Duration;

/// One game without its types, with its bots, dialogues and generators. The outer ring sees games only through this
/// trait, [`AnyPlayable`] and [`AnySetup`](crate::AnySetup).
///
/// Get one with [`find`](crate::find) or [`all`](crate::all).
pub trait AnyGame: AnyPlayable {
    /// Returns the points in which the rule sets differ.
    fn rule_points(&self) -> &'static [RulePoint];
    /// Returns the value of a point in a rule set, or `None` if the game has no such set or point.
    fn rule(&self, set: &str, point: &str) -> Option<&'static str>;
    /// Returns how long a bot may take to exit after the match if its dialogue has these options. `None` means the
    /// usual time.
    fn grace(&self, dialect: &[(String, String)]) -> Option<Duration>;

    /// Reads a map as a match does, and reports what it contains.
    ///
    /// # Errors
    /// Says what is wrong and where if no match can start from the map.
    fn check_map(&self, map: &[u8], rules: &str, seats: usize) -> Result<MapReport, Flaw>;

    /// Returns the referee of the match that `spec` describes. `kinds` has one element for each seat.
    ///
    /// # Errors
    /// Says what is wrong with `spec` if no match can start from it.
    fn referee(&self, spec: &MatchSpec, kinds: &[SeatKind], settings: Settings) -> Result<Box<dyn AnyReferee>, Flaw>;

    /// Returns the referee of the same match, but starts at `position`. Its turns count from 1 again.
    ///
    /// # Errors
    /// Fails as [`AnyGame::referee`] does, and if `position` belongs to another game or has another number of seats.
    fn referee_from(
        &self,
        spec: &MatchSpec,
        position: &Board,
        kinds: &[SeatKind],
        settings: Settings,
    ) -> Result<Box<dyn AnyReferee>, Flaw>;

    /// Returns what a position has and its map cannot say.
    ///
    /// # Errors
    /// Fails if `position` belongs to another game.
    fn state(&self, position: &Board) -> Result<State, Flaw>;

    /// Returns the greeting and the first prompt that a fresh dialogue writes to a bot in `seat` at this position. The
    /// bytes are empty if the match has no such seat.
    ///
    /// # Errors
    /// Fails if `position` belongs to another game.
    fn first_words(&self, spec: &MatchSpec, position: &Board, seat: Seat) -> Result<Vec<u8>, Flaw>;

    /// Returns an interview that leads one bot in `seat` through the recorded match turn by turn.
    ///
    /// # Errors
    /// Fails as [`AnySetup::rerun`](crate::AnySetup::rerun) does, and if the match has no such seat.
    fn interview(&self, spec: &MatchSpec, seat: Seat) -> Result<Box<dyn AnyInterview>, Flaw>;

    /// Returns the referee's half of a conversation with a program in `seat` about any positions, from `position` on.
    /// `dialect` holds options of the seat that [`MatchSpec`] allows.
    ///
    /// # Errors
    /// Fails if `position` belongs to another game.
    fn conversation(
        &self,
        position: &Board,
        seat: Seat,
        dialect: &[(String, String)],
    ) -> Result<Box<dyn AnyConversation>, Flaw>;

    /// Returns a built-in bot that decides from positions, or `None` if the game has no such bot.
    fn bot(&self, bot: &str, seed: Seed) -> Option<Box<dyn AnyBot>>;

    /// Returns the name of a rule set that tolerates the unlawful order with which `seat` failed in the last of
    /// `turns`. `turns` must hold all turns of the match so far. The result is `None` if no rule set tolerates the
    /// order, or if the seat did not fail with an unlawful order.
    fn tolerant_rules(&self, spec: &MatchSpec, turns: &[PlyRecord], seat: Seat) -> Option<&'static str>;

    /// Returns the formats of other programs for recorded matches of this game.
    fn formats(&self) -> &'static [Format] {
        format::of(self.name())
    }

    /// Returns a built-in bot that speaks the wire protocol, or `None` if the game has no such bot.
    fn wire_bot(&self, bot: &str, seed: Seed) -> Option<Box<dyn AnyWireBot>>;

    /// Returns a simulation that plays random lawful matches at full speed, for benches and research.
    ///
    /// # Errors
    /// Fails if the map or the rule set does not fit.
    fn simulation(&self, spec: &MatchSpec) -> Result<Box<dyn AnySimulation>, Flaw>;
}

/// The result of [`AnyGame::check_map`].
#[derive(Clone, PartialEq, Debug)]
pub struct MapReport {
    /// The map as Agon writes it.
    pub normal: String,
    /// The picture of the start position.
    pub frame: Frame,
    /// The fingerprint of the start position.
    pub fingerprint: u64,
}
