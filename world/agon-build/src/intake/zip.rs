//! Zip archives, read in the strictest way. The directory at the end, the headers before the files and the data must
//! agree. No two files may share a byte, and every byte must belong to a file or to the directory.
//!
//! This module parses the format itself. The dangerous archives are those that programs interpret differently, and the
//! list of files that a crate returns no longer shows these differences.

mod layout;

use super::{
    import::{Intake, broken, too_large_file},
    name::shown,
    size,
};
use agon_core::Flaw;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt,
};

/// The size of the end record of the directory without its comment, in bytes.
const END: usize = 22;
/// The size of a directory entry without its fields of variable length, in bytes.
const ENTRY: usize = 46;
/// The size of a file header without its fields of variable length, in bytes.
const HEAD: usize = 30;
/// The maximum size of the directory in bytes: more than enough for 10,000 entries.
const DIRECTORY: u64 = 8 << 20;

/// The data of a file in the directory.
struct Listed {
    name: Vec<u8>,
    /// The name in an extra field for readers that support Unicode.
    second_name: Option<Vec<u8>>,
    /// Whether an extra field contains sizes. Some readers use these.
    second_sizes: bool,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    unpacked: u64,
    head: u64,
    /// The Unix mode. An archive from another system has none, so all its files are executable.
    mode: u32,
}

/// Imports every file of an archive of `length` bytes.
pub(super) fn read(file: &File, length: u64, intake: &mut Intake) -> Result<(), Flaw> {
    let (listed, directory) = directory(file, length, intake.limits().entries)?;
    let mut places = Vec::new();
    for entry in &listed {
        places.push(data(file, entry, directory)?);
    }
    layout::check(file, &listed, &places, directory)?;
    for (entry, place) in listed.iter().zip(places) {
        take(file, entry, place, intake)?;
    }
    Ok(())
}

/// Reads the entries of the directory. Also returns the position at which the directory begins.
fn directory(file: &File, length: u64, most: u32) -> Result<(Vec<Listed>, u64), Flaw> {
    let no_zip = || Flaw::new("this is no zip archive, or its end is missing").hint("pack the bot again");
    let window = length.min(END as u64 + u64::from(u16::MAX));
    let tail = bytes(file, length - window, window as usize).map_err(|why| unreadable(&why))?;
    let at = (0..=tail.len().checked_sub(END).ok_or_else(no_zip)?)
        .rev()
        .find(|at| {
            let end = &tail[*at..];
            end.starts_with(b"PK\x05\x06") && usize::from(u16_at(end, 20)) == end.len() - END
        })
        .ok_or_else(no_zip)?;
    let end = &tail[at..];
    // A reader that searches only for the signature finds another end, and with it another directory.
    if end.windows(4).skip(1).any(|bytes| bytes == b"PK\x05\x06") {
        return Err(Flaw::new("the comment of the archive holds a second end").hint("pack the bot again"));
    }
    let place = length - window + at as u64;
    let (count, size_of, start) = (u16_at(end, 10), u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
    // Some readers search for the zip64 locator regardless of the numbers in this end record.
    let located = at.checked_sub(20).is_some_and(|at| tail[at..].starts_with(b"PK\x06\x07"));
    if count == u16::MAX || start == u64::from(u32::MAX) || located {
        return Err(Flaw::new("the archive is in the format zip64").hint("a bot needs no more than a plain zip"));
    }
    if [u16_at(end, 4), u16_at(end, 6)] != [0, 0] || u16_at(end, 8) != count {
        return Err(Flaw::new("the archive is one part of several").hint("pack the bot into one file"));
    }
    if start + size_of != place || size_of > DIRECTORY {
        return Err(Flaw::new("the directory of the archive is not where it says").hint("pack the bot again"));
    }
    if u32::from(count) > most {
        return Err(Flaw::new(format!("there are {count} files and folders, more than {most}"))
            .hint("leave out what the bot does not need"));
    }
    let listing = bytes(file, start, size_of as usize).map_err(|why| unreadable(&why))?;
    let mut rest = &listing[..];
    let mut listed = Vec::new();
    for _ in 0..count {
        let (entry, behind) = listed_entry(rest)
            .ok_or_else(|| Flaw::new("the directory of the archive is broken").hint("pack the bot again"))?;
        listed.push(entry);
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(Flaw::new("the archive lists more than it counts").hint("pack the bot again"));
    }
    Ok((listed, start))
}

/// Parses the first entry of a directory. Also returns the bytes after it.
fn listed_entry(bytes: &[u8]) -> Option<(Listed, &[u8])> {
    let fixed = bytes.get(..ENTRY)?;
    if !fixed.starts_with(b"PK\x01\x02") {
        return None;
    }
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(fixed, at)));
    let behind = bytes.get(ENTRY + name + extra + comment..)?;
    const UNIX: u8 = 3;
    let listed = Listed {
        second_name: second_name(&bytes[ENTRY + name..ENTRY + name + extra]),
        second_sizes: second_sizes(&bytes[ENTRY + name..ENTRY + name + extra]),
        name: bytes[ENTRY..ENTRY + name].to_vec(),
        flags: u16_at(fixed, 8),
        method: u16_at(fixed, 10),
        crc: u32_at(fixed, 16),
        packed: u64::from(u32_at(fixed, 20)),
        unpacked: u64::from(u32_at(fixed, 24)),
        head: u64::from(u32_at(fixed, 42)),
        mode: if fixed[5] == UNIX { u32_at(fixed, 38) >> 16 } else { 0o755 },
    };
    Some((listed, behind))
}

/// Finds the Unicode name in the extra fields of a file. Info-ZIP writes it in addition to a name in another encoding.
fn second_name(fields: &[u8]) -> Option<Vec<u8>> {
    const UNICODE_PATH: u16 = 0x7075;
    // The name follows a version and the checksum of the other name.
    extra_field(fields, UNICODE_PATH).map(|data| data.get(5..).unwrap_or_default().to_vec())
}

/// Whether the extra fields of a file contain the sizes of zip64.
fn second_sizes(fields: &[u8]) -> bool {
    const ZIP64: u16 = 1;
    extra_field(fields, ZIP64).is_some()
}

/// Finds the data of an extra field by its kind.
fn extra_field(mut fields: &[u8], wanted: u16) -> Option<&[u8]> {
    while fields.len() >= 4 {
        let (kind, length) = (u16_at(fields, 0), usize::from(u16_at(fields, 2)));
        let data = fields.get(4..4 + length)?;
        if kind == wanted {
            return Some(data);
        }
        fields = &fields[4 + length..];
    }
    None
}

/// Compares the header of a file with its directory entry. Returns the position at which the data begins.
fn data(file: &File, entry: &Listed, directory: u64) -> Result<u64, Flaw> {
    let name = &entry.name;
    // The flags for: encrypted, a patch, strongly encrypted, encrypted directory.
    if entry.flags & 0x2061 != 0 {
        return Err(refused(name, "is encrypted or a patch").hint("pack it without a password"));
    }
    if ![0, 8].contains(&entry.method) {
        return Err(refused(
            name,
            &format!("is packed with method {}, which is neither stored nor deflated", entry.method),
        )
        .hint("pack it with `zip -r bot.zip .`"));
    }
    if [entry.packed, entry.unpacked, entry.head].contains(&u64::from(u32::MAX)) {
        return Err(refused(name, "is in the format zip64").hint("a bot needs no more than a plain zip"));
    }
    let lies = || refused(name, "is not what the directory of the archive says").hint("pack the bot again");
    if entry.head + HEAD as u64 > directory {
        return Err(lies());
    }
    let head = bytes(file, entry.head, HEAD).map_err(|why| broken(name, &why))?;
    let [name_length, extra] = [26, 28].map(|at| usize::from(u16_at(&head, at)));
    let own_name = bytes(file, entry.head + HEAD as u64, name_length).map_err(|_| lies())?;
    let fields = bytes(file, entry.head + (HEAD + name_length) as u64, extra).map_err(|_| lies())?;
    if entry.second_sizes || second_sizes(&fields) {
        return Err(refused(name, "has sizes of the format zip64").hint("a bot needs no more than a plain zip"));
    }
    for second in [entry.second_name.clone(), second_name(&fields)].into_iter().flatten() {
        if second != *name {
            return Err(refused(name, &format!("has `{}` as a second name", shown(&second))));
        }
    }
    let start = entry.head + (HEAD + name_length + extra) as u64;
    // If the numbers are after the data, those in the header are 0.
    let behind = entry.flags & layout::BEHIND != 0;
    let same = |at: usize, value: u64| {
        let own = u64::from(u32_at(&head, at));
        own == value || (behind && own == 0)
    };
    let agree = head.starts_with(b"PK\x03\x04")
        && own_name == *name
        && u16_at(&head, 6) == entry.flags
        && u16_at(&head, 8) == entry.method
        && same(14, u64::from(entry.crc))
        && same(18, entry.packed)
        && same(22, entry.unpacked)
        && (entry.method == 8 || entry.packed == entry.unpacked)
        && start + entry.packed <= directory;
    if agree { Ok(start) } else { Err(lies()) }
}

/// Imports one file.
fn take(file: &File, entry: &Listed, start: u64, intake: &mut Intake) -> Result<(), Flaw> {
    const KIND: u32 = 0o170_000;
    const LINK: u32 = 0o120_000;
    let name = &entry.name;
    let is_folder = name.ends_with(b"/");
    match entry.mode & KIND {
        0 => {}
        0o100_000 if !is_folder => {}
        0o040_000 if is_folder => {}
        LINK if !is_folder => {}
        0o100_000 | 0o040_000 | LINK => return Err(refused(name, "is marked both as a folder and as none")),
        _ => return Err(refused(name, "is neither a file nor a folder")),
    }
    if is_folder {
        if entry.unpacked != 0 {
            return Err(refused(name, "is a folder with data"));
        }
        if entry.mode & 0o7000 != 0 {
            return Err(refused(name, "has a set-uid, set-gid or sticky bit"));
        }
        return intake.folder(name);
    }
    let most = intake.limits().file;
    if entry.unpacked > most {
        return Err(too_large_file(name, most));
    }
    let mut stream = Data {
        file,
        at: start,
        left: entry.packed,
        inflate: (entry.method == 8).then(|| Decompress::new(false)),
        packed: Vec::new(),
        ended: false,
        crc: Crc::new(),
        unpacked: entry.unpacked,
    };
    if entry.mode & KIND == LINK {
        let target = target(name, &mut stream, intake.limits().path)?;
        intake.link(name, entry.mode & 0o7777, &target)?;
    } else {
        intake.file(name, entry.mode & 0o7777, &mut stream)?;
    }
    // A skipped file was not read and has no checksum.
    if stream.crc.amount() > 0 && stream.crc.sum() != entry.crc {
        return Err(refused(name, "has another check sum than the archive says").hint("the archive is broken"));
    }
    Ok(())
}

/// Reads the target of a link.
fn target(name: &[u8], data: &mut Data<'_>, most: usize) -> Result<Vec<u8>, Flaw> {
    let mut target = Vec::new();
    data.take(most as u64 + 1).read_to_end(&mut target).map_err(|why| broken(name, &why))?;
    if target.len() > most {
        return Err(refused(name, &format!("is a link to a path of more than {most} bytes")));
    }
    Ok(target)
}

/// A reader for the unpacked data of one file. It fails if the data does not have the length in the directory.
struct Data<'a> {
    file: &'a File,
    at: u64,
    left: u64,
    inflate: Option<Decompress>,
    /// Bytes that were read but not yet unpacked.
    packed: Vec<u8>,
    ended: bool,
    crc: Crc,
    unpacked: u64,
}

impl Data<'_> {
    /// Reads the next bytes if none are left to unpack.
    fn refill(&mut self) -> io::Result<()> {
        const PIECE: u64 = 32 << 10;
        if self.packed.is_empty() && self.left > 0 {
            self.packed = bytes(self.file, self.at, self.left.min(PIECE) as usize)?;
            self.at += self.packed.len() as u64;
            self.left -= self.packed.len() as u64;
        }
        Ok(())
    }

    fn next(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.ended {
            self.refill()?;
            let Some(inflate) = &mut self.inflate else {
                let n = self.packed.len().min(into.len());
                into[..n].copy_from_slice(&self.packed[..n]);
                self.packed.drain(..n);
                self.ended = n == 0;
                return Ok(n);
            };
            let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
            let status = inflate.decompress(&self.packed, into, FlushDecompress::None).map_err(io::Error::other)?;
            let used = (inflate.total_in() - before_in) as usize;
            let made = (inflate.total_out() - before_out) as usize;
            self.packed.drain(..used);
            self.ended = status == Status::StreamEnd;
            if self.ended && (self.left > 0 || !self.packed.is_empty()) {
                return Err(io::Error::other("there are bytes behind its end"));
            }
            if made > 0 {
                return Ok(made);
            }
            if !self.ended && used == 0 && self.left == 0 {
                return Err(io::Error::other("its end is missing"));
            }
        }
        Ok(0)
    }
}

impl Read for Data<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let n = self.next(into)?;
        self.crc.update(&into[..n]);
        let total = u64::from(self.crc.amount());
        if total > self.unpacked || (n == 0 && total < self.unpacked) {
            let said = size(self.unpacked);
            return Err(io::Error::other(format!("it is not as long as the archive says, which is {said}")));
        }
        Ok(n)
    }
}

fn bytes(file: &File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn refused(name: &[u8], why: &str) -> Flaw {
    Flaw::new(format!("`{}` {why}", shown(name))).hint("pack only regular files and folders")
}

fn unreadable(why: &io::Error) -> Flaw {
    Flaw::new(format!("the archive cannot be read: {why}"))
}
