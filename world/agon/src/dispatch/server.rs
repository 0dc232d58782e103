//! The server of workers: their connections, none of which can hold another one up.

use super::routes::Routes;
use crate::error::{Error, Result};
use axum::{Router, extract};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{
    io,
    net::TcpListener,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    runtime,
    sync::Semaphore,
    task,
    time::{self, Sleep},
};

/// How long a client may take for the head of a request, and how long its connection may rest.
const PATIENCE: Duration = Duration::from_secs(10);
/// For how long a client may take nothing of its answer.
const STUCK: Duration = Duration::from_secs(30);
/// How long the server waits after it could not take a client.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest head of a request.
const MOST_HEAD: usize = 16 << 10;
/// How many connections there are at once.
const MOST_CONNECTIONS: usize = 4_096;

/// Serves workers on a thread of its own, until the program ends.
///
/// # Errors
/// The system has no room for a server.
pub fn serve(listener: TcpListener, routes: Routes) -> Result<()> {
    serve_with_patience(listener, routes, PATIENCE)
}

/// Does the same with another time for the head of a request and for a connection that rests.
pub(super) fn serve_with_patience(listener: TcpListener, routes: Routes, patience: Duration) -> Result<()> {
    let failed = |why: io::Error| Error::system("cannot serve workers", &why);
    let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(failed)?;
    let served = move || runtime.block_on(accept(listener, router(routes), patience));
    thread::Builder::new().name("workers".to_owned()).spawn(served).map_err(|why| Error::thread(&why))?;
    Ok(())
}

/// Returns what answers every request.
pub fn router(routes: Routes) -> Router {
    let routes = Arc::new(routes);
    Router::new().fallback(move |request: extract::Request| {
        let routes = Arc::clone(&routes);
        async move { routes.answer(request).await }
    })
}

async fn accept(listener: TcpListener, router: Router, patience: Duration) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        // Those that there is no room for wait in the queue of the system.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(PAUSE).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(MOST_HEAD)
            .serve_connection(TokioIo::new(Stream { inner: stream, stuck: None }), service);
        task::spawn(async move {
            // A client that breaks off gets nothing, and nobody is told.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// A connection that ends when its client takes nothing for long.
struct Stream {
    inner: TcpStream,
    /// When it does, while nothing can be written.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    /// Measures how long nothing can be written.
    fn written<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.stuck = None;
            return polled;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(time::sleep(STUCK)));
        match stuck.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write_vectored(context, bytes);
        self.written(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}
