//! What a program is told, and what it answers.

use super::{Answer, Decided, PATIENCE, Phase, Program, Replaying, Session};
use crate::effect::Effect;
use agon_core::{Flaw, IntoStep, Seat};
use agon_games::Reply;

impl Program {
    /// Sends bytes to the program, which may then write again.
    pub(super) fn tell(&mut self, bytes: Vec<u8>, session: &mut Session<'_>) {
        self.written = self.inbox.len();
        put(self.seat, bytes, session);
    }

    /// Takes in what the program has written, up to what it was asked for.
    pub(super) fn listen(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        while matches!(self.phase, Phase::Greeting | Phase::Replaying(_) | Phase::Asked(..)) {
            let Some(conversation) = &mut self.conversation else { break };
            let mut bytes = Vec::new();
            conversation.set_clock(session.clock);
            let (used, reply) = conversation.hear(&self.inbox, self.ended, &mut bytes);
            self.inbox.drain(..used);
            if let Phase::Asked(..) = self.phase {
                // The question is bounded by the clock, and what sets up the board before it is bounded like a turn told again.
                match conversation.is_setting_up() {
                    true if bytes.is_empty() => {}
                    true => self.until = Some(session.now + PATIENCE),
                    false => self.until = None,
                }
            }
            put(self.seat, bytes, session);
            match (reply, &mut self.phase) {
                (Reply::More, _) if used == 0 || self.inbox.is_empty() => break,
                (Reply::More, _) => {}
                (Reply::Ready, Phase::Greeting) => self.greeted(session)?,
                (Reply::Decision { .. }, Phase::Replaying(replaying)) => {
                    if let Some(record) = replaying.records.pop_front() {
                        let mut bytes = Vec::new();
                        if let Some(entry) = record.entries.iter().find(|entry| entry.seat == self.seat) {
                            conversation.note_decision(&entry.orders, &mut bytes);
                        }
                        replaying.rerun.step(&record).map_err(|why| Flaw::new(why.to_string()))?;
                        self.tell(bytes, session);
                    }
                    self.replay(session)?;
                }
                (Reply::Decision { orders, refusal }, Phase::Asked(at, since)) => {
                    let wall = session.now.saturating_sub(*since);
                    self.answered = Some((*at, orders.clone()));
                    self.answer = Some(Answer { at: *at, decision: Ok(Decided { orders, refusal }), wall });
                    self.phase = Phase::Idle;
                }
                (Reply::Nonsense { line, why }, phase) => {
                    let words = format!("it wrote `{}`: {why}", line.escape_debug());
                    self.inbox.clear();
                    self.until = None;
                    if let Phase::Asked(at, since) = phase {
                        let wall = session.now.saturating_sub(*since);
                        self.answer = Some(Answer { at: *at, decision: Err(words), wall });
                        self.phase = Phase::Idle;
                        // The rest of it may be on its way, and must not be taken for the next answer.
                        (self.strayed, self.owes) = (true, true);
                    } else {
                        self.phase = Phase::OutOfStep(words);
                    }
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Goes on after the greeting.
    pub(super) fn greeted(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        self.until = None;
        if self.way != IntoStep::Replayed {
            self.phase = Phase::Idle;
            return Ok(());
        }
        if self.base != session.tree.base() {
            // It was greeted for a board that is no longer there.
            self.start(session);
            return Ok(());
        }
        let target = session.tree.at();
        let records = session.tree.path(target).into_iter().cloned().collect();
        self.phase = Phase::Replaying(Box::new(Replaying { rerun: session.tree.rerun_from_base()?, records, target }));
        self.replay(session)
    }

    /// Tells the next turn again in which this seat decided.
    fn replay(&mut self, session: &mut Session<'_>) -> Result<(), Flaw> {
        let Phase::Replaying(replaying) = &mut self.phase else { return Ok(()) };
        while let Some(record) = replaying.records.front() {
            if replaying.rerun.board().awaiting().contains(self.seat) {
                let mut bytes = Vec::new();
                if let Some(conversation) = &mut self.conversation {
                    conversation.prompt(replaying.rerun.board(), &mut bytes)?;
                }
                self.until = Some(session.now + PATIENCE);
                self.tell(bytes, session);
                return Ok(());
            }
            replaying.rerun.step(record).map_err(|why| Flaw::new(why.to_string()))?;
            replaying.records.pop_front();
        }
        (self.known, self.until, self.phase) = (Some(replaying.target), None, Phase::Idle);
        Ok(())
    }
}

/// Sends bytes to the program in a seat.
fn put(seat: Seat, bytes: Vec<u8>, session: &mut Session<'_>) {
    if !bytes.is_empty() {
        session.effects.push_back(Effect::Tell { seat, bytes });
    }
}
