//! Every official map of the contest can be read, is printed back byte for byte, and can be played by every rule set.
//! The maps are not part of this project: if they are not beside the checkout, the test checks nothing.

use agon_core::{Setup, Terms};
use agon_planet_wars::{Position, Rules, map};
use std::{fs, path::Path};

#[test]
fn official_maps_are_read_printed_and_played() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/maps/planet-wars");
    if !root.is_dir() {
        eprintln!("SKIPPED: there are no official maps at {}", root.display());
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
                let text = fs::read_to_string(&path).unwrap();
                let map = map::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                assert_eq!(map::print(&map), text, "{}", path.display());
                for rules in [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME] {
                    let terms = Terms { rules, seats: 2, limit: None };
                    let game = Position::from_map(map.clone(), &terms)
                        .unwrap_or_else(|f| panic!("{}: {}", path.display(), f.flaw));
                    // The longest distance on an official map is 33.3.
                    assert!(game.chart().longest_trip() <= 34);
                }
            }
        }
    }
    assert!(maps > 0, "the folder of maps holds maps");
}
