//! A model of 500 MB travels, and is never whole in memory. This is the only test of its program, whose memory is measured.

#![cfg(target_os = "linux")]

use agon_bundle::{PieceHash, PieceSink, Traveller, plan, store_bundle, unpack};
use agon_play::BotSpec;
use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

const SIZE: u64 = 500_000_000;

/// A store on the disk. Nearly all pieces of the bundle are the same one, so that it stays small.
struct Store {
    folder: PathBuf,
    puts: HashMap<PieceHash, u32>,
}

impl PieceSink for Store {
    fn put(&mut self, piece: &[u8]) -> io::Result<PieceHash> {
        let hash = PieceHash::of(piece);
        *self.puts.entry(hash).or_default() += 1;
        fs::write(self.folder.join(hash.to_string()), piece)?;
        Ok(hash)
    }
}

/// The pieces of a bundle, one after the other.
struct Pieces<'a> {
    folder: &'a Path,
    left: std::vec::IntoIter<PieceHash>,
    piece: Cursor<Vec<u8>>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.piece.read(into)?;
            if n > 0 {
                return Ok(n);
            }
            let Some(next) = self.left.next() else { return Ok(0) };
            self.piece = Cursor::new(fs::read(self.folder.join(next.to_string()))?);
        }
    }
}

/// The most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("it can be read");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is told");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn half_a_gigabyte_takes_few_megabytes_of_memory() {
    let top = std::env::temp_dir().join(format!("agon-bundle-large-{}", std::process::id()));
    for folder in ["cup/b", "store", "there"] {
        fs::create_dir_all(top.join(folder)).expect("a folder");
    }
    fs::write(top.join("cup/b/bot.py"), "print(1)").expect("a file");
    // A sparse file takes no room.
    let mut model = File::create(top.join("cup/b/model.bin")).expect("a file");
    model.set_len(SIZE).expect("a size");
    for at in [0, SIZE / 2, SIZE - 3] {
        model.seek(SeekFrom::Start(at)).and_then(|_| model.write_all(b"abc")).expect("it can be written");
    }
    let before = peak();
    let spec = BotSpec::Command(["python3", "b/bot.py", "--model", "b/model.bin"].map(str::to_owned).to_vec());
    let planned = plan(&Traveller { name: "large", spec: &spec, read: &[] }, &top.join("cup")).expect("it can travel");
    let mut store = Store { folder: top.join("store"), puts: HashMap::new() };
    let stored = store_bundle(&mut store, &planned).expect("it is kept");
    assert_eq!(stored.pieces.len() as u64, stored.size.div_ceil(1 << 20));
    let there = top.join("there");
    let mut pieces = Pieces { folder: &store.folder, left: stored.pieces.into_iter(), piece: Cursor::default() };
    unpack(&mut pieces, stored.hash, &there).expect("it is whole");
    let grown = peak() - before;
    assert!(grown < 16 << 10, "it took {grown} KiB");
    let mut unpacked = File::open(there.join("b/model.bin")).expect("it is there");
    let about = unpacked.metadata().expect("it is there");
    assert_eq!(about.len(), SIZE);
    assert!(about.blocks() * 512 < SIZE / 10, "holes stay holes");
    for at in [0, SIZE / 2, SIZE - 3] {
        let mut bytes = [0; 3];
        unpacked.seek(SeekFrom::Start(at)).and_then(|_| unpacked.read_exact(&mut bytes)).expect("it can be read");
        assert_eq!(&bytes, b"abc", "{at}");
    }
    fs::remove_dir_all(&top).expect("it is ours");
}
