//! Bundles of bots: fetched once, checked by their hash, and kept for the next start.

use crate::{
    client::{Bytes, Client},
    error::WorkerFailure,
    link::{Link, Unanswered, Until},
    outbox::hex,
    trouble::Trouble,
};
use agon_bundle::Limits;
use agon_spec::{WorkerError, WorkerErrorCode};
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File, FileTimes},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Bundles that no tournament needs now are kept up to so many bytes together.
const KEPT: u64 = 4 << 30;
/// A transfer that breaks so often without a single new byte is given up.
const FRUITLESS: u32 = 20;
/// A transfer whose bytes have another hash is begun again so often.
const SPOILT: u32 = 2;
const PIECE: usize = 256 << 10;

/// The folder with the bundles of all workers of a user.
#[derive(Clone, Debug)]
pub(crate) struct BundleCache {
    folder: PathBuf,
    /// The file for a bundle that is being fetched. Only this process uses it.
    part: PathBuf,
}

/// Returns whether a text is a SHA-256 in hexadecimal digits, which can be the name of a file.
pub(crate) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

impl BundleCache {
    pub(crate) fn new(folder: &Path, part: &Path) -> Self {
        Self { folder: folder.to_owned(), part: part.to_owned() }
    }

    /// Returns the file of a bundle of this size. Fetches it if it is not kept, and calls `tell` with the number of bytes that are
    /// there.
    pub(crate) fn get(
        &self,
        link: &Link,
        until: Until,
        hash: &str,
        size: u64,
        tell: &mut dyn FnMut(u64),
    ) -> Result<PathBuf, Unanswered> {
        if !is_hash(hash) || size > Limits::default().bytes {
            let why = format!("the server offers a bundle of {size} bytes under the name `{hash}`");
            return Err(Unanswered::Failed(WorkerFailure::Field(why)));
        }
        let path = self.folder.join(hash);
        if self.is_whole(&path, hash) {
            // What was used last is removed last.
            let touched =
                File::open(&path).and_then(|file| file.set_times(FileTimes::new().set_modified(SystemTime::now())));
            drop(touched);
            return Ok(path);
        }
        self.fetch(link, until, hash, size, tell)?;
        let renamed = fs::rename(&self.part, &path);
        renamed.map_err(|why| Unanswered::Failed(WorkerFailure::file("keep the bundle", &path, why)))?;
        Ok(path)
    }

    /// Returns whether the kept file has this hash. What is damaged is removed.
    fn is_whole(&self, path: &Path, hash: &str) -> bool {
        let Ok(mut file) = File::open(path) else { return false };
        let mut digest = Sha256::new();
        let mut piece = vec![0; PIECE];
        let read = loop {
            match file.read(&mut piece) {
                Ok(0) => break true,
                Ok(count) => digest.update(&piece[..count]),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break false,
            }
        };
        let whole = read && hex(&digest.finalize()) == hash;
        if !whole {
            let _ = fs::remove_file(path);
        }
        whole
    }

    /// Fetches a bundle into the file for parts. A transfer that breaks continues at its byte.
    fn fetch(
        &self,
        link: &Link,
        until: Until,
        hash: &str,
        size: u64,
        tell: &mut dyn FnMut(u64),
    ) -> Result<(), Unanswered> {
        let failed = |why| Unanswered::Failed(WorkerFailure::file("write the bundle to", &self.part, why));
        for _ in 0..=SPOILT {
            let mut file = File::create(&self.part).map_err(failed)?;
            let (mut digest, mut there, mut fruitless) = (Sha256::new(), 0, 0);
            while there < size || there == 0 {
                let path = format!("bundle/{hash}?from={there}");
                let mut body = link.ask(until, |client: &Client| client.bytes(&path, size - there + 1))?;
                let before = there;
                let copied = copy(&mut body, &mut file, &mut digest, size, &mut there, tell).map_err(failed)?;
                if let Some(why) = copied {
                    return Err(Unanswered::Failed(WorkerFailure::Field(format!("the bundle {hash}: {why}"))));
                }
                if there >= size {
                    break;
                }
                fruitless = if there > before { 0 } else { fruitless + 1 };
                if fruitless == FRUITLESS {
                    let why = format!("the bundle {hash} ends after {there} of {size} bytes");
                    return Err(Unanswered::Failed(WorkerFailure::Field(why)));
                }
                // The connection is gone, and perhaps the server.
                link.wait(crate::backoff::pause(fruitless + 1, None, getrandom::u64().unwrap_or(u64::MAX)), until)?;
            }
            if hex(&digest.finalize()) == hash {
                return file.sync_all().map_err(failed);
            }
        }
        let message = format!("the bundle {hash} has other bytes than its name says");
        Err(Unanswered::Refused(WorkerError { code: WorkerErrorCode::OtherBytes, message, hint: None }))
    }

    /// Removes bundles that were not used for long until the rest is small enough. Those that are `needed` stay.
    pub(crate) fn sweep(&self, needed: &dyn Fn(&str) -> bool) {
        self.sweep_to(KEPT, needed);
    }

    fn sweep_to(&self, most: u64, needed: &dyn Fn(&str) -> bool) {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let (Ok(about), Some(name)) = (entry.metadata(), entry.file_name().to_str().map(str::to_owned)) else {
                continue;
            };
            if is_hash(&name) && !needed(&name) {
                kept.push((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len(), entry.path()));
            }
        }
        kept.sort_unstable();
        let mut sum: u64 = kept.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in kept {
            if sum <= most {
                break;
            }
            // Another worker may have removed it.
            let _ = fs::remove_file(path);
            sum -= size;
        }
    }
}

/// Copies what comes of a body. Returns why the bundle cannot be used, if that is certain. A connection that breaks is no error.
fn copy(
    body: &mut Bytes,
    file: &mut File,
    digest: &mut Sha256,
    size: u64,
    there: &mut u64,
    tell: &mut dyn FnMut(u64),
) -> io::Result<Option<String>> {
    let mut piece = vec![0; PIECE];
    file.seek(SeekFrom::Start(*there))?;
    loop {
        let count = match body.read(&mut piece) {
            Ok(0) => return Ok(None),
            Ok(count) => count,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(None),
        };
        if *there + count as u64 > size {
            return Ok(Some(format!("it has more than {size} bytes")));
        }
        file.write_all(&piece[..count])?;
        digest.update(&piece[..count]);
        *there += count as u64;
        tell(*there);
    }
}

/// Fetches a map or a replay, of at most so many bytes.
pub(crate) fn blob(link: &Link, until: Until, hash: &str, most: u64) -> Result<Vec<u8>, Unanswered> {
    if !is_hash(hash) {
        return Err(Unanswered::Failed(WorkerFailure::Field(format!(
            "the server offers a file under the name `{hash}`"
        ))));
    }
    let path = format!("blob/{hash}");
    let bytes = link.ask(until, |client: &Client| {
        let mut bytes = Vec::new();
        let body = client.bytes(&path, most)?;
        match body.take(most).read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(why) => Err(Trouble::Away(agon_play::system_words(&why))),
        }
    })?;
    if hex(&Sha256::digest(&bytes)) == hash {
        return Ok(bytes);
    }
    Err(Unanswered::Failed(WorkerFailure::Field(format!("the file {hash} has other bytes than its name says"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::time::Duration;

    #[test]
    fn a_hash_is_the_name_of_a_file_and_nothing_else() {
        assert!(is_hash(&"0af".repeat(22)[..64]));
        for text in ["", "..", &"A".repeat(64), &"a".repeat(63), &"a".repeat(65), &format!("../{}", "a".repeat(61))] {
            assert!(!is_hash(text), "{text}");
        }
    }

    #[test]
    fn bundles_that_were_not_used_for_long_go_first() {
        let scratch = Scratch::new("bundles");
        let cache = BundleCache::new(scratch.path(), &scratch.path().join("part"));
        let name = |digit: &str| digit.repeat(64);
        for (age, digit) in ["a", "b", "c", "d"].into_iter().enumerate() {
            let path = scratch.path().join(name(digit));
            fs::write(&path, [0; 10]).expect("a file");
            let used = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 - age as u64);
            File::options().write(true).open(path).and_then(|file| file.set_modified(used)).expect("it is ours");
        }
        fs::write(scratch.path().join("notes"), [0; 100]).expect("a file");
        cache.sweep_to(20, &|hash| hash == name("d"));
        let there = |digit: &str| scratch.path().join(name(digit)).exists();
        assert_eq!(["a", "b", "c", "d"].map(there), [true, true, false, true]);
        assert!(scratch.path().join("notes").exists());
    }

    #[test]
    fn a_damaged_bundle_is_not_used() {
        let scratch = Scratch::new("bundles");
        let cache = BundleCache::new(scratch.path(), &scratch.path().join("part"));
        let hash = hex(&Sha256::digest(b"bot"));
        let path = scratch.path().join(&hash);
        fs::write(&path, b"bot").expect("a file");
        assert!(cache.is_whole(&path, &hash));
        fs::write(&path, b"bat").expect("a file");
        assert!(!cache.is_whole(&path, &hash) && !path.exists());
    }
}
