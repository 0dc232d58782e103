//! Bodies of requests, which may be large or slow on purpose.

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, StatusCode, header::CONTENT_LENGTH},
};
use hyper::body::Body as _;
use std::{fmt, future::poll_fn, pin::Pin, time::Duration};
use tokio::time::{self, Instant};

/// How long a client may take for a body, beside the time that its bytes need.
const PATIENCE: Duration = Duration::from_secs(10);
/// The slowest rate, in bytes a second, at which bodies may come after that.
const SLOWEST: u64 = 32 << 10;

/// Why a body is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyError {
    /// It has more bytes than this.
    TooLarge(usize),
    /// It comes more slowly than anybody has to wait.
    TooSlow,
    /// The client broke off.
    CutOff,
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(limit) => write!(f, "the body has more than {} KiB", limit >> 10),
            Self::TooSlow => f.write_str("the body comes too slowly"),
            Self::CutOff => f.write_str("the body is cut off"),
        }
    }
}

impl std::error::Error for BodyError {}

impl BodyError {
    /// Returns the status of an answer that says so.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::CutOff => StatusCode::BAD_REQUEST,
        }
    }
}

/// A body on its way.
pub struct Incoming {
    body: Body,
    limit: usize,
    taken: usize,
    begun: Instant,
}

impl Incoming {
    /// Takes a body of at most `limit` bytes.
    ///
    /// # Errors
    /// It says that it has more.
    pub fn new(headers: &HeaderMap, body: Body, limit: usize) -> Result<Self, BodyError> {
        let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if said.is_some_and(|said| said > limit) {
            return Err(BodyError::TooLarge(limit));
        }
        Ok(Self { body, limit, taken: 0, begun: Instant::now() })
    }

    /// Waits for the next piece. Returns nothing at the end.
    ///
    /// # Errors
    /// The body is too large, too slow or cut off.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let end = self.begun + PATIENCE + Duration::from_secs(self.taken as u64 / SLOWEST);
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
            let frame = time::timeout_at(end, frame).await.map_err(|_| BodyError::TooSlow)?;
            let Some(frame) = frame else { return Ok(None) };
            let Ok(piece) = frame.map_err(|_| BodyError::CutOff)?.into_data() else { continue };
            self.taken += piece.len();
            if self.taken > self.limit {
                return Err(BodyError::TooLarge(self.limit));
            }
            return Ok(Some(piece));
        }
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// The same as those of [`Incoming::piece`].
    pub async fn whole(mut self) -> Result<Vec<u8>, BodyError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use std::{
        io,
        task::{Context, Poll},
    };
    use tokio::runtime;

    /// A body that never comes.
    struct Never;

    impl hyper::body::Body for Never {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, io::Error>>> {
            Poll::Pending
        }
    }

    fn read(body: Body, limit: usize) -> Result<Vec<u8>, BodyError> {
        let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let incoming = Incoming::new(&HeaderMap::new(), body, limit);
        runtime.expect("a runtime").block_on(async { incoming?.whole().await })
    }

    #[test]
    fn a_body_is_bounded_in_size_and_in_time() {
        assert_eq!(read(Body::from("four"), 4), Ok(b"four".to_vec()));
        assert_eq!(read(Body::from("four"), 3), Err(BodyError::TooLarge(3)));
        assert_eq!(read(Body::new(Never), 3), Err(BodyError::TooSlow));
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("4"));
        assert_eq!(Incoming::new(&headers, Body::empty(), 3).err(), Some(BodyError::TooLarge(3)));
        assert!(Incoming::new(&headers, Body::empty(), 4).is_ok());
    }
}
