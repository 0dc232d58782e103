//! Tests the command line of the program.

use crate::{HOST, assert_valid, users::User};
use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn run(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agon-selftest")).args(words).output().expect("it can be started")
}

#[test]
fn kinds_are_listed_and_unknown_ones_refused() {
    let list = run(&["hostile", "--list", "--format", "json"]);
    let kinds: Value = serde_json::from_slice(&list.stdout).expect("a document");
    assert_valid("selftest-hostile-list", &kinds);
    assert!(kinds.as_array().is_some_and(|kinds| kinds.len() >= 90 || !cfg!(target_os = "linux")));
    let former = run(&["hostile", "--only", "stderr-pricks", "--list", "--format", "json"]);
    let kinds: Value = serde_json::from_slice(&former.stdout).expect("a document");
    assert_eq!(kinds[0]["name"], "stderr-single-bytes", "a former name is an alias");
    let unknown = run(&["hostile", "--only", "no-such-kind"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("--list"));
}

#[test]
fn it_is_called_as_a_command_of_agon() {
    let help = run(&["hostile", "--help"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("Usage: agon selftest hostile [OPTIONS]"));
    assert_eq!(run(&["hostile", "--no-such-option"]).status.code(), Some(2));
    let version = run(&["--version"]);
    let expected = concat!("agon-selftest ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(String::from_utf8_lossy(&version.stdout), expected, "`agon` compares it with its own version");
    for words in [&["--color", "always", "hostile", "--list"][..], &["hostile", "--list", "--color=always"]] {
        assert!(run(words).stdout.contains(&b'\x1b'), "{words:?}");
    }
}

#[test]
fn an_interrupt_leaves_nothing() {
    let _others = HOST.read().unwrap_or_else(|e| e.into_inner());
    let us = User::us();
    let folder = std::env::temp_dir().join(format!("agon-interrupted-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is a temporary folder");
    let mut command = us.command(&["hostile", "--level", "none"]);
    command.env("TMPDIR", &folder).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    let begun = || std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    while !begun() {
        assert!(child.try_wait().expect("it can be waited for").is_none(), "it has ended too early");
        std::thread::yield_now();
    }
    let number = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(number, rustix::process::Signal::INT).expect("it lives");
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted"), "{said}");
    let left: Vec<_> = std::fs::read_dir(&folder).expect("it is there").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    std::fs::remove_dir_all(folder).expect("it is empty");
}
