//! A console that goes on from a turn of the replay that a page shows.

use super::html::replay_lines;
use crate::error::reason;
use agon_server::http::{Token, holds_token};
use axum::{
    Router,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use serde::Deserialize;
use std::{
    env,
    ffi::OsString,
    io::{self, BufRead, BufReader},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
};
use tokio::sync::oneshot;

/// The most consoles at once.
const MOST: usize = 8;
/// How long a console goes on when its last page has gone: a page may be loaded again, or a computer may sleep.
const ABSENCE: &str = "60s";

/// The consoles that a page has begun. Each ends when its own pages are gone, and all end with this program.
pub struct Consoles {
    token: Token,
    path: PathBuf,
    lines: Vec<u8>,
    running: Mutex<Vec<Child>>,
}

/// The turn after which a console stands.
#[derive(Deserialize)]
struct Place {
    ply: u32,
}

/// Returns the route by which the page of a replay with these lines begins a console. It is behind the word of the page.
pub fn routes(token: Token, path: PathBuf, lines: Vec<u8>) -> Router {
    let consoles = Consoles { token, path, lines, running: Mutex::default() };
    Router::new().route("/{word}/play", post(begin).fallback(refuse)).with_state(Arc::new(consoles))
}

/// Answers other methods than POST.
async fn refuse(State(consoles): State<Arc<Consoles>>, Path(word): Path<String>) -> StatusCode {
    if holds_token(&word, &consoles.token) { StatusCode::METHOD_NOT_ALLOWED } else { StatusCode::FORBIDDEN }
}

async fn begin(
    State(consoles): State<Arc<Consoles>>,
    Path(word): Path<String>,
    place: Result<Query<Place>, QueryRejection>,
) -> Response {
    if !holds_token(&word, &consoles.token) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Ok(Query(Place { ply })) = place else { return StatusCode::BAD_REQUEST.into_response() };
    match start(&consoles, ply).await {
        // It is the document that `agon console --format json` has printed.
        Ok(document) => ([(CONTENT_TYPE, "application/json")], document).into_response(),
        Err(why) => (StatusCode::CONFLICT, why).into_response(),
    }
}

/// Starts a console after turn `ply`, and returns the document with its address.
async fn start(consoles: &Arc<Consoles>, ply: u32) -> Result<String, String> {
    let shown = Arc::clone(consoles);
    let is_same = aside(move || replay_lines(&shown.path).is_ok_and(|lines| lines == shown.lines)).await?;
    if !is_same {
        return Err("the replay file is missing or has changed; run `agon replay view` again".to_owned());
    }
    let (mut begun, stdout) = consoles.spawn(ply)?;
    let mut document = String::new();
    let read = aside(move || {
        BufReader::new(stdout).read_line(&mut document).is_ok_and(|length| length > 0).then_some(document)
    });
    let why = "the console did not start; the terminal of `agon replay view` says why";
    let document = read.await?.ok_or_else(|| why.to_owned())?;
    begun.is_known = true;
    Ok(document)
}

/// Does work that waits in a thread of its own.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (done, result) = oneshot::channel();
    thread::Builder::new().spawn(move || drop(done.send(work()))).map_err(|why| failed(&why))?;
    result.await.map_err(|why| why.to_string())
}

fn failed(why: &io::Error) -> String {
    format!("cannot start a console: {}", reason(why))
}

/// A console that was started. Dropping it kills the console unless somebody knows its address: the page may have gone away
/// meanwhile.
struct Begun {
    consoles: Arc<Consoles>,
    id: u32,
    is_known: bool,
}

impl Drop for Begun {
    fn drop(&mut self) {
        if self.is_known {
            return;
        }
        let mut running = self.consoles.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(console) = running.iter_mut().find(|console| console.id() == self.id) {
            // It may have ended by itself. The next start removes it from the list.
            let _ = console.kill();
        }
    }
}

impl Consoles {
    fn spawn(self: &Arc<Self>, ply: u32) -> Result<(Begun, ChildStdout), String> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain_mut(|console| matches!(console.try_wait(), Ok(None)));
        if running.len() >= MOST {
            return Err(format!("{MOST} consoles are already open; quit one in its page first"));
        }
        let mut console = self.command(ply).and_then(|mut command| command.spawn()).map_err(|why| failed(&why))?;
        let stdout = console.stdout.take().expect("it is a pipe");
        let begun = Begun { consoles: Arc::clone(self), id: console.id(), is_known: false };
        running.push(console);
        Ok((begun, stdout))
    }

    fn command(&self, ply: u32) -> io::Result<Command> {
        let mut replay = OsString::from("--replay=");
        replay.push(&self.path);
        let mut command = Command::new(env::current_exe()?);
        command
            .args(["console", "--no-open", "--format", "json", "--until-stdin-ends", "--absence", ABSENCE, "--ply"])
            .arg(ply.to_string())
            .arg(replay);
        // This program holds the other end of stdin. However it ends, the console hears of that once, and keeps what was played.
        // A signal that the system sends at the end of a parent comes once for each thread of it, and the second one would end
        // the console before it has kept anything.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for this program.
        command.process_group(0);
        // Its bots have the limit of the user.
        agon_sandbox::open_files::as_before(&mut command);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{body::Body, http::Request};
    use tower::ServiceExt;

    #[test]
    fn only_who_knows_the_word_begins_a_console() {
        let token = Token::random();
        let routes = routes(token.clone(), "missing.jsonl".into(), Vec::new());
        let ask = |method: &str, path: &str| {
            let request = Request::builder().method(method).uri(path).body(Body::empty()).expect("a request");
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            runtime.block_on(routes.clone().oneshot(request)).expect("an answer").status().as_u16()
        };
        let word = token.text();
        assert_eq!(ask("POST", &format!("/{}/play?ply=1", "0".repeat(32))), 403);
        assert_eq!(ask("GET", &format!("/{}/play?ply=1", "0".repeat(32))), 403);
        assert_eq!(ask("GET", &format!("/{word}/play?ply=1")), 405);
        for wrong in ["", "?ply=", "?ply=-1", "?ply=x"] {
            assert_eq!(ask("POST", &format!("/{word}/play{wrong}")), 400, "{wrong}");
        }
        assert_eq!(ask("POST", &format!("/{word}/play?ply=1")), 409, "the file is not what the page shows");
    }
}
