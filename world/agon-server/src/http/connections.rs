//! The connections of clients, none of which can hold another one up.

use axum::{Router, body::Body, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use std::{
    collections::HashMap,
    future::poll_fn,
    io,
    net::{IpAddr, Ipv6Addr, TcpListener},
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    runtime,
    sync::{Semaphore, oneshot},
    task,
    time::{self, Instant, Sleep},
};
use tower::ServiceExt as _;

/// For how long a client may take nothing of its answer, and how long it may take for all of it beside the time that its bytes need.
const STUCK: Duration = Duration::from_secs(30);
/// The slowest rate, in bytes a second, at which a client may take its answer after that.
const SLOWEST: u64 = 32 << 10;
/// How long the server waits after it could not take a client.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the server waits for answers on their way when it ends.
const PARTING: Duration = Duration::from_secs(5);
/// The longest head of a request.
const MOST_HEAD: usize = 16 << 10;
/// How many requests are worked on at the same time, beyond which they wait.
const WORKERS: usize = 16;

/// The address of the client of a request, in its extensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer(pub IpAddr);

/// How a server takes clients.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// How long a client may take for the head of a request, and how long its connection may rest.
    pub patience: Duration,
    /// How many connections there are at once. Further ones wait.
    pub most: usize,
    /// How many of them may come from one address, of which the second half does not count in IPv6. Further ones are closed.
    pub most_of_one: usize,
}

impl Default for Connections {
    fn default() -> Self {
        Self { patience: Duration::from_secs(10), most: 1_024, most_of_one: 256 }
    }
}

/// A server that answers, on a thread of its own, until it is told to stop.
pub struct Running {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Takes no further requests, waits up to 5 s for answers on their way, and ends.
    pub fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

impl Connections {
    /// Answers the clients of a listener that does not block.
    ///
    /// # Errors
    /// The system has no room for a server.
    pub fn serve(self, listener: TcpListener, router: Router) -> io::Result<Running> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(WORKERS)
            .thread_name("page")
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let served = move || runtime.block_on(self.accept(listener, router, stopped));
        let thread = thread::Builder::new().name("server".to_owned()).spawn(served)?;
        Ok(Running { stop, thread })
    }

    async fn accept(self, listener: TcpListener, router: Router, mut stopped: oneshot::Receiver<()>) {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let room = Arc::new(Semaphore::new(self.most));
        let crowds = Crowds::default();
        let parting = GracefulShutdown::new();
        loop {
            let next = async {
                // Those that there is no room for wait in the queue of the system.
                let place = Arc::clone(&room).acquire_owned().await;
                (place, listener.accept().await)
            };
            let mut next = pin!(next);
            let next = poll_fn(|context| match Pin::new(&mut stopped).poll(context) {
                Poll::Ready(_) => Poll::Ready(None),
                Poll::Pending => next.as_mut().poll(context).map(Some),
            });
            let Some((place, accepted)) = next.await else { break };
            let (Ok(place), Ok((stream, peer))) = (place, accepted) else {
                // If there are no descriptors left, asking again at once would take a core from the bots.
                time::sleep(PAUSE).await;
                continue;
            };
            let peer = peer.ip().to_canonical();
            let Some(guest) = crowds.enter(network(peer), self.most_of_one) else { continue };
            let _ = stream.set_nodelay(true);
            let router = router.clone();
            let pace = Pace::default();
            let stream = Stream { inner: stream, pace: pace.clone(), stuck: None };
            let answer = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(Peer(peer));
                let (answer, pace) = (router.clone().oneshot(request.map(Body::new)), pace.clone());
                async move {
                    let answer = answer.await;
                    pace.begin();
                    answer
                }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.patience)
                .max_buf_size(MOST_HEAD)
                .serve_connection(TokioIo::new(stream), answer);
            let connection = parting.watch(connection);
            task::spawn(async move {
                // A client that breaks off gets nothing, and nobody is told.
                let _ = connection.await;
                drop((place, guest));
            });
        }
        drop(listener);
        let _ = time::timeout(PARTING, parting.shutdown()).await;
    }
}

/// Returns the address as connections are counted: in IPv6, one machine may choose the second half as it likes.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// How many connections each network has.
#[derive(Clone, Default)]
struct Crowds(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A connection that is counted until it ends.
struct Guest(Crowds, IpAddr);

impl Crowds {
    /// Counts a connection. Returns nothing if its address has as many as it may.
    fn enter(&self, address: IpAddr, most: usize) -> Option<Guest> {
        let mut crowds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let here = crowds.entry(address).or_default();
        if *here >= most {
            return None;
        }
        *here += 1;
        Some(Guest(self.clone(), address))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut crowds = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(here) = crowds.get_mut(&self.1) {
            *here -= 1;
            if *here == 0 {
                crowds.remove(&self.1);
            }
        }
    }
}

/// When the answer began that a client takes, and how many bytes of it are written.
#[derive(Clone)]
struct Pace(Arc<Mutex<(Instant, u64)>>);

impl Default for Pace {
    fn default() -> Self {
        Self(Arc::new(Mutex::new((Instant::now(), 0))))
    }
}

impl Pace {
    /// Begins the next answer.
    fn begin(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), 0);
    }

    /// Counts bytes that the client has taken.
    fn add(&self, bytes: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 += bytes as u64;
    }

    /// Returns how long the client may go on to take nothing.
    fn end(&self) -> Instant {
        let (begun, written) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (begun + STUCK + Duration::from_secs(written / SLOWEST)).min(Instant::now() + STUCK)
    }
}

/// A connection that ends when its client takes nothing for long, or too little.
struct Stream<S> {
    inner: S,
    pace: Pace,
    /// When it does, while nothing can be written.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> Stream<S> {
    /// Measures how much is written, and how long nothing can be.
    fn written(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = &polled {
            self.pace.add(written.as_ref().map_or(0, |bytes| *bytes));
            self.stuck = None;
            return polled;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(time::sleep_until(self.pace.end())));
        match stuck.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stream<S> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::{
        io::{Read as _, Write as _},
        net::{Ipv4Addr, SocketAddr},
    };

    fn serve(connections: Connections) -> (SocketAddr, Running) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a flag");
        let address = listener.local_addr().expect("it listens");
        let router = Router::new().route(
            "/",
            get(|request: axum::extract::Request| async move {
                let peer = request.extensions().get::<Peer>().copied().expect("it is told");
                peer.0.to_string()
            }),
        );
        (address, connections.serve(listener, router).expect("there is room"))
    }

    fn connect(address: SocketAddr) -> std::net::TcpStream {
        let stream = std::net::TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        stream
    }

    fn ask(mut stream: std::net::TcpStream) -> String {
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    #[test]
    fn answers_know_the_address_and_the_end_is_clean() {
        let (address, running) = serve(Connections::default());
        assert!(ask(connect(address)).ends_with("\r\n\r\n127.0.0.1"));
        // It has asked nothing yet, so nobody waits for it.
        let idle = connect(address);
        running.stop();
        assert_eq!(ask(idle), "");
        assert!(std::net::TcpStream::connect(address).is_err());
    }

    #[test]
    fn a_head_that_comes_too_slowly_is_not_waited_for() {
        let (address, running) = serve(Connections { patience: Duration::from_millis(100), ..Default::default() });
        let mut slow = connect(address);
        slow.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ").expect("it reads");
        let mut answer = String::new();
        slow.read_to_string(&mut answer).expect("it is closed");
        assert!(!answer.contains("200"), "{answer}");
        running.stop();
    }

    /// Returns whether a client gets an answer of 4 MiB of which it takes so many bytes each second.
    fn is_answered(rate: usize) -> bool {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let (inner, mut client) = tokio::io::duplex(1 << 10);
            let mut stream = Stream { inner, pace: Pace::default(), stuck: None };
            let taking = task::spawn(async move {
                let mut piece = vec![0; rate];
                while client.read_exact(&mut piece).await.is_ok() {
                    time::sleep(Duration::from_secs(1)).await;
                }
            });
            let written = stream.write_all(&vec![0; 4 << 20]).await;
            drop(stream);
            taking.await.expect("it ends");
            written.is_ok()
        })
    }

    #[test]
    fn an_answer_is_not_taken_as_slowly_as_a_client_likes() {
        assert!(is_answered(64 << 10));
        assert!(!is_answered(8 << 10), "it would take 512 s");
        assert!(!is_answered(1));
    }

    #[test]
    fn addresses_that_one_machine_may_choose_are_one() {
        let of = |address: &str| network(address.parse().expect(address));
        assert_eq!(of("2001:db8:1:2::3"), of("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(of("2001:db8:1:3::3"), of("2001:db8:1:2::3"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }

    #[test]
    fn one_address_does_not_take_every_place() {
        let crowds = Crowds::default();
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let guests = [crowds.enter(one, 2), crowds.enter(one, 2)];
        assert!(
            guests.iter().all(Option::is_some) && crowds.enter(one, 2).is_none() && crowds.enter(other, 2).is_some()
        );
        drop(guests);
        assert!(crowds.enter(one, 1).is_some());
        assert!(crowds.0.lock().expect("nobody panicked").is_empty());
    }
}
