//! The requests of workers, from their bytes to the dispatcher and back.

use super::{
    blobs::WaitingBlobs,
    body::{self, Bodies, Pieces},
    desk::Desk,
    key::WorkerKey,
    shelf::Shelf,
};
use agon_dispatch::{Answer, MOST_RESULTS, Refusal, Request};
use agon_spec::{
    WORKER_BLOB_LIMIT, WORKER_DOCUMENT_LIMIT, WORKER_HEADER, WORKER_PATH, WORKER_VERSION, WorkerErrorCode,
    WorkerErrorDocument, WorkerLeave, WorkerNoted, WorkerReport,
};
use agon_store::{Blob, BlobHash};
use axum::{
    body::Body,
    extract,
    http::{
        HeaderMap, HeaderValue, Method, StatusCode, Uri,
        header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, ORIGIN, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS},
        request::Parts,
    },
    response::{IntoResponse as _, Response},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{sync::Arc, time::Instant};
use tokio::{sync::Semaphore, task};

/// How many bundles are sent at the same time.
const BUNDLES: usize = 64;
/// How many MiB of documents, and of replays and logs, may come at the same time. A sign of life does not wait for replays.
const ROOM: (usize, usize) = (64, 192);

/// What answers workers.
pub struct Routes {
    key: WorkerKey,
    desk: Desk,
    shelf: Arc<Shelf>,
    blobs: Arc<WaitingBlobs>,
    documents: Bodies,
    uploads: Bodies,
    bundles: Arc<Semaphore>,
}

type Answered = Result<Response, Refusal>;

impl Routes {
    pub fn new(key: WorkerKey, desk: Desk, shelf: Arc<Shelf>, blobs: Arc<WaitingBlobs>) -> Self {
        let (documents, uploads) = (Bodies::new(ROOM.0), Bodies::new(ROOM.1));
        Self { key, desk, shelf, blobs, documents, uploads, bundles: Arc::new(Semaphore::new(BUNDLES)) }
    }

    /// Answers a request.
    pub async fn answer(&self, request: extract::Request) -> Response {
        let (parts, body) = request.into_parts();
        let answer = match self.refusal(&parts) {
            Some(refusal) => Err(refusal),
            None => self.route(&parts, body).await,
        };
        let mut answer = answer.unwrap_or_else(|refusal| refused(&refusal));
        let headers = answer.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        answer
    }

    /// Returns why nobody looks at a request: it comes from a browser, or has not the key.
    fn refusal(&self, parts: &Parts) -> Option<Refusal> {
        if parts.headers.contains_key(ORIGIN) {
            return Some(Refusal::new(WorkerErrorCode::Forbidden, "pages in a browser have nothing to ask here"));
        }
        let mut given = parts.headers.get_all(AUTHORIZATION).iter();
        let key = given.next().and_then(|header| header.as_bytes().strip_prefix(b"Bearer "));
        if given.next().is_none() && key.is_some_and(|key| self.key.is(key)) {
            return None;
        }
        let refusal = Refusal::new(WorkerErrorCode::NoKey, "this is not the key of the tournament's workers");
        Some(refusal.hint("`agon worker URL --key FILE`, with the file that the server names when it starts"))
    }

    async fn route(&self, parts: &Parts, body: Body) -> Answered {
        let path = parts.uri.path();
        let Some(rest) = path.strip_prefix(WORKER_PATH).and_then(|rest| rest.strip_prefix('/')) else {
            return Err(strange_path(path));
        };
        let mut rest = rest.splitn(2, '/');
        let (first, second) = (rest.next().unwrap_or_default(), rest.next());
        match (&parts.method, first, second) {
            (&Method::GET, "field", None) => Ok(json(&self.shelf.field)),
            (&Method::GET, "bundle", Some(hash)) => self.bundle(&parts.uri, hash).await,
            (&Method::GET, "blob", Some(hash)) => self.blob(hash).await,
            (&Method::PUT, "blob", Some(hash)) => self.put(&parts.headers, body, hash).await,
            (&Method::POST, action, None) => self.post(&parts.headers, body, action).await,
            _ => Err(not_found()),
        }
    }

    async fn post(&self, headers: &HeaderMap, body: Body, action: &str) -> Answered {
        let request = match action {
            "register" => Request::Register(self.document(headers, body).await?),
            "ready" => Request::Ready(self.document(headers, body).await?),
            "claim" => Request::Claim(self.document(headers, body).await?),
            "beat" => Request::Beat(self.document(headers, body).await?),
            "report" => {
                let report: WorkerReport = self.document(headers, body).await?;
                self.check_blobs(&report).await?;
                Request::Report(report)
            }
            "checked" => Request::Checked(self.document(headers, body).await?),
            "release" => Request::Release(self.document(headers, body).await?),
            "give-back" => Request::GiveBack(self.document(headers, body).await?),
            "leave" => {
                self.document::<WorkerLeave>(headers, body).await?;
                Request::Leave
            }
            _ => return Err(not_found()),
        };
        let instance = if matches!(request, Request::Register(_)) { String::new() } else { instance(headers)? };
        Ok(match self.desk.ask(instance, request).await? {
            Answer::Registered(registered) => json(&registered),
            Answer::Claimed(claimed) => json(&claimed),
            Answer::Beaten(beaten) => json(&beaten),
            Answer::Reported(reported) => json(&reported),
            Answer::Noted => json(&WorkerNoted {}),
        })
    }

    async fn document<T: DeserializeOwned>(&self, headers: &HeaderMap, body: Body) -> Result<T, Refusal> {
        let read = async |bytes: Vec<u8>| {
            serde_json::from_slice(&bytes).map_err(|why| {
                Refusal::new(WorkerErrorCode::BadRequest, format!("the body is no such document: {why}"))
            })
        };
        self.documents.read(headers, body, WORKER_DOCUMENT_LIMIT, read).await
    }

    /// Refuses a report with a result whose replay or log has not come.
    async fn check_blobs(&self, report: &WorkerReport) -> Result<(), Refusal> {
        if report.results.len() > MOST_RESULTS {
            // Nobody looks for so many blobs.
            return Err(Refusal::new(WorkerErrorCode::BadRequest, "too many results in one report"));
        }
        let named = report.results.iter().flat_map(|settled| [&settled.result.replay, &settled.result.log]).flatten();
        let mut stored = Vec::new();
        for hex in named {
            let hash = BlobHash::from_hex(hex).ok_or_else(strange_hash)?;
            if !self.blobs.has(hash) {
                stored.push(hash);
            }
        }
        if stored.is_empty() {
            return Ok(());
        }
        // The report may be a repetition.
        let shelf = Arc::clone(&self.shelf);
        let all = task::spawn_blocking(move || stored.into_iter().all(|hash| shelf.reader.has(hash))).await;
        if matches!(all, Ok(true)) {
            return Ok(());
        }
        Err(Refusal::new(WorkerErrorCode::NoBlob, "the report names a replay or a log that was not sent"))
    }

    async fn put(&self, headers: &HeaderMap, body: Body, hash: &str) -> Answered {
        let (hash, instance) = (BlobHash::from_hex(hash).ok_or_else(strange_hash)?, instance(headers)?);
        let pack = async |bytes: Vec<u8>| {
            let packed = task::spawn_blocking(move || Blob::new(&bytes)).await.ok().and_then(Result::ok);
            let blob = packed.ok_or_else(|| Refusal::new(WorkerErrorCode::Unavailable, "no room").retry_after(5, 0))?;
            if blob.hash() != hash {
                return Err(Refusal::new(WorkerErrorCode::OtherBytes, "the bytes do not have the hash in the path"));
            }
            self.blobs.add(&instance, blob, Instant::now())
        };
        self.uploads.read(headers, body, WORKER_BLOB_LIMIT, pack).await?;
        Ok(json(&WorkerNoted {}))
    }

    /// Sends a map, or a replay that is to be checked.
    async fn blob(&self, hash: &str) -> Answered {
        let hash = BlobHash::from_hex(hash).ok_or_else(strange_hash)?;
        if let Some(map) = self.shelf.maps.get(&hash) {
            return Ok(bytes(Body::from(map.clone())));
        }
        let shelf = Arc::clone(&self.shelf);
        let stored = task::spawn_blocking(move || shelf.reader.blob(hash)).await;
        match stored {
            Ok(Ok(stored)) => Ok(bytes(Body::from(stored.ok_or_else(not_found)?))),
            _ => Err(Refusal::new(WorkerErrorCode::Unavailable, "the store cannot be read now").retry_after(2, 0)),
        }
    }

    async fn bundle(&self, uri: &Uri, hash: &str) -> Answered {
        let hash = BlobHash::from_hex(hash).ok_or_else(strange_hash)?;
        let size = *self.shelf.bundles.get(&hash).ok_or_else(not_found)?;
        let from = match uri.query() {
            None => Some(0),
            Some(query) => query.strip_prefix("from=").and_then(|from| from.parse::<u64>().ok()),
        };
        let from = from.filter(|from| *from <= size).ok_or_else(|| {
            let what = format!("`from` must be a number of bytes, at most {size}");
            Refusal::new(WorkerErrorCode::BadRequest, what)
        })?;
        let Ok(place) = Arc::clone(&self.bundles).try_acquire_owned() else {
            let what = "many workers fetch bots now";
            return Err(Refusal::new(WorkerErrorCode::Busy, what).retry_after(2, from ^ size));
        };
        let (pieces, answer) = Pieces::body(size - from);
        let shelf = Arc::clone(&self.shelf);
        let end = Instant::now() + body::time_for(size - from);
        task::spawn_blocking(move || {
            // Who takes it too slowly would keep others from theirs.
            let mut take = |piece| Instant::now() < end && pieces.send(Ok(piece));
            let read = shelf.reader.read(hash, from, &mut take);
            if let Err(why) = read {
                // The worker goes on from where it is.
                pieces.send(Err(why));
            }
            drop(place);
        });
        Ok(bytes(answer))
    }
}

/// Returns how a worker names itself.
fn instance(headers: &HeaderMap) -> Result<String, Refusal> {
    let mut given = headers.get_all(WORKER_HEADER).iter();
    let (Some(instance), None) = (given.next().and_then(|given| given.to_str().ok()), given.next()) else {
        let what = format!("the header `{WORKER_HEADER}` must name the worker");
        return Err(Refusal::new(WorkerErrorCode::BadRequest, what));
    };
    Ok(instance.chars().take(64).collect())
}

fn not_found() -> Refusal {
    Refusal::new(WorkerErrorCode::NotFound, "there is nothing of this name")
}

fn strange_hash() -> Refusal {
    Refusal::new(WorkerErrorCode::BadRequest, "a hash has 64 hexadecimal digits")
}

/// Returns why a path means nothing. It may be that of another version.
fn strange_path(path: &str) -> Refusal {
    let version = path.strip_prefix("/worker/").and_then(|rest| rest.split('/').next()?.parse::<u32>().ok());
    match version {
        Some(version) if version != WORKER_VERSION => Refusal::new(
            WorkerErrorCode::OtherVersion,
            format!("this server speaks version {WORKER_VERSION} with its workers"),
        )
        .hint(format!("install Agon {} on the machine of the worker", env!("CARGO_PKG_VERSION"))),
        _ => not_found(),
    }
}

fn json(document: &impl Serialize) -> Response {
    match serde_json::to_vec(document) {
        Ok(text) => ([(CONTENT_TYPE, "application/json")], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn bytes(body: Body) -> Response {
    ([(CONTENT_TYPE, "application/octet-stream")], body).into_response()
}

fn refused(refusal: &Refusal) -> Response {
    let mut answer = json(&WorkerErrorDocument { error: refusal.error.clone() });
    *answer.status_mut() = StatusCode::from_u16(refusal.error.code.status()).unwrap_or(StatusCode::BAD_REQUEST);
    if let Some(seconds) = refusal.retry_after_s {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}
