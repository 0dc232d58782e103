//! The referee of one row: a process that plays the match and reports it in one line of JSON on stdout.

use crate::{
    BOT, Facts, Kind,
    attack::{ALIKE, UNLIKE},
    attempt::{Attempt, AttemptResult},
    client::Protocol,
    confinement::confinement,
    cpu::{ForeignTime, read_ns},
    kind::{Scenario, TOY},
    role::{HONEST, SLOW, VERIFIER, WORKERS},
};
use agon_core::{Flaw, Seed};
use agon_referee::{AnyReferee, Fault, MatchEvent, SeatKind, Settings, open};
use agon_run::{CancelFlag, Ended, Launch, Options, Outcome, Program, cores, play};
use agon_spec::{Isolation, Limits, MatchSpec, SeatSpec, SpoiltRecord};
use agon_toy::Position as Toy;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{self, Write, stdout},
};

/// The line that the referee prints whenever a bot has answered its greeting.
pub(crate) const PLAYING: &str = "playing";

/// The clock of an honest bot that computes for 30 ms.
const WORKING_CLOCK: &str = "greeting=1s,move=100ms";

/// How often a match is played again that the host has spoilt.
const MORE_ATTEMPTS: u32 = 2;

/// What the referee reports about the match of a row.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MatchReport {
    /// Why the match was not played: the level could not be shown to work. `None` if it was played.
    pub unverified: Option<String>,
    /// Why there is no result. `None` if there is one.
    pub error: Option<String>,
    /// How the host spoilt the match. `None` if it did not.
    pub spoilt: Option<SpoiltRecord>,
    /// The fault of each seat.
    pub faults: Vec<Option<Fault>>,
    /// The place of each seat.
    pub places: Vec<u8>,
    /// The lines of each seat's stderr that report an attack.
    pub lines: Vec<Vec<String>>,
    /// The CPU time that the hostile bot used while it was stopped, in microseconds.
    pub off_turn_us: u64,
    /// The mean CPU time that the hostile bot used in a turn of its opponent, in microseconds. 0 if turns are of both.
    pub foreign_us: u64,
    /// The mean CPU time that the referee used in such a turn, in microseconds.
    pub watching_us: u64,
    /// The CPU time that it then needed to read a small file of the system, in nanoseconds.
    pub read_ns: u64,
    /// The peak growth of the referee's resident memory, in KiB.
    pub growth_kib: u64,
}

/// Plays the match of a kind and prints the report.
pub(crate) fn run(kind: &Kind, level: Isolation, facts: &Facts) -> u8 {
    let report = match warm_up(level, facts, &mut report_greeting) {
        Err(why) => MatchReport { unverified: Some(why), ..MatchReport::default() },
        Ok(()) => settle(|| matches(kind, level, facts)),
    };
    let line = serde_json::to_string(&report).unwrap_or_default();
    u8::from(writeln!(stdout(), "{line}").is_err())
}

/// Plays a short match, so that memory which the process needs only once is not measured later. In a sandbox, the match
/// also shows that the level contains the minimum.
pub(crate) fn warm_up(level: Isolation, facts: &Facts, observer: &mut dyn FnMut(&MatchEvent)) -> Result<(), String> {
    let first = if level == Isolation::None { HONEST[0].0 } else { VERIFIER };
    let scenario = Scenario { stones: 2, ..TOY };
    let (outcome, _) =
        play_match(&scenario, level, facts, [first, HONEST[0].0], observer).map_err(|e| e.to_string())?;
    match &outcome.ended {
        Ended::Finished => {}
        Ended::NeverStarted(seats) => return Err(seats.first().map_or_else(String::new, |(_, why)| why.to_string())),
        Ended::Interrupted => return Err("interrupted".to_owned()),
        Ended::Short(shortage) => return Err(format!("the host is short of {shortage}")),
    }
    if level == Isolation::None {
        return Ok(());
    }
    let text = outcome.seats[0].stderr.text();
    let attempts: Vec<Attempt> = text.lines().filter_map(|line| line.parse().ok()).collect();
    match attempts.iter().find(|attempt| !matches!(attempt.result, AttemptResult::Refused(_))) {
        Some(attempt) => Err(attempt.to_string()),
        None if attempts.is_empty() => Err("the bot that checks the level reported nothing".to_owned()),
        None if outcome.seats[0].fault.is_some() => Err("the bot that checks the level failed".to_owned()),
        None => Ok(()),
    }
}

/// Plays again what the host has spoilt, as everything does that plays matches. A kind that could spoil its match would do
/// so every time.
fn settle(mut play: impl FnMut() -> MatchReport) -> MatchReport {
    let mut report = play();
    for _ in 0..MORE_ATTEMPTS {
        if report.spoilt.is_none() {
            break;
        }
        report = play();
    }
    report
}

/// Plays the match of the kind itself as many times as its scenario asks.
fn matches(kind: &Kind, level: Isolation, facts: &Facts) -> MatchReport {
    let scenario = &kind.scenario;
    let second = match scenario {
        Scenario { both_seats: true, .. } => kind.name,
        Scenario { slow_opponent: true, .. } => SLOW,
        Scenario { one_core: true, protocol: Protocol::Grid, .. } => WORKERS[1].0,
        Scenario { one_core: true, .. } => WORKERS[0].0,
        _ => honest(scenario.protocol),
    };
    forget_peak();
    let before = status("VmRSS:");
    let mut report = MatchReport::default();
    let mut off_turn_us = 0;
    let mut foreign = scenario.one_core.then(|| ForeignTime::new(&facts.row, kind.name));
    let mut spoilt = None;
    let mut observe = |event: &MatchEvent| {
        report_greeting(event);
        if let Some(foreign) = &mut foreign {
            foreign.observe(event);
        }
        if let MatchEvent::Aborted { spoilt: Some(record), .. } = event {
            spoilt = Some(*record);
        }
        if let MatchEvent::Ply(ply) = event {
            let own = ply.entries.iter().filter(|entry| entry.seat.index() == 0);
            off_turn_us += own.filter_map(|entry| entry.off_turn_us).sum::<u64>();
        }
    };
    for _ in 0..scenario.matches {
        report = match play_match(scenario, level, facts, [kind.name, second], &mut observe) {
            Err(error) => MatchReport { error: Some(error.to_string()), ..MatchReport::default() },
            Ok((outcome, faults)) => MatchReport {
                error: match &outcome.ended {
                    Ended::Finished => None,
                    Ended::NeverStarted(seats) => seats.first().map(|(_, why)| format!("never started: {why}")),
                    Ended::Interrupted => Some("interrupted".to_owned()),
                    Ended::Short(shortage) => Some(format!("the host is short of {shortage}")),
                },
                places: outcome.standing.places.clone(),
                lines: outcome.seats.iter().map(|seat| report_lines(&seat.stderr.text())).collect(),
                faults,
                ..MatchReport::default()
            },
        };
        if report.error.is_some() {
            break;
        }
    }
    let growth_kib = status("VmHWM:").saturating_sub(before);
    let (foreign_us, watching_us, read_ns) =
        foreign.map_or((0, 0, 0), |foreign| (foreign.mean_us(), foreign.own_mean_us(), read_ns()));
    MatchReport { growth_kib, off_turn_us, foreign_us, watching_us, read_ns, spoilt, ..report }
}

/// Returns the lines of a bot's stderr that report an attack.
fn report_lines(text: &str) -> Vec<String> {
    let ours = |line: &&str| line.starts_with(ALIKE) || line.starts_with(UNLIKE) || line.parse::<Attempt>().is_ok();
    text.lines().filter(ours).map(str::to_owned).collect()
}

fn honest(protocol: Protocol) -> &'static str {
    HONEST.iter().find(|(_, known)| *known == protocol).map_or(HONEST[0].0, |(name, _)| name)
}

/// Reports to the driver that a bot has answered its greeting.
fn report_greeting(event: &MatchEvent) {
    if matches!(event, MatchEvent::Greeted { .. }) {
        let _ = writeln!(stdout(), "{PLAYING}");
    }
}

/// Plays one match between two bots, given by name.
pub(crate) fn play_match(
    scenario: &Scenario,
    level: Isolation,
    facts: &Facts,
    bots: [&str; 2],
    observer: &mut dyn FnMut(&MatchEvent),
) -> io::Result<(Outcome, Vec<Option<Fault>>)> {
    let spec = spec(scenario, bots).map_err(flawed)?;
    let kinds = [SeatKind::Process; 2];
    let shared = scenario.one_core;
    let in_turn = scenario.freeze || shared;
    let settings = Settings { freeze: in_turn, in_turn, ..Settings::default() };
    let core: Vec<usize> = if shared { cores().last().copied().into_iter().collect() } else { Vec::new() };
    let options = Options { cores: core.clone(), seat_cores: vec![core; 2], ..Options::default() };
    let mut machine: Box<dyn AnyReferee> = match scenario.protocol {
        Protocol::Toy => Box::new(open::<Toy>(&spec, &kinds, settings).map_err(flawed)?),
        other => game(other).and_then(|game| game.referee(&spec, &kinds, settings)).map_err(flawed)?,
    };
    let launches = [program(bots[0], scenario, level, facts)?, program(bots[1], scenario, level, facts)?];
    let outcome = play(&mut *machine, &launches, observer, &CancelFlag::new()?, options)?;
    let faults = outcome.seats.iter().map(|seat| seat.fault.as_ref().map(|record| record.fault.clone())).collect();
    Ok((outcome, faults))
}

/// Returns how to start the bot with this name at a level.
fn program(name: &str, scenario: &Scenario, level: Isolation, facts: &Facts) -> io::Result<Launch> {
    let ourselves = std::env::current_exe()?;
    let mut program = Program::new([ourselves.clone().into_os_string(), BOT.into(), name.into()]);
    program.words.extend(facts.words());
    program.dir = Some(facts.own());
    program.sandbox = confinement(scenario, level, &ourselves, facts);

    Ok(Launch::Program(program))
}

fn game(protocol: Protocol) -> Result<&'static dyn agon_games::AnyGame, Flaw> {
    agon_games::find(protocol.game()).ok_or_else(|| Flaw::new(format!("there is no game `{}`", protocol.game())))
}

fn flawed(flaw: Flaw) -> io::Error {
    io::Error::other(flaw.to_string())
}

/// Returns the match of a scenario.
fn spec(scenario: &Scenario, bots: [&str; 2]) -> Result<MatchSpec, Flaw> {
    let seat = |name: &str| SeatSpec { name: name.into(), bot: name.into(), ..SeatSpec::default() };
    let mut seats = vec![seat(bots[0]), seat(bots[1])];
    seats[0].clock = Some(scenario.clock.parse()?);
    let mut limits = Limits::default();
    if let Some(inbox) = scenario.inbox {
        limits.inbox = inbox;
    }
    let (map, limit) = match scenario.protocol {
        Protocol::Toy => (format!("heap {}\nmost 3\n", scenario.stones), None),
        other => {
            let game = game(other)?;
            let kind = game.info().map_kinds.first().map_or("", |kind| kind.name);
            (game.generate(kind, Seed(1), 2)?, Some(8))
        }
    };
    Ok(MatchSpec {
        game: scenario.protocol.game().into(),
        rules: if scenario.protocol == Protocol::Grid { "spec,chat=yes".into() } else { "spec".into() },
        map_name: "hostile".into(),
        map,
        state: agon_core::State::default(),
        seed: Seed(1),
        seeds: agon_core::Derivation::Keyed,
        limit,
        seats,
        // The honest bot never runs out of time, unless somebody takes it.
        clock: if scenario.one_core { WORKING_CLOCK } else { TOY.clock }.parse()?,
        limits,
    })
}

/// Returns a value of this process's status, of memory in KiB, or 0 if the system does not report it.
pub(crate) fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Resets the peak of the resident memory to its current value.
fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seat;

    #[test]
    fn a_spoilt_match_is_played_again_but_not_for_ever() {
        let record =
            SpoiltRecord { seat: Seat::new(1), ply: 1, limit_us: 1, wall_us: 2, busy_us: 0, runnable_us: 1, lag_us: 0 };
        for (spoilt, played, ends_spoilt) in [(0, 1, false), (2, 3, false), (9, 3, true)] {
            let mut matches = 0;
            let report = settle(|| {
                matches += 1;
                MatchReport { spoilt: (matches <= spoilt).then_some(record), ..MatchReport::default() }
            });
            assert_eq!((matches, report.spoilt.is_some()), (played, ends_spoilt));
        }
    }
}
