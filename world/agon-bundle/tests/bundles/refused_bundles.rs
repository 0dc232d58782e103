//! Bytes that are no bundle.

use crate::ground::{Ground, unpacked};
use agon_bundle::{BundleError, BundleHash, BundleReader, BundleWriter, Limits, unpack};
use proptest::{
    collection::{btree_map, vec},
    prelude::*,
};
use std::{collections::BTreeMap, fs, io::Read, process::Command};

/// Writes a bundle without any checks.
fn bundle(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = BundleWriter::new(&mut bytes);
    for (path, mut data) in files.iter().copied() {
        writer.file(path, path.ends_with(".sh"), data.len() as u64, &mut data).expect("memory");
    }
    writer.finish().expect("memory");
    bytes
}

/// Changes bytes of the first header, and corrects its checksum.
fn changed(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_owned();
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes[148..156].copy_from_slice(b"        ");
    let sum: u32 = bytes[..512].iter().map(|byte| u32::from(*byte)).sum();
    bytes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    bytes
}

/// Reads a whole bundle.
fn read(bytes: &[u8]) -> Result<Vec<(String, bool, Vec<u8>)>, BundleError> {
    let mut reader = BundleReader::new(bytes, Limits::default());
    let mut files = Vec::new();
    while let Some(entry) = reader.next_entry()? {
        let mut data = Vec::new();
        reader.read_to_end(&mut data)?;
        assert_eq!(data.len() as u64, entry.size);
        files.push((entry.path, entry.executable, data));
    }
    Ok(files)
}

#[test]
fn a_bundle_has_one_form() {
    let whole = bundle(&[("bots/bot.py", b"print(1)"), ("bots/run.sh", b"")]);
    let long = format!("bots/{}.py", "x".repeat(120));
    let long = bundle(&[(&long, b"1")]);
    assert_eq!(read(&whole).expect("it is canonical").len(), 2);
    assert_eq!(read(&long).expect("it is canonical").len(), 1);
    assert_eq!(read(&bundle(&[])).expect("it is canonical"), []);
    let link = changed(&whole, 156, b"2");
    let with_target = { changed(&whole, 157, b"/etc/passwd") };
    let mut not_zero = whole.clone();
    not_zero[512 + 100] = 1;
    let mut wrong_sum = whole.clone();
    wrong_sum[150] = b'7';
    let first_end = whole.len() - 1024;
    let one_block = [&whole[..first_end + 512], &[1; 512]].concat();
    let cases: Vec<(&str, Vec<u8>, &str, &str)> = vec![
        ("unsorted", bundle(&[("b", b""), ("a", b"")]), "a", "order"),
        ("sorted by parts, not by bytes", bundle(&[("a/b", b""), ("a-b", b"")]), "a-b", "order"),
        ("twice", bundle(&[("a", b"1"), ("a", b"1")]), "a", "twice"),
        ("a file that is a folder", bundle(&[("a", b""), ("a-", b""), ("a/b", b"")]), "a/b", "`a`, which is a file"),
        ("absolute", bundle(&[("/etc/passwd", b"")]), "/etc/passwd", "absolute"),
        ("out of the folder", bundle(&[("../x", b"")]), "../x", "`..`"),
        ("out of the folder again", bundle(&[("a/../../x", b"")]), "a/../../x", "`..`"),
        ("a part too much", bundle(&[("./a", b"")]), "./a", "shorter way"),
        ("an empty part", bundle(&[("a//b", b"")]), "a//b", "empty"),
        ("no name", bundle(&[("", b"")]), "", "empty"),
        ("a folder by its name", bundle(&[("a/", b"")]), "a/", "shorter way"),
        ("a line end", bundle(&[("a\nb", b"")]), "a\\nb", "U+000A"),
        ("an escape", bundle(&[("a\x1b[2J", b"")]), "a\\u{1b}[2J", "U+001B"),
        ("a backslash", bundle(&[("a\\b", b"")]), "a\\\\b", "backslash"),
        ("a long part", bundle(&[(&"x".repeat(256), b"")]), "xxx", "255 bytes"),
        ("a long path", bundle(&[(&"x/".repeat(600), b"")]), "@LongLink", "1000 bytes"),
        ("a link", link, "bots/bot.py", "a link"),
        ("a link to bytes", changed(&whole, 156, b"1"), "bots/bot.py", "a link"),
        ("a target", with_target, "bots/bot.py", "target of a link"),
        ("a device", changed(&whole, 156, b"3"), "bots/bot.py", "a device"),
        ("a pipe", changed(&whole, 156, b"6"), "bots/bot.py", "a pipe"),
        ("a folder", changed(&whole, 156, b"5"), "bots/bot.py", "a folder"),
        ("an extension", changed(&whole, 156, b"x"), "bots/bot.py", "an extension"),
        ("another type", changed(&whole, 156, b"\0"), "bots/bot.py", "unknown type"),
        ("set-uid", changed(&whole, 100, b"0004755\0"), "bots/bot.py", "`4755`"),
        ("private", changed(&whole, 100, b"0000600\0"), "bots/bot.py", "`600`"),
        ("an owner", changed(&whole, 108, b"0001750\0"), "bots/bot.py", "\"owner\""),
        ("a name of an owner", changed(&whole, 265, b"root"), "bots/bot.py", "\"name of the owner\""),
        ("a time", changed(&whole, 136, b"00000000001"), "bots/bot.py", "\"time\""),
        ("another format", changed(&whole, 257, b"ustar\x0000"), "bots/bot.py", "\"format\""),
        ("something at the end", changed(&whole, 511, b"1"), "bots/bot.py", "\"end\""),
        ("bytes behind the name", changed(&whole, 50, b"x"), "bots/bot.py", "\"name\""),
        ("a size with blanks", changed(&whole, 124, b"         10 "), "bots/bot.py", "11 octal digits"),
        ("a size in binary", changed(&whole, 124, b"\x80\0\0\0\0\0\0\0\0\0\0\x08"), "bots/bot.py", "11 octal digits"),
        ("a size that is too large", changed(&whole, 124, b"77777777777"), "bots/bot.py", "2 GiB"),
        ("a size beyond the end", changed(&whole, 124, b"00000100000"), "bots/bot.py", "cut off"),
        ("a smaller size", changed(&whole, 124, b"00000000001"), "bots/bot.py", "in place of zeros"),
        ("a wrong checksum", wrong_sum, "bots/bot.py", "checksum"),
        ("something in place of padding", not_zero, "bots/bot.py", "in place of zeros"),
        ("nothing", Vec::new(), "the beginning", "cut off"),
        ("cut off in a header", whole[..300].to_owned(), "the beginning", "cut off"),
        ("cut off in a file", whole[..515].to_owned(), "bots/bot.py", "cut off"),
        ("cut off in its padding", whole[..700].to_owned(), "bots/bot.py", "cut off"),
        ("without an end", whole[..first_end].to_owned(), "bots/run.sh", "cut off"),
        ("with half an end", whole[..first_end + 512].to_owned(), "bots/run.sh", "cut off"),
        ("with another end", one_block, "bots/run.sh", "one block of zeros"),
        ("with more zeros", [&whole[..], &[0; 512]].concat(), "bots/run.sh", "behind its end"),
        ("with a second bundle", [&whole[..], &whole[..]].concat(), "bots/run.sh", "behind its end"),
        ("with one byte more", [&whole[..], b"\n"].concat(), "bots/run.sh", "behind its end"),
        ("a long path of another file", changed_long(&long), "xxx", "header of another file"),
        ("a short path as a long one", short_as_long(), "bots/bot.py", "is none"),
        ("a long path that is executable", changed(&long, 100, b"0000755\0"), "././@LongLink", "in another way"),
        ("a long path of other words", changed(&long, 0, b"././@LongLinx"), "././@LongLinx", "in another way"),
    ];
    for (what, bytes, entry, why) in cases {
        match read(&bytes) {
            Err(BundleError::Refused { entry: named, why: told }) => {
                assert!(named.contains(entry) && told.contains(why), "{what}: `{named}` {told}");
                let message = BundleError::Refused { entry: named, why: told }.to_string();
                assert!(!message.contains(char::is_control), "{what}: {message:?}");
            }
            other => panic!("{what}: {other:?}"),
        }
        let ground = Ground::new();
        let unpacked = unpack(&mut &bytes[..], BundleHash::of(&bytes), &ground.0);
        assert!(unpacked.is_err(), "{what}");
        let left = fs::read_dir(&ground.0).expect("it is there").flatten();
        assert!(left.into_iter().all(|left| left.path().is_dir()), "{what} leaves a file");
    }
}

/// A long path, and behind it the header of a path that begins in another way.
fn changed_long(long: &[u8]) -> Vec<u8> {
    let file = changed(&long[1024..], 0, b"c");
    [&long[..1024], &file].concat()
}

/// A path of few bytes in the form of a long one.
fn short_as_long() -> Vec<u8> {
    let long = bundle(&[(&"x".repeat(120), b"")]);
    let mut bytes = changed(&long, 124, b"00000000014");
    bytes[512..1024].fill(0);
    bytes[512..523].copy_from_slice(b"bots/bot.py");
    bytes
}

#[test]
fn limits_end_a_bundle_before_it_is_read() {
    let limits = Limits { files: 2, bytes: 4096, ..Limits::default() };
    let read = |bytes: &[u8]| {
        let mut reader = BundleReader::new(bytes, limits);
        while reader.next_entry()?.is_some() {}
        Ok::<_, BundleError>(reader.finish())
    };
    let many = bundle(&[("a", b""), ("b", b""), ("c", b"")]);
    let large = bundle(&[("a", &[0; 2561])]);
    let fits = bundle(&[("a", &[0; 2560]), ("b", b"")]);
    assert!(read(&many).is_err_and(|why| why.to_string().contains("more than 2 files")));
    assert!(read(&large).is_err_and(|why| why.to_string().contains("larger than 4 KiB")));
    assert_eq!(fits.len(), 2560 + 4 * 512);
    assert!(read(&fits).is_err_and(|why| why.to_string().contains("larger than 4 KiB")));
    let fits = bundle(&[("a", &[0; 2048]), ("b", b"")]);
    assert_eq!(read(&fits).expect("it fits"), (BundleHash::of(&fits), 4096));
}

#[test]
fn a_bundle_of_another_hash_leaves_nothing() {
    let (whole, ground) = (bundle(&[("a/b", b"1")]), Ground::new());
    let why = unpack(&mut &whole[..], BundleHash::of(b"other"), &ground.0).expect_err("it is another");
    assert!(matches!(why, BundleError::OtherBundle { .. }), "{why}");
    assert!(!ground.0.join("a/b").exists());
}

#[test]
fn files_that_are_there_stay_and_must_be_the_same() {
    let one = bundle(&[("bots/a.py", b"1"), ("bots/run.sh", b"2")]);
    let ground = unpacked(&one);
    unpack(&mut &one[..], BundleHash::of(&one), &ground.0).expect("they are the same");
    for other in [
        bundle(&[("bots/0", b"new"), ("bots/a.py", b"2")]),
        bundle(&[("bots/0", b"new"), ("bots/a.py", b"11")]),
        bundle(&[("bots", b"new")]),
    ] {
        unpack(&mut &other[..], BundleHash::of(&other), &ground.0).expect_err("they differ");
        assert!(!ground.0.join("bots/0").exists(), "what was made is removed");
    }
    assert_eq!(fs::read(ground.0.join("bots/a.py")).expect("it is there"), b"1");
    // A link on the way is not followed.
    let outside = Ground::new().with(&["a.py 1", "run.sh* 2"]);
    let ground = Ground::new();
    std::os::unix::fs::symlink(&outside.0, ground.0.join("bots")).expect("a link");
    unpack(&mut &one[..], BundleHash::of(&one), &ground.0).expect_err("it is a link");
}

#[test]
fn tar_reads_a_bundle() {
    let long = format!("bots/{}/{}.py", "d".repeat(100), "x".repeat(120));
    let bytes = bundle(&[("bots/a b.py", b"1"), (&long, b"2"), ("é.sh", b"3")]);
    let ground = Ground::new();
    fs::write(ground.0.join("bundle.tar"), &bytes).expect("a file");
    let into = ground.0.join("into");
    fs::create_dir(&into).expect("a folder");
    let output = Command::new("tar").args(["-xf", "../bundle.tar"]).current_dir(&into).output().expect("there is tar");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(fs::read(into.join(&long)).expect("it is there"), b"2");
    assert_eq!(fs::read(into.join("é.sh")).expect("it is there"), b"3");
}

/// Files by their paths.
fn trees() -> impl Strategy<Value = BTreeMap<String, Vec<u8>>> {
    btree_map("[a-c]{1,2}(/[a-c]{1,2}){0,2}|[a-z]{101,130}", vec(any::<u8>(), 0..1200), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn garbage_is_refused_without_a_panic(bytes in vec(any::<u8>(), 0..3000)) {
        prop_assert!(read(&bytes).is_err());
    }

    /// Whatever is read is what would be written: no other bytes are taken.
    #[test]
    fn bundles_that_are_taken_are_canonical(
        files in trees(),
        at in any::<prop::sample::Index>(),
        how in 0..6,
        byte in any::<u8>(),
    ) {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, data)| (&**path, &**data)).collect();
        let mut bytes = bundle(&files);
        let at = at.index(bytes.len());
        let block = at / 512 * 512;
        match how {
            0 => bytes[at] = byte,
            1 => bytes.truncate(at),
            2 => bytes.insert(at, byte),
            3 => { bytes.drain(block..block + 512); }
            4 => {
                let copy = bytes[block..block + 512].to_owned();
                bytes.splice(block..block, copy);
            }
            _ => {}
        }
        if let Ok(read) = read(&bytes) {
            let mut again = Vec::new();
            let mut writer = BundleWriter::new(&mut again);
            for (path, executable, data) in &read {
                writer.file(path, *executable, data.len() as u64, &mut &data[..]).expect("memory");
            }
            writer.finish().expect("memory");
            prop_assert!(again == bytes);
        } else {
            let is_in = |(one, other): (&str, &str)| other.strip_prefix(one).is_some_and(|rest| rest.starts_with('/'));
            let clash = files.iter().any(|(one, _)| files.iter().any(|(other, _)| is_in((one, other))));
            prop_assert!(how < 5 || clash);
        }
    }
}
