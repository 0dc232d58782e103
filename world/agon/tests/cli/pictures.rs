//! `agon replay svg|png|gif`.

use crate::{agon::Place, recorded_replays};
use std::fs;

fn replay_of_planet_wars(place: &Place) {
    let bots = ["Ana=@prospector", "Équipe 2=@rage"];
    let args =
        [&["match", "planet-wars"], &bots[..], &["--rounds", "12", "--seed", "3", "--replay", "r.jsonl"]].concat();
    assert_eq!(place.run(&args).code, 0);
}

/// Returns the width and the height of a PNG picture.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
fn a_picture_has_the_same_bytes_on_every_run() {
    let place = Place::new();
    replay_of_planet_wars(&place);
    for args in [
        &["svg", "r.jsonl", "--ply", "5"][..],
        &["png", "r.jsonl", "--ply", "5", "--width", "300"],
        &["gif", "r.jsonl", "--ply", "3..9", "--width", "120", "--fps", "4"],
    ] {
        for file in ["a", "b"] {
            let done = place.run(&[&["replay"], args, &["-o", file]].concat());
            assert!(done.code == 0 && done.err.contains("the picture is in"), "{args:?}: {done:?}");
        }
        let (a, b) = (fs::read(place.path("a")), fs::read(place.path("b")));
        let (a, b) = (a.expect("it was written"), b.expect("it was written"));
        assert_eq!(a, b, "{args:?}");
        match args[0] {
            "svg" => {
                let text = String::from_utf8(a).expect("it is text");
                assert!(text.contains(">1 Ana: ") && text.contains(">2 Équipe 2: "), "{text}");
            }
            "png" => assert_eq!(png_size(&a).0, 300),
            _ => assert!(a.starts_with(b"GIF89a\x78\0"), "it is 120 pixels wide"),
        }
    }
}

#[test]
fn every_recorded_replay_has_pictures_of_its_end() {
    let place = Place::new();
    let list = fs::read_to_string(recorded_replays::folder().join("fingerprints.txt")).expect("the list is there");
    // The orders of this one take more memory than a reader of a whole replay may use; `verify` reads it line by line.
    let too_large = |name: &&str| *name != "cut.jsonl.zst";
    for name in list.lines().filter_map(|line| line.split(' ').next()).filter(too_large) {
        let file = recorded_replays::folder().join(name).display().to_string();
        let done = place.run(&["replay", "png", &file, "--width", "200", "-o", "end.png"]);
        assert_eq!(done.code, 0, "{name}: {done:?}");
        assert_eq!(png_size(&fs::read(place.path("end.png")).expect("it was written")).0, 200, "{name}");
    }
}

#[test]
fn a_picture_of_what_is_not_there_is_refused_with_what_is() {
    let place = Place::new();
    replay_of_planet_wars(&place);
    for (args, code, said) in [
        (&["png", "r.jsonl", "--ply", "99", "-o", "p"][..], 1, "there is no turn 99: the replay has 12"),
        (&["png", "r.jsonl", "--seat", "3", "-o", "p"], 1, "it has the seats 1 to 2"),
        (&["gif", "r.jsonl", "--ply", "13..", "-o", "p"], 1, "turn 13 comes after the last turn of the match, 12"),
        (&["gif", "r.jsonl", "--ply", "0..4294967295", "-o", "p"], 1, "turn 4294967295 comes after the last turn"),
        (&["gif", "r.jsonl", "--ply", "-1..4", "-o", "p"], 2, "`-1` is no number of a turn"),
        (&["png", "r.jsonl", "--ply", "-1", "-o", "p"], 2, "-1 is not in 0..=4294967295"),
        (&["svg", "r.jsonl", "--turn", "-1", "-o", "p"], 2, "-1 is not in 0..=4294967295"),
        (&["png", "r.jsonl", "--seat", "0", "-o", "p"], 2, "0 is not in 1..=32"),
        (&["gif", "r.jsonl", "--ply", "7", "-o", "p"], 2, "for example 30..60"),
        (&["gif", "r.jsonl", "--ply", "9..3", "-o", "p"], 2, "turn 9 comes after turn 3"),
        (&["svg", "r.jsonl", "-o", "r.jsonl"], 1, "would overwrite the replay"),
        (&["png", "none.jsonl", "-o", "p"], 1, "none.jsonl"),
        (&["png", "r.jsonl", "-o", "p.jpg"], 1, "name the file `….png`; Agon draws svg, png and gif"),
        (&["gif", "r.jsonl", "-o", "p.PNG"], 1, "name the file `….gif`, or use `agon replay png`"),
        (&["svg", "r.jsonl", "-o", "p.html"], 1, "name the file `….svg`, or use `agon replay html`"),
    ] {
        let done = place.run(&[&["replay"], args].concat());
        assert!(done.code == code && done.err.contains(said), "{args:?}: {done:?}");
    }
    assert!(!place.path("p").exists(), "nothing is written");
}
