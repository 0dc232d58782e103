//! All that passes between a match machine and whoever runs it.

use crate::{Denial, Exit, MatchEvent, Usage};
use agon_core::Seat;
use core::time::Duration;

/// What happened in the world. Fed to [`AnyReferee::feed`](crate::AnyReferee::feed) with its instant, the time since the
/// start of the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum In<'a> {
    /// Every process has been started: the greetings may begin.
    Begin,
    /// The program of this seat could not be started. That ends the match without a result.
    NeverStarted {
        /// The seat that this is about.
        seat: Seat,
        /// The reason in the words of the system, as `no such file`.
        reason: &'a str,
    },
    /// So many bytes of the seat's [outbox](crate::AnyReferee::outbox) were taken by its pipe. The clock of a prompt
    /// starts when nothing of it is left, or a moment (100 ms) after the question if the bot keeps it waiting longer.
    Written {
        /// The seat that this is about.
        seat: Seat,
        /// How many, from the front of the outbox.
        bytes: usize,
    },
    /// The bot no longer reads: a write to it failed. Everything it had written before was fed already.
    ClosedInput {
        /// The seat that this is about.
        seat: Seat,
    },
    /// The bot wrote these bytes.
    Bytes {
        /// The seat that this is about.
        seat: Seat,
        /// A part of its output; how the output is split makes no difference.
        bytes: &'a [u8],
    },
    /// The bot's output has ended although its process lives on.
    ClosedOutput {
        /// The seat that this is about.
        seat: Seat,
    },
    /// The bot's process has ended. Everything it had written before was fed already.
    Exited {
        /// The seat that this is about.
        seat: Seat,
        /// How it ended.
        exit: &'a Exit,
        /// The last lines of its stderr.
        stderr: &'a str,
    },
    /// The bot's processes use more memory than [`Limits::memory_mib`](agon_spec::Limits::memory_mib).
    OutOfMemory {
        /// The seat that this is about.
        seat: Seat,
    },
    /// What was counted since the clock of this seat's [question](crate::AnyReferee::question) started. Fed before bytes
    /// that come late, and before [`In::Tick`] at a deadline; answers that come at once need none.
    Usage {
        /// The seat that this is about.
        seat: Seat,
        /// All that was counted for this question, not only since the last time.
        usage: Usage,
    },
    /// The processes of this seat have used CPU time while they were [frozen](Do::Freeze).
    OffTurn {
        /// The seat that this is about.
        seat: Seat,
        /// The CPU time that they have used.
        cpu: Duration,
    },
    /// Time has passed; every byte that had arrived by then was fed already. A seat whose
    /// [deadline](crate::AnyReferee::deadline) is not later than this instant fails now. The instant is the one before
    /// the bytes were read, so that nobody is late by what it took to read another seat's.
    Tick,
    /// Compute the decision of a built-in bot, asked for by [`Do::Think`]: this call takes as long as the bot does.
    Think {
        /// The seat that this is about.
        seat: Seat,
    },
    /// The call of [`In::Think`] has returned: its duration is that between the two instants.
    Thought {
        /// The seat that this is about.
        seat: Seat,
    },
    /// A person's decision: a JSON array of orders. Answers [`Do::Ask`]; an unlawful one is denied and may be given
    /// again.
    Human {
        /// The seat that this is about.
        seat: Seat,
        /// As a replay has them in `orders`.
        orders: &'a str,
    },
    /// Go back so many turns, once the processes that are thinking now have answered. Needs
    /// [`Settings::undo`](crate::Settings::undo).
    Undo {
        /// As many as there are, if there are fewer.
        plies: usize,
    },
    /// Play on from another position, given as a map file, once the processes that are thinking now have answered. Turns
    /// are counted from 1 again.
    Edit {
        /// The map file.
        map: &'a [u8],
    },
    /// End the match now, without a result.
    Abort,
}

/// What the world shall do. Taken from [`AnyReferee::next`](crate::AnyReferee::next) until there is no more.
#[derive(Clone, PartialEq, Debug)]
pub enum Do {
    /// Write the seat's [outbox](crate::AnyReferee::outbox) to the bot and report how far that went with
    /// [`In::Written`]; go on whenever its pipe takes more.
    Say {
        /// The seat to write to.
        seat: Seat,
        /// If set, wait until the bot has read everything that was written to it before, but write at this instant at
        /// the latest: some real bots throw away what they have read beyond a line.
        drain: Option<Duration>,
    },
    /// Run [`In::Think`], then [`In::Thought`].
    Think {
        /// The seat of the built-in bot.
        seat: Seat,
    },
    /// Ask a person for a decision; answered by [`In::Human`].
    Ask {
        /// The seat that decides.
        seat: Seat,
    },
    /// What a person asked for cannot be done.
    Deny {
        /// Who decided, or `None` if it was an undo or an edit.
        seat: Option<Seat>,
        /// The reason, for the person who asked.
        why: Denial,
    },
    /// Let the processes of this seat run; with [`Settings::freeze`](crate::Settings::freeze) only.
    Thaw {
        /// The seat that this is about.
        seat: Seat,
    },
    /// Stop the processes of this seat until [`Do::Thaw`]; with [`Settings::freeze`](crate::Settings::freeze) only.
    Freeze {
        /// The seat that this is about.
        seat: Seat,
    },
    /// Kill the processes of this seat at once: it has failed.
    Kill {
        /// The seat that this is about.
        seat: Seat,
    },
    /// The seat is done with: close its input and, after a moment for it to end by itself, kill what is left.
    Dismiss {
        /// The seat that this is about.
        seat: Seat,
    },
    /// Something to show, record and send to watchers.
    Record(Box<MatchEvent>),
    /// The match has ended; nothing follows.
    Over,
}
