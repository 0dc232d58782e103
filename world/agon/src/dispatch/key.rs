//! The key of workers: 256 random bits in a file beside the tournament, which nobody else may read.

use crate::{
    clean::{clean, shell_word},
    error::{Error, Result},
};
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// The longest file that can have a key.
const LONGEST: u64 = 4_096;

/// What is kept of the key: its SHA-256, so that no comparison takes longer for a word that begins like the key.
#[derive(Clone)]
pub struct WorkerKey([u8; 32]);

impl WorkerKey {
    /// Returns where the key of a tournament is: in `cup.key` for `cup.toml`.
    pub fn path(tournament: &Path) -> PathBuf {
        tournament.with_extension("key")
    }

    /// Reads the key from a file, or makes one if there is none. Only its owner may read the file.
    ///
    /// # Errors
    /// The file cannot be made or read, others can read it, or it has no key.
    pub fn read_or_make(path: &Path) -> Result<Self> {
        let shown = clean(&path.display().to_string());
        let key = random_hex()?;
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
            Ok(mut file) => {
                let written = writeln!(file, "{key}").and_then(|()| file.sync_all());
                if let Err(why) = written {
                    // A key without its end would be refused the next time.
                    let _ = fs::remove_file(path);
                    return Err(Error::file("write the key of workers to", path, &why));
                }
                return Ok(Self::of(&key));
            }
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
            Err(why) => return Err(Error::file("write the key of workers to", path, &why)),
        }
        let failed = |why: io::Error| Error::file("read the key of workers", path, &why);
        let about = fs::metadata(path).map_err(failed)?;
        if about.mode() & 0o077 != 0 {
            return Err(Error::user(format!("others can read the key of workers in `{shown}`"))
                .hint(format!("chmod 600 {}; or remove it, and a new one is made", clean(&shell_word(path)))));
        }
        let text = if about.len() > LONGEST { String::new() } else { fs::read_to_string(path).map_err(failed)? };
        let key = text.trim();
        if key.len() != 64 || !key.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(Error::user(format!("`{shown}` has no key of workers, which are 64 hexadecimal digits"))
                .hint("remove it, and a new one is made; then give it to the workers"));
        }
        Ok(Self::of(key))
    }

    fn of(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Returns 256 bits for one purpose, which follow from the key and tell nothing of it.
    pub fn derived(&self, purpose: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.0).chain_update(purpose).finalize().into()
    }

    /// Returns whether this is the key. It takes equally long for every wrong one.
    pub fn is(&self, word: &[u8]) -> bool {
        let other: [u8; 32] = Sha256::digest(word).into();
        self.0.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}

/// Returns 256 random bits as hexadecimal digits.
fn random_hex() -> Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|why| Error::user(format!("the system gives no random numbers: {why}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_is_made_once_and_only_its_owner_can_read_it() {
        let folder = std::env::temp_dir().join(format!("agon-key-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = WorkerKey::path(&folder.join("cup.toml"));
        let made = WorkerKey::read_or_make(&path).expect("a key");
        let text = fs::read_to_string(&path).expect("a file");
        assert_eq!((text.len(), fs::metadata(&path).expect("a file").mode() & 0o777), (65, 0o600));
        let read = WorkerKey::read_or_make(&path).expect("the same key");
        for key in [&made, &read] {
            assert!(key.is(text.trim().as_bytes()));
            for wrong in [&b""[..], &text.as_bytes()[..63], text.as_bytes(), b"0"] {
                assert!(!key.is(wrong));
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is ours");
        assert!(WorkerKey::read_or_make(&path).is_err_and(|why| why.to_string().contains("others can read")));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
        for wrong in ["", "secret", &"g".repeat(64), &"0".repeat(65), &"0".repeat(5_000)] {
            fs::write(&path, wrong).expect("it is ours");
            assert!(WorkerKey::read_or_make(&path).is_err_and(|why| why.to_string().contains("has no key")), "{wrong}");
        }
        fs::remove_dir_all(&folder).expect("it is ours");
    }
}
