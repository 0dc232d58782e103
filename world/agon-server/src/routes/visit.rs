//! One request, with who asks and how.

use super::Site;
use crate::{
    Refusal, Result,
    contest::Contest,
    database::Sql,
    http::{Form, FormKey, Language, Peer},
    people::{self, Ask, Secret, Who},
    words::Words,
};
use agon_contest::{Kind, Limits};
use axum::http::{
    HeaderMap, HeaderValue, Method,
    header::{ACCEPT_LANGUAGE, AUTHORIZATION, HOST, USER_AGENT},
    request::Parts,
};
use maud::Markup;
use std::sync::Arc;

/// The cookies of a server: the session, the key of forms, and the language.
pub const SESSION: &str = "session";
const FORM: &str = "form";
const LANGUAGE: &str = "language";
/// How long a browser keeps a session, in seconds: as long as the server does at most.
const SESSION_S: u64 = 7 * 24 * 3600;
/// How long a browser keeps the chosen language, in seconds.
const YEAR: u64 = 365 * 24 * 3600;

/// One request, with who asks and how.
pub struct Visit {
    /// The server.
    pub site: Arc<Site>,
    /// Who asks, from where, and when.
    pub ask: Ask,
    /// The contest, if it is made.
    pub contest: Option<Contest>,
    /// The language of the answer.
    pub language: Language,
    /// The path of the page. That of a form is the one of the page on which it is.
    pub path: String,
    /// What its form says.
    pub form: Form,
    /// What its address says behind `?`.
    pub query: Form,
    /// The parts of the path that differ from request to request, in order.
    pub parts: Vec<String>,
    /// What the browser says about itself.
    pub browser: String,
    /// Why the form was refused, for the page that shows it again.
    pub problem: Option<String>,
    /// What the page says first, such as a secret that is shown once.
    pub notice: Option<Markup>,
    url: String,
    /// What the address of a page says behind `?`, as it is written.
    written_query: Option<String>,
    /// The secret of the session.
    session: Option<Secret>,
    /// The value of the cookie with it. It is empty without one.
    session_cookie: String,
    form_key: FormKey,
    /// Cookies that the answer sets.
    cookies: Vec<HeaderValue>,
}

impl Visit {
    /// Looks at a request. `form` is its body, if it has one.
    ///
    /// # Errors
    /// The database cannot be used.
    pub fn new(site: Arc<Site>, parts: &Parts, form: Form, variable: Vec<String>) -> Result<Self> {
        let headers = &parts.headers;
        let now = site.clock.now_ms();
        let token = bearer(headers);
        let cookie = site.cookies.read(headers, SESSION).unwrap_or_default().to_owned();
        // A program that names a token means that one alone.
        let session_cookie = if token.is_some() { String::new() } else { cookie };
        let session = Secret::read(token.unwrap_or(&session_cookie));
        let viewer = people::visit(&site.database, session.as_ref(), now)?;
        let contest = site.database.read(|sql| Contest::read(sql))?;
        let chosen = site.cookies.read(headers, LANGUAGE).and_then(Language::find);
        let accepted = || headers.get(ACCEPT_LANGUAGE).and_then(|header| header.to_str().ok()).map(Language::accepted);
        let language = chosen.or_else(accepted).unwrap_or_default();
        let key = site.cookies.read(headers, FORM).and_then(FormKey::read);
        let mut cookies = Vec::new();
        let form_key = match key {
            Some(key) => key,
            None => {
                let key = FormKey::new(&Secret::new()?);
                // Programs send no forms.
                if !parts.uri.path().starts_with("/api/") {
                    cookies.extend(site.cookies.set(FORM, key.cookie(), None));
                }
                key
            }
        };
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
        Ok(Self {
            ask: Ask { viewer, address: site.access.address(peer, headers), now },
            contest,
            language,
            path: parts.uri.path().to_owned(),
            form,
            query: Form::parse(parts.uri.query().unwrap_or_default().as_bytes()),
            parts: variable,
            browser: browser(headers),
            url: if site.is_everywhere { opened(&site, headers) } else { site.url.clone() },
            written_query: parts.uri.query().filter(|_| parts.method == Method::GET).map(str::to_owned),
            problem: None,
            notice: None,
            session,
            session_cookie,
            form_key,
            cookies,
            site,
        })
    }

    /// Returns the address of the server that people open, with a `/` at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the path and the query of the page, to which one can go back.
    #[must_use]
    pub fn here(&self) -> String {
        let query = self.written_query.as_ref().map(|query| format!("?{query}"));
        self.path.clone() + &query.unwrap_or_default()
    }

    /// Returns the strings of its language.
    #[must_use]
    pub fn words(&self) -> &Words {
        self.site.dictionary.of(self.language)
    }

    /// Returns how often somebody may ask.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.contest.as_ref().map(|contest| contest.file.limits.clone()).unwrap_or_default()
    }

    /// Counts that the asker changes something, before it is tried.
    ///
    /// # Errors
    /// There were too many changes.
    pub fn count_change(&self) -> Result<()> {
        let (limits, who) = (self.limits(), Who::asks(&self.ask));
        people::allow(&self.site.database, &limits, Kind::Change, who, self.ask.now).map(drop)
    }

    /// Returns a number in the path.
    ///
    /// # Errors
    /// It is none.
    pub fn number(&self, place: usize, thing: &'static str) -> Result<i64> {
        let part = self.parts.get(place).map_or("", String::as_str);
        let is_plain = part.bytes().all(|byte| byte.is_ascii_digit());
        Ok(part.parse().ok().filter(|_| is_plain).ok_or(Refusal::Unknown(thing))?)
    }

    /// Returns the secret of the asker's session.
    #[must_use]
    pub fn session(&self) -> Option<&Secret> {
        self.session.as_ref()
    }

    /// Returns the token of forms on the page.
    #[must_use]
    pub fn form_token(&self) -> String {
        self.form_key.token(&self.session_cookie)
    }

    /// Returns whether a page of this server has sent the form.
    #[must_use]
    pub fn has_sent_form(&self) -> bool {
        self.form_key.has_sent(&self.form, &self.session_cookie)
    }

    /// Sets the cookie of a new session.
    pub fn log_in(&mut self, session: &Secret) {
        self.cookies.extend(self.site.cookies.set(SESSION, &session.text(), Some(SESSION_S)));
    }

    /// Removes the cookie of the session.
    pub fn log_out(&mut self) {
        self.cookies.extend(self.site.cookies.set(SESSION, "", Some(0)));
    }

    /// Keeps a choice of language.
    pub fn choose(&mut self, language: Language) {
        self.cookies.extend(self.site.cookies.set(LANGUAGE, language.code(), Some(YEAR)));
    }

    /// Returns the cookies that the answer sets.
    pub fn take_cookies(&mut self) -> Vec<HeaderValue> {
        std::mem::take(&mut self.cookies)
    }

    /// Makes one transaction.
    ///
    /// # Errors
    /// Those of the job, and those of the database.
    pub fn transact<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Sql) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.site.database.transact(job)
    }

    /// Makes one transaction that only reads.
    ///
    /// # Errors
    /// Those of the job, and those of the database.
    pub fn read<T: Send + 'static>(&self, job: impl FnOnce(&mut dyn Sql) -> Result<T> + Send + 'static) -> Result<T> {
        self.site.database.read(job)
    }
}

/// Returns the address that was opened. The guard has looked at it before.
fn opened(site: &Site, headers: &HeaderMap) -> String {
    let scheme = if site.access.is_encrypted() { "https" } else { "http" };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("{scheme}://{host}/")
}

/// Returns what a browser says about itself, shortened. It is shown to the owner of a session.
fn browser(headers: &HeaderMap) -> String {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let known = ["Edg/", "OPR/", "Firefox/", "Chrome/", "Safari/"].into_iter().find(|name| agent.contains(name));
    let systems = ["Windows", "Android", "iPhone", "iPad", "Mac OS X", "Linux"];
    let system = systems.into_iter().find(|name| agent.contains(name));
    match (known, system) {
        (Some(known), Some(system)) => format!("{} · {system}", known.trim_end_matches('/')),
        _ => agent.chars().take(40).collect(),
    }
}

/// Returns the token in a request, which stands in it once.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let token = given.next()?.to_str().ok()?.strip_prefix("Bearer ")?;
    given.next().is_none().then_some(token)
}
