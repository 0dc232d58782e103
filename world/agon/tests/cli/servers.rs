//! Tests `--store postgres://…` and `agon store`.

use crate::agon::Place;
use std::{
    io::{BufRead, BufReader, Write, stderr},
    process::Stdio,
    sync::atomic::{AtomicU32, Ordering},
};

const CUP: &str = "game = \"grid\"\nmaps = [\"gen:10x10\"]\nseed = 5\nrounds = 30\n[[bot]]\nname = \"a\"\nrun = \"@greedy\"\n\
                   [[bot]]\nname = \"b\"\nrun = \"@random\"\n";

/// Returns the address of a new store. `None` if there is no server, which is said; in CI there must be one.
fn new_store() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = std::env::var("AGON_POSTGRES") else {
        let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        assert!(!in_ci, "in CI there must be a server: `cargo xtask postgres` starts one");
        // Not captured, as what a test prints is.
        let _ = writeln!(stderr(), "SKIPPED: a test with PostgreSQL, because `AGON_POSTGRES` names no server");
        return None;
    };
    let start = if server.contains('?') { '&' } else { '?' };
    Some(format!("{server}{start}schema=c{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
}

#[test]
fn a_tournament_is_the_same_in_a_file_and_on_a_server() {
    let Some(store) = new_store() else { return };
    let place = Place::new();
    place.write("cup.toml", CUP);
    let near = place.run(&["tournament", "run", "cup.toml"]);
    assert_eq!(near.code, 0, "{near:?}");
    let far = place.run(&["tournament", "run", "cup.toml", "--store", &store]);
    assert_eq!((far.code, &far.out), (0, &near.out), "{far:?}");
    let status = place.json(&["tournament", "status", "cup.toml", "--store", &store, "--format", "json"]);
    assert_eq!(status["matches"], place.json(&["tournament", "status", "cup.toml", "--format", "json"])["matches"]);
    let voided = place.run(&["tournament", "void", "cup.toml", "3", "--why", "the map", "--store", &store]);
    assert_eq!(voided.code, 0, "{voided:?}");
    for action in ["verify", "export", "report"] {
        let done = place.run(&["tournament", action, "cup.toml", "--store", &store]);
        assert_eq!(done.code, 0, "{action}: {done:?}");
    }
    place.fails(1, &["tournament", "run", "cup.toml", "--restart", "--store", &store], &["?tournament=NAME"]);

    let export = |store: &str| {
        let done = place.run(&["tournament", "export", "cup.toml", "--store", store]);
        assert_eq!(done.code, 0, "{done:?}");
        done.out
    };
    let copied = place.run(&["store", "copy", &store, "kept.agon"]);
    assert!(copied.code == 0 && copied.err.contains("copied"), "{copied:?}");
    assert_eq!(export("kept.agon"), export(&store));
    place.fails(1, &["store", "copy", "kept.agon", &store], &["has a tournament already"]);
    let finals = format!("{store}&tournament=finals");
    assert_eq!(place.json(&["store", "check", &store, "--format", "json"])["findings"], serde_json::json!([]));
    place.fails(1, &["store", "check", &finals], &["no tournament `finals`"]);
    let checked = place.run(&["store", "check", "kept.agon"]);
    assert!(checked.code == 0 && checked.out.contains("everything is there"), "{checked:?}");
}

#[test]
fn another_process_goes_on_after_the_leader() {
    let Some(store) = new_store() else { return };
    let place = Place::new();
    place.write("cup.toml", CUP.replace("rounds = 30", "rounds = 2000"));
    let run = ["tournament", "run", "cup.toml", "--store", &store, "--format", "json-lines"];
    let mut leader = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut events = BufReader::new(leader.stdout.take().expect("it is piped")).lines();
    assert!(events.next().is_some(), "it leads");
    place.fails(1, &["tournament", "run", "cup.toml", "--store", &store], &["leads this tournament", "--stand-by"]);
    let mut next = place.command(&[&run[..5], &["--stand-by"]].concat());
    let mut next = next.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut notes = BufReader::new(next.stderr.take().expect("it is piped")).lines().map(|line| line.expect("text"));
    let standing_by = notes.by_ref().find(|line| line.contains("stands by"));
    assert!(standing_by.is_some_and(|line| line.contains(&format!("process {}", leader.id()))));
    leader.kill().expect("it is ours");
    leader.wait().expect("it ends");
    assert!(notes.by_ref().any(|line| line.contains("continues after")));
    notes.for_each(drop);
    assert!(next.wait().expect("it ends").success());
    let checked = place.run(&["store", "check", &store]);
    assert!(checked.code == 0 && checked.out.contains("everything is there"), "{checked:?}");
}

#[test]
fn nobody_sees_a_password() {
    let place = Place::new();
    place.write("cup.toml", CUP);
    for store in ["postgres://cup:s3cret@127.0.0.1:9/contest", "postgres://cup:s3cret@127.0.0.1:9/contest?none=1"] {
        let done = place.run(&["tournament", "run", "cup.toml", "--store", store]);
        assert!(done.code != 0 && done.err.contains("127.0.0.1:9") && !done.err.contains("s3cret"), "{done:?}");
    }
}
