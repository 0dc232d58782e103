//! The turns of a replay that count, with all that it says about them.

use agon_core::Standing;
use agon_referee::{FaultRecord, MatchEvent, PlyRecord};
use agon_replay::{End, Footer, HELD_LIMIT, Header, Line, LineOfPlay, ReadError, Reader};
use std::cmp::Ordering;

/// A replay without the turns that were taken back.
#[derive(Debug)]
pub struct Timeline {
    /// The match and its turns.
    pub play: LineOfPlay<PlyRecord>,
    /// The faults of these turns.
    pub faults: Vec<FaultRecord>,
    /// The result. `None` if there is none yet.
    pub standing: Option<Standing>,
    /// How far the match got.
    pub state: State,
    /// What a person should know about the replay, in short sentences.
    pub notes: Vec<String>,
    /// Where turns were taken back, or the position was edited, in the order of the turns that follow.
    pub changes: Vec<Change>,
    /// How often turns were taken back or the position was edited.
    pub revision: u32,
    held: usize,
    /// Whether there was a `cut` line.
    is_cut: bool,
    /// Whether there was a footer.
    has_ended: bool,
}

/// A change of the match between two turns. Those of turns that do not count are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The turn that follows it.
    pub ply: u32,
    /// What was changed, as a lower-case sentence.
    pub text: String,
}

/// How far a match got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The match is being played.
    Running,
    /// The match ended with a result.
    Over,
    /// The replay ends before the match, or later turns were left out.
    Cut,
    /// The match was interrupted, or a bot never started.
    Aborted,
    /// The host spoilt the match.
    Spoilt,
}

impl Timeline {
    /// Reads a replay: the text of all its lines, or of the first ones while the match is played.
    ///
    /// # Errors
    /// Fails if the text is not a replay that this version can read, or if it takes too much memory.
    pub fn read(text: &[u8]) -> Result<Self, ReadError> {
        let (header, mut reader) = Reader::new(text)?;
        let mut timeline = Self::new(header);
        while let Some(line) = reader.next_line()? {
            timeline.push(line).map_err(|why| ReadError::Line { line: reader.line(), why })?;
        }
        if reader.is_cut_off() && timeline.state == State::Running {
            timeline.state = State::Cut;
        }
        Ok(timeline)
    }

    fn new(header: Header) -> Self {
        Self {
            play: LineOfPlay::new(header.spec),
            faults: Vec::new(),
            standing: None,
            state: State::Running,
            notes: Vec::new(),
            changes: Vec::new(),
            revision: 0,
            held: 0,
            is_cut: false,
            has_ended: false,
        }
    }

    /// Adds the next line.
    ///
    /// # Errors
    /// Says, as a lower-case fragment, why the line cannot follow.
    pub fn push(&mut self, line: Line) -> Result<(), String> {
        if self.has_ended {
            return Err("a line follows the footer".into());
        }
        if self.is_cut && !matches!(line, Line::Footer(_)) {
            return Err("only the footer may follow a `cut` line".into());
        }
        match line {
            Line::Ply(record) => {
                self.held = self.held.saturating_add(record.weight());
                if self.held > HELD_LIMIT {
                    return Err("the replay up to here takes too much memory".into());
                }
                self.play.turns.push(record);
            }
            Line::Event(MatchEvent::Fault(fault)) => self.faults.push(fault),
            Line::Event(MatchEvent::Rewound { ply, .. }) => {
                let (first, last) = (ply.saturating_add(1), self.play.plies());
                self.changed(
                    ply,
                    match first.cmp(&last) {
                        Ordering::Less => format!("turns {first} to {last} were taken back"),
                        Ordering::Equal => format!("turn {first} was taken back"),
                        Ordering::Greater => "no turn was taken back".to_owned(),
                    },
                );
                self.drop_after(ply);
                self.play.rewind(ply);
                self.faults.retain(|fault| fault.ply <= ply);
                self.note("turns of this match were taken back, and only those that count are shown");
            }
            Line::Event(MatchEvent::Edited { map, state, .. }) => {
                self.changed(
                    0,
                    match self.play.plies() {
                        0 => "the first position was edited".to_owned(),
                        last => format!("the position after turn {last} was edited"),
                    },
                );
                self.drop_after(0);
                self.play.edit(map, state);
                self.faults.clear();
                self.note("the position of this match was edited, and the turns since then are shown");
            }
            Line::Event(_) => {}
            Line::Cut(cut) => {
                (self.state, self.is_cut) = (State::Cut, true);
                self.note(&format!("the replay became too large, so the turns after turn {} are missing", cut.plies));
            }
            Line::Footer(footer) => self.end(footer),
        }
        Ok(())
    }

    fn end(&mut self, footer: Footer) {
        self.has_ended = true;
        if let Some(spoilt) = footer.spoilt {
            self.note(&format!("the host kept the bot of seat {} from a core in turn {}", spoilt.seat, spoilt.ply));
            self.state = State::Spoilt;
        } else if footer.end == End::Aborted {
            self.state = State::Aborted;
        } else if self.state != State::Cut {
            self.state = State::Over;
        }
        // After a change the footer also has the faults of turns that do not count.
        if self.revision == 0 {
            let known = |fault: &FaultRecord| self.faults.contains(fault);
            let later: Vec<FaultRecord> = footer.faults.into_iter().filter(|fault| !known(fault)).collect();
            self.faults.extend(later);
        }
        self.standing = footer.standing;
    }

    /// Notes a change after which turn `ply` is the last one that counts.
    fn changed(&mut self, ply: u32, text: String) {
        self.revision = self.revision.wrapping_add(1);
        self.changes.retain(|change| change.ply <= ply);
        self.changes.push(Change { ply: ply.saturating_add(1), text });
    }

    /// Gives the memory of the turns after turn `ply` back.
    fn drop_after(&mut self, ply: u32) {
        let dropped: usize = self.play.turns.iter().skip(ply as usize).map(PlyRecord::weight).sum();
        self.held = self.held.saturating_sub(dropped);
    }

    /// Lets turns follow a text that was cut off in the middle of the match.
    pub(crate) fn go_on(&mut self) {
        if self.state == State::Cut && !self.is_cut && !self.has_ended {
            self.state = State::Running;
        }
    }

    /// Forgets the footer. Returns `false` if there is none.
    #[cfg(feature = "play")]
    pub(crate) fn reopen(&mut self) -> bool {
        let ended = std::mem::take(&mut self.has_ended);
        if ended {
            (self.standing, self.state) = (None, if self.is_cut { State::Cut } else { State::Running });
        }
        ended
    }

    /// Returns whether the replay has its footer.
    #[cfg(feature = "play")]
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns whether the last turns were left out.
    #[cfg(feature = "play")]
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|note| note == text) {
            self.notes.push(text.to_owned());
        }
    }
}

impl State {
    /// Returns the name for the page.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Over => "over",
            Self::Cut => "cut",
            Self::Aborted => "aborted",
            Self::Spoilt => "spoilt",
        }
    }
}
