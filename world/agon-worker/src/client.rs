//! One request to the server, and its answer.

use crate::{ServerAddress, WorkerKey, trouble::Trouble};
use agon_spec::WORKER_HEADER;
use serde::{Serialize, de::DeserializeOwned};
use std::{fmt, io::Read, time::Duration};
use ureq::{Agent, Body, http::Response};

/// How long a connection may take to be there.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a single read or write may take. A claim waits for matches up to 20 s.
const STALLED: Duration = Duration::from_secs(35);
/// How long a server may take to begin its answer.
const ANSWER: Duration = Duration::from_secs(60);
/// How long a document may take to come or to go.
const DOCUMENT: Duration = Duration::from_secs(120);
/// A connection that was not used for so long is not used again. Servers and what is between close those that are idle.
const IDLE: Duration = Duration::from_secs(10);
/// A document of the server is not longer, in bytes: the file of a tournament has up to 4 MiB, and as JSON more.
const LONGEST: u64 = 32 << 20;
/// An answer that is a refusal is not longer, in bytes.
const REFUSAL: u64 = 64 << 10;

/// Sends requests to one server. Clones share their connections.
#[derive(Clone)]
pub(crate) struct Client {
    address: ServerAddress,
    agent: Agent,
    authorization: String,
    instance: String,
}

/// The body of an answer that is not a document.
pub(crate) type Bytes = Box<dyn Read + Send>;

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key stays hidden.
        f.debug_struct("Client").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(address: &ServerAddress, key: &WorkerKey, instance: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the key to a place that nobody has named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // The server is named on the command line. A variable of the environment does not put somebody between.
            .proxy(None)
            .user_agent(concat!("agon-worker/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(STALLED))
            .timeout_per_write(Some(STALLED))
            .timeout_send_request(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .max_idle_age(IDLE)
            .build();
        Self {
            address: address.clone(),
            agent: config.new_agent(),
            authorization: format!("Bearer {}", key.expose()),
            instance: instance.to_owned(),
        }
    }

    /// Returns the address of the server.
    pub(crate) fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// Asks for a document.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Trouble> {
        let request = self.agent.get(self.address.url(path));
        let request = request.header("authorization", &self.authorization).header(WORKER_HEADER, &self.instance);
        document(request.config().timeout_recv_body(Some(DOCUMENT)).build().call())
    }

    /// Sends a document, and returns the one that answers it.
    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, Trouble> {
        let body = serde_json::to_vec(body).map_err(|why| Trouble::Stranger(why.to_string()))?;
        let request = self.agent.post(self.address.url(path)).content_type("application/json");
        let request = request.header("authorization", &self.authorization).header(WORKER_HEADER, &self.instance);
        let request = request.config().timeout_send_body(Some(DOCUMENT)).timeout_recv_body(Some(DOCUMENT)).build();
        document(request.send(&body))
    }

    /// Sends bytes.
    pub(crate) fn put<T: DeserializeOwned>(&self, path: &str, bytes: &[u8]) -> Result<T, Trouble> {
        let request = self.agent.put(self.address.url(path)).content_type("application/octet-stream");
        let request = request.header("authorization", &self.authorization).header(WORKER_HEADER, &self.instance);
        document(request.config().timeout_recv_body(Some(DOCUMENT)).build().send(bytes))
    }

    /// Asks for bytes, of which there are at most so many. What comes beyond them is an error of the reader.
    pub(crate) fn bytes(&self, path: &str, most: u64) -> Result<Bytes, Trouble> {
        let request = self.agent.get(self.address.url(path));
        let request = request.header("authorization", &self.authorization).header(WORKER_HEADER, &self.instance);
        let answer = sound(request.call())?;
        Ok(Box::new(answer.into_body().into_with_config().limit(most).reader()))
    }

    /// Breaks off all requests of this client and its clones. It can be used no more.
    pub(crate) fn shut_down(&self) {
        self.agent.clone().shutdown();
    }
}

/// Returns an answer that is none of a refusal.
fn sound(answer: Result<Response<Body>, ureq::Error>) -> Result<Response<Body>, Trouble> {
    let answer = answer.map_err(|why| away(&why))?;
    let status = answer.status().as_u16();
    if (200..300).contains(&status) {
        return Ok(answer);
    }
    let retry_after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut body = Vec::new();
    // As much of it as there is. Without it, the status decides.
    let _ = answer.into_body().into_reader().take(REFUSAL).read_to_end(&mut body);
    Err(Trouble::of_answer(status, retry_after.as_deref(), &body))
}

fn document<T: DeserializeOwned>(answer: Result<Response<Body>, ureq::Error>) -> Result<T, Trouble> {
    let body = sound(answer)?.into_body().into_with_config().limit(LONGEST).read_to_vec();
    let body = body.map_err(|why| match why {
        ureq::Error::BodyExceedsLimit(_) => {
            Trouble::Stranger(format!("its answer is larger than {} MiB", LONGEST >> 20))
        }
        why => away(&why),
    })?;
    serde_json::from_slice(&body).map_err(|why| Trouble::Stranger(format!("its answer is no such document: {why}")))
}

/// Returns why there is no whole answer.
fn away(why: &ureq::Error) -> Trouble {
    Trouble::Away(match why {
        ureq::Error::Io(why) => agon_play::system_words(why),
        ureq::Error::Timeout(_) => "it does not answer in time".to_owned(),
        ureq::Error::HostNotFound => "its name leads nowhere".to_owned(),
        why => why.to_string(),
    })
}
