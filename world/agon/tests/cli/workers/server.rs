//! A server that leads a tournament from memory, and fails as its script says.

use super::state::{State, error};
use agon_spec::WORKER_HEADER;
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

pub const KEY: &str = "0123456789abcdef0123456789abcdef";

/// What happens to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The connection ends before the request is carried out.
    Refused,
    /// The request is carried out, and its answer is lost.
    Lost,
    /// The server asks for patience, for a second.
    Busy,
    /// The connection ends after so many bytes of the answer's body.
    Cut(usize),
    /// The answer has so many bytes more than anybody wants.
    Huge,
}

type Script = Box<dyn FnMut(&str, usize) -> Option<Fault> + Send>;

/// A server on the loopback address. It ends with this value.
pub struct Server {
    pub address: String,
    pub state: Arc<Mutex<State>>,
    script: Arc<Mutex<Script>>,
    listener: Arc<Mutex<Option<TcpListener>>>,
}

/// Returns the name of bytes.
pub fn hash_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Server {
    /// Leads `matches` matches of a file between its first two bots.
    pub fn start(file: &str, names: &[&str], matches: u64) -> Self {
        let state = State::new(file, names, matches);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let script: Script = Box::new(|_, _| None);
        let server = Self {
            address,
            state: Arc::new(Mutex::new(state)),
            script: Arc::new(Mutex::new(script)),
            listener: Arc::default(),
        };
        server.listen(listener);
        server
    }

    /// Says what happens to each request, by its name and how many there were of that name before.
    pub fn script(&self, script: impl FnMut(&str, usize) -> Option<Fault> + Send + 'static) {
        *self.script.lock().expect("no panic") = Box::new(script);
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    fn listen(&self, listener: TcpListener) {
        let accepting = listener.try_clone().expect("a descriptor");
        *self.listener.lock().expect("no panic") = Some(listener);
        let (state, script, open) = (Arc::clone(&self.state), Arc::clone(&self.script), Arc::clone(&self.listener));
        thread::spawn(move || {
            for stream in accepting.incoming() {
                let Ok(stream) = stream else { return };
                if open.lock().expect("no panic").is_none() {
                    return;
                }
                let (state, script) = (Arc::clone(&state), Arc::clone(&script));
                thread::spawn(move || drop(serve(stream, &state, &script)));
            }
        });
    }

    /// Is gone: nobody can connect.
    pub fn stop(&self) {
        self.listener.lock().expect("no panic").take();
        // The thread that accepts wakes up and ends.
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
    }

    /// Is back at the same address.
    pub fn come_back(&self) {
        let begun = Instant::now();
        let listener = loop {
            match TcpListener::bind(self.address.trim_start_matches("http://")) {
                Ok(listener) => break listener,
                Err(why) => assert!(begun.elapsed() < Duration::from_secs(20), "{why}"),
            }
            thread::sleep(Duration::from_millis(20));
        };
        self.listen(listener);
    }

    /// Waits until something is so.
    pub fn until(&self, what: &str, mut is_so: impl FnMut(&State) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.state()) {
            let state = self.state();
            assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {:?}", state.requests);
            drop(state);
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reads one request, and answers it.
fn serve(stream: TcpStream, state: &Mutex<State>, script: &Mutex<Script>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let (mut headers, mut length) = (BTreeMap::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    if let Some(text) = headers.get("content-length") {
        length = text.parse().unwrap_or(0);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let name = path.trim_start_matches("/worker/1/").split(['/', '?']).next().unwrap_or_default().to_owned();
    if line.is_empty() {
        return Ok(());
    }
    let name = if method == "PUT" { "put".to_owned() } else { name };
    let fault = {
        let mut state = state.lock().expect("no panic");
        let nth = state.requests.iter().filter(|request| **request == name).count();
        state.requests.push(name.clone());
        state.times.push(Instant::now());
        (script.lock().expect("no panic"))(&name, nth)
    };
    if fault == Some(Fault::Refused) {
        return Ok(());
    }
    let authorized = headers.get("authorization").is_some_and(|value| *value == format!("Bearer {KEY}"));
    let instance = headers.get(&WORKER_HEADER.to_ascii_lowercase()).cloned().unwrap_or_default();
    let (status, answer) = match fault {
        Some(Fault::Busy) => (503, error("unavailable")),
        _ if !authorized => (401, error("no_key")),
        _ => {
            // A claim without a match waits, while others go on.
            let begun = Instant::now();
            loop {
                let answer = state.lock().expect("no panic").answer(&name, &path, &instance, &body);
                let waits = name == "claim" && answer.is_none() && begun.elapsed() < Duration::from_millis(300);
                if !waits {
                    break answer.unwrap_or_else(|| state.lock().expect("no panic").nothing());
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
    };
    if fault == Some(Fault::Lost) {
        return Ok(());
    }
    let (length, sent) = match fault {
        Some(Fault::Cut(count)) => (answer.len(), answer[..count.min(answer.len())].to_vec()),
        Some(Fault::Huge) => (1 << 40, vec![b' '; 40 << 20]),
        _ => (answer.len(), answer),
    };
    let mut stream = stream;
    let retry = if status == 503 { "Retry-After: 1\r\n" } else { "" };
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n{retry}\r\n")?;
    stream.write_all(&sent)?;
    stream.flush()
}
