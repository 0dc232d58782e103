//! Measures tournaments: the store, many matches at once, recording, memory, and a look at a large one.

use super::{
    Effort, Goal, Row,
    cost::{Meter, peak_memory, reset_peak},
    cup::{Cup, Folder, Players, clear},
    micros, millis,
    rounds::Rounds,
};
use agon_cli::error::Result;
use agon_run::cores;
use agon_store::{FileVersion, Records, Registry, Snapshot, Sqlite, SqliteReader, bench::results_without_blobs};
use agon_store_postgres::Postgres;
use agon_tournament::{Status, TournamentEvent};
use std::time::Instant;

/// The goal for one result in the store, in microseconds: 20,000 a second.
const RESULT: f64 = 50.0;
/// The goal for the time of a match on n cores, in parts of the time on one, times n: a rate of 0.9 n.
const SCALING: f64 = 1.0 / 0.9;
/// The goal for the time of a match whose replay is kept, beside one that is not recorded: half the rate.
const RECORDED: f64 = 2.0;
/// The same for a match whose replay would be kept only after a fault: 0.9 of the rate.
const UNRECORDED: f64 = 1.0 / 0.9;
/// The goal for the time of a result in PostgreSQL, in parts of that in SQLite: a rate of 0.4.
const ON_A_SERVER: f64 = 1.0 / 0.4;
/// The variable that names a server of PostgreSQL. `cargo xtask postgres -- COMMAND` sets it.
const SERVER: &str = "AGON_POSTGRES";
/// The goal for the growth of memory while matches are played, in MiB.
const GROWTH: f64 = 16.0;
/// The goal for the status of a large tournament, in milliseconds.
const STATUS: f64 = 1000.0;

/// The goal for the time to open a long tournament beyond that of a short one, in milliseconds.
const OPENING: f64 = 100.0;

/// Measures everything.
pub fn run(effort: &Effort) -> Result<Vec<Row>> {
    let folder = Folder::new()?;
    // Memory that other measurements have freed would hide some growth.
    let mut rows = vec![memory(effort, &folder)?];
    rows.extend(recordings(effort, &folder)?);
    rows.extend(store_and_status(effort, &folder)?);
    rows.push(opening(effort, &folder)?);
    if let Ok(server) = std::env::var(SERVER) {
        rows.push(on_a_server(effort, &folder, &server)?);
    }
    if cores().len() > 1 {
        let grid = Cup::new("grid", Players::Builtin(["random", "greedy"]), "gen:10x10");
        rows.push(at_once(effort, &folder, "grid-10x10", grid.matches(effort.choose(400, 10_000)))?);
        let processes = Cup::new("planet-wars", Players::Instant, "gen").limit(200);
        rows.push(at_once(effort, &folder, "planet-wars-processes", processes.matches(effort.choose(20, 400)))?);
    }
    Ok(rows)
}

/// Measures how much the resident memory grows between an early match and the end of a long tournament of short matches.
fn memory(effort: &Effort, folder: &Folder) -> Result<Row> {
    let (from, to) = effort.choose((500, 4_000), (1_000, 100_000));
    let cup = Cup::new("grid", Players::Builtin(["random", "greedy"]), "gen:10x10").limit(10).matches(to);
    let (mut over, mut before) = (0, 0.0);
    cup.play(effort, folder, cores().len().max(1), &mut |event| {
        if let TournamentEvent::Match { .. } = event {
            over += 1;
            if over == from {
                before = reset_peak();
            }
        }
    })?;
    let growth = (peak_memory() - before).max(0.0) / (1 << 20) as f64;
    let remark = format!("resident memory, from match {from} to {to}, all recorded");
    let row = Row::new("grid-memory-growth", growth, "MiB");
    Ok(Row { goal: Goal::Value(GROWTH), remark: Some(remark), ..row })
}

/// Measures whole tournaments of built-in bots of which all replays are kept, those with faults, or none.
fn recordings(effort: &Effort, folder: &Folder) -> Result<Vec<Row>> {
    let cup = Cup::new("planet-wars", Players::Builtin(["random", "rage"]), "gen").matches(effort.choose(300, 4_000));
    let kinds = ["none", "faults", "all"];
    let mut costs = kinds.map(|_| Rounds::default());
    let mut ratios = kinds.map(|_| Rounds::default());
    for _ in 0..effort.choose(3, 7) {
        let mut least = None;
        for ((replays, costs), ratios) in kinds.into_iter().zip(&mut costs).zip(&mut ratios) {
            let meter = Meter::start();
            cup.clone().replays(replays).play(effort, folder, 1, &mut |_| ())?;
            let cost = micros(meter.stop().cpu) / f64::from(cup.count());
            costs.add(cost);
            ratios.add(cost / *least.get_or_insert(cost));
        }
    }
    let none = costs[0].median();
    let goals = [Goal::None, Goal::Ratio(UNRECORDED), Goal::Ratio(RECORDED)];
    let row = |(((replays, costs), ratios), goal): (((&str, &Rounds), &Rounds), Goal)| {
        let recorded = replays != "none";
        Row {
            floor: recorded.then_some(none),
            ratio: recorded.then(|| ratios.median()),
            goal,
            scatter: costs.scatter(),
            remark: Some(if recorded { "floor: not recorded" } else { "not recorded; the store included" }.to_owned()),
            ..Row::new(format!("planet-wars-replays-{replays}"), costs.median(), "us of CPU per match")
        }
    };
    Ok(kinds.into_iter().zip(&costs).zip(&ratios).zip(goals).map(row).collect())
}

/// Measures the store alone, and then the status of the tournament in it.
fn store_and_status(effort: &Effort, folder: &Folder) -> Result<[Row; 2]> {
    let results = effort.choose(100_000, 1_000_000);
    let path = folder.store();
    let store = Sqlite::open(&path)?;
    let took = results_without_blobs(&store, results)?;
    let cup = Cup::new("grid", Players::Builtin(["random", "greedy"]), "gen:10x10").limit(10).matches(20);
    let standings = cup.standings(effort, folder)?;
    let file = FileVersion { text: cup.text(), agon: env!("CARGO_PKG_VERSION").to_owned(), at_ms: 0 };
    store.add_file(file).wait()?;
    store.keep("standings", Snapshot { after: results, text: standings }).wait()?;
    store.close()?;

    let mut looks = Rounds::default();
    for _ in 0..5 {
        let begin = Instant::now();
        let reader = SqliteReader::open(&path)?;
        let status = Status::read(&reader).map_err(super::cup::of_tournament)?;
        looks.add(millis(begin.elapsed()));
        let progress = reader.progress()?;
        debug_assert_eq!((progress.finished, status.table.is_some()), (results, true));
    }
    clear(&path);
    let each = micros(took) / results as f64;
    let rate = 1e6 / each.max(f64::MIN_POSITIVE);
    Ok([
        Row {
            goal: Goal::Value(RESULT),
            remark: Some(format!("{rate:.0} results per second, `synchronous=FULL`, no blobs")),
            ..Row::new("store-result", each, "us per result")
        },
        Row {
            goal: Goal::Value(STATUS),
            scatter: looks.scatter(),
            remark: Some(format!("{results} matches")),
            ..Row::new("store-status", looks.median(), "ms")
        },
    ])
}

/// Measures how much longer it takes to open a tournament with many results than one with few.
fn opening(effort: &Effort, folder: &Folder) -> Result<Row> {
    let counts = effort.choose([1_000, 12_000], [10_000, 1_000_000]);
    let cup = |count| Cup::new("grid", Players::Builtin(["random", "greedy"]), "gen:10x10").limit(1).matches(count);
    let stores = counts.map(|count| (cup(count).replays("none"), folder.store()));
    for (cup, path) in &stores {
        cup.play_in(effort, path, cores().len().max(1), &mut |_| ())?;
    }
    let (mut times, mut more) = ([Rounds::default(), Rounds::default()], Rounds::default());
    for _ in 0..effort.choose(3, 7) {
        let mut took = [0.0; 2];
        for ((cup, path), took) in stores.iter().zip(&mut took) {
            let (time, tournament) = cup.open(effort, path)?;
            *took = millis(time);
            tournament.into_store().close()?;
        }
        times.iter_mut().zip(took).for_each(|(times, took)| times.add(took));
        more.add((took[1] - took[0]).max(0.0));
    }
    stores.iter().for_each(|(_, path)| clear(path));
    let [short, long] = times.map(|times| times.median());
    let remark = format!("{long:.1} ms with {} results, {short:.1} ms with {}", counts[1], counts[0]);
    let row = Row::new("store-opening", more.median(), "ms more");
    Ok(Row { goal: Goal::Value(OPENING), scatter: more.scatter(), remark: Some(remark), ..row })
}

/// Measures the store alone in PostgreSQL, in turn with SQLite on the same disk.
fn on_a_server(effort: &Effort, folder: &Folder, server: &str) -> Result<Row> {
    let results = effort.choose(20_000, 100_000);
    let (mut file, mut far, mut ratios) = (Rounds::default(), Rounds::default(), Rounds::default());
    let start = if server.contains('?') { '&' } else { '?' };
    for round in 0..effort.choose(3, 7) {
        let path = folder.store();
        let store = Sqlite::open(&path)?;
        let near = micros(results_without_blobs(&store, results)?) / results as f64;
        store.close()?;
        clear(&path);
        let store = Postgres::open(&format!("{server}{start}schema=bench_{}_{round}", std::process::id()))?;
        let each = micros(results_without_blobs(&store, results)?) / results as f64;
        store.close()?;
        file.add(near);
        far.add(each);
        ratios.add(each / near);
    }
    let ratio = ratios.median();
    Ok(Row {
        floor: Some(file.median()),
        ratio: Some(ratio),
        goal: Goal::Ratio(ON_A_SERVER),
        scatter: far.scatter(),
        remark: Some(format!("{:.2} of the rate of SQLite, the floor, over a socket, no blobs", 1.0 / ratio)),
        ..Row::new("store-result-postgres", far.median(), "us per result")
    })
}

/// Measures a whole tournament with one match at once, and with as many as there are cores.
fn at_once(effort: &Effort, folder: &Folder, name: &str, cup: Cup) -> Result<Row> {
    let many = cores().len();
    let (mut one_each, mut many_each, mut ratios) = (Rounds::default(), Rounds::default(), Rounds::default());
    let mut cpu = Rounds::default();
    for round in 0..effort.choose(2, 7) {
        let time = |at_once: usize| -> Result<[f64; 2]> {
            let meter = Meter::start();
            let took = cup.clone().replays("none").play(effort, folder, at_once, &mut |_| ())?;
            Ok([took, meter.stop().cpu].map(|time| micros(time) / f64::from(cup.count())))
        };
        let (one, all) = if round % 2 == 0 {
            let one = time(1)?;
            (one, time(many)?)
        } else {
            let all = time(many)?;
            (time(1)?, all)
        };
        one_each.add(one[0]);
        many_each.add(all[0]);
        ratios.add(all[0] / one[0]);
        cpu.add(all[1] / one[1]);
    }
    let ratio = ratios.median();
    Ok(Row {
        floor: Some(one_each.median()),
        ratio: Some(ratio),
        goal: Goal::Ratio(SCALING / many as f64),
        scatter: many_each.scatter(),
        remark: Some(format!(
            "{:.2} times the rate of `--at-once 1`, the floor, at {:.2} times the CPU time",
            1.0 / ratio,
            cpu.median()
        )),
        ..Row::new(format!("{name}-{many}-at-once"), many_each.median(), "us per match")
    })
}
