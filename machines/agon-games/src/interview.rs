//! Leads a bot through a recorded match: the bot gets every message byte for byte and answers, but the match follows
//! its record whatever the bot answers.

use crate::typed_game::typed_position;
use agon_core::{Contest, Dialogue, Flaw, Remaining, Said, Seat, judge};
use agon_referee::{JsonList, Mismatch, PlyRecord, Rerun};
use agon_spec::MatchSpec;

/// A conversation with one bot about a recorded match. The answers do not change the match: it follows its record.
///
/// Call [`greet`](AnyInterview::greet) once, then for each turn [`prompt`](AnyInterview::prompt) if the seat is
/// awaited, [`hear`](AnyInterview::hear) until there is a decision, and [`step`](AnyInterview::step).
pub trait AnyInterview: Send {
    /// Appends the greeting to `out`. Returns `true` if the protocol wants an answer to it.
    fn greet(&mut self, out: &mut Vec<u8>) -> bool;

    /// Returns whether the seat decides now.
    fn is_awaited(&self) -> bool;

    /// Appends the prompt for the current turn to `out`.
    fn prompt(&mut self, out: &mut Vec<u8>);

    /// Reads from the start of `input`, which holds all bytes of the bot that no earlier call used. `end` says that no
    /// more bytes will follow. Returns how many bytes it used, and the result. If the protocol answers within the turn,
    /// appends the answer to `out`.
    fn hear(&mut self, input: &[u8], end: bool, out: &mut Vec<u8>) -> (usize, Reply);

    /// Plays the recorded turn. If the protocol has verdicts, appends the verdict on the recorded orders to `out`. If
    /// these are not the orders that the bot gave, the next prompt sets up the position again.
    ///
    /// # Errors
    /// Fails if the record and the rules disagree.
    fn step(&mut self, record: &PlyRecord, out: &mut Vec<u8>) -> Result<(), Mismatch>;
}

/// The result of reading a bot's bytes.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// The message is not complete.
    More,
    /// The greeting is complete.
    Ready,
    /// The bot made a whole decision.
    Decision {
        /// The orders, in the form that a replay has.
        orders: JsonList,
        /// Why the rules refuse an order, in the game's words. `None` if all orders are lawful.
        refusal: Option<String>,
    },
    /// The bot broke the protocol.
    Nonsense {
        /// The start of the line that breaks the protocol, as the bot wrote it. Clean it before you print it.
        line: String,
        /// What is wrong with the line.
        why: String,
    },
}

/// Why the position of an interview's match has the type of its game.
const OWN: &str = "the match was opened as one of this game";

/// The interview of one game, with its types.
pub(crate) struct TypedInterview<C: Contest> {
    rerun: Rerun,
    seat: Seat,
    dialogue: Box<dyn Dialogue<C>>,
    greeting: Remaining,
    turn: Remaining,
    orders: Vec<C::Order>,
    scratch: C::Scratch,
}

impl<C: Contest> TypedInterview<C> {
    pub(crate) fn new(spec: &MatchSpec, seat: Seat) -> Result<Self, Flaw> {
        let rerun = Rerun::new::<C>(spec)?;
        let Some(place) = spec.seats.get(seat.index()) else {
            return Err(Flaw::new(format!("the match has no seat {seat}"))
                .hint(format!("its seats are 1 to {}", spec.seats.len())));
        };
        let dialogue = typed_position::<C>(rerun.board())?.dialogue(seat, &place.dialect);
        let clock = place.clock.unwrap_or(spec.clock);
        let greeting = Remaining { turn: clock.greeting, bank: clock.bank };
        let turn = Remaining { turn: clock.hard, bank: clock.bank };
        let (orders, scratch) = (Vec::new(), C::Scratch::default());
        Ok(Self { rerun, seat, dialogue, greeting, turn, orders, scratch })
    }
}

impl<C: Contest> AnyInterview for TypedInterview<C> {
    fn greet(&mut self, out: &mut Vec<u8>) -> bool {
        let view = typed_position::<C>(self.rerun.board()).expect(OWN).view(self.seat);
        self.dialogue.greet(view, self.greeting, out) == Said::More
    }

    fn is_awaited(&self) -> bool {
        !self.rerun.board().over() && self.rerun.board().awaiting().contains(self.seat)
    }

    fn prompt(&mut self, out: &mut Vec<u8>) {
        self.orders.clear();
        self.dialogue.prompt(typed_position::<C>(self.rerun.board()).expect(OWN).view(self.seat), self.turn, out);
    }

    fn hear(&mut self, input: &[u8], end: bool, out: &mut Vec<u8>) -> (usize, Reply) {
        let position = typed_position::<C>(self.rerun.board()).expect(OWN);
        let view = position.view(self.seat);
        let (used, said) = self.dialogue.hear(view, self.turn, input, end, &mut self.orders, out);
        let heard = match said {
            Said::More => Reply::More,
            Said::Ready => Reply::Ready,
            Said::Nonsense(nonsense) => Reply::Nonsense { line: nonsense.line, why: nonsense.why },
            Said::Decision => {
                let (_, refused) = judge(position, self.seat, &self.orders, None, &mut self.scratch);
                Reply::Decision {
                    orders: self.orders.iter().collect(),
                    refusal: refused.map(|refused| refused.why.to_string()),
                }
            }
        };
        (used.min(input.len()), heard)
    }

    fn step(&mut self, record: &PlyRecord, out: &mut Vec<u8>) -> Result<(), Mismatch> {
        if let Some(entry) = record.entries.iter().find(|e| e.seat == self.seat) {
            let position = typed_position::<C>(self.rerun.board()).expect(OWN);
            let orders: Result<Vec<C::Order>, _> = entry.orders.read().collect();
            // If an order cannot be read, the step below reports it.
            if let Ok(orders) = orders {
                let (_, refused) = judge(position, self.seat, &orders, None, &mut self.scratch);
                let verdict = refused.map_or(Ok(()), Err);
                self.dialogue.verdict(position.view(self.seat), verdict, out);
                // A bot may track the board by its own moves. For such a bot another decision than its own is like an
                // edit of the position.
                if orders != self.orders {
                    self.dialogue.reposition();
                }
            }
        }
        self.rerun.step(record).map(|_| ())
    }
}
