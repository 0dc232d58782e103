//! The archive from which a kernel fills its first root: `cpio` in the format `newc`.

use std::{collections::BTreeSet, path::Path};

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_000;
/// The name of the last entry.
const LAST: &str = "TRAILER!!!";

/// An archive under construction.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
    folders: BTreeSet<String>,
}

impl Archive {
    /// Adds a folder, unless it is there.
    pub fn folder(&mut self, name: &str) {
        if self.folders.insert(name.to_owned()) {
            self.entry(name, FOLDER, &[]);
        }
    }

    /// Adds all folders above a path.
    pub fn folders_of(&mut self, path: &str) {
        let above: Vec<&Path> = Path::new(path).ancestors().skip(1).filter(|above| *above != Path::new("")).collect();
        for folder in above.into_iter().rev() {
            self.folder(&folder.to_string_lossy());
        }
    }

    /// Adds a file with these rights.
    pub fn file(&mut self, name: &str, rights: u32, content: &[u8]) {
        self.entry(name, FILE | rights, content);
    }

    /// Returns the bytes of the whole archive.
    pub fn end(mut self) -> Vec<u8> {
        self.entry(LAST, 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let length = u32::try_from(content.len()).expect("a file of less than 4 GiB");
        // Number, mode, user, group, links, time, length, four numbers of devices, length of the name, sum.
        let fields =
            [self.entries, mode, 0, 0, 1, 0, length, 0, 0, 0, 0, name.len() as u32 + 1, 0].map(|n| format!("{n:08X}"));
        self.bytes.extend(format!("070701{}{name}\0", fields.concat()).into_bytes());
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_headers_and_aligned_content() {
        let mut archive = Archive::default();
        archive.folders_of("a/b/c");
        archive.folders_of("a/b/d");
        archive.file("a/b/c", 0o755, b"hello");
        let bytes = archive.end();
        let text = String::from_utf8(bytes).unwrap();
        let names: Vec<&str> = text
            .match_indices("070701")
            .map(|(at, _)| {
                let name = &text[at + 110..];
                &name[..name.find('\0').unwrap()]
            })
            .collect();
        assert_eq!(names, ["a", "a/b", "a/b/c", LAST]);
        let file = text.rfind("a/b/c").unwrap();
        assert_eq!(&text[file - 110..file - 110 + 22], "0707010000000300008 1ED".replace(' ', ""));
        // A header of 110 bytes and a name of 6 end at a multiple of four.
        assert_eq!(&text[file + 6..file + 14], "hello\0\0\0");
        assert_eq!(text.len() % 4, 0);
    }
}
