//! A bot that answers immediately, so that a bench measures only the cost of asking it.
//!
//! The bot is this program, started with a first argument that no help mentions. Between its start and its end it only
//! reads and writes, and it never allocates, unless it is there to take memory.

use agon_cli::exit::Exit;
use rustix::{
    fd::BorrowedFd,
    io::{Errno, read, write},
    stdio::{stderr, stdin, stdout},
};
use std::{
    ffi::OsString,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The first argument that makes this program a bot. The second one names a [`Behaviour`].
const WORD: &str = "instant-bot";

/// The move of a toy bot in each turn: it takes one stone. Zeros make the line 16 bytes long, which is the maximum.
pub const TAKE: &[u8] = b"take 000000001\r\n";

/// The answer to a state of Planet Wars: no orders.
pub const GO: &[u8] = b"go\n";

/// The answer to a command of Triangles, with the empty line that ends it.
pub const ANSWER: &[u8] = b"= instant\n\n";

/// What an instant bot does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behaviour {
    /// Plays the toy game and takes one stone in each turn.
    Toy,
    /// Answers `go` to every prompt that ends with a line `go`, as prompts of Planet Wars do.
    Go,
    /// Answers every line as a bot of Triangles does.
    Triangles,
    /// Ends immediately.
    EndsAtOnce,
    /// Reads and never answers.
    Hung,
    /// Writes one line of 400 MB.
    LongLine,
    /// Writes 400 MB to its stderr.
    StderrFlood,
    /// Takes memory as fast as it can, and writes to its stderr how many KiB it has.
    TakesMemory,
    /// Does the same by [`THREADS`] threads.
    TakesMemoryByThreads,
}

/// The number of bytes that a flood writes.
const FLOOD: usize = 400_000_000;
/// The number of threads of a bot that takes memory by threads.
const THREADS: usize = 16;
/// What a bot takes at a time, in KiB, and the size of a page in bytes.
const TAKEN_KIB: usize = 256;
const PAGE: usize = 4096;
/// A bot that nobody stops takes this much, in KiB.
const MOST_TAKEN_KIB: usize = 2 << 20;

impl Behaviour {
    const ALL: [Self; 9] = [
        Self::Toy,
        Self::Go,
        Self::Triangles,
        Self::EndsAtOnce,
        Self::Hung,
        Self::LongLine,
        Self::StderrFlood,
        Self::TakesMemory,
        Self::TakesMemoryByThreads,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::Go => "go",
            Self::Triangles => "triangles",
            Self::EndsAtOnce => "ends-at-once",
            Self::Hung => "hung",
            Self::LongLine => "long-line",
            Self::StderrFlood => "stderr-flood",
            Self::TakesMemory => "takes-memory",
            Self::TakesMemoryByThreads => "takes-memory-by-threads",
        }
    }

    /// Returns the command line of a bot with this behaviour.
    ///
    /// # Errors
    /// This program cannot find its own path.
    pub fn command(self) -> std::io::Result<[OsString; 3]> {
        Ok([std::env::current_exe()?.into(), WORD.into(), self.name().into()])
    }
}

/// What to do after reading some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reply {
    /// Continue to read.
    Wait,
    Say(&'static [u8]),
    End,
}

/// A bot that answers immediately.
#[derive(Debug)]
pub struct InstantBot {
    behaviour: Behaviour,
    /// The last bytes that were read. A prompt may end in a later piece than it begins.
    tail: [u8; 3],
    /// The first byte of the current line. `None` between two lines.
    first: Option<u8>,
}

impl InstantBot {
    fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, tail: [0; 3], first: None }
    }

    /// Returns the bot that this process was started as, or `None` if it was not started as a bot.
    pub fn asked_for() -> Option<Self> {
        let mut words = std::env::args_os().skip(1);
        if words.next()? != WORD {
            return None;
        }
        let name = words.next()?;
        Behaviour::ALL.into_iter().find(|behaviour| name == behaviour.name()).map(Self::new)
    }

    /// Answers prompts until the input ends.
    pub fn run(mut self) -> Exit {
        let mut buffer = [0; 16 << 10];
        match self.behaviour {
            Behaviour::LongLine => flood(stdout(), &buffer),
            Behaviour::StderrFlood => flood(stderr(), b"why am I here?\n"),
            Behaviour::TakesMemory => take_memory(1),
            Behaviour::TakesMemoryByThreads => take_memory(THREADS),
            _ => {}
        }
        while self.behaviour != Behaviour::EndsAtOnce {
            let count = match read(stdin(), &mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(Errno::INTR) => continue,
                Err(_) => return Exit::User,
            };
            match self.reply_to(&buffer[..count]) {
                Reply::Wait => {}
                // An answer is so short that any pipe takes it whole.
                Reply::Say(answer) if write(stdout(), answer) == Ok(answer.len()) => {}
                Reply::Say(_) | Reply::End => break,
            }
        }
        Exit::Done
    }

    /// Returns what to do after these bytes. Only the end of a prompt matters.
    fn reply_to(&mut self, bytes: &[u8]) -> Reply {
        match self.behaviour {
            Behaviour::Toy => self.reply_to_lines(bytes),
            Behaviour::Go => {
                match bytes {
                    [.., a, b, c] => self.tail = [*a, *b, *c],
                    [a, b] => self.tail = [self.tail[2], *a, *b],
                    [a] => self.tail = [self.tail[1], self.tail[2], *a],
                    [] => {}
                }
                // No other line of a state ends with these bytes.
                if self.tail == *GO { Reply::Say(GO) } else { Reply::Wait }
            }
            Behaviour::Triangles if bytes.ends_with(b"\n") => Reply::Say(ANSWER),
            Behaviour::Triangles => Reply::Wait,
            Behaviour::EndsAtOnce => Reply::End,
            Behaviour::Hung
            | Behaviour::LongLine
            | Behaviour::StderrFlood
            | Behaviour::TakesMemory
            | Behaviour::TakesMemoryByThreads => Reply::Wait,
        }
    }

    /// Answers the last complete line. Lines before it are verdicts.
    fn reply_to_lines(&mut self, bytes: &[u8]) -> Reply {
        let mut reply = Reply::Wait;
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            let first = *self.first.get_or_insert(line[0]);
            if line.ends_with(b"\n") {
                self.first = None;
                reply = match first {
                    b't' => Reply::Say(b"ok\n"),
                    b'h' => Reply::Say(TAKE),
                    b'e' => Reply::End,
                    _ => reply,
                };
            }
        }
        reply
    }
}

/// Writes the same bytes again and again until the reader has gone.
fn flood(to: BorrowedFd<'_>, piece: &[u8]) {
    let mut left = FLOOD;
    while left > 0 {
        match write(to, piece) {
            Ok(count) => left = left.saturating_sub(count),
            Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Takes memory by this many threads until the process is killed.
fn take_memory(threads: usize) {
    let taken = AtomicUsize::new(0);
    let take = || {
        while taken.load(Ordering::Relaxed) < MOST_TAKEN_KIB {
            let mut block = vec![0_u8; TAKEN_KIB << 10];
            block.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
            std::hint::black_box(Vec::leak(block));
            let all = taken.fetch_add(TAKEN_KIB, Ordering::Relaxed) + TAKEN_KIB;
            let _ = write(stderr(), format!("{all}\n").as_bytes());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(take);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all answers to `text`, which arrives in pieces of `size` bytes.
    fn answers(behaviour: Behaviour, text: &[u8], size: usize) -> Vec<u8> {
        let mut bot = InstantBot::new(behaviour);
        let mut said = Vec::new();
        for piece in text.chunks(size) {
            match bot.reply_to(piece) {
                Reply::Say(answer) => said.extend_from_slice(answer),
                Reply::Wait => {}
                Reply::End => break,
            }
        }
        said
    }

    #[test]
    fn the_toy_protocol_is_answered_however_it_is_cut() {
        let turns = [&b"toy wins\n"[..], b"heap 9999999 99\n", b"yes\nheap 9999998 99\n", b"end\n"];
        for size in [1, 2, 5, 16, 100] {
            let mut bot = InstantBot::new(Behaviour::Toy);
            let replies: Vec<Reply> =
                turns.iter().map(|turn| turn.chunks(size).map(|piece| bot.reply_to(piece)).last().unwrap()).collect();
            let expected = [Reply::Say(b"ok\n"), Reply::Say(TAKE), Reply::Say(TAKE), Reply::End];
            assert_eq!(replies, expected, "pieces of {size}");
        }
        assert_eq!(TAKE.len(), 16);
    }

    #[test]
    fn a_state_is_answered_at_its_go_however_it_is_cut() {
        let state = b"P 1.5 2 1 100 5\nF 1 2 0 1 5 4\ngo\n";
        for size in 1..=state.len() {
            assert_eq!(answers(Behaviour::Go, state, size), GO, "pieces of {size}");
        }
        assert_eq!(answers(Behaviour::Go, &state[..state.len() - 1], 7), b"");
    }

    #[test]
    fn a_command_is_answered_at_its_line_end() {
        assert_eq!(answers(Behaviour::Triangles, b"name\n", 2), ANSWER);
        assert_eq!(answers(Behaviour::Triangles, b"name", 9), b"");
    }

    #[test]
    fn the_mute_one_ends_whatever_it_hears() {
        assert_eq!(InstantBot::new(Behaviour::EndsAtOnce).reply_to(b"go\n"), Reply::End);
    }
}
