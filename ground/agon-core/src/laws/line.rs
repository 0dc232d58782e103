//! A dialogue and a client that talk to each other, for the laws about wire protocols.

use super::protocol::Choice;
use crate::{Asked, Client, Contest, Dialogue, Game, Remaining, Said, Seat};
use alloc::{boxed::Box, format, string::String, vec::Vec};

type Decide<'a, C> = dyn FnMut(<C as Game>::View<'_>, &mut Vec<<C as Game>::Order>) + 'a;

/// A dialogue and a client with two byte streams between them.
pub(super) struct Line<C: Contest> {
    dialogue: Box<dyn Dialogue<C>>,
    client: Box<dyn Client<C>>,
    to_bot: Vec<u8>,
    /// How many bytes of `to_bot` the client has seen, but not used.
    seen: usize,
    /// All that the client has seen.
    told: Vec<u8>,
    to_referee: Vec<u8>,
    split: usize,
}

impl<C: Contest> Line<C> {
    /// Creates the pair and plays the greeting.
    pub(super) fn open(game: &C, seat: Seat, split: usize, dialect: &[Choice]) -> Self {
        let mut line = Self {
            dialogue: game.dialogue(seat, dialect),
            client: C::client("tester"),
            to_bot: Vec::new(),
            seen: 0,
            told: Vec::new(),
            to_referee: Vec::new(),
            split: split.max(1),
        };
        let said = line.dialogue.greet(game.view(seat), Remaining::default(), &mut line.to_bot);
        if said == Said::More {
            let said = line.talk(game, seat, &mut |_, _| panic!("a greeting asks for no decision"), &mut Vec::new());
            assert_eq!(said, Said::Ready, "the greeting of seat {seat} is answered");
        }
        line
    }

    /// Plays one prompt: `decide` answers it. Returns the orders that the dialogue read.
    pub(super) fn exchange(
        &mut self,
        game: &C,
        seat: Seat,
        mut decide: impl FnMut(C::View<'_>, &mut Vec<C::Order>),
    ) -> Vec<C::Order> {
        self.dialogue.prompt(game.view(seat), Remaining::default(), &mut self.to_bot);
        let mut heard = Vec::new();
        let said = self.talk(game, seat, &mut decide, &mut heard);
        assert_eq!(said, Said::Decision, "seat {seat} decides");
        self.dialogue.verdict(game.view(seat), Ok(()), &mut self.to_bot);
        heard
    }

    /// Ends the dialogue, with the message about the end if the game is over. Returns all that the bot was told.
    pub(super) fn end(mut self, game: &C, seat: Seat) -> Vec<u8> {
        if game.over() {
            self.dialogue.farewell(game.view(seat), &mut self.to_bot);
        }
        self.told.extend_from_slice(&self.to_bot[self.seen..]);
        self.told
    }

    fn talk(&mut self, game: &C, seat: Seat, decide: &mut Decide<'_, C>, heard: &mut Vec<C::Order>) -> Said {
        for _ in 0..100_000 {
            self.client_reads(game, seat, decide);
            let answer: Vec<u8> = core::mem::take(&mut self.to_referee);
            assert!(!answer.is_empty(), "the bot's half of seat {seat} says nothing: {}", lossy(&self.to_bot));
            let mut unread = Vec::new();
            for chunk in answer.chunks(self.split) {
                unread.extend_from_slice(chunk);
                loop {
                    let view = game.view(seat);
                    let (used, said) =
                        self.dialogue.hear(view, Remaining::default(), &unread, false, heard, &mut self.to_bot);
                    unread.drain(..used);
                    match said {
                        Said::More if used > 0 && !unread.is_empty() => {}
                        Said::More => break,
                        Said::Nonsense(n) => panic!("the referee's half calls `{}` nonsense: {}", n.line, n.why),
                        done => return done,
                    }
                }
            }
            assert!(unread.is_empty() || !self.to_bot.is_empty(), "a half answer stays: {}", lossy(&unread));
        }
        panic!("the talk with seat {seat} never ends");
    }

    fn client_reads(&mut self, game: &C, seat: Seat, decide: &mut Decide<'_, C>) {
        let message = core::mem::take(&mut self.to_bot);
        self.told.extend_from_slice(&message[core::mem::take(&mut self.seen)..]);
        let mut unread = Vec::new();
        for chunk in message.chunks(self.split) {
            unread.extend_from_slice(chunk);
            loop {
                let (used, asked) = self.client.read(&unread, &mut self.to_referee);
                unread.drain(..used);
                match asked {
                    Asked::More => break,
                    Asked::Noted => {}
                    Asked::Decide => {
                        let mut orders = Vec::new();
                        assert_eq!(self.client.view(), game.view(seat), "seat {seat}'s client sees another view");
                        decide(self.client.view(), &mut orders);
                        self.client.write(&orders, &mut self.to_referee);
                    }
                    Asked::Quit => return,
                    Asked::Confused(why) => panic!("the bot's half is confused by `{}`: {why}", lossy(&unread)),
                }
                if unread.is_empty() {
                    break;
                }
            }
        }
        // An incomplete message is read again together with the bytes that follow.
        (self.seen, self.to_bot) = (unread.len(), unread);
    }
}

fn lossy(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(400)]))
}
