//! The process of a program: how it is started and ended, and what the world reports of it.

use super::{PATIENCE, Phase, Program, Session};
use crate::effect::Effect;
use agon_core::{Flaw, IntoStep};
use agon_games::AnyGame;
use agon_referee::JsonList;
use std::{collections::VecDeque, time::Duration};

impl Program {
    /// Starts the program anew.
    pub(crate) fn start(&mut self, session: &mut Session<'_>) {
        self.stop(session.effects);
        self.run += 1;
        self.phase = Phase::Starting;
        session.effects.push_back(Effect::Start { seat: self.seat, run: self.run });
    }

    /// Kills the program without a word.
    pub(crate) fn stop(&mut self, effects: &mut VecDeque<Effect>) {
        if !matches!(self.phase, Phase::Stopped | Phase::Dead(_)) {
            effects.push_back(Effect::Stop { seat: self.seat });
        }
        self.phase = Phase::Stopped;
        (self.conversation, self.until, self.known, self.answered, self.answer) = (None, None, None, None, None);
        self.inbox.clear();
        (self.ended, self.strayed, self.owes, self.written) = (false, false, false, 0);
    }

    /// Kills the program and says why.
    pub(crate) fn kill(&mut self, why: impl Into<String>, effects: &mut VecDeque<Effect>) {
        self.stop(effects);
        self.phase = Phase::Dead(why.into());
    }

    /// Ends the program because its time is up. Returns what it has ordered so far, and the bytes after that.
    pub(crate) fn give_up(&mut self, session: &mut Session<'_>) -> (JsonList, u64) {
        let orders = self.conversation.as_ref().map(|conversation| conversation.orders());
        let heard = self.inbox.len() as u64;
        self.stop(session.effects);
        (orders.unwrap_or_default(), heard)
    }

    /// Learns that the program was started, or why it was not, and greets it.
    pub(crate) fn started(&mut self, run: u32, how: Result<(), String>, session: &mut Session<'_>) -> Result<(), Flaw> {
        if run != self.run || !matches!(self.phase, Phase::Starting) {
            return Ok(());
        }
        if let Err(why) = how {
            self.phase = Phase::Dead(why);
            return Ok(());
        }
        let rerun = session.tree.rerun_from_base()?;
        let position = if self.way == IntoStep::Replayed { rerun.board() } else { session.tree.position() };
        let mut conversation = session.game.conversation(position, self.seat, &dialect(session.game))?;
        let mut bytes = Vec::new();
        let wants_answer = conversation.greet(position, &mut bytes)?;
        (self.conversation, self.base) = (Some(conversation), session.tree.base());
        self.tell(bytes, session);
        if wants_answer {
            self.phase = Phase::Greeting;
            self.until = Some(session.now + PATIENCE);
            return Ok(());
        }
        self.greeted(session)
    }

    /// Takes output of the program.
    pub(crate) fn hear(&mut self, run: u32, bytes: &[u8], session: &mut Session<'_>) -> Result<(), Flaw> {
        if run != self.run || matches!(self.phase, Phase::Stopped | Phase::Starting | Phase::Dead(_)) {
            return Ok(());
        }
        let room = self.limit.saturating_sub(self.written);
        self.written += bytes.len();
        self.inbox.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.listen(session)?;
        if self.written > self.limit && !matches!(self.phase, Phase::Dead(_)) {
            self.kill(format!("it wrote more than {} bytes without an answer", self.limit), session.effects);
        }
        Ok(())
    }

    /// Takes the end of the program, in words.
    pub(crate) fn end(&mut self, run: u32, how: &str, session: &mut Session<'_>) -> Result<(), Flaw> {
        if run != self.run || matches!(self.phase, Phase::Stopped | Phase::Dead(_)) {
            return Ok(());
        }
        self.ended = true;
        self.listen(session)?;
        let (inbox, answer, answered) = (std::mem::take(&mut self.inbox), self.answer.take(), self.answered.take());
        self.kill(how, session.effects);
        (self.inbox, self.answer, self.answered) = (inbox, answer, answered);
        Ok(())
    }

    /// Gives up a program that does not answer a greeting, a command that sets up its board, or a turn that is told again.
    pub(crate) fn tick(&mut self, now: Duration) {
        if self.until.is_some_and(|until| now >= until) {
            self.until = None;
            // Its answer may still come, and must not be taken for another one.
            self.owes |= matches!(self.phase, Phase::Asked(..));
            self.strayed |= self.owes;
            let seconds = PATIENCE.as_secs();
            self.phase = Phase::OutOfStep(match &self.phase {
                Phase::Greeting => format!("it did not answer the greeting within {seconds} s"),
                Phase::Asked(..) => format!("it did not answer a command that sets up its board within {seconds} s"),
                _ => format!("it did not answer a turn that was told again within {seconds} s"),
            });
        }
    }
}

/// Returns the options of a seat's dialogue in which the program is told of the end, if the protocol can do that.
fn dialect(game: &dyn AnyGame) -> Vec<(String, String)> {
    let quit = game.info().dialect.iter().find(|option| option.name == "quit" && option.values.contains(&"yes"));
    quit.map(|option| (option.name.to_owned(), "yes".to_owned())).into_iter().collect()
}
