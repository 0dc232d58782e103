//! Tests `agon replay html` and `agon replay view`. What the pages do is tested in a browser, by `cargo xtask e2e`.

use crate::agon::Place;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::Stdio,
};

/// Returns a place with `game.jsonl` and `game.jsonl.zst`, the same short match.
fn played() -> Place {
    let place = Place::new();
    for name in ["game.jsonl", "game.jsonl.zst"] {
        let args = ["match", "grid", "@random", "@greedy", "--map", "gen:8x8:3", "--seed", "3", "--replay", name];
        assert_eq!(place.run(&args).code, 0);
    }
    place
}

#[test]
fn a_page_holds_the_match_and_fetches_nothing() {
    let place = played();
    let done = place.run(&["replay", "html", "game.jsonl", "-o", "game.html"]);
    assert_eq!((done.code, done.err.as_str()), (0, "the page is in game.html\n"), "{done:?}");
    let page = place.read("game.html");
    assert!(
        page.contains("default-src 'none'; connect-src 'none'; script-src 'sha256-"),
        "the policy forbids what is not in the file"
    );
    assert!(!page.contains("'unsafe-inline'") && !page.contains("'unsafe-eval'"), "and has no way around");
    for word in [" src=\"", " href=\"http", "@import", "url(http"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(!page.contains("agon-transcript\">"), "what bots wrote is there only if one asks");
    let again = place.run(&["replay", "html", "game.jsonl"]);
    assert_eq!(again.out, page, "without a name it is written to stdout, byte for byte the same");
}

#[test]
fn parts_of_a_page_must_be_what_they_say() {
    let place = played();
    place.write("other.txt", "no replay");
    place.write("talk.jsonl", "{\"ply\":1,\"seat\":1,\"stream\":\"err\",\"at_us\":1,\"bytes\":\"hello\"}\n");
    place.fails(1, &["replay", "html", "other.txt"], &["other.txt"]);
    place.fails(1, &["replay", "html", "missing.jsonl"], &["missing.jsonl"]);
    place.fails(1, &["replay", "html", "game.jsonl", "--transcript", "other.txt"], &["`other.txt` is no transcript"]);
    place.fails(1, &["replay", "html", "game.jsonl", "-o", "game.jsonl"], &["would overwrite the replay"]);
    let with = place.run(&["replay", "html", "game.jsonl", "--transcript", "talk.jsonl"]);
    assert!(with.code == 0 && with.out.contains("id=\"agon-transcript\""), "{}", with.err);
    // A replay that was cut off in the middle of its stream has the turns that are there.
    let whole = std::fs::read(place.path("game.jsonl.zst")).expect("it was written");
    place.write("cut.jsonl.zst", &whole[..whole.len() - 9]);
    assert_eq!(place.run(&["replay", "html", "cut.jsonl.zst", "-o", "cut.html"]).code, 0);
}

#[test]
fn a_page_of_one_seat_has_neither_the_replay_nor_the_rules() {
    let place = played();
    let piece = |seat: u8| format!("{{\"ply\":1,\"seat\":{seat},\"stream\":\"err\",\"at_us\":1,\"bytes\":\"hi\"}}\n");
    place.write("talk.jsonl", piece(1) + &piece(2));
    place.write("mine.jsonl", piece(2));
    let page = |words: &[&str]| {
        let done = place.run(&[&["replay", "html", "game.jsonl", "--seat", "2"], words].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        done.out
    };
    let alone = page(&[]);
    assert!(alone.contains("id=\"agon-known\""));
    for word in ["id=\"agon-replay\"", "id=\"agon-engine\"", "wasm-unsafe-eval"] {
        assert!(!alone.contains(word), "{word}");
    }
    assert_eq!(
        page(&["--transcript", "talk.jsonl"]),
        page(&["--transcript", "mine.jsonl"]),
        "only its own bot's words"
    );
    place.fails(
        1,
        &["replay", "html", "game.jsonl", "--seat", "3"],
        &["this match has no seat 3", "it has the seats 1 to 2"],
    );
    for number in ["0", "33", "-1"] {
        place.fails(2, &["replay", "html", "game.jsonl", "--seat", number], &["--seat", "1..=32"]);
    }
    place.fails(2, &["replay", "html", "game.jsonl", "--seat", "1", "--beside", "game.jsonl"], &["--beside"]);
    place.fails(1, &["replay", "html", "game.jsonl", "--beside", "talk.jsonl"], &["talk.jsonl"]);
    let both = place.run(&["replay", "html", "game.jsonl", "--beside", "game.jsonl.zst"]);
    assert!(both.code == 0 && both.out.contains("id=\"agon-beside\""), "{}", both.err);
}

#[test]
fn a_page_is_served_to_who_knows_its_address() {
    let place = played();
    let mut child = place
        .command(&["replay", "view", "game.jsonl", "--no-open", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("agon can be started");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("a line");
    let document: Value = serde_json::from_str(&line).expect("the first line is the document");
    assert_eq!(document["schema"], 1);
    let url = document["url"].as_str().expect("a text").strip_prefix("http://").expect("an address");
    let (address, path) = url.split_once('/').expect("a path");
    let send = |request: &str, more: &str| {
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(stream, "{request} HTTP/1.1\r\nHost: {address}\r\n{more}\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    };
    let ask = |path: &str, more: &str| send(&format!("GET /{path}"), more);
    let page = ask(path, "");
    let (head, body) = page.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    let (plays, others): (Vec<&str>, Vec<&str>) = body.lines().partition(|line| line.contains("id=\"agon-plays\""));
    assert_eq!(plays.len(), 1, "the page can ask its server for a console");
    let file = place.run(&["replay", "html", "game.jsonl"]).out.replacen("connect-src 'none'", "connect-src 'self'", 1);
    assert_eq!(others.join("\n") + "\n", file);
    assert!(ask("", "").starts_with("HTTP/1.1 403 "));
    assert!(ask(path, "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403 "));

    let begin = |ply: u32| send(&format!("POST /{path}play?ply={ply}"), "Content-Length: 0\r\n");
    assert!(begin(999).starts_with("HTTP/1.1 409 "), "there is no such turn");
    let begun = begin(2);
    let (head, document) = begun.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{begun}");
    let document: Value = serde_json::from_str(document).expect("the document of a console");
    let console = document["url"].as_str().and_then(|url| url.strip_prefix("http://")).expect("an address");
    let (console, token) = console.split_once("/#").expect("a token");
    assert_eq!(token.len(), 32);
    assert!(TcpStream::connect(console).is_ok(), "it listens");
    place.write("game.jsonl", "another replay");
    assert!(begin(2).contains("missing or has changed"), "only what the page shows is played on");

    kill_process(Pid::from_child(&child), Signal::TERM).expect("it lives");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
