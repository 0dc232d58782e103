//! The machines that play.

/// A machine that plays matches, as it described itself. Another description under the same name is another worker, so that
/// each match says what it was played on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredWorker {
    /// The number of the worker, from 1.
    pub number: u32,
    /// Its name, for example that of the host.
    pub name: String,
    /// What it said of itself, in words of the caller: a JSON object, for example.
    pub facts: String,
    /// When it was first seen, in milliseconds since 1970.
    pub at_ms: i64,
}
