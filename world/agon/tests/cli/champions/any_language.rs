//! What holds for champions in every language.

use super::place::{Place, against_random, fault, fixture, have, kit};
use std::{fs, process::Command};

#[test]
fn the_kits_play_alike_in_all_three_languages() {
    if !have(&["gcc", "g++", "python3"]) {
        return;
    }
    let (mut played, mut hashes) = (Vec::new(), std::collections::BTreeSet::new());
    for language in ["c", "cpp", "python"] {
        let champion = format!("champion:{}", kit(language).display());
        let (result, orders) = against_random(&champion);
        assert_eq!(result["seats"][0]["name"], format!("champion-{language}"));
        assert_eq!(result["seats"][0]["kind"], "champion");
        hashes.insert(result["seats"][0]["hash"].as_str().expect("a hash").to_owned());
        assert_eq!(result["seats"][0]["place"], 1);
        played.push((result["seats"][0]["score"].clone(), orders));
    }
    assert_eq!(hashes.len(), 3, "other sources are another bot: {hashes:?}");
    assert!(played[0].1.iter().flatten().count() > 500);
    assert!(played.windows(2).all(|pair| pair[0] == pair[1]));
}

/// The contest took archives, and nobody writes a prefix for what can be nothing else.
#[test]
fn an_archive_of_the_contest_and_a_folder_without_a_prefix_play() {
    let programs = ["cc", "tar", "gzip"];
    if let Some(missing) = programs.iter().find(|program| Command::new(program).arg("--version").output().is_err()) {
        assert!(std::env::var_os("CI").is_none(), "there is no `{missing}`, which this test needs");
        return eprintln!("SKIPPED: there is no `{missing}`, which this test needs");
    }
    let place = Place::new();
    let folder = kit("c");
    let pack = format!("cp -r {} mine && tar -czf flat.tgz -C mine . && tar -czf deep.tar.gz mine", folder.display());
    let packed = Command::new("sh").args(["-c", &pack]).current_dir(&place.0).status();
    assert!(packed.is_ok_and(|status| status.success()));
    let expected = place.play("6", ["champion:mine", "@random"]);
    for bot in ["champion:flat.tgz", "champion:deep.tar.gz", "mine", "mine/"] {
        let played = place.play("6", [bot, "@random"]);
        assert!(played["seats"][0]["fault"].is_null(), "{bot}: {played:#}");
        assert_eq!(played["seats"][0]["score"], expected["seats"][0]["score"], "{bot}");
        assert_eq!(played["seats"][0]["kind"], "champion", "{bot}");
    }
    // Without the prefix these would be programs that end at once.
    let python = fs::read_to_string(kit("python").join("prologin.py")).expect("the kit is there");
    place.write("", &[("prologin.py", &python)]);
    for (bot, way_out) in [
        ("flat.tgz", "`champion:flat.tgz`"),
        ("deep.tar.gz", "`champion:deep.tar.gz`"),
        ("python3 prologin.py", "`champion:.`"),
    ] {
        let output = place.run(&["match", "portals", bot, "@random"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(20), "{bot}: {said}");
        assert!(said.contains("is a champion") && said.contains(way_out) && output.stdout.is_empty(), "{bot}: {said}");
    }
}

#[test]
fn a_turn_has_room_for_150_000_reads() {
    for (name, tool) in [("many-reads", "g++"), ("many-reads-python", "python3")] {
        if !have(&[tool]) {
            continue;
        }
        let place = Place::new();
        let result = place.play("2", [&fixture(name), "@random"]);
        assert_eq!((fault(&result).0, &result["seats"][0]["score"]), ("none", &10.into()));
        let log = place.said(1, "err");
        assert_eq!(log.matches("150000 reads in ").count(), 2, "{log}");
        eprint!("{name}: {log}");
        assert_eq!(place.said(1, "out"), "ready\ncapture\nend\nend\n");
    }
}

#[test]
fn no_help_mentions_the_host() {
    let place = Place::new();
    for args in [&["--help"][..], &["completions", "bash"], &["man"]] {
        let output = place.run(args);
        assert!(output.status.success() && !output.stdout.is_empty());
        assert!(!String::from_utf8_lossy(&output.stdout).contains("champion-host"), "{args:?}");
    }
}

#[test]
fn impossible_matches_are_refused_before_they_begin() {
    let place = Place::new();
    place.write("empty", &[]);
    place.write("", &[("notes.so", "not a library")]);
    for (args, said) in [
        (&["match", "grid", "champion:empty", "@random"][..], "has no champions"),
        (&["match", "portals", "champion:empty", "@random"], "there is no champion in `empty`"),
        (&["match", "portals", "champion:nowhere", "@random"], "there is no champion `nowhere`"),
        (&["match", "portals", "champion:", "@random"], "names no champion"),
        (&["champion", "build", "nowhere"], "there is no folder `nowhere`"),
    ] {
        let output = place.run(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && error.contains(said) && error.contains("hint"), "{error}");
    }
    if have(&["python3"]) {
        place.write("typo", &[("prologin.py", "def jouer_tour(:\n")]);
        for (code, args) in
            [(20, &["match", "portals", "champion:typo", "@random"][..]), (1, &["champion", "build", "typo"])]
        {
            let output = place.run(args);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(code) && error.contains("SyntaxError"), "{error}");
        }
    }
    for level in ["auto", "none"] {
        let output = place.run(&["match", "portals", "champion:notes.so", "@random", "--sandbox", level]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(20) && output.stdout.is_empty(), "{output:?}");
        let said = ["the champion cannot be loaded: `notes.so`", "file too short", "hint: make it anew"];
        assert!(said.iter().all(|said| error.contains(said)), "{error}");
    }
}
