//! Writes replays of random lawful matches of every game into a folder, one file a game, with at least so many turns in all.
//! A test compares their fingerprints, which were computed here, with those of the module.
//!
//! A file holds many matches: each begins with its header, and the line feed before a header ends the match before.

use agon_core::{Contest, Joint, Rng, Seed, judge};
use agon_referee::{EntryRecord, Mark, PlyRecord, starting_position};
use agon_replay::{FORMAT_VERSION, Header, Line, Replay, write_replay};
use agon_spec::{Limits, MatchSpec, SeatSpec};
use std::{fs, io::Write, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, turns] = arguments.as_slice() else {
        eprintln!("usage: random_replays FOLDER TURNS");
        return ExitCode::from(2);
    };
    let Some(turns) = turns.parse().ok().filter(|turns| *turns > 0) else {
        eprintln!("error: `{turns}` is no number of turns");
        return ExitCode::from(2);
    };
    match write_all(&PathBuf::from(folder), turns) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

macro_rules! write_games {
    ($($name:ident: $game:ident),* $(,)?) => {
        fn write_all(folder: &PathBuf, turns: u32) -> Result<(), String> {
            fs::create_dir_all(folder).map_err(|why| why.to_string())?;
            let share = turns.div_ceil([$(stringify!($name)),*].len() as u32);
            $(write_game::<$game::Position>(&folder.join(concat!(stringify!($name), ".jsonl")), share)?;)*
            Ok(())
        }
    };
}

agon_games::for_each_game!(write_games);

fn write_game<C: Contest>(file: &PathBuf, turns: u32) -> Result<(), String> {
    let mut file = std::io::BufWriter::new(fs::File::create(file).map_err(|why| why.to_string())?);
    let (mut written, mut seed) = (0, 1);
    while written < turns {
        let replay = play::<C>(seed, turns - written)?;
        written += replay.lines.len() as u32;
        write_replay(&replay, &mut file).and_then(|()| file.write_all(b"\n")).map_err(|why| why.to_string())?;
        seed += 1;
    }
    file.flush().map_err(|why| why.to_string())
}

/// Plays a random match of at most so many turns.
fn play<C: Contest>(seed: u64, most: u32) -> Result<Replay, String> {
    let seats = C::INFO.default_seats;
    let kind = C::INFO.map_kinds[seed as usize % C::INFO.map_kinds.len()].name;
    let (kind, map) = match C::generate(kind, Seed(seed), seats) {
        Ok(map) => (kind, map),
        Err(_) => {
            let usual = C::INFO.map_kinds[0].name;
            (usual, C::generate(usual, Seed(seed), seats).map_err(|flaw| flaw.to_string())?)
        }
    };
    let spec = MatchSpec {
        game: C::NAME.into(),
        rules: "spec".into(),
        map_name: format!("gen:{kind}:{seed}"),
        map: C::print_map(&map),
        state: agon_core::State::default(),
        seed: Seed(seed),
        seeds: agon_core::Derivation::Keyed,
        limit: None,
        seats: (1..=seats).map(|n| SeatSpec { name: format!("random {n}"), ..SeatSpec::default() }).collect(),
        clock: agon_core::ClockPolicy::OFF,
        limits: Limits::default(),
    };
    let mut position: C = starting_position(&spec).map_err(|flaw| flaw.to_string())?;
    let header =
        Header { agon: FORMAT_VERSION, engine: String::new(), fingerprint: Mark(position.fingerprint()), spec };
    let (mut tmp, mut rng) = (C::Scratch::default(), Rng::new(Seed(seed).derive("random-replays", 0)));
    let mut lines = Vec::new();
    while !position.over() && (lines.len() as u32) < most {
        let mut decisions = Vec::new();
        for seat in position.awaiting().iter() {
            let mut orders = Vec::new();
            position.sample(seat, &mut rng, &mut tmp, &mut orders);
            decisions.push((seat, orders));
        }
        let records = decisions
            .iter()
            .map(|(seat, orders)| EntryRecord { orders: orders.iter().collect(), ..EntryRecord::new(*seat) });
        let records = records.collect();
        let entries: Vec<_> =
            decisions.iter().map(|(seat, orders)| judge(&position, *seat, orders, None, &mut tmp).0).collect();
        position.resolve(Joint::new(&entries), &mut tmp, &mut ());
        let (ply, fingerprint) = (lines.len() as u32 + 1, Mark(position.fingerprint()));
        lines.push(Line::Ply(PlyRecord { ply, entries: records, fingerprint, ..PlyRecord::default() }));
    }
    Ok(Replay { header, lines, footer: None })
}
