//! Measures what the sandbox costs, and what bots that break the rules cost.

use super::{
    Effort, Goal, Row,
    bot::Behaviour,
    cost::{Meter, peak_memory, reset_peak},
    duel::{Duel, interrupted},
    millis,
    rounds::Rounds,
};
use agon_cli::error::{Error, Result};
use agon_run::{Chunk, Options, Outcome, Stream};
use agon_sandbox::Confinement;
use agon_spec::Isolation;
use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

/// The goal for the ratio of the times from the start of a bot to its first prompt, in a sandbox and outside.
const START: f64 = 5.0;
/// The goal for the ratio of an exchange inside the sandbox and one outside.
const EXCHANGE: f64 = 1.1;
/// The goal for the time of a match with a hung bot beyond its limit, in milliseconds.
const HUNG: f64 = 50.0;
/// The goal for the growth of the referee's memory during a flood, in MiB.
const FLOOD: f64 = 4.0;
/// The memory of a large referee, in bytes.
const LARGE: usize = 1 << 30;
/// The limit of bots that are not expected to answer.
const LIMIT: Duration = Duration::from_millis(100);

/// Measures everything at the levels that work here.
pub fn run(effort: &Effort) -> Result<Vec<Row>> {
    let levels = [Isolation::Full, Isolation::Restricted].into_iter().filter(|level| works(*level));
    let mut rows = Vec::new();
    let mut strongest = Isolation::None;
    for level in levels {
        strongest = strongest.max(level);
        rows.extend(starts(effort, level)?);
        rows.push(exchange(effort, level)?);
    }
    if strongest == Isolation::None {
        return Err(Error::user("no sandbox works here, so there is nothing to measure")
            .hint("`agon doctor` says what is missing"));
    }
    rows.push(hung(effort, strongest)?);
    for (name, behaviour) in [("toy-long-line", Behaviour::LongLine), ("toy-stderr-flood", Behaviour::StderrFlood)] {
        rows.push(flood(effort, strongest, name, behaviour)?);
    }
    for (name, behaviour) in
        [("toy-memory", Behaviour::TakesMemory), ("toy-memory-by-threads", Behaviour::TakesMemoryByThreads)]
    {
        rows.push(memory(effort, strongest, name, behaviour)?);
    }
    Ok(rows)
}

#[cfg(target_os = "linux")]
fn works(level: Isolation) -> bool {
    agon_sandbox::attempt(level).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn works(_: Isolation) -> bool {
    false
}

/// Measures the time from the start of a process in the sandbox to its first prompt, and the same outside. Repeats this
/// in a referee that uses much memory.
fn starts(effort: &Effort, level: Isolation) -> Result<Vec<Row>> {
    let outside = Duel::toy(2)?.against_builtin();
    let inside = outside.clone().confined(level);
    let mut rows = Vec::new();
    let cases = [
        ("start", 0, false, "start to first prompt; floor: outside"),
        ("start-large", LARGE, false, "the same, by a referee of 1 GiB"),
        ("start-first", 0, true, "by a thread that has not tried a sandbox, so it also starts its fork server"),
    ];
    for (name, memory, first, remark) in cases {
        let held = vec![1_u8; memory];
        let (mut starts, mut bare, mut ratios) = (Rounds::default(), Rounds::default(), Rounds::default());
        for _ in 0..effort.choose(15, 100) {
            let measure = |duel| if first { on_a_thread(effort, duel) } else { first_prompt(effort, duel) };
            let (inside, outside) = (measure(&inside)?, measure(&outside)?);
            starts.add(millis(inside));
            bare.add(millis(outside));
            ratios.add(inside.as_secs_f64() / outside.as_secs_f64());
        }
        black_box(&held);
        rows.push(Row {
            floor: Some(bare.median()),
            ratio: Some(ratios.median()),
            // This has no goal, because Agon tries the level before a match, so no bot is the first to be started.
            goal: if first { Goal::None } else { Goal::Ratio(START) },
            scatter: starts.scatter(),
            remark: Some(remark.to_owned()),
            ..Row::new(format!("toy-{level}-{name}"), starts.median(), "ms")
        });
    }
    Ok(rows)
}

/// Measures [`first_prompt`] on a thread that has not started anything yet.
fn on_a_thread(effort: &Effort, duel: &Duel) -> Result<Duration> {
    let end = thread::scope(|scope| scope.spawn(|| first_prompt(effort, duel)).join());
    end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Returns the time until the only process of a match was prompted for its first turn.
fn first_prompt(effort: &Effort, duel: &Duel) -> Result<Duration> {
    if effort.cancel.is_cancelled() {
        return Err(interrupted());
    }
    let mut prompted = None;
    let mut look = |chunk: Chunk<'_>| {
        if chunk.stream == Stream::In && prompted.is_none() && chunk.bytes.starts_with(b"heap") {
            prompted = Some(chunk.at);
        }
    };
    duel.play_through(effort.cancel.flag(), Options { transcript: Some(&mut look), ..Options::default() })?;
    prompted.ok_or_else(|| Error::user("the bot was never prompted"))
}

/// Measures an exchange inside the sandbox, and the same outside, everything on one core.
fn exchange(effort: &Effort, level: Isolation) -> Result<Row> {
    let _pinned = effort.pin()?;
    let turns = effort.choose([500, 4_000], [2_000, 22_000]);
    let duel = |turns: u32| Duel::toy(turns)?.timed("move=1m");
    let outside = [duel(turns[0])?, duel(turns[1])?];
    let inside = outside.clone().map(|duel| duel.confined(level));
    let each = |duels: &[Duel; 2]| -> Result<f64> {
        let mut costs = [Duration::ZERO; 2];
        for (cost, duel) in costs.iter_mut().zip(duels) {
            let meter = Meter::start();
            duel.play_through(effort.cancel.flag(), Options::default())?;
            *cost = meter.stop().wall;
        }
        Ok(super::micros(costs[1].saturating_sub(costs[0])) / f64::from(turns[1] - turns[0]))
    };
    let (mut values, mut floors, mut ratios) = (Rounds::default(), Rounds::default(), Rounds::default());
    for round in 0..effort.choose(5, 15) {
        // The order alternates, so that a machine that becomes busier or cooler favours neither side.
        let first_inside = round % 2 == 0;
        let one = each(if first_inside { &inside } else { &outside })?;
        let other = each(if first_inside { &outside } else { &inside })?;
        let (inside, outside) = if first_inside { (one, other) } else { (other, one) };
        values.add(inside);
        floors.add(outside);
        if outside > 0.0 {
            ratios.add(inside / outside);
        }
    }
    Ok(Row {
        floor: Some(floors.median()),
        ratio: Some(ratios.median()),
        goal: Goal::Ratio(EXCHANGE),
        scatter: ratios.scatter(),
        remark: Some("floor: outside".to_owned()),
        ..Row::new(format!("toy-{level}-exchange"), values.median(), "us per exchange")
    })
}

/// Measures how much longer a match takes than the limit of a bot that never answers.
fn hung(effort: &Effort, level: Isolation) -> Result<Row> {
    let duel =
        Duel::toy_of(2, Behaviour::Hung)?.timed(&format!("off,greeting={}ms", LIMIT.as_millis()))?.confined(level);
    let mut beyond = Rounds::default();
    for _ in 0..effort.choose(5, 20) {
        beyond.add(millis(play_to_fault(effort, &duel)?.saturating_sub(LIMIT)));
    }
    Ok(Row {
        goal: Goal::Value(HUNG),
        scatter: beyond.scatter(),
        remark: Some(format!("a whole match, start and end of both bots included, less the limit; sandbox `{level}`")),
        ..Row::new("toy-hung-bot", beyond.quantile(1.0), "ms beyond its limit, at most")
    })
}

/// Measures the growth of this process's peak memory while a bot writes without end.
fn flood(effort: &Effort, level: Isolation, name: &str, behaviour: Behaviour) -> Result<Row> {
    let duel = Duel::toy_of(2, behaviour)?.timed("off,greeting=1s")?.confined(level);
    let mut most: f64 = 0.0;
    for round in 0..3 {
        let before = reset_peak();
        play_to_fault(effort, &duel)?;
        // The first match loads pages that every match needs.
        if round > 0 {
            most = most.max((peak_memory() - before) / f64::from(1 << 20));
        }
    }
    Ok(Row {
        goal: Goal::Value(FLOOD),
        remark: Some("growth of the referee's resident memory at its peak".to_owned()),
        ..Row::new(name, most, "MiB")
    })
}

/// Measures how much a bot has beyond its limit of memory before it is killed.
fn memory(effort: &Effort, level: Isolation, name: &str, behaviour: Behaviour) -> Result<Row> {
    const ROUNDS: u32 = 10;
    let duel = Duel::toy_of(2, behaviour)?.timed("off,greeting=20s")?.confined(level);
    let mut most: f64 = 0.0;
    for _ in 0..ROUNDS {
        let (outcome, _) = played_to_fault(effort, &duel)?;
        let said = outcome.seats.first().map(|seat| seat.stderr.text()).unwrap_or_default();
        let taken_kib = said.lines().filter_map(|line| line.parse::<u32>().ok()).max().unwrap_or(0);
        most = most.max(f64::from(taken_kib) / 1024.0 - f64::from(Confinement::MEMORY_MIB));
    }
    Ok(Row {
        remark: Some(format!("beyond a limit of {} MiB, at most of {ROUNDS} matches", Confinement::MEMORY_MIB)),
        ..Row::new(name, most, "MiB")
    })
}

/// Plays a match in which the first bot is expected to fail, and returns how long it took.
fn play_to_fault(effort: &Effort, duel: &Duel) -> Result<Duration> {
    played_to_fault(effort, duel).map(|(_, took)| took)
}

/// Plays a match in which the first bot is expected to fail, and returns how it ended and how long it took. If the host spoils
/// the match, it is played again.
fn played_to_fault(effort: &Effort, duel: &Duel) -> Result<(Outcome, Duration)> {
    const MOST: u32 = 10;
    for _ in 0..MOST {
        let begin = Instant::now();
        let outcome = duel.play(effort.cancel.flag(), Options::default())?;
        if outcome.seats.first().is_some_and(|seat| seat.fault.is_some()) {
            return Ok((outcome, begin.elapsed()));
        }
    }
    Err(Error::user(format!("a bot broke the rules, but {MOST} matches in a row did not end with its fault"))
        .hint("other programs may have spoilt them: measure on a quiet machine"))
}
