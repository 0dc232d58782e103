use super::ground::{Ground, contents, names, refused};
use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;

/// A file of a zip archive, with everything that may lie.
#[derive(Clone)]
pub struct File {
    pub name: Vec<u8>,
    /// The name in front of the data, if it is another one.
    pub own_name: Option<Vec<u8>>,
    pub mode: u32,
    pub method: u16,
    pub flags: u16,
    pub packed: Vec<u8>,
    pub size: u32,
    pub crc: u32,
    /// Where the directory says that it lies, if not where it does.
    pub head: Option<u32>,
    /// Further fields: of the directory, and in front of the data.
    pub extra: [Vec<u8>; 2],
    /// What follows the data.
    pub behind: Vec<u8>,
}

pub fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory takes everything")
}

pub fn file(name: impl AsRef<[u8]>, data: &[u8]) -> File {
    let mut crc = Crc::new();
    crc.update(data);
    File {
        name: name.as_ref().to_vec(),
        own_name: None,
        mode: 0o100_644,
        method: 8,
        flags: 0,
        packed: deflated(data),
        size: data.len() as u32,
        crc: crc.sum(),
        head: None,
        extra: Default::default(),
        behind: Vec::new(),
    }
}

fn numbers(file: &File) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend([file.flags, file.method, 0, 0].iter().flat_map(|n| n.to_le_bytes()));
    out.extend([file.crc, file.packed.len() as u32, file.size].iter().flat_map(|n| n.to_le_bytes()));
    out
}

/// The bytes of an archive.
pub fn zip(files: &[File]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let head = file.head.unwrap_or(out.len() as u32);
        if file.head.is_none() {
            let name = file.own_name.as_ref().unwrap_or(&file.name);
            out.extend(b"PK\x03\x04\x14\0");
            out.extend(numbers(file));
            out.extend([name.len() as u16, file.extra[1].len() as u16].iter().flat_map(|n| n.to_le_bytes()));
            out.extend(name);
            out.extend(&file.extra[1]);
            out.extend(&file.packed);
            out.extend(&file.behind);
        }
        directory.extend(b"PK\x01\x02\x1e");
        directory.extend([if file.mode == 0 { 0 } else { 3 }, 0x14, 0]);
        directory.extend(numbers(file));
        let extra = file.extra[0].len() as u16;
        directory.extend([file.name.len() as u16, extra, 0, 0, 0].iter().flat_map(|n| n.to_le_bytes()));
        directory.extend([file.mode << 16, head].iter().flat_map(|n| n.to_le_bytes()));
        directory.extend(&file.name);
        directory.extend(&file.extra[0]);
    }
    let (count, start) = (files.len() as u16, out.len() as u32);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].iter().flat_map(|n| n.to_le_bytes()));
    out.extend([directory.len() as u32, start].iter().flat_map(|n| n.to_le_bytes()));
    out.extend([0, 0]);
    out
}

#[test]
fn plain_archives_are_taken() {
    let ground = Ground::new();
    let folder = File { mode: 0o040_755, packed: Vec::new(), method: 0, ..file("bot/src/", b"") };
    let stored = File { method: 0, packed: b"data".to_vec(), ..file("bot/data.txt", b"data") };
    let script = File { mode: 0o100_775, ..file("bot/run.sh", b"#!/bin/sh\n") };
    let windows = File { mode: 0, ..file("bot/src/main.py", b"print(1)\n") };
    let tree = ground.unpack("bot.zip", &zip(&[folder, stored, script, windows])).expect("it is harmless");
    assert!(tree.root().ends_with("taken/bot"), "the one folder is looked through");
    let expected =
        [("data.txt", ("data", false)), ("run.sh", ("#!/bin/sh\n", true)), ("src/main.py", ("print(1)\n", true))];
    let expected = expected.map(|(name, (text, x))| (name.to_owned(), (text.to_owned(), x)));
    assert_eq!(contents(&tree), expected.into());
}

#[test]
fn leftovers_of_tools_are_left_out() {
    let ground = Ground::new();
    let files = ["Cargo.toml", "src/main.rs", ".git/config", "target/release/bot", "__MACOSX/._x", "src/target/a"];
    let tree = ground.unpack("bot.zip", &zip(&files.map(|name| file(name, b"x")))).expect("it is harmless");
    assert_eq!(names(&tree), ["Cargo.toml", "src/main.rs", "src/target/a"]);
    assert!(!tree.root().join("target/release/bot").exists() && !tree.root().join(".git").exists());
}

#[test]
fn a_link_in_place_of_an_environment_is_left_out() {
    let link = File { mode: 0o120_777, ..file(".venv", b"/somewhere") };
    let tree = Ground::new().unpack("bot.zip", &zip(&[file("main.py", b"x"), link])).expect("it is harmless");
    assert_eq!(names(&tree), ["main.py"]);
}

fn link(name: &str, target: &str) -> File {
    File { mode: 0o120_777, ..file(name, target.as_bytes()) }
}

#[test]
fn links_that_stay_in_the_archive_are_taken() {
    let files = [
        file("bot/main.py", b"pass\n"),
        link("bot/again.py", "main.py"),
        link("bot/.venv/lib64", "lib"),
        link("bot/.venv/bin/python", "/usr/bin/python3"),
        file("bot/.venv/lib/python3.77/site-packages/net.py", b"net"),
        file("bot/.venv/pyvenv.cfg", b""),
    ];
    let ground = Ground::new();
    let tree = ground.unpack("bot.zip", &zip(&files)).expect("every link stays inside");
    assert_eq!(names(&tree), [".venv/lib/python3.77/site-packages/net.py", "again.py", "main.py"]);
    assert_eq!(contents(&tree)["again.py"].0, "pass\n");
}

#[test]
fn entries_that_could_do_harm_are_refused() {
    let kind = |mode: u32| File { mode, ..file("escaped", b"/etc/passwd") };
    for (entry, words) in [
        (file("../escaped", b""), ["../escaped", "leads out"]),
        (file("a/../../escaped", b""), ["escaped", "leads out"]),
        (file("/escaped", b""), ["/escaped", "absolute"]),
        (file("C:escaped", b""), ["C:escaped", "drive letter"]),
        (file("..\\escaped", b""), ["escaped", "backslash"]),
        (file(b"ok\0../escaped", b""), ["ok", "NUL"]),
        (file("a\x1b[31m", b""), ["a\\u{1b}[31m", "U+001B"]),
        (file("LPT1.txt", b""), ["LPT1.txt", "device on Windows"]),
        (file(vec![b'n'; 256], b""), ["nnnn", "more than 255 bytes"]),
        (file("d/".repeat(33) + "x", b""), ["d/d/d", "more than 32 folders"]),
        (kind(0o120_777), ["escaped", "is a link"]),
        (link("escaped", "/etc/passwd"), ["escaped", "leads out of the archive"]),
        (link("escaped", "nowhere"), ["escaped", "leads to nothing"]),
        (link(".venv/bin/evil", "/etc/passwd"), [".venv/bin/evil", "leads out of the archive"]),
        (link("escaped", &"x".repeat(1001)), ["escaped", "is a link to a path of more than 1000 bytes"]),
        (File { size: 3, ..link("escaped", "main.py") }, ["escaped", "not as long"]),
        (File { crc: 1, ..link("escaped", "main.py") }, ["escaped", "check sum"]),
        (File { mode: 0o120_777, ..file("escaped/", b"") }, ["escaped", "both as a folder"]),
        (kind(0o020_666), ["escaped", "neither a file nor a folder"]),
        (kind(0o010_644), ["escaped", "neither a file nor a folder"]),
        (kind(0o104_755), ["escaped", "set-uid"]),
        (kind(0o040_755), ["escaped", "both"]),
        (File { flags: 1, ..file("a", b"x") }, ["`a`", "encrypted"]),
        (File { method: 12, ..file("a", b"x") }, ["`a`", "method 12"]),
        (File { own_name: Some(b"b".into()), ..file("a", b"x") }, ["`a`", "not what the directory"]),
        (File { crc: 7, ..file("a", b"x") }, ["`a`", "check sum"]),
        (File { size: 2, ..file("a", b"xyz") }, ["`a`", "not as long"]),
        (File { size: 4, ..file("a", b"xyz") }, ["`a`", "not as long"]),
        (File { size: u32::MAX, ..file("a", b"xyz") }, ["`a`", "zip64"]),
        (File { size: 1 << 30, ..file("a", b"xyz") }, ["`a`", "larger than 128 MiB"]),
        (File { method: 0, ..file("a", b"xyzxyz") }, ["`a`", "not what the directory"]),
        (File { packed: [deflated(b"x"), b"tail".to_vec()].concat(), ..file("a", b"x") }, ["`a`", "behind its end"]),
        (File { packed: deflated(b"xyz")[..3].to_vec(), ..file("a", b"xyz") }, ["`a`", "cannot be read"]),
        (File { packed: b"\xff\xff\xff".to_vec(), ..file("a", b"xyz") }, ["`a`", "cannot be read"]),
        (File { packed: Vec::new(), method: 0, ..file("a/", b"x") }, ["`a/`", "not what the directory"]),
    ] {
        refused(Ground::new().unpack("bot.zip", &zip(&[file("main.py", b"pass\n"), entry])), &words);
    }
}

#[test]
fn no_two_files_may_be_one_anywhere() {
    for (a, b, words) in [
        ("main.py", "main.py", ["main.py", "twice"]),
        ("Main.py", "main.PY", ["main.PY", "one file on some systems"]),
        ("caf\u{e9}.py", "cafe\u{301}.py", ["caf", "one file on some systems"]),
        ("src/a", "SRC/b", ["SRC", "one file on some systems"]),
        ("a. ", "a", ["`a`", "one file on some systems"]),
        ("a", "a/b", ["`a`", "twice"]),
        ("a/b", "a", ["`a`", "twice"]),
    ] {
        refused(Ground::new().unpack("bot.zip", &zip(&[file(a, b"1"), file(b, b"2")])), &words);
    }
}

/// A further field of a file.
fn field(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
}

/// Its name once more, as Info-ZIP writes it for readers that know Unicode.
fn unicode_path(name: &str) -> Vec<u8> {
    field(0x7075, &[&[1, 0, 0, 0, 0], name.as_bytes()].concat())
}

#[test]
fn a_second_name_of_a_file_is_the_same_or_refused() {
    let time = field(0x5455, &[1, 0, 0, 0, 0]);
    let twice = [time.clone(), unicode_path("main.py")].concat();
    let same = File { extra: [twice.clone(), twice], ..file("main.py", b"pass\n") };
    let tree = Ground::new().unpack("bot.zip", &zip(&[same])).expect("it is harmless");
    assert_eq!(names(&tree), ["main.py"]);
    let other = [time, unicode_path("other.py")].concat();
    for extra in [[other.clone(), Vec::new()], [Vec::new(), other.clone()], [other.clone(), other]] {
        let entry = File { extra, ..file("main.py", b"pass\n") };
        refused(Ground::new().unpack("bot.zip", &zip(&[entry])), &["`main.py`", "second name"]);
    }
}

#[test]
fn sizes_of_zip64_are_refused_whatever_they_say() {
    // Some readers believe them although there is no need for them.
    for size in [5u64, 1 << 40, u64::MAX] {
        let sizes = field(1, &[size.to_le_bytes(), 5u64.to_le_bytes()].concat());
        let time = field(0x5455, &[1, 0, 0, 0, 0]);
        let behind = [time, sizes.clone()].concat();
        for extra in [[sizes.clone(), Vec::new()], [Vec::new(), sizes.clone()], [behind.clone(), behind]] {
            let entry = File { extra, ..file("main.py", b"pass\n") };
            refused(Ground::new().unpack("bot.zip", &zip(&[entry])), &["`main.py`", "zip64"]);
        }
    }
}

#[test]
fn entries_of_no_directory_are_refused() {
    // A reader that goes from head to head finds a file that one with the directory does not.
    let hidden = File { packed: zip(&[file("main.py", b"evil")])[..51].to_vec(), ..file("x", b"") }.packed;
    let entry = File { behind: hidden.clone(), ..file("main.py", b"pass\n") };
    refused(Ground::new().unpack("bot.zip", &zip(std::slice::from_ref(&entry))), &["behind `main.py`", "no directory"]);
    refused(Ground::new().unpack("bot.zip", &zip(&[entry, file("b", b"")])), &["behind `main.py`", "no directory"]);
    // A program in front, with a directory that knows of it.
    let mut bytes =
        zip(&[File { method: 0, packed: b"#!/bin/sh\n".to_vec(), ..file("a", b"#!/bin/sh\n") }, file("b", b"")]);
    let end = bytes.len() - 22;
    let start = u32::from_le_bytes(bytes[end + 16..end + 20].try_into().expect("four")) as usize;
    let without = bytes[start + 47..end].to_vec();
    let size = without.len() as u32;
    bytes.splice(start..end, without);
    let end = bytes.len() - 22;
    bytes[end + 8..end + 16].copy_from_slice(&[&[1, 0, 1, 0], &size.to_le_bytes()[..]].concat());
    refused(Ground::new().unpack("bot.zip", &bytes), &["in front of `b`", "no directory"]);
}

#[test]
fn numbers_behind_the_data_are_those_of_the_directory() {
    let plain = file("main.py", b"pass\n");
    let words = [plain.crc, plain.packed.len() as u32, plain.size];
    let short: Vec<u8> = words.iter().flat_map(|n| n.to_le_bytes()).collect();
    let long: Vec<u8> =
        [&words[0].to_le_bytes()[..], &u64::from(words[1]).to_le_bytes(), &u64::from(words[2]).to_le_bytes()].concat();
    for numbers in [short, long] {
        for mark in [&b""[..], b"PK\x07\x08"] {
            let behind = [mark, &numbers].concat();
            let with = |behind: Vec<u8>| zip(&[File { flags: 8, behind, ..plain.clone() }, file("b", b"")]);
            let tree = Ground::new().unpack("bot.zip", &with(behind.clone())).expect("it is harmless");
            assert_eq!(names(&tree), ["b", "main.py"]);
            let mut lie = behind;
            *lie.last_mut().expect("some") ^= 1;
            refused(Ground::new().unpack("bot.zip", &with(lie)), &["behind `main.py`", "no directory"]);
        }
    }
}

#[test]
fn an_archive_with_two_ends_is_refused() {
    let whole = zip(&[file("main.py", b"pass\n")]);
    // A comment that is an end itself, with a comment of another length than is there.
    let mut bytes = whole.clone();
    let mut other = whole[whole.len() - 22..].to_vec();
    other[20] = 9;
    let at = bytes.len() - 2;
    bytes[at..].copy_from_slice(&(other.len() as u16).to_le_bytes());
    bytes.extend(other);
    refused(Ground::new().unpack("bot.zip", &bytes), &["second end"]);
    // The place of an end as in zip64, in what the directory says of its last file.
    let locator = [&b"PK\x06\x07"[..], &[0; 16]].concat();
    let entry = File { extra: [field(0x6666, &locator), Vec::new()], ..file("main.py", b"pass\n") };
    refused(Ground::new().unpack("bot.zip", &zip(&[entry])), &["zip64"]);
    // A comment is a comment.
    let mut bytes = whole;
    let at = bytes.len() - 2;
    bytes[at..].copy_from_slice(&[5, 0]);
    bytes.extend(b"hello");
    assert!(Ground::new().unpack("bot.zip", &bytes).is_ok());
}

#[test]
fn broken_archives_are_refused() {
    let whole = zip(&[file("main.py", b"pass\n")]);
    for length in 0..whole.len() {
        refused(Ground::new().unpack("bot.zip", &whole[..length]), &["this is no zip archive"]);
    }
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        let at = whole.len() - 22 + at;
        bytes[at] = byte;
        Ground::new().unpack("bot.zip", &bytes)
    };
    refused(changed(4, 1), &["one part of several"]);
    refused(changed(8, 2), &["one part of several"]);
    refused(changed(12, 1), &["not where it says"]);
    refused(changed(16, 1), &["not where it says"]);
    refused(
        Ground::new().unpack("bot.zip", &[b"#!/bin/sh\n".to_vec(), whole.clone()].concat()),
        &["not where it says"],
    );
    // Whatever byte is another one: refused or the same files, never a panic.
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            if let Ok(tree) = Ground::new().unpack("bot.zip", &bytes) {
                assert_eq!(tree.files().count(), 1);
            }
        }
    }
}
