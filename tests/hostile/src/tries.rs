//! What an attack has at hand: the facts about its victims, and a place to tell what came of it.

use crate::{Facts, attempt::Attempt, attempt::Came, errno::Errno, player::Player};
use std::io::{self, Write, stderr};

/// An attack that is being made. Everything that it tells goes to stderr at once, one line an attempt: it may not live
/// to tell more.
#[derive(Debug)]
pub struct Tries<'a> {
    /// Its victims.
    pub facts: &'a Facts,
    player: Option<&'a mut Player>,
    told: Vec<Attempt>,
}

impl<'a> Tries<'a> {
    /// By a bot in the middle of its first turn.
    pub fn of_player(facts: &'a Facts, player: &'a mut Player) -> Self {
        Self { facts, player: Some(player), told: Vec::new() }
    }

    /// Its protocol.
    ///
    /// # Panics
    /// For an attack that is made outside a match; none of those plays.
    pub fn player(&mut self) -> &mut Player {
        self.player.as_mut().expect("it is in a match")
    }

    /// Tells that the system has refused something.
    pub fn refused(&mut self, what: &str, errno: Errno) {
        self.tell(what, Came::Refused(errno));
    }

    /// Tells that something went on until the system had enough.
    pub fn stopped(&mut self, what: &str, at: u64, errno: Errno) {
        self.tell(what, Came::Stopped { at, errno });
    }

    /// Tells that something was done.
    pub fn succeeded(&mut self, what: &str, detail: impl Into<String>) {
        self.tell(what, Came::Succeeded(detail.into()));
    }

    /// Tells what came of something.
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

    /// Tells what came of a call of the C library, which says -1 where it is refused. `true` if it was not.
    pub fn call(&mut self, what: &str, result: impl Into<i64>) -> bool {
        let result = result.into();
        if result == -1 {
            self.refused(what, Errno::last());
        } else {
            self.succeeded(what, format!("returned {result}"));
        }
        result != -1
    }

    /// Makes a call by its number, with numbers that harm nobody even if it is taken, and tells what came of it.
    /// `true` if it was taken.
    #[cfg(target_os = "linux")]
    pub fn by_number<const N: usize>(&mut self, what: &str, number: libc::c_long, arguments: [i64; N]) -> bool {
        let result = raw(number, arguments);
        self.call(what, result)
    }

    /// Tells something that must be the same in every seat.
    pub fn alike(&mut self, what: impl std::fmt::Display) {
        line(&format!("{ALIKE}{what}"));
    }

    /// Tells something that no two seats may have in common.
    pub fn unlike(&mut self, what: impl std::fmt::Display) {
        line(&format!("{UNLIKE}{what}"));
    }

    /// All that was told.
    #[must_use]
    pub fn told(&self) -> &[Attempt] {
        &self.told
    }

    fn tell(&mut self, what: &str, came: Came) {
        let attempt = Attempt { what: what.to_owned(), came };
        line(&attempt.to_string());
        self.told.push(attempt);
    }
}

/// What lines begin with that must be the same in every seat.
pub(crate) const ALIKE: &str = "alike ";
/// What lines begin with that no two seats may have in common.
pub(crate) const UNLIKE: &str = "unlike ";

/// Writes a line to stderr. If nobody reads it that is nobody's loss.
pub(crate) fn line(text: &str) {
    let _ = stderr().write_all(format!("{text}\n").as_bytes());
}

/// A system call by its number. -1 and the last error where it is refused.
#[cfg(target_os = "linux")]
pub(crate) fn raw<const N: usize>(number: libc::c_long, arguments: [i64; N]) -> i64 {
    let mut six = [0; 6];
    six[..N].copy_from_slice(&arguments);
    let [a, b, c, d, e, f] = six;
    // SAFETY: every caller gives numbers, null, or addresses of memory that lives for the call and is large enough.
    unsafe { libc::syscall(number, a, b, c, d, e, f) }
}

/// The address of something that the kernel only reads, for [`raw`].
#[cfg(target_os = "linux")]
pub(crate) fn address<T: ?Sized>(of: &T) -> i64 {
    std::ptr::from_ref(of).cast::<u8>() as i64
}

/// The address of something that the kernel writes to, for [`raw`].
#[cfg(target_os = "linux")]
pub(crate) fn address_mut<T: ?Sized>(of: &mut T) -> i64 {
    std::ptr::from_mut(of).cast::<u8>() as i64
}
