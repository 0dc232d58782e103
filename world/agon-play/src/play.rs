//! One match, from prepared bots to its result.

use crate::{
    BotSpec, Cancel, ChangedBot, CorePlacement, Error, Event, MatchFile, Part, PreparedBot, ReplayReport, ReplaySink,
    Result, Shortage, TermsError, TranscriptReport, TranscriptSink, replay_file::ReplayRecorder,
    transcript::Transcript,
};
use agon_core::{Flaw, Seat, Standing, TimePolicy, text::counted};
use agon_games::AnyGame;
use agon_referee::{AnyReferee, MatchEvent, Recording, SeatKind, Settings, TimeUsed};
use agon_replay::{Footer, Tally};
use agon_run::{Chunk, Ended, Launch, Notice, Options, People, SeatOutcome, StartError, Stream};
use agon_spec::{Limits, MatchSpec, RefusedCount, SeatSpec, SpoiltRecord};
use std::time::Duration;

/// How a match is played. The default suits a match in a tournament: it writes no files and reports little.
pub struct PlayOptions {
    /// Cancels the match.
    pub cancel: Option<Cancel>,
    /// The destination of the replay.
    pub replay: Option<ReplaySink>,
    /// The destination of everything that bots read and write.
    pub transcript: Option<TranscriptSink>,
    /// The streams of the bots to report as [`Event::Chunk`].
    pub listen: Listen,
    /// How much of each turn [`Event::Match`] reports.
    pub recording: Recording,
    /// The decisions and requests of people. Required if a person plays in a seat.
    pub people: Option<People>,
    /// Whether bots may compute outside their own turn. Each bot needs cores of its own for that.
    pub ponder: bool,
    /// The cores on which the match runs. Bots that share a core are asked one after the other.
    pub cores: CorePlacement,
    /// The number of cores of each bot, which must exist. `None` gives each bot one if there are enough.
    pub cores_of_bot: Option<u32>,
    /// How long bots may take to end by themselves after the match. `None` gives the time that the game and the kinds
    /// of bots need.
    pub grace: Option<Duration>,
}

/// The streams of the bots to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Listen {
    /// No stream.
    #[default]
    Nothing,
    /// The stderr of each bot.
    Stderr,
    /// The stdin, stdout and stderr of each bot.
    Everything,
}

/// The result of a match.
#[derive(Debug)]
#[non_exhaustive]
pub struct MatchResult {
    /// How the match ended.
    pub outcome: Outcome,
    /// The number of turns that were played.
    pub plies: u32,
    /// The standing in the last position, even if the match has no result.
    pub standing: Standing,
    /// The fingerprint of the last position, whatever was recorded.
    pub fingerprint: u64,
    /// The time that each seat has used, in order, whatever was recorded.
    pub time_used: Vec<TimeUsed>,
    /// The data of a replay's last line: faults and times. `None` if the match never began. The times are those of the turns that
    /// were recorded.
    pub footer: Option<Footer>,
    /// How many commands of each seat were refused without any other penalty, whatever was recorded. Empty if the match never
    /// began.
    pub refused: Vec<RefusedCount>,
    /// The name that each bot has given itself in its greeting, if the protocol has one. Empty if the match never began.
    pub greeted_as: Vec<Option<String>>,
    /// The time from the start of the first process to the last turn.
    pub wall: Duration,
    /// The outcome of each seat, in order. Empty if nothing was started.
    pub seats: Vec<SeatOutcome>,
    /// How the replay was written. `None` if no replay was requested.
    pub replay: Option<ReplayReport>,
    /// How the transcript was written. `None` if no transcript was requested.
    pub transcript: Option<TranscriptReport>,
    /// A bot whose files were written or replaced during the match, so that nobody knows what has played.
    pub changed: Option<ChangedBot>,
}

/// How a match ended.
#[derive(Debug)]
pub enum Outcome {
    /// The match was played to its end and has this result.
    Finished(Standing),
    /// The host kept a bot from a core until its time had run out. The match has no result, and nobody has lost.
    Spoilt(SpoiltRecord),
    /// The host was short of something that the match needs. The match has no result, and nobody has lost.
    Short(Shortage),
    /// The match was aborted, by [`Cancel::kill`] for example. It has no result.
    Aborted,
    /// The match did not start.
    NotStarted(NotStarted),
}

/// Why a match did not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotStarted {
    /// The match was cancelled before its start.
    Cancelled,
    /// These bots could not be started. Each seat comes with the reason.
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
            ponder: false,
            cores: CorePlacement::Auto,
            cores_of_bot: None,
            grace: None,
        }
    }
}

/// Plays a match to its end on this thread. `bots` has one entry for each seat.
///
/// When this function returns, all processes of the match have ended, and its replay and transcript are written and at
/// their place.
///
/// # Errors
/// If the match cannot begin: its description is not valid, a file cannot be created, there is no place for a file that no
/// bot in a sandbox sees, a bot is another one than was prepared, a core is not available, or the system refuses a resource. A bot that cannot be started is not an
/// error, but [`Outcome::NotStarted`].
pub fn play(
    game: &dyn AnyGame,
    spec: &MatchSpec,
    bots: &[PreparedBot],
    options: PlayOptions,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<MatchResult> {
    if bots.len() != spec.seats.len() {
        let what = format!("{} for {}", counted(bots.len(), "bot"), counted(spec.seats.len(), "seat"));
        return Err(Error::Spec(Flaw::new(what)));
    }
    let cancel = options.cancel.map_or_else(Cancel::new, Ok).map_err(Error::Run)?;
    let kinds: Vec<_> = bots.iter().map(PreparedBot::seat_kind).collect();
    if options.people.is_none() && kinds.contains(&SeatKind::Human) {
        return Err(Error::Spec(Flaw::new("a person has a seat, but `PlayOptions::people` is not set")));
    }
    // A person who takes part may want to take back a turn.
    let processes = kinds.iter().filter(|kind| **kind == SeatKind::Process).count();
    let placed = options.cores.place(processes, options.cores_of_bot, options.ponder)?;
    let settings = Settings {
        recording: options.recording,
        undo: options.people.is_some(),
        freeze: !options.ponder,
        // A single process is held back as well until it is asked, so that built-in bots think alone.
        in_turn: !options.ponder && (!placed.apart || processes == 1),
    };
    let mut spec = spec.clone();
    spec.limits.cores = placed.each;
    spec.limits.ponder = options.ponder;
    spec.limits.in_turn = settings.in_turn && processes > 1;
    let spec = &spec;
    let mut machine = game.referee(spec, &kinds, settings).map_err(Error::Spec)?;
    if cancel.is_cancelled() {
        return Ok(MatchResult {
            outcome: Outcome::NotStarted(NotStarted::Cancelled),
            plies: 0,
            standing: machine.standing(),
            fingerprint: machine.fingerprint(),
            time_used: time_used(&*machine),
            footer: None,
            refused: Vec::new(),
            greeted_as: Vec::new(),
            wall: Duration::ZERO,
            seats: Vec::new(),
            replay: None,
            transcript: None,
            changed: None,
        });
    }
    let before = bots.iter().map(PreparedBot::check_unchanged).collect::<std::result::Result<Vec<_>, _>>()?;
    let launch = |(i, bot): (usize, &PreparedBot)| {
        let seat = Seat::new(i);
        let limits = Limits { memory_mib: spec.memory_mib(seat), ..spec.limits };
        bot.launch(&limits, spec.seed, seat)
    };
    let launches: Vec<_> = bots.iter().enumerate().map(launch).collect();
    check_cpu_clocks(spec, &launches)?;
    let withheld_replay = match &options.replay {
        Some(ReplaySink::File(path)) => MatchFile::Replay.withhold(path, bots)?,
        _ => None,
    };
    let withheld_transcript = match &options.transcript {
        Some(TranscriptSink::File(path)) => MatchFile::Transcript.withhold(path, bots)?,
        _ => None,
    };
    // A file that is there is written over only by a match that can be played.
    let mut replay = options.replay.map(|sink| ReplayRecorder::new(sink, withheld_replay)).transpose()?;
    let mut transcript = options.transcript.map(|sink| Transcript::new(sink, withheld_transcript)).transpose()?;

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
        cores: placed.referee.clone(),
        seat_cores: {
            let mut of_bots = placed.bots.iter();
            let of_seat = |kind: &SeatKind| match kind {
                SeatKind::Process => of_bots.next().cloned().unwrap_or_default(),
                _ => Vec::new(),
            };
            kinds.iter().map(of_seat).collect()
        },
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
    let changed = bots.iter().zip(&before).find_map(|(bot, before)| bot.changed_since(before.as_ref()));
    let replay = replay.map(ReplayRecorder::finish);
    let transcript = transcript.map(Transcript::finish);
    let spoilt = footer.as_ref().and_then(|footer: &Footer| footer.spoilt);
    let outcome = match (played.ended, spoilt) {
        (Ended::Finished, Some(spoilt)) => Outcome::Spoilt(spoilt),
        (Ended::Finished, None) => Outcome::Finished(played.standing.clone()),
        (Ended::Interrupted, _) => Outcome::Aborted,
        (Ended::Short(shortage), _) => Outcome::Short(shortage),
        (Ended::NeverStarted(seats), _) => Outcome::NotStarted(NotStarted::Bots(seats)),
    };
    let (plies, standing, wall, seats) = (played.plies, played.standing, played.wall, played.seats);
    let (fingerprint, time_used) = (machine.fingerprint(), time_used(&*machine));
    // Of turns that are recorded, the tally knows what a person took back.
    let refused = if options.recording < Recording::Orders {
        (0..spec.seats.len()).map(|seat| machine.refused(Seat::new(seat)).clone()).collect()
    } else {
        tally.refused().to_vec()
    };
    let greeted_as = tally.greeted_as().to_vec();
    Ok(MatchResult {
        outcome,
        plies,
        standing,
        fingerprint,
        time_used,
        footer,
        refused,
        greeted_as,
        wall,
        seats,
        replay,
        transcript,
        changed,
    })
}

fn time_used(machine: &dyn AnyReferee) -> Vec<TimeUsed> {
    (0..machine.spec().seats.len()).map(|seat| machine.time_used(Seat::new(seat))).collect()
}

/// Checks that the CPU time of every bot whose clock is limited by it can be counted as a whole.
fn check_cpu_clocks(spec: &MatchSpec, launches: &[Launch]) -> Result<()> {
    for (launch, seat) in launches.iter().zip(&spec.seats) {
        if let Launch::Program(program) = launch
            && seat.clock.unwrap_or(spec.clock).policy == TimePolicy::Cpu
            && !program.counts_cpu()
        {
            let what =
                format!("`policy=cpu` needs the CPU time of all processes of `{}`, which nothing counts", seat.name);
            let hint = "use a sandbox without `--processes`, let Agon make control groups (`systemd-run --user --scope -p \
                        Delegate=yes agon …`), or use `policy=fair`";
            return Err(TermsError { part: Part::Time, flaw: Flaw::new(what).hint(hint) }.into());
        }
    }
    Ok(())
}

/// Returns how long bots may take to end by themselves. A champion still has to run its last callback, and a bot that
/// the protocol informs of the end may have something to save.
fn grace(game: &dyn AnyGame, spec: &MatchSpec, bots: &[PreparedBot]) -> Duration {
    let usual = Options::default().grace;
    let of_seat = |(bot, seat): (&PreparedBot, &SeatSpec)| match bot.spec() {
        BotSpec::Champion(_) => agon_champion::LAST_CALL,
        _ => game.grace(&seat.dialect).unwrap_or(usual),
    };
    bots.iter().zip(&spec.seats).map(of_seat).max().unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MatchTerms, NamedBot, find_game};

    fn portals(options: PlayOptions, events: &mut dyn FnMut(Event<'_>)) -> Result<MatchResult> {
        let game = find_game("portals").expect("it is a game");
        let bots = ["builder", "capturer"].map(|name| NamedBot::builtin(game, name).expect("it is a bot"));
        let prepared = ["builder", "capturer"].map(|name| PreparedBot::builtin(game, name).expect("it is a bot"));
        let plan = MatchTerms { rounds: Some(2), ..MatchTerms::default() }.plan(game, &bots)?;
        play(game, &plan.spec(&prepared), &prepared, options, events)
    }

    #[test]
    fn turns_are_told_with_their_rounds() {
        let mut told = Vec::new();
        let played = portals(PlayOptions::default(), &mut |event| {
            if let Event::Match(MatchEvent::Ply(record)) = event {
                told.push((record.ply, record.round));
            }
        });
        assert!(matches!(played.expect("it is played").outcome, Outcome::Finished(_)));
        assert_eq!(told, [(1, Some(1)), (2, Some(1)), (3, Some(2)), (4, Some(2))]);
    }

    #[test]
    fn a_match_that_cannot_begin_writes_over_nothing() {
        let file = |end: &str| std::env::temp_dir().join(format!("agon-play-{}.{end}", std::process::id()));
        let (replay, transcript) = (file("jsonl"), file("txt"));
        for path in [&replay, &transcript] {
            std::fs::write(path, "precious").expect("a file");
        }
        let options = PlayOptions {
            replay: Some(ReplaySink::File(replay.clone())),
            transcript: Some(TranscriptSink::File(transcript.clone())),
            cores: CorePlacement::These(vec![usize::MAX]),
            ..PlayOptions::default()
        };
        let refused = portals(options, &mut |_| ());
        assert!(matches!(refused, Err(Error::Terms(TermsError { part: Part::Cores, .. }))), "{refused:?}");
        for path in [&replay, &transcript] {
            assert_eq!(std::fs::read_to_string(path).expect("it is there"), "precious");
            std::fs::remove_file(path).expect("it can be removed");
        }
    }
}
