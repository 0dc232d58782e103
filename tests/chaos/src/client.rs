//! As much of HTTP/1.1 as a simulated worker needs: one request after the other on one connection.

use std::{io, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time,
};

/// How long an answer may take. A claim waits for 20 s at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer of the server.
pub struct Response {
    pub status: u16,
    /// After how many seconds the worker may ask again.
    pub retry_after_s: Option<u64>,
    pub body: Vec<u8>,
}

/// A connection to the server that is made when it is needed.
pub struct Client {
    address: SocketAddr,
    /// What every request has, after its first line.
    headers: String,
    stream: Option<TcpStream>,
}

impl Client {
    pub fn new(address: SocketAddr, key: &str, instance: &str) -> Self {
        let headers = format!("Host: {address}\r\nAuthorization: Bearer {key}\r\nAgon-Worker: {instance}\r\n");
        Self { address, headers, stream: None }
    }

    /// Sends a request and returns its answer.
    ///
    /// # Errors
    /// The server is away, or speaks no HTTP. Nobody knows whether it has taken the request.
    pub async fn ask(&mut self, path: &str, body: &[u8]) -> io::Result<Response> {
        let asked = time::timeout(PATIENCE, self.ask_now(path, body)).await;
        let response = asked.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if response.is_err() {
            self.stream = None;
        }
        response
    }

    /// Sends a request and breaks the connection off before its answer comes.
    ///
    /// # Errors
    /// The server is away.
    pub async fn ask_and_hang_up(&mut self, path: &str, body: &[u8]) -> io::Result<()> {
        let sent = self.send(path, body).await;
        self.stream = None;
        sent
    }

    async fn send(&mut self, path: &str, body: &[u8]) -> io::Result<()> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            self.stream = Some(stream);
        }
        let Some(stream) = &mut self.stream else { return Err(io::ErrorKind::NotConnected.into()) };
        let head = format!(
            "POST {path} HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.headers,
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).await
    }

    async fn ask_now(&mut self, path: &str, body: &[u8]) -> io::Result<Response> {
        let was_open = self.stream.is_some();
        let mut received = Vec::with_capacity(4_096);
        let sent = self.send(path, body).await;
        if sent.and(self.read_more(&mut received).await).is_err() && was_open && received.is_empty() {
            // The server closes connections that rest.
            self.stream = None;
            self.send(path, body).await?;
            self.read_more(&mut received).await?;
        }
        let end = loop {
            if let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            self.read_more(&mut received).await?;
        };
        let strange = || io::Error::from(io::ErrorKind::InvalidData);
        let head = std::str::from_utf8(&received[..end]).map_err(|_| strange())?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(strange)?;
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).and_then(|(_, value)| value.trim().parse().ok())
        };
        let length: u64 = header("content-length").ok_or_else(strange)?;
        let (retry_after_s, length) = (header("retry-after"), usize::try_from(length).map_err(|_| strange())?);
        let mut body = received.split_off(end + 4);
        while body.len() < length {
            self.read_more(&mut body).await?;
        }
        Ok(Response { status, retry_after_s, body })
    }

    async fn read_more(&mut self, into: &mut Vec<u8>) -> io::Result<()> {
        let Some(stream) = &mut self.stream else { return Err(io::ErrorKind::NotConnected.into()) };
        match stream.read_buf(into).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
