//! Champions in Python.

use super::place::{LONG, Place, fault, fixture, have, kit, played};
use serde_json::Value;
use std::{
    fs,
    process::{Command, Stdio},
};

/// A main file may be longer than any other text that Agon looks at before it plays.
#[test]
fn a_long_champion_needs_no_prefix() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    let text = fs::read_to_string(kit("python").join("prologin.py")).expect("the kit is there");
    place.write("long", &[("prologin.py", &format!("{}{text}", "# long\n".repeat(12_000)))]);
    let played = place.play("2", ["long", "@random"]);
    assert!(played["seats"][0]["fault"].is_null() && played["seats"][0]["kind"] == "champion", "{played:#}");
}

#[test]
fn an_exception_of_python_ends_the_turn_and_its_actions_count() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("raise"), "@random"]);
    let log = place.said(1, "err");
    assert_eq!(fault(&result).0, "none", "{log}");
    assert_eq!(result["seats"][0]["score"], 30 + 4 * 4, "{log}");
    for text in
        ["raised in partie_init", "raised in jouer_tour", "LIEN_CHAMP\n", "{ som1={ x=0, y=0 }, som2={ x=0, y=2 }"]
    {
        assert!(log.contains(text), "`{text}` is not in {log}");
    }
    assert!(place.said(1, "out").lines().all(|line| !line.contains("raised")));
}

/// `cargo install` installs programs alone, and the sources may be gone.
#[test]
fn a_program_that_is_alone_plays_python() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    let alone = place.0.join("agon");
    fs::copy(env!("CARGO_BIN_EXE_agon"), &alone).expect("the program can be copied");
    let play = || {
        let mut command = Command::new(&alone);
        let champion = format!("champion:{}", kit("python").display());
        command.args(["match", "portals", &champion, "@random", "--rounds", "3", "--format", "json"]);
        command.args(["--time", LONG]).current_dir(&place.0).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", place.0.join("cache")).env_remove("PYTHON").env_remove("AGON_CHAMPION_LIBRARY");
        let (result, said) = played(&mut command);
        assert_eq!(fault(&result).0, "none", "{result}");
        said
    };
    play();
    let champions = place.0.join("cache/agon/champions");
    let entries = fs::read_dir(&champions).expect("the cache is there").flatten();
    let mut libraries = entries.map(|entry| entry.path().join("bot/libagon_champion.so"));
    let library = libraries.find(|path| path.is_file()).expect("the library is kept");
    // Who can write to the cache can change what is kept there; it is not used.
    fs::write(&library, "changed").expect("the file is ours");
    assert!(play().contains("a bot in the cache is not used"));
}

#[test]
fn a_library_of_another_version_is_refused() {
    if !have(&["gcc", "python3"]) {
        return;
    }
    let place = Place::new();
    place.write("", &[("other.c", "const char *agon_champion_version(void) { return \"9.9\"; }\n")]);
    let library = place.0.join("other.so");
    let made = Command::new("gcc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(place.0.join("other.c")).status();
    assert!(made.is_ok_and(|status| status.success()), "gcc makes a library");
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.args(["champion", "build"]).arg(kit("python")).env("XDG_CACHE_HOME", place.0.join("cache"));
    let output = command.env("AGON_CHAMPION_LIBRARY", &library).env_remove("PYTHON").output().expect("agon starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("is of Agon 9.9, and this is Agon"), "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn python_is_not_read_outside() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    place.write("", &[("secret.txt", "the marker of a secret\n")]);
    place.write("nosy", &[]);
    std::os::unix::fs::symlink("../secret.txt", place.0.join("nosy/prologin.py")).expect("a link");
    // Parsing this file takes about 4 GiB of memory.
    place.write("large", &[("prologin.py", &"a=b\n".repeat(8 << 20))]);
    for folder in ["nosy", "large"] {
        let output = place.run(&["champion", "build", folder]);
        let said = String::from_utf8_lossy(&output.stderr);
        let why = if folder == "nosy" { "leads out of the folder" } else { "cannot be played" };
        assert!(output.status.code() == Some(1) && said.contains(why), "{folder}: {said}");
        assert!(!said.contains("the marker of"), "{said}");
    }
}

#[test]
fn champions_are_the_rungs_of_a_climb() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    let main = fs::read_to_string(kit("python").join("prologin.py")).expect("the kit is there");
    for folder in ["old/v10", "old/v9"] {
        place.write(folder, &[("prologin.py", &main)]);
    }
    let mut climb = vec!["climb", "portals", "@random", "--rungs", "old", "--all", "--max-matches", "2", "--seed", "7"];
    climb.extend(["--rounds", "2", "--time", "greeting=60s,move=20s", "--format", "json"]);
    let output = place.run(&climb);
    assert!(output.status.success(), "{output:?}");
    let climbed: Value = serde_json::from_slice(&output.stdout).expect("it is one document");
    let rungs = climbed["rungs"].as_array().expect("rungs").iter();
    let rungs: Vec<_> = rungs.map(|rung| (&rung["name"], &rung["matches"], &rung["faults"])).collect();
    assert_eq!(rungs, [(&"v9".into(), &2.into(), &0.into()), (&"v10".into(), &2.into(), &0.into())]);
}
