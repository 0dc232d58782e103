//! The bytes of one seat: what it was told, what it has said, and the dialogue between.

use crate::{Exit, Fault};
use agon_core::{Contest, Dialogue, Nonsense, Remaining, Said};

/// The wire to a process.
pub(crate) struct Wire<C: Contest> {
    pub dialogue: Box<dyn Dialogue<C>>,
    /// What the bot has written and nobody has used. What is beyond a decision waits for the next one.
    inbox: Vec<u8>,
    inbox_limit: usize,
    outbox: Vec<u8>,
    /// How much of the outbox its pipe has taken.
    sent: usize,
    /// Whether something was said since the last answer, so that the bot should read it before it is asked.
    pub spoke_last: bool,
    /// No more output will come.
    pub ended: bool,
    /// No more input is read.
    pub input_closed: bool,
    /// How the process ended, with the last lines of its stderr.
    pub exit: Option<(Exit, String)>,
}

/// What the inbox holds, as far as the dialogue is concerned.
pub(crate) enum Parsed {
    /// Not a whole answer.
    More,
    /// The greeting is answered.
    Ready,
    /// A whole decision.
    Decision,
    /// Something that is not of the protocol.
    Bad(Fault),
}

impl<C: Contest> Wire<C> {
    pub(crate) fn new(dialogue: Box<dyn Dialogue<C>>, inbox_limit: usize) -> Self {
        Self {
            dialogue,
            inbox: Vec::new(),
            inbox_limit,
            outbox: Vec::new(),
            sent: 0,
            spoke_last: false,
            ended: false,
            input_closed: false,
            exit: None,
        }
    }

    /// What was said and not yet written.
    pub(crate) fn unsent(&self) -> &[u8] {
        &self.outbox[self.sent..]
    }

    /// Where a dialogue speaks.
    pub(crate) fn outbox(&mut self) -> &mut Vec<u8> {
        &mut self.outbox
    }

    /// The dialogue and where it speaks.
    pub(crate) fn speaking(&mut self) -> (&mut dyn Dialogue<C>, &mut Vec<u8>) {
        (self.dialogue.as_mut(), &mut self.outbox)
    }

    /// Whether there is something to write; to a bot whose input is closed there never is.
    pub(crate) fn has_unsent(&mut self) -> bool {
        if self.input_closed {
            self.forget_unsent();
        }
        self.sent < self.outbox.len()
    }

    /// Nobody will read it.
    pub(crate) fn forget_unsent(&mut self) {
        self.outbox.clear();
        self.sent = 0;
    }

    /// The pipe has taken so many bytes.
    pub(crate) fn written(&mut self, bytes: usize) {
        self.sent = self.sent.saturating_add(bytes).min(self.outbox.len());
        if self.sent == self.outbox.len() {
            self.outbox.clear();
            self.sent = 0;
        }
    }

    /// Keeps what the bot wrote. `Err` if that is more than may wait.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let room = self.inbox_limit.saturating_sub(self.inbox.len());
        self.inbox.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room { Err(Fault::Flood { limit: self.inbox_limit as u64 }) } else { Ok(()) }
    }

    /// How much was heard and not used.
    pub(crate) fn unused(&self) -> usize {
        self.inbox.len()
    }

    /// Lets the dialogue read the inbox until it has an answer or needs more.
    pub(crate) fn hear(&mut self, view: C::View<'_>, clock: Remaining, orders: &mut Vec<C::Order>) -> Parsed {
        let mut used = 0;
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
        self.inbox.drain(..used);
        match heard {
            Parsed::More if self.inbox.len() > C::INFO.line_limit => {
                Parsed::Bad(Fault::LongLine { limit: C::INFO.line_limit as u64 })
            }
            heard => heard,
        }
    }

    /// Why no answer can follow, if none can.
    pub(crate) fn broken(&self) -> Option<Fault> {
        match &self.exit {
            Some((exit, stderr)) => Some(Fault::Crashed { exit: exit.clone(), stderr: stderr.clone() }),
            None if self.ended => Some(Fault::ClosedOutput),
            None if self.input_closed => Some(Fault::ClosedInput),
            None => None,
        }
    }
}
