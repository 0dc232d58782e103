//! Passwords, and what is kept of them.

use super::secret::draw;
use crate::{Refusal, Result, database::DatabaseError};
use argon2::{
    Argon2, PasswordHasher, PasswordVerifier,
    password_hash::{Error, phc::PasswordHash},
};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

/// The fewest characters of a password.
const LEAST: usize = 10;
/// The most characters.
const MOST: usize = 200;
/// How many passwords are compared at the same time. Each takes 19 MiB and a whole core.
pub(crate) const HASHED_AT_ONCE: usize = 2;
/// What is wrong with a password that is long enough and easy to guess.
pub const TOO_COMMON: &str = "it is one of those that are tried first";
/// What programs that guess try first, of the passwords that are long enough.
const COMMON: [&str; 16] = [
    "1234567890",
    "0123456789",
    "0987654321",
    "1q2w3e4r5t",
    "1qaz2wsx3edc",
    "password12",
    "password123",
    "password1234",
    "qwertyuiop",
    "qwerty1234",
    "qwerty12345",
    "abcdefghij",
    "iloveyou12",
    "contraseña",
    "contraseña1",
    "administrator",
];

/// Makes sure that a text may be a password: 10 to 200 characters, not too simple, and not the name of the account.
///
/// # Errors
/// What is wrong with it.
pub fn check_password(text: &str, name: &str) -> Result<(), Refusal> {
    let wrong = |why: String| Err(Refusal::Invalid { field: "password", why });
    let letters = text.chars().count();
    if letters < LEAST {
        return wrong(format!("it has fewer than {LEAST} characters"));
    }
    if letters > MOST {
        return wrong(format!("it has more than {MOST} characters"));
    }
    let lower = text.to_lowercase();
    let mut different: Vec<char> = lower.chars().collect();
    different.sort_unstable();
    different.dedup();
    if different.len() < 4 || COMMON.contains(&lower.as_str()) || lower == name.to_lowercase() {
        return wrong(TOO_COMMON.to_owned());
    }
    Ok(())
}

/// Returns what is kept of a password: a PHC string of Argon2id. Takes a tenth of a second.
pub(super) fn hash(text: &str) -> Result<String> {
    let mut salt = [0; 16];
    draw(&mut salt)?;
    in_turn(|| Argon2::default().hash_password_with_salt(text.as_bytes(), &salt))
        .map(|hash| hash.to_string())
        .map_err(|why| failed(&why).into())
}

/// Returns whether this is the password of which `kept` was kept. Takes as long for an account that has none, or is none.
pub(super) fn is(text: &str, kept: Option<&str>) -> Result<bool> {
    // It hashes what is too long to be one, too, but no more of it.
    let text: String = text.chars().take(MOST + 1).collect();
    let hash = match kept {
        Some(kept) => PasswordHash::new(kept).map_err(|_| DatabaseError::Damaged {
            place: "the contest's database".to_owned(),
            why: "a password is not kept as one".to_owned(),
        })?,
        None => nobody()?.clone(),
    };
    match in_turn(|| Argon2::default().verify_password(text.as_bytes(), &hash)) {
        Ok(()) => Ok(kept.is_some()),
        Err(Error::PasswordInvalid) => Ok(false),
        Err(why) => Err(failed(&why).into()),
    }
}

/// Returns a hash that is nobody's, made like all others.
fn nobody() -> Result<&'static PasswordHash> {
    static NOBODY: OnceLock<PasswordHash> = OnceLock::new();
    if let Some(hash) = NOBODY.get() {
        return Ok(hash);
    }
    let (mut salt, mut text) = ([0; 16], [0; 32]);
    draw(&mut salt)?;
    draw(&mut text)?;
    let hash = Argon2::default().hash_password_with_salt(&text, &salt).map_err(|why| failed(&why))?;
    Ok(NOBODY.get_or_init(|| hash))
}

fn failed(why: &Error) -> DatabaseError {
    DatabaseError::Failed { place: "a password".to_owned(), why: why.to_string() }
}

/// Does something while at most [`HASHED_AT_ONCE`] others do the like: however many log in, memory and cores are left for the rest.
pub(super) fn in_turn<T>(compute: impl FnOnce() -> T) -> T {
    static FREE: Mutex<usize> = Mutex::new(HASHED_AT_ONCE);
    static FREED: Condvar = Condvar::new();
    struct Turn;
    impl Drop for Turn {
        fn drop(&mut self) {
            *FREE.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            FREED.notify_one();
        }
    }
    let free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut free = FREED.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
    *free -= 1;
    drop(free);
    let _turn = Turn;
    #[cfg(test)]
    COMPUTED.set(COMPUTED.get() + 1);
    compute()
}

#[cfg(test)]
thread_local! {
    /// How many passwords this thread has hashed: what a log-in takes depends on nothing else.
    pub(super) static COMPUTED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    #[test]
    fn a_password_is_kept_as_argon2id() {
        let kept = hash("correct horse").expect("it can be hashed");
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert_ne!(kept, hash("correct horse").expect("it can be hashed"), "each has its own salt");
        assert_eq!(is("correct horse", Some(&kept)), Ok(true));
        for (text, kept) in [("correct horsf", Some(kept.as_str())), ("", Some(&kept)), ("correct horse", None)] {
            assert_eq!(is(text, kept), Ok(false), "{text}");
        }
        assert!(is("correct horse", Some("plain")).is_err());
    }

    #[test]
    fn simple_passwords_are_refused() {
        for text in ["correct horse", "zwölf Zeichen", "1234567891"] {
            assert_eq!(check_password(text, "ana"), Ok(()), "{text}");
        }
        let long = "ab1 ".repeat(51);
        for text in ["", "short", "ninechars", "aaaaaaaaaaaaaaa", "Password123", "QWERTYUIOP", "maria-jose", &long] {
            assert!(check_password(text, "Maria-Jose").is_err(), "{text}");
        }
    }

    #[test]
    fn few_are_compared_at_the_same_time() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    in_turn(|| {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                    });
                });
            }
        });
        assert!((1..=HASHED_AT_ONCE).contains(&most.load(Ordering::SeqCst)));
    }
}
