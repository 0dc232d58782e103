//! What the page reads of an open replay.

use super::{Engine, Failed, no_turn};
use crate::{
    branch,
    encoder::Encoder,
    timeline::Timeline,
    told::{Told, refusals},
    verifier::Verdict,
};
use agon_core::{Key, Seat, Standing};
use agon_referee::{ApplyError, EntryRecord};
use agon_replay::LineOfPlay;

impl Engine {
    /// Writes what describes the match.
    pub fn write_match(&self, out: &mut Encoder) {
        let Timeline { play: LineOfPlay { spec, .. }, standing, state, notes, .. } = &self.timeline;
        out.text(&spec.game).text(self.title).text(&spec.rules).text(&spec.map_name);
        out.texts(spec.seats.iter().map(|seat| seat.name.as_str()));
        out.texts(spec.seats.iter().map(|seat| seat.bot.as_str()));
        out.count(self.timeline.play.turns.len()).text(state.name());
        self.write_result(standing.as_ref(), notes, out);
    }

    /// Writes what describes the match, as far as a seat knew it. The last position must be shown.
    pub(crate) fn write_known_match(&self, seat: Seat, out: &mut Encoder) {
        let Timeline { play: LineOfPlay { spec, .. }, standing, state, .. } = &self.timeline;
        let mut scores = Vec::new();
        for other in (0..spec.seats.len()).map(Seat::new) {
            self.shown.board().measure(Some(seat), other, &mut scores);
        }
        let standing = standing.as_ref().filter(|_| scores.iter().all(|number| !number.is_nan()));
        // From the name of a map that was generated, anybody can generate it.
        out.text(&spec.game).text(self.title).text(&spec.rules).text("");
        out.texts(spec.seats.iter().map(|seat| seat.name.as_str()));
        out.texts(spec.seats.iter().map(|_| ""));
        out.count(self.timeline.play.turns.len()).text(state.name());
        self.write_result(standing, &[], out);
    }

    fn write_result(&self, standing: Option<&Standing>, notes: &[String], out: &mut Encoder) {
        out.text(&standing.map_or_else(String::new, |standing| standing.ending.to_string()));
        out.texts(notes.iter().map(String::as_str));
        out.count(standing.map_or(0, |standing| standing.places.len()));
        standing.into_iter().flat_map(|standing| &standing.places).for_each(|place| _ = out.byte(*place));
        out.count(standing.map_or(0, |standing| standing.scores.len()));
        standing.into_iter().flat_map(|standing| &standing.scores).for_each(|score| _ = out.double(*score as f64));
        out.number(self.timeline.revision);
    }

    /// Writes the verdict so far.
    pub fn write_verdict(&mut self, count: u32, out: &mut Encoder) {
        match self.verify(count) {
            Verdict::Pending { ply } => out.byte(0).number(*ply),
            Verdict::Reproduces { ply } => out.byte(1).number(*ply),
            Verdict::Differs { ply, why, fingerprints } => {
                let [expected, found] = fingerprints.as_ref().map_or(["", ""], |pair| [&pair[0], &pair[1]]);
                out.byte(2).number(*ply).text(why).text(expected).text(found)
            }
        };
    }

    /// Writes what is the same in all positions.
    pub fn write_scene(&self, out: &mut Encoder) {
        out.scene(&self.shown.board().frame(None));
    }

    /// Writes the rest of what is drawn of the shown position.
    pub fn write_frame(&mut self, eyes: Option<Seat>, out: &mut Encoder) {
        out.frame(&self.frame(eyes));
    }

    /// Writes the facts about a thing.
    pub fn write_facts(&mut self, key: Key, eyes: Option<Seat>, out: &mut Encoder) {
        out.facts(&self.facts(key, eyes));
    }

    /// Writes the numbers for charts, by name, then by seat, then by position, and then the marks: what has been collected so
    /// far, with the eyes of the last [`survey`](Engine::survey).
    pub fn write_series(&self, out: &mut Encoder) {
        out.texts(self.survey.names().iter().copied());
        let (seats, turns) = (self.timeline.play.spec.seats.len(), self.timeline.play.turns.len());
        out.count(seats).count(turns);
        for name in 0..self.survey.names().len() {
            for seat in 0..seats {
                for ply in 0..=turns {
                    out.double(self.survey.number(name, seat, ply));
                }
            }
        }
        out.count(self.survey.marks().len());
        for (ply, told) in self.survey.marks() {
            out.number(*ply).byte(told.weight as u8).seat(told.seat).text(&told.text);
        }
    }

    /// Writes what happened in a turn.
    ///
    /// # Errors
    /// Fails as [`seek`](Engine::seek) does.
    pub fn write_events(&mut self, ply: u32, eyes: Option<Seat>, out: &mut Encoder) -> Result<(), Failed> {
        out.events(&self.events(ply, eyes)?);
        Ok(())
    }

    /// Writes the decisions of a turn: orders, refusals, faults and times.
    ///
    /// # Errors
    /// Fails if there is no such turn.
    pub fn write_turn(&self, ply: u32, out: &mut Encoder) -> Result<(), Failed> {
        let record = self.timeline.play.turn(ply).ok_or_else(|| no_turn(ply, self.plies()))?;
        out.count(record.entries.len());
        for entry in &record.entries {
            self.write_decision(ply, entry, out);
        }
        Ok(())
    }

    /// Writes what a seat decided in a turn, if it was asked.
    pub(crate) fn write_own_decision(&self, ply: u32, seat: Seat, out: &mut Encoder) {
        let own =
            self.timeline.play.turn(ply).and_then(|record| record.entries.iter().find(|entry| entry.seat == seat));
        out.count(usize::from(own.is_some()));
        if let Some(entry) = own {
            self.write_decision(ply, entry, out);
        }
    }

    fn write_decision(&self, ply: u32, entry: &EntryRecord, out: &mut Encoder) {
        out.seat(Some(entry.seat)).texts(entry.orders.texts().collect::<Vec<_>>().into_iter());
        let refused: Vec<String> = refusals(entry).collect();
        out.texts(refused.iter().map(String::as_str));
        let fault = self.timeline.faults.iter().find(|fault| fault.seat == entry.seat && fault.ply == ply);
        let failure = entry.failure.map_or_else(String::new, |failure| {
            serde_json::to_string(&failure).unwrap_or_default().trim_matches('"').to_owned()
        });
        out.text(&fault.map_or(failure, |fault| fault.fault.to_string()));
        let times = [
            ("wall", Some(entry.wall_us)),
            ("cpu", entry.cpu_us),
            ("busy", entry.busy_us),
            ("waited for a core", entry.runnable_us),
            ("blocked", entry.blocked_us),
            ("referee late", entry.lag_us),
            ("given back", entry.given_us),
            ("outside its turn", entry.off_turn_us),
            ("idle", entry.time().idle_us()),
        ];
        out.count(times.iter().filter(|(_, time)| time.is_some()).count());
        for (name, time) in times {
            if let Some(micros) = time {
                out.text(name).double(micros as f64);
            }
        }
        out.flag(entry.soft_late).flag(entry.waiting).flag(entry.partial);
    }

    /// Writes the lawful first orders of a seat in the shown position as JSON texts, and whether they could be listed.
    pub fn write_legal(&self, seat: Seat, out: &mut Encoder) {
        let legal = self.here().legal(seat);
        out.flag(legal.is_some());
        let legal = legal.unwrap_or_default();
        out.texts(legal.texts().collect::<Vec<_>>().into_iter());
    }

    /// Writes the seats that decide in the shown position.
    pub fn write_awaited(&self, out: &mut Encoder) {
        let awaited = self.here().awaiting();
        out.count(awaited.len());
        awaited.iter().for_each(|seat| _ = out.seat(Some(seat)));
    }

    /// Checks whether the rules accept a decision in the shown position, without playing it. Writes an empty text if they do,
    /// and otherwise why not, in the words of the game. `orders` is a JSON list.
    ///
    /// # Errors
    /// Fails if the orders cannot be read, or if the seat does not decide now.
    pub fn write_checked(&self, seat: Seat, orders: &[u8], out: &mut Encoder) -> Result<(), Failed> {
        let failed = |why: String| Failed { why, line: None };
        let orders =
            serde_json::from_slice(orders).map_err(|why| failed(format!("the orders cannot be read: {why}")))?;
        match self.here().check(seat, &orders) {
            Ok(()) => out.text("").number(0),
            Err(ApplyError::Unlawful(refused)) => out.text(&refused.why).count(refused.index),
            Err(why) => return Err(failed(why.to_string())),
        };
        Ok(())
    }

    /// Plays a turn on the branch, and writes what was refused and what happened, as a viewer with the eyes of a seat learns
    /// it. `decisions` is a JSON list of objects with `seat` and `orders`.
    ///
    /// # Errors
    /// Fails if there is no branch, if the decisions cannot be read, or if they are not those of the awaited seats.
    pub fn write_applied(&mut self, decisions: &[u8], eyes: Option<Seat>, out: &mut Encoder) -> Result<(), Failed> {
        let Some(branch) = &mut self.branch else {
            return Err(Failed { why: "no branch was begun".into(), line: None });
        };
        let mut told = Vec::new();
        let refused = branch::apply(branch, decisions, eyes, &mut |step| {
            told.extend(step.incidents(eyes).into_iter().map(Told::incident));
        })?;
        out.texts(refused.iter().map(String::as_str)).events(&told);
        Ok(())
    }
}
