//! One bot asked about a recorded match: what it is told, byte for byte, and what it answers, while the match goes on
//! as recorded whatever it says.

use agon_core::{Contest, Dialogue, Flaw, Remaining, Said, Seat, judge};
use agon_referee::{AnyRerun, JsonList, Mismatch, PlyRecord, TypedRerun};
use agon_spec::MatchSpec;

/// A recorded match told to one bot. It is a conversation only: the match follows its record.
///
/// Call [`greet`](AnyInterview::greet) once, then for each turn [`prompt`](AnyInterview::prompt) if the seat is awaited,
/// [`hear`](AnyInterview::hear) until there is a decision, and [`step`](AnyInterview::step).
pub trait AnyInterview: Send {
    /// What is said before the first turn. `true`: an answer is awaited.
    fn greet(&mut self, out: &mut Vec<u8>) -> bool;

    /// Whether the seat decides now.
    fn is_awaited(&self) -> bool;

    /// What the bot is told now, and asked.
    fn prompt(&mut self, out: &mut Vec<u8>);

    /// Reads from the start of `input`, which is all that was heard and not used; `end`: nothing will follow. Returns
    /// how many bytes are used up. May append an answer within the turn to `out`.
    fn hear(&mut self, input: &[u8], end: bool, out: &mut Vec<u8>) -> (usize, Reply);

    /// The recorded turn is played: the bot is told the verdict on what was recorded of it, where the protocol does. If
    /// that is not what it decided, the next prompt sets up the position anew, where the protocol does not always.
    ///
    /// # Errors
    /// The record and the rules disagree.
    fn step(&mut self, record: &PlyRecord, out: &mut Vec<u8>) -> Result<(), Mismatch>;
}

/// What was made of a bot's bytes.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// More is awaited.
    More,
    /// The greeting is complete.
    Ready,
    /// A whole decision.
    Decision {
        /// As a replay has them.
        orders: JsonList,
        /// Why the rules refuse one, in the game's words.
        refusal: Option<String>,
    },
    /// Not the protocol.
    Nonsense {
        /// The offending line, cut. Anything that a bot wrote.
        line: String,
        /// What is wrong with it.
        why: String,
    },
}

/// The typed half.
pub(crate) struct TypedInterview<C: Contest> {
    rerun: TypedRerun<C>,
    seat: Seat,
    dialogue: Box<dyn Dialogue<C>>,
    greeting: Remaining,
    turn: Remaining,
    orders: Vec<C::Order>,
    scratch: C::Scratch,
}

impl<C: Contest> TypedInterview<C> {
    pub(crate) fn new(spec: &MatchSpec, seat: Seat) -> Result<Self, Flaw> {
        let rerun = TypedRerun::<C>::new(spec)?;
        let Some(place) = spec.seats.get(seat.index()) else {
            return Err(Flaw::new(format!("there is no seat {seat}"))
                .hint(format!("the match has {} seats, counted from 1", spec.seats.len())));
        };
        let dialogue = rerun.position().dialogue(seat, &place.dialect);
        let clock = place.clock.unwrap_or(spec.clock);
        let greeting = Remaining { turn: clock.greeting, bank: clock.bank };
        let turn = Remaining { turn: clock.hard, bank: clock.bank };
        let (orders, scratch) = (Vec::new(), C::Scratch::default());
        Ok(Self { rerun, seat, dialogue, greeting, turn, orders, scratch })
    }
}

impl<C: Contest> AnyInterview for TypedInterview<C> {
    fn greet(&mut self, out: &mut Vec<u8>) -> bool {
        let view = self.rerun.position().view(self.seat);
        self.dialogue.greet(view, self.greeting, out) == Said::More
    }

    fn is_awaited(&self) -> bool {
        !self.rerun.over() && self.rerun.awaiting().contains(self.seat)
    }

    fn prompt(&mut self, out: &mut Vec<u8>) {
        self.orders.clear();
        self.dialogue.prompt(self.rerun.position().view(self.seat), self.turn, out);
    }

    fn hear(&mut self, input: &[u8], end: bool, out: &mut Vec<u8>) -> (usize, Reply) {
        let position = self.rerun.position();
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
            let position = self.rerun.position();
            let orders: Result<Vec<C::Order>, _> = entry.orders.read().collect();
            // Orders that cannot be read are reported by the step below.
            if let Ok(orders) = orders {
                let (_, refused) = judge(position, self.seat, &orders, None, &mut self.scratch);
                let verdict = refused.map_or(Ok(()), Err);
                self.dialogue.verdict(position.view(self.seat), verdict, out);
                // What is played is not what the bot decided: to a bot that knows the board from its own moves that is
                // as if the position was edited.
                if orders != self.orders {
                    self.dialogue.reposition();
                }
            }
        }
        self.rerun.step(record).map(|_| ())
    }
}
