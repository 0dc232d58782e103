//! The interface between a runner and a match of any game.

use crate::{Do, FaultRecord, In, LastWords, Question, TimeUsed, Times};
use agon_core::{Frame, Seat, Seats, Standing};
use agon_spec::{MatchSpec, RefusedCount};
use core::time::Duration;

/// What decides in a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeatKind {
    /// A process that speaks the wire protocol.
    Process,
    /// A built-in bot with this name from [`GameInfo::bots`](agon_core::GameInfo::bots). [`In::Think`] computes its
    /// decisions.
    Builtin(&'static str),
    /// A person. [`Do::Ask`] asks for the decisions. Only a clock of the seat's own limits a person's time.
    Human,
}

/// How much a match records. Each level includes the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Recording {
    /// The start, the faults and the end. Turns allocate nothing.
    Result,
    /// What a replay needs, but only if a bot fails. Until then the machine keeps the decisions in memory, which costs much
    /// less than recording them. With the first fault it records all turns so far, and then every turn as it ends.
    Faults,
    /// The orders, times and fingerprint of every turn, which a replay needs.
    #[default]
    Orders,
    /// The events and the standing of every turn, which a live display needs.
    Full,
}

/// Settings of a machine that do not influence the rules of the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// How much the match records.
    pub recording: Recording,
    /// Whether the machine keeps earlier positions for [`In::Undo`].
    pub undo: bool,
    /// Whether processes are stopped outside their own turn ([`Do::Freeze`]).
    pub freeze: bool,
    /// Whether processes that decide in the same turn are asked one after the other, all from the same position. Bots that
    /// share a core need that. The seat that is asked first changes with every turn.
    pub in_turn: bool,
}

/// A match as a machine: events go in, instructions for the runner come out.
///
/// The runner repeats these steps:
///
/// 1. [`feed`](AnyReferee::feed) an event.
/// 2. Take [`next`](AnyReferee::next) until it returns `None`. Carry out each instruction before you take the next.
/// 3. Wait for an event, but no longer than until [`deadline`](AnyReferee::deadline). Feed every byte that has arrived,
///    then [`In::Tick`].
///
/// The machine ignores events about a seat that does not exist, and events that do not concern a seat at the moment.
pub trait AnyReferee: Send {
    /// Returns the description of the match. Together with the answers it determines the result.
    fn spec(&self) -> &MatchSpec;

    /// Returns the settings with which the match was opened.
    fn settings(&self) -> Settings;

    /// Returns what decides in `seat`.
    ///
    /// # Panics
    /// Panics if the match has no such seat.
    fn kind(&self, seat: Seat) -> SeatKind;

    /// Takes an event that happened at the instant `at`, the time since the start of the match. Except for
    /// [`In::Tick`], instants must not go back.
    fn feed(&mut self, at: Duration, what: In<'_>);

    /// Returns the next instruction, or `None` if the runner must wait for an event.
    fn next(&mut self) -> Option<Do>;

    /// Returns the bytes for this seat that the runner has not yet reported as [written](In::Written).
    fn outbox(&self, seat: Seat) -> &[u8];

    /// Returns the earliest instant at which a seat's time is up, or `None` if no limited clock runs.
    fn deadline(&self) -> Option<Duration>;

    /// Returns the question that this seat's process must answer now. `None` if it has no question, or has answered it.
    fn question(&self, seat: Seat) -> Option<Question>;

    /// Returns the seats that still have to answer a greeting or to decide.
    fn awaited(&self) -> Seats;

    /// Returns the number of turns so far.
    fn plies(&self) -> u32;

    /// Returns whether the match has ended, with or without a result.
    fn over(&self) -> bool;

    /// Returns the current standing.
    fn standing(&self) -> Standing;

    /// Returns the fingerprint of the position.
    fn fingerprint(&self) -> u64;

    /// Returns the picture of the position for viewers.
    fn picture(&self) -> Frame;

    /// Returns the position as a map file, as far as the map format can express it.
    fn map(&self) -> String;

    /// Returns how this seat failed, or `None` if it did not fail.
    fn fault(&self, seat: Seat) -> Option<&FaultRecord>;

    /// Returns the end of the conversation with the process of this seat. `None` unless it failed.
    fn last_words(&self, seat: Seat) -> Option<&LastWords>;

    /// Returns statistics of how long the decisions of this seat took.
    ///
    /// # Panics
    /// Panics if the match has no such seat.
    fn times(&self, seat: Seat) -> &Times;

    /// Returns the time that this seat has used, whatever is recorded. Unlike [`times`](AnyReferee::times) it includes the
    /// turn in which the seat failed.
    ///
    /// # Panics
    /// Panics if the match has no such seat.
    fn time_used(&self, seat: Seat) -> TimeUsed;

    /// Returns how many commands of this seat were refused without any other penalty, whatever is recorded. Turns that a
    /// person took back are among those counted.
    ///
    /// # Panics
    /// Panics if the match has no such seat.
    fn refused(&self, seat: Seat) -> &RefusedCount;
}
