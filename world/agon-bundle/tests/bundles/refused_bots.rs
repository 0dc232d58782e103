//! Bots that cannot travel, and what to write instead.

use crate::ground::{Ground, alone, planned, planned_command};
use agon_bundle::{Traveller, plan};
use agon_play::BotSpec;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
};

fn ground() -> Ground {
    Ground::new().with(&[
        "cup/b/bot.py 1",
        "cup/b/book/a 1",
        "cup/me/main.py 1",
        "cup/linked/main.py 1",
        "cup/linked/env/pyvenv.cfg x",
        "cup/linked/env/lib/python3.11/site-packages/own.py 1",
        "cup/linked/.venv -> env",
        "cup/out/bot.py 1",
        "cup/out/data -> ../../secret",
        "cup/round/bot.py 1",
        "cup/round/self -> .",
        "cup/gone/bot.py 1",
        "cup/gone/x -> nothing",
        "cup/v/.venv/bin/python3 -> /usr/bin/env",
        "cup/v/own/python3* x",
        "cup/script/run* #!/home/somebody/venv/bin/python3 -u",
        "cup/alias -> b",
        "cup/bot -> b/bot.py",
        "cup/a.zip x",
        "cup/same.zip -> a.zip",
        "secret x",
    ])
}

#[test]
fn a_command_that_names_what_others_do_not_have_is_refused() {
    let ground = ground();
    let cup = ground.0.join("cup");
    fs::create_dir_all(cup.join("empty/.git")).expect("a folder");
    mknodat(CWD, cup.join("gone/pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
    let here = cup.display();
    for (run, word, why, hint) in [
        (format!("python3 {here}/b/bot.py"), format!("{here}/b/bot.py"), "absolute path", "write `b/bot.py`"),
        (format!("python3 b/bot.py --x={here}/b"), format!("--x={here}/b"), "absolute path", "write `b`"),
        ("python3 ../secret".into(), "../secret".into(), "`..`", "without `..`"),
        ("python3 b/../b/bot.py".into(), "b/../b/bot.py".into(), "`..`", "without `..`"),
        ("env X=../secret python3 b/bot.py".into(), "X=../secret".into(), "`..`", "without `..`"),
        ("python3 b/bot.py /etc/passwd".into(), "/etc/passwd".into(), "absolute path", "put a copy"),
        ("python3 bot".into(), "bot".into(), "is a link", "`b/bot.py`"),
        ("python3 alias/bot.py".into(), "alias/bot.py".into(), "is a link", "`b/bot.py`"),
        ("python3 out/bot.py".into(), "out/bot.py".into(), "`out/data` leads out", "put a copy"),
        ("python3 out/data".into(), "out/data".into(), "out of the folder", "put a copy"),
        ("python3 round/bot.py".into(), "round/bot.py".into(), "`round/self` leads to a folder", "copy of the folder"),
        ("python3 gone/bot.py".into(), "gone/bot.py".into(), "`gone/pipe` is neither", "regular files"),
        ("b/bot.py empty".into(), "empty".into(), "no file", "empty folders"),
        ("env -C .. python3 x".into(), "..".into(), "`..`", "without `..`"),
        (format!("env -C {here}/b python3 bot.py"), format!("{here}/b"), "absolute path", "write `b`"),
        (format!("env -C{here}/b python3 bot.py"), format!("-C{here}/b"), "absolute path", "write `b`"),
        (
            format!("sh -c 'cd {here}/b && exec python3 bot.py'"),
            "cd ".into(),
            "its text names",
            "paths from the folder",
        ),
        ("sh -c 'exec ~/bot'".into(), "exec ".into(), "names `~/`", "paths from the folder"),
        ("sh -c 'exec python3 ../secret'".into(), "../secret".into(), "`..`", "without `..`"),
        ("v/.venv/bin/python3 b/bot.py".into(), "v/.venv/bin/python3".into(), "interpreter of its own", "`python3`"),
        ("/home/x/bin/python3 b/bot.py".into(), "/home/x/bin/python3".into(), "not of the system", "write `python3`"),
        ("timeout 9 v/.venv/bin/python3 b/bot.py".into(), "v/.venv".into(), "link out", "put a copy"),
        ("script/run".into(), "script/run".into(), "begins with `#!/home/", "`#!/usr/bin/env python3`"),
        ("cat .".into(), ".".into(), "folder of the tournament itself", "folder of their own"),
    ] {
        let refused = planned_command(&run, &cup).expect_err(&run);
        assert_eq!((&*refused.bot, refused.key), ("mine", "run"), "{run}");
        assert!(refused.word.as_ref().is_some_and(|named| named.starts_with(&word)), "{run}: {refused:?}");
        assert!(refused.why.contains(why), "{run}: {refused}");
        assert!(refused.hint.as_ref().is_some_and(|told| told.contains(hint)), "{run}: {refused:?}");
    }
    fs::remove_file(cup.join("gone/pipe")).expect("it is there");
    let refused = planned_command("python3 gone/bot.py", &cup).expect_err("a link leads nowhere");
    assert!(refused.why.contains("`gone/x` leads nowhere"), "{refused}");
    fs::set_permissions(cup.join("b/book/a"), fs::Permissions::from_mode(0o4755)).expect("it is ours");
    let refused = planned_command("python3 b/bot.py", &cup).expect_err("it has another mode");
    assert!(refused.why.contains("set-uid"), "{refused}");
}

#[test]
fn files_of_the_system_do_not_travel_and_are_no_reason_to_stay() {
    let ground = ground();
    let cup = ground.0.join("cup");
    for run in [
        "/usr/bin/env python3 b/bot.py",
        "python3 b/bot.py /usr/bin/env /dev/null",
        "nobody-has-this b/bot.py",
        "timeout 9 sh -c 'exec cat b/bot.py > /dev/null'",
        "v/own/python3 b/bot.py",
        "env -C . python3 b/bot.py",
    ] {
        let plan = planned_command(run, &cup).unwrap_or_else(|why| panic!("{run}: {why}"));
        assert!(plan.files().any(|(name, _)| name == "b/bot.py"), "{run}");
    }
}

#[test]
fn a_folder_or_archive_of_which_not_all_can_travel_is_refused() {
    alone("refused_bots::a_folder_or_archive_of_which_not_all_can_travel_is_refused", || {
        let ground = ground();
        let cup = ground.0.join("cup");
        env::set_current_dir(&cup).expect("it is there");
        let whole = cup.join("me").display().to_string();
        symlink("me", cup.join("other")).expect("a link");
        for (run, why, hint) in [
            (whole.as_str(), "absolute path", "write `me`"),
            (".", "folder of the tournament itself", "folder of its own"),
            ("b/../me", "`..`", "without `..`"),
            ("other", "is a link", "`me`"),
            ("linked", "`linked/.venv` is a link to `env`", "rename `env`"),
            ("out", "`data` leads out", "put a copy"),
            ("same.zip", "is a link", "`a.zip`"),
        ] {
            let refused = planned(run, &cup).expect_err(run);
            assert!(refused.why.contains(why), "{run}: {refused}");
            assert!(refused.hint.as_ref().is_some_and(|told| told.contains(hint)), "{run}: {refused:?}");
        }
    });
}

#[test]
fn files_that_a_bot_may_read_beside_its_own_stay() {
    let ground = ground();
    let spec = BotSpec::Command(vec!["python3".to_owned(), "b/bot.py".to_owned()]);
    let refused = plan(&Traveller { name: "mine", spec: &spec, read: &["data".into()] }, &ground.0.join("cup"));
    let refused = refused.expect_err("it reads more");
    assert_eq!((refused.key, refused.word.as_deref()), ("read", Some("data")));
    assert!(refused.hint.is_some_and(|hint| hint.contains("take `read` away")));
}
