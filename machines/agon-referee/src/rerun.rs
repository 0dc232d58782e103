//! Plays recorded turns again, through the same [`judge`](agon_core::judge) and the same [`resolve`](agon_core::Game::resolve).

use crate::{
    AnyPosition, Branch, Mark, Mismatch, PlyRecord, SeekError, Step,
    board::{self, AnyBoard, Brought, TypedBoard},
    snapshots::Snapshots,
    starting_position,
};
use agon_core::{Contest, Flaw, Frame, Seat, Seats, Standing};
use agon_spec::MatchSpec;
use core::{
    marker::PhantomData,
    ops::{Deref, DerefMut},
};

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

/// A recorded match, played again. See [`AnyRerun`].
pub struct Rerun {
    board: Box<dyn AnyBoard>,
    plies: u32,
    snapshots: Snapshots,
}

impl Rerun {
    /// Creates a rerun at the start of a match of the game `C`.
    ///
    /// # Errors
    /// Fails as [`starting_position`] does.
    pub fn new<C: Contest>(spec: &MatchSpec) -> Result<Self, Flaw> {
        Ok(Self::of(Box::new(TypedBoard::<C>::new(starting_position(spec)?))))
    }

    fn of(board: Box<dyn AnyBoard>) -> Self {
        let snapshots = Snapshots::new(0, &*board);
        Self { board, plies: 0, snapshots }
    }

    /// Plays a recorded turn. Calls `show`, if given, for each part of it.
    fn play(&mut self, record: &PlyRecord, show: Option<&mut dyn FnMut(&Step<'_>)>) -> Result<Mark, Mismatch> {
        let ply = self.plies + 1;
        if record.ply != ply {
            return Err(Mismatch::WrongPly { expected: ply, recorded: record.ply });
        }
        if self.board.over() {
            return Err(Mismatch::AfterTheEnd { ply });
        }
        let awaited = self.board.awaiting();
        let recorded: Seats = record.entries.iter().map(|entry| entry.seat).collect();
        if awaited != recorded || record.entries.windows(2).any(|pair| pair[0].seat >= pair[1].seat) {
            return Err(Mismatch::WrongSeats { ply, awaited, recorded });
        }
        let brought = record.entries.iter().map(|entry| Brought {
            seat: entry.seat,
            orders: &entry.orders,
            // The rules find an unlawful order again, so only a breakdown comes from the record.
            breakdown: entry.failure.filter(|failure| failure.is_breakdown()),
        });
        let judged = self.board.judge(&brought.collect::<Vec<_>>());
        let judged = judged.map_err(|why| Mismatch::UnknownOrder { ply, seat: why.seat, why: why.why })?;
        if let Some((entry, judged)) = record.entries.iter().zip(&judged).find(|(e, j)| e.failure != j.failure) {
            let (seat, recorded, judged) = (entry.seat, entry.failure, judged.failure);
            return Err(Mismatch::Judgement { ply, seat, recorded, judged });
        }
        self.board.resolve(show);
        self.plies = ply;
        let played = self.fingerprint();
        if played == record.fingerprint {
            self.snapshots.note(ply, &*self.board);
            Ok(played)
        } else {
            Err(Mismatch::Fingerprint { ply, recorded: record.fingerprint, played })
        }
    }
}

impl AnyRerun for Rerun {
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
            self.board.copy_from(&*from.board);
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
        Box::new(Self { board: self.board.copy(), plies: self.plies, snapshots: self.snapshots.clone() })
    }

    fn position(&self) -> Box<dyn AnyPosition> {
        Box::new(Branch::of(self.board.copy(), self.plies))
    }

    fn plies(&self) -> u32 {
        self.plies
    }

    fn round(&self) -> Option<u32> {
        self.board.round()
    }

    fn over(&self) -> bool {
        self.board.over()
    }

    fn awaiting(&self) -> Seats {
        self.board.awaiting()
    }

    fn fingerprint(&self) -> Mark {
        self.board.fingerprint()
    }

    fn standing(&self) -> Standing {
        self.board.standing()
    }

    fn picture(&self) -> Frame {
        self.board.frame(None).spelled_out()
    }

    fn frame(&self, eyes: Option<Seat>) -> Frame {
        self.board.frame(eyes)
    }

    fn series(&self) -> &'static [&'static str] {
        self.board.series()
    }

    fn measure(&self, eyes: Option<Seat>, seat: Seat, out: &mut Vec<f64>) {
        self.board.measure(eyes, seat, out);
    }

    fn map(&self) -> String {
        self.board.map()
    }
}

/// A [`Rerun`] that knows the type of its game.
pub struct TypedRerun<C> {
    spec: MatchSpec,
    rerun: Rerun,
    game: PhantomData<fn() -> C>,
}

impl<C: Contest> TypedRerun<C> {
    /// Creates a rerun at the start of the match.
    ///
    /// # Errors
    /// Fails as [`starting_position`] does.
    pub fn new(spec: &MatchSpec) -> Result<Self, Flaw> {
        Ok(Self { spec: spec.clone(), rerun: Rerun::new::<C>(spec)?, game: PhantomData })
    }

    /// Returns the current position.
    #[must_use]
    pub fn position(&self) -> &C {
        board::typed(&*self.rerun.board).expect("the rerun was created with a position of this game")
    }

    /// Returns the description of the match.
    #[must_use]
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }
}

impl<C> Deref for TypedRerun<C> {
    type Target = Rerun;

    fn deref(&self) -> &Rerun {
        &self.rerun
    }
}

impl<C> DerefMut for TypedRerun<C> {
    fn deref_mut(&mut self) -> &mut Rerun {
        &mut self.rerun
    }
}
