//! What a runner sees of a match, whatever the game.

use crate::{Do, FaultRecord, In, Question, Times};
use agon_core::{Frame, Seat, Seats, Standing};
use agon_spec::MatchSpec;
use core::time::Duration;

/// Who decides in a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatKind {
    /// A process that speaks the wire protocol.
    Process,
    /// A built-in bot, by the name in [`GameInfo::bots`](agon_core::GameInfo::bots); computed by [`In::Think`].
    Builtin(&'static str),
    /// A person, asked by [`Do::Ask`]. Only a clock of the seat's own limits people.
    Human,
}

/// How much is recorded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Recording {
    /// Beginning, faults and end. Turns allocate nothing.
    Result,
    /// And every turn's orders, times and fingerprint: what a replay needs.
    #[default]
    Orders,
    /// And every turn's events and standing: what a live display needs.
    Full,
}

/// What a machine does beside the match itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// How much is recorded.
    pub recording: Recording,
    /// Whether positions are kept for [`In::Undo`].
    pub undo: bool,
    /// Whether processes are stopped outside their own turn ([`Do::Freeze`]).
    pub freeze: bool,
}

/// A match as a machine: events in, orders to the world out.
///
/// After every [`feed`](AnyReferee::feed), take [`next`](AnyReferee::next) until it gives `None`, and carry out each before
/// the next is taken. Then wait for whatever happens first, at most until [`deadline`](AnyReferee::deadline), and feed
/// that: first every byte that has arrived, then [`In::Tick`]. What is fed about a seat that is not concerned (or does
/// not exist) is ignored.
pub trait AnyReferee: Send {
    /// Everything that decides the match beside the answers.
    fn spec(&self) -> &MatchSpec;

    /// Who decides in `seat`.
    fn kind(&self, seat: Seat) -> SeatKind;

    /// Takes in what happened at the instant `at` (since the start of the match; never earlier than the one before, but
    /// for [`In::Tick`]).
    fn feed(&mut self, at: Duration, what: In<'_>);

    /// What to do next; `None`: wait.
    fn next(&mut self) -> Option<Do>;

    /// What has been said to this seat and was not yet reported as [written](In::Written).
    fn outbox(&self, seat: Seat) -> &[u8];

    /// The earliest instant at which a seat's time is up; `None`: no clock runs.
    fn deadline(&self) -> Option<Duration>;

    /// What this seat's process is to answer now; `None` if nothing, or if it has answered.
    fn question(&self, seat: Seat) -> Option<Question>;

    /// The seats whose greeting or decision is awaited now.
    fn awaited(&self) -> Seats;

    /// How many turns were played.
    fn plies(&self) -> u32;

    /// Whether the match has ended, with or without a result.
    fn over(&self) -> bool;

    /// How the match stands.
    fn standing(&self) -> Standing;

    /// The number of the position.
    fn fingerprint(&self) -> u64;

    /// What a viewer draws of the position.
    fn frame(&self) -> Frame;

    /// The position as a map file, as far as the format can say it.
    fn map(&self) -> String;

    /// How this seat failed, if it did.
    fn fault(&self, seat: Seat) -> Option<&FaultRecord>;

    /// How long the decisions of this seat took.
    fn times(&self, seat: Seat) -> &Times;
}
