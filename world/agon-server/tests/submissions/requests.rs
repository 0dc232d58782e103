//! Versions through HTTP, as programs send them and as pages show them.

use crate::{
    archives::{file, packed, zip},
    ground::Bench,
};
use agon_bundle::{BundleHash, BundleWriter};
use agon_contest::{
    ContestFile, Kind, Limits,
    submission::{Step, StepEnd},
};
use agon_server::{
    Clock as _,
    contest::{Contest, Source},
    database::Sql,
    http::Openness,
    people::Secret,
    routes::router,
    server::{Reach, Server},
    submissions::{UPLOAD_LIMIT, receiving},
};
use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    http::{
        HeaderMap, Request, StatusCode,
        header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, LOCATION, RETRY_AFTER, SET_COOKIE},
    },
};
use hyper::body::Frame;
use serde_json::Value;
use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

/// A server of a contest with the teams of a [`Bench`].
struct Site {
    bench: Bench,
    router: Router,
    runtime: Runtime,
    host: String,
    port: String,
}

/// An answer with its whole body.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|why| panic!("{why}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Site {
    fn new() -> Self {
        let bench = Bench::new();
        let contest = Contest { file: ContestFile::new("Cup", "planet-wars").expect("a name"), source: Source::Page };
        bench.database.transact(move |sql| contest.write(sql, 0)).expect("it is written");
        let reach = Reach { listen: "0".parse().expect("a port"), openness: Openness::Loopback, url: None };
        let server = Server::listen(reach).expect("a free port");
        let host = server.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let site = server.site(bench.database.clone(), bench.clock.clone()).expect("words");
        let router = router(&site, receiving(&site, &bench.pipeline));
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let port = host.rsplit(':').next().expect("a port").to_owned();
        Self { bench, router, runtime, host, port }
    }

    /// Makes a session of an account.
    fn session(&self, account: i64, scope: &'static str) -> String {
        let secret = Secret::new().expect("random numbers");
        let (hash, now) = (secret.hash(), 0);
        let made = self.bench.database.transact(move |sql| {
            let id = sql.next_id("sessions")?;
            let insert = "INSERT INTO contest_sessions (hash, id, account, scope, label, created_ms, used_ms, until_ms)
                          VALUES ($1, $2, $3, $4, '', $5, $5, 1000000000)";
            sql.run(insert, &[hash.into(), id.into(), account.into(), scope.into(), i64::from(now).into()])
        });
        made.expect("the database works");
        secret.text()
    }

    fn ask(&self, request: axum::http::request::Builder, body: impl Into<Body>) -> Answer {
        let request = request.header(HOST, &self.host).body(body.into()).expect("a request");
        self.runtime.block_on(async {
            let answer = self.router.clone().oneshot(request).await.expect("it never fails");
            let (status, headers) = (answer.status(), answer.headers().clone());
            let body = to_bytes(answer.into_body(), 64 << 20).await.expect("it is whole").to_vec();
            Answer { status, headers, body }
        })
    }

    fn get(&self, token: &str, path: &str) -> Answer {
        self.ask(Request::get(path).header(AUTHORIZATION, format!("Bearer {token}")), Body::empty())
    }

    fn send(&self, token: &str, path: &str, bytes: &[u8]) -> Answer {
        let request = Request::post(path).header(AUTHORIZATION, format!("Bearer {token}"));
        self.ask(request, bytes.to_vec())
    }

    /// Opens a page in a browser with this session. Returns the page, with the cookies and the token that its forms need.
    fn open(&self, session: &str, path: &str) -> (Answer, String, String) {
        let cookie = format!("agon-{}-session={session}", self.port);
        let page = self.ask(Request::get(path).header(COOKIE, &cookie), Body::empty());
        let form = page.headers.get(SET_COOKIE).map(|set| set.to_str().expect("text").split(';').next().unwrap_or(""));
        let cookies = format!("{cookie}; {}", form.unwrap_or_default());
        let text = page.text();
        let token = text.split("name=\"form\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        let token = token.unwrap_or_default().to_owned();
        (page, cookies, token)
    }

    /// Sends the form of a page with these fields, of which each has a name, a file name and bytes.
    fn send_form(&self, cookies: &str, path: &str, fields: &[(&str, &str, &[u8])]) -> Answer {
        let mut body = Vec::new();
        for (name, file, bytes) in fields {
            let file = if file.is_empty() { String::new() } else { format!("; filename=\"{file}\"") };
            body.extend(format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes());
            body.extend(*bytes);
            body.extend(b"\r\n");
        }
        body.extend(b"--XX--\r\n");
        let request = Request::post(path).header(COOKIE, cookies);
        self.ask(request.header(CONTENT_TYPE, "multipart/form-data; boundary=XX"), body)
    }

    fn versions(&self, token: &str) -> usize {
        self.get(token, "/api/teams/1/versions").json()["versions"].as_array().expect("a list").len()
    }
}

fn bundle(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = BundleWriter::new(&mut bytes);
    writer.file("me/bot.py", false, text.len() as u64, &mut text.as_bytes()).expect("memory takes everything");
    writer.finish().expect("memory takes everything");
    bytes
}

const SEND: &str = "/api/teams/1/versions?form=bundle&name=me";

#[test]
fn a_program_sends_a_bundle_and_asks_again_after_a_lost_answer() {
    let site = Site::new();
    let token = site.session(10, "submit");
    let bytes = bundle("print(1)\n");
    let received = format!("/api/teams/1/versions/received?form=bundle&hash={}", BundleHash::of(&bytes));
    assert_eq!(site.get(&token, &received).status, StatusCode::NOT_FOUND);
    site.bench.clock.set(5);
    let first = site.send(&token, SEND, &bytes);
    assert_eq!(first.status, StatusCode::OK, "{}", first.text());
    let receipt = first.json();
    assert_eq!(
        (&receipt["schema"], &receipt["version"], &receipt["time_received_ms"]),
        (&1.into(), &1.into(), &5.into())
    );
    assert_eq!(receipt["hash"], BundleHash::of(&bytes).to_string());
    site.bench.clock.set(9);
    assert_eq!(site.send(&token, SEND, &bytes).json(), receipt);
    assert_eq!(site.get(&token, &received).json(), receipt);
    let waiting = site.get(&token, "/api/teams/1/versions/1").json();
    assert_eq!((&waiting["version"]["status"], &waiting["version"]["position"]), (&"waiting".into(), &1.into()));
    assert_eq!(waiting["version"]["receipt"]["version"], 1);
    assert_eq!(site.versions(&token), 1);
}

#[test]
fn whoever_may_not_send_is_refused_and_nothing_is_kept() {
    let site = Site::new();
    let (own, other, read) = (site.session(10, "submit"), site.session(20, "submit"), site.session(10, "read"));
    let bytes = bundle("print(1)\n");
    let status = |token: &str, path: &str| site.send(token, path, &bytes).status;
    assert_eq!(status("0000000000000000", SEND), StatusCode::UNAUTHORIZED);
    assert_eq!(status(&other, SEND), StatusCode::FORBIDDEN);
    assert_eq!(status(&read, SEND), StatusCode::FORBIDDEN);
    assert_eq!(status(&own, "/api/teams/99/versions?form=bundle"), StatusCode::FORBIDDEN);
    assert_eq!(status(&own, "/api/teams/x/versions?form=bundle"), StatusCode::NOT_FOUND);
    assert_eq!(status(&own, "/api/teams/1/versions?form=rar"), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(site.ask(Request::post(SEND), bytes.clone()).status, StatusCode::UNAUTHORIZED, "without a token");
    let browser = format!("agon-{}-session={}", site.port, site.session(10, "all"));
    let of_browser = site.ask(Request::post(SEND).header(COOKIE, browser), bytes.clone());
    assert_eq!(of_browser.status, StatusCode::UNAUTHORIZED, "a cookie is no token");
    let large = Request::post(SEND).header(AUTHORIZATION, format!("Bearer {own}"));
    let large = site.ask(large.header(CONTENT_LENGTH, (UPLOAD_LIMIT + 1).to_string()), Body::empty());
    assert_eq!(large.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(site.send(&own, SEND, b"").status, StatusCode::UNPROCESSABLE_ENTITY, "nothing is no bot");
    assert_eq!(site.versions(&own), 0);
    assert_eq!(site.get(&other, "/api/teams/1/versions").status, StatusCode::FORBIDDEN);
}

#[test]
fn too_many_are_told_when_to_come_again() {
    let site = Site::new();
    let (token, other) = (site.session(10, "submit"), site.session(20, "submit"));
    let most = Limits::default().of(Kind::Submit).account.most;
    let bytes = bundle("print(1)\n");
    for _ in 0..most {
        assert_eq!(site.send(&token, SEND, &bytes).status, StatusCode::OK);
    }
    let refused = site.send(&token, SEND, &bytes);
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers.contains_key(RETRY_AFTER));
    let others = site.send(&other, "/api/teams/2/versions?form=bundle&name=me", &bytes);
    assert_eq!(others.status, StatusCode::OK, "who sits beside them is not concerned");
}

#[test]
fn a_page_sends_an_archive_or_a_folder() {
    let site = Site::new();
    let session = site.session(10, "all");
    let (page, cookies, token) = site.open(&session, "/teams/1/versions");
    assert_eq!(page.status, StatusCode::OK, "{}", page.text());
    assert!(page.text().contains("webkitdirectory") && page.text().contains("agon submit http://"));
    let archive = packed(&[file("me/bot.py", b"print(1)\n")]);
    let form = ("form", "", token.as_bytes());
    let path = "/teams/1/versions";
    let sent = |fields: &[(&str, &str, &[u8])]| site.send_form(&cookies, path, fields);
    let first = sent(&[form, ("archive", "mine.tgz", &archive), ("folder", "", b"")]);
    assert_eq!(first.status, StatusCode::SEE_OTHER, "{}", first.text());
    assert_eq!(first.headers[LOCATION], "/teams/1/versions/1");
    let folder: [(&str, &str, &[u8]); 3] =
        [form, ("folder", "me/lib/a.py", b"x = 1\n"), ("folder", "me/bot.py", b"print(1)\n")];
    assert_eq!(sent(&folder).headers[LOCATION], "/teams/1/versions/2");
    let [_, one, other] = folder;
    assert_eq!(sent(&[form, other, one]).headers[LOCATION], "/teams/1/versions/2", "the same folder in another order");
    let data = zip("bot.py", b"print(1)\n", 9);
    assert_eq!(sent(&[form, ("archive", "Mine.ZIP", &data)]).headers[LOCATION], "/teams/1/versions/3");

    let wrong: [&[(&str, &str, &[u8])]; 6] = [
        &[("archive", "mine.tgz", &archive)],
        &[("form", "", b"0123"), ("archive", "mine.tgz", &archive)],
        &[form],
        &[form, ("archive", "mine.exe", &archive)],
        &[form, ("archive", "mine.bundle", &archive)],
        &[form, ("archive", "mine.tgz", &archive), ("folder", "me/bot.py", b"x")],
    ];
    for (number, fields) in wrong.into_iter().enumerate() {
        let refused = sent(fields);
        assert!(refused.status.is_client_error(), "{number}: {}", refused.status);
    }
    let visitor = site.send_form("", path, &[form, ("archive", "mine.tgz", &archive)]);
    assert_eq!(visitor.headers.get(LOCATION).map(|to| to.to_str().expect("text")), Some("/login"));
    assert_eq!(site.versions(&site.session(10, "read")), 3);
}

#[test]
fn a_page_sends_as_much_as_a_program() {
    let site = Site::new();
    let (_, cookies, token) = site.open(&site.session(10, "all"), "/teams/1/versions");
    let large: Vec<u8> = (0..5_u32 << 20).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let fields = [("form", "", token.as_bytes()), ("archive", "mine.tgz", &large[..])];
    let sent = site.send_form(&cookies, "/teams/1/versions", &fields);
    assert_eq!(sent.headers.get(LOCATION).map(|to| to.to_str().expect("text")), Some("/teams/1/versions/1"));
    assert_eq!(site.bench.version(1).size, 5 << 20);
}

/// A body whose pieces are made one by one, when they are read.
struct Pieces<F>(F);

impl<F: FnMut() -> Option<Vec<u8>> + Unpin> hyper::body::Body for Pieces<F> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready((self.0)().map(|piece| Ok(Frame::data(piece.into()))))
    }
}

#[test]
fn a_form_that_never_comes_to_its_files_is_not_kept_in_memory() {
    let site = Site::new();
    for begin in ["--XX\r\nContent-Disposition: ", "--XX\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n"] {
        let read = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&read);
        let body = Pieces(move || {
            let piece = if count.fetch_add(1, Ordering::Relaxed) == 0 { begin.into() } else { vec![b'x'; 16 << 10] };
            (count.load(Ordering::Relaxed) < 4_000).then_some(piece)
        });
        let request = Request::post("/teams/1/versions").header(CONTENT_TYPE, "multipart/form-data; boundary=XX");
        let answer = site.ask(request, Body::new(body));
        assert_eq!(answer.headers.get(LOCATION).map(|to| to.to_str().expect("text")), Some("/login"));
        assert!(read.load(Ordering::Relaxed) < 100, "{begin}");
    }
}

#[test]
fn the_receipt_says_when_all_was_there() {
    let site = Site::new();
    let token = site.session(10, "submit");
    let (clock, bytes) = (site.bench.clock.clone(), bundle("print(1)\n"));
    let mut pieces = bytes.chunks(bytes.len() / 3 + 1).map(<[u8]>::to_vec).collect::<Vec<_>>().into_iter();
    let body = Pieces(move || {
        clock.set(clock.now_ms() + 60_000);
        pieces.next()
    });
    let request = Request::post(SEND).header(AUTHORIZATION, format!("Bearer {token}"));
    let receipt = site.ask(request, Body::new(body)).json();
    assert_eq!(receipt["time_received_ms"], 4 * 60_000);
}

#[test]
fn who_leaves_the_team_meanwhile_sends_nothing() {
    let site = Site::new();
    let token = site.session(10, "submit");
    let (database, bytes) = (site.bench.database.clone(), bundle("print(1)\n"));
    let mut piece = Some(bytes);
    let body = Pieces(move || {
        let away = "UPDATE contest_sessions SET until_ms = 0";
        database.transact(move |sql| sql.run(away, &[])).expect("the database works");
        piece.take()
    });
    let request = Request::post(SEND).header(AUTHORIZATION, format!("Bearer {token}"));
    assert!(site.ask(request, Body::new(body)).status.is_client_error());
    let count = |sql: &mut dyn Sql| sql.int("SELECT count(*) FROM contest_versions", &[]);
    assert_eq!(site.bench.database.read(count), Ok(0));
}

#[test]
fn pages_show_versions_and_text_of_bots_is_text() {
    let site = Site::new();
    let (token, session) = (site.session(10, "submit"), site.session(10, "all"));
    let other = site.bench.send(1, "a");
    let receipt = site.bench.send(1, "b");
    let hostile = "<script>alert(1)</script>";
    site.bench.steps.ends(receipt.id, Step::Check, [StepEnd::Refused(hostile.to_owned())]);
    site.bench.run_all();
    let page = |path: &str| site.open(&session, path).0;
    let list = page("/teams/1/versions").text();
    assert!(list.contains("/teams/1/versions/2") && list.contains("plays"), "{list}");
    let shown = page("/teams/1/versions/2").text();
    assert!(!shown.contains(hostile) && shown.contains("&lt;script&gt;"), "{shown}");
    assert!(shown.contains("log of check") && !shown.contains("/choose"), "{shown}");
    assert_eq!(page("/teams/1/versions/2/compare/1").status, StatusCode::OK);
    assert_eq!(page("/teams/1/versions/9").status, StatusCode::NOT_FOUND);
    assert_eq!(page("/teams/1/versions/1/replays/1").status, StatusCode::NOT_FOUND);
    assert_eq!(page("/organise/versions").status, StatusCode::FORBIDDEN);
    let document = site.get(&token, "/api/teams/1/versions/2").json();
    assert_eq!((&document["version"]["reason"], &document["logs"][2]["result"]), (&hostile.into(), &"refused".into()));
    // The version that plays is taken back by a form, and plays again by another one.
    let act = |path: &str| {
        let (_, cookies, form) = site.open(&session, "/teams/1/versions/1");
        let request = Request::post(path).header(COOKIE, cookies);
        site.ask(request.header(CONTENT_TYPE, "application/x-www-form-urlencoded"), format!("form={form}"))
    };
    assert_eq!(act("/teams/1/versions/1/take-back").status, StatusCode::SEE_OTHER);
    assert!(!site.bench.version(other.id).is_chosen);
    assert_eq!(act("/teams/1/versions/1/choose").status, StatusCode::SEE_OTHER);
    assert!(site.bench.version(other.id).is_chosen);
    assert_eq!(act("/teams/1/versions/2/choose").status, StatusCode::CONFLICT);
    assert_eq!(act("/teams/1/versions/2/again").status, StatusCode::FORBIDDEN);
}
