//! The honest half of every hostile bot: it speaks the protocol, so that a match comes to where it misbehaves.

use std::{
    io::{BufRead, Stdin, Write, stdin, stdout},
    process::exit,
};

/// A protocol that hostile bots speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tongue {
    /// The toy game.
    #[default]
    Toy,
    /// Grid.
    Grid,
    /// Lighthouses.
    Lighthouses,
}

impl Tongue {
    /// The game's name.
    #[must_use]
    pub fn game(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::Grid => "grid",
            Self::Lighthouses => "lighthouses",
        }
    }

    /// What is asked by this line of the referee.
    fn asks(self, line: &str) -> Option<Asked> {
        match self {
            Self::Toy if line.starts_with("toy ") => Some(Asked::Greeting),
            Self::Toy if line.starts_with("heap ") => Some(Asked::Move),
            Self::Grid if line == "." => Some(Asked::Move),
            Self::Lighthouses if line.starts_with("{\"player_num\"") => Some(Asked::Greeting),
            Self::Lighthouses if line.starts_with("{\"position\"") => Some(Asked::Move),
            _ => None,
        }
    }

    fn answer(self, asked: Asked) -> &'static str {
        match (self, asked) {
            (Self::Toy, Asked::Greeting) => "ok\n",
            (Self::Toy, Asked::Move) => "take 1\n",
            (Self::Grid, _) => ".\n",
            (Self::Lighthouses, Asked::Greeting) => "{\"name\": \"somebody\"}\n",
            (Self::Lighthouses, Asked::Move) => "{\"command\": \"pass\"}\n",
        }
    }
}

/// What the referee wants to hear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// An answer to the greeting.
    Greeting,
    /// A decision.
    Move,
}

/// Reads questions and answers them.
#[derive(Debug)]
pub struct Player {
    tongue: Tongue,
    input: Stdin,
}

impl Player {
    /// A bot that speaks this protocol on stdin and stdout.
    #[must_use]
    pub fn new(tongue: Tongue) -> Self {
        Self { tongue, input: stdin() }
    }

    /// The next question; `None` at the end of the input.
    pub fn asked(&mut self) -> Option<Asked> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.input.lock().read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            if let Some(asked) = self.tongue.asks(line.trim_end()) {
                return Some(asked);
            }
        }
    }

    /// The honest answer.
    pub fn answer(&mut self, asked: Asked) {
        say(self.tongue.answer(asked));
    }

    /// Answers the greeting, and every question by `answer`, until the end of the input.
    pub fn turns(&mut self, mut answer: impl FnMut(&mut Self)) {
        while let Some(asked) = self.asked() {
            match asked {
                Asked::Greeting => self.answer(asked),
                Asked::Move => answer(self),
            }
        }
    }

    /// Answers the greeting, waits for the first question and leaves it unanswered.
    pub fn until_asked(&mut self) {
        while let Some(asked) = self.asked() {
            match asked {
                Asked::Greeting => self.answer(asked),
                Asked::Move => return,
            }
        }
        exit(0);
    }

    /// Answers a first question honestly, and all that follow.
    pub fn honestly(&mut self) {
        self.answer(Asked::Move);
        self.turns(|player| player.answer(Asked::Move));
    }
}

/// Writes to stdout at once.
pub fn say(text: impl AsRef<[u8]>) {
    let mut out = stdout().lock();
    // An output that nobody reads any more ends most programs.
    if out.write_all(text.as_ref()).and_then(|()| out.flush()).is_err() {
        exit(1);
    }
}
