//! Requests to the server of a contest, repeated until they have an answer.

use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::Printer,
};
use agon_play::Cancel;
use agon_worker::{Clock as _, ServerAddress, SystemClock, pause};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    fs::File,
    io::{Read as _, Seek as _},
    time::Duration,
};
use ureq::{Agent, Body, http::Response};

/// How long a connection may take to be there, how long a read or a write may take, and how long an answer.
const CONNECT: Duration = Duration::from_secs(10);
const STALLED: Duration = Duration::from_secs(35);
const ANSWER: Duration = Duration::from_secs(60);
/// An answer is not longer, in bytes.
const LONGEST: u64 = 32 << 20;
/// So many failures in a row are told, and so many end the command if the server has never answered.
const TOLD_AFTER: u32 = 3;
/// How long a server may be away that has answered before.
const PATIENCE: Duration = Duration::from_secs(600);

/// Sends requests to one server.
pub struct Client<'a> {
    address: ServerAddress,
    agent: Agent,
    authorization: String,
    clock: SystemClock,
    cancel: &'a Cancel,
    printer: &'a Printer,
    /// Whether the server has ever answered.
    known: bool,
}

/// Why a request has no answer.
enum Trouble {
    /// The server cannot be reached, or wants to be asked later. The request may have been carried out all the same.
    Away(String, Option<Duration>),
    /// It refuses the request.
    Refused(u16, String),
    /// What answers is no contest's server.
    Stranger(String),
}

/// What a server says of a request that it does not carry out.
pub enum Answer<T> {
    /// It was carried out.
    Done(T),
    /// There is no such thing.
    Nothing,
}

impl<'a> Client<'a> {
    pub fn new(address: ServerAddress, token: &str, cancel: &'a Cancel, printer: &'a Printer) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the token to a place that nobody has named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // The server is named on the command line. A variable of the environment does not put somebody between.
            .proxy(None)
            .user_agent(concat!("agon/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(STALLED))
            .timeout_per_write(Some(STALLED))
            .timeout_recv_response(Some(ANSWER))
            .build();
        let authorization = format!("Bearer {token}");
        let (agent, clock) = (config.new_agent(), SystemClock::default());
        Self { address, agent, authorization, clock, cancel, printer, known: false }
    }

    /// Asks for a document.
    ///
    /// # Errors
    /// The server refuses the request or stays away, or the user interrupts the command.
    pub fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<Answer<T>> {
        self.ask(|agent, address, authorization| {
            agent.get(format!("{address}{path}")).header("authorization", authorization).call()
        })
    }

    /// Sends a file, and returns the document that answers it.
    ///
    /// # Errors
    /// The same as those of [`Client::get`].
    pub fn post<T: DeserializeOwned>(&mut self, path: &str, file: &mut File) -> Result<Answer<T>> {
        self.ask(|agent, address, authorization| {
            file.rewind()?;
            let request = agent.post(format!("{address}{path}")).header("authorization", authorization);
            request.content_type("application/octet-stream").send(&*file)
        })
    }

    /// Waits for so long.
    ///
    /// # Errors
    /// The user interrupts the command.
    pub fn wait(&self, time: Duration) -> Result<()> {
        let is_over = self.clock.wait(time, &|| self.cancel.is_killed());
        if is_over { Ok(()) } else { Err(interrupt::error()) }
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        mut request: impl FnMut(&Agent, &str, &str) -> std::result::Result<Response<Body>, ureq::Error>,
    ) -> Result<Answer<T>> {
        let address = self.address.to_string();
        let (mut failures, mut told, since) = (0, false, self.clock.now());
        loop {
            let (why, asked) = match document(request(&self.agent, &address, &self.authorization)) {
                Ok(answer) => {
                    self.known = true;
                    return Ok(Answer::Done(answer));
                }
                Err(Trouble::Refused(404, _)) => return Ok(Answer::Nothing),
                Err(Trouble::Refused(status, why)) => return Err(refused(status, &why)),
                Err(Trouble::Stranger(why)) => {
                    let what = format!("`{}` is no server of a contest: {}", clean(&address), clean(&why));
                    return Err(Error::user(what).hint("check the address: the organiser knows it"));
                }
                Err(Trouble::Away(why, asked)) => (why, asked),
            };
            failures += 1;
            let away = self.clock.now().saturating_sub(since);
            if (failures >= TOLD_AFTER && !self.known) || away > PATIENCE {
                let what = format!("the server `{}` does not answer: {}", clean(&address), clean(&why));
                return Err(Error::user(what).hint("try again later: what was received stays received"));
            }
            if failures >= TOLD_AFTER && !told {
                told = true;
                self.printer.note(format!("the server does not answer ({}); it is asked again", clean(&why)));
            }
            // What a server asks for is kept, but nobody waits for hours in a terminal.
            if asked.is_some_and(|asked| asked > PATIENCE) {
                return Err(Error::user(clean(&why)));
            }
            self.wait(pause(failures, asked, getrandom::u64().unwrap_or(u64::MAX)))?;
        }
    }
}

fn refused(status: u16, why: &str) -> Error {
    let error = Error::user(clean(why)).exit(Exit::User);
    match status {
        401 => error.hint("make a new token on your account's page"),
        403 => error.hint("a token for this has the right to submit, and its account is in the team"),
        _ => error,
    }
}

fn document<T: DeserializeOwned>(
    answer: std::result::Result<Response<Body>, ureq::Error>,
) -> std::result::Result<T, Trouble> {
    let away = |why: &ureq::Error| {
        Trouble::Away(
            match why {
                ureq::Error::Io(why) => agon_play::system_words(why),
                ureq::Error::Timeout(_) => "it does not answer in time".to_owned(),
                ureq::Error::HostNotFound => "its name leads nowhere".to_owned(),
                why => why.to_string(),
            },
            None,
        )
    };
    let answer = answer.map_err(|why| away(&why))?;
    let status = answer.status().as_u16();
    let after = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let mut body = Vec::new();
    let read = answer.into_body().into_with_config().limit(LONGEST).reader().read_to_end(&mut body);
    if (200..300).contains(&status) {
        read.map_err(|why| Trouble::Away(agon_play::system_words(&why), None))?;
        return serde_json::from_slice(&body)
            .map_err(|why| Trouble::Stranger(format!("its answer is no such document: {why}")));
    }
    let told = serde_json::from_slice::<Value>(&body).ok();
    let told = told.and_then(|told| told.get("error")?.as_str().map(str::to_owned));
    Err(match (status, told) {
        (408 | 429 | 503, told) => {
            Trouble::Away(told.unwrap_or_else(|| format!("it answers with {status}")), after.map(Duration::from_secs))
        }
        // A proxy whose server is gone, or a server that failed at this request.
        (500..=599, told) => Trouble::Away(told.unwrap_or_else(|| format!("it answers with {status}")), None),
        (status, Some(told)) => Trouble::Refused(status, told),
        (status, None) => Trouble::Stranger(format!("it answers with {status}")),
    })
}
