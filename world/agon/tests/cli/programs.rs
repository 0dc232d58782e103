//! Tests commands that another program of Agon runs.

use crate::agon::Place;
use std::{fs, os::unix::process::ExitStatusExt, process::Command};

/// Returns a command that runs `agon` in its own folder.
fn alone(place: &Place) -> Command {
    let program = place.path("agon");
    // A link: what was just written cannot be executed while a process that another test starts has it open.
    if !program.exists() {
        fs::hard_link(env!("CARGO_BIN_EXE_agon"), &program).expect("both are below the same folder");
    }
    let mut command = Command::new(program);
    command.current_dir(place.path("."));
    command
}

#[test]
fn a_missing_program_is_named_with_the_way_to_install_it() {
    let place = Place::new();
    for (words, program) in [
        (&["bench", "sim"][..], "agon-bench"),
        (&["selftest", "hostile", "--list"], "agon-selftest"),
        (&["doctor"], "agon-selftest"),
    ] {
        let output = alone(&place).args(words).output().expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(
            err.contains(&format!("error: the program `{program}` is missing: it must be in the folder of `")),
            "{err}"
        );
        assert!(err.contains("cargo install --path world/agon"), "{err}");
    }
}

#[test]
fn a_program_that_is_another_one_is_refused() {
    let place = Place::new();
    fs::hard_link(env!("CARGO_BIN_EXE_agon-selftest"), place.path("agon-bench"))
        .expect("both are below the same folder");
    let output = alone(&place).args(["bench", "sim"]).output().expect("it starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{err}");
    assert!(err.contains(concat!("it calls itself `agon-selftest ", env!("CARGO_PKG_VERSION"), "`")), "{err}");
    assert!(err.contains("cargo install --path world/agon"), "{err}");
}

#[test]
fn agon_alone_knows_the_arguments_of_every_command() {
    let place = Place::new();
    for words in [&["bench", "timeouts"][..], &["selftest", "hostile"], &["doctor"]] {
        let help = alone(&place).args(words).arg("--help").output().expect("it starts");
        assert_eq!(help.status.code(), Some(0));
        let usage = format!("Usage: agon {} [OPTIONS]", words.join(" "));
        assert!(String::from_utf8_lossy(&help.stdout).contains(&usage), "{words:?}");
        let wrong = alone(&place).args(words).arg("--no-such-option").output().expect("it starts");
        assert_eq!(wrong.status.code(), Some(2), "{words:?}");
    }
    let list = alone(&place).arg("games").output().expect("it starts");
    assert!(list.status.success());
}

#[test]
fn options_of_all_commands_reach_the_other_program() {
    let place = Place::new();
    for words in [
        &["--color", "always", "selftest", "hostile", "--list", "--only", "tcp"][..],
        &["selftest", "--color=always", "hostile", "--list", "--only", "tcp"],
    ] {
        let done = place.run(words);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.out.contains("\x1b["), "{}", done.out);
    }
    let done = place.run(&["selftest", "hostile", "--only", "nobody"]);
    assert_eq!(done.code, 1, "the exit code is the other program's");
}

/// The process that the shell has started must do the work itself, so that it gets the signals.
#[test]
fn the_other_program_takes_the_place_of_agon() {
    let place = Place::new();
    let mut child = place
        .command(&["bench", "sim", "grid", "--format", "json"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let name = format!("/proc/{}/comm", child.id());
    while cfg!(target_os = "linux") && fs::read_to_string(&name).is_ok_and(|name| name.trim() != "agon-bench") {
        assert!(child.try_wait().expect("it can be waited for").is_none(), "it has ended as another program");
        std::thread::yield_now();
    }
    child.kill().expect("it lives");
    assert_eq!(child.wait().expect("it ends").signal(), Some(9));
}
