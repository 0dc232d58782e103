//! `agon tournament run --listen` with workers as processes: what they play together is what one machine plays, whatever ends.

use crate::agon::Place;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    process::{Child, ChildStderr, Stdio},
    thread,
    time::{Duration, Instant},
};

const LONGEST: Duration = Duration::from_secs(120);

/// A tournament of built-in bots. Its matches take some milliseconds each.
pub fn cup(rounds: u32) -> String {
    let bot = |name: &str, bot: &str| format!("[[bot]]\nname = \"{name}\"\nrun = \"@{bot}\"\n");
    let bots = [bot("a", "random"), bot("b", "rage"), bot("c", "prospector")].concat();
    format!("name = \"cup\"\ngame = \"planet-wars\"\nseed = 7\nrounds = {rounds}\n{bots}")
}

/// A server with its port.
pub struct Server {
    child: Child,
    pub port: String,
    stderr: BufReader<ChildStderr>,
}

impl Server {
    pub fn start(place: &Place, port: &str, words: &[&str]) -> Self {
        let line = [&["tournament", "run", "cup.toml", "--listen", port, "--pin", "off"], words].concat();
        let mut command = place.command(&line);
        command.env("XDG_CACHE_HOME", place.path("cache")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("agon can be started");
        let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut first = String::new();
        stderr.read_line(&mut first).expect("it says something");
        let url = first.strip_prefix("workers: agon worker http://").unwrap_or_else(|| panic!("{first}"));
        let (address, rest) = url.split_once(' ').expect("a command");
        assert!(rest.starts_with("--key cup.key"), "{first}");
        let port = address.rsplit(':').next().expect("a port").to_owned();
        Self { child, port, stderr }
    }

    /// Waits for the end. Returns the exit code and what was said on stderr.
    pub fn end(mut self) -> (i32, String) {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).expect("it is text");
        (self.child.wait().expect("it ends").code().unwrap_or(-1), said)
    }

    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

pub fn worker(place: &Place, port: &str, name: &str) -> Child {
    let url = format!("http://127.0.0.1:{port}");
    let mut command =
        place.command(&["worker", &url, "--key", "cup.key", "--pin", "off", "--once", "--cores", "1", "--name", name]);
    command.env("XDG_CACHE_HOME", place.path(&format!("cache-{name}")));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("agon can be started")
}

fn is_over(child: &mut Child) -> bool {
    child.try_wait().expect("it can be asked").is_some()
}

/// Waits until a worker ends.
pub fn leaves(mut worker: Child) -> i32 {
    let begun = Instant::now();
    while !is_over(&mut worker) {
        assert!(begun.elapsed() < LONGEST, "the worker stays");
        thread::sleep(Duration::from_millis(20));
    }
    worker.wait().expect("it has ended").code().unwrap_or(-1)
}

/// Returns how many matches are over.
fn over(place: &Place) -> u64 {
    let done = place.run(&["tournament", "status", "cup.toml", "--format", "json"]);
    let status: Value = serde_json::from_str(&done.out).unwrap_or_default();
    status["finished"].as_u64().unwrap_or(0)
}

/// Waits until so many matches are over.
fn wait_for(place: &Place, matches: u64) {
    let begun = Instant::now();
    while over(place) < matches {
        assert!(begun.elapsed() < LONGEST, "{} matches are over", over(place));
        thread::sleep(Duration::from_millis(30));
    }
}

/// Takes everything out of a document that differs between two equal runs.
fn timeless(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.into_iter().filter(|(key, _)| !key.starts_with("time") && !key.starts_with("worker"));
            Value::Object(kept.map(|(key, value)| (key, timeless(value))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(timeless).collect()),
        other => other,
    }
}

pub fn export(place: &Place) -> Value {
    timeless(place.json(&["tournament", "export", "cup.toml", "--format", "json"]))
}

/// Plays the same tournament on one machine.
pub fn alone(text: &str) -> Value {
    let place = Place::new();
    place.write("cup.toml", text);
    let done = place.run(&["tournament", "run", "cup.toml", "--quiet"]);
    assert_eq!(done.code, 0, "{done:?}");
    export(&place)
}

pub fn verified(place: &Place) {
    let done = place.run(&["tournament", "verify", "cup.toml"]);
    assert_eq!(done.code, 0, "{done:?}");
}

#[test]
fn workers_play_what_one_machine_plays() {
    let (place, text) = (Place::new(), cup(4));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "0"]);
    assert_eq!(fs::metadata(place.path("cup.key")).expect("it was made").permissions().mode() & 0o777, 0o600);
    let workers = ["x", "y"].map(|name| worker(&place, &server.port, name));
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("worker x is here") && said.contains("worker y is here"), "{said}");
    assert_eq!(workers.map(leaves), [0, 0]);
    assert_eq!(export(&place), alone(&text));
    verified(&place);
}

#[test]
fn a_server_plays_beside_its_workers() {
    let (place, text) = (Place::new(), cup(6));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "1"]);
    let mut worker = worker(&place, &server.port, "x");
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    // It may have come when all was over.
    worker.kill().expect("it runs, or has ended");
    worker.wait().expect("it ends");
    assert_eq!(export(&place), alone(&text));
}

#[test]
fn whoever_is_killed_loses_nothing() {
    let (place, text) = (Place::new(), cup(12));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "0", "--lease", "2"]);
    let port = server.port.clone();
    let mut workers = ["x", "y"].map(|name| worker(&place, &port, name));
    wait_for(&place, 3);
    workers[0].kill().expect("it runs");
    workers[0].wait().expect("it ends");
    workers[0] = worker(&place, &port, "x");
    server.kill();
    let server = Server::start(&place, &port, &["--cores", "0", "--lease", "2"]);
    wait_for(&place, 12);
    workers[1].kill().expect("it runs");
    workers[1].wait().expect("it ends");
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    let [mut first, _] = workers;
    // It may not have come back to the server before all was over.
    first.kill().expect("it runs, or has ended");
    first.wait().expect("it ends");
    assert_eq!(export(&place), alone(&text));
    verified(&place);
}

#[test]
fn a_worker_that_is_stopped_for_longer_than_its_lease_loses_its_matches_to_others() {
    let (place, text) = (Place::new(), cup(6));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "0", "--lease", "2"]);
    let stopped = worker(&place, &server.port, "x");
    wait_for(&place, 2);
    let pid = Pid::from_child(&stopped);
    kill_process(pid, Signal::STOP).expect("it is ours");
    let other = worker(&place, &server.port, "y");
    let (code, said) = server.end();
    kill_process(pid, Signal::CONT).expect("it is ours");
    assert_eq!(code, 0, "{said}");
    leaves(other);
    kill_process(pid, Signal::TERM).expect("it is ours");
    leaves(stopped);
    assert_eq!(export(&place), alone(&text));
}

/// Asks the server, and returns the status.
fn ask(port: &str, request: &str) -> u16 {
    let mut stream = TcpStream::connect(("127.0.0.1", port.parse::<u16>().expect("a port"))).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it can be");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[test]
fn strangers_and_liars_change_nothing() {
    let (place, text) = (Place::new(), cup(6));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "0"]);
    let port = server.port.clone();
    let good = worker(&place, &port, "x");
    wait_for(&place, 1);
    // It has matches, and the tournament goes on until all lies are told.
    let pid = Pid::from_child(&good);
    kill_process(pid, Signal::STOP).expect("it is ours");
    let key = place.read("cup.key").trim().to_owned();
    let post = |path: &str, key: &str, more: &str, body: &str| {
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n");
        ask(&port, &format!("{head}Agon-Worker: feedfeedfeedfeed\r\n{more}Content-Length: {length}\r\n\r\n{body}"))
    };
    let result = |id: u64, token: u64| {
        let seat = |place: u32| {
            format!(
                "{{\"version\":1,\"score\":9,\"place\":{place},\"fault\":null,\"refused\":{{\"count\":0,\"of\":0,\"top\":[]}},\"decisions\":1,\"time_us\":1,\"max_us\":1}}"
            )
        };
        format!(
            "{{\"results\":[{{\"id\":{id},\"token\":{token},\"result\":{{\"ending\":\"finished\",\"reason\":\"limit\",\"seats\":[{},{}],\"plies\":1,\"fingerprint\":null,\"replay\":null,\"log\":null,\"started_ms\":0,\"wall_us\":1}}}}]}}",
            seat(1),
            seat(2)
        )
    };
    assert_eq!(post("/worker/1/report", &"0".repeat(64), "", &result(1, 1)), 401);
    assert_eq!(post("/worker/1/report", &key, "Origin: http://evil.example\r\n", &result(1, 1)), 403);
    assert_eq!(post("/worker/1/report", &key, "", &result(1, 1)), 409, "nobody has registered it");
    let about = format!(
        "{{\"name\":\"liar\",\"instance\":\"feedfeedfeedfeed\",\"machine\":{{\"agon\":\"{}\",\"kernel\":\"\",\"cpu\":\"\",\"cores\":1,\
         \"target\":\"\"}},\"isolation\":null,\"tools\":[]}}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(post("/worker/1/register", &key, "", &about), 200);
    for id in 1..20 {
        for token in [0, 1, id, 1 << 32, u64::MAX] {
            assert_eq!(post("/worker/1/report", &key, "", &result(id, token)), 200, "it is told that it is unknown");
        }
    }
    assert_eq!(post("/worker/1/release", &key, "", "{\"tokens\":[1,2,3]}"), 200);
    assert_eq!(post("/worker/1/give-back", &key, "", "{\"token\":1,\"why\":\"x\"}"), 200);
    kill_process(pid, Signal::CONT).expect("it is ours");
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    leaves(good);
    assert_eq!(export(&place), alone(&text));
}

#[test]
fn open_addresses_and_readable_keys_are_refused() {
    let place = Place::new();
    place.write("cup.toml", cup(1));
    fn run<'a>(words: &[&'a str]) -> Vec<&'a str> {
        [&["tournament", "run", "cup.toml"], words].concat()
    }
    place.fails(2, &run(&["--listen", "0.0.0.0:0"]), &["not encrypted", "--insecure-lan", "--behind-proxy"]);
    place.fails(2, &run(&["--listen", "nowhere"]), &["HOST:PORT"]);
    place.fails(2, &run(&["--cores", "0"]), &["--listen"]);
    place.write("cup.key", "0".repeat(64));
    fs::set_permissions(place.path("cup.key"), fs::Permissions::from_mode(0o644)).expect("it is ours");
    place.fails(1, &run(&["--listen", "0"]), &["others can read", "chmod 600 cup.key"]);
    fs::set_permissions(place.path("cup.key"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    let text = "game = \"grid\"\nsandbox = \"none\"\n[[bot]]\nname = \"a\"\nrun = \"/bin/../usr/bin/agon bot grid random\"\n\
                [[bot]]\nname = \"b\"\nrun = \"@greedy\"\n";
    place.write("cup.toml", text.replace("/bin/../usr/bin/agon", env!("CARGO_BIN_EXE_agon")));
    let done = place.run(&run(&["--listen", "0"]));
    assert!(done.code == 1 && done.err.contains("cannot play on other machines"), "{done:?}");
    assert!(!place.path("cup.agon").exists(), "nothing has begun");
}
