//! The referee of one row: a process that plays one match, and tells about it in one line of JSON on stdout.

use crate::{
    BOT, Facts, Kind,
    attempt::{Attempt, Came},
    cage,
    kind::{PATIENT, Stage},
    player::Tongue,
    role::{HONEST, SLOW, VERIFIER},
    tries::{ALIKE, UNLIKE},
};
use agon_core::{Flaw, Seed};
use agon_referee::{AnyReferee, Fault, MatchEvent, SeatKind, Settings, open};
use agon_run::{CancelFlag, Ended, Launch, Options, Outcome, Program, play};
use agon_spec::{Isolation, Limits, MatchSpec, SeatSpec};
use agon_toy::Position as Toy;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Write, stdout},
};

/// What it says when a bot has answered its greeting, before it tells about the match.
pub(crate) const PLAYING: &str = "playing";

/// What a match has shown.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    /// Why the level was not tried successfully, so that nothing was played.
    pub unverified: Option<String>,
    /// Why there is no result.
    pub broken: Option<String>,
    /// One a seat.
    pub faults: Vec<Option<Fault>>,
    /// One a seat.
    pub places: Vec<u8>,
    /// What each seat has told on its stderr that is for us.
    pub lines: Vec<Vec<String>>,
    /// By how much the resident memory of the referee grew at most, in KiB.
    pub growth_kib: u64,
}

/// Plays the match of a kind, and tells.
pub(crate) fn run(kind: &Kind, level: Isolation, facts: &Facts) -> u8 {
    let told = match warm_up(level, facts) {
        Err(why) => Told { unverified: Some(why), ..Told::default() },
        Ok(()) => matches(kind, level, facts),
    };
    let line = serde_json::to_string(&told).unwrap_or_default();
    u8::from(writeln!(stdout(), "{line}").is_err())
}

/// A short match, so that what the process needs once is there before its memory is weighed; with a sandbox also the
/// proof that the level contains the least.
fn warm_up(level: Isolation, facts: &Facts) -> Result<(), String> {
    let first = if level == Isolation::None { HONEST[0].0 } else { VERIFIER };
    let stage = Stage { stones: 2, ..PATIENT };
    let (outcome, _) =
        one(&stage, level, facts, [first, HONEST[0].0], &mut tell_greeting).map_err(|e| e.to_string())?;
    match &outcome.ended {
        Ended::Finished => {}
        Ended::NeverStarted(seats) => return Err(seats.first().map_or_else(String::new, |(_, why)| why.to_string())),
        Ended::Interrupted => return Err("interrupted".to_owned()),
    }
    if level == Isolation::None {
        return Ok(());
    }
    let text = outcome.seats[0].stderr.text();
    let attempts: Vec<Attempt> = text.lines().filter_map(|line| line.parse().ok()).collect();
    match attempts.iter().find(|attempt| !matches!(attempt.came, Came::Refused(_))) {
        Some(attempt) => Err(attempt.to_string()),
        None if attempts.is_empty() => Err("the bot that tries the level did not say anything".to_owned()),
        None if outcome.seats[0].fault.is_some() => Err("the bot that tries the level did not live".to_owned()),
        None => Ok(()),
    }
}

/// The match of the kind itself, as often as it is played.
fn matches(kind: &Kind, level: Isolation, facts: &Facts) -> Told {
    let stage = &kind.stage;
    let second = match stage {
        Stage { both: true, .. } => kind.name,
        Stage { slow_opponent: true, .. } => SLOW,
        _ => honest(stage.tongue),
    };
    forget_peak();
    let before = memory("VmRSS:");
    let mut told = Told::default();
    for _ in 0..stage.times {
        told = match one(stage, level, facts, [kind.name, second], &mut tell_greeting) {
            Err(error) => Told { broken: Some(error.to_string()), ..Told::default() },
            Ok((outcome, faults)) => Told {
                broken: match &outcome.ended {
                    Ended::Finished => None,
                    Ended::NeverStarted(seats) => seats.first().map(|(_, why)| format!("never started: {why}")),
                    Ended::Interrupted => Some("interrupted".to_owned()),
                },
                places: outcome.standing.places.clone(),
                lines: outcome.seats.iter().map(|seat| for_us(&seat.stderr.text())).collect(),
                faults,
                ..Told::default()
            },
        };
        if told.broken.is_some() {
            break;
        }
    }
    Told { growth_kib: memory("VmHWM:").saturating_sub(before), ..told }
}

/// The lines of a stderr that are for us.
fn for_us(text: &str) -> Vec<String> {
    let ours = |line: &&str| line.starts_with(ALIKE) || line.starts_with(UNLIKE) || line.parse::<Attempt>().is_ok();
    text.lines().filter(ours).map(str::to_owned).collect()
}

fn honest(tongue: Tongue) -> &'static str {
    HONEST.iter().find(|(_, known)| *known == tongue).map_or(HONEST[0].0, |(name, _)| name)
}

/// Tells the driver that a bot is there.
fn tell_greeting(event: &MatchEvent) {
    if matches!(event, MatchEvent::Greeted { .. }) {
        let _ = writeln!(stdout(), "{PLAYING}");
    }
}

/// One match between two bots by their names.
pub(crate) fn one(
    stage: &Stage,
    level: Isolation,
    facts: &Facts,
    bots: [&str; 2],
    observer: &mut dyn FnMut(&MatchEvent),
) -> io::Result<(Outcome, Vec<Option<Fault>>)> {
    let spec = spec(stage, bots).map_err(flawed)?;
    let kinds = [SeatKind::Process; 2];
    let settings = Settings { freeze: stage.freeze, ..Settings::default() };
    let mut machine: Box<dyn AnyReferee> = match stage.tongue {
        Tongue::Toy => Box::new(open::<Toy>(&spec, &kinds, settings).map_err(flawed)?),
        other => game(other).and_then(|game| game.referee(&spec, &kinds, settings)).map_err(flawed)?,
    };
    let launches = [program(bots[0], level, facts)?, program(bots[1], level, facts)?];
    let outcome = play(&mut *machine, &launches, observer, &CancelFlag::new()?, Options::default())?;
    let faults = outcome.seats.iter().map(|seat| seat.fault.as_ref().map(|record| record.fault.clone())).collect();
    Ok((outcome, faults))
}

/// A bot by its name, at a level.
fn program(name: &str, level: Isolation, facts: &Facts) -> io::Result<Launch> {
    let ourselves = std::env::current_exe()?;
    let mut program = Program::new([ourselves.clone().into_os_string(), BOT.into(), name.into()]);
    program.words.extend(facts.words());
    program.dir = Some(facts.own());
    program.sandbox = cage::confinement(level, &ourselves, facts);

    Ok(Launch::Program(program))
}

fn game(tongue: Tongue) -> Result<&'static dyn agon_games::AnyGame, Flaw> {
    agon_games::find(tongue.game()).ok_or_else(|| Flaw::new(format!("there is no game `{}`", tongue.game())))
}

fn flawed(flaw: Flaw) -> io::Error {
    io::Error::other(flaw.to_string())
}

/// The match of a stage.
fn spec(stage: &Stage, bots: [&str; 2]) -> Result<MatchSpec, Flaw> {
    let seat = |name: &str| SeatSpec { name: name.into(), bot: name.into(), ..SeatSpec::default() };
    let mut seats = vec![seat(bots[0]), seat(bots[1])];
    seats[0].clock = Some(stage.clock.parse()?);
    let mut limits = Limits::default();
    if let Some(inbox) = stage.inbox {
        limits.inbox = inbox;
    }
    let (map, limit) = match stage.tongue {
        Tongue::Toy => (format!("heap {}\nmost 3\n", stage.stones), None),
        other => {
            let game = game(other)?;
            let kind = game.info().map_kinds.first().map_or("", |kind| kind.name);
            (game.generate(kind, Seed(1), 2)?, Some(8))
        }
    };
    Ok(MatchSpec {
        game: stage.tongue.game().into(),
        rules: if stage.tongue == Tongue::Grid { "spec,chat=yes".into() } else { "spec".into() },
        map_name: "hostile".into(),
        map,
        seed: Seed(1),
        limit,
        seats,
        // Whoever is honest has all the time in the world.
        clock: PATIENT.clock.parse()?,
        limits,
    })
}

/// A line of this process's status in KiB; 0 where there is none.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Lets the highest resident memory begin anew at what it is now.
fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}
