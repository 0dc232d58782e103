//! Results that are played and not acknowledged yet, in files that outlive the worker.
//!
//! | bytes of a file | meaning |
//! | --- | --- |
//! | `agon-outbox 1` and a line end | the format |
//! | 8, big-endian | the length of the next part |
//! | JSON | an [`Index`]: the results, and the hashes and lengths of the files that they name |
//! | the rest but 32 | these files, in this order |
//! | the last 32 | the SHA-256 of all bytes before |
//!
//! A file is written aside, brought to the disk and renamed, so that each one that has its name is whole. One holds as many
//! results as came together: a disk takes as long for many as for one.

use agon_spec::WorkerSettled;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

const MAGIC: &[u8] = b"agon-outbox 1\n";
/// The end of the names of files that are whole.
const WHOLE: &str = "results";
/// The end of the names of files that are being written.
const PART: &str = "part";
/// The end of the names of files that cannot be read.
const DAMAGED: &str = "damaged";
/// No file is read that is larger, in bytes. A single result with its replay has at most 64 MiB and a little.
const LARGEST: u64 = 512 << 20;
/// The outbox is full with so many bytes: no new matches are claimed.
const FULL: u64 = 1 << 30;
/// The outbox is full with so many results.
const MANY: usize = 20_000;

/// A result with the files that it names.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Finished {
    pub(crate) settled: WorkerSettled,
    /// The replay and the log, as far as they are kept.
    pub(crate) files: Vec<Vec<u8>>,
}

/// The results of one file of the outbox.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Group {
    pub(crate) settled: Vec<WorkerSettled>,
    /// The files that the results name, by their hash in hexadecimal digits.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    results: Vec<WorkerSettled>,
    files: Vec<(String, u64)>,
}

/// The folder of an outbox. Only one process uses it at a time.
#[derive(Debug)]
pub(crate) struct Outbox {
    folder: PathBuf,
    /// The files that are there, by their numbers.
    groups: BTreeMap<u64, Kept>,
}

/// A file of the outbox.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Kept {
    /// The tokens of the results in it.
    tokens: Vec<u64>,
    bytes: u64,
}

impl Outbox {
    /// Opens the outbox in a folder that exists, with what an earlier process has left there.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let mut outbox = Self { folder: folder.to_owned(), groups: BTreeMap::new() };
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            match path.extension().and_then(|end| end.to_str()) {
                Some(PART) => fs::remove_file(&path)?,
                Some(WHOLE) => {
                    let number = path.file_stem().and_then(|name| name.to_str()?.parse().ok());
                    if let Some(number) = number {
                        outbox.groups.insert(number, Kept { bytes: path.metadata()?.len(), ..Kept::default() });
                    }
                }
                _ => {}
            }
        }
        for number in outbox.groups.keys().copied().collect::<Vec<_>>() {
            // What cannot be read is put aside when it is its turn.
            if let Ok(group) = outbox.read(number)
                && let Some(kept) = outbox.groups.get_mut(&number)
            {
                kept.tokens = tokens_of(&group.settled);
            }
        }
        Ok(outbox)
    }

    /// Writes results. They are on disk when this returns.
    ///
    /// # Errors
    /// If they cannot be written. Then nothing is left of them.
    pub(crate) fn put(&mut self, finished: &[Finished]) -> io::Result<u64> {
        let number = self.groups.last_key_value().map_or(1, |(last, _)| last + 1);
        let bytes = encoded(finished)?;
        self.write(number, &bytes)?;
        let tokens = finished.iter().map(|finished| finished.settled.token).collect();
        self.groups.insert(number, Kept { tokens, bytes: bytes.len() as u64 });
        Ok(number)
    }

    fn write(&self, number: u64, bytes: &[u8]) -> io::Result<()> {
        let part = self.path(number, PART);
        let written = || {
            let mut file = File::create(&part)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&part, self.path(number, WHOLE))?;
            // The name is on disk when its folder is.
            File::open(&self.folder)?.sync_all()
        };
        let written = written();
        if written.is_err() {
            // It may not be there, or not go away. Nobody reads it.
            let _ = fs::remove_file(&part);
        }
        written
    }

    /// Takes the files of another outbox, which is empty afterwards.
    ///
    /// # Errors
    /// If a file cannot be moved. Those before were.
    pub(crate) fn take_from(&mut self, other: &mut Self) -> io::Result<()> {
        for number in other.groups.keys().copied().collect::<Vec<_>>() {
            let own = self.groups.last_key_value().map_or(1, |(last, _)| last + 1);
            fs::rename(other.path(number, WHOLE), self.path(own, WHOLE))?;
            if let Some(size) = other.groups.remove(&number) {
                self.groups.insert(own, size);
            }
        }
        File::open(&self.folder)?.sync_all()
    }

    /// Returns the number of the oldest file after this one.
    pub(crate) fn next_after(&self, number: u64) -> Option<u64> {
        self.groups.range(number + 1..).next().map(|(number, _)| *number)
    }

    /// Returns the tokens of all results.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u64> + '_ {
        self.groups.values().flat_map(|kept| kept.tokens.iter().copied())
    }

    /// Returns whether there is no file.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns whether no more matches are to be played before some results are gone.
    pub(crate) fn is_full(&self) -> bool {
        self.tokens().count() >= MANY || self.groups.values().map(|kept| kept.bytes).sum::<u64>() >= FULL
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged (`InvalidData`).
    pub(crate) fn read(&self, number: u64) -> io::Result<Group> {
        let path = self.path(number, WHOLE);
        if path.metadata()?.len() > LARGEST {
            return Err(damaged());
        }
        decoded(&fs::read(path)?)
    }

    /// Removes a file whose results were acknowledged.
    ///
    /// # Errors
    /// If it cannot be removed. Then its results are reported once more by the next process, which does no harm.
    pub(crate) fn remove(&mut self, number: u64) -> io::Result<()> {
        self.groups.remove(&number);
        fs::remove_file(self.path(number, WHOLE))
    }

    /// Puts a damaged file aside, for a person to look at. Returns its new path, and the tokens of its results as far as they are
    /// known.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub(crate) fn put_aside(&mut self, number: u64) -> io::Result<(PathBuf, Vec<u64>)> {
        let kept = self.groups.remove(&number).unwrap_or_default();
        let aside = self.path(number, DAMAGED);
        fs::rename(self.path(number, WHOLE), &aside)?;
        Ok((aside, kept.tokens))
    }

    fn path(&self, number: u64, end: &str) -> PathBuf {
        self.folder.join(format!("{number:020}.{end}"))
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged")
}

pub(crate) fn tokens_of(settled: &[WorkerSettled]) -> Vec<u64> {
    settled.iter().map(|settled| settled.token).collect()
}

/// Returns the name of bytes: their SHA-256 in hexadecimal digits.
pub(crate) fn hex_hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encoded(finished: &[Finished]) -> io::Result<Vec<u8>> {
    let files: Vec<&Vec<u8>> = finished.iter().flat_map(|finished| &finished.files).collect();
    let index = Index {
        results: finished.iter().map(|finished| finished.settled.clone()).collect(),
        files: files.iter().map(|file| (hex_hash(file), file.len() as u64)).collect(),
    };
    let index = serde_json::to_vec(&index)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend((index.len() as u64).to_be_bytes());
    bytes.extend(index);
    files.into_iter().for_each(|file| bytes.extend(file));
    let hash = Sha256::digest(&bytes);
    bytes.extend(hash);
    Ok(bytes)
}

fn decoded(bytes: &[u8]) -> io::Result<Group> {
    let (bytes, hash) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
    if Sha256::digest(bytes).as_slice() != hash {
        return Err(damaged());
    }
    let (length, rest) = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk()).ok_or_else(damaged)?;
    let length = usize::try_from(u64::from_be_bytes(*length)).map_err(|_| damaged())?;
    let (index, mut rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let Index { results: settled, files: named } = serde_json::from_slice(index)?;
    let mut files = BTreeMap::new();
    for (hash, length) in named {
        let length = usize::try_from(length).map_err(|_| damaged())?;
        let (file, after) = rest.split_at_checked(length).ok_or_else(damaged)?;
        (rest, _) = (after, files.insert(hash, file.to_vec()));
    }
    if rest.is_empty() { Ok(Group { settled, files }) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use agon_spec::{WorkerEnding, WorkerResult};
    use proptest::prelude::*;

    fn finished(id: u64, files: Vec<Vec<u8>>) -> Finished {
        let result = WorkerResult {
            ending: WorkerEnding::Finished,
            reason: "limit".to_owned(),
            seats: Vec::new(),
            plies: 7,
            fingerprint: None,
            replay: files.first().map(|file| hex_hash(file)),
            log: None,
            started_ms: 1,
            wall_us: 2,
        };
        Finished { settled: WorkerSettled { id, token: id + 100, result, spoilt: vec!["busy".to_owned()] }, files }
    }

    fn ids(group: &Group) -> Vec<u64> {
        group.settled.iter().map(|settled| settled.id).collect()
    }

    #[test]
    fn results_outlive_the_process() {
        let scratch = Scratch::new("outbox");
        let mut outbox = Outbox::open(scratch.path()).expect("a folder");
        assert!(outbox.is_empty() && outbox.next_after(0).is_none());
        let first = outbox.put(&[finished(1, vec![b"replay".to_vec()]), finished(2, Vec::new())]).expect("room");
        let second = outbox.put(&[finished(3, vec![vec![7; 1000], b"log".to_vec()])]).expect("room");
        // A process that is killed while it writes leaves a part.
        fs::write(scratch.path().join("00000000000000000003.part"), b"agon-out").expect("a file");
        let mut outbox = Outbox::open(scratch.path()).expect("a folder");
        assert_eq!((outbox.next_after(0), outbox.next_after(first)), (Some(first), Some(second)));
        assert!(outbox.tokens().eq([101, 102, 103]));
        let group = outbox.read(first).expect("it is whole");
        assert_eq!(ids(&group), [1, 2]);
        assert_eq!(group.files[&hex_hash(b"replay")], b"replay");
        assert_eq!(outbox.read(second).expect("it is whole").files.len(), 2);
        outbox.remove(first).expect("it is there");
        assert!(outbox.tokens().eq([103]) && outbox.next_after(0) == Some(second));
        assert_eq!(fs::read_dir(scratch.path()).expect("a folder").count(), 1, "the part is gone");
    }

    #[test]
    fn a_damaged_file_is_put_aside() {
        let scratch = Scratch::new("outbox");
        let mut outbox = Outbox::open(scratch.path()).expect("a folder");
        let number = outbox.put(&[finished(1, vec![b"replay".to_vec()])]).expect("room");
        let path = outbox.path(number, WHOLE);
        let whole = fs::read(&path).expect("it is there");
        for wrong in [&whole[..whole.len() - 1], b"", &[&whole[..], b"x"].concat()] {
            fs::write(&path, wrong).expect("it can be written");
            assert_eq!(outbox.read(number).map_err(|why| why.kind()), Err(io::ErrorKind::InvalidData));
        }
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        fs::write(&path, flipped).expect("it can be written");
        let mut outbox = Outbox::open(scratch.path()).expect("a damaged file does not close it");
        assert!(outbox.read(number).is_err());
        let (aside, tokens) = outbox.put_aside(number).expect("it can be renamed");
        assert!(aside.exists() && outbox.is_empty() && tokens.is_empty());
        assert!(Outbox::open(scratch.path()).expect("a folder").is_empty(), "it is not looked at again");
    }

    #[test]
    fn results_that_another_process_has_left_are_taken_over() {
        let (own, other) = (Scratch::new("outbox"), Scratch::new("outbox"));
        let mut left = Outbox::open(other.path()).expect("a folder");
        left.put(&[finished(1, Vec::new())]).expect("room");
        left.put(&[finished(2, Vec::new())]).expect("room");
        let mut outbox = Outbox::open(own.path()).expect("a folder");
        outbox.put(&[finished(3, Vec::new())]).expect("room");
        outbox.take_from(&mut left).expect("they can be moved");
        assert!(left.is_empty() && Outbox::open(other.path()).expect("a folder").is_empty());
        let outbox = Outbox::open(own.path()).expect("a folder");
        let all: Vec<u64> =
            outbox.groups.keys().flat_map(|number| ids(&outbox.read(*number).expect("whole"))).collect();
        assert_eq!(all, [3, 1, 2]);
    }

    #[test]
    fn a_full_disk_leaves_nothing_behind() {
        let scratch = Scratch::new("outbox");
        let mut outbox = Outbox::open(scratch.path()).expect("a folder");
        // A folder in the place of the file cannot be written over.
        fs::create_dir_all(outbox.path(1, WHOLE).join("x")).expect("a folder");
        assert!(outbox.put(&[finished(1, Vec::new())]).is_err());
        assert!(outbox.is_empty() && !outbox.path(1, PART).exists());
    }

    proptest! {
        #[test]
        fn files_that_are_written_are_read(files in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..6)) {
            let all: Vec<Finished> = files.chunks(2).zip(1..).map(|(files, id)| finished(id, files.to_vec())).collect();
            let group = decoded(&encoded(&all).expect("memory")).expect("it is whole");
            prop_assert_eq!(group.settled, all.iter().map(|one| one.settled.clone()).collect::<Vec<_>>());
            for file in files {
                prop_assert_eq!(&group.files[&hex_hash(&file)], &file);
            }
        }

        #[test]
        fn no_bytes_break_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), signed: bool) {
            let mut bytes = if signed { [MAGIC, &bytes].concat() } else { bytes };
            if signed {
                let hash = Sha256::digest(&bytes);
                bytes.extend(hash);
            }
            let _ = decoded(&bytes);
        }
    }
}
