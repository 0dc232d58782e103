//! Bots that compute: an honest one in its own turn, and neighbours outside theirs.
//!
//! Like the instant bot, such a bot is this program, started with a first argument that no help mentions.

use agon_cli::exit::Exit;
use rustix::{
    fd::BorrowedFd,
    io::write,
    process::getppid,
    stdio::{stderr, stdout},
};
use std::{
    ffi::OsString,
    hint::black_box,
    io::{BufRead, stdin},
    thread,
};

/// The first argument that makes this program such a bot. The others name a [`Protocol`] and a [`Role`].
const WORD: &str = "busy-bot";
/// The third argument of an honest bot. The number of steps follows.
const HONEST: &str = "honest";

/// The number of bytes that each thread of the neighbour `memory` changes again and again. Few caches are as large.
const MEMORY: usize = 64 << 20;
/// The number of threads of the neighbours `memory` and `syscalls`.
const THREADS: u32 = 2;
/// A busy loop looks at nothing for so many steps.
const STEPS: u64 = 1 << 20;

/// The protocol of a game, as far as it is needed to pass in every turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    PlanetWars,
    Grid,
    Lighthouses,
}

/// What a line of the referee asks for, with the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Greeting(&'static [u8]),
    Turn(&'static [u8]),
}

impl Protocol {
    const ALL: [Self; 3] = [Self::PlanetWars, Self::Grid, Self::Lighthouses];

    /// Returns the name of the game.
    pub fn game(self) -> &'static str {
        match self {
            Self::PlanetWars => "planet-wars",
            Self::Grid => "grid",
            Self::Lighthouses => "lighthouses",
        }
    }

    /// Returns what this line asks for. `None` if it is not the last one of a question.
    fn question(self, line: &[u8]) -> Option<Question> {
        match self {
            Self::PlanetWars => (line == b"go").then_some(Question::Turn(b"go\n")),
            Self::Grid => (line == b".").then_some(Question::Turn(b".\n")),
            Self::Lighthouses if line.starts_with(b"{\"player_num\"") => {
                Some(Question::Greeting(b"{\"name\": \"bench\"}\n"))
            }
            Self::Lighthouses => {
                line.starts_with(b"{\"position\"").then_some(Question::Turn(b"{\"command\": \"pass\"}\n"))
            }
        }
    }
}

/// What a neighbour does from its first answer on, in its own turn and outside of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neighbour {
    /// Sleeps outside its turn.
    Sleeps,
    /// Sleeps in so many threads, at which whoever watches bots has to look.
    Idles { threads: u32 },
    /// Computes in so many threads.
    Spins { threads: u32 },
    /// Changes more memory than a cache has.
    Memory,
    /// Calls the system.
    Syscalls,
    /// Writes to its stderr.
    Stderr,
}

impl Neighbour {
    /// The one with most threads.
    pub const CROWD: Self = Self::Spins { threads: 62 };

    /// All neighbours, in the order of the report.
    pub const ALL: [Self; 7] = [
        Self::Sleeps,
        Self::Idles { threads: 62 },
        Self::Spins { threads: 1 },
        Self::CROWD,
        Self::Memory,
        Self::Syscalls,
        Self::Stderr,
    ];

    pub fn name(self) -> String {
        match self {
            Self::Sleeps => "sleeps".to_owned(),
            Self::Idles { threads } => format!("idles-{threads}"),
            Self::Spins { threads } => format!("spins-{threads}"),
            Self::Memory => "memory".to_owned(),
            Self::Syscalls => "syscalls".to_owned(),
            Self::Stderr => "stderr".to_owned(),
        }
    }

    /// Starts the threads that disturb the others.
    fn begin(self) {
        let (threads, work): (u32, fn()) = match self {
            Self::Sleeps => return,
            Self::Idles { threads } => (threads, || {
                loop {
                    thread::park();
                }
            }),
            Self::Spins { threads } => (threads, || {
                loop {
                    compute(STEPS);
                }
            }),
            Self::Memory => (THREADS, change_memory),
            Self::Syscalls => (THREADS, || {
                loop {
                    black_box(getppid());
                }
            }),
            Self::Stderr => (1, || while say(stderr(), &[b'x'; 4096]) {}),
        };
        for _ in 0..threads {
            thread::spawn(work);
        }
    }
}

/// What a bot does beside answering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Computes so many steps in each of its turns but the first one, in which it may still be starting.
    Honest {
        steps: u64,
    },
    Neighbour(Neighbour),
}

/// A bot that passes in every turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusyBot {
    pub protocol: Protocol,
    pub role: Role,
}

impl BusyBot {
    /// Returns the command line of this bot.
    ///
    /// # Errors
    /// This program cannot find its own path.
    pub fn command(self) -> std::io::Result<Vec<OsString>> {
        let mut words: Vec<OsString> = vec![std::env::current_exe()?.into(), WORD.into(), self.protocol.game().into()];
        match self.role {
            Role::Honest { steps } => words.extend([HONEST.into(), steps.to_string().into()]),
            Role::Neighbour(neighbour) => words.push(neighbour.name().into()),
        }
        Ok(words)
    }

    /// Returns the bot that this process was started as, or `None` if it was not started as such a bot.
    pub fn asked_for() -> Option<Self> {
        Self::named(std::env::args_os().skip(1))
    }

    /// Reads the words of a command line after the program.
    fn named(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        if words.next()? != WORD {
            return None;
        }
        let game = words.next()?;
        let protocol = Protocol::ALL.into_iter().find(|protocol| game == protocol.game())?;
        let name = words.next()?;
        let role = if name == HONEST {
            Role::Honest { steps: words.next()?.to_str()?.parse().ok()? }
        } else {
            Role::Neighbour(Neighbour::ALL.into_iter().find(|neighbour| name == *neighbour.name())?)
        };
        Some(Self { protocol, role })
    }

    /// Answers prompts until the input ends.
    pub fn run(self) -> Exit {
        let (mut turns, mut begun) = (0_u32, false);
        for line in stdin().lock().split(b'\n') {
            let Ok(line) = line else { return Exit::User };
            let Some(question) = self.protocol.question(&line) else { continue };
            let (Question::Greeting(answer) | Question::Turn(answer)) = question;
            turns += u32::from(question == Question::Turn(answer));
            if let Role::Honest { steps } = self.role
                && turns > 1
            {
                compute(steps);
            }
            if !say(stdout(), answer) {
                break;
            }
            if let Role::Neighbour(neighbour) = self.role
                && !std::mem::replace(&mut begun, true)
            {
                neighbour.begin();
            }
        }
        Exit::Done
    }
}

/// Computes in registers alone, so that neither caches nor memory matter.
pub fn compute(steps: u64) {
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}

fn change_memory() {
    /// The size of a cache line in bytes.
    const LINE: usize = 64;
    let mut memory = vec![0_u8; MEMORY];
    loop {
        memory.iter_mut().step_by(LINE).for_each(|byte| *byte = byte.wrapping_add(1));
        black_box(&mut memory);
    }
}

/// Writes all of it. Returns whether the reader is still there.
fn say(to: BorrowedFd<'_>, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match write(to, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_the_bot_that_it_starts() {
        let roles = Neighbour::ALL.map(Role::Neighbour).into_iter().chain([Role::Honest { steps: 12_345 }]);
        for role in roles {
            for protocol in Protocol::ALL {
                let bot = BusyBot { protocol, role };
                let words = bot.command().expect("this program has a path");
                assert_eq!(BusyBot::named(words.into_iter().skip(1)), Some(bot));
            }
        }
        for bad in [&["toy"][..], &[WORD, "chess", "sleeps"], &[WORD, "grid", "spins-3"], &[WORD, "grid", HONEST]] {
            assert_eq!(BusyBot::named(bad.iter().map(OsString::from)), None, "{bad:?}");
        }
    }

    #[test]
    fn only_the_end_of_a_question_is_answered() {
        let asked = |protocol: Protocol, text: &str| -> Vec<Option<Question>> {
            text.lines().map(|line| protocol.question(line.as_bytes())).collect()
        };
        assert_eq!(asked(Protocol::PlanetWars, "P 1 2 1 100 5\ngo\n"), [None, Some(Question::Turn(b"go\n"))]);
        assert_eq!(asked(Protocol::Grid, "Y 1\nE 3\n1-\n-2\n.\n")[3..], [None, Some(Question::Turn(b".\n"))]);
        let talk = asked(
            Protocol::Lighthouses,
            "{\"player_num\": 0, \"map\": []}\n{\"position\": [1, 3]}\n{\"success\": true}\n",
        );
        assert!(matches!(talk[..], [Some(Question::Greeting(_)), Some(Question::Turn(_)), None]), "{talk:?}");
    }
}
