//! All messages between a match machine and its runner.

use crate::{Denial, Exit, MatchEvent, Usage};
use agon_core::Seat;
use core::time::Duration;

/// Something that happened in the world. The runner passes it to [`AnyReferee::feed`](crate::AnyReferee::feed) with its
/// instant, which is the time since the start of the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum In<'a> {
    /// The runner has started every process, so the greetings may begin.
    Begin,
    /// The runner could not start the program of this seat. The match ends without a result.
    NeverStarted {
        /// The seat whose program did not start.
        seat: Seat,
        /// The reason in the words of the system, for example `no such file`.
        reason: &'a str,
    },
    /// The pipe of this seat took bytes of its [outbox](crate::AnyReferee::outbox). The clock of a prompt starts when
    /// the outbox is empty. If the bot does not make room in time, the clock starts 100 ms after the question.
    Written {
        /// The seat whose pipe took the bytes.
        seat: Seat,
        /// The number of bytes, counted from the front of the outbox.
        bytes: usize,
    },
    /// A write to the bot failed, so the bot no longer reads. The runner must first feed everything that the bot wrote
    /// before.
    ClosedInput {
        /// The seat of the bot.
        seat: Seat,
    },
    /// The bot wrote these bytes.
    Bytes {
        /// The seat of the bot.
        seat: Seat,
        /// A part of its output. It does not matter how the output is split.
        bytes: &'a [u8],
    },
    /// The bot's output has ended, but its process is still running.
    ClosedOutput {
        /// The seat of the bot.
        seat: Seat,
    },
    /// The bot's process has ended. The runner must first feed everything that the bot wrote before.
    Exited {
        /// The seat of the bot.
        seat: Seat,
        /// How the process ended.
        exit: &'a Exit,
        /// The last lines of its stderr.
        stderr: &'a str,
    },
    /// The bot's process has ended, perhaps for lack of memory. The runner feeds this before [`In::Exited`], or before
    /// [`In::OutOfMemory`] if there is no doubt.
    NearMemoryLimit {
        /// The seat of the bot.
        seat: Seat,
        /// The most memory that it was seen to use, in MiB.
        peak_mib: u64,
    },
    /// The bot's processes used more memory than [`MatchSpec::memory_mib`](agon_spec::MatchSpec::memory_mib) allows.
    OutOfMemory {
        /// The seat of the bot.
        seat: Seat,
    },
    /// The counters of this seat since the clock of its current [question](crate::AnyReferee::question) started. The
    /// runner feeds them before bytes that arrive late, and before [`In::Tick`] at a deadline. Quick answers need none.
    Usage {
        /// The seat of the bot.
        seat: Seat,
        /// The totals for this question, not the growth since the last report.
        usage: Usage,
    },
    /// The processes of this seat used CPU time outside their turn, although they must not ([`Do::Freeze`]).
    OffTurn {
        /// The seat of the bot.
        seat: Seat,
        /// The CPU time since the last report.
        cpu: Duration,
    },
    /// Time has passed. The runner must first feed every byte that had arrived at this instant.
    ///
    /// A seat fails if its [deadline](crate::AnyReferee::deadline) is not later than this instant. The instant must
    /// come from before the runner read the bytes. Otherwise a seat could be late because the runner was busy with
    /// another one.
    Tick,
    /// Computes the decision of a built-in bot after [`Do::Think`]. The call lasts as long as the bot thinks.
    Think {
        /// The seat of the built-in bot.
        seat: Seat,
    },
    /// The call with [`In::Think`] has returned. The bot's time is the time between the two instants.
    Thought {
        /// The seat of the built-in bot.
        seat: Seat,
    },
    /// A person's answer to [`Do::Ask`]: a JSON array of orders. If it is unlawful, the referee denies it, and the
    /// person may answer again.
    Human {
        /// The seat of the person.
        seat: Seat,
        /// The orders, in the form that a replay has in `orders`.
        orders: &'a str,
    },
    /// Takes turns back as soon as the processes that are thinking have answered. Needs
    /// [`Settings::undo`](crate::Settings::undo).
    Undo {
        /// The number of turns. If the match has fewer, it goes back to its start.
        plies: usize,
    },
    /// Continues from another position as soon as the processes that are thinking have answered. Turns count from 1
    /// again.
    Edit {
        /// The position as a map file.
        map: &'a [u8],
    },
    /// Ends the match now, without a result.
    Abort,
}

/// Something that the runner must do. The runner takes these from [`AnyReferee::next`](crate::AnyReferee::next) until
/// there are no more.
#[derive(Clone, PartialEq, Debug)]
pub enum Do {
    /// Write the seat's [outbox](crate::AnyReferee::outbox) to the bot, and report each write with [`In::Written`].
    /// Continue whenever the pipe has room again.
    Say {
        /// The seat of the bot.
        seat: Seat,
        /// If set, wait until the bot has read everything that was written to it before, but write at this instant at
        /// the latest. Some real bots read more than a line and throw away the rest.
        drain: Option<Duration>,
    },
    /// Feed [`In::Think`], then [`In::Thought`].
    Think {
        /// The seat of the built-in bot.
        seat: Seat,
    },
    /// Ask a person for a decision. The answer is [`In::Human`].
    Ask {
        /// The seat that decides.
        seat: Seat,
    },
    /// Tell a person that the request cannot be carried out.
    Deny {
        /// The seat whose decision was denied. `None` if it was an undo or an edit.
        seat: Option<Seat>,
        /// The reason.
        why: Denial,
    },
    /// The turn of this seat begins: let its processes run again if they were stopped. Occurs only with [`Settings::freeze`](crate::Settings::freeze).
    Thaw {
        /// The seat of the bot.
        seat: Seat,
    },
    /// The turn of this seat is over: its processes must not compute until [`Do::Thaw`]. Occurs only with
    /// [`Settings::freeze`](crate::Settings::freeze).
    Freeze {
        /// The seat of the bot.
        seat: Seat,
    },
    /// Kill the processes of this seat immediately, because it has failed or the match is aborted.
    Kill {
        /// The seat of the bot.
        seat: Seat,
    },
    /// The match no longer needs this seat. Close its input, give its processes a moment to exit, and then kill those
    /// that are left.
    Dismiss {
        /// The seat of the bot.
        seat: Seat,
    },
    /// Show and record this event, and send it to watchers.
    Record(Box<MatchEvent>),
    /// The match has ended. Nothing follows.
    Over,
}
