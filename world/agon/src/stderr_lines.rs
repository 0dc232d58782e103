//! Shows what bots write to their stderr, line by line, with the name of the bot before each line.

use crate::{clean::clean, printer::Printer};
use agon_run::{Chunk, Stream};
use agon_spec::MatchSpec;

/// The longest incomplete line that is kept back, in bytes. A longer one is shown in pieces.
const LONGEST: usize = 4 << 10;
/// The maximum that is shown of one bot, in bytes, so that a flood cannot hold up the match.
const MOST: usize = 1 << 20;

/// Shows lines of stderr as they arrive.
pub struct StderrLines<'a> {
    printer: &'a Printer,
    bots: Vec<Bot>,
    /// The lines that are printed when the match is over. `None` if they are printed at once.
    held: Option<String>,
}

struct Bot {
    name: String,
    unfinished: Vec<u8>,
    shown: usize,
}

impl<'a> StderrLines<'a> {
    /// Prepares for the bots of this match. Lines are held back until it is over if `bots_could_read` them.
    pub fn new(printer: &'a Printer, spec: &MatchSpec, bots_could_read: bool) -> Self {
        let bot = |name: &str| Bot { name: clean(name), unfinished: Vec::new(), shown: 0 };
        let bots = spec.seats.iter().map(|seat| bot(&seat.name)).collect();
        Self { printer, bots, held: bots_could_read.then(String::new) }
    }

    /// Shows a chunk if it comes from a bot's stderr.
    pub fn add(&mut self, chunk: &Chunk<'_>) {
        if chunk.stream != Stream::Err {
            return;
        }
        let Some(bot) = self.bots.get_mut(chunk.seat.index()) else { return };
        if let Some(text) = bot.add(chunk.bytes) {
            self.show(&text);
        }
    }

    /// Shows the last lines that have no line end, and those that were held back. Call this when no bot runs.
    pub fn end(&mut self) {
        for i in 0..self.bots.len() {
            let rest = std::mem::take(&mut self.bots[i].unfinished);
            if !rest.is_empty() {
                let lines = self.bots[i].lines(&rest);
                self.show(&lines);
            }
        }
        if let Some(held) = self.held.take().filter(|held| !held.is_empty()) {
            self.printer.beside(held);
        }
    }

    fn show(&mut self, text: &str) {
        match &mut self.held {
            Some(held) => held.push_str(text),
            None => self.printer.beside(text),
        }
    }
}

impl Bot {
    /// Adds bytes and returns the lines that are now complete.
    fn add(&mut self, bytes: &[u8]) -> Option<String> {
        let left = MOST.saturating_sub(self.shown);
        if left == 0 {
            return None;
        }
        self.shown += bytes.len();
        self.unfinished.extend_from_slice(&bytes[..bytes.len().min(left)]);
        let whole = match self.unfinished.iter().rposition(|byte| *byte == b'\n') {
            _ if self.shown >= MOST => self.unfinished.len(),
            Some(end) => end + 1,
            None if self.unfinished.len() > LONGEST => self.unfinished.len(),
            None => return None,
        };
        let whole: Vec<u8> = self.unfinished.drain(..whole).collect();
        let mut text = self.lines(&whole);
        if self.shown >= MOST {
            text.push_str(&format!("{}| (more than {} MiB is not shown)\n", self.name, MOST >> 20));
        }
        Some(text)
    }

    fn lines(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).lines().map(|line| format!("{}| {}\n", self.name, clean(line))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot() -> Bot {
        Bot { name: "me".into(), unfinished: Vec::new(), shown: 0 }
    }

    #[test]
    fn lines_are_whole_and_harmless() {
        let mut bot = bot();
        assert_eq!(bot.add(b"one\ntw").as_deref(), Some("me| one\n"));
        assert_eq!(bot.add(b"o\x1b[2J"), None);
        assert_eq!(bot.add(b"\nthree").as_deref(), Some("me| two\\x1b[2J\n"));
        assert_eq!(bot.unfinished, b"three");
    }

    #[test]
    fn a_flood_is_cut() {
        let mut bot = bot();
        let mut shown = String::new();
        for _ in 0..3000 {
            shown.extend(bot.add(&[b'x'; 1000]));
        }
        assert!(shown.len() < MOST + MOST / 100, "{}", shown.len());
        assert!(shown.ends_with("me| (more than 1 MiB is not shown)\n"));
        assert!(bot.add(b"x\n").is_none() && bot.unfinished.is_empty());
    }
}
