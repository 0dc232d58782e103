//! A server for pages. It listens on the loopback address only, and refuses what pages of other sites ask.

use axum::{
    Router,
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{
            CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
        },
    },
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};
use tokio::{runtime, sync::Semaphore, task, time};

/// How long a client may take to ask.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may take to ask and to take its answer, with the time for which a request for further lines is held.
const WHOLE: Duration = Duration::from_secs(60);
/// How long the server waits after it could not take a client.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest head of a request.
const MOST_HEAD: usize = 16 << 10;
/// How many clients are served at once. Browsers open a few connections before they need them. A connection that has become
/// a WebSocket no longer counts.
const MOST_CLIENTS: usize = 64;

/// A server that listens, but does not answer yet.
pub struct PageServer {
    listener: TcpListener,
    address: SocketAddr,
}

impl PageServer {
    /// Starts to listen. Port 0 stands for any free one.
    ///
    /// # Errors
    /// The port is taken or not allowed.
    pub fn new(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Returns the address of the server, with a `/` at the end.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Serves until the program ends. Returns only if the system has no room for a server, with the reason.
    pub fn run(self, routes: Router) -> io::Error {
        let routes = guarded(routes, self.address.port());
        let runtime = match runtime::Builder::new_current_thread().enable_io().enable_time().build() {
            Ok(runtime) => runtime,
            Err(why) => return why,
        };
        runtime.block_on(async move {
            let listener = match tokio::net::TcpListener::from_std(self.listener) {
                Ok(listener) => listener,
                Err(why) => return why,
            };
            let room = Arc::new(Semaphore::new(MOST_CLIENTS));
            loop {
                // A client that is gone again is no reason to end.
                let Ok((stream, _)) = listener.accept().await else {
                    // If there are no descriptors left, asking again at once would take a core from the bots.
                    time::sleep(PAUSE).await;
                    continue;
                };
                // A turn and the state after it are two messages. The second one must not wait until the first one is
                // confirmed, which may take 40 ms.
                let _ = stream.set_nodelay(true);
                let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
                let service = TowerToHyperService::new(routes.clone());
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(PATIENCE)
                    .max_buf_size(MOST_HEAD)
                    .serve_connection(TokioIo::new(stream), service)
                    .with_upgrades();
                task::spawn(async move {
                    // A client that breaks off gets nothing, and nobody is told.
                    let _ = time::timeout(WHOLE, connection).await;
                    drop(place);
                });
            }
        })
    }
}

/// Puts the guard in front of routes, and the headers of all answers behind them.
fn guarded(routes: Router, port: u16) -> Router {
    let own = Arc::new([format!("127.0.0.1:{port}"), format!("localhost:{port}")]);
    routes.layer(middleware::from_fn_with_state(own, guard))
}

/// Refuses requests of pages of other sites. They can reach this server through a name or a form of their own, but give
/// themselves away by `Host` and `Origin`.
async fn guard(State(own): State<Arc<[String; 2]>>, request: Request, next: Next) -> Response {
    let mut answer =
        if is_own(request.headers(), &*own) { next.run(request).await } else { StatusCode::FORBIDDEN.into_response() };
    let is_socket = answer.status() == StatusCode::SWITCHING_PROTOCOLS;
    let headers = answer.headers_mut();
    if !is_socket {
        // A connection that waits for further requests would keep its place from others.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    answer
}

fn is_own(headers: &HeaderMap, own: &[String]) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else { return false };
    let origin = format!("http://{host}");
    own.iter().any(|name| name == host)
        && headers.get_all(ORIGIN).iter().all(|given| given.as_bytes() == origin.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{body::Body, routing::get};
    use tower::ServiceExt;

    #[test]
    fn pages_of_other_sites_are_refused() {
        let routes = guarded(Router::new().route("/", get(|| async { "the page" })), 8080);
        let ask = |method: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().method(method).uri("/");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let request = request.body(Body::empty()).expect("a request");
            let runtime = runtime::Builder::new_current_thread().build().expect("a runtime");
            let answer = runtime.block_on(routes.clone().oneshot(request)).expect("an answer");
            assert_eq!(answer.headers()["cache-control"], "no-store");
            assert_eq!(answer.headers()["content-security-policy"], "frame-ancestors 'none'");
            answer.status().as_u16()
        };
        let host = ("Host", "127.0.0.1:8080");
        assert_eq!(ask("GET", &[host]), 200);
        assert_eq!(ask("GET", &[("host", "localhost:8080")]), 200);
        assert_eq!(ask("GET", &[host, ("Origin", "http://127.0.0.1:8080")]), 200);
        assert_eq!(ask("POST", &[host]), 405);
        let refused: [&[(&str, &str)]; 6] = [
            &[],
            &[("Host", "evil.example:8080")],
            &[("Host", "127.0.0.1")],
            &[host, ("Host", "evil.example")],
            &[host, ("Origin", "http://evil.example")],
            &[host, ("Origin", "null")],
        ];
        for headers in refused {
            assert_eq!(ask("GET", headers), 403, "{headers:?}");
        }
    }

    #[test]
    fn two_servers_do_not_meet() {
        let one = PageServer::new(0).expect("a free port");
        assert!(PageServer::new(one.address.port()).is_err());
        assert_ne!(PageServer::new(0).expect("another free port").url(), one.url());
    }
}
