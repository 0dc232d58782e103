//! What a program in a sandbox sees of the system. Folders that are the same for all bots are made once, after the first start.

use super::{Ground, levels, none};
use agon_spec::Isolation;
use std::path::Path;

#[test]
fn every_start_shows_the_same_settings_and_devices() {
    let ground = Ground::new("system");
    if !levels().contains(&Isolation::Full) {
        return;
    }
    let words = [
        "list=/etc",
        "list=/dev",
        "text=/etc/hosts",
        "text=/etc/hostname",
        "text=/etc/nsswitch.conf",
        "read=/etc/ld.so.cache",
        "read=/dev/null",
        "write=/dev/null",
        "write=/dev/zero",
        "write=/etc/hosts",
        "write=/etc/new",
        "write=/dev/new",
        "write=/etc/passwd",
        "read=/etc/shadow",
    ];
    // A new thread has a fork server of its own, so that nothing is made yet.
    let told = std::thread::scope(|scope| {
        let asked = scope.spawn(|| [(); 3].map(|()| ground.ask(Isolation::Full, &words, none).0)).join();
        asked.expect("no panic")
    });
    assert!(told.iter().all(|later| *later == told[0]), "{told:#?}");
    for (word, end) in [("list=/etc", "hosts"), ("list=/dev", "null"), ("write=/dev/null", "done")] {
        let line = told[0].lines().find(|line| line.starts_with(word)).unwrap_or_default();
        assert!(line.contains(end), "{line}");
    }
    for refused in told[0].lines().filter(|line| line.starts_with("write=/etc") || line.contains("/new")) {
        assert!(refused.contains("refused"), "{refused}");
    }
}

#[test]
fn every_start_names_its_own_user() {
    let ground = Ground::new("users");
    if !levels().contains(&Isolation::Full) {
        return;
    }
    for _ in 0..3 {
        let (told, _) = ground.ask(Isolation::Full, &["user", "text=/etc/passwd", "text=/etc/group"], none);
        let user = told.lines().find_map(|line| line.strip_prefix("user: ")).expect("a user");
        assert!(told.contains(&format!("bot:x:{user}:{user}:bot:/home/bot:/bin/false\n")), "{told}");
        assert!(told.contains(&format!("bot:x:{user}:\n")), "{told}");
    }
}

#[test]
fn a_bot_may_be_in_a_folder_of_devices() {
    let memory = Path::new("/dev/shm");
    if !levels().contains(&Isolation::Full) {
        return;
    }
    if !memory.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "there is no `/dev/shm`, which this test needs");
        return eprintln!("NOT TESTED: there is no `/dev/shm`");
    }
    let ground = Ground::in_folder(memory, "shared-memory");
    for _ in 0..3 {
        let book = format!("text={}", ground.path("bot/book.txt"));
        let (told, _) = ground.ask(Isolation::Full, &[&book, "write=/dev/null", "list=/etc"], none);
        assert!(told.contains(": e4\n") && told.contains("write=/dev/null: done") && told.contains("hosts"), "{told}");
    }
}
