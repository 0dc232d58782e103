//! Every reader notices a recording that says what the engine does not do.

use flate2::read::GzDecoder;
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A recording, what it says somewhere, and a lie in its place.
const LIES: &[(&str, &str, &str)] = &[
    ("lighthouses/unit_cross.jsonl.gz", r#""crosses":true"#, r#""crosses":false"#),
    ("lighthouses/own_tiny_12x9.jsonl.gz", r#""scores":[2874,2544]"#, r#""scores":[2875,2544]"#),
    ("planet-wars/micro.jsonl.gz", r#""ships": [52, 52]"#, r#""ships": [53, 52]"#),
    ("triangles/games.jsonl.gz", r#""hull_boundary":1"#, r#""hull_boundary":2"#),
    ("grid/invalid.jsonl.gz", r#""winners":[1]"#, r#""winners":[2]"#),
    ("portals/rules_synth_corners.jsonl.gz", r#""score":[45091,7175]"#, r#""score":[45091,7176]"#),
];

#[test]
fn a_lie_is_a_mismatch() {
    for (name, said, lie) in LIES {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace(['/', '.'], "-"));
        let copy = folder.join(name).with_extension("");
        fs::create_dir_all(copy.parent().expect("the name has a folder")).expect("a folder can be made");
        let mut text = String::new();
        let packed = fs::File::open(fixtures().join(name)).expect("the recording is there");
        GzDecoder::new(packed).read_to_string(&mut text).expect("it can be unpacked");
        assert!(text.contains(said), "{name} does not say {said}");
        for (text, is_true) in [(text.clone(), true), (text.replacen(said, lie, 1), false)] {
            fs::write(&copy, text).expect("it can be written");
            let ran = golden(&[&folder]);
            assert_eq!(ran.status.success(), is_true, "{name}: {}", said_by(&ran));
            assert_eq!(said_by(&ran).contains(", 0 mismatches"), is_true, "{name}: {}", said_by(&ran));
        }
    }
}

#[test]
fn an_unreadable_recording_is_an_error() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unreadable");
    fs::create_dir_all(folder.join("grid")).expect("a folder can be made");
    fs::write(folder.join("grid/cut.jsonl"), "{\"id\":").expect("it can be written");
    let cut = golden(&[&folder]);
    assert!(!cut.status.success() && said_by(&cut).contains("grid/cut.jsonl: "), "{}", said_by(&cut));
    let none = golden(&[&folder.join("grid")]);
    assert!(!none.status.success() && said_by(&none).contains("0 recordings"), "{}", said_by(&none));
    assert_eq!(golden(&[&folder, &folder]).status.code(), Some(2));
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/golden")
}

fn golden(folders: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agon-golden")).args(folders).output().expect("it starts")
}

fn said_by(ran: &Output) -> String {
    String::from_utf8_lossy(&[&ran.stdout[..], &ran.stderr].concat()).into_owned()
}
