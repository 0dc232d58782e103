//! `agon submit` to a server that runs, and to one that is killed.

use crate::{agon::Place, schemas::assert_valid};
use agon_contest::Scope;
use agon_server::{
    database::Database,
    people::{Ask, accounts, sessions, teams, visit},
};
use agon_store::Sqlite;
use serde_json::Value;
use std::{
    fs::{self, Permissions},
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Stdio},
    time::{SystemTime, UNIX_EPOCH},
};

const CONTEST: &str = "name = \"Cup\"\ngame = \"planet-wars\"\nregistration = \"open\"\n";

/// Makes a contest with a team, and a token in the file `token`.
fn contest() -> Place {
    let place = Place::new();
    place.write("cup.toml", CONTEST);
    let store = place.path("cup.agon");
    let _held = Sqlite::open(&store).expect("a store");
    let database = Database::sqlite(&store).expect("a store");
    let file = agon_contest::ContestFile::parse(CONTEST).expect("a contest");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later").as_millis() as i64;
    let visitor = Ask::visitor(None, now);
    let session =
        accounts::register(&database, &file, &visitor, "bo", "a long password", None, "").expect("it is open");
    let ask = |database: &Database| {
        let viewer = visit(database, Some(&session), now).expect("a session");
        Ask { viewer, address: None, now }
    };
    let asks = ask(&database);
    database.transact(move |sql| teams::make(sql, &asks, "Red")).expect("nobody has this name");
    let asks = ask(&database);
    let token = database.transact(move |sql| sessions::make_token(sql, &asks, Scope::Submit, "laptop", None));
    place.write("token", token.expect("there is room").text());
    fs::set_permissions(place.path("token"), Permissions::from_mode(0o600)).expect("it is ours");
    place
}

/// A server, which is killed at the end.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(place: &Place, listen: &str) -> Self {
        let mut command = place.command(&["serve", "cup.toml", "--listen", listen, "--format", "json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("agon can be started");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        out.read_line(&mut line).expect("text");
        let document: Value = serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
        let url = document["url"].as_str().expect("an address").trim_end_matches('/').to_owned();
        Self { child, url }
    }

    fn port(&self) -> &str {
        self.url.rsplit(':').next().expect("a port")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn kit(place: &Place) -> String {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/planet-wars/python/bot.py");
    fs::create_dir_all(place.path("mine")).expect("the folder for tests can be written to");
    fs::copy(kit, place.path("mine/bot.py")).expect("a kit");
    "mine".to_owned()
}

#[test]
fn a_bot_is_sent_once_and_what_becomes_of_it_is_told() {
    let place = contest();
    let server = Server::start(&place, "0");
    let bot = kit(&place);
    let submit =
        |bot: &str, more: &[&str]| place.run(&[&["submit", &server.url, bot, "--token-file", "token"], more].concat());
    let done = submit(&bot, &[]);
    assert_eq!(done.code, 0, "{done:?}");
    for words in ["intake: passed", "build: passed", "check: passed", "trial match: passed", "speaks the protocol"] {
        assert!(done.out.contains(words), "{words}: {}", done.out);
    }
    assert!(
        done.err.contains("received as version 1 (sha256:") && done.err.contains("accepted and plays"),
        "{}",
        done.err
    );
    let again = submit(&bot, &["--format", "json"]);
    let document: Value = serde_json::from_str(&again.out).unwrap_or_else(|why| panic!("{why}: {again:?}"));
    assert_valid(&place, "submission", &document);
    assert_eq!((&document["version"]["receipt"]["version"], &document["version"]["name"]), (&1.into(), &"mine".into()));

    fs::create_dir(place.path("broken")).expect("a folder");
    place.write("broken/bot.py", "raise SystemExit('no luck')\n");
    let refused = submit("broken", &[]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.out.contains("check: REFUSED") && refused.out.contains("no luck"), "{}", refused.out);
    assert!(refused.err.contains("version 2 is refused (check)"), "{}", refused.err);
}

#[test]
fn a_receipt_outlives_a_server_that_is_killed() {
    let place = contest();
    let server = Server::start(&place, "0");
    let (url, port) = (server.url.clone(), server.port().to_owned());
    let bot = kit(&place);
    let mut submit = place.command(&["submit", &url, &bot, "--token-file", "token", "--format", "json"]);
    let mut submit = submit.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon can be started");
    let mut told = BufReader::new(submit.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("received as version 1") {
        line.clear();
        assert!(told.read_line(&mut line).expect("text") > 0, "it has ended");
    }
    drop(server);
    let server = Server::start(&place, &port);
    let done = submit.wait_with_output().expect("it ends");
    let document: Value = serde_json::from_slice(&done.stdout).expect("a document");
    assert_eq!((&document["version"]["status"], &document["version"]["plays"]), (&"accepted".into(), &true.into()));
    assert_eq!(done.status.code(), Some(0));
    let again = place.json(&["submit", &server.url, &bot, "--token-file", "token", "--format", "json"]);
    assert_eq!(again["version"]["receipt"], document["version"]["receipt"]);
}

#[test]
fn what_cannot_be_sent_is_said_before_anything_is_sent() {
    let place = Place::new();
    kit(&place);
    let nowhere = "http://127.0.0.1:9";
    place.fails(2, &["submit", nowhere, "mine"], &["there is no token", "--token-file FILE", "AGON_TOKEN_FILE"]);
    place.write("token", "0123456789abcdef0123456789abcdef\n");
    let with_mode = |mode| fs::set_permissions(place.path("token"), Permissions::from_mode(mode)).expect("it is ours");
    let submit = |url, bot| ["submit", url, bot, "--token-file", "token"];
    with_mode(0o644);
    place.fails(1, &submit(nowhere, "mine"), &["others can read the token", "chmod 600"]);
    with_mode(0o600);
    place.fails(1, &submit(nowhere, "nothing"), &["`nothing` does not exist"]);
    place.fails(1, &submit(nowhere, "token"), &["is neither a folder nor an archive"]);
    place.fails(2, &submit("ftp://server", "mine"), &["http://HOST:PORT"]);
    place.fails(2, &submit("http://me:secret@server", "mine"), &["has a user or a password"]);
    place.fails(1, &submit(nowhere, "mine"), &["does not answer", "what was received stays received"]);
    place.write("short", "abc\n");
    fs::set_permissions(place.path("short"), Permissions::from_mode(0o600)).expect("it is ours");
    place.fails(1, &["submit", nowhere, "mine", "--token-file", "short"], &["holds no token"]);
}
