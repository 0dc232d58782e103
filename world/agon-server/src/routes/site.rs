//! What a server knows.

use crate::{
    Clock,
    database::Database,
    http::{Access, Cookies},
    words::Dictionary,
};
use std::sync::Arc;

/// What a server knows, apart from who asks.
#[derive(Debug)]
pub struct Site {
    /// The tables of the contest.
    pub database: Database,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who may reach the server.
    pub access: Access,
    /// How its cookies are named.
    pub cookies: Cookies,
    /// The strings of its pages.
    pub dictionary: Dictionary,
    /// The address that people open, with a `/` at the end.
    pub url: String,
    /// Whether the server listens at every address of its machine, so that this one is only a pattern.
    pub is_everywhere: bool,
}
