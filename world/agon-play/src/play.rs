//! One match, from prepared bots to its result.

use crate::{
    BotSpec, Cancel, CorePlacement, Error, Event, Part, PreparedBot, ReplayReport, ReplaySink, Result, TermsError,
    TranscriptReport, TranscriptSink, replay_file::ReplayRecorder, transcript::Transcript,
};
use agon_core::{Flaw, Seat, Standing};
use agon_games::AnyGame;
use agon_referee::{MatchEvent, Recording, SeatKind, Settings};
use agon_replay::{Footer, Tally};
use agon_run::{Chunk, Ended, Notice, Options, People, SeatOutcome, StartError, Stream};
use agon_spec::{MatchSpec, SeatSpec};
use std::time::Duration;

/// How a match is played. The default is what a match of a tournament needs: nothing is written, nothing is shown.
pub struct PlayOptions {
    /// Ends it.
    pub cancel: Option<Cancel>,
    /// Where its replay goes.
    pub replay: Option<ReplaySink>,
    /// Where everything goes that bots read and write.
    pub transcript: Option<TranscriptSink>,
    /// Which streams of the bots are told as [`Event::Chunk`].
    pub listen: Listen,
    /// How much of each turn is told as [`Event::Match`].
    pub recording: Recording,
    /// What people decide and ask for while it runs; needed where a seat is a person's.
    pub people: Option<People>,
    /// Whether every bot is stopped outside its own turn.
    pub freeze: bool,
    /// On which cores it runs.
    pub cores: CorePlacement,
    /// How long bots may take to end by themselves after the match; `None`: as the game and their kind need it.
    pub grace: Option<Duration>,
}

/// Which streams of bots are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Listen {
    /// None.
    #[default]
    Nothing,
    /// What they write to their stderr.
    Stderr,
    /// All three.
    Everything,
}

/// A match that was played, or not.
#[derive(Debug)]
#[non_exhaustive]
pub struct MatchResult {
    /// What came of it.
    pub outcome: Outcome,
    /// How many turns were played.
    pub plies: u32,
    /// How the match stands at its last position, with a result or without.
    pub standing: Standing,
    /// What the last line of a replay says: faults and times; `None` if the match never began.
    pub footer: Option<Footer>,
    /// From the first process to the last turn.
    pub wall: Duration,
    /// One a seat; none if nothing was started.
    pub seats: Vec<SeatOutcome>,
    /// What became of the replay, if one was asked for.
    pub replay: Option<ReplayReport>,
    /// What became of the transcript, if one was asked for.
    pub transcript: Option<TranscriptReport>,
}

/// What came of a match.
#[derive(Debug)]
pub enum Outcome {
    /// It has a result.
    Finished(Standing),
    /// It was played to its end, and must not be counted.
    Spoilt(SpoiltBy),
    /// It was broken off by [`Cancel::kill`]: there is no result.
    Aborted,
    /// Nothing was played.
    NotStarted(NotStarted),
}

/// What has spoilt a match. Nothing is looked for yet that does, so that no match ends so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SpoiltBy {}

/// Why nothing was played.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotStarted {
    /// It was cancelled before.
    Cancelled,
    /// These bots could not be started, each with the reason.
    Bots(Vec<(Seat, StartError)>),
}

impl Default for PlayOptions {
    fn default() -> Self {
        Self {
            cancel: None,
            replay: None,
            transcript: None,
            listen: Listen::Nothing,
            recording: Recording::Orders,
            people: None,
            freeze: false,
            cores: CorePlacement::Anywhere,
            grace: None,
        }
    }
}

/// Plays a match to its end on this thread. `bots` has one entry a seat. No process of it is left behind, and its replay
/// and transcript are written, when this returns.
///
/// # Errors
/// What keeps it from beginning, other than a bot that cannot be started: a description that is no match, a file that
/// cannot be created, a core that there is not.
pub fn play(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    bots: &[PreparedBot],
    options: PlayOptions,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<MatchResult> {
    if bots.len() != spec.seats.len() {
        let what = format!("{} bots for {} seats", bots.len(), spec.seats.len());
        return Err(Error::Spec(Flaw::new(what)));
    }
    let cancel = options.cancel.map_or_else(Cancel::new, Ok).map_err(Error::Run)?;
    let kinds: Vec<_> = bots.iter().map(PreparedBot::seat_kind).collect();
    if options.people.is_none() && kinds.contains(&SeatKind::Human) {
        return Err(Error::Spec(Flaw::new("a seat is a person's, and there are no people")));
    }
    // Who takes part may want a turn back.
    let settings = Settings { recording: options.recording, freeze: options.freeze, undo: options.people.is_some() };
    let mut machine = game.referee(spec, &kinds, settings).map_err(Error::Spec)?;
    if cancel.is_cancelled() {
        return Ok(MatchResult {
            outcome: Outcome::NotStarted(NotStarted::Cancelled),
            plies: 0,
            standing: machine.standing(),
            footer: None,
            wall: Duration::ZERO,
            seats: Vec::new(),
            replay: None,
            transcript: None,
        });
    }
    let mut replay = options.replay.map(ReplayRecorder::new).transpose()?;
    let mut transcript = options.transcript.map(Transcript::new).transpose()?;
    let side_by_side = match options.cores {
        CorePlacement::Auto => game.rerun(spec).map_err(Error::Spec)?.awaiting().len().max(1),
        _ => 1,
    };
    let claim = options.cores.claim(side_by_side).map_err(|flaw| TermsError { part: Part::Cores, flaw })?;
    let launch = |(i, bot): (usize, &PreparedBot)| bot.launch(&spec.limits, spec.seed, Seat::new(i));
    let launches: Vec<_> = bots.iter().enumerate().map(launch).collect();

    let (mut tally, mut footer) = (Tally::default(), None);
    let told = std::cell::RefCell::new(events);
    let listen = options.listen;
    let listens = transcript.is_some() || listen != Listen::Nothing;
    let mut hear = |chunk: Chunk<'_>| {
        if listen == Listen::Everything || (listen == Listen::Stderr && chunk.stream == Stream::Err) {
            (told.borrow_mut())(Event::Chunk(&chunk));
        }
        if let Some(transcript) = &mut transcript {
            transcript.add(chunk);
        }
    };
    let mut notify = |notice: Notice<'_>| {
        (told.borrow_mut())(match notice {
            Notice::Asked { seat } => Event::Asked { seat },
            Notice::Denied { seat, why } => Event::Denied { seat, why },
        });
    };
    let run = Options {
        transcript: listens.then_some(&mut hear as &mut dyn FnMut(Chunk<'_>)),
        cores: claim.as_ref().map_or_else(Vec::new, |claim| claim.cores().to_vec()),
        grace: options.grace.unwrap_or_else(|| grace(game, spec, bots)),
        people: options.people,
        notices: Some(&mut notify),
    };
    let mut observe = |event: &MatchEvent| {
        if let Some(replay) = &mut replay {
            replay.add(event);
        }
        if let Some(end) = tally.add(event) {
            footer = Some(end);
        }
        (told.borrow_mut())(Event::Match(event));
    };
    let played = agon_run::play(&mut *machine, &launches, &mut observe, cancel.flag(), run).map_err(Error::Run)?;
    let replay = replay.map(ReplayRecorder::finish);
    let transcript = transcript.map(Transcript::finish);
    let outcome = match played.ended {
        Ended::Finished => Outcome::Finished(played.standing.clone()),
        Ended::Interrupted => Outcome::Aborted,
        Ended::NeverStarted(seats) => Outcome::NotStarted(NotStarted::Bots(seats)),
    };
    let (plies, standing, wall, seats) = (played.plies, played.standing, played.wall, played.seats);
    Ok(MatchResult { outcome, plies, standing, footer, wall, seats, replay, transcript })
}

/// How long bots may take to end by themselves: a champion has its last callback before it, and whom the protocol tells
/// of the end may have something to save.
fn grace(game: &dyn AnyGame, spec: &MatchSpec, bots: &[PreparedBot]) -> Duration {
    let usual = Options::default().grace;
    let of_seat = |(bot, seat): (&PreparedBot, &SeatSpec)| match bot.spec() {
        BotSpec::Champion(_) => agon_champion::LAST_CALL,
        _ => game.grace(&seat.dialect).unwrap_or(usual),
    };
    bots.iter().zip(&spec.seats).map(of_seat).max().unwrap_or(usual)
}
