//! Every official map of the contest can be read, is printed back byte for byte, and can be played by every rule set. So can
//! generated maps. The official maps are not part of this project: where they are not beside the checkout, the test says that
//! it has left them out.

use agon_core::{Contest, Seed, Setup, Terms};
use agon_planet_wars::{Position, Rules, map};
use std::{
    fs,
    io::{Write, stderr},
    path::Path,
};

/// The longest trip on an official map takes this many turns: its distance is 33.3.
const LONGEST_TRIP: i32 = 34;

/// Reads a map, prints it back and sets it up with every rule set. Returns the longest trip on it.
fn check(name: &str, text: &str) -> i32 {
    let map = map::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(map::print(&map), text, "{name}");
    let longest = [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME].map(|rules| {
        let terms = Terms { rules, seats: 2, limit: None };
        let game = Position::from_map(map.clone(), &terms).unwrap_or_else(|f| panic!("{name}: {}", f.flaw));
        game.chart().longest_trip()
    });
    assert!(longest.iter().all(|trip| *trip == longest[0]), "{name}: {longest:?}");
    longest[0]
}

#[test]
fn generated_maps_are_read_printed_and_played() {
    for kind in Position::INFO.map_kinds {
        for seed in 0..20 {
            let map = Position::generate(kind.name, Seed(seed), 2).unwrap();
            assert!(check(&format!("{} {seed}", kind.name), &map::print(&map)) > 0);
        }
    }
}

#[test]
fn official_maps_are_read_printed_and_played() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/maps/planet-wars");
    if !root.is_dir() {
        // The harness shows what a passed test writes only if the test does not use its macros.
        let _ = writeln!(stderr(), "SKIPPED: there are no official maps at {}", root.display());
        return;
    }
    let mut folders = vec![root];
    let mut maps = 0;
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "txt") {
                maps += 1;
                let longest = check(&path.display().to_string(), &fs::read_to_string(&path).unwrap());
                assert!(longest <= LONGEST_TRIP, "{}: {longest}", path.display());
            }
        }
    }
    assert!(maps > 0, "the folder of maps holds maps");
}
