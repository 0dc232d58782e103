//! Plays recorded turns again, through the same [`judge`](agon_core::judge) and the same [`resolve`](agon_core::Game::resolve).

use crate::{Board, Mark, Mismatch, PlyRecord, SeekError, Step, board::Brought, snapshots::Snapshots};
use agon_core::{Contest, Flaw, Seats};
use agon_spec::MatchSpec;

/// A recorded match of any game, played again. It does not keep the record: the caller passes the recorded turns.
#[derive(Clone)]
pub struct Rerun {
    board: Board,
    snapshots: Snapshots,
}

impl Rerun {
    /// Creates a rerun at the start of a match of the game `C`.
    ///
    /// # Errors
    /// Fails as [`starting_position`](crate::starting_position) does.
    pub fn new<C: Contest>(spec: &MatchSpec) -> Result<Self, Flaw> {
        let board = Board::start::<C>(spec)?;
        let snapshots = Snapshots::new(&board);
        Ok(Self { board, snapshots })
    }

    /// Returns the position after the last turn.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Plays the next recorded turn. Returns the fingerprint, which equals the recorded one.
    ///
    /// # Errors
    /// Fails if the record and the rules disagree. If only the fingerprint differs, the turn has been played. Otherwise
    /// the position is unchanged.
    pub fn step(&mut self, record: &PlyRecord) -> Result<Mark, Mismatch> {
        self.play(record, None)?;
        self.compare(record)
    }

    /// Plays the next recorded turn and calls `show` for each part of it, which has its events even if the record has none.
    /// Returns the fingerprint.
    ///
    /// # Errors
    /// Fails as [`step`](Rerun::step) does.
    pub fn step_through(&mut self, record: &PlyRecord, show: &mut dyn FnMut(&Step<'_>)) -> Result<Mark, Mismatch> {
        self.play(record, Some(show))?;
        self.compare(record)
    }

    /// Plays the next recorded turn and calls `show`, if given, for each part of it, but does not compare the fingerprint. That
    /// can take longer than the turn, and is left to whoever verifies the record.
    ///
    /// # Errors
    /// Fails if the record and the rules disagree. The position is then unchanged.
    pub fn follow(&mut self, record: &PlyRecord, show: Option<&mut dyn FnMut(&Step<'_>)>) -> Result<(), Mismatch> {
        self.play(record, show)?;
        self.snapshots.note(&self.board);
        Ok(())
    }

    /// Goes forward or back to the position after turn `ply`; 0 is the start. `turns` must hold the record from its
    /// first turn. The rerun keeps a bounded number of snapshots, so it replays only few turns to go back.
    ///
    /// # Errors
    /// Fails if the record has no such turn; then nothing changes. Also fails if the record and the rules disagree in
    /// one of the turns; then the position is the one that [`step`](Rerun::step) leaves.
    pub fn seek(&mut self, ply: u32, turns: &[&PlyRecord]) -> Result<Mark, SeekError> {
        if turns.len() < ply as usize {
            return Err(SeekError::NoTurn { ply, turns: turns.len() as u32 });
        }
        self.approach(ply, turns, &[]);
        for record in &turns[self.board.plies() as usize..ply as usize] {
            self.step(record)?;
        }
        Ok(self.board.fingerprint())
    }

    /// Goes to the last position up to turn `ply` that this rerun or one of `others` has or has kept, without playing a turn.
    /// `others` are reruns of the same match; `turns` must hold the record from its first turn up to `ply`.
    pub fn approach(&mut self, ply: u32, turns: &[&PlyRecord], others: &[&Self]) {
        // The record may contain another line of play than the one followed so far.
        let recorded = |plies: u32, mark: Mark| plies == 0 || turns[plies as usize - 1].fingerprint == mark;
        let holds = |board: &Board, mark: Mark| board.plies() <= ply && recorded(board.plies(), mark);
        let Self { board, snapshots } = self;
        let mut plies = if holds(board, board.fingerprint()) { Some(board.plies()) } else { None };
        let mut try_out = |from: &Board| {
            if Some(from.plies()) > plies {
                plies = Some(from.plies());
                board.copy_from(from);
            }
        };
        for list in others.iter().map(|other| &other.snapshots).chain([&*snapshots]) {
            if let Some(kept) = list.last(ply, |kept| recorded(kept.board.plies(), kept.mark)) {
                try_out(&kept.board);
            }
        }
        for other in others.iter().map(|other| &other.board) {
            if holds(other, other.fingerprint()) {
                try_out(other);
            }
        }
    }

    /// Sets how many snapshots the rerun keeps. It replays fewer turns to go back if it has more of them, but each is a
    /// whole position in memory. Call it before the first turn: snapshots that were dropped do not come back.
    pub fn keep_snapshots(&mut self, most: usize) {
        self.snapshots.keep(most);
    }

    /// Plays a recorded turn. Calls `show`, if given, for each part of it.
    fn play(&mut self, record: &PlyRecord, show: Option<&mut dyn FnMut(&Step<'_>)>) -> Result<(), Mismatch> {
        let ply = self.board.plies() + 1;
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
        Ok(())
    }

    /// Compares the position with the record of the turn that led to it.
    fn compare(&mut self, record: &PlyRecord) -> Result<Mark, Mismatch> {
        let played = self.board.fingerprint();
        if played == record.fingerprint {
            self.snapshots.note(&self.board);
            Ok(played)
        } else {
            Err(Mismatch::Fingerprint { ply: record.ply, recorded: record.fingerprint, played })
        }
    }
}
