//! `agon worker` against a server that fails in every way in which a network can.

mod ends;
mod server;
mod state;
mod trust;

use crate::agon::Place;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use server::{Fault, KEY, Server, hash_of};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
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
    if server.state().field.file.contains("sandbox = \"none\"") {
        command.args(["--sandbox", "none"]);
    }
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
fn matches_that_the_server_takes_back_are_not_played_on() {
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
    let beats = |state: &state::State| state.requests.iter().filter(|request| *request == "beat").count();
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

#[test]
fn a_server_that_asks_for_patience_has_it() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 10));
    server.script(|name, nth| (["claim", "report"].contains(&name) && nth == 0).then_some(Fault::Busy));
    plays_all(&place, &server, 10);
    let state = server.state();
    for name in ["claim", "report"] {
        let mut times = state.requests.iter().zip(&state.times).filter(|(request, _)| *request == name);
        let (first, second) = (times.next().expect("it asks"), times.next().expect("it asks again"));
        let waited = second.1.duration_since(*first.1);
        assert!(waited >= Duration::from_secs(1), "the server has asked for a second: {name}, {waited:?}");
    }
    let claims = state.requests.iter().filter(|request| *request == "claim").count();
    assert!(claims < 30, "it asks no more often than it should: {claims}");
}

#[test]
fn a_server_that_is_gone_is_waited_for() {
    let (place, server) = (place(), Server::start(BUILTIN, &["a", "b"], 4_000));
    let mut child = start(&place, &server, &["--once", "--cores", "2"]);
    server.until("it plays", |state| state.results.len() > 20);
    server.stop();
    server.state().known.clear();
    server.until("it is missed", |_| files(&place.path("cache"), "results") > 0);
    let mut stdout = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut said = String::new();
    while !said.contains("\"away\"") {
        assert!(stdout.read_line(&mut said).expect("it is text") > 0, "it has ended: {said}");
    }
    server.state().open.truncate(200);
    server.come_back();
    stdout.read_to_string(&mut said).expect("it is text");
    let output = child.wait_with_output().expect("it ends");
    let (code, events, err) = ended(Output { stdout: said.into_bytes(), ..output });
    assert_eq!(code, 0, "{err}");
    assert_eq!((events["away"].len(), events["back"].len()), (1, 1), "it says so once: {err}");
    // Two of its threads may find out at the same time that it is not known.
    assert!((2..=3).contains(&events["registered"].len()), "it is known again");
    let state = server.state();
    assert!(state.results.values().all(|results| results.len() == 1) && state.leases.is_empty());
}
