//! Plays the replay again in portions.

use agon_core::Flaw;
use agon_games::positions;
use agon_referee::{Mismatch, Rerun};
use agon_replay::{Difference, StepwiseVerification, VerifyError};
use agon_spec::MatchSpec;
use std::{
    cell::RefCell,
    collections::VecDeque,
    io::{self, BufRead, Read},
    rc::Rc,
};

/// What is known of a replay so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No difference up to this turn, and there are more turns.
    Pending {
        /// The number of turns that were played again.
        ply: u32,
    },
    /// The whole replay reproduces.
    Reproduces {
        /// The number of turns.
        ply: u32,
    },
    /// The replay and the rules disagree, or the replay cannot be read to its end.
    Differs {
        /// The first turn that differs.
        ply: u32,
        /// What differs, in words.
        why: String,
        /// The fingerprint in the replay and the one by the rules, if they are what differs.
        fingerprints: Option<[String; 2]>,
    },
}

/// Opens the match of a replay.
///
/// # Errors
/// Fails if the game is unknown, or if no match can start from `spec`.
pub(crate) fn open(spec: &MatchSpec) -> Result<Rerun, Flaw> {
    let game = positions::find(&spec.game)
        .ok_or_else(|| Flaw::new(format!("this version of Agon does not have the game `{}`", spec.game)))?;
    let mut rerun = game.rerun(spec)?;
    // A snapshot takes memory roughly as the map does.
    rerun.keep_snapshots(((1 << 20) / spec.map.len().max(1)).clamp(16, 128));
    Ok(rerun)
}

type Opener = fn(&MatchSpec) -> Result<Rerun, Flaw>;

/// The text of a replay that may grow. Its end is where it ends now.
#[derive(Clone, Default)]
struct Growing {
    /// What follows the piece that is being read.
    later: Rc<RefCell<VecDeque<Vec<u8>>>>,
    piece: Vec<u8>,
    read: usize,
}

impl Read for Growing {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(bytes)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Growing {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.read == self.piece.len()
            && let Some(piece) = self.later.borrow_mut().pop_front()
        {
            (self.piece, self.read) = (piece, 0);
        }
        Ok(&self.piece[self.read..])
    }

    fn consume(&mut self, count: usize) {
        self.read += count;
    }
}

/// A verification that goes on when it is asked to.
pub(crate) struct Verifier {
    text: Growing,
    work: Option<StepwiseVerification<Growing, Opener>>,
    verdict: Verdict,
}

impl Verifier {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut verifier = Self { text: Growing::default(), work: None, verdict: Verdict::Pending { ply: 0 } };
        verifier.append(text);
        verifier
    }

    /// Adds whole lines. What has been verified stays so.
    pub(crate) fn append(&mut self, text: &[u8]) {
        if let Verdict::Reproduces { ply } = self.verdict {
            self.verdict = Verdict::Pending { ply };
        }
        // After a difference nothing is read any more.
        if matches!(self.verdict, Verdict::Pending { .. }) {
            self.text.later.borrow_mut().push_back(text.to_vec());
        }
    }

    /// Goes on through at most `lines` lines, and returns what is known then.
    pub(crate) fn advance(&mut self, lines: u32) -> &Verdict {
        if matches!(self.verdict, Verdict::Pending { .. }) {
            self.verdict = self.go_on(lines).unwrap_or_else(|why| differs(&why, self.plies()));
            if matches!(self.verdict, Verdict::Differs { .. }) {
                self.work = None;
            }
        }
        &self.verdict
    }

    fn plies(&self) -> u32 {
        self.work.as_ref().map_or(0, StepwiseVerification::plies)
    }

    fn go_on(&mut self, lines: u32) -> Result<Verdict, VerifyError> {
        if self.work.is_none() {
            self.work = Some(StepwiseVerification::new(self.text.clone(), open as Opener)?);
        }
        let Some(work) = &mut self.work else { return Ok(self.verdict.clone()) };
        Ok(match work.advance(lines)? {
            Some(verified) => Verdict::Reproduces { ply: verified.plies },
            None => Verdict::Pending { ply: work.plies() },
        })
    }
}

fn differs(why: &VerifyError, before: u32) -> Verdict {
    let (ply, fingerprints, why) = match why {
        VerifyError::Read(why) => (before + 1, None, why.to_string()),
        VerifyError::Open(flaw) => (before, None, flaw.to_string()),
        VerifyError::Differs(difference) => {
            let fingerprints = match **difference {
                Difference::Start { recorded, played }
                | Difference::Ply(Mismatch::Fingerprint { recorded, played, .. }) => {
                    Some([recorded.to_string(), played.to_string()])
                }
                _ => None,
            };
            (difference.ply(), fingerprints, difference.to_string())
        }
    };
    Verdict::Differs { ply, why, fingerprints }
}
