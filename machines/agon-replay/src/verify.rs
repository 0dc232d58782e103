//! Plays a replay again and compares every fingerprint and the result.

use crate::{End, Footer, Line, ReadError, Reader};
use agon_core::{Flaw, MatchSpec, Standing};
use agon_referee::{Discord, Mark, MatchEvent, PlyRecord, Replayer};
use std::{fmt, io::BufRead};

/// The most turns that are played once more because turns were taken back.
const TAKEN_BACK: u64 = 2_000_000;

/// A replay that reproduces, as far as it goes.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// How many turns were compared.
    pub plies: u32,
    /// Of the last position.
    pub fingerprint: Mark,
    /// How the match stands there.
    pub standing: Standing,
    /// Whether the replay ends before its footer.
    pub cut_off: bool,
    /// Whether the match was broken off without a result.
    pub aborted: bool,
}

/// Where a replay and the rules part.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// The first position is another one.
    Start {
        /// As recorded.
        recorded: Mark,
        /// By the rules.
        played: Mark,
    },
    /// In a turn.
    Ply(Discord),
    /// Turns were taken back or the position was edited, and it is another one than recorded.
    Change {
        /// How many turns had been played.
        ply: u32,
        /// Why.
        why: String,
    },
    /// The footer says something else than the rules about the end.
    Result {
        /// After how many turns.
        ply: u32,
        /// What differs, a lower-case fragment.
        why: String,
    },
}

impl Difference {
    /// The first turn that differs; 0 for the first position.
    #[must_use]
    pub fn ply(&self) -> u32 {
        match self {
            Self::Start { .. } => 0,
            Self::Ply(discord) => discord.ply(),
            Self::Change { ply, .. } | Self::Result { ply, .. } => *ply,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { recorded, played } => {
                write!(f, "the first position: the record has {recorded}, the rules give {played}")
            }
            Self::Ply(discord) => discord.fmt(f),
            Self::Change { ply, why } => write!(f, "after turn {ply}: {why}"),
            Self::Result { ply, why } => write!(f, "the result after turn {ply}: {why}"),
        }
    }
}

/// Why a replay is not verified.
#[derive(Debug)]
pub enum VerifyError {
    /// It cannot be read.
    Read(ReadError),
    /// The match that it describes cannot be opened.
    Open(Flaw),
    /// It does not reproduce.
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

/// Plays the replay in `input` again. `open` gives the match at its beginning.
///
/// # Errors
/// The replay cannot be read, its match cannot be opened, or it does not reproduce.
pub fn verify(
    input: impl BufRead,
    open: impl Fn(&MatchSpec) -> Result<Box<dyn Replayer>, Flaw>,
) -> Result<Verified, VerifyError> {
    let (header, mut reader) = Reader::new(input)?;
    let mut line = Play::new(header.spec, &open)?;
    let played = line.now.fingerprint();
    if played != header.fingerprint {
        return Err(Difference::Start { recorded: header.fingerprint, played }.into());
    }
    let mut aborted = false;
    while let Some(next) = reader.next_line()? {
        match next {
            Line::Ply(record) => line.step(record)?,
            Line::Event(MatchEvent::Rewound { ply, fingerprint }) => line.rewind(ply, fingerprint, &open)?,
            Line::Event(MatchEvent::Edited { map, fingerprint }) => line.edit(map, fingerprint, &open)?,
            Line::Event(_) => {}
            Line::Footer(footer) => {
                line.check_footer(&footer)?;
                aborted = footer.end == End::Aborted;
            }
        }
    }
    Ok(Verified {
        plies: line.now.plies(),
        fingerprint: line.now.fingerprint(),
        standing: line.now.standing(),
        cut_off: reader.is_cut_off(),
        aborted,
    })
}

/// The line of play as it stands: what was taken back is forgotten.
struct Play {
    spec: MatchSpec,
    now: Box<dyn Replayer>,
    /// Kept only as far as an undo may need them.
    turns: Vec<PlyRecord>,
    taken_back: u64,
}

impl Play {
    fn new(spec: MatchSpec, open: impl Fn(&MatchSpec) -> Result<Box<dyn Replayer>, Flaw>) -> Result<Self, Flaw> {
        let now = open(&spec)?;
        Ok(Self { spec, now, turns: Vec::new(), taken_back: 0 })
    }

    fn step(&mut self, record: PlyRecord) -> Result<(), Difference> {
        self.now.step(&record).map_err(Difference::Ply)?;
        self.turns.push(record);
        Ok(())
    }

    fn rewind(
        &mut self,
        ply: u32,
        recorded: Mark,
        open: impl Fn(&MatchSpec) -> Result<Box<dyn Replayer>, Flaw>,
    ) -> Result<(), VerifyError> {
        let before = self.now.plies();
        let change = |why: &str| Difference::Change { ply: before, why: why.to_owned() };
        if ply > before {
            return Err(change(&format!("turns are taken back to turn {ply}, which was not reached")).into());
        }
        self.taken_back += u64::from(ply);
        if self.taken_back > TAKEN_BACK {
            return Err(Flaw::new("turns are taken back too often to be played again").into());
        }
        self.turns.truncate(ply as usize);
        self.now = open(&self.spec)?;
        for record in &self.turns {
            self.now.step(record).map_err(Difference::Ply)?;
        }
        self.compare(recorded, "taking turns back")
    }

    fn edit(
        &mut self,
        map: String,
        recorded: Mark,
        open: impl Fn(&MatchSpec) -> Result<Box<dyn Replayer>, Flaw>,
    ) -> Result<(), VerifyError> {
        self.spec.map = map;
        self.turns.clear();
        self.now = open(&self.spec)?;
        self.compare(recorded, "editing the position")
    }

    fn compare(&self, recorded: Mark, doing: &str) -> Result<(), VerifyError> {
        let played = self.now.fingerprint();
        if played == recorded {
            return Ok(());
        }
        let why = format!("{doing} leads to {recorded} by the record and to {played} by the rules");
        Err(Difference::Change { ply: self.now.plies(), why }.into())
    }

    fn check_footer(&self, footer: &Footer) -> Result<(), Difference> {
        let ply = self.now.plies();
        let differs = |why: String| Err(Difference::Result { ply, why });
        if footer.plies != ply {
            return differs(format!("the footer counts {} turns, there are {ply}", footer.plies));
        }
        if footer.end == End::Aborted {
            return Ok(());
        }
        if !self.now.over() {
            return differs("by the rules the match goes on".into());
        }
        let Some(recorded) = &footer.standing else { return differs("the footer has no result".into()) };
        let played = self.now.standing();
        if *recorded == played {
            return Ok(());
        }
        differs(format!(
            "the record has scores {:?}, places {:?} ({}), the rules give {:?}, {:?} ({})",
            recorded.scores, recorded.places, recorded.ending, played.scores, played.places, played.ending
        ))
    }
}
