//! The key of a worker, from a file.

use rustix::fs::{Mode, OFlags};
use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// A file with a key is not larger, in bytes.
const MOST: u64 = 4_096;
/// A key has at least so many characters.
const SHORTEST: usize = 16;

/// The key with which a worker shows that it belongs to the organiser. Its debug output hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct WorkerKey(String);

/// Why a file has no key that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key `{}`: {}", .path.display(), agon_play::system_words(.source))]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It is a folder, a pipe or something else.
    #[error("`{}` is not a file", .0.display())]
    NotAFile(PathBuf),
    /// Other users can read it.
    #[error("others can read the key `{}` (its mode is {mode:o})", .path.display())]
    Open {
        /// The path of the file.
        path: PathBuf,
        /// The bits of its mode that say who can do what.
        mode: u32,
    },
    /// It does not hold one line with a key.
    #[error("`{}` holds no key: {why}", .path.display())]
    NoKey {
        /// The path of the file.
        path: PathBuf,
        /// What is wrong with its content.
        why: &'static str,
    },
}

impl KeyError {
    /// Returns the way out.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Open { path, .. } => format!("`chmod 600 {}`; if others know the key by now, make a new one", path.display()),
            Self::File { .. } | Self::NotAFile(_) | Self::NoKey { .. } => {
                "copy the file with the key from the machine that leads the tournament, where it is beside the tournament's file"
                    .to_owned()
            }
        }
    }
}

impl WorkerKey {
    /// Reads the key from a file that nobody but its owner can read. The key is its only line.
    ///
    /// # Errors
    /// If the file cannot be read, others can read it, or it holds no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let failed = |source: io::Error| KeyError::File { path: path.to_owned(), source };
        // A pipe without a writer does not hold the worker up.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file: File = rustix::fs::open(path, flags, Mode::empty()).map_err(|why| failed(why.into()))?.into();
        // What was opened is looked at, not what has the name by then.
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            return Err(KeyError::NotAFile(path.to_owned()));
        }
        if about.mode() & 0o077 != 0 {
            return Err(KeyError::Open { path: path.to_owned(), mode: about.mode() & 0o777 });
        }
        let mut text = String::new();
        let read = file.take(MOST + 1).read_to_string(&mut text);
        let no_key = |why| KeyError::NoKey { path: path.to_owned(), why };
        match read {
            Err(why) if why.kind() == io::ErrorKind::InvalidData => return Err(no_key("it is not text")),
            Err(why) => return Err(failed(why)),
            Ok(_) => {}
        }
        Self::parse(&text).map_err(no_key)
    }

    /// Takes a key from the text of its file.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let key = text.trim();
        match () {
            () if text.len() as u64 > MOST => Err("it is too large"),
            () if key.is_empty() => Err("it is empty"),
            () if !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err("a key is one word of plain letters and digits")
            }
            () if key.len() < SHORTEST => Err("it is too short"),
            () => Ok(Self(key.to_owned())),
        }
    }

    /// Returns the key, for the header of a request.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for WorkerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkerKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::{fs, os::unix::fs::PermissionsExt as _};

    #[test]
    fn a_key_is_one_word() {
        let key = "0123456789abcdef0123456789abcdef";
        assert_eq!(WorkerKey::parse(&format!("{key}\n")).expect("a key").expose(), key);
        for (text, why) in [
            (String::new(), "empty"),
            (" \n".to_owned(), "empty"),
            ("short".to_owned(), "short"),
            (format!("{key}\n{key}\n"), "one word"),
            (format!("{key}\r\nX-Header: 1"), "one word"),
            (format!("{key}\u{e9}"), "one word"),
            ("a".repeat(5_000), "large"),
        ] {
            let refused = WorkerKey::parse(&text).expect_err("no key");
            assert!(refused.contains(why), "{text:?}: {refused}");
        }
        assert_eq!(format!("{:?}", WorkerKey::parse(key)), "Ok(WorkerKey(…))");
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let scratch = Scratch::new("key");
        let path = scratch.path().join("cup.key");
        fs::write(&path, "0123456789abcdef\n").expect("a file");
        for (mode, taken) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
            match WorkerKey::read(&path) {
                Ok(_) => assert!(taken, "{mode:o}"),
                Err(why) => assert!(!taken && why.hint().contains("chmod 600"), "{mode:o}: {why}"),
            }
        }
        let no_file = WorkerKey::read(scratch.path()).expect_err("a folder");
        assert!(matches!(no_file, KeyError::NotAFile(_)), "{no_file}");
        let missing = WorkerKey::read(&scratch.path().join("missing")).expect_err("nothing");
        assert!(matches!(missing, KeyError::File { .. }), "{missing}");
    }
}
