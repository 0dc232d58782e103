//! The honest half of every hostile bot: it speaks the protocol, so that the match reaches the point of the attack.

use std::{
    io::{BufRead, Stdin, Write, stdin, stdout},
    process::exit,
};

/// A protocol that hostile bots speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Protocol {
    /// The toy game.
    #[default]
    Toy,
    /// Grid.
    Grid,
    /// Lighthouses.
    Lighthouses,
}

impl Protocol {
    /// Returns the name of the game.
    #[must_use]
    pub fn game(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::Grid => "grid",
            Self::Lighthouses => "lighthouses",
        }
    }

    /// Returns the question in this line of the referee. `None` if the line asks nothing.
    fn question(self, line: &str) -> Option<Question> {
        match self {
            Self::Toy if line.starts_with("toy ") => Some(Question::Greeting),
            Self::Toy if line.starts_with("heap ") => Some(Question::Move),
            Self::Grid if line == "." => Some(Question::Move),
            Self::Lighthouses if line.starts_with("{\"player_num\"") => Some(Question::Greeting),
            Self::Lighthouses if line.starts_with("{\"position\"") => Some(Question::Move),
            _ => None,
        }
    }

    fn answer(self, question: Question) -> &'static str {
        match (self, question) {
            (Self::Toy, Question::Greeting) => "ok\n",
            (Self::Toy, Question::Move) => "take 1\n",
            (Self::Grid, _) => ".\n",
            (Self::Lighthouses, Question::Greeting) => "{\"name\": \"somebody\"}\n",
            (Self::Lighthouses, Question::Move) => "{\"command\": \"pass\"}\n",
        }
    }
}

/// What the referee asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// An answer to the greeting.
    Greeting,
    /// A decision.
    Move,
}

/// Reads the questions of the referee and answers them.
#[derive(Debug)]
pub struct Client {
    protocol: Protocol,
    input: Stdin,
}

impl Client {
    /// Creates a client for this protocol on stdin and stdout.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Self { protocol, input: stdin() }
    }

    /// Returns the next question. `None` at the end of the input.
    pub fn next_question(&mut self) -> Option<Question> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.input.lock().read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            if let Some(question) = self.protocol.question(line.trim_end()) {
                return Some(question);
            }
        }
    }

    /// Gives an honest answer.
    pub fn answer(&mut self, question: Question) {
        write(self.protocol.answer(question));
    }

    /// Answers the greeting, and calls `answer` for every decision, until the input ends.
    pub fn play_turns(&mut self, mut answer: impl FnMut(&mut Self)) {
        while let Some(question) = self.next_question() {
            match question {
                Question::Greeting => self.answer(question),
                Question::Move => answer(self),
            }
        }
    }

    /// Answers the greeting, and returns when the first decision is due. Exits at the end of the input.
    pub fn wait_for_move(&mut self) {
        while let Some(question) = self.next_question() {
            match question {
                Question::Greeting => self.answer(question),
                Question::Move => return,
            }
        }
        exit(0);
    }

    /// Gives an honest answer to the question that is open and to all that follow.
    pub fn play_on(&mut self) {
        self.answer(Question::Move);
        self.play_turns(|client| client.answer(Question::Move));
    }
}

/// Writes to stdout and flushes. Exits if the pipe has no reader any more.
pub fn write(text: impl AsRef<[u8]>) {
    let mut out = stdout().lock();
    if out.write_all(text.as_ref()).and_then(|()| out.flush()).is_err() {
        exit(1);
    }
}
