//! What the system says when it executes a program decides whether the program was started, at each level alike.

use super::{Ground, levels};
use agon_sandbox::{ProgramError, StartRequest, Step, environment, start};
use agon_spec::Isolation;
use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::Path,
};

/// These levels, and programs without a sandbox.
fn all_levels() -> impl Iterator<Item = Isolation> {
    levels().into_iter().chain([Isolation::None])
}

fn write(ground: &Ground, name: &str, bytes: &[u8]) {
    let path = ground.top.join("bot").join(name);
    fs::write(&path, bytes).expect("a file");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("it is ours");
}

fn request(ground: &Ground, level: Isolation, program: &Path) -> StartRequest {
    let mut request = ground.request(level, &[]);
    request.environment = environment(&request.confinement);
    program.clone_into(&mut request.program);
    request
}

/// A program of the system that is linked dynamically, as bytes.
fn dynamic() -> Vec<u8> {
    fs::read("/bin/cat").expect("a program of every system")
}

/// The same with another loader, which does not exist. `None` if the program names none.
fn with_missing_loader() -> Option<Vec<u8>> {
    let mut bytes = dynamic();
    let at = bytes.windows(6).position(|window| window == b"/lib64" || window == b"/lib/l")?;
    bytes[at + 1] = b'L';
    Some(bytes)
}

/// The same for another machine.
fn for_machine(machine: u16) -> Vec<u8> {
    let mut bytes = dynamic();
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes
}

#[test]
fn a_file_that_the_system_does_not_execute_was_not_started_and_its_cause_is_named() {
    let ground = Ground::new("execution");
    let plain = ground.top.join("bot/plain");
    fs::write(&plain, "#!/bin/sh\n").expect("a file");
    let of_plain = format!("#!{}\n", plain.display());
    let (of_text, of_return) = (ground.path("bot/text"), ground.path("bot/shell-return"));
    let mut cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("shell-return", b"#!/bin/sh\r\nexit 0\r\n".to_vec(), "would look for `/bin/sh\\r`"),
        ("env-return", b"#!/usr/bin/env python3\r\n".to_vec(), "would look for `python3\\r`"),
        ("blank-return", b"#! /usr/bin/env sh \r\n".to_vec(), "would look for `sh \\r`"),
        ("switch-return", b"#!/bin/sh -e\r\n".to_vec(), "would look for `-e\\r`"),
        ("no-interpreter", b"#!/opt/none/python9\n".to_vec(), "missing interpreter `/opt/none/python9`"),
        ("bad-interpreter", of_plain.into_bytes(), "plain` is not executable"),
        ("folder-interpreter", b"#!/usr\n".to_vec(), "`/usr` is a folder"),
        ("text-interpreter", format!("#!{of_text}\n").into_bytes(), "text` is neither a program"),
        ("return-interpreter", format!("#!{of_return}\n").into_bytes(), "missing interpreter `/bin/sh\r`"),
        ("mark", b"\xef\xbb\xbf#!/bin/sh\n".to_vec(), "byte order mark"),
        ("windows", b"MZ\x90\0\x03\0\0\0".to_vec(), "is a program for Windows"),
        ("macos", b"\xcf\xfa\xed\xfe\x07\0\0\x01".to_vec(), "is a program for macOS"),
        ("text", b"exit 0\n".to_vec(), "neither a program for this machine nor a script"),
        ("empty", Vec::new(), "neither a program for this machine nor a script"),
        ("mips", for_machine(8), "is a program for MIPS"),
        ("riscv", for_machine(243), "is a program for RISC-V"),
        ("unknown-machine", for_machine(9999), "another machine (number 9999)"),
    ];
    cases.extend(with_missing_loader().map(|bytes| ("no-loader", bytes, "needs the missing loader `/Lib")));
    for (name, bytes, _) in &cases {
        write(&ground, name, bytes);
    }
    for level in all_levels() {
        for (name, _, said) in &cases {
            let program = ground.top.join("bot").join(name);
            let refused = start(request(&ground, level, &program)).and_then(agon_sandbox::Starting::confirm);
            let refused = refused.expect_err("the system does not execute it");
            assert_eq!(refused.step, Step::Program, "{level}, {name}: {refused:?}");
            let error = refused.program().unwrap_or_else(|| panic!("{level}, {name}: {refused:?}"));
            assert!(error.to_string().contains(said), "{level}, {name}: {error}");
            assert!(!error.is_of_host(), "{level}, {name}: {error:?}");
        }
    }
}

/// Shells end with these codes if they find no program.
#[test]
fn a_program_that_ends_with_the_code_of_a_shell_was_started() {
    let ground = Ground::new("codes");
    write(&ground, "exits", b"#!/bin/sh\nexit $1\n");
    // It says what a helper says that has failed.
    write(&ground, "lies", b"#!/bin/sh\nfor to in 1 2 3 4 5 6 7 8 9; do\n(echo 'failed program program:format ' >&$to) 2>/dev/null\ndone\nexit 125\n");
    for level in all_levels() {
        for (name, word, code) in
            [("exits", "127", 127), ("exits", "126", 126), ("exits", "125", 125), ("lies", "", 125)]
        {
            let mut request = request(&ground, level, &ground.top.join("bot").join(name));
            request.words.push(word.into());
            request.confinement.processes = 4;
            let mut process = start(request).and_then(agon_sandbox::Starting::confirm).expect("it was started");
            drop(process.child.stdin.take());
            assert_eq!(process.child.wait().expect("it ends").code(), Some(code), "{level}, {name}");
        }
    }
}

#[test]
fn nobody_executes_files_of_a_place_where_that_is_forbidden() {
    let place = Path::new("/dev/shm");
    let is_forbidden =
        rustix::fs::statvfs(place).is_ok_and(|about| about.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC));
    if !is_forbidden {
        return eprintln!("SKIPPED: `{}` is not mounted with `noexec`", place.display());
    }
    let ground = Ground::in_folder(place, "noexec");
    write(&ground, "script", b"#!/bin/sh\n");
    for level in all_levels() {
        for name in ["script", "probe"] {
            let program = ground.top.join("bot").join(name);
            let refused = start(request(&ground, level, &program)).and_then(agon_sandbox::Starting::confirm);
            let refused = refused.expect_err("the system does not execute it");
            assert_eq!(refused.program(), Some(&ProgramError::NoExec(program)), "{level}: {refused:?}");
        }
    }
}

#[test]
fn a_carriage_return_that_an_interpreter_ignores_is_in_nobodys_way() {
    let ground = Ground::new("returns");
    let mut tried = 0;
    for (name, interpreter, code) in [("perl", "/usr/bin/perl", "exit 0;"), ("env", "/usr/bin/env", "exit 0")] {
        if !Path::new(interpreter).exists() {
            continue;
        }
        let switch = if name == "perl" { "-w" } else { "-S sh -e" };
        let bytes = [b"#!", interpreter.as_bytes(), b" ", switch.as_bytes(), b"\r\n", code.as_bytes(), b"\n"].concat();
        write(&ground, name, &bytes);
        for level in all_levels() {
            let program = ground.top.join("bot").join(name);
            let mut process = start(request(&ground, level, &program))
                .and_then(agon_sandbox::Starting::confirm)
                .unwrap_or_else(|why| panic!("{level}, {}: {why}", program.as_os_str().as_bytes().escape_ascii()));
            drop(process.child.stdin.take());
            assert_eq!(process.child.wait().expect("it ends").code(), Some(0), "{level}, {name}");
            tried += 1;
        }
    }
    assert!(tried > 0 || std::env::var_os("CI").is_none(), "every system has `env`");
}
