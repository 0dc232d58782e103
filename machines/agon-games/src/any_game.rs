//! What the rest of Agon may ask of any game, whichever it is, beyond its positions.

use crate::{AnyInterview, AnySetup, AnySimulation, AnyWireBot, Format, format};
use agon_core::{Flaw, GameInfo, Seat, Seed, rules::RulePoint};
use agon_referee::{AnyPosition, AnyReferee, PlyRecord, SeatKind, Settings};
use agon_spec::MatchSpec;
use std::time::Duration;

/// One game without its types, with its bots, dialogues and generators: every ring above this one sees games through this
/// trait and [`AnySetup`] alone.
///
/// Get one with [`find`](crate::find) or [`all`](crate::all).
pub trait AnyGame: AnySetup {
    /// Its title, bots, kinds of maps, clocks and the like.
    fn info(&self) -> &'static GameInfo;
    /// The names of the rule sets, the default first.
    fn rule_sets(&self) -> &'static [&'static str];
    /// The points in which they differ.
    fn rule_points(&self) -> &'static [RulePoint];
    /// The value of a point in a rule set; `None` if there is no such set or point.
    fn rule(&self, set: &str, point: &str) -> Option<&'static str>;
    /// How long a bot whose dialogue has these options may take to end after the match; `None`: the usual moment.
    fn grace(&self, dialect: &[(String, String)]) -> Option<Duration>;

    /// The text of a generated map.
    ///
    /// # Errors
    /// An unknown kind, or one that cannot seat so many.
    fn generate(&self, kind: &str, seed: Seed, seats: usize) -> Result<String, Flaw>;

    /// The match that `spec` describes, ready to begin, with one kind a seat.
    ///
    /// # Errors
    /// What is wrong with the description.
    fn referee(&self, spec: &MatchSpec, kinds: &[SeatKind], settings: Settings) -> Result<Box<dyn AnyReferee>, Flaw>;

    /// The same match, but from `position` on: its turns are counted from 1 again.
    ///
    /// # Errors
    /// As [`AnyGame::referee`]; also a position of another game or number of seats.
    fn referee_from(
        &self,
        spec: &MatchSpec,
        position: &dyn AnyPosition,
        kinds: &[SeatKind],
        settings: Settings,
    ) -> Result<Box<dyn AnyReferee>, Flaw>;

    /// What a bot that sits down in `seat` at this position would be told: greeting and prompt, by a fresh dialogue.
    /// Nothing if there is no such seat.
    ///
    /// # Errors
    /// A position of another game.
    fn first_words(&self, spec: &MatchSpec, position: &dyn AnyPosition, seat: Seat) -> Result<Vec<u8>, Flaw>;

    /// The same match, to be told to one bot in `seat` turn by turn.
    ///
    /// # Errors
    /// As [`AnySetup::rerun`], and a seat that the match does not have.
    fn interview(&self, spec: &MatchSpec, seat: Seat) -> Result<Box<dyn AnyInterview>, Flaw>;

    /// The name of a rule set that would not have punished the unlawful order with which `seat` failed in the last of
    /// these turns (all turns of the match up to then); `None` if there is none, or if the seat failed otherwise.
    fn tolerant_rules(&self, spec: &MatchSpec, turns: &[PlyRecord], seat: Seat) -> Option<&'static str>;

    /// The formats of other programs that replays of this game can be written in, and read from.
    fn formats(&self) -> &'static [Format] {
        format::of(self.name())
    }

    /// The bot's half of the wire protocol with a built-in bot behind it; `None` if there is no such bot.
    fn wire_bot(&self, bot: &str, seed: Seed) -> Option<Box<dyn AnyWireBot>>;

    /// Random lawful play at full speed, for benches and research.
    ///
    /// # Errors
    /// A map or rule set that does not fit.
    fn simulation(&self, spec: &MatchSpec) -> Result<Box<dyn AnySimulation>, Flaw>;
}
