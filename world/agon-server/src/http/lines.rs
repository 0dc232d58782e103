//! A page whose lines are handed out as they are written. The word that opens it is in its address.

use super::{Token, holds_token};
use axum::{
    Router,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use serde::Deserialize;
use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time};

/// How long a request for further lines is held if there are none.
const HELD: Duration = Duration::from_secs(20);

/// The lines of a replay that is being written. Copies share them.
#[derive(Clone)]
pub struct Lines {
    written: Arc<Mutex<Written>>,
    more: Arc<watch::Sender<()>>,
}

#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    is_complete: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Self { written: Arc::default(), more: Arc::new(watch::Sender::new(())) }
    }
}

impl Lines {
    /// Says that no further line follows.
    pub fn end(&self) {
        self.change(|written| written.is_complete = true);
    }

    /// Returns how many bytes were written.
    pub fn size(&self) -> usize {
        self.written().bytes.len()
    }

    /// Returns the bytes from `start` on.
    pub fn since(&self, start: usize) -> Vec<u8> {
        self.written().bytes.get(start..).unwrap_or_default().to_vec()
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, work: impl FnOnce(&mut Written)) {
        work(&mut self.written());
        self.more.send_replace(());
    }

    /// Returns the bytes from `start` on as they are now, and whether they are complete. `None` if there are none yet.
    fn now(&self, start: usize) -> Option<(Vec<u8>, bool)> {
        let written = self.written();
        let new = written.bytes.get(start..).unwrap_or_default();
        (!new.is_empty() || written.is_complete).then(|| (new.to_vec(), written.is_complete))
    }

    /// Returns whole lines from a byte on, when there are some. Returns nothing after a while, and `None` if none will
    /// follow.
    async fn from(&self, start: usize) -> Option<Vec<u8>> {
        let mut more = self.more.subscribe();
        let written = async {
            loop {
                if let Some(written) = self.now(start) {
                    return written;
                }
                // The sender lives as long as `self`.
                let _ = more.changed().await;
            }
        };
        let (mut new, is_complete) = time::timeout(HELD, written).await.unwrap_or_default();
        new.truncate(new.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        (!new.is_empty() || !is_complete).then_some(new)
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.change(|written| written.bytes.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a page has to show.
struct Shown {
    token: Token,
    page: Vec<u8>,
    lines: Lines,
}

#[derive(Deserialize)]
struct Start {
    from: usize,
}

/// Returns the routes of a page and its lines. Both are behind the word.
pub fn page_routes(token: Token, page: Vec<u8>, lines: Lines) -> Router {
    let shown = Arc::new(Shown { token, page, lines });
    Router::new()
        .route("/{word}/", get(show))
        .route("/{word}/lines", get(hand_out))
        .route("/{word}/{*rest}", get(refuse))
        .fallback(|| async { StatusCode::FORBIDDEN })
        .with_state(shown)
}

async fn show(State(shown): State<Arc<Shown>>, Path(word): Path<String>) -> Response {
    if !holds_token(&word, &shown.token) {
        return StatusCode::FORBIDDEN.into_response();
    }
    Html(shown.page.clone()).into_response()
}

async fn hand_out(
    State(shown): State<Arc<Shown>>,
    Path(word): Path<String>,
    from: Result<Query<Start>, QueryRejection>,
) -> Response {
    if !holds_token(&word, &shown.token) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Ok(Query(Start { from })) = from else { return StatusCode::NOT_FOUND.into_response() };
    match shown.lines.from(from).await {
        Some(lines) => ([(CONTENT_TYPE, "application/jsonl; charset=utf-8")], lines).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

async fn refuse(State(shown): State<Arc<Shown>>, Path((word, _)): Path<(String, String)>) -> StatusCode {
    if holds_token(&word, &shown.token) { StatusCode::NOT_FOUND } else { StatusCode::FORBIDDEN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{
        body::{Body, to_bytes},
        http::Request,
    };
    use tokio::runtime;
    use tower::ServiceExt;

    fn ask(routes: &Router, method: &str, path: &str) -> (u16, String) {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).expect("a request");
        let runtime = runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let answer = routes.clone().oneshot(request).await.expect("an answer");
            let status = answer.status().as_u16();
            let body = to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
            (status, String::from_utf8(body.to_vec()).expect("text"))
        })
    }

    #[test]
    fn only_who_knows_the_word_is_answered() {
        let token = Token::random();
        let routes = page_routes(token.clone(), b"the page".to_vec(), Lines::default());
        let word = token.text();
        assert_eq!(ask(&routes, "GET", &format!("/{word}/")), (200, "the page".into()));
        assert_eq!(ask(&routes, "HEAD", &format!("/{word}/")), (200, String::new()));
        assert_eq!(ask(&routes, "GET", &format!("/{word}/secret")).0, 404);
        assert_eq!(ask(&routes, "POST", &format!("/{word}/")).0, 405);
        let wrong = "0".repeat(32);
        for path in
            ["/", "//", &format!("/{wrong}/"), &format!("/{wrong}/lines?from=0"), &format!("/{wrong}/x/y"), "/x"]
        {
            assert_eq!(ask(&routes, "GET", path).0, 403, "{path}");
        }
    }

    #[test]
    fn lines_are_handed_out_whole_and_once() {
        let (mut lines, token) = (Lines::default(), Token::random());
        lines.write_all(b"one\ntwo\nthr").expect("memory");
        let routes = page_routes(token.clone(), Vec::new(), lines.clone());
        let from = |start: &str| ask(&routes, "GET", &format!("/{}/lines?from={start}", token.text()));
        assert_eq!(from("0"), (200, "one\ntwo\n".to_owned()));
        assert_eq!(from("4"), (200, "two\n".to_owned()));
        assert_eq!(from("x").0, 404);
        assert_eq!(from("").0, 404);
        lines.write_all(b"ee\n").expect("memory");
        lines.end();
        assert_eq!(from("8"), (200, "three\n".to_owned()));
        assert_eq!(from("14").0, 204);
        assert_eq!(from("999").0, 204);
    }
}
