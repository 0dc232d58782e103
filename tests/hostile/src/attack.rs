//! An attack under way: what it knows about its victims, and how it reports its results.

use crate::{Facts, attempt::Attempt, attempt::AttemptResult, client::Client, errno::Errno};
use std::io::{self, Write, stderr};

/// An attack under way. Each attempt is written to stderr at once, as one line, because the process may not survive the
/// next one.
#[derive(Debug)]
pub struct Attack<'a> {
    /// Its victims.
    pub facts: &'a Facts,
    client: Option<&'a mut Client>,
    attempts: Vec<Attempt>,
}

impl<'a> Attack<'a> {
    /// An attack by a bot in the middle of its first turn.
    pub fn of_client(facts: &'a Facts, client: &'a mut Client) -> Self {
        Self { facts, client: Some(client), attempts: Vec::new() }
    }

    /// The protocol of the match that the bot plays.
    ///
    /// # Panics
    /// If the attack is made outside a match. No such attack uses the protocol.
    pub fn client(&mut self) -> &mut Client {
        self.client.as_mut().expect("the attack is made in a match")
    }

    /// Reports that the system refused an operation.
    pub fn refused(&mut self, what: &str, errno: Errno) {
        self.report(what, AttemptResult::Refused(errno));
    }

    /// Reports that the system refused an operation after it had succeeded for a while.
    pub fn stopped(&mut self, what: &str, at: u64, errno: Errno) {
        self.report(what, AttemptResult::Stopped { at, errno });
    }

    /// Reports that an operation succeeded.
    pub fn succeeded(&mut self, what: &str, detail: impl Into<String>) {
        self.report(what, AttemptResult::Succeeded(detail.into()));
    }

    /// Reports the result of an operation.
    pub fn io<T>(&mut self, what: &str, result: io::Result<T>) -> Option<T> {
        match result {
            Ok(value) => {
                self.succeeded(what, "");
                Some(value)
            }
            Err(error) => {
                self.refused(what, Errno::of(&error));
                None
            }
        }
    }

    /// Reports the result of a call of the C library, which returns -1 on failure. Returns whether it succeeded.
    pub fn call(&mut self, what: &str, result: impl Into<i64>) -> bool {
        let result = result.into();
        if result == -1 {
            self.refused(what, Errno::last());
        } else {
            self.succeeded(what, format!("returned {result}"));
        }
        result != -1
    }

    /// Makes a system call by its number and reports the result. The arguments must be harmless even if the call
    /// succeeds. Returns whether it did.
    #[cfg(target_os = "linux")]
    pub fn by_number<const N: usize>(&mut self, what: &str, number: libc::c_long, arguments: [i64; N]) -> bool {
        let result = raw(number, arguments);
        self.call(what, result)
    }

    /// Reports a value that must be equal in both seats.
    pub fn alike(&mut self, what: impl std::fmt::Display) {
        line(&format!("{ALIKE}{what}"));
    }

    /// Reports a value that must differ between the seats.
    pub fn unlike(&mut self, what: impl std::fmt::Display) {
        line(&format!("{UNLIKE}{what}"));
    }

    /// Every attempt so far.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    fn report(&mut self, what: &str, result: AttemptResult) {
        let attempt = Attempt { what: what.to_owned(), result };
        line(&attempt.to_string());
        self.attempts.push(attempt);
    }
}

/// Prefix of a line whose value must be equal in both seats.
pub(crate) const ALIKE: &str = "alike ";
/// Prefix of a line whose value must differ between the seats.
pub(crate) const UNLIKE: &str = "unlike ";

/// Writes a line to stderr. A failed write is ignored.
pub(crate) fn line(text: &str) {
    let _ = stderr().write_all(format!("{text}\n").as_bytes());
}

/// Makes a system call by its number. Returns -1 and sets the last error if it fails.
#[cfg(target_os = "linux")]
pub(crate) fn raw<const N: usize>(number: libc::c_long, arguments: [i64; N]) -> i64 {
    let mut six = [0; 6];
    six[..N].copy_from_slice(&arguments);
    let [a, b, c, d, e, f] = six;
    // SAFETY: every caller gives numbers, null, or addresses of memory that lives for the call and is large enough.
    unsafe { libc::syscall(number, a, b, c, d, e, f) }
}

/// The address of memory that the kernel only reads, for [`raw`].
#[cfg(target_os = "linux")]
pub(crate) fn address<T: ?Sized>(of: &T) -> i64 {
    std::ptr::from_ref(of).cast::<u8>() as i64
}

/// The address of memory that the kernel writes to, for [`raw`].
#[cfg(target_os = "linux")]
pub(crate) fn address_mut<T: ?Sized>(of: &mut T) -> i64 {
    std::ptr::from_mut(of).cast::<u8>() as i64
}
