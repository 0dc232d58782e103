//! Tests the page that `agon console` serves, without a browser: its address and its WebSocket.

use crate::agon::Place;
use rustix::{
    fs::{CWD, Mode, mkfifoat},
    process::{Pid, Signal, kill_process},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tungstenite::{ClientRequestBuilder, Message, WebSocket, client, handshake::HandshakeError, http::Uri};

/// A bot that writes its number to a file.
const BOT: &str = "sh -c 'echo $$ > pid; echo hello >&2; exec agon bot triangles random'";

/// A console that is being served.
struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Served {
    fn begin(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(&["console", "triangles", "--no-open"]);
        Self::start(command.args(args))
    }

    fn start(command: &mut Command) -> Self {
        command.args(["--format", "json", "--seed", "1", "--sandbox", "none"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("agon can be started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let document: Value = serde_json::from_str(&line).expect("the first line is the document");
        assert_eq!(document["schema"], 1);
        let url = document["url"].as_str().expect("a text").strip_prefix("http://").expect("an address");
        let (address, token) = url.split_once("/#").expect("the token is in the fragment");
        Self { child, address: address.to_owned(), token: token.to_owned() }
    }

    fn get(&self, headers: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(stream, "GET / HTTP/1.1\r\n{headers}\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    /// Connects. The error is the status of the answer.
    fn connect(&self, token: &str, origin: Option<&str>) -> Result<Page, u16> {
        let uri: Uri = format!("ws://{}/wire", self.address).parse().expect("an address");
        let mut request = ClientRequestBuilder::new(uri)
            .with_sub_protocol("agon-console.1")
            .with_sub_protocol(format!("token.{token}"));
        if let Some(origin) = origin {
            request = request.with_header("Origin", origin);
        }
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        match client(request, stream) {
            Ok((socket, answer)) => {
                assert_eq!(answer.headers()["sec-websocket-protocol"], "agon-console.1");
                Ok(Page { socket, id: 0 })
            }
            Err(HandshakeError::Failure(tungstenite::Error::Http(answer))) => Err(answer.status().as_u16()),
            Err(why) => panic!("{why}"),
        }
    }

    fn page(&self) -> Page {
        self.connect(&self.token, Some(&format!("http://{}", self.address))).expect("it is the own page")
    }

    fn end(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

/// A page of a console.
struct Page {
    socket: WebSocket<TcpStream>,
    id: u64,
}

impl Page {
    fn next(&mut self) -> Value {
        loop {
            match self.socket.read().expect("a message") {
                Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Returns the messages up to the one that is wanted, with it.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            let message = self.next();
            let found = wanted(&message);
            messages.push(message);
            if found {
                return messages;
            }
        }
    }

    fn send(&mut self, command: &str) -> u64 {
        self.id += 1;
        let text = json!({ "id": self.id, "command": command }).to_string();
        self.socket.send(Message::text(text)).expect("it reads");
        self.id
    }

    /// Gives a command, and returns what came up to its answer.
    fn say(&mut self, command: &str) -> Vec<Value> {
        let id = self.send(command);
        self.until(|message| message["kind"] == "answer" && message["id"] == id)
    }
}

fn of<'a>(messages: &'a [Value], kind: &str) -> Vec<&'a Value> {
    messages.iter().filter(|message| message["kind"] == kind).collect()
}

#[test]
fn only_the_own_page_with_the_token_gets_in() {
    let place = Place::new();
    let served = Served::begin(&place, &["human", "@greedy"]);
    let host = format!("Host: {}\r\n", served.address);
    let page = served.get(&host);
    let (head, body) = page.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(body.contains("id=\"agon-served\"") && !body.contains(&served.token), "the page has no secrets");
    assert!(served.get("Host: evil.example\r\n").starts_with("HTTP/1.1 403 "));
    assert!(served.get(&format!("{host}Origin: http://evil.example\r\n")).starts_with("HTTP/1.1 403 "));
    assert_eq!(served.connect(&served.token, Some("http://evil.example")).err(), Some(403));
    assert_eq!(served.connect(&"0".repeat(32), None).err(), Some(403));
    assert_eq!(served.connect("", None).err(), Some(403));
    let mut page = served.page();
    assert_eq!(page.next()["kind"], "hello");
    kill_process(Pid::from_child(&served.child), Signal::TERM).expect("it lives");
    assert_eq!(page.until(|message| message["kind"] == "end").len(), 1);
    assert_eq!(served.end(), Some(0));
}

#[test]
fn the_address_in_the_arguments_of_the_browser_opens_the_page_once() {
    let place = Place::new();
    let (browser, opened) = (place.path("xdg-open"), place.path("opened"));
    place.write("xdg-open", "#!/bin/sh\necho \"$1\" > opened\n");
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("rights");
    mkfifoat(CWD, &opened, Mode::RUSR | Mode::WUSR).expect("a pipe");
    let path = format!("{}:{}", place.path(".").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = place.command(&["console", "triangles", "human", "@greedy"]);
    let served = Served::start(command.env("PATH", path).env("DISPLAY", ":0"));
    let address = std::fs::read_to_string(&opened).expect("the browser is started");
    let (_, ticket) = address.trim().split_once("/#").expect("a token");
    assert_ne!(ticket, served.token);
    let mut page = served.connect(ticket, None).unwrap_or_else(|status| panic!("{status}"));
    assert_eq!(page.next()["token"], served.token, "the page may connect again");
    assert_eq!(served.connect(ticket, None).err(), Some(403));
    page.say("quit");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn two_pages_see_the_same_session() {
    let place = Place::new();
    let served = Served::begin(&place, &["human", BOT]);
    let mut one = served.page();
    let hello = one.next();
    assert_eq!((&hello["kind"], &hello["state"]["ply"]), (&json!("hello"), &json!(0)));
    assert!(hello["replay"].as_str().is_some_and(|lines| lines.starts_with("{\"agon\":2,") && lines.ends_with('\n')));
    let played = one.say("play 1 [1,2]");
    let kinds: Vec<&str> = played.iter().filter_map(|message| message["kind"].as_str()).collect();
    assert_eq!(kinds, ["line", "state", "answer"]);
    assert_eq!(played[2]["document"]["ply"], 1);
    let mut other = served.page();
    let hello = other.next();
    assert_eq!(hello["state"]["ply"], 1);
    assert_eq!(hello["replay"].as_str().map(|lines| lines.lines().count()), Some(2));
    other.say("go --wait 60s");
    let mut seen = one.until(|message| message["kind"] == "state" && message["state"]["ply"] == 2);
    let is_said = |message: &Value, way: &str| {
        let mut pieces = message["said"].as_array().into_iter().flatten();
        pieces.any(|piece| piece["way"] == way && piece["seat"] == 2)
    };
    // What a bot writes to its stderr has a pipe of its own, and may come after its answer.
    if !seen.iter().any(|message| is_said(message, "note")) {
        seen.extend(one.until(|message| is_said(message, "note")));
    }
    for way in ["to", "from"] {
        assert!(seen.iter().any(|message| is_said(message, way)), "{way}: {seen:?}");
    }
    assert!(of(&seen, "answer").is_empty(), "an answer is for who asked");
    let undone = one.say("undo person");
    assert!(of(&undone, "line").iter().any(|m| m["line"].as_str().is_some_and(|line| line.contains("rewound"))));
    let refused = one.say("jump");
    assert_eq!(refused.last().expect("an answer")["document"]["error"]["in"], "command");
    one.say("quit");
    other.until(|message| message["kind"] == "end");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_seventeenth_page_is_told_to_wait_until_another_one_is_closed() {
    let place = Place::new();
    let served = Served::begin(&place, &["human", "@greedy"]);
    let mut pages: Vec<Page> = (0..16).map(|_| served.page()).collect();
    for page in &mut pages {
        assert_eq!(page.next()["kind"], "hello");
    }
    let Ok(Message::Close(Some(refusal))) = served.page().socket.read() else { panic!("there is room for one more") };
    let told = (u16::from(refusal.code), refusal.reason.as_str());
    assert_eq!(told, (1013, "16 pages are already open; close one first"));
    let mut closed = pages.remove(3);
    closed.socket.close(None).expect("it is open");
    // The console ends the connection when the place is free.
    while closed.socket.read().is_ok() {}
    let mut late = served.page();
    assert_eq!(late.next()["kind"], "hello");
    late.say("quit");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_bot_that_is_killed_is_told_without_being_asked() {
    let place = Place::new();
    let served = Served::begin(&place, &["human", BOT]);
    let mut page = served.page();
    page.say("raw 2 name --wait 60s");
    let killed = Command::new("kill").args(["-9", place.read("pid").trim()]).status().expect("kill");
    assert!(killed.success());
    let told = page.until(|message| message["kind"] == "state" && message["state"]["seats"][1]["state"] == "dead");
    let why = told.last().expect("a state")["state"]["seats"][1]["why"].as_str().expect("a reason").to_owned();
    assert_eq!(why, "SIGKILL ended it; on stderr: hello");
    page.say("bot 2 @random");
    page.say("play 1 [1,2]");
    let went = page.say("go");
    assert_eq!(went.last().expect("an answer")["document"]["ply"], 2);
    page.say("quit");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_bot_is_killed_while_it_thinks_and_a_flood_stops_nobody() {
    let place = Place::new();
    let flood = "sh -c 'while :; do head -c 65536 /dev/zero; done'";
    let served = Served::begin(&place, &["sleep 1000", flood, "--wait", "60s"]);
    let mut page = served.page();
    let go = page.send("go");
    page.until(|message| message["kind"] == "state" && message["state"]["seats"][0]["state"] == "thinking");
    page.send("kill 1");
    let answers = page.until(|message| message["kind"] == "answer" && message["id"] == go);
    assert_eq!(answers.last().expect("an answer")["document"]["ok"], false);
    page.say("bot 1 @random");
    assert_eq!(page.say("go").last().expect("an answer")["document"]["ply"], 1);
    let flooded = page.say("go");
    let error = flooded.last().expect("an answer")["document"]["error"]["text"].as_str().expect("an error").to_owned();
    assert!(error.contains("seat 2"), "{error}");
    page.say("bot 2 @random");
    assert_eq!(page.say("go").last().expect("an answer")["document"]["ply"], 2);
    page.say("quit");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_late_page_is_told_how_much_of_the_dialogue_it_does_not_get() {
    let place = Place::new();
    place.write("bot.sh", "read -r line\nhead -c 1500000 /dev/zero | tr '\\0' x\nread -r line\n");
    let served = Served::begin(&place, &["human", "sh bot.sh"]);
    let bytes = |said: &Value| -> usize {
        let pieces = said.as_array().expect("a list").iter();
        pieces.map(|piece| piece["text"].as_str().expect("a text").len()).sum()
    };
    let mut early = served.page();
    let hello = early.next();
    assert_eq!((&hello["said"], &hello["forgotten"]), (&json!([]), &json!(0)));
    early.send("raw 2 name");
    // It is killed beyond 1 MiB, and how much more of it was read by then depends on the machine.
    let mut said = 0;
    while said <= 1 << 20 {
        said += bytes(&early.until(|message| message["kind"] == "said").last().expect("a message")["said"]);
    }
    let hello = served.page().next();
    let forgotten = hello["forgotten"].as_u64().expect("a number") as usize;
    let kept = bytes(&hello["said"]);
    assert!(kept <= 1 << 20 && forgotten > 0 && kept + forgotten >= said, "{kept} + {forgotten} of {said}");
    early.send("quit");
    early.until(|message| message["kind"] == "end");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_build_keeps_nobody_waiting() {
    let place = Place::new();
    std::fs::create_dir(place.path("slow")).expect("a folder");
    place.write("slow/agon.toml", "build = [\"sleep\", \"1000\"]\nrun = [\"./bot\"]\n");
    let served = Served::begin(&place, &["human", "@greedy"]);
    let mut page = served.page();
    let bot = page.send("bot 2 ./slow");
    page.send("");
    let edited = page.say("undo");
    assert!(of(&edited, "answer").iter().all(|message| message["id"] != bot), "the build goes on");
    let ended = page.say("quit");
    let answer = of(&ended, "answer").into_iter().find(|message| message["id"] == bot).expect("an answer");
    assert_eq!(answer["document"]["ok"], false);
    assert!(answer["document"]["error"]["text"].as_str().is_some_and(|why| why.contains("./slow")), "{answer}");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn an_interrupted_session_is_kept() {
    let place = Place::new();
    let served = Served::begin(&place, &["human", "@greedy"]);
    let mut page = served.page();
    page.say("play 1 [1,2]");
    kill_process(Pid::from_child(&served.child), Signal::TERM).expect("it lives");
    assert_eq!(served.end(), Some(0));
    let verified = place.json(&["replay", "verify", "triangles-console-1.jsonl", "--format", "json"]);
    assert_eq!(verified["plies"], 1);
}

#[test]
fn a_console_ends_and_is_kept_when_the_program_has_ended_that_started_it() {
    let place = Place::new();
    let mut command = place.command(&["console", "triangles", "--no-open", "human", "@greedy", "--until-stdin-ends"]);
    let mut served = Served::start(command.stdin(Stdio::piped()));
    let mut page = served.page();
    page.say("play 1 [1,2]");
    drop(served.child.stdin.take());
    page.until(|message| message["kind"] == "end");
    assert_eq!(served.end(), Some(0));
    assert_eq!(place.json(&["replay", "verify", "triangles-console-1.jsonl", "--format", "json"])["plies"], 1);
}

#[test]
fn a_console_ends_and_is_kept_when_its_last_page_has_gone_for_long() {
    let place = Place::new();
    let served = Served::begin(&place, &["human", "@greedy", "--absence", "1ms"]);
    let (mut one, mut other) = (served.page(), served.page());
    assert_eq!((one.next()["kind"].clone(), other.next()["kind"].clone()), (json!("hello"), json!("hello")));
    drop(one);
    other.say("play 1 [1,2]");
    drop(other);
    assert_eq!(served.end(), Some(0));
    assert_eq!(place.json(&["replay", "verify", "triangles-console-1.jsonl", "--format", "json"])["plies"], 1);
}

/// What `agon replay view` serves.
struct View {
    child: Child,
    address: String,
    path: String,
}

impl View {
    fn begin(place: &Place, replay: &str) -> Self {
        let mut command = place.command(&["replay", "view", replay, "--no-open", "--format", "json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("agon can be started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let document: Value = serde_json::from_str(&line).expect("the first line is the document");
        let url = document["url"].as_str().expect("a text").strip_prefix("http://").expect("an address");
        let (address, path) = url.split_once('/').expect("a path");
        Self { child, address: address.to_owned(), path: path.to_owned() }
    }

    /// Asks for a console. The error is the whole answer.
    fn console(&self, ply: u32) -> Result<Served, String> {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let Self { address, path, .. } = self;
        let head = format!("POST /{path}play?ply={ply} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let document = answer.strip_prefix("HTTP/1.1 200 OK\r\n").and_then(|rest| rest.split_once("\r\n\r\n"));
        let Some((_, document)) = document else { return Err(answer) };
        let document: Value = serde_json::from_str(document).expect("the document of a console");
        let url = document["url"].as_str().and_then(|url| url.strip_prefix("http://")).expect("an address");
        let (address, token) = url.split_once("/#").expect("a token");
        // Its process is a child of the server.
        let child = Command::new("true").spawn().expect("it can be started");
        Ok(Served { child, address: address.to_owned(), token: token.to_owned() })
    }
}

#[test]
fn a_replay_has_room_for_eight_consoles_which_are_kept_when_its_page_is_no_longer_served() {
    let place = Place::new();
    let words = ["match", "triangles", "@random", "@random", "--seed", "3", "--replay", "game.jsonl", "--quiet"];
    assert_eq!(place.run(&words).code, 0);
    let mut view = View::begin(&place, "game.jsonl");
    let consoles: Vec<Served> = (0..8).map(|_| view.console(0).unwrap_or_else(|why| panic!("{why}"))).collect();
    let refused = view.console(0).err().expect("there is no more room");
    assert!(refused.starts_with("HTTP/1.1 409 ") && refused.contains("8 consoles are already open"), "{refused}");
    let mut page = consoles[3].page();
    page.say("quit");
    page.until(|message| message["kind"] == "end");
    // The process ends soon after its last word.
    while TcpStream::connect(&consoles[3].address).is_ok() {}
    let freed = loop {
        match view.console(0) {
            Ok(console) => break console,
            Err(why) => assert!(why.contains("8 consoles are already open"), "{why}"),
        }
    };
    let mut page = freed.page();
    let hello = page.next();
    let orders = hello["state"]["awaiting"][0].as_u64().expect("a seat decides");
    let played = page.say(&format!("play {orders} [1,2]"));
    assert_eq!(played.last().expect("an answer")["document"]["ok"], true, "{played:?}");
    // As Ctrl-C does, which reaches the server alone.
    kill_process(Pid::from_child(&view.child), Signal::INT).expect("it lives");
    assert_eq!(view.child.wait().expect("it ends").code(), Some(0));
    // It is kept before the connection ends.
    while page.socket.read().is_ok() {}
    let kept = place.json(&["replay", "verify", "triangles-console-1.jsonl", "--format", "json"]);
    assert_eq!(kept["plies"], 1);
}
