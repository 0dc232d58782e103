//! Tar archives, in all common formats.
//!
//! The `tar` crate divides the stream into entries. This module handles everything that other readers may interpret
//! differently. It also reads long names itself, because the crate would read names of any length into memory.

use super::{
    import::{Intake, broken},
    name::shown,
    size,
};
use agon_core::Flaw;
use std::{
    borrow::Cow,
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};
use tar::{Archive, EntryType};

/// The maximum size in bytes of an entry that describes the next one.
const DESCRIPTION: u64 = 16 << 10;

/// Imports every entry of a tar stream. Reads at most `most` bytes of the stream.
pub(super) fn read(stream: impl Read, most: u64, intake: &mut Intake) -> Result<(), Flaw> {
    let over = Rc::new(Cell::new(false));
    let mut archive = Archive::new(LimitedReader { stream, left: most, over: over.clone() });
    let mut last = String::new();
    let taken = entries(&mut archive, intake, &mut last).and_then(|()| end(archive.into_inner(), &last));
    // The layers in between may wrap read errors in any way, so ask the reader whether the limit was reached.
    if over.get() {
        return Err(Flaw::new(format!("the archive unpacks to more than {}, at `{last}`", size(most)))
            .hint("leave out what the bot does not need"));
    }
    taken
}

fn entries(archive: &mut Archive<impl Read>, intake: &mut Intake, last: &mut String) -> Result<(), Flaw> {
    let (mut long_name, mut long_target) = (None, None);
    let all = archive.entries().map_err(|why| unreadable(&why, last))?;
    for entry in all.raw(true) {
        let mut entry = entry.map_err(|why| unreadable(&why, last))?;
        let own = entry.header().path_bytes().into_owned();
        let kind = entry.header().entry_type();
        match kind {
            EntryType::GNULongName | EntryType::GNULongLink => {
                let mut path = description(&mut entry, &own)?;
                while path.last() == Some(&0) {
                    path.pop();
                }
                again(if kind == EntryType::GNULongName { &mut long_name } else { &mut long_target }, path, &own)?;
                continue;
            }
            EntryType::XHeader | EntryType::XGlobalHeader => {
                let bytes = description(&mut entry, &own)?;
                let (name, target) = paths_in(&bytes, &own)?;
                for (slot, path) in [(&mut long_name, name), (&mut long_target, target)] {
                    let Some(path) = path else { continue };
                    if kind == EntryType::XGlobalHeader {
                        return Err(refused(&own, "names all entries alike"));
                    }
                    again(slot, path, &own)?;
                }
                continue;
            }
            _ => {}
        }
        let name = long_name.take().unwrap_or(own);
        *last = shown(&name);
        let mode = entry.header().mode().map_err(|why| broken(&name, &why))?;
        let target = long_target.take();
        if target.is_some() && !matches!(kind, EntryType::Symlink | EntryType::Link) {
            return Err(refused(&name, "is a link and something else at once"));
        }
        match kind {
            EntryType::Regular => {
                let mut whole = Whole { left: entry.size(), stream: &mut entry };
                intake.file(&name, mode & 0o7777, &mut whole)?;
            }
            EntryType::Directory if mode & 0o7000 != 0 => {
                return Err(refused(&name, "has a set-uid, set-gid or sticky bit"));
            }
            // Some readers interpret the data as further entries, others skip it.
            EntryType::Directory if entry.size() > 0 => return Err(refused(&name, "is a folder with data")),
            EntryType::Directory => intake.folder(&name)?,
            EntryType::Symlink if entry.size() > 0 => return Err(refused(&name, "is a link with data")),
            EntryType::Symlink => {
                let target = target.or_else(|| entry.header().link_name_bytes().map(Cow::into_owned));
                intake.link(&name, mode & 0o7777, &target.unwrap_or_default())?;
            }
            EntryType::Link => {
                return Err(refused(&name, "is a link to the bytes of another file")
                    .hint("pack it with `tar --hard-dereference`"));
            }
            EntryType::Char | EntryType::Block => return Err(refused(&name, "is a device")),
            EntryType::Fifo => return Err(refused(&name, "is a pipe")),
            EntryType::GNUSparse => return Err(refused(&name, "is a sparse file").hint("pack it without `--sparse`")),
            other => {
                let what = format!("is of the unknown type `{}`", char::from(other.as_byte()).escape_default());
                return Err(refused(&name, &what));
            }
        }
    }
    if long_name.is_some() || long_target.is_some() {
        return Err(Flaw::new("the archive ends with a name that belongs to nothing").hint("pack the bot again"));
    }
    Ok(())
}

/// Reads the rest of the stream after the last entry, which may contain only zeros as padding. Some readers would
/// continue with a second archive there. The end of a compressed stream also has a checksum that must be verified.
fn end(mut stream: impl Read, last: &str) -> Result<(), Flaw> {
    let mut piece = vec![0; 64 << 10];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(n) if piece[..n].iter().all(|byte| *byte == 0) => {}
            Ok(_) => {
                return Err(Flaw::new("the archive goes on behind its end").hint("pack the bot into one archive"));
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(unreadable(&why, last)),
        }
    }
}

/// Returns the error for a stream that cannot be read after the entry `last`. An empty `last` means that there was
/// none.
fn unreadable(why: &io::Error, last: &str) -> Flaw {
    match last {
        "" => Flaw::new(format!("this is no tar archive: {why}")).hint("pack it with `tar`, or name it as what it is"),
        last => Flaw::new(format!("the archive is broken after `{last}`: {why}")).hint("pack the bot again"),
    }
}

/// Reads the data of an entry that describes the next one.
fn description(entry: &mut impl Read, name: &[u8]) -> Result<Vec<u8>, Flaw> {
    let mut bytes = Vec::new();
    entry.take(DESCRIPTION + 1).read_to_end(&mut bytes).map_err(|why| broken(name, &why))?;
    if bytes.len() as u64 > DESCRIPTION {
        return Err(refused(name, &format!("describes a file in more than {}", size(DESCRIPTION))));
    }
    Ok(bytes)
}

/// The path of an entry and the target of a link, as far as extensions give them.
type PathAndTarget = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Returns the path and the target of a link in a list of extensions. Refuses extensions that change the meaning of an entry in
/// other ways.
fn paths_in(mut bytes: &[u8], name: &[u8]) -> Result<PathAndTarget, Flaw> {
    let (mut path, mut target) = (None, None);
    while !bytes.is_empty() {
        let malformed = || broken(name, &io::Error::other("an extension is not as long as it says"));
        let (key, value, rest) = extension(bytes).ok_or_else(malformed)?;
        bytes = rest;
        match key {
            b"path" => again(&mut path, value.to_vec(), name)?,
            b"linkpath" => again(&mut target, value.to_vec(), name)?,
            b"size" => return Err(refused(name, "gives its size twice").hint("pack it with `tar --format=gnu`")),
            key if key.starts_with(b"GNU.sparse.") => {
                return Err(refused(name, "is a sparse file").hint("pack it without `--sparse`"));
            }
            _ => {}
        }
    }
    Ok((path, target))
}

/// Splits the first extension from a list: `LENGTH KEY=VALUE` and a line end. Returns its key, its value and the rest.
fn extension(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let digits = bytes.iter().position(|byte| *byte == b' ')?;
    let length = std::str::from_utf8(&bytes[..digits]).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    let length: usize = length.parse().ok()?;
    let line = bytes.get(digits + 1..length)?.strip_suffix(b"\n")?;
    let end_of_key = line.iter().position(|byte| *byte == b'=')?;
    Some((&line[..end_of_key], &line[end_of_key + 1..], &bytes[length..]))
}

/// Sets a name that may be set only once.
fn again(slot: &mut Option<Vec<u8>>, name: Vec<u8>, of: &[u8]) -> Result<(), Flaw> {
    match slot.replace(name) {
        None => Ok(()),
        Some(_) => Err(refused(of, "gives the next file a second name")),
    }
}

fn refused(name: &[u8], why: &str) -> Flaw {
    Flaw::new(format!("`{}` {why}", shown(name))).hint("pack only regular files and folders")
}

/// A reader for the data of a file. It fails if the stream ends too early.
struct Whole<R> {
    stream: R,
    left: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(into)?;
        self.left = self.left.saturating_sub(n as u64);
        if n == 0 && self.left > 0 && !into.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends in the middle of it"));
        }
        Ok(n)
    }
}

/// A reader that fails after a certain number of bytes, and then sets `over`.
struct LimitedReader<R> {
    stream: R,
    left: u64,
    over: Rc<Cell<bool>>,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(into)?;
        match self.left.checked_sub(n as u64) {
            Some(left) => self.left = left,
            None => {
                self.over.set(true);
                return Err(io::Error::other("too much"));
            }
        }
        Ok(n)
    }
}
