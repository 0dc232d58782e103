//! A bot is the same bot on the machine to which its bundle travels.

use crate::ground::{Ground, alone, planned, unpacked, written};
use agon_play::{Cancel, ContentHash, Helper, IsolationChoice, NamedBot, Preparer, SandboxOptions, find_game};
use std::{env, fs, path::Path, process::Command};

/// Prepares a bot in the folder of a tournament, and returns what identifies it.
fn hash(run: &str, folder: &Path) -> ContentHash {
    env::set_current_dir(folder).expect("it is there");
    let game = find_game("portals").expect("it is a game");
    let bot = NamedBot::parse(game, run).expect("it is a bot");
    let isolation = IsolationChoice::Exactly("none".parse().expect("a level"));
    let options = SandboxOptions { isolation, ..SandboxOptions::default() };
    let mut preparer = Preparer::new(Helper::ThisProgram, options, Cancel::new().expect("a pipe"));
    let prepared = preparer.prepare(game, &bot, &mut |_| ()).unwrap_or_else(|why| panic!("{run}: {why}"));
    prepared.hash().unwrap_or_else(|| panic!("{run} has no hash"))
}

const FILES: &[&str] = &[
    "cup.toml x",
    "mybot/my_bot.py import b",
    "mybot/other.py 1",
    "mybot/b.py 2",
    "mybot/twin.py -> b.py",
    "mybot/.venv/pyvenv.cfg home = /usr/bin",
    "mybot/.venv/lib/python3.11/site-packages/own/__init__.py 1",
    "mybot/.venv/lib64 -> lib",
    "mybot/venv/pyvenv.cfg home = /usr/bin",
    "mybot/venv/bin/python* x",
    "mybot/venv/lib/python3.11/site-packages/own2.py 1",
    "b/bot.py import helper",
    "b/helper.py 1",
    "b/book/open.txt 1",
    "b/book/.hidden 2",
    "b/book/CVS/entries 2",
    "b/prog* #!/bin/sh",
    "b/link -> prog",
    "pack/__init__.py 1",
    "pack/sub/bot.py 2",
    "rust/Cargo.toml x",
    "rust/target/release/.cargo-lock",
    "rust/target/release/.fingerprint/x x",
    "rust/target/release/deps/libx.rlib x",
    "rust/target/release/rusty* elf",
    "rust/target/release/book.bin x",
    "m.bin model",
    "x.py 1",
];

#[test]
fn a_bot_that_travels_stays_the_same() {
    alone("identity::a_bot_that_travels_stays_the_same", || {
        let ground = Ground::new().with(FILES);
        let tar = Command::new("tar").args(["-czf", "packed.tar.gz", "mybot"]).current_dir(&ground.0).status();
        assert!(tar.expect("there is tar").success());
        for run in [
            "mybot",
            "./mybot/",
            "packed.tar.gz",
            "python3 b/bot.py",
            "python3 x.py",
            "b/prog --model=m.bin",
            "b/link m.bin:b/book",
            "./b/prog b/book 3",
            "env X=m.bin python3 b/bot.py",
            "env -C b python3 bot.py book",
            "env -C b ./prog",
            "timeout 9 python3 -m pack.sub.bot",
            "python3 -m x",
            "sh -c 'cd b && exec python3 bot.py'",
            "env -C b python3 -m bot",
            "rust/target/release/rusty",
            "@random",
        ] {
            let before = hash(run, &ground.0);
            let bytes = written(&planned(run, &ground.0).unwrap_or_else(|why| panic!("{run}: {why}")));
            let there = unpacked(&bytes);
            assert_eq!(hash(run, &there.0), before, "{run}");
            assert!(written(&planned(run, &there.0).expect("it travels on")) == bytes, "{run}");
        }
    });
}

#[test]
fn files_that_a_command_sees_beside_its_own_travel_with_it() {
    let ground = Ground::new().with(FILES);
    for (run, has, has_not) in [
        ("python3 b/bot.py", "b/helper.py", "x.py"),
        ("python3 x.py", "x.py", "m.bin"),
        ("python3 -m pack.sub.bot", "pack/__init__.py", "x.py"),
        ("env -C b ./prog", "b/book/open.txt", "x.py"),
        ("rust/target/release/rusty", "rust/target/release/book.bin", "rust/target/release/deps/libx.rlib"),
        ("cat b/book", "b/book/CVS/entries", "b/bot.py"),
    ] {
        let plan = crate::ground::planned_command(run, &ground.0).unwrap_or_else(|why| panic!("{run}: {why}"));
        let names: Vec<&str> = plan.files().map(|(name, _)| name).collect();
        assert!(names.contains(&has) && !names.contains(&has_not), "{run}: {names:?}");
    }
}

/// Champions and modules are files, too: those of their folder, their archive, or themselves.
#[test]
fn champions_and_modules_travel_as_their_files() {
    alone("identity::champions_and_modules_travel_as_their_files", || {
        let ground = Ground::new().with(&[
            "me/prologin.py def partie_init(): pass",
            "me/more.py 1",
            "me/.git/x 1",
            "lib.so* elf",
            "bot.wasm \0asm",
        ]);
        env::set_current_dir(&ground.0).expect("it is there");
        for (run, expected) in [
            ("champion:me", &["me/more.py", "me/prologin.py"][..]),
            ("me", &["me/more.py", "me/prologin.py"]),
            ("champion:lib.so", &["lib.so"]),
            ("bot.wasm", &["bot.wasm"]),
        ] {
            let plan = planned(run, &ground.0).unwrap_or_else(|why| panic!("{run}: {why}"));
            let names: Vec<&str> = plan.files().map(|(name, _)| name).collect();
            assert_eq!(names, expected, "{run}");
            let there = unpacked(&written(&plan));
            for name in names {
                let read = |folder: &Path| fs::read(folder.join(name)).expect("it is there");
                assert!(read(&there.0) == read(&ground.0), "{run}: {name}");
            }
        }
    });
}
