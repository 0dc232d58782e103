//! The messages between a page and its console, as `docs/console.md` describes them.

use super::super::dialogue::Piece;
use crate::error::{Error, Result};
use agon_spec::{ConsoleDocument, Versioned};
use serde::{Deserialize, Serialize};

/// The protocol that a page asks for when it connects.
pub const PROTOCOL: &str = "agon-console.1";
/// What stands before the token in the list of protocols. A page cannot send headers of its own with a WebSocket.
pub const TOKEN_PREFIX: &str = "token.";

/// A command of a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The number that its answer has.
    pub id: u64,
    /// A line of the console.
    pub command: String,
}

/// What a page is told.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Message<'a> {
    /// The first message: a token with which the page may connect again, and the session so far.
    Hello {
        schema: u32,
        token: &'a str,
        replay: &'a str,
        state: Versioned<ConsoleDocument>,
        said: Vec<&'a Piece>,
        /// How many bytes were said before that and are no longer kept.
        forgotten: usize,
    },
    /// A further line of the replay, with its end.
    Line { line: &'a str },
    /// The state, after it has changed.
    State { state: Versioned<ConsoleDocument> },
    /// The answer to a command of this page.
    Answer { id: u64, document: Versioned<ConsoleDocument> },
    /// What went through the pipes of bots.
    Said { said: &'a [Piece] },
    /// The session has ended.
    End,
}

impl Message<'_> {
    /// Returns the message as a JSON object.
    ///
    /// # Errors
    /// A number in the message has no JSON form.
    pub fn json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|why| Error::user(format!("cannot write a message as JSON: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_a_number_and_a_command() {
        let request: Request = serde_json::from_str(r#"{"id":7,"command":"undo 2"}"#).expect("a request");
        assert_eq!((request.id, request.command.as_str()), (7, "undo 2"));
        for wrong in ["undo", "{}", r#"{"id":-1,"command":"undo"}"#, r#"{"id":1,"command":"undo","seat":1}"#] {
            assert!(serde_json::from_str::<Request>(wrong).is_err(), "{wrong}");
        }
    }
}
