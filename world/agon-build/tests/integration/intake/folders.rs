use super::ground::{Ground, contents, names, refused};
use agon_build::intake::Limits;
use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt, symlink},
        net::UnixListener,
    },
};

#[test]
fn a_folder_is_copied_without_what_tools_leave_behind() {
    let ground = Ground::new();
    for name in
        ["main.py", "src/a.py", "__pycache__/a.pyc", ".git/HEAD", "venv/bin/python", "rust/target/x", "target/y"]
    {
        ground.write(&format!("bot/{name}"), name.as_bytes());
    }
    ground.write("bot/venv/pyvenv.cfg", b"");
    ground.write("bot/rust/Cargo.toml", b"");
    ground.write("bot/old/.venv", b"/home/me/.virtualenvs/old\n");
    symlink("/somewhere/venv", ground.path("bot/.venv")).expect("links can be made");
    let run = ground.write("bot/run", b"#!/bin/sh\n");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).expect("it is ours");
    symlink("src/a.py", ground.path("bot/link.py")).expect("links can be made");
    let tree = ground.take(&ground.path("bot"), Limits::default()).expect("it is harmless");
    assert_eq!(names(&tree), ["link.py", "main.py", "run", "rust/Cargo.toml", "src/a.py", "target/y"]);
    let files = contents(&tree);
    assert_eq!(files["run"], ("#!/bin/sh\n".to_owned(), true));
    assert_eq!(files["link.py"].0, "src/a.py", "a link to a file inside is that file");
    assert!(!tree.root().join("link.py").is_symlink());
}

#[test]
fn one_folder_in_a_folder_is_not_looked_through() {
    let ground = Ground::new();
    ground.write("bot/inner/main.py", b"");
    let tree = ground.take(&ground.path("bot"), Limits::default()).expect("it is harmless");
    assert_eq!(names(&tree), ["inner/main.py"]);
}

#[test]
fn links_that_lead_out_and_other_than_files_are_refused() {
    type Case<'a> = (&'a dyn Fn(&Ground), &'a [&'a str]);
    let make: [Case<'_>; 9] = [
        (&|g| symlink("/etc/passwd", g.path("bot/x")).expect("made"), &["`x`", "leads out"]),
        (&|g| symlink("../outside", g.path("bot/x")).expect("made"), &["`x`", "leads out"]),
        (&|g| symlink("nowhere", g.path("bot/x")).expect("made"), &["`x`", "leads nowhere"]),
        (&|g| symlink("x", g.path("bot/x")).expect("made"), &["`x`", "leads nowhere"]),
        (&|g| symlink(".", g.path("bot/x")).expect("made"), &["`x`", "leads to a folder"]),
        (&|g| drop(UnixListener::bind(g.path("bot/x")).expect("made")), &["`x`", "neither a file nor a folder"]),
        (
            &|g| {
                let mode = rustix::fs::Mode::from_raw_mode(0o644);
                rustix::fs::mknodat(rustix::fs::CWD, g.path("bot/x"), rustix::fs::FileType::Fifo, mode, 0)
                    .expect("made");
            },
            &["`x`", "neither a file nor a folder"],
        ),
        (
            &|g| {
                let path = g.write("bot/x", b"");
                fs::set_permissions(path, fs::Permissions::from_mode(0o4755)).expect("it is ours");
            },
            &["`x`", "set-uid"],
        ),
        (
            &|g| drop((g.write("bot/Main.py", b""), g.write("bot/main.py", b""))),
            &["main.py", "one file on some systems"],
        ),
    ];
    for (make, words) in make {
        let ground = Ground::new();
        ground.write("bot/bot.py", b"");
        ground.write("outside", b"secret");
        make(&ground);
        refused(ground.take(&ground.path("bot"), Limits::default()), words);
    }
}

#[test]
fn folders_have_the_limits_of_archives() {
    let limits = Limits { total: 1000, file: 600, entries: 5, depth: 3, ..Limits::default() };
    for (files, words) in [
        (vec![("a", 601)], ["`a`", "larger than 600 bytes"]),
        (vec![("a", 500), ("b", 501)], ["`b`", "more than 1000 bytes"]),
        (vec![("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)], ["`f`", "more than 5"]),
        (vec![("a/b/c/d", 1)], ["a/b/c/d", "more than 3 folders"]),
    ] {
        let ground = Ground::new();
        for (name, size) in files {
            ground.write(&format!("bot/{name}"), &vec![0; size]);
        }
        refused(ground.take(&ground.path("bot"), limits), &words);
    }
    let ground = Ground::new();
    fs::create_dir(ground.path("bot")).expect("it can be made");
    refused(ground.take(&ground.path("bot"), limits), &["no file in it"]);
}

/// Somebody else's folder may change while it is read: what its files are must never become what a link leads to.
#[cfg(target_os = "linux")]
#[test]
fn a_link_that_comes_into_the_place_of_a_folder_is_not_followed() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering};

    let ground = Ground::new();
    ground.write("bot/bot.py", b"");
    ground.write("bot/data/file", b"honest");
    let secret = ground.write("secret/file", b"secret");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).expect("it is ours");
    symlink("../secret", ground.path("bot/other")).expect("links can be made");
    let (folder, link, end) = (ground.path("bot/data"), ground.path("bot/.git"), AtomicBool::new(false));
    // Under a name that is left out, so that the link alone is no reason to refuse the bot.
    fs::rename(ground.path("bot/other"), &link).expect("it is ours");
    let (mut taken, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !end.load(Ordering::Relaxed) {
                renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).expect("both are there");
            }
        });
        for _ in 0..2000 {
            match ground.take(&ground.path("bot"), Limits::default()) {
                Ok(tree) => {
                    taken += 1;
                    let found = fs::read(tree.root().join("data/file"));
                    if found.is_ok_and(|bytes| bytes == b"secret") {
                        end.store(true, Ordering::Relaxed);
                        panic!("a file outside was taken in attempt {}", taken + refused);
                    }
                }
                Err(_) => refused += 1,
            }
        }
        end.store(true, Ordering::Relaxed);
    });
    assert!(taken > 0, "it was never taken");
}

#[test]
fn a_folder_is_not_listed_beyond_the_limit() {
    let ground = Ground::new();
    for n in 0..20 {
        ground.write(&format!("bot/{n}.py"), b"");
    }
    let limits = Limits { entries: 5, ..Limits::default() };
    refused(ground.take(&ground.path("bot"), limits), &["more than 5 files and folders, `", ".py` is one more"]);
}
