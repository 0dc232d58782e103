//! A contest without a socket, and browsers that visit it.

use agon_contest::ContestFile;
use agon_server::{
    Clock,
    contest::{Contest, Source},
    database::Database,
    http::{Access, Cookies, Openness, Peer},
    people::links,
    routes::{Site, router},
    words::Dictionary,
};
use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, header::SET_COOKIE},
};
use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};
use tokio::runtime::{self, Runtime};
use tower::ServiceExt as _;

pub const PASSWORD: &str = "correct horse";

/// A clock that tests set.
#[derive(Debug, Default)]
pub struct Hand(AtomicI64);

impl Clock for Hand {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A contest and its server.
pub struct Place {
    pub database: Database,
    pub clock: Arc<Hand>,
    pub router: Router,
    runtime: Runtime,
    host: &'static str,
    origin: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {}", self.body))
    }
}

/// A browser, with its cookies.
#[derive(Clone, Default)]
pub struct Browser {
    pub cookies: BTreeMap<String, String>,
    pub language: &'static str,
    pub address: Option<IpAddr>,
}

impl Place {
    /// Makes a server without a contest.
    pub fn empty(openness: Openness) -> Self {
        let (host, scheme) = match openness {
            Openness::Loopback => ("localhost:8080", "http"),
            Openness::InsecureLan => ("192.168.1.5:8080", "http"),
            Openness::BehindProxy => ("cup.example", "https"),
        };
        let origin = format!("{scheme}://{host}");
        let database = Database::memory().expect("memory");
        let clock = Arc::new(Hand(AtomicI64::new(1_796_053_860_000)));
        let site = Arc::new(Site {
            database: database.clone(),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            access: Access::new(openness, []),
            cookies: if openness == Openness::BehindProxy { Cookies::encrypted() } else { Cookies::plain(8080) },
            dictionary: Dictionary::load().expect("the strings fit"),
            url: format!("{origin}/"),
            is_everywhere: openness == Openness::InsecureLan,
        });
        let runtime = runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        Self { database, clock, router: router(&site, Router::new()), runtime, host, origin }
    }

    /// Makes a server with a contest in which everybody can make an account.
    pub fn open() -> Self {
        let place = Self::empty(Openness::Loopback);
        place.set_contest("registration = \"open\"");
        place
    }

    pub fn set_contest(&self, more: &str) {
        let file = ContestFile::parse(&format!("name = \"Cup\"\ngame = \"grid\"\n{more}\n")).expect("a file");
        let contest = Contest { file, source: Source::Page };
        self.database.transact(move |sql| contest.write(sql, 0)).expect("it is written");
    }

    pub fn pass(&self, ms: i64) {
        self.clock.0.fetch_add(ms, Ordering::SeqCst);
    }

    /// Returns the path of the first organiser's link.
    pub fn link(&self) -> String {
        let now = self.clock.now_ms();
        let link = self.database.transact(move |sql| links::first(sql, now)).expect("it is written");
        format!("/first/{}", link.expect("nobody leads yet").text())
    }

    /// Asks with headers of one's own.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.send_from(None, method, path, headers, body)
    }

    fn send_from(
        &self,
        address: Option<IpAddr>,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::from(body.to_owned())).expect("a request");
        if let Some(address) = address {
            request.extensions_mut().insert(Peer(address));
        }
        self.runtime.block_on(async {
            let answer = self.router.clone().oneshot(request).await.expect("an answer");
            let (parts, body) = answer.into_parts();
            let body = to_bytes(body, 1 << 20).await.expect("a body");
            let body = String::from_utf8(body.to_vec()).expect("text");
            Answer { status: parts.status.as_u16(), headers: parts.headers, body }
        })
    }

    fn visit(&self, browser: &mut Browser, method: &str, path: &str, body: &str) -> Answer {
        let cookies: Vec<String> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let mut headers = vec![("host", self.host), ("cookie", &cookies), ("accept-language", browser.language)];
        if method == "POST" {
            headers.extend([
                ("origin", self.origin.as_str()),
                ("sec-fetch-site", "same-origin"),
                ("content-type", "application/x-www-form-urlencoded"),
            ]);
        }
        let answer = self.send_from(browser.address, method, path, &headers, body);
        for cookie in answer.headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("text");
            let (pair, rest) = cookie.split_once(';').expect("it has attributes");
            let (name, value) = pair.split_once('=').expect("a pair");
            if rest.contains("Max-Age=0") {
                browser.cookies.remove(name);
            } else {
                browser.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    pub fn get(&self, browser: &mut Browser, path: &str) -> Answer {
        self.visit(browser, "GET", path, "")
    }

    /// Sends a form with the token of the pages that this browser sees.
    pub fn post(&self, browser: &mut Browser, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.token(browser);
        self.post_with(browser, path, &token, fields)
    }

    /// Returns the token of forms in the pages that this browser sees.
    pub fn token(&self, browser: &mut Browser) -> String {
        let page = self.get(browser, "/teams");
        let token = page.body.split("name=\"form\" value=\"").nth(1).expect("the page has a form");
        token.split('"').next().expect("it ends").to_owned()
    }

    pub fn post_with(&self, browser: &mut Browser, path: &str, token: &str, fields: &[(&str, &str)]) -> Answer {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("form", token);
        form.extend_pairs(fields);
        self.visit(browser, "POST", path, &form.finish())
    }

    /// Makes the first organiser.
    pub fn organiser(&self) -> Browser {
        let mut browser = Browser::default();
        let link = self.link();
        let answer = self.post(&mut browser, &link, &[("name", "olga"), ("password", PASSWORD), ("again", PASSWORD)]);
        assert_eq!((answer.status, answer.header("location")), (303, "/organise"), "{}", answer.body);
        browser
    }

    /// Makes an account, with a code if there is one.
    pub fn joined(&self, name: &str, code: &str) -> Browser {
        let mut browser = Browser::default();
        let fields = [("name", name), ("password", PASSWORD), ("again", PASSWORD), ("code", code)];
        let answer = self.post(&mut browser, "/join", &fields);
        assert_eq!((answer.status, answer.header("location")), (303, "/"), "{}", answer.body);
        browser
    }
}

/// Returns the text between two others in a page.
pub fn between<'p>(page: &'p str, before: &str, after: &str) -> &'p str {
    let rest = page.split_once(before).unwrap_or_else(|| panic!("`{before}` is not in {page}")).1;
    rest.split_once(after).expect("it ends").0
}
