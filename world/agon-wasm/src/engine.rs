//! A replay that is open, and the position that is shown.

mod answers;

use crate::{
    survey::Survey,
    timeline::Timeline,
    told::{Told, play_on},
    verifier::{Verdict, Verifier, open},
};
use agon_core::{Flaw, Frame, Key, Seat};
use agon_games::positions;
use agon_referee::{Board, Branch, MatchEvent, PlyRecord, Rerun, Step};
use agon_replay::{Line, ReadError};
use agon_spec::MatchSpec;

/// Up to so many turns are played to get on. Beyond, another position is looked for from which fewer have to be played.
const NEAR: u32 = 8;

/// Why something cannot be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// The reason, as a lower-case fragment. It may quote the replay.
    pub why: String,
    /// The line of the replay, counted from 1, if the reason is there.
    pub line: Option<u32>,
}

impl From<Flaw> for Failed {
    fn from(flaw: Flaw) -> Self {
        Self { why: flaw.to_string(), line: None }
    }
}

impl From<ReadError> for Failed {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(why) => Self { why: why.to_string(), line: None },
            ReadError::Line { line, why } => Self { why, line: Some(line) },
        }
    }
}

/// An open replay. Turns and positions are counted as in a replay: position 0 is the start, and turn 1 leads to position 1.
pub struct Engine {
    /// The text of the replay.
    #[cfg(feature = "play")]
    text: Vec<u8>,
    /// The number of whole lines of the text.
    lines: u32,
    /// Whether the text ends with a whole line.
    is_whole: bool,
    timeline: Timeline,
    title: &'static str,
    /// The position that is shown.
    shown: Rerun,
    /// Another rerun, for events and for parts of a turn, so that asking for them does not move what is shown.
    scout: Rerun,
    /// How many parts of the last turn are shown. `None` for the whole turn.
    part: Option<u32>,
    branch: Option<Branch>,
    verifier: Verifier,
    survey: Survey,
}

impl Engine {
    /// Opens a replay: its text in format 1 or 2, whole or cut off.
    ///
    /// # Errors
    /// Fails if the text is not a replay that this version can read, or if no match can start from its header.
    pub fn open(text: &[u8]) -> Result<Self, Failed> {
        let timeline = Timeline::read(text)?;
        let spec = &timeline.play.spec;
        let title = positions::find(&spec.game).map_or("", |game| game.title());
        let (shown, scout) = reruns(spec)?;
        let survey = Survey::new(&timeline, None)?;
        Ok(Self {
            #[cfg(feature = "play")]
            text: text.to_vec(),
            lines: lines(text),
            is_whole: text.ends_with(b"\n"),
            timeline,
            title,
            shown,
            scout,
            part: None,
            branch: None,
            verifier: Verifier::new(text),
            survey,
        })
    }

    /// Adds further text of a replay that is being written, whole lines. The position that is shown stays.
    ///
    /// # Errors
    /// Fails if a line cannot follow. Lines before it have been added.
    pub fn append(&mut self, text: &[u8]) -> Result<(), Failed> {
        if !self.is_whole || !(text.is_empty() || text.ends_with(b"\n")) {
            return Err(Failed { why: "only whole lines can be added".into(), line: Some(self.lines + 1) });
        }
        let (mut last, mut is_edited) = (self.plies(), false);
        self.timeline.go_on();
        let (mut taken, mut done) = (0, Ok(()));
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match self.take(&line[..line.len() - 1]) {
                Ok(edits) => is_edited |= edits,
                Err(why) => {
                    done = Err(why);
                    break;
                }
            }
            self.lines += 1;
            taken += line.len();
            last = last.min(self.plies());
        }
        #[cfg(feature = "play")]
        self.text.extend_from_slice(&text[..taken]);
        self.verifier.append(&text[..taken]);
        // An edit takes all turns back, and other turns may have come in their place.
        if is_edited || self.shown.board().plies().max(self.scout.board().plies()).max(self.survey.plies()) > last {
            (self.shown, self.scout) = reruns(&self.timeline.play.spec)?;
            self.survey = Survey::new(&self.timeline, self.survey.eyes())?;
        }
        done
    }

    /// Adds the next line, without its line feed. Returns whether it edits the position.
    fn take(&mut self, line: &[u8]) -> Result<bool, Failed> {
        let number = self.lines + 1;
        let failed = |why| Failed { why, line: Some(number) };
        let Some(line) = Line::parse(line).map_err(failed)? else { return Ok(false) };
        let back = match &line {
            Line::Event(MatchEvent::Rewound { ply, .. }) => Some(*ply),
            _ => None,
        };
        let edits = matches!(line, Line::Event(MatchEvent::Edited { .. }));
        if let Some(ply) = back {
            self.step_back(ply)?;
        }
        self.timeline.push(line).map_err(failed)?;
        Ok(edits)
    }

    /// Returns the number of seats.
    #[must_use]
    pub fn seats(&self) -> usize {
        self.timeline.play.spec.seats.len()
    }

    /// Returns the seat with this number, counted from 1.
    ///
    /// # Errors
    /// Fails if there is no such seat.
    pub fn seat(&self, number: u32) -> Result<Seat, Failed> {
        let seats = self.seats();
        let seat = u8::try_from(number).ok().and_then(Seat::from_number).filter(|seat| seat.index() < seats);
        let why = || format!("there is no seat {number}: the match has {seats}");
        seat.ok_or_else(|| Failed { why: why(), line: None })
    }

    /// Leaves turns that will be taken back.
    fn step_back(&mut self, ply: u32) -> Result<(), Failed> {
        for rerun in [&mut self.shown, &mut self.scout] {
            if rerun.board().plies() > ply {
                seek(rerun, &[], &self.timeline.play.turns, ply)?;
            }
        }
        self.survey.step_back(&self.timeline.play.turns, ply)
    }

    /// Returns the number of turns.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.timeline.play.plies()
    }

    /// Goes on with the verification through at most `count` lines.
    pub fn verify(&mut self, count: u32) -> &Verdict {
        self.verifier.advance(count)
    }

    /// Goes on through at most `count` turns with what is collected for charts and marks, as a viewer with the eyes of a seat
    /// learns it. With other eyes it begins anew. Returns whether there is more to collect.
    ///
    /// # Errors
    /// Fails if the match cannot be opened again.
    pub fn survey(&mut self, eyes: Option<Seat>, count: u32) -> Result<bool, Failed> {
        if self.survey.eyes() != eyes {
            self.survey = Survey::new(&self.timeline, eyes)?;
        }
        Ok(self.survey.advance(&self.timeline, count))
    }

    /// Shows the position after `ply` turns. Leaves a branch.
    ///
    /// # Errors
    /// Fails if there is no such turn, or if the rules do not accept a turn before it.
    pub fn seek(&mut self, ply: u32) -> Result<(), Failed> {
        (self.part, self.branch) = (None, None);
        seek(&mut self.shown, &[&self.scout, self.survey.rerun()], &self.timeline.play.turns, ply)
    }

    /// Shows the position within turn `ply`, after so many of its parts. 0 is the position before the turn. Leaves a branch.
    ///
    /// # Errors
    /// Fails as [`seek`](Engine::seek) does.
    pub fn seek_part(&mut self, ply: u32, parts: u32) -> Result<(), Failed> {
        self.seek(ply)?;
        self.part = Some(parts).filter(|_| ply > 0);
        Ok(())
    }

    /// Returns the shown position. Within a turn it is that of the turn's end.
    pub(crate) fn here(&self) -> &Board {
        self.branch.as_ref().map_or_else(|| self.shown.board(), Branch::board)
    }

    /// Returns the number of turns up to the shown position.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.here().plies()
    }

    /// Returns the fingerprint of the shown position, as 16 hexadecimal digits. Within a turn it is that of the turn's end.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.here().fingerprint().to_string()
    }

    /// Returns what a viewer draws of the shown position.
    pub fn frame(&mut self, eyes: Option<Seat>) -> Frame {
        let Some(part) = self.part else { return self.here().frame(eyes) };
        let (mut frame, mut count) = (None, 0);
        let ply = self.ply();
        if part == 0 && self.scout_at(ply - 1).is_ok() {
            return self.scout.board().frame(eyes);
        }
        let walked = self.walk(ply, &mut |step| {
            count += 1;
            if count == part {
                frame = Some(step.frame(eyes));
            }
        });
        frame.filter(|_| walked.is_ok()).unwrap_or_else(|| self.here().frame(eyes))
    }

    /// Plays the scout to the position after turn `ply`.
    fn scout_at(&mut self, ply: u32) -> Result<(), Failed> {
        seek(&mut self.scout, &[&self.shown, self.survey.rerun()], &self.timeline.play.turns, ply)
    }

    /// Plays the scout to the position before turn `ply`. Returns the number of the turn before it.
    fn scout_before(&mut self, ply: u32) -> Result<u32, Failed> {
        let before = ply.checked_sub(1).filter(|before| *before < self.plies());
        let before = before.ok_or_else(|| no_turn(ply, self.plies()))?;
        self.scout_at(before)?;
        Ok(before)
    }

    /// Calls `show` for each part of turn `ply`. What is shown stays.
    fn walk(&mut self, ply: u32, show: &mut dyn FnMut(&Step<'_>)) -> Result<(), Failed> {
        let before = self.scout_before(ply)?;
        let record = &self.timeline.play.turns[before as usize];
        self.scout.follow(record, Some(show)).map_err(|why| Failed { why: why.to_string(), line: None })
    }

    /// Returns the number of parts of turn `ply`.
    ///
    /// # Errors
    /// Fails as [`seek`](Engine::seek) does.
    pub fn parts(&mut self, ply: u32) -> Result<u32, Failed> {
        let mut count = 0;
        self.walk(ply, &mut |_| count += 1)?;
        Ok(count)
    }

    /// Tells what happened in turn `ply`.
    ///
    /// # Errors
    /// Fails as [`seek`](Engine::seek) does.
    pub(crate) fn events(&mut self, ply: u32, eyes: Option<Seat>) -> Result<Vec<Told>, Failed> {
        self.scout_before(ply)?;
        play_on(&mut self.scout, &self.timeline, eyes).map_err(|why| Failed { why: why.to_string(), line: None })
    }

    /// Begins a branch at the shown position. Turns that are played by hand then follow it.
    pub fn branch(&mut self) {
        self.part = None;
        if self.branch.is_none() {
            self.branch = Some(Branch::at(self.shown.board().clone()));
        }
    }

    /// Returns to the recorded position at which the branch began.
    pub fn leave(&mut self) {
        self.branch = None;
    }

    /// Takes the last turn of the branch back. Returns `false` if there is none.
    pub fn undo(&mut self) -> bool {
        self.branch.as_mut().is_some_and(Branch::undo)
    }

    /// Returns the facts about a thing of the shown position.
    pub(crate) fn facts(&mut self, key: Key, eyes: Option<Seat>) -> Vec<agon_core::Fact> {
        self.frame(eyes).facts(key)
    }
}

/// What the modules for matches in the page look at.
#[cfg(feature = "play")]
impl Engine {
    /// Returns the name of the game.
    pub(crate) fn game(&self) -> &str {
        &self.timeline.play.spec.game
    }

    /// Returns the text of the replay up to the last line that counts, with its line feed.
    pub(crate) fn whole_text(&self) -> Vec<u8> {
        let mut text = self.text.clone();
        if !self.is_whole {
            let start = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            // The last line counts if only its line feed is missing.
            match Line::parse(&text[start..]) {
                Ok(_) => text.push(b'\n'),
                Err(_) => text.truncate(start),
            }
        }
        text
    }

    /// Returns whether the replay has its footer.
    pub(crate) fn has_ended(&self) -> bool {
        self.timeline.has_ended()
    }

    /// Refuses to change a match of which turns were left out.
    ///
    /// # Errors
    /// Fails if turns were left out.
    pub(crate) fn refuse_cut(&self) -> Result<(), Failed> {
        match self.timeline.is_cut() {
            true => Err(Failed {
                why: "the last turns of this replay were left out, so nothing can follow".into(),
                line: None,
            }),
            false => Ok(()),
        }
    }

    /// Drops the footer, or what is there of a line, so that the match can go on.
    pub(crate) fn reopen(&mut self) {
        let ended = self.timeline.reopen();
        if ended {
            let last = self.text.trim_ascii_end().iter().rposition(|byte| *byte == b'\n');
            self.text.truncate(last.map_or(0, |last| last + 1));
        } else if !self.is_whole {
            self.text = self.whole_text();
        } else {
            return;
        }
        (self.lines, self.is_whole) = (lines(&self.text), true);
        self.verifier = Verifier::new(&self.text);
    }

    /// Returns the position after the last turn, whatever is shown.
    ///
    /// # Errors
    /// Fails if the rules do not accept a turn.
    pub(crate) fn last(&mut self) -> Result<&Board, Failed> {
        self.scout_at(self.plies())?;
        Ok(self.scout.board())
    }
}

/// Returns a rerun for what is shown, and one for what is asked beside it, which goes on from where the first one has been.
fn reruns(spec: &MatchSpec) -> Result<(Rerun, Rerun), Failed> {
    let shown = open(spec)?;
    let mut scout = shown.clone();
    scout.keep_snapshots(0);
    Ok((shown, scout))
}

/// Returns the number of whole lines.
fn lines(text: &[u8]) -> u32 {
    text.iter().filter(|byte| **byte == b'\n').count() as u32
}

fn no_turn(ply: u32, plies: u32) -> Failed {
    Failed { why: format!("there is no turn {ply}, only {plies} turns"), line: None }
}

/// Brings a rerun to the position after `ply` turns, from where one of `others` has been if that is nearer. The orders are the
/// truth: the verification tells of fingerprints that are wrong.
pub(crate) fn seek(rerun: &mut Rerun, others: &[&Rerun], turns: &[PlyRecord], ply: u32) -> Result<(), Failed> {
    let Some(way) = turns.get(..ply as usize) else { return Err(no_turn(ply, turns.len() as u32)) };
    let plies = rerun.board().plies();
    if !(plies..=plies + NEAR).contains(&ply) {
        let records: Vec<&PlyRecord> = way.iter().collect();
        rerun.approach(ply, &records, others);
    }
    for record in &way[rerun.board().plies() as usize..] {
        rerun.follow(record, None).map_err(|why| Failed { why: why.to_string(), line: None })?;
    }
    Ok(())
}
