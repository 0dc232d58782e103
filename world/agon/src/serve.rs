//! A small server for pages. It listens on the loopback address only, and answers nobody who does not know the word in its
//! address.

use std::{
    borrow::Cow,
    hash::{BuildHasher, RandomState},
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a client may take to ask, and to take each part of its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the server waits after it could not take a client.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a request for further lines is held if there are none.
const HELD: Duration = Duration::from_secs(20);
/// The longest head of a request.
const MOST_HEAD: usize = 16 << 10;
/// How many clients are served at once. Browsers open a few connections before they need them.
const MOST_CLIENTS: usize = 64;

/// A server that shows one page, and hands out the lines of a live one.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    page: Vec<u8>,
    lines: Lines,
}

/// The lines of a match that is being played. Copies share them.
#[derive(Clone, Default)]
pub struct Lines(Arc<(Mutex<Written>, Condvar)>);

#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    is_complete: bool,
}

impl Lines {
    /// Says that no further line follows.
    pub fn end(&self) {
        self.change(|written| written.is_complete = true);
    }

    fn change(&self, work: impl FnOnce(&mut Written)) {
        let (written, more) = &*self.0;
        work(&mut written.lock().unwrap_or_else(PoisonError::into_inner));
        more.notify_all();
    }

    /// Returns whole lines from a byte on, when there are some. Returns nothing after a while, and `None` if none will
    /// follow.
    fn from(&self, start: usize) -> Option<Vec<u8>> {
        let (written, more) = &*self.0;
        let written = written.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |written: &mut Written| written.bytes.len() <= start && !written.is_complete;
        let (written, _) = more.wait_timeout_while(written, HELD, waits).unwrap_or_else(PoisonError::into_inner);
        let new = written.bytes.get(start..).unwrap_or_default();
        let end = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        (end > 0 || !written.is_complete).then(|| new[..end].to_vec())
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

/// The answer to a request.
struct Answer<'a> {
    status: &'static str,
    kind: &'static str,
    body: Cow<'a, [u8]>,
}

impl Server {
    /// Starts to listen. Port 0 stands for any free one.
    ///
    /// # Errors
    /// The port is taken or not allowed.
    pub fn new(port: u16, page: Vec<u8>, lines: Lines) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, token: token(), page, lines })
    }

    /// Returns the address of the page, with the word that opens it.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Serves until the program ends.
    pub fn run(self) -> ! {
        let server = Arc::new(self);
        let clients = Arc::new(AtomicUsize::new(0));
        loop {
            // A client that is gone again is no reason to end.
            let Ok((stream, _)) = server.listener.accept() else {
                // If there are no descriptors left, asking again at once would take a core from the bots.
                thread::sleep(PAUSE);
                continue;
            };
            if clients.load(Ordering::Acquire) >= MOST_CLIENTS {
                continue;
            }
            clients.fetch_add(1, Ordering::AcqRel);
            let (server, done) = (Arc::clone(&server), Arc::clone(&clients));
            let serve = move || {
                // A client that breaks off gets nothing, and nobody is told.
                let _ = server.serve(stream);
                done.fetch_sub(1, Ordering::AcqRel);
            };
            if thread::Builder::new().spawn(serve).is_err() {
                clients.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }

    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let head = read_head(&mut stream)?;
        let Answer { status, kind, body } = self.answer(&head);
        let with_body = !head.starts_with("HEAD ");
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             Content-Security-Policy: frame-ancestors 'none'\r\nCross-Origin-Resource-Policy: same-origin\r\n\
             Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            body.len()
        )?;
        if with_body {
            stream.write_all(&body)?;
        }
        stream.flush()
    }

    /// Decides what a request gets. Pages of other sites, which can reach this server through a name or a form of their own,
    /// give themselves away by `Host` and `Origin`.
    fn answer(&self, head: &str) -> Answer<'_> {
        let refused = |status| Answer { status, kind: "text/plain", body: Cow::Borrowed(&[]) };
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (mut hosts, mut origins) = (Vec::new(), Vec::new());
        for line in lines {
            let Some((name, value)) = line.split_once(':') else { continue };
            match name.to_ascii_lowercase().as_str() {
                "host" => hosts.push(value.trim()),
                "origin" => origins.push(value.trim()),
                _ => {}
            }
        }
        let port = self.address.port();
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let [host] = hosts.as_slice() else { return refused("403 Forbidden") };
        if !own.iter().any(|name| name == host) || origins.iter().any(|origin| *origin != format!("http://{host}")) {
            return refused("403 Forbidden");
        }
        let Some(rest) = path.strip_prefix('/').and_then(|path| without_token(path, &self.token)) else {
            return refused("403 Forbidden");
        };
        if let ("GET", Some(start)) = (method, rest.strip_prefix("/lines?from=").and_then(|start| start.parse().ok())) {
            return match self.lines.from(start) {
                Some(lines) => Answer { status: "200 OK", kind: "application/jsonl", body: Cow::Owned(lines) },
                None => refused("204 No Content"),
            };
        }
        match (method, rest) {
            ("GET" | "HEAD", "/") => Answer { status: "200 OK", kind: "text/html", body: Cow::Borrowed(&self.page) },
            ("GET" | "HEAD", _) => refused("404 Not Found"),
            _ => refused("405 Method Not Allowed"),
        }
    }
}

/// Returns what follows the word, or `None` if another word stands there. It takes equally long for every wrong word.
fn without_token<'a>(path: &'a str, token: &str) -> Option<&'a str> {
    let (word, rest) = path.split_at_checked(token.len())?;
    let differs = word.bytes().zip(token.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    (differs == 0).then_some(rest)
}

/// Reads up to the blank line.
fn read_head(stream: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    let until = Instant::now() + PATIENCE;
    loop {
        // A client that sends a byte now and then must not keep its place for hours.
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut part)?;
        head.extend_from_slice(&part[..count]);
        if let Some(end) = head.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            head.truncate(end);
            return String::from_utf8(head).map_err(|_| io::ErrorKind::InvalidData.into());
        }
        if count == 0 || head.len() > MOST_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// Returns a word of 128 bits that nobody can guess: two hashes under keys that `std` takes from the system.
fn token() -> String {
    [0_u8, 1].map(|part| format!("{:016x}", RandomState::new().hash_one(part))).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_knows_the_word_is_answered() {
        let server = Server::new(0, b"the page".to_vec(), Lines::default()).expect("a free port");
        let (port, token) = (server.address.port(), server.token.clone());
        let ask = |line: &str, headers: &str| server.answer(&format!("{line} HTTP/1.1\r\n{headers}")).status;
        let host = format!("Host: 127.0.0.1:{port}");
        let path = format!("/{token}/");
        assert_eq!(ask(&format!("GET {path}"), &host), "200 OK");
        assert_eq!(ask(&format!("GET {path}"), &format!("host: localhost:{port}")), "200 OK");
        assert_eq!(ask(&format!("GET {path}"), &format!("{host}\r\nOrigin: http://127.0.0.1:{port}")), "200 OK");
        assert_eq!(ask(&format!("GET {path}secret"), &host), "404 Not Found");
        assert_eq!(ask(&format!("POST {path}"), &host), "405 Method Not Allowed");
        for (line, headers) in [
            ("GET /".to_owned(), host.clone()),
            (format!("GET /{}/", "0".repeat(32)), host.clone()),
            (format!("GET {token}/"), host.clone()),
            (format!("GET {path}"), String::new()),
            (format!("GET {path}"), format!("Host: evil.example:{port}")),
            (format!("GET {path}"), "Host: 127.0.0.1".to_owned()),
            (format!("GET {path}"), format!("{host}\r\nHost: evil.example")),
            (format!("GET {path}"), format!("{host}\r\nOrigin: http://evil.example")),
            (format!("GET {path}"), format!("{host}\r\nOrigin: null")),
            (String::new(), String::new()),
        ] {
            assert_eq!(ask(&line, &headers), "403 Forbidden", "{line} {headers}");
        }
    }

    #[test]
    fn lines_are_handed_out_whole_and_once() {
        let mut lines = Lines::default();
        lines.write_all(b"one\ntwo\nthr").expect("memory");
        let server = Server::new(0, Vec::new(), lines.clone()).expect("a free port");
        let ask = |from: &str| {
            let head = format!("GET /{}/lines?from={from} HTTP/1.1\r\nHost: {}", server.token, server.address);
            let Answer { status, body, .. } = server.answer(&head);
            (status, String::from_utf8(body.into_owned()).expect("text"))
        };
        assert_eq!(ask("0"), ("200 OK", "one\ntwo\n".to_owned()));
        assert_eq!(ask("4"), ("200 OK", "two\n".to_owned()));
        assert_eq!(ask("x").0, "404 Not Found");
        lines.write_all(b"ee\n").expect("memory");
        lines.end();
        assert_eq!(ask("8"), ("200 OK", "three\n".to_owned()));
        assert_eq!(ask("14").0, "204 No Content");
        assert_eq!(ask("999").0, "204 No Content");
    }

    #[test]
    fn words_are_long_and_differ() {
        let (one, other) = (token(), token());
        assert!(one.len() == 32 && one != other);
    }
}
