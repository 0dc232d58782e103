//! Asks the server as workers do, and as others do who should not.

use super::{Desk, ReadBundle, Routes, Shelf, WaitingBlobs, WorkerKey, serve_with_patience};
use agon_core::{Derivation, Seed};
use agon_dispatch::{Dispatcher, Do, In, MOST_RESULTS, Settings};
use agon_play::Post;
use agon_spec::{
    WORKER_DOCUMENT_LIMIT, WorkerAnswer, WorkerField, WorkerFieldBot, WorkerLease, WorkerMatch, WorkerOutcome,
    WorkerReplays, WorkerTournament,
};
use agon_store::BlobHash;
use serde_json::{Value, json};
use std::{
    fs,
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

const INSTANCE: &str = "0123456789abcdef";
const BUNDLE: usize = 1_000_000;

struct Bundles;

impl ReadBundle for Bundles {
    fn read(&self, _: BlobHash, from: u64, take: &mut dyn FnMut(Vec<u8>) -> bool) -> io::Result<()> {
        let bytes = bundle();
        bytes[from as usize..].chunks(65_536).all(|piece| take(piece.to_vec()));
        Ok(())
    }

    fn blob(&self, blob: BlobHash) -> io::Result<Option<Vec<u8>>> {
        Ok(self.has(blob).then(|| b"stored".to_vec()))
    }

    fn has(&self, blob: BlobHash) -> bool {
        blob == BlobHash::of(b"stored")
    }
}

fn bundle() -> Vec<u8> {
    (0..BUNDLE).map(|at| (at % 251) as u8).collect()
}

struct Served {
    address: SocketAddr,
    key: String,
}

impl Served {
    /// Serves two bots, and a load that has matches without an end and stores what comes.
    fn new() -> Self {
        Self::with_patience(Duration::from_secs(10))
    }

    /// Does the same, and gives clients this time for the head of a request.
    fn with_patience(patience: Duration) -> Self {
        static NTH: AtomicU32 = AtomicU32::new(0);
        let nth = NTH.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("agon-dispatch-{}-{nth}.key", std::process::id()));
        let key = WorkerKey::read_or_make(&path).expect("a key");
        let text = fs::read_to_string(&path).expect("it was made").trim().to_owned();
        fs::remove_file(&path).expect("it is ours");
        let tournament = WorkerTournament { name: "cup".into(), game: "grid".into() };
        let settings = Settings::new("1.2.3", tournament, 2);
        let desk = Desk::open(move |now| Dispatcher::new(settings, now)).expect("a thread");
        let load = desk.clone();
        let last = AtomicU32::new(0);
        desk.begin(Post::new(move |order| {
            match order {
                Do::Want { asker, .. } => {
                    let id = u64::from(last.fetch_add(1, Ordering::Relaxed)) + 1;
                    let (map_seed, seed) = (Seed(1), Seed(2));
                    let planned =
                        WorkerMatch { id, round: 1, map: 0, map_seed, seed, bots: vec![0, 1], probability: None };
                    let leases = vec![WorkerLease { token: 100 + id, planned, attempts: 0 }];
                    load.tell(In::Given { asker, leases, checks: Vec::new(), passed: Vec::new() });
                }
                Do::Store { settled, .. } => {
                    let (id, token, outcome) = (settled.id, settled.token, WorkerOutcome::Stored);
                    load.tell(In::Settled(vec![WorkerAnswer { id, token, outcome }]));
                }
                _ => {}
            }
            true
        }));
        let hash = BlobHash::of(&bundle());
        let bot = |number| WorkerFieldBot {
            number,
            name: format!("bot{number}"),
            bundle: Some(hash.hex()),
            size: BUNDLE as u64,
            version: 1,
        };
        let (derivation, replays) = (Derivation::Keyed, WorkerReplays::All);
        let bots = vec![bot(0), bot(1)];
        let field =
            WorkerField { edition: 1, file: "game = \"grid\"".into(), bots, maps: Vec::new(), derivation, replays };
        let maps = [(BlobHash::of(b"map"), b"map".to_vec())].into();
        let bundles = [(hash, BUNDLE as u64)].into();
        let shelf = Arc::new(Shelf { field, maps, bundles, reader: Box::new(Bundles) });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("it can be");
        let address = listener.local_addr().expect("it listens");
        let routes = Routes::new(key, desk, shelf, Arc::new(WaitingBlobs::default()));
        serve_with_patience(listener, routes, patience).expect("a thread");
        Self { address, key: text }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(40))).expect("it can be");
        stream
    }

    /// Asks with the key on a connection that stays, and returns the status and the body.
    fn on(&self, stream: &mut TcpStream, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let key = format!("Authorization: Bearer {}\r\nAgon-Worker: {INSTANCE}\r\n", self.key);
        ask(stream, method, path, &key, body)
    }

    fn json(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.on(&mut self.connect(), "POST", path, body.to_string().as_bytes());
        (status, serde_json::from_slice(&answer).expect("every answer is JSON"))
    }

    fn register(&self) {
        let machine = json!({ "agon": "1.2.3", "kernel": "Linux", "cpu": "x", "cores": 1, "target": "x86_64-linux" });
        let about = json!({ "name": "w", "instance": INSTANCE, "machine": machine, "isolation": "full", "tools": [] });
        assert_eq!(self.json("/worker/1/register", &about).0, 200);
        let bots = json!([{ "number": 0, "ok": true }, { "number": 1, "ok": true }]);
        assert_eq!(self.json("/worker/1/ready", &json!({ "edition": 1, "bots": bots })), (200, json!({})));
    }
}

fn ask(stream: &mut TcpStream, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: agon\r\n{headers}Content-Length: {length}\r\n\r\n");
    // The server may refuse before it has read everything.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    answer(stream)
}

fn answer(stream: &mut TcpStream) -> (u16, Vec<u8>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return (0, head);
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("a head").to_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    let mut body = vec![0; length.parse().expect("a number")];
    stream.read_exact(&mut body).expect("the whole body");
    assert!(head.contains("cache-control: no-store"), "{head}");
    assert_eq!(head.contains("retry-after: "), status == 429 || status == 503, "{head}");
    (status, body)
}

fn code(answer: &[u8]) -> String {
    let document: Value = serde_json::from_slice(answer).expect("every refusal is JSON");
    document["error"]["code"].as_str().expect("a code").to_owned()
}

#[test]
fn a_worker_fetches_plays_and_reports_on_one_connection() {
    let served = Served::new();
    served.register();
    let mut stream = served.connect();
    let (status, field) = served.on(&mut stream, "GET", "/worker/1/field", b"");
    let field: WorkerField = serde_json::from_slice(&field).expect("a field");
    assert_eq!((status, field.bots.len()), (200, 2));
    let path = format!("/worker/1/bundle/{}", field.bots[0].bundle.as_ref().expect("it is a program"));
    assert!(served.on(&mut stream, "GET", &path, b"") == (200, bundle()));
    for from in [1, 70_000, BUNDLE - 1, BUNDLE] {
        let part = served.on(&mut stream, "GET", &format!("{path}?from={from}"), b"");
        assert!(part.0 == 200 && part.1 == bundle()[from..], "{from}");
    }
    let map = format!("/worker/1/blob/{}", BlobHash::of(b"map").hex());
    assert_eq!(served.on(&mut stream, "GET", &map, b""), (200, b"map".to_vec()));
    let claim = json!({ "request": INSTANCE, "most": 1, "wait_ms": 20_000 }).to_string();
    let (status, claimed) = served.on(&mut stream, "POST", "/worker/1/claim", claim.as_bytes());
    let claimed: Value = serde_json::from_slice(&claimed).expect("JSON");
    assert_eq!((status, &claimed["leases"][0]["match"]["id"], &claimed["finished"]), (200, &json!(1), &json!(false)));
    let token = claimed["leases"][0]["token"].as_u64().expect("a token");
    let held = json!({ "held": [{ "token": token, "ply": 3 }] }).to_string();
    assert_eq!(served.on(&mut stream, "POST", "/worker/1/beat", held.as_bytes()).1, br#"{"over":[]}"#);
    let replay = b"a replay".to_vec();
    let hash = BlobHash::of(&replay).hex();
    let seat = json!({ "version": 1, "score": 1, "place": 1, "fault": null, "refused": { "count": 0, "of": 0, "top": [] },
                       "decisions": 1, "time_us": 1, "max_us": 1 });
    let result = json!({ "ending": "finished", "reason": "limit", "seats": [seat, seat], "plies": 3, "fingerprint": null,
                         "replay": hash, "log": null, "started_ms": 0, "wall_us": 5 });
    let report = json!({ "results": [{ "id": 1, "token": token, "result": result }] }).to_string();
    let missing = served.on(&mut stream, "POST", "/worker/1/report", report.as_bytes());
    assert_eq!((missing.0, code(&missing.1)), (422, "no_blob".to_owned()));
    let path = format!("/worker/1/blob/{hash}");
    let wrong = served.on(&mut stream, "PUT", &path, b"another replay");
    assert_eq!((wrong.0, code(&wrong.1)), (422, "other_bytes".to_owned()));
    assert_eq!(served.on(&mut stream, "PUT", &path, &replay).0, 200);
    for outcome in ["stored", "duplicate"] {
        let (status, answer) = served.on(&mut stream, "POST", "/worker/1/report", report.as_bytes());
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!((status, answer), (200, json!({ "answers": [{ "id": 1, "token": token, "outcome": outcome }] })));
    }
    let stored = report.replace(&hash, &BlobHash::of(b"stored").hex());
    assert_eq!(served.on(&mut stream, "POST", "/worker/1/report", stored.as_bytes()).0, 200, "the store has it");
    assert_eq!(served.on(&mut stream, "POST", "/worker/1/leave", b"{}"), (200, b"{}".to_vec()));
}

#[test]
fn whoever_has_not_the_key_learns_nothing() {
    let served = Served::new();
    let key = format!("Authorization: Bearer {}\r\n", served.key);
    let wrong = format!("Authorization: Bearer {}\r\n", "0".repeat(64));
    let short = format!("Authorization: Bearer {}\r\n", &served.key[..63]);
    let basic = format!("Authorization: Basic {}\r\n", served.key);
    for headers in ["", &wrong, &short, &basic, "Authorization: Bearer \r\n", &(key.clone() + &wrong)] {
        for (method, path) in [("GET", "/worker/1/field"), ("POST", "/worker/1/claim"), ("GET", "/"), ("PUT", "/x")] {
            let (status, answer) = ask(&mut served.connect(), method, path, headers, b"");
            assert_eq!((status, code(&answer).as_str()), (401, "no_key"), "{headers} {path}");
        }
    }
    let page = format!("{key}Origin: http://evil.example\r\n");
    let (status, answer) = ask(&mut served.connect(), "GET", "/worker/1/field", &page, b"");
    assert_eq!((status, code(&answer).as_str()), (403, "forbidden"));
}

#[test]
fn strange_requests_are_refused_with_a_reason() {
    let served = Served::new();
    let hash = BlobHash::of(b"x").hex();
    let bundle = BlobHash::of(&bundle()).hex();
    for (method, path, body, expected) in [
        ("GET", "/", "", (404, "not_found")),
        ("GET", "/worker/1", "", (404, "not_found")),
        ("GET", "/worker/2/field", "", (409, "other_version")),
        ("POST", "/worker/1/field", "{}", (404, "not_found")),
        ("DELETE", "/worker/1/field", "", (404, "not_found")),
        ("POST", "/worker/1/dance", "{}", (404, "not_found")),
        ("POST", "/worker/1/claim", "", (400, "bad_request")),
        ("POST", "/worker/1/claim", "[]", (400, "bad_request")),
        ("POST", "/worker/1/register", "{\"name\":1}", (400, "bad_request")),
        ("POST", "/worker/1/beat", "{\"held\":[]}", (409, "unknown_worker")),
        ("GET", &format!("/worker/1/bundle/{hash}"), "", (404, "not_found")),
        ("GET", &format!("/worker/1/bundle/{bundle}?from=1000001"), "", (400, "bad_request")),
        ("GET", &format!("/worker/1/bundle/{bundle}?from=-1"), "", (400, "bad_request")),
        ("GET", "/worker/1/bundle/../../etc/passwd", "", (400, "bad_request")),
        ("GET", &format!("/worker/1/blob/{hash}"), "", (404, "not_found")),
        ("PUT", "/worker/1/blob/x", "", (400, "bad_request")),
    ] {
        let (status, answer) = served.on(&mut served.connect(), method, path, body.as_bytes());
        assert_eq!((status, code(&answer).as_str()), expected, "{method} {path} {body}");
    }
}

#[test]
fn large_bodies_are_refused_before_they_are_read() {
    let served = Served::new();
    let put = format!("/worker/1/blob/{}", BlobHash::of(b"x").hex());
    for (method, path, length) in
        [("POST", "/worker/1/claim", 5 << 20), ("PUT", &put, 65 << 20), ("PUT", &put, 1_u64 << 60)]
    {
        let mut stream = served.connect();
        let key = &served.key;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: agon\r\nAuthorization: Bearer {key}\r\nAgon-Worker: {INSTANCE}\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("it reads the head");
        let (status, answer) = answer(&mut stream);
        assert_eq!((status, code(&answer).as_str()), (413, "too_large"), "{length}");
    }
    // A length that is not said is measured.
    let mut stream = served.connect();
    let key = &served.key;
    let head = format!("POST /worker/1/claim HTTP/1.1\r\nHost: agon\r\nAuthorization: Bearer {key}\r\n");
    stream.write_all((head + "Transfer-Encoding: chunked\r\n\r\n").as_bytes()).expect("it reads the head");
    let piece = [b"100000\r\n".to_vec(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
    for _ in 0..WORKER_DOCUMENT_LIMIT >> 20 {
        stream.write_all(&piece).expect("it is not too much yet");
    }
    // With more than this byte on its way, the system might throw the answer away.
    stream.write_all(b"1\r\n \r\n").expect("it listens");
    let (status, answer) = answer(&mut stream);
    assert_eq!((status, code(&answer).as_str()), (413, "too_large"));
}

#[test]
fn a_sign_of_life_does_not_wait_for_slow_replays() {
    let served = Served::new();
    served.register();
    let (put, key) = (format!("/worker/1/blob/{}", BlobHash::of(b"x").hex()), &served.key);
    let head = format!(
        "PUT {put} HTTP/1.1\r\nHost: agon\r\nAuthorization: Bearer {key}\r\nAgon-Worker: {INSTANCE}\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    let mut slow: Vec<TcpStream> = (0..4).map(|_| served.connect()).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(head.as_bytes()).expect("it reads the head"));
    let mut stream = served.connect();
    // Without a room of its own it would wait until the slow ones are cut off, after 10 s.
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("it can be");
    let beaten = served.on(&mut stream, "POST", "/worker/1/beat", br#"{"held":[]}"#);
    assert_eq!(beaten, (200, br#"{"over":[]}"#.to_vec()));
}

#[test]
fn a_report_is_measured_before_anybody_looks_for_its_replays() {
    let served = Served::new();
    served.register();
    let result = json!({ "ending": "spoilt", "reason": "host", "seats": [], "plies": 0, "fingerprint": null,
                         "replay": BlobHash::of(b"x").hex(), "log": null, "started_ms": 0, "wall_us": 5 });
    for (count, expected) in [(MOST_RESULTS, (422, "no_blob")), (MOST_RESULTS + 1, (400, "bad_request"))] {
        let settled = |id| json!({ "id": id, "token": id, "result": result });
        let report = json!({ "results": (0..count).map(settled).collect::<Vec<_>>() });
        let (status, answer) = served.json("/worker/1/report", &report);
        assert_eq!((status, answer["error"]["code"].as_str().expect("a code")), expected, "{count}");
    }
}

#[test]
fn slow_clients_hold_nobody_up() {
    let served = Served::with_patience(Duration::from_secs(1));
    served.register();
    // Each is a connection that says half a word.
    let mut slow: Vec<TcpStream> = (0..200).map(|_| served.connect()).collect();
    for (nth, stream) in slow.iter_mut().enumerate() {
        let words = if nth % 2 == 0 { "POST /worker/1/cl" } else { "GET /worker/1/field HTTP/1.1\r\nHost: a\r\nX: " };
        // On a busy machine the first ones may be cut off already.
        let _ = stream.write_all(words.as_bytes());
    }
    let claim = json!({ "request": INSTANCE, "most": 1, "wait_ms": 0 });
    assert_eq!(served.json("/worker/1/claim", &claim).0, 200);
    for stream in &mut slow {
        let (status, _) = answer(stream);
        assert!(status == 0 || status == 408, "{status}");
    }
}
