//! Archives with changes that nobody thought of: whatever they say, nothing outside is written and every name that gets
//! in is one that may.

use super::{ground::Ground, tars, zips};
use agon_build::intake::{Limits, Name};

/// The next of an endless row of numbers (xorshift), the same in every run.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

/// Changes some bytes, or cuts, doubles or moves a piece.
fn change(bytes: &mut Vec<u8>, state: &mut u64) {
    const WORDS: &[&[u8]] =
        &[b"../", b"/etc", b"\\", b"\0", b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"\xff\xff\xff\xff"];
    for _ in 0..=next(state) % 4 {
        let at = next(state) % bytes.len().max(1);
        let length = (next(state) % 64).min(bytes.len() - at);
        match next(state) % 6 {
            0 | 1 => bytes[at] ^= 1 << (next(state) % 8),
            2 => bytes[at] = next(state) as u8,
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let piece = bytes[at..at + length].to_vec();
                let to = next(state) % bytes.len();
                bytes.splice(to..to, piece);
            }
            _ => {
                let word = WORDS[next(state) % WORDS.len()];
                let end = (at + word.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
        }
        if bytes.is_empty() {
            return;
        }
    }
}

/// Repairs the check sums of tar heads, so that changes in them are looked at.
fn repaired(mut bytes: Vec<u8>) -> Vec<u8> {
    for head in bytes.chunks_exact_mut(512).filter(|head| head[257..262] == *b"ustar") {
        head[148..156].copy_from_slice(b"        ");
        let sum: u32 = head.iter().map(|b| u32::from(*b)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    bytes
}

#[test]
fn changed_archives_do_no_harm() {
    let tar = tars::tar(&[
        tars::entry(b"./", b'5', 0o755, b""),
        tars::entry(b"././@LongLink", b'L', 0o644, &[&b"quite-a-long-name/".repeat(6)[..], b"name\0"].concat()),
        tars::file("short", b"long"),
        tars::entry(b"x", b'x', 0o644, b"17 path=pax/name\n"),
        tars::file("short", b"pax"),
        tars::entry(b"bin/run", b'0', 0o755, b"#!/bin/sh\n"),
    ]);
    let zip = zips::zip(&[
        zips::file("main.py", b"print(1)\n"),
        zips::File { method: 0, packed: b"data".to_vec(), ..zips::file("a/data", b"data") },
        zips::File { mode: 0o100_755, ..zips::file("run", b"#!/bin/sh\n") },
    ]);
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let (mut taken, mut refused) = (0, 0);
    let ground = Ground::new();
    for round in 0..600 {
        let (name, mut bytes) = match round % 3 {
            0 => ("bot.zip", zip.clone()),
            1 => ("bot.tar", tar.clone()),
            _ => ("bot.tar.gz", tar.clone()),
        };
        change(&mut bytes, &mut state);
        let bytes = match name {
            "bot.zip" => bytes,
            "bot.tar" => repaired(bytes),
            _ => tars::gzip(&repaired(bytes)),
        };
        match ground.unpack(name, &bytes) {
            Ok(tree) => {
                taken += 1;
                for (name, _) in tree.files() {
                    let checked = Name::check(name.as_bytes(), &Limits::default()).expect("it may get in");
                    assert_eq!(checked.expect("it is a file").as_str(), name);
                    let about = tree.root().join(name).symlink_metadata().expect("it is there");
                    assert!(about.is_file(), "{name}");
                }
            }
            Err(flaw) => {
                refused += 1;
                assert!(flaw.hint.is_some() && !flaw.what.contains(['\n', '\x1b', '\0']), "{flaw:?}");
            }
        }
    }
    assert!(taken > 20 && refused > 200, "{taken} taken, {refused} refused");
}
