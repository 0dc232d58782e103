//! Workers that are killed or interrupted.

use super::{
    BUILTIN, ended, files, patient, place, plays_all,
    server::{Fault, Server},
    start, worker,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    process::Output,
};

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
        let mut child = start(&place, &server, &["--cores", "1"]);
        // The bot is started once before, and waits there as well.
        server.until("a match is held", |state| !state.leases.is_empty());
        server.until("it begins", |state| !state.turns.is_empty());
        kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
        let mut stderr = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let mut said = String::new();
        while !said.contains("Ctrl-C again gives them back") {
            assert!(stderr.read_line(&mut said).expect("it is text") > 0, "it has ended: {said}");
        }
        if twice {
            server.until("the waiting ones are back", |state| state.leases.len() <= 1);
            kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
        } else {
            place.write("go", "");
        }
        stderr.read_to_string(&mut said).expect("it is text");
        let output = child.wait_with_output().expect("it ends");
        let (code, events, err) = ended(Output { stderr: said.into_bytes(), ..output });
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
