//! Bombs: each is refused at once, and what it has written by then is bounded by the limits.

use super::{
    ground::{Ground, refused},
    tars, zips,
};
use agon_build::intake::Limits;
use std::io::{self, Read, Write};

/// Small enough for tests.
fn limits() -> Limits {
    Limits { total: 1 << 20, file: 512 << 10, ratio_floor: 256 << 10, entries: 300, ..Limits::default() }
}

/// An archive of one file that says it is 10 GB of zeros. Where the stream ends nobody comes to.
fn ten_gigabytes() -> impl Read {
    let head = tars::sized(b"zeros", b'0', 0o644, 10_000_000_000, b"");
    io::Cursor::new(head).chain(io::repeat(0).take(256 << 20))
}

#[test]
fn a_long_stream_of_nothing_is_refused_at_the_limit() {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    io::copy(&mut ten_gigabytes().take(64 << 20), &mut gz).expect("memory takes everything");
    let gz = gz.finish().expect("memory takes everything");
    let zst = zstd::encode_all(ten_gigabytes(), 1).expect("memory takes everything");
    assert!(zst.len() < 200_000, "much in {} bytes", zst.len());
    for (name, bytes) in [("bot.tar.gz", gz), ("bot.tar.zst", zst)] {
        let ground = Ground::new();
        let taken = ground.take(&ground.write(name, &bytes), limits());
        refused(taken, &["zeros", "larger than 512 KiB"]);
        assert!(ground.written() <= 512 << 10, "{} bytes", ground.written());
        // With the limits of every day the ratio is what stops it.
        let taken = ground.take(&ground.path(name), Limits::default());
        assert!(taken.is_err_and(|flaw| flaw.what.contains("zeros")));
        assert!(ground.written() <= Limits::default().unpacked(bytes.len() as u64));
    }
}

#[test]
fn a_deflated_bomb_is_refused_by_what_it_says_and_by_what_it_does() {
    let zeros = vec![0; 4 << 20];
    let honest = zips::file("zeros", &zeros);
    let liar = zips::File { size: 1000, ..honest.clone() };
    for (entry, words) in [(honest, "larger than 512 KiB"), (liar, "not as long as the archive says")] {
        let ground = Ground::new();
        let taken = ground.take(&ground.write("bot.zip", &zips::zip(&[entry])), limits());
        refused(taken, &["zeros", words]);
        assert!(ground.written() <= 64 << 10, "{} bytes", ground.written());
    }
}

#[test]
fn many_files_that_are_small_when_packed_are_refused_together() {
    let zeros = vec![0; 200 << 10];
    let files: Vec<_> = (0..20).map(|i| zips::file(format!("z{i}"), &zeros)).collect();
    let ground = Ground::new();
    refused(ground.take(&ground.write("bot.zip", &zips::zip(&files)), limits()), &["`z", "more than"]);
    assert!(ground.written() <= 1 << 20, "{} bytes", ground.written());
}

#[test]
fn files_that_share_their_data_are_refused() {
    // As in the bombs of David Fifield: every entry of the directory is the same data.
    let first = zips::file("a", &vec![0; 100 << 10]);
    let same = zips::File { head: Some(0), ..first.clone() };
    refused(Ground::new().unpack("bot.zip", &zips::zip(&[first.clone(), same])), &["lies on top of"]);
    // And the form in which the data of one file is the head of the next, quoted.
    let inner = zips::zip(&[zips::file("b", b"inner")]);
    let outer = zips::File { method: 0, packed: inner.clone(), ..zips::file("a", &inner) };
    let quoted = zips::File { head: Some(31), ..zips::file("b", b"inner") };
    refused(Ground::new().unpack("bot.zip", &zips::zip(&[outer, quoted])), &["`b`", "lies on top of `a`"]);
}

#[test]
fn too_many_entries_are_refused_before_any_is_written() {
    let files: Vec<_> = (0..301).map(|i| zips::file(format!("f{i}"), b"")).collect();
    let ground = Ground::new();
    refused(ground.take(&ground.write("bot.zip", &zips::zip(&files)), limits()), &["301 files", "more than 300"]);
    let entries: Vec<_> = (0..301).map(|i| tars::entry(format!("d{i}/").as_bytes(), b'5', 0o755, b"")).collect();
    refused(ground.take(&ground.write("bot.tar", &tars::tar(&entries)), limits()), &["`d300/`", "more than 300"]);
    // Also if all of it is left out.
    let entries: Vec<_> = (0..301).map(|i| tars::file(&format!(".git/{i}"), b"")).collect();
    refused(ground.take(&ground.write("bot.tar", &tars::tar(&entries)), limits()), &["`.git/299`", "more than 300"]);
}

#[test]
fn folders_that_no_entry_names_count_as_well() {
    let deep = |i: usize| format!("{i}/{}x", "d/".repeat(20));
    let files: Vec<_> = (0..20).map(|i| zips::file(deep(i), b"")).collect();
    let ground = Ground::new();
    refused(ground.take(&ground.write("bot.zip", &zips::zip(&files)), limits()), &["/d/d", "more than 300"]);
    let entries: Vec<_> = (0..20).map(|i| tars::file(&format!(".git/{}", deep(i)), b"")).collect();
    refused(ground.take(&ground.write("bot.tar", &tars::tar(&entries)), limits()), &["/d/d", "more than 300"]);
}

#[test]
fn an_archive_in_an_archive_stays_a_file() {
    let mut bytes = tars::gzip(&tars::tar(&[tars::file("zeros", &vec![0; 1 << 20])]));
    for _ in 0..5 {
        bytes = tars::gzip(&tars::tar(&[tars::file("inner.tar.gz", &bytes)]));
    }
    let ground = Ground::new();
    let tree = ground.take(&ground.write("bot.tar.gz", &bytes), limits()).expect("one file");
    assert_eq!(super::ground::names(&tree), ["inner.tar.gz"]);
}

#[test]
fn an_archive_that_is_itself_too_large_is_not_opened() {
    let ground = Ground::new();
    let path = ground.write("bot.tar.gz", b"");
    let file = std::fs::File::options().write(true).open(&path).expect("it is there");
    // A file with a hole: it costs nothing.
    file.set_len(200 << 20).and_then(|()| (&file).write_all(b"\x1f\x8b")).expect("it can be written to");
    refused(ground.take(&path, Limits::default()), &["larger than 128 MiB"]);
}

#[test]
fn files_that_are_left_out_count_as_read() {
    let big = tars::entry(b".git/pack", b'0', 0o644, &vec![0; 4 << 20]);
    let packed = tars::gzip(&tars::tar(&[big, tars::file("main.py", b"pass\n")]));
    let ground = Ground::new();
    refused(ground.take(&ground.write("bot.tgz", &packed), limits()), &["unpacks to more than", ".git/pack"]);
    assert_eq!(ground.written(), 0);
}
