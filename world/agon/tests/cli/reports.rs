//! Tests `agon tournament report`.

use crate::agon::{Done, Place};
use std::{
    fs::{self, Permissions},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Plays a short tournament in which a bot fails.
fn played(place: &Place, more: &[&str]) {
    std::fs::create_dir(place.path("bad")).expect("a folder");
    place.write("bad/bot.sh", "read -r line; echo '<b>|\u{202e}nonsense'\n");
    let bots = "@random,@greedy,bad=sh bad/bot.sh";
    let args = ["tournament", "new", "--game", "grid", "--bots", bots, "--seed", "11", "-o", "cup.toml"];
    assert_eq!(place.run(&[&args[..], more].concat()).code, 0);
    let done = place.run(&["tournament", "run", "cup.toml", "-q"]);
    assert_eq!(done.code, 0, "{done:?}");
}

#[test]
fn a_report_in_every_form() {
    let place = Place::new();
    played(&place, &["--rounds", "2"]);
    let void = ["tournament", "void", "cup.toml", "2", "--why", "the wrong map"];
    assert_eq!(place.run(&void).code, 0);
    let document = place.json(&["tournament", "report", "cup.toml", "--format", "json"]);
    crate::schemas::assert_valid(&place, "tournament-report", &document);
    let exported = place.json(&["tournament", "export", "cup.toml"]);
    let of = |document: &serde_json::Value| -> Vec<(String, i64, u64)> {
        let rows = document["standings"].as_array().expect("a table").iter();
        let row = |row: &serde_json::Value| {
            let number = |key: &str| row[key].as_u64().expect("a number");
            (row["bot"].as_str().expect("a name").to_owned(), row["points"].as_i64().expect("points"), number("played"))
        };
        rows.map(row).collect()
    };
    assert_eq!(of(&document), of(&exported), "one table");
    assert_eq!(document["matches"]["void"], 1);
    for (format, words) in [
        ("text", &["Standings", "Cross table", "the wrong map", "\\u{202e}"][..]),
        ("markdown", &["## Standings", "| bad |", "the wrong map", "\\<b\\>\\|"]),
        ("csv", &["place,bot,points", "1,greedy,"]),
    ] {
        let done = place.run(&["tournament", "report", "cup.toml", "--format", format]);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{done:?}");
        for word in words {
            assert!(done.out.contains(word), "{format} has no {word}: {}", done.out);
        }
        assert!(!done.out.contains('\u{202e}'), "{format}");
    }
}

#[test]
fn a_report_of_a_store_that_cannot_be_written() {
    let place = Place::new();
    played(&place, &[]);
    let files = |folder: &Path| ["cup.agon", "cup.toml"].map(|name| fs::read(folder.join(name)).expect("a file"));
    let before = files(&place.path("."));
    let report = ["tournament", "report", "cup.toml"];
    let text = place.run(&report).out;
    assert!(files(&place.path(".")) == before, "a report changes neither");

    let locked = Locked::new(&place);
    let void = locked.run(&["tournament", "void", "cup.toml", "1", "--why", "a try"]);
    assert!(void.code == 1 && void.out.is_empty(), "nobody here can write: {void:?}");
    let done = locked.run(&report);
    assert_eq!((done.code, done.out), (0, text));
    assert!(files(&locked.0) == before);
}

#[test]
fn words_of_a_bot_to_its_author_are_not_for_others() {
    let place = Place::new();
    let secret = "KeyError: 'hunter2'";
    std::fs::create_dir(place.path("bad")).expect("a folder");
    place.write("bad/bot.sh", format!("read -r line; echo \"{secret}\" >&2; exit 3\n"));
    let bots = "@random,bad=sh bad/bot.sh";
    let new = ["tournament", "new", "--game", "grid", "--bots", bots, "-o", "cup.toml"];
    assert_eq!(place.run(&new).code, 0);
    assert_eq!(place.run(&["tournament", "run", "cup.toml", "-q"]).code, 0);
    let report = ["tournament", "report", "cup.toml"];
    let archive = |dir: &str, more: &[&str]| {
        let done = place.run(&[&report[..], &["--dir", dir, "--pages", "all"], more].concat());
        assert_eq!(done.code, 0, "{done:?}");
        let replay = format!("{dir}/replays/1.jsonl");
        assert_eq!(place.run(&["replay", "verify", &replay]).code, 0, "it is the same match");
        place.read(&replay)
    };
    let has = |text: &str| text.contains("hunter2");
    let (public, own) = (archive("public", &[]), archive("own", &["--with-stderr"]));
    assert!(!has(&public) && has(&own), "{public}{own}");
    assert!(public.contains("\"crashed\"") && public.contains("\"stderr\":\"\""), "{public}");
    for name in ["index.html", "export.json", "export.csv", "report.json", "report.csv"] {
        assert!(!has(&place.read(&format!("public/{name}"))), "{name}");
    }
    for format in ["text", "markdown", "csv", "json"] {
        assert!(!has(&place.run(&[&report[..], &["--format", format]].concat()).out), "{format}");
    }
    // A page packs its replay, so its length tells.
    let page = |dir: &str| fs::metadata(place.path(&format!("{dir}/watch/1.html"))).expect("a page").len();
    assert!(page("public") < page("own"));
    let html = |more: &[&str]| place.run(&[&["replay", "html", "own/replays/1.jsonl"], more].concat()).out;
    assert!(html(&[]).len() < html(&["--with-stderr"]).len());
    assert_eq!(html(&[]), {
        let text = place.read("public/replays/1.jsonl");
        std::fs::create_dir(place.path("same")).expect("a folder");
        place.write("same/1.jsonl", text);
        place.run(&["replay", "html", "same/1.jsonl"]).out
    });
    place.fails(2, &[&report[..], &["--with-stderr"]].concat(), &["--dir"]);
}

/// A copy of a tournament that can be read and not be written. Root can write everything, so it reads as another user, who
/// may not reach the usual folder of the tests and gets a copy of the program.
struct Locked(PathBuf);

/// The number of a user that exists on no machine.
const NOBODY: u32 = 54_321;

impl Locked {
    fn new(place: &Place) -> Self {
        let folder = std::env::temp_dir().join(format!("agon-locked-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for name in ["cup.agon", "cup.toml"] {
            fs::copy(place.path(name), folder.join(name)).expect("a copy");
            fs::set_permissions(folder.join(name), Permissions::from_mode(0o444)).expect("it is ours");
        }
        fs::copy(env!("CARGO_BIN_EXE_agon"), folder.join("agon")).expect("a copy");
        for name in ["agon", "."] {
            fs::set_permissions(folder.join(name), Permissions::from_mode(0o555)).expect("it is ours");
        }
        Self(folder)
    }

    fn run(&self, args: &[&str]) -> Done {
        let mut command = Command::new(self.0.join("agon"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null());
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        Done::from(command.output().expect("agon can be started"))
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = fs::set_permissions(&self.0, Permissions::from_mode(0o755));
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_report_needs_a_tournament() {
    let place = Place::new();
    place.fails(1, &["tournament", "report", "none.toml"], &["there is no file `none.toml`"]);
}

#[test]
fn a_page_stands_alone() {
    let place = Place::new();
    played(&place, &[]);
    let done = place.run(&["tournament", "report", "cup.toml", "--html", "cup.html"]);
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", "wrote cup.html\n"));
    let page = place.read("cup.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Content-Security-Policy"), "{page}");
    assert!(!page.contains("<b>|") && !page.contains('\u{202e}'), "what the bot wrote is only text");
    let both = place.run(&["tournament", "report", "cup.toml", "--html", "cup.html", "--format", "csv", "-q"]);
    assert!(both.out.starts_with("place,bot,") && both.err.is_empty(), "{both:?}");
    for own in ["cup.toml", "cup.agon"] {
        let before = std::fs::read(place.path(own)).expect("a file");
        place.fails(1, &["tournament", "report", "cup.toml", "--html", own], &["would overwrite", own]);
        assert_eq!(std::fs::read(place.path(own)).expect("a file"), before);
    }
    for own in ["cup.agon-wal", "cup.agon-shm", "cup.agon-journal", "cup.agon.lock"] {
        // They matter also where they are not there yet.
        place.fails(1, &["tournament", "report", "cup.toml", "--html", own], &["would overwrite its store", own]);
    }
    place.fails(1, &["tournament", "report", "cup.toml", "--html", "none/cup.html"], &["cannot write the page"]);
}

#[test]
fn a_page_harms_no_store_behind_a_link() {
    let place = Place::new();
    played(&place, &[]);
    std::fs::create_dir(place.path("disk")).expect("a folder");
    std::fs::rename(place.path("cup.agon"), place.path("disk/real.agon")).expect("it is ours");
    std::os::unix::fs::symlink("disk/real.agon", place.path("cup.agon")).expect("a link");
    for own in ["disk/real.agon", "disk/real.agon-wal", "cup.agon-wal"] {
        place.fails(1, &["tournament", "report", "cup.toml", "--html", own], &["would overwrite its store", own]);
    }
    // A second name of a file stays what it was.
    place.write("kept", "whole");
    std::fs::hard_link(place.path("kept"), place.path("cup.html")).expect("a second name");
    assert_eq!(place.run(&["tournament", "report", "cup.toml", "--html", "cup.html", "-q"]).code, 0);
    assert_eq!(place.read("kept"), "whole");
    assert!(place.read("cup.html").starts_with("<!DOCTYPE html>"));
}

#[test]
fn an_archive_can_be_verified_again() {
    let place = Place::new();
    played(&place, &[]);
    let report = |more: &[&str]| place.run(&[&["tournament", "report", "cup.toml", "--dir", "out"][..], more].concat());
    let done = report(&["--pages", "none"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{done:?}");
    assert!(done.err.contains("out/index.html and 6 replays") && done.err.contains("before you publish"), "{done:?}");
    for id in 1..=6 {
        let name = format!("out/replays/{id}.jsonl");
        assert_eq!(place.run(&["replay", "verify", &name]).code, 0, "{name}");
        assert!(place.read("out/index.html").contains(&format!("href=\"replays/{id}.jsonl\"")));
    }
    let sums = place.read("out/SHA256SUMS");
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").expect("a hash and a name");
        let bytes = std::fs::read(place.path("out").join(name)).expect("the file is there");
        assert_eq!(agon_play::ContentHash::of(&bytes).to_string(), format!("sha256:{sum}"), "{name}");
    }
    assert_eq!(sums.lines().count(), 6 + 6, "replays, exports, reports, the file and the page: {sums}");
    assert_eq!(place.read("out/tournament.toml"), place.read("cup.toml"));
    assert_eq!(place.read("out/export.json"), place.run(&["tournament", "export", "cup.toml"]).out);
    assert_eq!(place.read("out/report.json"), place.run(&["tournament", "report", "cup.toml", "--format", "json"]).out);
    assert_eq!(place.read("out/report.csv"), place.run(&["tournament", "report", "cup.toml", "--format", "csv"]).out);
}

#[test]
fn an_archive_has_pages_on_which_matches_are_watched() {
    let place = Place::new();
    played(&place, &[]);
    let report = |pages: &str| {
        let done = place.run(&["tournament", "report", "cup.toml", "--dir", "out", "--force", "--pages", pages]);
        assert_eq!(done.code, 0, "{done:?}");
        place.read("out/SHA256SUMS").lines().filter(|line| line.contains("  watch/")).count()
    };
    assert_eq!(report("all"), 6);
    assert!(place.read("out/index.html").contains("<a href=\"watch/6.html\">6</a>"));
    let replay = |page: &str| {
        let block = page.split_once("id=\"agon-replay\">").and_then(|(_, rest)| rest.split_once('<'));
        block.expect("the page has a replay").0.to_owned()
    };
    let html = place.run(&["replay", "html", "out/replays/6.jsonl"]).out;
    assert!(replay(&place.read("out/watch/6.html")) == replay(&html), "it shows what `agon replay html` shows");
    assert_eq!(report("none"), 0);
    assert!(!place.path("out/watch/6.html").exists(), "a page of the earlier archive goes");

    // By default those with the faults that the report names, at their turn.
    let document = place.json(&["tournament", "report", "cup.toml", "--format", "json"]);
    let example = &document["faults"][0]["examples"][0];
    let link = format!("<a href=\"watch/{}.html#ply={}\">match {0}</a>", example["id"], example["ply"]);
    let done = place.run(&["tournament", "report", "cup.toml", "--dir", "out", "--force"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(place.read("out/index.html").contains(&link), "{link}");
    assert!(place.path("out/watch").join(format!("{}.html", example["id"])).exists());
}

#[test]
fn an_archive_stays_in_its_folder() {
    let place = Place::new();
    played(&place, &["--rounds", "2"]);
    let report = |more: &[&str]| place.run(&[&["tournament", "report", "cup.toml", "--dir", "out"][..], more].concat());
    std::fs::create_dir(place.path("out")).expect("a folder");
    place.write("out/mine.txt", "mine");
    let refused = report(&[]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("`out` is not empty") && refused.err.contains("--force"), "{refused:?}");
    assert_eq!(std::fs::read_dir(place.path("out")).expect("a folder").count(), 1, "nothing was written");

    // What is not of an earlier archive is never replaced, and what is not in the way stays.
    let link = || std::os::unix::fs::symlink("../victim", place.path("out/index.html")).expect("a link");
    place.write("victim", "whole");
    link();
    let foreign = report(&["--force"]);
    assert!(foreign.code == 1 && foreign.err.contains("is not of an earlier archive"), "{foreign:?}");
    assert_eq!(std::fs::read_dir(place.path("out")).expect("a folder").count(), 2, "nothing was written");
    std::fs::remove_file(place.path("out/index.html")).expect("it is ours");
    assert_eq!(report(&["--force"]).code, 0);
    place.fails(1, &["tournament", "report", "cup.toml", "--dir", ".", "--force"], &["the folder of the tournament"]);

    // Links that would lead outside are replaced, and a replay of an earlier archive goes.
    std::fs::remove_file(place.path("out/index.html")).expect("it is ours");
    link();
    place.write("out/replays/99.jsonl", "of another tournament");
    place.write("out/SHA256SUMS", &(place.read("out/SHA256SUMS") + "00  replays/99.jsonl\n"));
    place.write("out/replays/notes.txt", "mine");
    let forced = report(&["--force"]);
    assert_eq!(forced.code, 0, "{forced:?}");
    assert_eq!((place.read("victim").as_str(), place.read("out/mine.txt").as_str()), ("whole", "mine"));
    assert!(place.read("out/index.html").starts_with("<!DOCTYPE html>"));
    assert!(!place.path("out/replays/99.jsonl").exists() && place.path("out/replays/notes.txt").exists());

    std::fs::remove_dir_all(place.path("out/replays")).expect("it is ours");
    std::fs::create_dir(place.path("elsewhere")).expect("a folder");
    std::os::unix::fs::symlink("../elsewhere", place.path("out/replays")).expect("a link");
    let led_outside = report(&["--force"]);
    assert_eq!(led_outside.code, 1, "{led_outside:?}");
    assert_eq!(std::fs::read_dir(place.path("elsewhere")).expect("a folder").count(), 0);
    place.fails(1, &["tournament", "report", "cup.toml", "--dir", "victim"], &["`victim` is no folder"]);
    place.fails(2, &["tournament", "report", "cup.toml", "--force"], &["--dir"]);
}
