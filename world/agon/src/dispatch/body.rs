//! Bodies of requests, which may be large or slow on purpose, and bodies of answers that come in pieces.

use agon_dispatch::Refusal;
use agon_spec::{WORKER_DOCUMENT_LIMIT, WorkerErrorCode};
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header::CONTENT_LENGTH},
};
use hyper::body::{Body as _, Frame, SizeHint};
use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc},
    time::{self, Instant},
};

/// How long a client may take for a body, beside the time that its bytes need.
const PATIENCE: Duration = Duration::from_secs(10);
/// The slowest rate, in bytes a second, at which bodies may come and go after that.
const SLOWEST: u64 = 32 << 10;

/// Returns how long a body of this many bytes may take.
pub fn time_for(size: u64) -> Duration {
    PATIENCE + Duration::from_secs(size / SLOWEST)
}

/// Reads bodies of one kind into memory, of which they have only so much.
#[derive(Clone)]
pub struct Bodies(Arc<Semaphore>);

impl Bodies {
    /// Makes room for so many MiB of bodies at the same time.
    pub fn new(mib: usize) -> Self {
        Self(Arc::new(Semaphore::new(mib << 10)))
    }

    /// Reads a body of at most `limit` bytes, and takes what `then` makes of it while it has room.
    ///
    /// # Errors
    /// It is too large, too slow or cut off, or many others are read now.
    pub async fn read<T>(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
        then: impl AsyncFnOnce(Vec<u8>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let too_large = || {
            let what = format!("the body has more than {} MiB", limit >> 20);
            Err(Refusal::new(WorkerErrorCode::TooLarge, what))
        };
        if said.is_some_and(|said| said > limit) {
            return too_large();
        }
        let size = said.unwrap_or(limit);
        let room = u32::try_from(size.div_ceil(1 << 10) + 1).unwrap_or(u32::MAX);
        let Ok(Ok(_room)) = time::timeout(PATIENCE, self.0.acquire_many(room)).await else {
            let what = "many other requests are read now";
            return Err(Refusal::new(WorkerErrorCode::Busy, what).retry_after(2, size as u64));
        };
        let begun = Instant::now();
        let mut bytes = Vec::with_capacity(size.min(WORKER_DOCUMENT_LIMIT));
        let mut body = body;
        loop {
            let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            // Nobody has room for long by saying that much will come.
            let end = begun + time_for(bytes.len() as u64);
            match time::timeout_at(end, frame).await {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => {
                    let Ok(piece) = frame.into_data() else { continue };
                    if bytes.len() + piece.len() > limit {
                        return too_large();
                    }
                    bytes.extend_from_slice(&piece);
                }
                Ok(Some(Err(_))) => return Err(Refusal::new(WorkerErrorCode::BadRequest, "the body is cut off")),
                Err(_) => return Err(Refusal::new(WorkerErrorCode::BadRequest, "the body comes too slowly")),
            }
        }
        then(bytes).await
    }
}

/// A body whose pieces come one by one.
pub struct Pieces {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    left: u64,
}

/// Where its pieces go. `false` says that nobody wants them any more.
pub struct PiecesSender(mpsc::Sender<io::Result<Bytes>>);

impl Pieces {
    /// Makes a body of this many bytes.
    pub fn body(size: u64) -> (PiecesSender, Body) {
        let (sender, pieces) = mpsc::channel(2);
        (PiecesSender(sender), Body::new(Self { pieces, left: size }))
    }
}

impl PiecesSender {
    /// Sends a piece when the one before is on its way. Call it on a thread that may wait.
    pub fn send(&self, piece: io::Result<Vec<u8>>) -> bool {
        self.0.blocking_send(piece.map(Bytes::from)).is_ok()
    }
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.pieces.poll_recv(context).map(|piece| match piece {
            Some(Ok(piece)) => {
                self.left = self.left.saturating_sub(piece.len() as u64);
                Some(Ok(Frame::data(piece)))
            }
            Some(Err(why)) => Some(Err(why)),
            None => Some(Err(io::ErrorKind::UnexpectedEof.into())),
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
