//! The bytes of one seat: its outbox, its inbox, and the dialogue between them.

use crate::{Exit, Fault, LastWords};
use agon_core::{Contest, Dialogue, Nonsense, Remaining, Said};

/// The wire to a process.
pub(crate) struct Wire<C: Contest> {
    pub dialogue: Box<dyn Dialogue<C>>,
    /// The last complete answer of the bot, until more arrives, and everything that came after it. Bytes after a decision
    /// wait for the next turn.
    inbox: Vec<u8>,
    /// Where in the inbox the answer begins of which the bot owes the rest.
    answer: usize,
    /// How many bytes of the inbox the dialogue has used.
    used: usize,
    /// How many bytes of this answer the inbox no longer has.
    forgotten: u64,
    inbox_limit: usize,
    /// The last message. It stays after the pipe has taken it, until the next one.
    outbox: Vec<u8>,
    /// How many bytes of the outbox the pipe has taken.
    sent: usize,
    /// Whether the dialogue has written something since the last answer. The bot should read it before the next
    /// question.
    pub spoke_last: bool,
    /// Whether the bot's output has ended.
    pub ended: bool,
    /// Whether the bot's input is closed, so that it reads no more.
    pub input_closed: bool,
    /// How the process ended, and the last lines of its stderr. `None` while it runs.
    pub exit: Option<(Exit, String)>,
    /// The most memory that the process used, in MiB, if it perhaps ended for lack of memory.
    pub memory_mib: Option<u64>,
}

/// The content of the inbox, as the dialogue understands it.
pub(crate) enum Parsed {
    /// The answer is not complete.
    More,
    /// The answer to the greeting is complete.
    Ready,
    /// The decision is complete.
    Decision,
    /// The bot broke the protocol.
    Bad(Fault),
}

impl<C: Contest> Wire<C> {
    pub(crate) fn new(dialogue: Box<dyn Dialogue<C>>, inbox_limit: usize) -> Self {
        Self {
            dialogue,
            inbox: Vec::new(),
            answer: 0,
            used: 0,
            forgotten: 0,
            inbox_limit,
            outbox: Vec::new(),
            sent: 0,
            spoke_last: false,
            ended: false,
            input_closed: false,
            exit: None,
            memory_mib: None,
        }
    }

    /// Returns the bytes of the outbox that the pipe has not taken.
    pub(crate) fn unsent(&self) -> &[u8] {
        &self.outbox[self.sent..]
    }

    /// Returns the buffer to which the dialogue writes.
    pub(crate) fn outbox(&mut self) -> &mut Vec<u8> {
        if self.sent == self.outbox.len() {
            self.outbox.clear();
            self.sent = 0;
        }
        &mut self.outbox
    }

    /// Returns the dialogue and the buffer to which it writes.
    pub(crate) fn speaking(&mut self) -> (&mut dyn Dialogue<C>, &mut Vec<u8>) {
        self.outbox();
        (self.dialogue.as_mut(), &mut self.outbox)
    }

    /// Returns whether bytes are left to write. If the bot's input is closed, it drops them and returns `false`.
    pub(crate) fn has_unsent(&mut self) -> bool {
        if self.input_closed {
            self.forget_unsent();
        }
        self.sent < self.outbox.len()
    }

    /// Drops the outbox, because the bot will not read it.
    pub(crate) fn forget_unsent(&mut self) {
        self.outbox.truncate(self.sent);
    }

    /// Notes that the pipe has taken this many bytes.
    pub(crate) fn written(&mut self, bytes: usize) {
        self.sent = self.sent.saturating_add(bytes).min(self.outbox.len());
    }

    /// Appends bytes of the bot to the inbox. Returns [`Fault::Flood`] if they exceed the limit of the inbox.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> Option<Fault> {
        self.forget_used();
        let room = self.inbox_limit.saturating_sub(self.unused());
        self.inbox.extend_from_slice(&bytes[..bytes.len().min(room)]);
        (bytes.len() > room).then_some(Fault::Flood { limit: self.inbox_limit as u64 })
    }

    /// Returns how many bytes of the bot the dialogue has not used.
    pub(crate) fn unused(&self) -> usize {
        self.inbox.len() - self.used
    }

    /// Returns how many bytes of the answer have arrived of which the bot owes the rest.
    pub(crate) fn heard(&self) -> u64 {
        self.forgotten + (self.inbox.len() - self.answer) as u64
    }

    /// Returns the end of the conversation.
    pub(crate) fn last_words(&self) -> LastWords {
        let told = self.outbox[..self.sent].trim_ascii_end();
        let line = told.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let told = &told[line..];
        let (before, answer) = self.inbox.split_at(self.answer);
        let is_answer = self.heard() > 0;
        let heard = if is_answer { answer } else { before };
        LastWords {
            told: told[..told.len().min(LastWords::TOLD)].to_vec(),
            heard: heard[..heard.len().min(LastWords::HEARD)].to_vec(),
            is_answer,
            is_whole: is_answer && self.forgotten == 0 && heard.len() <= LastWords::HEARD,
        }
    }

    /// Forgets the complete answer, because a part of the next one has arrived, and the most of a very long answer that the
    /// dialogue has used.
    fn forget_used(&mut self) {
        if self.answer > 0 {
            self.inbox.drain(..self.answer);
            (self.used, self.answer) = (self.used - self.answer, 0);
        }
        if self.used > LastWords::HEARD {
            self.inbox.drain(..self.used);
            self.forgotten += self.used as u64;
            self.used = 0;
        }
    }

    /// Lets the dialogue read the inbox until it has an answer or needs more.
    pub(crate) fn hear(&mut self, view: C::View<'_>, clock: Remaining, orders: &mut Vec<C::Order>) -> Parsed {
        // A dialogue may answer within a turn, as often as the bot asks.
        if self.sent == self.outbox.len() && self.sent > LastWords::HEARD {
            self.outbox();
        }
        let mut used = self.used;
        let heard = loop {
            let rest = &self.inbox[used..];
            let (taken, said) = self.dialogue.hear(view, clock, rest, self.ended, orders, &mut self.outbox);
            let taken = taken.min(rest.len());
            used += taken;
            match said {
                Said::Ready => break Parsed::Ready,
                Said::Decision => break Parsed::Decision,
                Said::Nonsense(Nonsense { line, why }) => break Parsed::Bad(Fault::Nonsense { line, why }),
                Said::More if taken == 0 || used == self.inbox.len() => break Parsed::More,
                Said::More => {}
            }
        };
        self.used = used;
        if matches!(heard, Parsed::Ready | Parsed::Decision) {
            (self.answer, self.forgotten) = (used, 0);
        }
        match heard {
            Parsed::More if self.unused() > C::INFO.line_limit => {
                Parsed::Bad(Fault::LongLine { limit: C::INFO.line_limit as u64 })
            }
            heard => heard,
        }
    }

    /// Returns why no answer can follow, or `None` if one still can.
    pub(crate) fn broken(&self) -> Option<Fault> {
        match &self.exit {
            Some((exit, stderr)) => {
                Some(Fault::Crashed { exit: exit.clone(), stderr: stderr.clone(), memory_mib: self.memory_mib })
            }
            None if self.ended => Some(Fault::ClosedOutput),
            None if self.input_closed => Some(Fault::ClosedInput),
            None => None,
        }
    }
}
