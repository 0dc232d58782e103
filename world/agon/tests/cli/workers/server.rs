//! A server that leads a tournament from memory, and fails as its script says.

use agon_core::{Derivation, Seed};
use agon_spec::{
    WORKER_HEADER, WorkerAnswer, WorkerBeat, WorkerBeaten, WorkerClaim, WorkerClaimed, WorkerField, WorkerFieldBot,
    WorkerGiveBack, WorkerLease, WorkerMatch, WorkerNoted, WorkerOutcome, WorkerReady, WorkerRegister,
    WorkerRegistered, WorkerRelease, WorkerReplays, WorkerReport, WorkerReported, WorkerResult, WorkerTournament,
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

pub const KEY: &str = "0123456789abcdef0123456789abcdef";

/// What happens to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The connection ends before the request is carried out.
    Refused,
    /// The request is carried out, and its answer is lost.
    Lost,
    /// The server asks for patience, for a second.
    Busy,
    /// The connection ends after so many bytes of the answer's body.
    Cut(usize),
    /// The answer has so many bytes more than anybody wants.
    Huge,
}

/// What the server knows.
pub struct State {
    pub field: WorkerField,
    pub bundles: BTreeMap<String, Vec<u8>>,
    pub blobs: BTreeMap<String, Vec<u8>>,
    pub known: BTreeSet<String>,
    /// Matches that nobody has.
    pub open: Vec<WorkerMatch>,
    pub leases: BTreeMap<u64, WorkerMatch>,
    claims: BTreeMap<String, Vec<u64>>,
    /// How often each match was stored.
    pub results: BTreeMap<u64, Vec<WorkerResult>>,
    pub outcomes: Vec<WorkerOutcome>,
    pub released: Vec<u64>,
    pub given_back: Vec<String>,
    pub ready: Option<WorkerReady>,
    pub left: u32,
    pub over: Vec<u64>,
    /// The names of all requests, in order.
    pub requests: Vec<String>,
    /// The turns of which signs of life spoke.
    pub turns: BTreeSet<u32>,
    /// Whether blobs are forgotten before the next report.
    pub forgetful: bool,
    /// A match whose results are none.
    pub refused: Option<u64>,
    last_token: u64,
}

type Script = Box<dyn FnMut(&str, usize) -> Option<Fault> + Send>;

/// A server on the loopback address. It ends with this value.
pub struct Server {
    pub address: String,
    pub state: Arc<Mutex<State>>,
    script: Arc<Mutex<Script>>,
    listener: Arc<Mutex<Option<TcpListener>>>,
}

/// Returns the name of bytes.
pub fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Server {
    /// Leads `matches` matches of a file between its first two bots.
    pub fn start(file: &str, names: &[&str], matches: u64) -> Self {
        let bot = |(number, name): (u32, &&str)| WorkerFieldBot {
            number,
            name: (*name).to_owned(),
            bundle: None,
            size: 0,
            version: 1,
        };
        let map = agon_spec::WorkerFieldMap { name: "gen".to_owned(), blob: None };
        let open = (1..=matches).rev().map(|id| WorkerMatch {
            id,
            round: 1,
            map: 0,
            map_seed: Seed(id),
            seed: Seed(id),
            bots: vec![0, 1],
            probability: None,
        });
        let state = State {
            field: WorkerField {
                edition: 1,
                file: file.to_owned(),
                bots: (0..).zip(names).map(bot).collect(),
                maps: vec![map],
                derivation: Derivation::Keyed,
                replays: WorkerReplays::All,
            },
            bundles: BTreeMap::new(),
            blobs: BTreeMap::new(),
            known: BTreeSet::new(),
            open: open.collect(),
            leases: BTreeMap::new(),
            claims: BTreeMap::new(),
            results: BTreeMap::new(),
            outcomes: Vec::new(),
            released: Vec::new(),
            given_back: Vec::new(),
            ready: None,
            left: 0,
            over: Vec::new(),
            requests: Vec::new(),
            turns: BTreeSet::new(),
            forgetful: false,
            refused: None,
            last_token: 0,
        };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let script: Script = Box::new(|_, _| None);
        let server = Self {
            address,
            state: Arc::new(Mutex::new(state)),
            script: Arc::new(Mutex::new(script)),
            listener: Arc::default(),
        };
        server.listen(listener);
        server
    }

    /// Says what happens to each request, by its name and how many there were of that name before.
    pub fn script(&self, script: impl FnMut(&str, usize) -> Option<Fault> + Send + 'static) {
        *self.script.lock().expect("no panic") = Box::new(script);
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    fn listen(&self, listener: TcpListener) {
        let accepting = listener.try_clone().expect("a descriptor");
        *self.listener.lock().expect("no panic") = Some(listener);
        let (state, script, open) = (Arc::clone(&self.state), Arc::clone(&self.script), Arc::clone(&self.listener));
        thread::spawn(move || {
            for stream in accepting.incoming() {
                let Ok(stream) = stream else { return };
                if open.lock().expect("no panic").is_none() {
                    return;
                }
                let (state, script) = (Arc::clone(&state), Arc::clone(&script));
                thread::spawn(move || drop(serve(stream, &state, &script)));
            }
        });
    }

    /// Is gone: nobody can connect.
    pub fn stop(&self) {
        self.listener.lock().expect("no panic").take();
        // The thread that accepts wakes up and ends.
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
    }

    /// Is back at the same address.
    pub fn come_back(&self) {
        let begun = Instant::now();
        let listener = loop {
            match TcpListener::bind(self.address.trim_start_matches("http://")) {
                Ok(listener) => break listener,
                Err(why) => assert!(begun.elapsed() < Duration::from_secs(20), "{why}"),
            }
            thread::sleep(Duration::from_millis(20));
        };
        self.listen(listener);
    }

    /// Waits until something is so.
    pub fn until(&self, what: &str, mut is_so: impl FnMut(&State) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.state()) {
            let state = self.state();
            assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {:?}", state.requests);
            drop(state);
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reads one request, and answers it.
fn serve(stream: TcpStream, state: &Mutex<State>, script: &Mutex<Script>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let (mut headers, mut length) = (BTreeMap::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    if let Some(text) = headers.get("content-length") {
        length = text.parse().unwrap_or(0);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let name = path.trim_start_matches("/worker/1/").split(['/', '?']).next().unwrap_or_default().to_owned();
    if line.is_empty() {
        return Ok(());
    }
    let name = if method == "PUT" { "put".to_owned() } else { name };
    let fault = {
        let mut state = state.lock().expect("no panic");
        let nth = state.requests.iter().filter(|request| **request == name).count();
        state.requests.push(name.clone());
        (script.lock().expect("no panic"))(&name, nth)
    };
    if fault == Some(Fault::Refused) {
        return Ok(());
    }
    let authorized = headers.get("authorization").is_some_and(|value| *value == format!("Bearer {KEY}"));
    let instance = headers.get(&WORKER_HEADER.to_ascii_lowercase()).cloned().unwrap_or_default();
    let (status, answer) = match fault {
        Some(Fault::Busy) => (503, error("unavailable")),
        _ if !authorized => (401, error("no_key")),
        _ => {
            // A claim without a match waits, while others go on.
            let begun = Instant::now();
            loop {
                let answer = state.lock().expect("no panic").answer(&name, &path, &instance, &body);
                let waits = name == "claim" && answer.is_none() && begun.elapsed() < Duration::from_millis(300);
                if !waits {
                    break answer.unwrap_or_else(|| state.lock().expect("no panic").nothing());
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    };
    if fault == Some(Fault::Lost) {
        return Ok(());
    }
    let (length, sent) = match fault {
        Some(Fault::Cut(count)) => (answer.len(), answer[..count.min(answer.len())].to_vec()),
        Some(Fault::Huge) => (1 << 40, vec![b' '; 40 << 20]),
        _ => (answer.len(), answer),
    };
    let mut stream = stream;
    let retry = if status == 503 { "Retry-After: 1\r\n" } else { "" };
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n{retry}\r\n")?;
    stream.write_all(&sent)?;
    stream.flush()
}

fn error(code: &str) -> Vec<u8> {
    format!(r#"{{"error":{{"code":"{code}","message":"it is {code}"}}}}"#).into_bytes()
}

fn json(value: impl Serialize) -> Option<(u16, Vec<u8>)> {
    Some((200, serde_json::to_vec(&value).expect("it is JSON")))
}

impl State {
    /// Returns the answer to a request. `None` for a claim without a match.
    fn answer(&mut self, name: &str, path: &str, instance: &str, body: &[u8]) -> Option<(u16, Vec<u8>)> {
        if name.is_empty() {
            return Some((404, b"not here".to_vec()));
        }
        if name != "register" && !self.known.contains(instance) {
            return Some((409, error("unknown_worker")));
        }
        let refused = |code: &str, status| Some((status, error(code)));
        match name {
            "register" => {
                let about: WorkerRegister = serde_json::from_slice(body).expect("a registration");
                assert!(about.machine.cores > 0 && !about.machine.cpu.is_empty() && !about.name.is_empty());
                if about.machine.agon != env!("CARGO_PKG_VERSION") {
                    return refused("other_version", 409);
                }
                self.known.insert(about.instance);
                json(WorkerRegistered {
                    worker: 1,
                    tournament: WorkerTournament { name: "Cup".to_owned(), game: "grid".to_owned() },
                    edition: self.field.edition,
                    lease_ms: 5_000,
                    beat_ms: 100,
                    held: self.leases.keys().copied().collect(),
                })
            }
            "field" => json(&self.field),
            "bundle" => {
                let (hash, from) = path.trim_start_matches("/worker/1/bundle/").split_once("?from=").expect("a byte");
                let Some(bytes) = self.bundles.get(hash) else { return refused("not_found", 404) };
                Some((200, bytes[from.parse::<usize>().expect("a number")..].to_vec()))
            }
            "blob" => match self.blobs.get(path.trim_start_matches("/worker/1/blob/")) {
                Some(bytes) => Some((200, bytes.clone())),
                None => refused("not_found", 404),
            },
            "put" => {
                let hash = path.trim_start_matches("/worker/1/blob/").to_owned();
                if hash_of(body) != hash {
                    return refused("other_bytes", 422);
                }
                self.blobs.insert(hash, body.to_vec());
                json(WorkerNoted {})
            }
            "ready" => {
                self.ready = Some(serde_json::from_slice(body).expect("bots"));
                json(WorkerNoted {})
            }
            "claim" => self.claim(&serde_json::from_slice(body).expect("a claim")),
            "beat" => {
                let beat: WorkerBeat = serde_json::from_slice(body).expect("a sign of life");
                self.turns.extend(beat.held.iter().filter_map(|held| held.ply));
                json(WorkerBeaten { over: self.over.clone() })
            }
            "report" => self.report(serde_json::from_slice(body).expect("a report")),
            "release" => {
                let release: WorkerRelease = serde_json::from_slice(body).expect("tokens");
                for token in release.tokens {
                    self.open.extend(self.leases.remove(&token));
                    self.released.push(token);
                }
                json(WorkerNoted {})
            }
            "give-back" => {
                let back: WorkerGiveBack = serde_json::from_slice(body).expect("a token");
                self.open.extend(self.leases.remove(&back.token));
                self.given_back.push(back.why);
                json(WorkerNoted {})
            }
            "leave" => {
                self.left += 1;
                let leases = std::mem::take(&mut self.leases);
                self.open.extend(leases.into_values());
                json(WorkerNoted {})
            }
            _ => refused("not_found", 404),
        }
    }

    /// Returns the answer to a claim for which there was no match in time.
    fn nothing(&self) -> (u16, Vec<u8>) {
        let edition = self.field.edition;
        let claimed = WorkerClaimed { leases: Vec::new(), until_ms: 5_000, finished: false, edition };
        (200, serde_json::to_vec(&claimed).expect("it is JSON"))
    }

    fn claim(&mut self, claim: &WorkerClaim) -> Option<(u16, Vec<u8>)> {
        let finished = self.open.is_empty() && self.leases.is_empty();
        if !self.claims.contains_key(&claim.request) {
            if self.open.is_empty() && !finished {
                return None;
            }
            let mut tokens = Vec::new();
            while tokens.len() < claim.most as usize
                && let Some(planned) = self.open.pop()
            {
                self.last_token += 1;
                self.leases.insert(self.last_token, planned);
                tokens.push(self.last_token);
            }
            self.claims.insert(claim.request.clone(), tokens);
        }
        let lease = |token: &u64| {
            let planned = self.leases.get(token)?.clone();
            Some(WorkerLease { token: *token, planned, attempts: 0 })
        };
        let leases = self.claims[&claim.request].iter().filter_map(lease).collect();
        json(WorkerClaimed { leases, until_ms: 5_000, finished, edition: self.field.edition })
    }

    fn report(&mut self, report: WorkerReport) -> Option<(u16, Vec<u8>)> {
        if std::mem::take(&mut self.forgetful) {
            self.blobs.clear();
        }
        if report.results.iter().any(|settled| Some(settled.id) == self.refused) {
            return Some((400, error("bad_request")));
        }
        let named =
            |result: &WorkerResult| [&result.replay, &result.log].into_iter().flatten().cloned().collect::<Vec<_>>();
        let all = report.results.iter().flat_map(|settled| named(&settled.result));
        if all.into_iter().any(|hash| !self.blobs.contains_key(&hash)) {
            return Some((422, error("no_blob")));
        }
        let mut answers = Vec::new();
        for settled in report.results {
            let (id, token) = (settled.id, settled.token);
            let lease = self.leases.remove(&token);
            assert!(lease.as_ref().is_none_or(|planned| planned.id == id), "the token is that of another match");
            let outcome = match (lease, self.results.get(&id)) {
                (Some(_), None) => WorkerOutcome::Stored,
                (Some(_), Some(_)) => WorkerOutcome::Late,
                (None, Some(_)) => WorkerOutcome::Duplicate,
                (None, None) if self.open.iter().any(|planned| planned.id == id) => WorkerOutcome::Stored,
                (None, None) => WorkerOutcome::Unknown,
            };
            if outcome == WorkerOutcome::Stored {
                self.open.retain(|planned| planned.id != id);
                self.results.entry(id).or_default().push(settled.result);
            }
            self.outcomes.push(outcome);
            answers.push(WorkerAnswer { id, token, outcome });
        }
        // Answers belong together by number and token, not by order.
        answers.reverse();
        json(WorkerReported { answers })
    }
}
