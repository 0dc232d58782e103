//! HTTP, as little of it as Agon needs.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`access`](Access) | who may reach a server, and which requests are its own |
//! | [`address`](ListenAddress) | where a server listens |
//! | [`body`](Incoming) | bodies of requests, bounded in size and in time |
//! | [`connections`](Connections) | the connections of clients, none of which can hold another one up |
//! | [`cookies`](Cookies) | cookies, and how they are named |
//! | [`form`](Form) | forms, and the tokens that show that a page of this server has sent them |
//! | [`headers`](add_headers) | what every answer says about itself |
//! | [`language`](Language) | the language of a page |
//! | [`lines`](Lines) | a page whose lines are handed out as they are written |
//! | [`local`](PageServer) | a small server for pages on this machine alone |
//! | [`token`](Token) | the word that opens such a page |

mod access;
mod address;
mod body;
mod connections;
mod cookies;
mod form;
mod headers;
mod language;
mod lines;
mod local;
mod token;

pub use access::{Access, Openness, Outsider};
pub use address::ListenAddress;
pub use body::{BodyError, Incoming};
pub use connections::{Connections, Peer, Running};
pub use cookies::Cookies;
pub use form::{Form, FormKey};
pub use headers::add_headers;
pub use language::Language;
pub use lines::{Lines, page_routes};
pub use local::PageServer;
pub use token::{Keys, Token, holds_token};
