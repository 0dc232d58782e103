//! What a console asks of the world.

use agon_core::Seat;
use agon_referee::{MatchEvent, SeatKind};
use agon_spec::ConsoleDocument;

/// Something that the owner of a console must do. Take it from [`Console::next`](crate::Console::next).
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Show the answer to a command. Every command gets exactly one, but it may have to wait for bots.
    Answer {
        /// The number of the command.
        id: u64,
        /// The answer.
        document: Box<ConsoleDocument>,
    },
    /// Add this event to the replay of the session, and show it.
    Record(Box<MatchEvent>),
    /// Find out what these words name, and report it with [`Console::bind`](crate::Console::bind).
    Bind {
        /// The seat that the bot shall take.
        seat: Seat,
        /// The words of the user.
        words: String,
    },
    /// Start the program of this seat, and report it with [`Console::started`](crate::Console::started).
    Start {
        /// The seat of the program.
        seat: Seat,
        /// The number of this start. Reports about the program carry it, so that those of an earlier process do not count.
        run: u32,
    },
    /// Kill the program of this seat.
    Stop {
        /// The seat of the program.
        seat: Seat,
    },
    /// Write these bytes to the program of this seat.
    Tell {
        /// The seat of the program.
        seat: Seat,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Call [`Console::think`](crate::Console::think), which lasts as long as the built-in bot thinks.
    Think {
        /// The seat of the built-in bot.
        seat: Seat,
    },
    /// Read a map, and report it with [`Console::loaded`](crate::Console::loaded).
    Load {
        /// The words of the user: a file or a generator.
        name: String,
    },
    /// Write a file, and report it with [`Console::saved`](crate::Console::saved).
    Save {
        /// What the file holds.
        what: Saved,
        /// The name of the file.
        name: String,
        /// The content of the file.
        bytes: Vec<u8>,
    },
    /// End the session. Close the input of every program, and let it end by itself for a moment.
    Quit,
}

/// What a console writes to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saved {
    /// A map.
    Map,
    /// A replay.
    Replay,
}

/// Who takes a seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The name. The console makes it unique.
    pub name: String,
    /// The words of the user, for example `@random` or `python3 bot.py`.
    pub words: String,
    /// What decides in the seat.
    pub kind: SeatKind,
}
