//! The way from a request to its answer.

use super::{
    ROUTES, Route, Site, Verb, Visit,
    refused::{message, problem_page, status, wait},
    refused_document, refused_page,
};
use crate::{
    Error, Refusal,
    http::{Form, Incoming, add_headers},
    people::HASHED_AT_ONCE,
    submissions,
};
use agon_spec::Versioned;
use axum::{
    Router,
    body::Body,
    extract::{FromRequestParts as _, RawPathParams, Request, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CONTENT_TYPE, LOCATION, SET_COOKIE},
        request::Parts,
    },
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{MethodFilter, on},
};
use serde::Serialize;
use std::sync::Arc;
use tokio::{sync::Semaphore, task};

/// The longest form, in bytes.
const MOST_FORM: usize = 16 << 10;

/// Returns what answers every request. `more` are further routes, which are guarded in the same way.
pub fn router(site: &Arc<Site>, more: Router) -> Router {
    let mut router = Router::new();
    // Requests with passwords wait for their turn without a thread, so that no crowd that logs in keeps the threads from the pages of
    // everybody else.
    let hashing = Arc::new(Semaphore::new(HASHED_AT_ONCE));
    for route in ROUTES.iter().chain(submissions::ROUTES) {
        let filter = match route.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
        };
        let site = Arc::clone(site);
        let turns = route.hashes.then(|| Arc::clone(&hashing));
        router = router.route(route.path, on(filter, move |request: Request| answer(site, route, request, turns)));
    }
    let nothing = Arc::clone(site);
    router
        .merge(more)
        .fallback(move |request: Request| {
            static NOTHING: Route = Route::get("", |_| Err(Refusal::Unknown("page").into()));
            answer(nothing, &NOTHING, request, None)
        })
        .layer(middleware::from_fn_with_state(Arc::clone(site), guard))
}

/// Refuses what is meant for other servers or comes from other sites, and says with every answer what browsers may do with it.
async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let checked = site.access.check(request.method(), request.uri(), request.headers());
    let mut answer = match checked {
        Ok(()) => next.run(request).await,
        Err(why) => (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
    };
    add_headers(&mut answer);
    answer
}

async fn answer(site: Arc<Site>, route: &'static Route, request: Request, turns: Option<Arc<Semaphore>>) -> Response {
    let (mut parts, body) = request.into_parts();
    let variable = match RawPathParams::from_request_parts(&mut parts, &()).await {
        Ok(params) => params.iter().map(|(_, value)| value.to_owned()).collect(),
        Err(_) => Vec::new(),
    };
    let form = match route.verb {
        Verb::Get => Form::default(),
        Verb::Post => match read_form(&parts.headers, body).await {
            Ok(form) => form,
            Err(refused) => return refused,
        },
    };
    let turn = match turns {
        Some(turns) => turns.acquire_owned().await.ok(),
        None => None,
    };
    // A client that breaks off ends neither the job nor its turn.
    let job = move || {
        let _turn = turn;
        visited(site, route, &parts, form, variable)
    };
    let answered = task::spawn_blocking(job).await;
    answered.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// Reads a form, which is small.
async fn read_form(headers: &HeaderMap, body: Body) -> Result<Form, Response> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some("application/x-www-form-urlencoded") {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "this is no form\n").into_response());
    }
    let read = async { Incoming::new(headers, body, MOST_FORM)?.whole().await };
    match read.await {
        Ok(bytes) => Ok(Form::parse(&bytes)),
        Err(why) => Err((why.status(), format!("{why}\n")).into_response()),
    }
}

fn visited(site: Arc<Site>, route: &Route, parts: &Parts, form: Form, variable: Vec<String>) -> Response {
    let mut visit = match Visit::new(site, parts, form, variable) {
        Ok(visit) => visit,
        // Without the database nobody knows who asks, or in which language.
        Err(why) if route.is_api() => return refused_document(&why),
        // What is wrong with the host is for the organiser, not for everybody.
        Err(why) => return (status(&why), "the contest cannot be read or written now\n").into_response(),
    };
    if route.verb == Verb::Post {
        // What is shown is the page of the form, to which one can go back.
        visit.path = route.again.map_or_else(|| "/".to_owned(), |(at, _)| filled(at, &visit.parts));
    }
    let mut answer = if route.verb == Verb::Post && !visit.has_sent_form() {
        let stale = visit.words().stale_form.clone();
        again(&mut visit, route, stale, StatusCode::FORBIDDEN)
    } else {
        (route.handler)(&mut visit).unwrap_or_else(|why| refused(&mut visit, route, &why))
    };
    for cookie in visit.take_cookies() {
        answer.headers_mut().append(SET_COOKIE, cookie);
    }
    answer
}

/// Answers why something is not done: with a document, with the page of the form, or with a page of its own.
fn refused(visit: &mut Visit, route: &Route, why: &Error) -> Response {
    if route.is_api() {
        return refused_document(why);
    }
    match why {
        Error::Refused(Refusal::LogIn) => see("/login"),
        Error::Refused(Refusal::NotAllowed | Refusal::Unknown(_)) | Error::Database(_) => refused_page(visit, why),
        Error::Refused(refusal) => {
            let mut answer = again(visit, route, message(visit.words(), refusal), status(why));
            wait(&mut answer, refusal);
            answer
        }
    }
}

/// Shows the page of a form again, with what is wrong.
fn again(visit: &mut Visit, route: &Route, problem: String, status: StatusCode) -> Response {
    visit.problem = Some(problem);
    let page = match route.again {
        Some((_, page)) => page(visit),
        None => Ok(problem_page(visit)),
    };
    match page {
        Ok(mut answer) => {
            // A page that leads elsewhere does so as before.
            if answer.status().is_success() {
                *answer.status_mut() = status;
            }
            answer
        }
        Err(why) => refused_page(visit, &why),
    }
}

/// Puts parts of a path into the braces of another one.
fn filled(path: &str, parts: &[String]) -> String {
    let mut parts = parts.iter();
    let filled =
        path.split('/').map(|part| if part.starts_with('{') { parts.next().map_or("", String::as_str) } else { part });
    filled.collect::<Vec<_>>().join("/")
}

/// Answers that the browser is to open another page of this server.
#[must_use]
pub fn see(path: &str) -> Response {
    let path = HeaderValue::try_from(path).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(LOCATION, path)]).into_response()
}

/// Answers a document.
#[must_use]
pub fn document(document: impl Serialize) -> Response {
    match serde_json::to_vec(&Versioned::of(document)) {
        Ok(text) => ([(CONTENT_TYPE, "application/json")], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
