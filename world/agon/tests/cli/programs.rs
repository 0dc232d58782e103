//! Tests commands that are no part of `agon`: the benches, and the self-test, which another program runs.

use crate::agon::Place;
use std::{fs, process::Command};

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
fn the_benches_are_a_task_of_the_project() {
    let place = Place::new();
    for (words, said) in [
        (&["bench"][..], "`cargo xtask bench`"),
        (&["bench", "sim", "grid", "--quick"], "`cargo xtask bench sim grid --quick`"),
        (&["bench", "--help"], "`cargo xtask bench --help`"),
        (&["bench", "exchange", "a b"], "`cargo xtask bench exchange 'a b'`"),
    ] {
        place.fails(1, words, &["error: the benches are no part of `agon`", "hint: ", said]);
    }
}

#[test]
fn a_missing_program_is_named_with_the_way_to_get_it() {
    let place = Place::new();
    for words in
        [&["selftest", "hostile", "--list"][..], &["selftest", "fuzz"], &["-q", "selftest", "hostile", "--help"]]
    {
        let output = alone(&place).args(words).output().expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{err}");
        assert!(
            err.contains("error: the program `agon-selftest`, which has the hostile bots, is not in the folder of `"),
            "{err}"
        );
        assert!(err.contains("cargo build --release --package agon --package agon-hostile"), "{err}");
    }
}

/// A script stands for the program. The process that the shell has started must become it, so that it gets the signals.
#[test]
fn the_program_beside_agon_takes_its_place_with_the_arguments() {
    let place = Place::new();
    let script = |version: &str| {
        let text = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{version}' && exit\necho $$ \"$@\"\nexit 7\n");
        // A shell writes it: nothing that another test starts meanwhile has it open for writing, so it can be executed.
        let words = ["-c", "printf %s \"$1\" > agon-selftest && chmod +x agon-selftest", "sh", &text];
        let written = Command::new("sh").args(words).current_dir(place.path(".")).status().expect("there is a shell");
        assert!(written.success());
    };
    script(concat!("agon-selftest ", env!("CARGO_PKG_VERSION")));
    let mut command = alone(&place);
    command
        .args(["--color", "never", "selftest", "hostile", "--only", "selftest"])
        .stdout(std::process::Stdio::piped());
    let child = command.spawn().expect("it starts");
    let number = child.id();
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, format!("{number} --color never hostile --only selftest\n"));
    assert_eq!(output.status.code(), Some(7), "the exit code is the other program's");

    script("agon-selftest 0.0.1");
    let output = alone(&place).args(["selftest", "fuzz"]).output().expect("it starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("it calls itself `agon-selftest 0.0.1`"), "{err}");
}

#[test]
fn agon_alone_knows_its_commands() {
    let place = Place::new();
    let help = alone(&place).args(["selftest", "--help"]).output().expect("it starts");
    let said = String::from_utf8_lossy(&help.stdout);
    assert!(help.status.success() && said.contains("hostile") && said.contains("fuzz"), "{said}");
    assert_eq!(alone(&place).args(["selftest", "nothing"]).output().expect("it starts").status.code(), Some(2));
    let help = alone(&place).arg("--help").output().expect("it starts");
    assert!(!String::from_utf8_lossy(&help.stdout).contains("bench"), "the benches are no command for users");
    let doctor = alone(&place).args(["doctor", "--format", "json"]).output().expect("it starts");
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stderr));
}
