//! Workers that lie: whatever one says, the table is the one of a machine that has played alone.

use crate::{
    agon::Place,
    many_machines::{Server, alone, cup, export, leaves, verified, worker},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

const INSTANCE: &str = "feedfeedfeedfeedfeedfeedfeedfeed";

/// A worker that has the key and says what it likes.
struct Liar {
    port: u16,
    key: String,
    requests: u32,
}

impl Liar {
    /// Registers, and says that it has all bots ready.
    fn new(place: &Place, server: &Server) -> Self {
        let key = place.read("cup.key").trim().to_owned();
        let liar = Self { port: server.port.parse().expect("a port"), key, requests: 0 };
        let machine = json!({ "agon": env!("CARGO_PKG_VERSION"), "kernel": "", "cpu": "", "cores": 4, "target": "" });
        let about =
            json!({ "name": "liar", "instance": INSTANCE, "machine": machine, "isolation": "full", "tools": [] });
        let (status, registered) = liar.post("register", &about);
        assert_eq!(status, 200, "{registered}");
        let bot = |number: u32| json!({ "number": number, "ok": true });
        let ready = json!({ "edition": registered["edition"], "bots": [bot(0), bot(1), bot(2)] });
        assert_eq!(liar.post("ready", &ready).0, 200);
        liar
    }

    /// Sends bytes as the body of a request. Returns the status and the document that answers it.
    fn send(&self, method: &str, path: &str, body: &[u8], length: usize) -> (u16, Value) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("it can be");
        let head = format!(
            "{method} /worker/1/{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Agon-Worker: {INSTANCE}\r\nContent-Length: {length}\r\n\r\n",
            self.key
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        // A body that is refused is not read to its end.
        let _ = stream.write_all(body);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let document = answer.split_once("\r\n\r\n").map(|(_, document)| document).unwrap_or_default();
        (status, serde_json::from_str(document).unwrap_or_default())
    }

    fn post(&self, path: &str, document: &Value) -> (u16, Value) {
        let body = document.to_string();
        self.send("POST", path, body.as_bytes(), body.len())
    }

    fn put(&self, bytes: &[u8]) -> String {
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(self.send("PUT", &format!("blob/{hash}"), bytes, bytes.len()).0, 200);
        hash
    }

    /// Claims matches until it has some.
    fn claim(&mut self, most: u32) -> Vec<Value> {
        loop {
            self.requests += 1;
            let claim = json!({ "request": format!("{:032x}", self.requests), "most": most, "wait_ms": 5_000 });
            let (status, claimed) = self.post("claim", &claim);
            assert_eq!(status, 200, "{claimed}");
            let leases = claimed["leases"].as_array().cloned().unwrap_or_default();
            if !leases.is_empty() {
                return leases;
            }
        }
    }

    /// Reports that the first seat has won this match by far.
    fn report(&self, lease: &Value, replay: Option<&str>) -> (u16, Value) {
        self.report_all(&[(lease.clone(), replay.map(str::to_owned))])
    }

    /// Does the same for several matches at once, each with its replay.
    fn report_all(&self, lies: &[(Value, Option<String>)]) -> (u16, Value) {
        let seat = |place: u32, score: i64| {
            json!({ "version": 1, "score": score, "place": place, "fault": null, "refused": { "count": 0, "of": 0, "top": [] },
                    "decisions": 1, "time_us": 1, "max_us": 1 })
        };
        let settled = |(lease, replay): &(Value, Option<String>)| {
            let result = json!({ "ending": "finished", "reason": "limit", "seats": [seat(1, 900), seat(2, 0)], "plies": 20,
                                 "fingerprint": null, "replay": replay, "log": null, "started_ms": 1, "wall_us": 1 });
            json!({ "id": lease["match"]["id"], "token": lease["token"], "result": result })
        };
        self.post("report", &json!({ "results": lies.iter().map(settled).collect::<Vec<_>>() }))
    }
}

/// Fails unless the matches and the table are those of a machine that has played alone.
fn same_table(place: &Place, text: &str) {
    let (now, alone) = (export(place), alone(text));
    for key in ["standings", "matches"] {
        assert!(now[key].is_array() && now[key] == alone[key], "{key} differ");
    }
}

#[test]
fn a_worker_that_makes_results_up_is_put_aside_and_changes_nothing() {
    let (place, text) = (Place::new(), format!("verify = 100\n{}", cup(6)));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "0"]);
    let mut liar = Liar::new(&place, &server);
    let other = place.run(&["match", "planet-wars", "@random", "@rage", "--seed", "99", "--replay", "other.jsonl"]);
    assert_eq!(other.code, 0, "{other:?}");
    let other = std::fs::read(place.path("other.jsonl")).expect("it was written");
    let replays = [None, Some(liar.put(b"this is no replay")), Some(liar.put(&other))];
    let leases = liar.claim(3);
    let lies: Vec<(Value, Option<String>)> = leases.into_iter().zip(replays).collect();
    let (status, answer) = liar.report_all(&lies);
    let answers = answer["answers"].as_array().cloned().unwrap_or_default();
    assert!(status == 200 && answers.len() == 3, "{answer}");
    assert!(answers.iter().all(|answer| answer["outcome"] == "stored"), "nobody knows it yet: {answer}");
    let honest = worker(&place, &server.port, "x");
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("worker liar is put aside, and its matches are played again"), "{said}");
    assert_eq!(leaves(honest), 0);
    same_table(&place, &text);
    verified(&place);
}

#[test]
fn who_is_put_aside_is_not_heard_any_more() {
    let (place, text) = (Place::new(), format!("verify = 100\n{}", cup(40)));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "0"]);
    let mut liar = Liar::new(&place, &server);
    let leases = liar.claim(4);
    let (lie, kept) = leases.split_first().expect("there are matches");
    assert_eq!(liar.report(lie, None).0, 200);
    let honest = worker(&place, &server.port, "x");
    let refused = loop {
        let (status, answer) = liar.post("beat", &json!({ "held": [] }));
        if status != 200 {
            break (status, answer["error"]["code"].clone());
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(refused, (403, json!("put_aside")));
    for lease in kept {
        assert_eq!(liar.report(lease, None).0, 403, "an old token");
    }
    let machine = json!({ "agon": env!("CARGO_PKG_VERSION"), "kernel": "", "cpu": "", "cores": 4, "target": "" });
    let about =
        json!({ "name": "liar", "instance": "beef".repeat(8), "machine": machine, "isolation": "full", "tools": [] });
    assert_eq!(liar.post("register", &about).0, 403, "its name is known");
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    leaves(honest);
    same_table(&place, &text);
}

#[test]
fn machines_that_do_not_fit_are_refused_with_the_way_out() {
    let (place, text) = (Place::new(), format!("machines = \"alike\"\n{}", cup(40)));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "1"]);
    let key = place.read("cup.key").trim().to_owned();
    let stranger = Liar { port: server.port.parse().expect("a port"), key, requests: 0 };
    let machine = json!({ "agon": env!("CARGO_PKG_VERSION"), "kernel": "", "cpu": "Z80", "cores": 1, "target": "" });
    let about = json!({ "name": "old", "instance": INSTANCE, "machine": machine, "isolation": "full", "tools": [] });
    let (status, answer) = stranger.post("register", &about);
    assert_eq!((status, &answer["error"]["code"]), (403, &json!("unfit")), "{answer}");
    let said = |key: &str| answer["error"][key].as_str().unwrap_or_default().to_owned();
    assert!(said("message").contains("Z80") && said("hint").contains("machines = \"any\""), "{answer}");
    let fits = worker(&place, &server.port, "x");
    let (code, said) = server.end();
    assert!(code == 0 && said.contains("worker x is here"), "{said}");
    leaves(fits);
}

#[test]
fn floods_and_huge_bodies_are_refused_and_others_play_on() {
    let (place, text) = (Place::new(), cup(6));
    place.write("cup.toml", &text);
    let server = Server::start(&place, "0", &["--cores", "0"]);
    let liar = Liar::new(&place, &server);
    let huge = 65 << 20;
    assert_eq!(liar.send("PUT", &format!("blob/{}", "0".repeat(64)), b"x", huge).0, 413);
    assert_eq!(liar.send("POST", "report", b"{", 5 << 20).0, 413);
    assert_eq!(liar.send("PUT", &format!("blob/{}", "0".repeat(64)), b"other bytes", 11).0, 422);
    let statuses: Vec<u16> = (0..400).map(|_| liar.post("beat", &json!({ "held": [] })).0).collect();
    assert!(statuses.contains(&429), "it is told to wait");
    let honest = worker(&place, &server.port, "x");
    let (code, said) = server.end();
    assert_eq!(code, 0, "{said}");
    leaves(honest);
    same_table(&place, &text);
}
