//! `agon worker` against a server that fails in every way in which a network can.

mod server;

use crate::agon::Place;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use server::{Fault, KEY, Server, hash_of};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::Arc,
    sync::atomic::{AtomicUsize, Ordering},
};

/// A tournament of built-in bots.
const BUILTIN: &str =
    "game = \"grid\"\nlimit = 20\n[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"b\"\nrun = \"@greedy\"\n";

/// Returns a tournament in which the first bot plays until its file `go` is there.
fn patient(place: &Place) -> String {
    let go = place.path("go");
    let code = format!("while [ ! -e {} ]; do sleep 0.02; done; exec agon bot grid random", go.display());
    place.write("patient.sh", code);
    let bot = place.path("patient.sh");
    format!(
        "game = \"grid\"\nlimit = 20\nsandbox = \"none\"\nclock = \"move=100s\"\n[[bot]]\nname = \"a\"\nrun = \"sh {}\"\n\
         [[bot]]\nname = \"b\"\nrun = \"@greedy\"\n",
        bot.display()
    )
}

/// Returns a place with the key.
fn place() -> Place {
    let place = Place::new();
    place.write("cup.key", format!("{KEY}\n"));
    fs::set_permissions(place.path("cup.key"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    place
}

fn worker(place: &Place, server: &Server, words: &[&str]) -> Command {
    let line =
        [&["worker", &server.address, "--key", "cup.key", "--format", "json-lines", "--pin", "off"], words].concat();
    let mut command = place.command(&line);
    command.env("XDG_CACHE_HOME", place.path("cache")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(place: &Place, server: &Server, words: &[&str]) -> Child {
    worker(place, server, words).spawn().expect("agon can be started")
}

/// Returns the exit code, the events by their names, and what was said on stderr.
fn ended(output: Output) -> (i32, BTreeMap<String, Vec<Value>>, String) {
    let mut events: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in out.lines() {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
        events.entry(event["event"].as_str().expect("a name").to_owned()).or_default().push(event);
    }
    (output.status.code().unwrap_or(-1), events, err.into_owned())
}

/// Plays everything, and checks that each match was stored once.
fn plays_all(place: &Place, server: &Server, matches: u64) -> BTreeMap<String, Vec<Value>> {
    let output = worker(place, server, &["--once", "--cores", "2"]).output().expect("agon can be started");
    let (code, events, err) = ended(output);
    assert_eq!(code, 0, "{err}\n{events:?}");
    let state = server.state();
    assert!(
        (1..=matches).all(|id| state.results.get(&id).is_some_and(|results| results.len() == 1)),
        "{:?}",
        state.results.len()
    );
    assert_eq!((state.left, state.leases.len()), (1, 0), "{:?}", state.requests);
    let outbox = files(&place.path("cache"), "results");
    assert_eq!(outbox, 0, "everything was acknowledged");
    events
}

/// Returns how many files below a folder have this ending.
fn files(folder: &Path, end: &str) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let count = |path: &Path| match path.is_dir() {
        true => files(path, end),
        false => usize::from(path.extension().is_some_and(|own| own == end)),
    };
    entries.map(|entry| count(&entry.path())).sum()
}

#[test]
fn every_match_is_played_and_reported_once() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 60));
    let events = plays_all(&place, &server, 60);
    assert_eq!((events["match"].len(), events["answered"].len(), events["registered"].len()), (60, 60, 1));
    assert_eq!(
        (&events["end"][0]["why"], &events["end"][0]["unreported"]),
        (&Value::from("finished"), &Value::from(0))
    );
    let state = server.state();
    let replay = state.results[&1][0].replay.as_ref().expect("it is kept");
    assert!(state.blobs[replay].starts_with(b"{\"agon\""), "it is a replay");
    let ready = state.ready.as_ref().expect("it was told");
    assert!(ready.bots.len() == 2 && ready.bots.iter().all(|bot| bot.ok));
}

#[test]
fn an_answer_that_is_lost_costs_nothing_at_whatever_request() {
    for fault in [Fault::Lost, Fault::Refused, Fault::Cut(1)] {
        let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 8));
        server.script(move |name, nth| {
            let all = ["register", "field", "ready", "claim", "beat", "put", "report", "leave"];
            (all.contains(&name) && nth.is_multiple_of(3)).then_some(fault)
        });
        plays_all_left_at_least_once(&place, &server, 8);
        let state = server.state();
        for name in ["register", "field", "ready", "claim", "put", "report"] {
            let times = state.requests.iter().filter(|request| *request == name).count();
            assert!(times >= 2, "{fault:?}: `{name}` was sent {times} times");
        }
    }
}

/// A worker whose farewell is lost says it again.
fn plays_all_left_at_least_once(place: &Place, server: &Server, matches: u64) {
    let output = worker(place, server, &["--once", "--cores", "2"]).output().expect("agon can be started");
    let (code, events, err) = ended(output);
    assert_eq!(code, 0, "{err}\n{events:?}");
    let state = server.state();
    assert!((1..=matches).all(|id| state.results.get(&id).is_some_and(|results| results.len() == 1)));
    assert!(state.left >= 1 && !state.outcomes.contains(&agon_spec::WorkerOutcome::Unknown));
}

#[test]
fn a_server_that_asks_for_patience_has_it() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 10));
    server.script(|name, nth| (["claim", "report"].contains(&name) && nth == 0).then_some(Fault::Busy));
    let begun = std::time::Instant::now();
    plays_all(&place, &server, 10);
    // Each of the two requests was put off for a second.
    assert!(begun.elapsed().as_secs() >= 2);
    let state = server.state();
    let claims = state.requests.iter().filter(|request| *request == "claim").count();
    assert!(claims < 30, "it asks no more often than it should: {claims}");
}

#[test]
fn a_server_that_is_gone_is_waited_for() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 4_000));
    let child = start(&place, &server, &["--once", "--cores", "2"]);
    server.until("it plays", |state| state.results.len() > 20);
    server.stop();
    server.state().known.clear();
    server.until("it is missed", |_| files(&place.path("cache"), "results") > 0);
    std::thread::sleep(std::time::Duration::from_secs(3));
    server.state().open.truncate(200);
    server.come_back();
    let (code, events, err) = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(code, 0, "{err}");
    assert_eq!((events["away"].len(), events["back"].len()), (1, 1), "it says so once: {err}");
    assert_eq!(events["registered"].len(), 2, "it is known again");
    let state = server.state();
    assert!(state.results.values().all(|results| results.len() == 1) && state.leases.is_empty());
}

#[test]
fn a_wrong_key_and_another_server_end_the_worker_with_the_reason() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 4));
    let run = |words: &[&str]| place.run(&[&["worker"], words].concat());
    let refused = |words: &[&str], code: i32, said: &str| {
        let done = run(words);
        assert!(done.code == code && done.err.contains(said), "{words:?}: {done:?}");
    };
    place.write("other.key", "ffffffffffffffffffffffff\n");
    refused(&[&server.address, "--key", "other.key"], 1, "chmod 600");
    fs::set_permissions(place.path("other.key"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    refused(&[&server.address, "--key", "other.key"], 1, "refuses the key");
    refused(&[&server.address], 2, "--key FILE");
    refused(&["arena", "--key", "cup.key"], 2, "http://");
    refused(&["http://me:secret@arena", "--key", "cup.key"], 2, "--key");
    refused(&[&format!("{}/elsewhere", server.address), "--key", "cup.key"], 1, "leads no tournament");
    server.script(|name, _| (name == "register").then_some(Fault::Huge));
    refused(&[&server.address, "--key", "cup.key"], 1, "larger than");
}

#[test]
fn bots_come_in_pieces_and_are_kept() {
    let place = place();
    let mut bytes = Vec::new();
    let bot = b"exec agon bot grid random\n".repeat(20_000);
    let mut bundle = agon_bundle::BundleWriter::new(&mut bytes);
    bundle.file("bots/a/bot.sh", false, bot.len() as u64, &mut &bot[..]).expect("it is written");
    bundle.finish().expect("it is written");
    let file = "game = \"grid\"\nlimit = 20\nsandbox = \"none\"\n[[bot]]\nname = \"a\"\nrun = \"sh bots/a/bot.sh\"\n\
                [[bot]]\nname = \"b\"\nrun = \"@greedy\"\n";
    let server = Server::start(file, &["a", "b"], 3);
    let hash = hash_of(&bytes);
    {
        let mut state = server.state();
        (state.field.bots[0].bundle, state.field.bots[0].size) = (Some(hash.clone()), bytes.len() as u64);
        state.bundles.insert(hash.clone(), bytes);
    }
    server.script(|name, nth| (name == "bundle" && nth < 3).then_some(Fault::Cut(100_000)));
    plays_all(&place, &server, 3);
    let fetches = || server.state().requests.iter().filter(|request| *request == "bundle").count();
    assert_eq!(fetches(), 4, "each piece goes on where the one before was cut off");
    // The next start has them.
    let again = Server::start(file, &["a", "b"], 2);
    {
        let (mut state, first) = (again.state(), server.state());
        state.field.bots = first.field.bots.clone();
    }
    plays_all(&place, &again, 2);
    // Other bytes under the same name are not played.
    let forged = Server::start(file, &["a", "b"], 2);
    {
        let mut state = forged.state();
        let hash = "0".repeat(64);
        (state.field.bots[0].bundle, state.field.bots[0].size) = (Some(hash.clone()), 2_000);
        state.bundles.insert(hash, vec![0; 2_000]);
    }
    let child = start(&place, &forged, &["--once"]);
    forged.until("it says so", |state| state.ready.is_some());
    let ready = forged.state().ready.clone().expect("it was told");
    let why = ready.bots[0].why.clone().unwrap_or_default();
    assert!(!ready.bots[0].ok && ready.bots[1].ok && why.contains("other bytes"), "{ready:?}");
    kill_process(Pid::from_child(&child), Signal::KILL).expect("it lives");
    child.wait_with_output().expect("it ends");
}

#[test]
fn names_of_maps_lead_nowhere() {
    for name in ["../../escaped.txt", "/tmp/agon-escaped.txt"] {
        let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 2));
        {
            let mut state = server.state();
            state.field.maps[0] = agon_spec::WorkerFieldMap { name: name.to_owned(), blob: Some(hash_of(b"map")) };
            state.blobs.insert(hash_of(b"map"), b"map".to_vec());
        }
        let output = worker(&place, &server, &["--once"]).output().expect("agon can be started");
        let (code, _, err) = ended(output);
        assert!(code == 1 && err.contains("the map") && err.contains("cannot be written"), "{err}");
        assert_eq!(files(&place.path("cache"), "txt"), 0);
        assert!(!Path::new("/tmp/agon-escaped.txt").exists());
    }
}

#[test]
fn a_worker_that_is_killed_reports_what_it_had_and_gives_back_what_it_played() {
    let place = place();
    let server = Server::start(&patient(&place), &["a", "b"], 6);
    place.write("go", "");
    // Results are played and cannot be reported.
    server.script(|name, _| (name == "report").then_some(Fault::Refused));
    let mut child = start(&place, &server, &["--cores", "1"]);
    server.until("a result is to be reported", |state| state.requests.iter().any(|request| request == "report"));
    let kept = files(&place.path("cache"), "results");
    assert!(kept >= 1, "it is on disk before it is reported");
    fs::remove_file(place.path("go")).expect("it is there");
    // The next match hangs at once.
    server.state().turns.clear();
    server.until("a match is played", |state| !state.turns.is_empty());
    kill_process(Pid::from_child(&child), Signal::KILL).expect("it lives");
    child.wait().expect("it ends");
    let before = files(&place.path("cache"), "results");
    server.script(|_, _| None);
    place.write("go", "");
    let events = plays_all(&place, &server, 6);
    assert!(before >= 1 && events["answered"].len() > events["match"].len(), "{before} came from the disk: {events:?}");
    let state = server.state();
    assert!(state.given_back.iter().any(|why| why.contains("was killed")), "{:?}", state.given_back);
    assert_eq!(state.known.len(), 1, "it is the same worker");
}

#[test]
fn the_first_interrupt_finishes_and_the_second_gives_back() {
    for twice in [false, true] {
        let place = place();
        let server = Server::start(&patient(&place), &["a", "b"], 5);
        let child = start(&place, &server, &["--cores", "1"]);
        // The bot is started once before, and waits there as well.
        server.until("a match is held", |state| !state.leases.is_empty());
        server.until("it begins", |state| !state.turns.is_empty());
        kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
        if twice {
            server.until("the waiting ones are back", |state| state.leases.len() <= 1);
            std::thread::sleep(std::time::Duration::from_millis(300));
            kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
        } else {
            std::thread::sleep(std::time::Duration::from_millis(300));
            place.write("go", "");
        }
        let (code, events, err) = ended(child.wait_with_output().expect("it ends"));
        assert_eq!((code, &events["end"][0]["why"]), (130, &Value::from("interrupted")), "{err}");
        let state = server.state();
        let played = usize::from(!twice);
        assert_eq!(
            (state.results.len(), state.open.len(), state.left),
            (played, 5 - played, 1),
            "{:?}",
            state.requests
        );
        assert!(state.given_back.is_empty() && err.contains("interrupted"), "{err}");
    }
}

#[test]
fn results_that_cannot_be_reported_wait_for_the_next_start() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 4_000));
    server.script(|name, _| (name == "report").then_some(Fault::Refused));
    let child = start(&place, &server, &["--cores", "2"]);
    server.until("results are to be reported", |state| state.requests.iter().any(|request| request == "report"));
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    server.until("nothing waits any more", |state| !state.released.is_empty());
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it waits for the server");
    let (code, events, err) = ended(child.wait_with_output().expect("it ends"));
    assert!(code == 130 && err.contains("reported by the next start"), "{err}");
    let unreported = events["end"][0]["unreported"].as_u64().expect("a number");
    assert!(unreported >= 1 && server.state().left == 0, "{unreported}");
    server.script(|_, _| None);
    server.state().open.clear();
    let output = worker(&place, &server, &["--once", "--cores", "2"]).output().expect("agon can be started");
    let (code, events, err) = ended(output);
    assert_eq!((code, events["answered"].len() as u64, events.contains_key("match")), (0, unreported, false), "{err}");
    assert_eq!(server.state().results.len() as u64, unreported);
}

#[test]
fn what_the_server_takes_back_is_not_played_on() {
    let place = place();
    let server = Server::start(&patient(&place), &["a", "b"], 2);
    let child = start(&place, &server, &["--once", "--cores", "1"]);
    server.until("it begins", |state| !state.turns.is_empty());
    {
        let mut state = server.state();
        let lost: Vec<u64> = state.leases.keys().copied().collect();
        state.over.extend(&lost);
        let leases = std::mem::take(&mut state.leases);
        state.open.extend(leases.into_values());
    }
    let beats = |state: &server::State| state.requests.iter().filter(|request| *request == "beat").count();
    let before = beats(&server.state());
    server.until("it is told", |state| beats(state) > before + 2);
    place.write("go", "");
    let (code, events, err) = ended(child.wait_with_output().expect("it ends"));
    assert_eq!(code, 0, "{err}");
    assert!(events["lost"].iter().any(|event| event["matches"].as_u64() >= Some(1)), "{events:?}");
    assert_eq!(server.state().results.len(), 2);
}

#[test]
fn a_result_that_is_refused_keeps_no_others_back() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 30));
    server.state().refused = Some(4);
    let child = start(&place, &server, &["--once", "--cores", "2"]);
    server.until("it is put aside", |_| files(&place.path("cache"), "damaged") == 1);
    server.until("the others are acknowledged", |state| {
        state.open.is_empty() && files(&place.path("cache"), "results") == 0
    });
    // The leases of the refused file end, and its matches are played again.
    server.state().refused = None;
    let leases = std::mem::take(&mut server.state().leases);
    server.state().open.extend(leases.into_values());
    let (code, events, err) = ended(child.wait_with_output().expect("it ends"));
    assert_eq!((code, events["damaged"].len()), (0, 1), "{err}");
    let state = server.state();
    assert!(state.results.len() == 30 && state.results.values().all(|results| results.len() == 1));
}

#[test]
fn a_server_that_forgets_replays_gets_them_again() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 5));
    server.state().forgetful = true;
    plays_all(&place, &server, 5);
    assert!(server.state().requests.iter().filter(|request| *request == "report").count() >= 2);
}

#[test]
fn another_edition_is_fetched_and_played() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 20_000));
    let seen = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&seen);
    server.script(move |name, _| {
        counting.fetch_add(usize::from(name == "field"), Ordering::Relaxed);
        None
    });
    let child = start(&place, &server, &["--once", "--cores", "2"]);
    server.until("it plays", |state| !state.turns.is_empty());
    {
        let mut state = server.state();
        state.field.edition = 2;
        state.field.bots[0].version = 2;
        state.open.truncate(100);
    }
    let (code, events, err) = ended(child.wait_with_output().expect("it ends"));
    assert_eq!((code, events["edition"].len(), seen.load(Ordering::Relaxed)), (0, 1, 2), "{err}");
    let state = server.state();
    let versions: std::collections::BTreeSet<u32> =
        state.results.values().map(|results| results[0].seats[0].version).collect();
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn two_workers_on_one_machine_do_not_meet() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 400));
    let both = [(); 2].map(|()| start(&place, &server, &["--once", "--cores", "1"]));
    for child in both {
        let (code, _, err) = ended(child.wait_with_output().expect("it ends"));
        assert_eq!(code, 0, "{err}");
    }
    let state = server.state();
    assert_eq!((state.known.len(), state.results.len()), (2, 400));
    assert!(state.results.values().all(|results| results.len() == 1));
}
