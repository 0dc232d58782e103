//! Plays recorded turns again, through the same [`judge`] and the same [`resolve`](agon_core::Game::resolve).

use crate::{
    AnyPosition, JsonList, Mark, Mismatch, PlyRecord, SeekError, Step, TypedPosition, snapshots::Snapshots,
    starting_position, step::resolve_in_steps,
};
use agon_core::{Contest, Entry, Flaw, Frame, Joint, Seats, Standing, judge};
use agon_spec::MatchSpec;

/// A recorded match of any game, played again. It keeps no record: whoever has one hands its turns in.
pub trait AnyRerun: Send {
    /// Plays the next recorded turn; its fingerprint is that of the record.
    ///
    /// # Errors
    /// Where the record and the rules disagree. The position is then that after the turn, or unchanged if the turn
    /// could not be played at all.
    fn step(&mut self, record: &PlyRecord) -> Result<Mark, Mismatch>;

    /// As [`step`](AnyRerun::step), and shows each part of the turn. Returns all its events, also where the record has
    /// none.
    ///
    /// # Errors
    /// As [`step`](AnyRerun::step).
    fn step_through(&mut self, record: &PlyRecord, show: &mut dyn FnMut(&Step<'_>)) -> Result<JsonList, Mismatch>;

    /// Goes to the position after turn `ply`, forward or back; 0 is the start. `turns` is the record from its first
    /// turn on. Positions are kept on the way, a bounded number of them, so that going back plays few turns again.
    ///
    /// # Errors
    /// The record has no such turn, and nothing has changed; or it and the rules disagree on the way, and the position
    /// is as after [`step`](AnyRerun::step).
    fn seek(&mut self, ply: u32, turns: &[&PlyRecord]) -> Result<Mark, SeekError>;

    /// The same match at the same turn once more.
    fn copy(&self) -> Box<dyn AnyRerun>;

    /// The position, to be played on by hand.
    fn position(&self) -> Box<dyn AnyPosition>;

    /// How many turns were played.
    fn plies(&self) -> u32;

    /// The round in which the awaited seats decide, counted from 1; `None` if the game counts none beside its turns.
    fn round(&self) -> Option<u32>;

    /// Whether the rules say that the match has ended.
    fn over(&self) -> bool;

    /// Who decides next.
    fn awaiting(&self) -> Seats;

    /// The number of the position.
    fn fingerprint(&self) -> Mark;

    /// How the match stands.
    fn standing(&self) -> Standing;

    /// What a viewer draws of the position.
    fn frame(&self) -> Frame;

    /// The position as a map file, as far as the format can say it.
    fn map(&self) -> String;
}

/// A match of the game `C` that is being played again from its record: see [`AnyRerun`].
pub struct TypedRerun<C: Contest> {
    spec: MatchSpec,
    position: C,
    scratch: C::Scratch,
    plies: u32,
    snapshots: Snapshots<C>,
}

impl<C: Contest> TypedRerun<C> {
    /// A match at its beginning.
    ///
    /// # Errors
    /// As [`starting_position`].
    pub fn new(spec: &MatchSpec) -> Result<Self, Flaw> {
        Ok(Self::from_position(spec, starting_position(spec)?))
    }

    /// A match that goes on from `position`, as after an edit.
    #[must_use]
    pub fn from_position(spec: &MatchSpec, position: C) -> Self {
        let snapshots = Snapshots::new(0, &position);
        Self { spec: spec.clone(), position, scratch: C::Scratch::default(), plies: 0, snapshots }
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &C {
        &self.position
    }

    /// Everything that decides the match beside the answers.
    #[must_use]
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Plays a turn that was recorded, and shows each part of it if anybody wants to see them.
    fn play(&mut self, record: &PlyRecord, show: Option<&mut dyn FnMut(&Step<'_>)>) -> Result<Mark, Mismatch> {
        let ply = self.plies + 1;
        if record.ply != ply {
            return Err(Mismatch::WrongPly { expected: ply, recorded: record.ply });
        }
        if self.position.over() {
            return Err(Mismatch::AfterTheEnd { ply });
        }
        let awaited = self.position.awaiting();
        let recorded: Seats = record.entries.iter().map(|entry| entry.seat).collect();
        if awaited != recorded || record.entries.windows(2).any(|pair| pair[0].seat >= pair[1].seat) {
            return Err(Mismatch::WrongSeats { ply, awaited, recorded });
        }

        let mut heard: Vec<Vec<C::Order>> = Vec::with_capacity(record.entries.len());
        for entry in &record.entries {
            let orders: Result<_, _> = entry.orders.read().collect();
            heard.push(orders.map_err(|e| Mismatch::UnknownOrder { ply, seat: entry.seat, why: e.to_string() })?);
        }

        let mut entries: Vec<Entry<'_, C::Order>> = Vec::with_capacity(heard.len());
        for (entry, orders) in record.entries.iter().zip(&heard) {
            // An unlawful order is found again by the rules: only a breakdown is taken from the record.
            let breakdown = entry.failure.filter(|failure| failure.is_breakdown());
            let (judged, _) = judge(&self.position, entry.seat, orders, breakdown, &mut self.scratch);
            if judged.failure != entry.failure {
                let (seat, recorded, judged) = (entry.seat, entry.failure, judged.failure);
                return Err(Mismatch::Judgement { ply, seat, recorded, judged });
            }
            entries.push(judged);
        }
        match show {
            Some(show) => resolve_in_steps(&mut self.position, Joint::new(&entries), &mut self.scratch, show),
            None => self.position.resolve(Joint::new(&entries), &mut self.scratch, &mut ()),
        }
        self.plies = ply;
        let played = self.fingerprint();
        if played == record.fingerprint {
            self.snapshots.note(ply, &self.position);
            Ok(played)
        } else {
            Err(Mismatch::Fingerprint { ply, recorded: record.fingerprint, played })
        }
    }
}

impl<C: Contest> AnyRerun for TypedRerun<C> {
    fn step(&mut self, record: &PlyRecord) -> Result<Mark, Mismatch> {
        self.play(record, None)
    }

    fn step_through(&mut self, record: &PlyRecord, show: &mut dyn FnMut(&Step<'_>)) -> Result<JsonList, Mismatch> {
        let mut events = JsonList::default();
        let mut seen = |step: &Step<'_>| {
            events.append(&step.events);
            show(step);
        };
        self.play(record, Some(&mut seen))?;
        Ok(events)
    }

    fn seek(&mut self, ply: u32, turns: &[&PlyRecord]) -> Result<Mark, SeekError> {
        if turns.len() < ply as usize {
            return Err(SeekError::NoTurn { ply, turns: turns.len() as u32 });
        }
        // The record may be that of another line of play than the one that was followed so far.
        let recorded = |plies: u32, mark: Mark| plies == 0 || turns[plies as usize - 1].fingerprint == mark;
        let here = self.plies <= ply && recorded(self.plies, self.fingerprint());
        let from = self.snapshots.last(ply, |snapshot| recorded(snapshot.plies, snapshot.mark));
        if let Some(from) = from.filter(|from| !here || from.plies > self.plies) {
            self.position.clone_from(&from.position);
            self.plies = from.plies;
        }
        for record in &turns[self.plies as usize..ply as usize] {
            self.play(record, None)?;
        }
        Ok(self.fingerprint())
    }

    fn copy(&self) -> Box<dyn AnyRerun> {
        Box::new(Self {
            spec: self.spec.clone(),
            position: self.position.clone(),
            scratch: C::Scratch::default(),
            plies: self.plies,
            snapshots: self.snapshots.clone(),
        })
    }

    fn position(&self) -> Box<dyn AnyPosition> {
        Box::new(TypedPosition::new(self.position.clone(), self.plies))
    }

    fn plies(&self) -> u32 {
        self.plies
    }

    fn round(&self) -> Option<u32> {
        self.position.round()
    }

    fn over(&self) -> bool {
        self.position.over()
    }

    fn awaiting(&self) -> Seats {
        self.position.awaiting()
    }

    fn fingerprint(&self) -> Mark {
        Mark(self.position.fingerprint())
    }

    fn standing(&self) -> Standing {
        self.position.standing()
    }

    fn frame(&self) -> Frame {
        self.position.frame()
    }

    fn map(&self) -> String {
        C::print_map(&self.position.to_map())
    }
}
