//! What the server knows, and its answers.

use super::server::hash_of;
use agon_core::{Derivation, Seed};
use agon_spec::{
    WorkerAnswer, WorkerBeat, WorkerBeaten, WorkerClaim, WorkerClaimed, WorkerField, WorkerFieldBot, WorkerFieldMap,
    WorkerGiveBack, WorkerLease, WorkerMatch, WorkerNoted, WorkerOutcome, WorkerReady, WorkerRegister,
    WorkerRegistered, WorkerRelease, WorkerReplays, WorkerReport, WorkerReported, WorkerResult, WorkerTournament,
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

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
    /// When each of them came.
    pub times: Vec<Instant>,
    /// The turns of which signs of life spoke.
    pub turns: BTreeSet<u32>,
    /// Whether blobs are forgotten before the next report.
    pub forgetful: bool,
    /// A match whose results are none.
    pub refused: Option<u64>,
    last_token: u64,
}

impl State {
    /// Leads `matches` matches of a file between its first two bots.
    pub fn new(file: &str, names: &[&str], matches: u64) -> Self {
        let bot = |(number, name): (u32, &&str)| WorkerFieldBot {
            number,
            name: (*name).to_owned(),
            bundle: None,
            size: 0,
            version: 1,
        };
        let map = WorkerFieldMap { name: "gen".to_owned(), blob: None };
        let open = (1..=matches).rev().map(|id| WorkerMatch {
            id,
            round: 1,
            map: 0,
            map_seed: Seed(id),
            seed: Seed(id),
            bots: vec![0, 1],
            probability: None,
        });
        Self {
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
            times: Vec::new(),
            turns: BTreeSet::new(),
            forgetful: false,
            refused: None,
            last_token: 0,
        }
    }

    /// Returns the answer to a request. `None` for a claim without a match.
    pub fn answer(&mut self, name: &str, path: &str, instance: &str, body: &[u8]) -> Option<(u16, Vec<u8>)> {
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
    pub fn nothing(&self) -> (u16, Vec<u8>) {
        let edition = self.field.edition;
        let claimed =
            WorkerClaimed { leases: Vec::new(), checks: Vec::new(), until_ms: 5_000, finished: false, edition };
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
        json(WorkerClaimed { leases, checks: Vec::new(), until_ms: 5_000, finished, edition: self.field.edition })
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

/// Returns the body of a refusal.
pub fn error(code: &str) -> Vec<u8> {
    format!(r#"{{"error":{{"code":"{code}","message":"it is {code}"}}}}"#).into_bytes()
}

fn json(value: impl Serialize) -> Option<(u16, Vec<u8>)> {
    Some((200, serde_json::to_vec(&value).expect("it is JSON")))
}
