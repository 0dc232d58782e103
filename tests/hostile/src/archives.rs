//! Writes archives that no tool would write: any name, size and kind of entry, lawful or not.

use flate2::{Compression, Crc, write::GzEncoder};
use std::io::{self, Write};

/// An entry of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    name: &'a [u8],
    data: &'a [u8],
    /// The type flag of tar: `0` for a file, `2` for a link.
    kind: u8,
    mode: u32,
    target: &'a [u8],
    /// The extra fields of an entry of a zip archive: in the directory, and in front of the file.
    extra: [&'a [u8]; 2],
}

impl<'a> Item<'a> {
    /// A file.
    pub(crate) fn file(name: &'a [u8], data: &'a [u8]) -> Self {
        Self { name, data, kind: b'0', mode: 0o644, target: b"", extra: [b""; 2] }
    }

    /// An entry that is no file: `1` for a hard link, `2` for a symbolic link, `3` for a device, `6` for a named pipe.
    pub(crate) fn special(name: &'a [u8], kind: u8, target: &'a [u8]) -> Self {
        Self { name, data: b"", kind, mode: 0o777, target, extra: [b""; 2] }
    }

    /// The same with extra fields in a zip archive.
    pub(crate) fn with_extra(self, extra: [&'a [u8]; 2]) -> Self {
        Self { extra, ..self }
    }

    fn head(&self, size: u64) -> [u8; 512] {
        let mut head = [0; 512];
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, self.name);
        put(100, format!("{:07o}", self.mode).as_bytes());
        put(124, format!("{size:011o}").as_bytes());
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, self.target);
        put(257, b"ustar\x0000");
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        head
    }
}

/// A tar archive.
pub(crate) fn tar(items: &[Item<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for item in items {
        out.extend(item.head(item.data.len() as u64));
        out.extend(item.data);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

/// A compressed tar archive with one file of this many MiB of zeroes.
pub(crate) fn tar_of_zeroes(name: &[u8], mib: u64) -> io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(&Item::file(name, b"").head(mib << 20))?;
    let zeroes = vec![0; 1 << 20];
    for _ in 0..mib {
        out.write_all(&zeroes)?;
    }
    out.write_all(&zeroes[..1024])?;
    out.finish()
}

/// A zip archive without compression. With `shared`, every entry of its directory points at the data of the first file.
pub(crate) fn zip(items: &[Item<'_>], shared: bool) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (number, item) in items.iter().enumerate() {
        let at = if shared { 0 } else { out.len() as u32 };
        let data = if shared { items[0].data } else { item.data };
        let mut crc = Crc::new();
        crc.update(data);
        let size = (data.len() as u32).to_le_bytes();
        // No flags, method 0 (stored), no time.
        let about =
            [&[0; 8][..], &crc.sum().to_le_bytes(), &size, &size, &(item.name.len() as u16).to_le_bytes()].concat();
        if number == 0 || !shared {
            let length = (item.extra[1].len() as u16).to_le_bytes();
            out.extend([b"PK\x03\x04\x14\0", &about[..], &length, item.name, item.extra[1], data].concat());
        }
        // Made on Unix, so that the mode counts.
        let mode = u32::from(if item.kind == b'2' { 0o120_000u16 } else { 0o100_000 }) | item.mode;
        let length = (item.extra[0].len() as u16).to_le_bytes();
        directory.extend([b"PK\x01\x02\x1e\x03\x14\0", &about[..], &length, &[0; 6]].concat());
        directory.extend([(mode << 16).to_le_bytes(), at.to_le_bytes()].concat());
        directory.extend([item.name, item.extra[0]].concat());
    }
    let (count, start) = ((items.len() as u16).to_le_bytes(), (out.len() as u32).to_le_bytes());
    let length = (directory.len() as u32).to_le_bytes();
    out.extend(directory);
    out.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &length, &start, &[0, 0]].concat());
    out
}
