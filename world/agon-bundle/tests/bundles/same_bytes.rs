//! The same files give the same bundle, whoever has them.

use crate::ground::{Ground, alone, names, planned, planned_command, unpacked, written};
use agon_bundle::{PieceHash, PieceSink, store_bundle, unpack};
use proptest::{
    collection::btree_map,
    prelude::*,
    test_runner::{Config, TestRunner},
};
use std::{
    collections::HashMap,
    fs::{self, File},
    io,
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    time::{Duration, SystemTime},
};

/// Gives every file another time and other bits of its mode that do not count, and another owner where that is allowed.
fn disturb(folder: &Path) {
    for entry in fs::read_dir(folder).expect("it is there").flatten() {
        let path = entry.path();
        if entry.file_type().expect("it has one").is_symlink() {
            continue;
        }
        let mode = entry.metadata().expect("it is there").permissions().mode();
        let other = if mode & 0o111 != 0 { 0o700 } else { 0o600 };
        let _ = chown(&path, Some(65534), Some(65534));
        fs::set_permissions(&path, fs::Permissions::from_mode(other)).expect("it is ours");
        if path.is_dir() {
            disturb(&path);
        }
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        File::open(&path).and_then(|file| file.set_modified(long_ago)).expect("it is ours");
    }
}

const FILES: &[&str] = &[
    "cup.toml game",
    "bots/me/main.py import b",
    "bots/me/b.py 1",
    "bots/me/data/deep/book.txt x",
    "bots/me/run.sh* #!/bin/sh",
    "bots/me/.venv/pyvenv.cfg home = /usr/bin",
    "bots/me/.venv/bin/python* x",
    "bots/me/.venv/lib/python3.11/site-packages/own/__init__.py 1",
    "bots/me/.venv/lib/python3.11/site-packages/pip/__init__.py 1",
    "bots/me/.git/config x",
    "bots/me/__pycache__/b.pyc x",
    "bots/me/twin.py -> b.py",
    "solo.py 1",
    "other/store.agon secret",
];

#[test]
fn order_times_and_owners_do_not_matter() {
    alone("same_bytes::order_times_and_owners_do_not_matter", || {
        let one = Ground::new().with(FILES);
        let backwards: Vec<&str> = FILES.iter().rev().copied().collect();
        let other = Ground::new().with(&backwards);
        disturb(&other.0);
        for (run, expected) in [
            (
                "bots/me",
                "bots/me/.venv/lib/python3.11/site-packages/own/__init__.py bots/me/.venv/pyvenv.cfg bots/me/b.py \
                 bots/me/data/deep/book.txt bots/me/main.py bots/me/run.sh bots/me/twin.py",
            ),
            (
                "python3 bots/me/main.py",
                "bots/me/.venv/lib/python3.11/site-packages/own/__init__.py bots/me/.venv/pyvenv.cfg bots/me/b.py \
                 bots/me/data/deep/book.txt bots/me/main.py bots/me/run.sh bots/me/twin.py",
            ),
            ("python3 solo.py", "solo.py"),
            ("env X=solo.py python3 bots/me/data/deep/book.txt", "bots/me/data/deep/book.txt solo.py"),
            (
                "bots/me/run.sh --book=bots/me/data",
                "bots/me/.venv/lib/python3.11/site-packages/own/__init__.py \
              bots/me/.venv/pyvenv.cfg bots/me/b.py bots/me/data/deep/book.txt bots/me/main.py bots/me/run.sh \
              bots/me/twin.py",
            ),
            ("@random", ""),
        ] {
            let plan = |folder: &Path| {
                std::env::set_current_dir(folder).expect("it is there");
                planned(run, folder).unwrap_or_else(|why| panic!("{run}: {why}"))
            };
            let (one, other) = (plan(&one.0), plan(&other.0));
            assert_eq!(names(&one), expected, "{run}");
            assert!(written(&one) == written(&other), "{run}");
            assert_eq!((one.hash(), one.size()), (other.hash(), other.size()), "{run}");
        }
    });
}

#[test]
fn a_file_that_changes_meanwhile_is_told() {
    let ground = Ground::new().with(&["bots/bot.py 1", "bots/b.py 2"]);
    let plan = planned_command("python3 bots/bot.py", &ground.0).expect("it can travel");
    for text in ["3", "33"] {
        fs::write(ground.0.join("bots/b.py"), text).expect("a file");
        let why = plan.write(&mut io::sink()).expect_err("it has changed");
        assert!(why.to_string().contains("has changed"), "{why}");
    }
    fs::remove_file(ground.0.join("bots/b.py")).expect("it is there");
    assert!(plan.write(&mut io::sink()).is_err_and(|why| why.to_string().contains("bots/b.py")));
}

/// The names and texts of files in a folder.
fn trees() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = "(sub/|\\.hidden/|__pycache__/|target/|venv/lib/python3\\.11/site-packages/|\\.venv/lib/python3\\.11/site-packages/)?\
                [a-d.]{1,3}x\\*?";
    btree_map(name, "[a-z]{0,20}", 1..12).prop_map(|files| {
        let mut files: Vec<(String, String)> = files.into_iter().collect();
        // The same name with and without the star is the same file.
        files.dedup_by(|one, other| one.0.trim_end_matches('*') == other.0.trim_end_matches('*'));
        files
    })
}

#[test]
fn a_bundle_of_what_was_unpacked_is_the_same() {
    alone("same_bytes::a_bundle_of_what_was_unpacked_is_the_same", || {
        let mut runner = TestRunner::new(Config { cases: 30, failure_persistence: None, ..Config::default() });
        let strategy = (trees(), any::<[bool; 3]>());
        let done = runner.run(&strategy, |(files, [venv, dotted, cargo])| {
            let mut lines = vec!["bots/me/main.py print(1)".to_owned()];
            lines.extend(files.iter().map(|(name, text)| format!("bots/me/{name} {text}")));
            lines.extend(venv.then(|| "bots/me/venv/pyvenv.cfg x".to_owned()));
            lines.extend(dotted.then(|| "bots/me/.venv/pyvenv.cfg y".to_owned()));
            lines.extend(cargo.then(|| "bots/me/Cargo.toml z".to_owned()));
            let ground = Ground::new().with(&lines.iter().map(String::as_str).collect::<Vec<_>>());
            for run in ["bots/me", "python3 bots/me/main.py", "python3 -u bots/me/main.py bots/me"] {
                std::env::set_current_dir(&ground.0).expect("it is there");
                let bytes = written(&planned(run, &ground.0).unwrap_or_else(|why| panic!("{run}: {why} {lines:?}")));
                let there = unpacked(&bytes);
                std::env::set_current_dir(&there.0).expect("it is there");
                let again = written(&planned(run, &there.0).unwrap_or_else(|why| panic!("{run}: {why} {lines:?}")));
                prop_assert!(again == bytes, "{run}: {lines:?}");
            }
            Ok(())
        });
        if let Err(why) = done {
            panic!("{why}");
        }
    });
}

#[derive(Default)]
struct Store(HashMap<PieceHash, Vec<u8>>);

impl PieceSink for Store {
    fn put(&mut self, piece: &[u8]) -> io::Result<PieceHash> {
        let hash = PieceHash::of(piece);
        self.0.insert(hash, piece.to_owned());
        Ok(hash)
    }
}

#[test]
fn a_bundle_goes_through_a_store() {
    let ground = Ground::new().with(&["bots/bot.py 1", "bots/run.sh* 2"]);
    let model: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 253) as u8).collect();
    fs::write(ground.0.join("bots/model.bin"), &model).expect("a file");
    let plan = planned_command("python3 bots/bot.py --model bots/model.bin", &ground.0).expect("it can travel");
    let mut store = Store::default();
    let stored = store_bundle(&mut store, &plan).expect("it is kept");
    assert_eq!((stored.hash, stored.size, stored.pieces.len()), (plan.hash(), plan.size(), 3));
    let there = Ground::new();
    let bytes: Vec<u8> = stored.pieces.iter().flat_map(|piece| &store.0[piece]).copied().collect();
    let unpacked = unpack(&mut bytes.as_slice(), stored.hash, &there.0).expect("it is whole");
    assert_eq!((unpacked.files, unpacked.size), (3, stored.size));
    assert!(fs::read(there.0.join("bots/model.bin")).expect("it is there") == model);
    let mode = fs::metadata(there.0.join("bots/run.sh")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o755);
}
