//! Plays a replay again and compares every fingerprint, the faults and the result.

use crate::{
    Cut, End, Footer, Line, LineOfPlay, ReadError, Reader, Rework, SeatTime, Tally, ledger::Ledger, reader::HELD_LIMIT,
};
use agon_core::{Flaw, Standing, State, text::counted};
use agon_referee::{Fault, FaultRecord, Mark, MatchEvent, Mismatch, PlyRecord, Rerun, SeekError};
use agon_spec::MatchSpec;
use std::{fmt, io::BufRead};

/// The result of [`verify`] for a replay that reproduces.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// The number of turns up to the last position.
    pub plies: u32,
    /// The fingerprint of the last position.
    pub fingerprint: Mark,
    /// The standing in the last position.
    pub standing: Standing,
    /// The faults of bots, in the order in which they are recorded.
    pub faults: Vec<FaultRecord>,
    /// Whether the replay ends before its footer.
    pub cut_off: bool,
    /// Whether the match was aborted without a result.
    pub aborted: bool,
    /// Whether later turns were left out because the replay became too large. These turns and the result cannot be
    /// verified, and [`standing`](Verified::standing) is not the result.
    pub left_out: bool,
}

/// The first disagreement between a replay and the rules.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// The first position differs.
    Start {
        /// The fingerprint in the replay.
        recorded: Mark,
        /// The fingerprint by the rules.
        played: Mark,
    },
    /// A turn differs.
    Ply(Mismatch),
    /// Turns were taken back or the position was edited, and the position differs from the recorded one.
    Change {
        /// The number of turns before the difference.
        ply: u32,
        /// What differs, as a lower-case fragment.
        why: String,
    },
    /// A fault contradicts the turns or another fault.
    Fault {
        /// The turn of the contradiction, or the last turn before it.
        ply: u32,
        /// What is wrong, as a lower-case fragment.
        why: String,
    },
    /// The footer contradicts the rules about the end of the match, or the earlier lines about faults and times.
    Result {
        /// The number of turns in the match.
        ply: u32,
        /// What differs, as a lower-case fragment.
        why: String,
    },
}

impl Difference {
    /// Returns the first turn that differs, counted from 1. It is 0 if the first position differs.
    #[must_use]
    pub fn ply(&self) -> u32 {
        match self {
            Self::Start { .. } => 0,
            Self::Ply(mismatch) => mismatch.ply(),
            Self::Change { ply, .. } | Self::Fault { ply, .. } | Self::Result { ply, .. } => *ply,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { recorded, played } => {
                write!(f, "the first position: the fingerprint is {recorded} in the replay, but {played} by the rules")
            }
            Self::Ply(mismatch) => mismatch.fmt(f),
            Self::Fault { why, .. } => f.write_str(why),
            Self::Change { ply, why } => write!(f, "after turn {ply}: {why}"),
            Self::Result { ply, why } => write!(f, "the result after turn {ply}: {why}"),
        }
    }
}

/// Why a replay could not be verified.
#[derive(Debug)]
pub enum VerifyError {
    /// The replay cannot be read.
    Read(ReadError),
    /// The match that the replay describes cannot be opened.
    Open(Flaw),
    /// The replay does not reproduce.
    Differs(Box<Difference>),
}

impl From<ReadError> for VerifyError {
    fn from(why: ReadError) -> Self {
        Self::Read(why)
    }
}

impl From<Flaw> for VerifyError {
    fn from(why: Flaw) -> Self {
        Self::Open(why)
    }
}

impl From<Difference> for VerifyError {
    fn from(why: Difference) -> Self {
        Self::Differs(Box::new(why))
    }
}

/// Plays the replay in `input` again. `open` must return the match at its start.
///
/// # Errors
/// Fails if the replay cannot be read, if its match cannot be opened, or if it does not reproduce.
pub fn verify(input: impl BufRead, open: impl Fn(&MatchSpec) -> Result<Rerun, Flaw>) -> Result<Verified, VerifyError> {
    let mut verification = StepwiseVerification::new(input, open)?;
    loop {
        if let Some(verified) = verification.advance(u32::MAX)? {
            return Ok(verified);
        }
    }
}

/// A verification in portions, for a program that does other things meanwhile. [`verify`] does it at once.
pub struct StepwiseVerification<R, O> {
    reader: Reader<R>,
    open: O,
    line: Play,
    aborted: bool,
    left_out: bool,
}

impl<R: BufRead, O: Fn(&MatchSpec) -> Result<Rerun, Flaw>> StepwiseVerification<R, O> {
    /// Opens the match of a replay and compares its first position.
    ///
    /// # Errors
    /// Fails as [`verify`] does.
    pub fn new(input: R, open: O) -> Result<Self, VerifyError> {
        let (header, reader) = Reader::new(input)?;
        let line = Play::new(header.spec, &open)?;
        let played = line.now.board().fingerprint();
        if played != header.fingerprint {
            return Err(Difference::Start { recorded: header.fingerprint, played }.into());
        }
        Ok(Self { reader, open, line, aborted: false, left_out: false })
    }

    /// Returns the number of turns of the current line of play.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.line.now.board().plies()
    }

    /// Goes on through at most `lines` lines. Returns the result at the end of the replay, and `None` before it. If the input has
    /// grown by whole lines since, it goes on after them.
    ///
    /// # Errors
    /// Fails as [`verify`] does. A verification that has failed cannot go on.
    pub fn advance(&mut self, lines: u32) -> Result<Option<Verified>, VerifyError> {
        for _ in 0..lines {
            match self.reader.next_line()? {
                Some(next) => self.check(next)?,
                None => return Ok(Some(self.result())),
            }
        }
        Ok(None)
    }

    fn check(&mut self, next: Line) -> Result<(), VerifyError> {
        let event = match next {
            Line::Ply(record) => MatchEvent::Ply(record),
            Line::Event(event) => event,
            Line::Cut(cut) => {
                self.line.check_cut(&cut)?;
                self.left_out = true;
                return Ok(());
            }
            Line::Footer(footer) => {
                if !self.left_out {
                    self.line.check_footer(&footer)?;
                }
                self.aborted = footer.end == End::Aborted;
                return Ok(());
            }
        };
        self.line.hear(&event)?;
        match event {
            MatchEvent::Ply(record) => self.line.step(record)?,
            MatchEvent::Rewound { ply, fingerprint } => self.line.rewind(ply, fingerprint)?,
            MatchEvent::Edited { map, state, fingerprint } => self.line.edit(map, state, fingerprint, &self.open)?,
            _ => {}
        }
        Ok(())
    }

    fn result(&self) -> Verified {
        Verified {
            plies: self.line.now.board().plies(),
            fingerprint: self.line.now.board().fingerprint(),
            standing: self.line.now.board().standing(),
            faults: self.line.tally.faults().to_vec(),
            cut_off: self.reader.is_cut_off(),
            aborted: self.aborted,
            left_out: self.left_out,
        }
    }
}

/// The current line of play, without the turns that were taken back.
struct Play {
    /// The turns are there for an undo. The list is empty if they would take more memory than [`HELD_LIMIT`].
    play: LineOfPlay<PlyRecord>,
    held: usize,
    now: Rerun,
    rework: Rework,
    ledger: Ledger,
    tally: Tally,
}

impl Play {
    fn new(spec: MatchSpec, open: impl Fn(&MatchSpec) -> Result<Rerun, Flaw>) -> Result<Self, Flaw> {
        let now = open(&spec)?;
        let ledger = Ledger::new(spec.seats.len());
        let mut tally = Tally::default();
        tally.add(&MatchEvent::Started { spec: Box::new(spec.clone()), fingerprint: now.board().fingerprint() });
        let rework = Rework::new(&spec.map);
        Ok(Self { play: LineOfPlay::new(spec), held: 0, now, rework, ledger, tally })
    }

    /// Checks the parts of an event that the rules do not determine against earlier events.
    fn hear(&mut self, event: &MatchEvent) -> Result<(), Difference> {
        let ply = if let MatchEvent::Ply(record) = event { record.ply } else { self.now.board().plies() };
        self.ledger.add(event).map_err(|why| Difference::Fault { ply, why })?;
        self.tally.add(event);
        self.rework.line();
        Ok(())
    }

    fn step(&mut self, record: PlyRecord) -> Result<(), Difference> {
        self.now.step(&record).map_err(Difference::Ply)?;
        self.held = self.held.saturating_add(record.weight());
        if self.held <= HELD_LIMIT {
            self.play.turns.push(record);
        } else {
            self.play.turns = Vec::new();
        }
        Ok(())
    }

    fn rewind(&mut self, ply: u32, recorded: Mark) -> Result<(), VerifyError> {
        let before = self.now.board().plies();
        let change = |why: &str| Difference::Change { ply: before, why: why.to_owned() };
        if ply > before {
            return Err(change(&format!("turns are taken back to turn {ply}, but the match has not reached it")).into());
        }
        if ply > 0 && self.held > HELD_LIMIT {
            return Err(Flaw::new("turns are taken back, but the match is too large to play it again").into());
        }
        self.rework.go_back(ply)?;
        self.play.rewind(ply);
        self.held = self.play.weight();
        let turns: Vec<&PlyRecord> = self.play.turns.iter().collect();
        match self.now.seek(ply, &turns) {
            Ok(_) => {}
            Err(SeekError::Mismatch(mismatch)) => return Err(Difference::Ply(mismatch).into()),
            Err(why @ SeekError::NoTurn { .. }) => return Err(change(&why.to_string()).into()),
        }
        self.compare(recorded, "taking turns back")
    }

    fn edit(
        &mut self,
        map: String,
        state: State,
        recorded: Mark,
        open: impl Fn(&MatchSpec) -> Result<Rerun, Flaw>,
    ) -> Result<(), VerifyError> {
        self.rework.edit(&map, &state)?;
        self.play.edit(map, state);
        self.held = 0;
        self.now = open(&self.play.spec)?;
        self.compare(recorded, "editing the position")
    }

    fn compare(&self, recorded: Mark, doing: &str) -> Result<(), VerifyError> {
        let played = self.now.board().fingerprint();
        if played == recorded {
            return Ok(());
        }
        let why = format!("{doing} leads to {recorded} in the replay, but to {played} by the rules");
        Err(Difference::Change { ply: self.now.board().plies(), why }.into())
    }

    /// Compares the faults and the times in the footer with those in the earlier lines. It does not compare quantiles
    /// of times, because their precision depends on the program that wrote them.
    fn check_sums(&self, footer: &Footer) -> Result<(), String> {
        let own = self.tally.footer(footer.end, footer.plies);
        // Only the footer names a bot that never started.
        let noted = |f: &&FaultRecord| {
            let never = footer.end == End::Aborted && matches!(f.fault, Fault::NeverStarted { .. });
            !never || self.ledger.has_failed(f.seat)
        };
        if !footer.faults.iter().filter(noted).eq(&own.faults) {
            return Err("the footer has other faults than the lines before it".into());
        }
        let sums = |t: &SeatTime| (t.count, t.soft_late, t.max_us, t.total_us);
        // Matches that other programs recorded have no times.
        if !footer.times.is_empty() && !footer.times.iter().map(sums).eq(own.times.iter().map(sums)) {
            return Err("the footer has other times than the turns".into());
        }
        // Replays of version 1 have no certificates.
        let agree = |(recorded, own): (&SeatTime, &SeatTime)| {
            recorded.certificate.is_none_or(|sum| Some(sum) == own.certificate)
        };
        if !footer.times.iter().zip(&own.times).all(agree) {
            return Err("a certificate in the footer differs from the times of the turns".into());
        }
        Ok(())
    }

    fn check_cut(&self, cut: &Cut) -> Result<(), Difference> {
        let ply = self.now.board().plies();
        if cut.plies == ply {
            return Ok(());
        }
        Err(Difference::Result {
            ply,
            why: format!("the `cut` line counts {}, but the replay has {ply}", counted(cut.plies, "turn")),
        })
    }

    fn check_footer(&self, footer: &Footer) -> Result<(), Difference> {
        let ply = self.now.board().plies();
        let differs = |why: String| Err(Difference::Result { ply, why });
        if footer.plies != ply {
            return differs(format!("the footer counts {}, but the replay has {ply}", counted(footer.plies, "turn")));
        }
        self.check_sums(footer).or_else(differs)?;
        if footer.end == End::Aborted {
            return if footer.standing.is_none() { Ok(()) } else { differs("an aborted match has a result".into()) };
        }
        if !self.now.board().over() {
            return differs("by the rules the match has not ended".into());
        }
        let Some(recorded) = &footer.standing else { return differs("the footer has no result".into()) };
        let played = self.now.board().standing();
        if *recorded == played {
            return Ok(());
        }
        differs(format!(
            "the replay has scores {:?} and places {:?} ({}), but the rules give {:?} and {:?} ({})",
            recorded.scores, recorded.places, recorded.ending, played.scores, played.places, played.ending
        ))
    }
}
