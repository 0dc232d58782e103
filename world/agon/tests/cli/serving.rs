//! Tests `agon serve` as an organiser starts it.

use crate::{agon::Place, schemas::assert_valid};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    time::Duration,
};

/// A server that runs until it is dropped.
struct Served {
    child: Child,
    document: Value,
}

impl Served {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(&["serve", "--listen", "0", "--format", "json"]);
        let mut child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let document = serde_json::from_str(&line).unwrap_or_else(|why| {
            let mut said = String::new();
            let _ = child.kill().and_then(|()| child.stderr.take().expect("a pipe").read_to_string(&mut said));
            panic!("{why}: {line} {said}")
        });
        Self { child, document }
    }

    fn address(&self) -> &str {
        let url = self.document["url"].as_str().expect("a text");
        url.strip_prefix("http://").and_then(|url| url.strip_suffix('/')).expect("an address")
    }

    /// Asks, and returns the whole answer.
    fn ask(&self, request: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        let length = body.len();
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}",
            self.address()
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    /// Ends it as Ctrl-C does, and returns the exit code and what was said.
    fn end(mut self) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), Signal::INT).expect("it runs");
        let mut said = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        (self.child.wait().expect("it ends").code(), said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the value of the first cookie or field after a text.
fn after<'a>(text: &'a str, before: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no `{before}` in {text}")).1;
    rest.split(['"', ';', '\r', '<']).next().unwrap_or_default()
}

#[test]
fn a_contest_is_served_from_an_empty_folder() {
    let place = Place::new();
    let served = Served::start(&place, &[]);
    assert_valid(&place, "serve", &served.document);
    let link = served.document["link"].as_str().expect("nobody leads yet").to_owned();
    let url = served.document["url"].as_str().expect("a text").to_owned();
    let path = link.strip_prefix(&url).expect("it is on this server");
    let contest = served.ask("GET /api/contest", "", "");
    assert!(contest.starts_with("HTTP/1.1 200") && contest.contains("{\"schema\":1,\"name\":null,"), "{contest}");

    let page = served.ask(&format!("GET /{path}"), "", "");
    let cookie = page.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    let cookie = cookie.split(';').next().expect("a pair");
    let token = after(&page, "name=\"form\" value=\"");
    let form = format!("form={token}&name=olga&password=correct+horse&again=correct+horse");
    let headers = format!("Cookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n");
    let answer = served.ask(&format!("POST /{path}"), &headers, &form);
    assert!(answer.starts_with("HTTP/1.1 303") && answer.contains("location: /organise"), "{answer}");

    let (code, said) = served.end();
    assert_eq!((code, said.as_str()), (Some(0), ""));
    // The next start goes on, and nobody needs a link.
    let served = Served::start(&place, &[]);
    assert_eq!(served.document["link"], Value::Null);
    assert!(place.path("contest.agon").is_file());
}

#[test]
fn a_contest_of_a_file_is_there_at_once() {
    let place = Place::new();
    place.write("cup.toml", "name = \"Cup\"\ngame = \"planet-wars\"\nregistration = \"open\"\n");
    let served = Served::start(&place, &["cup.toml"]);
    let contest = served.ask("GET /api/contest", "", "");
    assert!(contest.contains("\"name\":\"Cup\",\"game\":\"planet-wars\",\"registration\":\"open\""), "{contest}");
    assert!(place.path("cup.agon").is_file());
    let foreign = served.ask("GET /", "Origin: http://evil.example\r\n", "");
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");

    // A second server on the same store says who has it, and changes nothing.
    place.fails(1, &["serve", "cup.toml", "--listen", "0"], &["cup.agon", "is in use", &served.child.id().to_string()]);
    assert!(served.ask("GET /", "", "").contains("<title>Cup"));
    assert_eq!(served.end().0, Some(0));
    // Another game would be another contest.
    place.write("cup.toml", "name = \"Cup\"\ngame = \"grid\"\n");
    place.fails(1, &["serve", "cup.toml", "--listen", "0"], &["plays planet-wars", "another store"]);
}

#[test]
fn other_machines_are_let_in_only_when_the_organiser_says_so() {
    let place = Place::new();
    let said = ["what they send is not encrypted", "--insecure-lan", "--behind-proxy"];
    place.fails(2, &["serve", "--listen", "0.0.0.0:0"], &said);
    assert!(!place.path("contest.agon").exists(), "nothing was made");
    place.fails(2, &["serve", "--listen", "0.0.0.0:0", "--insecure-lan", "--behind-proxy"], &["cannot be used with"]);
    place.fails(2, &["serve", "--url", "cup.example"], &["https://cup.example"]);
    // Links that lead nowhere, and forms that are refused, would be the answer to these.
    let proxy = ["serve", "--listen", "0", "--behind-proxy"];
    place.fails(2, &proxy, &["does not know the address", "--url https://cup.example"]);
    place.fails(2, &[&proxy[..], &["--url", "http://cup.example"]].concat(), &["begins with `https://`"]);
    place.fails(2, &["serve", "--listen", "0", "--url", "https://cup.example"], &["not encrypt", "--behind-proxy"]);
    assert!(!place.path("contest.agon").exists(), "nothing was made");
    let served = Served::start(&place, &["--behind-proxy", "--url", "https://cup.example"]);
    assert_eq!(served.document["url"], "https://cup.example/");
    assert!(served.document["link"].as_str().is_some_and(|link| link.starts_with("https://cup.example/first/")));
    assert_eq!(served.end(), (Some(0), "behind a proxy\n".to_owned()));
    let mut command = place.command(&["serve", "--listen", "0.0.0.0:0", "--insecure-lan"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let (mut first, mut second) = (String::new(), String::new());
    out.read_line(&mut first).and_then(|_| out.read_line(&mut second)).expect("two lines");
    assert!(
        first.starts_with("contest: http://HOST:") && second.starts_with("organiser, once and within 24 hours: http")
    );
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert!(said.contains("INSECURE: everybody in the network can read passwords and bots"), "{said}");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place() {
    let place = Place::new();
    place.write("cup.toml", "name = \"Cup\"\ngame = \"chess\"\n");
    place.fails(1, &["serve", "cup.toml"], &["`game`: there is no such game", "cup.toml:2:8", "planet-wars"]);
    place.write("cup.toml", "name = \"Cup\"\n");
    place.fails(1, &["serve", "cup.toml"], &["the key `game` is missing"]);
    place.fails(1, &["serve", "none.toml"], &["none.toml"]);
    assert!(!place.path("cup.agon").exists(), "nothing was made");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("it listens").port().to_string();
    place.fails(1, &["serve", "--listen", &port], &["cannot listen on port", "--listen PORT"]);
}
