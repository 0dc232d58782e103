//! The routes of the page: the document itself, and its WebSocket.

use super::wire::{PROTOCOL, Request, TOKEN_PREFIX};
use agon_server::http::Keys;
use axum::{
    Router,
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
    },
    http::{HeaderMap, StatusCode, header::SEC_WEBSOCKET_PROTOCOL},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use crossbeam_channel::Sender;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::{
    Semaphore,
    mpsc::{Receiver, channel},
};

/// The longest message of a page. A map fits into it.
const LONGEST: usize = 9 << 20;
/// The most pages at once.
const MOST_PAGES: usize = 16;
/// How many messages a page may be behind. One that reads no more is cut off, and connects again when it can.
const BEHIND: usize = 1024;

/// What happens to the pages of a console.
pub enum PageEvent {
    /// A page has connected. It gets what is sent here.
    Joined { page: u64, messages: tokio::sync::mpsc::Sender<Utf8Bytes> },
    /// A page gives a command.
    Command { page: u64, request: Request },
    /// A page has gone.
    Left { page: u64 },
    /// The server has ended, and no page can connect any more.
    Failed(io::Error),
}

/// What the routes share.
struct Desk {
    keys: Keys,
    page: Vec<u8>,
    events: Sender<PageEvent>,
    next: AtomicU64,
    /// Room for pages.
    places: Semaphore,
}

/// Returns the routes of a console. Everybody on this machine may have the page, which has nothing in it; its WebSocket
/// needs the token.
pub fn routes(keys: Keys, page: Vec<u8>, events: Sender<PageEvent>) -> Router {
    let desk = Arc::new(Desk { keys, page, events, next: AtomicU64::new(0), places: Semaphore::new(MOST_PAGES) });
    Router::new().route("/", get(show)).route("/wire", get(connect)).with_state(desk)
}

async fn show(State(desk): State<Arc<Desk>>) -> Html<Vec<u8>> {
    Html(desk.page.clone())
}

async fn connect(State(desk): State<Arc<Desk>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if !knows_token(&headers, &desk.keys) {
        return StatusCode::FORBIDDEN.into_response();
    }
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .on_upgrade(move |socket| serve(socket, desk))
        .into_response()
}

fn knows_token(headers: &HeaderMap, keys: &Keys) -> bool {
    let values = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    let mut words = values.flat_map(|value| value.split(',')).filter_map(|word| word.trim().strip_prefix(TOKEN_PREFIX));
    let (word, further) = (words.next(), words.next());
    further.is_none() && word.is_some_and(|word| keys.open(word))
}

async fn serve(mut socket: WebSocket, desk: Arc<Desk>) {
    let Ok(_place) = desk.places.try_acquire() else {
        let reason = format!("{MOST_PAGES} pages are already open; close one first");
        let _ = socket.send(Message::Close(Some(CloseFrame { code: close_code::AGAIN, reason: reason.into() }))).await;
        return;
    };
    let page = desk.next.fetch_add(1, Ordering::Relaxed);
    let (sender, mut messages) = channel(BEHIND);
    if desk.events.send(PageEvent::Joined { page, messages: sender }).is_ok() {
        let why = converse(&mut socket, &mut messages, page, &desk.events).await;
        let _ = socket.send(Message::Close(why)).await;
    }
    let _ = desk.events.send(PageEvent::Left { page });
}

/// Carries messages both ways until one side ends. Returns what the page is told of that.
async fn converse(
    socket: &mut WebSocket,
    messages: &mut Receiver<Utf8Bytes>,
    page: u64,
    events: &Sender<PageEvent>,
) -> Option<CloseFrame> {
    loop {
        tokio::select! {
            message = messages.recv() => {
                socket.send(Message::Text(message?)).await.ok()?;
            }
            received = socket.recv() => match received?.ok()? {
                Message::Text(text) => match serde_json::from_str(&text) {
                    Ok(request) => events.send(PageEvent::Command { page, request }).ok()?,
                    Err(why) => return Some(CloseFrame { code: close_code::INVALID, reason: why.to_string().into() }),
                },
                Message::Binary(_) => {
                    return Some(CloseFrame { code: close_code::UNSUPPORTED, reason: "commands are text".into() });
                }
                Message::Close(_) => return None,
                Message::Ping(_) | Message::Pong(_) => {}
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_stands_once_among_the_protocols() {
        let keys = Keys::random();
        let with = |values: &[String]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(SEC_WEBSOCKET_PROTOCOL, value.parse().expect("a value"));
            }
            knows_token(&headers, &keys)
        };
        let word = keys.token().text();
        assert!(with(&[format!("agon-console.1, token.{word}")]));
        assert!(with(&["agon-console.1".into(), format!("token.{word}")]));
        for wrong in [
            vec![],
            vec!["agon-console.1".to_owned()],
            vec![word.to_owned()],
            vec!["token.".to_owned()],
            vec![format!("token.{}", "0".repeat(32))],
            vec![format!("token.{}, token.{word}", "0".repeat(32))],
            vec![format!("token.{word}, token.{word}")],
        ] {
            assert!(!with(&wrong), "{wrong:?}");
        }
    }
}
