//! The routes of a contest, in one table.
//!
//! Each route is a function of a [`Visit`], which knows who asks. It runs on a thread that may wait, asks
//! [`may`](agon_contest::may) through [`Ask::must`](crate::people::Ask::must), and answers a page or a document.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `account`, `enter` | an account; joining and logging in |
//! | `answer` | the way from a request to its answer |
//! | `api` | the documents under `/api` |
//! | `contest` | the contest, and the choice of a language |
//! | `organise` | what organisers do |
//! | `refused` | why something is not done, in the words of a page |
//! | `site` | what a server knows |
//! | `team` | teams |
//! | `visit` | one request |

mod account;
mod answer;
mod api;
mod contest;
mod enter;
mod organise;
mod refused;
mod site;
mod team;
mod visit;

use crate::Result;
pub use answer::{document, router, see};
use axum::response::Response;
pub use refused::{refused_document, refused_page};
pub use site::Site;
pub use visit::Visit;

/// What answers a request.
pub type Handler = fn(&mut Visit) -> Result<Response>;

/// How a request asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    /// To be shown something. It changes nothing.
    Get,
    /// To change something, by a form with a token.
    Post,
}

/// A row of the table.
#[derive(Clone, Copy)]
pub struct Route {
    /// How it is asked for.
    pub verb: Verb,
    /// The path, with parts in braces that differ.
    pub path: &'static str,
    /// What answers it.
    handler: Handler,
    /// The page that shows a form again if it is refused, with its path.
    again: Option<(&'static str, Handler)>,
    /// Whether it hashes a password, which takes long.
    hashes: bool,
}

impl Route {
    /// Makes a route of a page or a document.
    #[must_use]
    pub const fn get(path: &'static str, handler: Handler) -> Self {
        Self { verb: Verb::Get, path, handler, again: None, hashes: false }
    }

    /// Makes a route of a form. The page at the path `at` shows it again, with the reason, if it is refused.
    #[must_use]
    pub const fn post(path: &'static str, handler: Handler, at: &'static str, page: Handler) -> Self {
        Self { verb: Verb::Post, path, handler, again: Some((at, page)), hashes: false }
    }

    /// Makes it a route that hashes a password. Few of these are answered at the same time.
    #[must_use]
    pub const fn hashing(self) -> Self {
        Self { hashes: true, ..self }
    }

    /// Returns whether it answers programs.
    #[must_use]
    pub fn is_api(&self) -> bool {
        self.path.starts_with("/api/")
    }
}

/// Every page, form and document.
pub const ROUTES: &[Route] = &[
    Route::get("/", contest::show),
    Route::post("/language", contest::choose_language, "/", contest::show),
    Route::get("/first/{token}", enter::show_first),
    Route::post("/first/{token}", enter::first, "/first/{token}", enter::show_first).hashing(),
    Route::get("/password/{token}", enter::show_recover),
    Route::post("/password/{token}", enter::recover, "/password/{token}", enter::show_recover).hashing(),
    Route::get("/join", enter::show_join),
    Route::post("/join", enter::join, "/join", enter::show_join).hashing(),
    Route::get("/login", enter::show_log_in),
    Route::post("/login", enter::log_in, "/login", enter::show_log_in).hashing(),
    Route::post("/logout", enter::log_out, "/", contest::show),
    Route::get("/account", account::show),
    Route::post("/account/password", account::change_password, "/account", account::show).hashing(),
    Route::post("/account/tokens", account::make_token, "/account", account::show),
    Route::post("/account/sessions/{number}/end", account::end_session, "/account", account::show),
    Route::post("/account/sessions/end", account::end_others, "/account", account::show),
    Route::get("/teams", team::list),
    Route::post("/teams", team::make, "/teams", team::list),
    Route::post("/teams/enter", team::enter, "/teams", team::list),
    Route::get("/teams/{number}", team::show),
    Route::post("/teams/{number}/rename", team::rename, "/teams/{number}", team::show),
    Route::post("/teams/{number}/code", team::renew_code, "/teams/{number}", team::show),
    Route::post("/teams/{number}/leave", team::leave, "/teams/{number}", team::show),
    Route::post("/teams/{number}/members/{account}/remove", team::remove, "/teams/{number}", team::show),
    Route::post("/teams/{number}/members/{account}/captain", team::promote, "/teams/{number}", team::show),
    Route::post("/teams/{number}/hide", team::hide, "/teams/{number}", team::show),
    Route::get("/organise", organise::show),
    Route::post("/organise/contest", organise::make_contest, "/organise", organise::show),
    Route::post("/organise/registration", organise::set_registration, "/organise", organise::show),
    Route::post("/organise/invites", organise::invite, "/organise", organise::show),
    Route::post("/organise/invites/{number}/end", organise::end_invite, "/organise", organise::show),
    Route::post("/organise/accounts/{number}/disable", organise::disable, "/organise", organise::show),
    Route::post("/organise/accounts/{number}/enable", organise::enable, "/organise", organise::show),
    Route::post("/organise/accounts/{number}/link", organise::make_link, "/organise", organise::show),
    Route::get("/api/contest", api::contest),
    Route::get("/api/account", api::account),
    Route::get("/api/teams", api::teams),
    Route::get("/api/teams/{number}", api::team),
    Route::get("/api/organise", api::organise),
];
