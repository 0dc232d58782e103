//! A conversation with a program about any positions, in any order.

use crate::{Reply, typed_game::typed_position};
use agon_core::{Contest, Dialogue, Flaw, Remaining, Said, Seat, judge};
use agon_referee::{Board, JsonList};

/// The referee's half of a conversation with one program. It asks about the positions that it is given, and changes none.
///
/// Call [`greet`](AnyConversation::greet) once, then [`prompt`](AnyConversation::prompt) for each question, and
/// [`hear`](AnyConversation::hear) until the answer is complete. If the answer is played, or another decision in its place,
/// call [`note_decision`](AnyConversation::note_decision).
pub trait AnyConversation: Send {
    /// Appends the greeting to `out`. Returns `true` if the protocol wants an answer to it.
    ///
    /// # Errors
    /// Fails if `position` belongs to another game.
    fn greet(&mut self, position: &Board, out: &mut Vec<u8>) -> Result<bool, Flaw>;

    /// Sets what the program has left on its clock, which some protocols tell it. Without a call it has no limit.
    fn set_clock(&mut self, clock: Remaining);

    /// Appends what brings the program from its last message to `position`, and the question for its decision there.
    ///
    /// # Errors
    /// Fails if `position` belongs to another game.
    fn prompt(&mut self, position: &Board, out: &mut Vec<u8>) -> Result<(), Flaw>;

    /// Reads from the start of `input`, which holds all bytes of the program that no earlier call used. `end` says that no
    /// more bytes will follow. Returns how many bytes it used, and the result. If the protocol answers within the turn,
    /// appends the answer to `out`.
    fn hear(&mut self, input: &[u8], end: bool, out: &mut Vec<u8>) -> (usize, Reply);

    /// Returns whether the program is still being brought to the position of the last prompt by commands of its own, so that
    /// it has not been asked for its decision yet.
    fn is_setting_up(&self) -> bool;

    /// Returns the orders of the answer to the last prompt, as far as it has been heard.
    fn orders(&self) -> JsonList;

    /// Tells which decision was played in the position of the last prompt. If the protocol has verdicts, appends the verdict
    /// to `out`. If the decision is not the program's own answer, the next prompt sets up its position again.
    fn note_decision(&mut self, orders: &JsonList, out: &mut Vec<u8>);

    /// Forgets what the program has been told, so that the next prompt sets up its position again, as far as the protocol
    /// has commands for that.
    fn reposition(&mut self);

    /// Appends the message that the match has ended, if the protocol has one.
    ///
    /// # Errors
    /// Fails if `position` belongs to another game.
    fn farewell(&mut self, position: &Board, out: &mut Vec<u8>) -> Result<(), Flaw>;
}

/// The conversation of one game, with its types.
pub(crate) struct TypedConversation<C: Contest> {
    position: C,
    seat: Seat,
    clock: Remaining,
    dialogue: Box<dyn Dialogue<C>>,
    orders: Vec<C::Order>,
    scratch: C::Scratch,
}

impl<C: Contest> TypedConversation<C> {
    pub(crate) fn new(position: C, seat: Seat, dialect: &[(String, String)]) -> Self {
        let dialogue = position.dialogue(seat, dialect);
        let clock = Remaining::default();
        Self { position, seat, clock, dialogue, orders: Vec::new(), scratch: C::Scratch::default() }
    }

    fn come_to(&mut self, position: &Board) -> Result<(), Flaw> {
        self.position.clone_from(typed_position::<C>(position)?);
        Ok(())
    }
}

impl<C: Contest> AnyConversation for TypedConversation<C> {
    fn greet(&mut self, position: &Board, out: &mut Vec<u8>) -> Result<bool, Flaw> {
        self.come_to(position)?;
        Ok(self.dialogue.greet(self.position.view(self.seat), self.clock, out) == Said::More)
    }

    fn set_clock(&mut self, clock: Remaining) {
        self.clock = clock;
    }

    fn prompt(&mut self, position: &Board, out: &mut Vec<u8>) -> Result<(), Flaw> {
        self.come_to(position)?;
        self.orders.clear();
        self.dialogue.prompt(self.position.view(self.seat), self.clock, out);
        Ok(())
    }

    fn hear(&mut self, input: &[u8], end: bool, out: &mut Vec<u8>) -> (usize, Reply) {
        let view = self.position.view(self.seat);
        let (used, said) = self.dialogue.hear(view, self.clock, input, end, &mut self.orders, out);
        let reply = match said {
            Said::More => Reply::More,
            Said::Ready => Reply::Ready,
            Said::Nonsense(nonsense) => Reply::Nonsense { line: nonsense.line, why: nonsense.why },
            Said::Decision => {
                let (_, refused) = judge(&self.position, self.seat, &self.orders, None, &mut self.scratch);
                Reply::Decision {
                    orders: self.orders.iter().collect(),
                    refusal: refused.map(|refused| refused.why.to_string()),
                }
            }
        };
        (used.min(input.len()), reply)
    }

    fn is_setting_up(&self) -> bool {
        self.dialogue.is_setting_up()
    }

    fn orders(&self) -> JsonList {
        self.orders.iter().collect()
    }

    fn note_decision(&mut self, orders: &JsonList, out: &mut Vec<u8>) {
        let orders: Result<Vec<C::Order>, _> = orders.read().collect();
        let Ok(orders) = orders else { return };
        let (_, refused) = judge(&self.position, self.seat, &orders, None, &mut self.scratch);
        self.dialogue.verdict(self.position.view(self.seat), refused.map_or(Ok(()), Err), out);
        // A program may track the board by its own moves, so another decision is like an edit of the position.
        if orders != self.orders {
            self.dialogue.reposition();
        }
    }

    fn reposition(&mut self) {
        self.dialogue.reposition();
    }

    fn farewell(&mut self, position: &Board, out: &mut Vec<u8>) -> Result<(), Flaw> {
        self.come_to(position)?;
        self.dialogue.farewell(self.position.view(self.seat), out);
        Ok(())
    }
}
