//! Plays recorded turns again, through the same [`judge`] and the same [`resolve`](agon_core::Game::resolve).

use crate::{
    AnyPosition, Mark, Mismatch, PlyRecord, SeekError, Step, TypedPosition,
    snapshots::Snapshots,
    starting_position,
    step::{frame_for, measure_for, resolve_in_steps},
};
use agon_core::{Contest, Entry, Flaw, Frame, Joint, Seat, Seats, Standing, judge};
use agon_spec::MatchSpec;

/// A recorded match of any game, played again. It does not keep the record: the caller passes the recorded turns.
pub trait AnyRerun: Send {
    /// Plays the next recorded turn. Returns the fingerprint, which equals the recorded one.
    ///
    /// # Errors
    /// Fails if the record and the rules disagree. If only the fingerprint differs, the turn has been played. Otherwise
    /// the position is unchanged.
    fn step(&mut self, record: &PlyRecord) -> Result<Mark, Mismatch>;

    /// Plays the next recorded turn and calls `show` for each part of it, which has its events even if the record has none.
    /// Returns the fingerprint.
    ///
    /// # Errors
    /// Fails as [`step`](AnyRerun::step) does.
    fn step_through(&mut self, record: &PlyRecord, show: &mut dyn FnMut(&Step<'_>)) -> Result<Mark, Mismatch>;

    /// Goes forward or back to the position after turn `ply`; 0 is the start. `turns` must hold the record from its
    /// first turn. The rerun keeps a bounded number of snapshots, so it replays only few turns to go back.
    ///
    /// # Errors
    /// Fails if the record has no such turn; then nothing changes. Also fails if the record and the rules disagree in
    /// one of the turns; then the position is the one that [`step`](AnyRerun::step) leaves.
    fn seek(&mut self, ply: u32, turns: &[&PlyRecord]) -> Result<Mark, SeekError>;

    /// Sets how many snapshots the rerun keeps. It replays fewer turns to go back if it has more of them, but each is a
    /// whole position in memory. Call it before the first turn: snapshots that were dropped do not come back.
    fn keep_snapshots(&mut self, most: usize);

    /// Returns an independent copy of the rerun at the same turn.
    fn copy(&self) -> Box<dyn AnyRerun>;

    /// Returns a copy of the position. The caller can play it on by hand.
    fn position(&self) -> Box<dyn AnyPosition>;

    /// Returns the number of turns so far.
    fn plies(&self) -> u32;

    /// Returns the round in which the awaited seats decide, counted from 1. `None` means that the game counts no
    /// rounds.
    fn round(&self) -> Option<u32>;

    /// Returns whether the match has ended by the rules.
    fn over(&self) -> bool;

    /// Returns the seats that decide next.
    fn awaiting(&self) -> Seats;

    /// Returns the fingerprint of the position.
    fn fingerprint(&self) -> Mark;

    /// Returns the current standing.
    fn standing(&self) -> Standing;

    /// Returns the picture of the position as a display list, with a tooltip for each item.
    fn picture(&self) -> Frame;

    /// Returns what a viewer draws of the position, as [`AnyPosition::frame`] does.
    fn frame(&self, eyes: Option<Seat>) -> Frame;

    /// Returns the names of the numbers that [`measure`](AnyRerun::measure) gives.
    fn series(&self) -> &'static [&'static str];

    /// Appends the numbers of `seat`, as [`AnyPosition::measure`] does.
    fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>);

    /// Returns the position as a map file, as far as the map format can express it.
    fn map(&self) -> String;
}

/// A recorded match of the game `C`, played again. See [`AnyRerun`].
pub struct TypedRerun<C: Contest> {
    spec: MatchSpec,
    position: C,
    scratch: C::Scratch,
    plies: u32,
    snapshots: Snapshots<C>,
}

impl<C: Contest> TypedRerun<C> {
    /// Creates a rerun at the start of the match.
    ///
    /// # Errors
    /// Fails as [`starting_position`] does.
    pub fn new(spec: &MatchSpec) -> Result<Self, Flaw> {
        Ok(Self::from_position(spec, starting_position(spec)?))
    }

    /// Creates a rerun that starts at `position`, as after an edit.
    #[must_use]
    pub fn from_position(spec: &MatchSpec, position: C) -> Self {
        let snapshots = Snapshots::new(0, &position);
        Self { spec: spec.clone(), position, scratch: C::Scratch::default(), plies: 0, snapshots }
    }

    /// Returns the current position.
    #[must_use]
    pub fn position(&self) -> &C {
        &self.position
    }

    /// Returns the description of the match.
    #[must_use]
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Plays a recorded turn. Calls `show`, if given, for each part of it.
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
            // The rules find an unlawful order again, so only a breakdown comes from the record.
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

    fn step_through(&mut self, record: &PlyRecord, show: &mut dyn FnMut(&Step<'_>)) -> Result<Mark, Mismatch> {
        self.play(record, Some(show))
    }

    fn seek(&mut self, ply: u32, turns: &[&PlyRecord]) -> Result<Mark, SeekError> {
        if turns.len() < ply as usize {
            return Err(SeekError::NoTurn { ply, turns: turns.len() as u32 });
        }
        // The record may contain another line of play than the one followed so far.
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

    fn keep_snapshots(&mut self, most: usize) {
        self.snapshots.keep(most);
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

    fn picture(&self) -> Frame {
        self.position.frame().spelled_out()
    }

    fn frame(&self, eyes: Option<Seat>) -> Frame {
        frame_for(&self.position, eyes)
    }

    fn series(&self) -> &'static [&'static str] {
        C::SERIES
    }

    fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>) {
        measure_for(&self.position, eyes, seat, out);
    }

    fn map(&self) -> String {
        C::print_map(&self.position.to_map())
    }
}
