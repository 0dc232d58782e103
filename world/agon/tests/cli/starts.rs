//! Tests which bots `agon match` starts, and what it says about those that cannot be started.

use crate::agon::{Done, Place, python};
use std::path::Path;

#[test]
fn a_bot_that_never_starts_is_an_error_and_never_a_result() {
    let place = Place::new();
    place.fails(
        20,
        &["match", "grid", "./nobody", "@random", "--replay", "r.jsonl"],
        &["could not be started", "./nobody"],
    );
    assert!(place.read("r.jsonl").lines().last().expect("a line").contains("\"end\":\"aborted\""));
    // What was written is a replay without turns.
    let verified = place.json(&["replay", "verify", "r.jsonl", "--format", "json"]);
    assert_eq!((&verified["plies"], &verified["aborted"]), (&0.into(), &true.into()));
    place.fails(20, &["match", "grid", "random", "@random"], &["hint: write `@random` for the built-in bot"]);
    let done = place.run(&["match", "grid", "./nobody", "@random"]);
    assert!(done.err.contains("/nobody`\n"), "nowhere, not only inside: {done:?}");
    place.fails(20, &["match", "grid", "cd bots && ./x", "@random"], &["without a shell", "`sh -c '…'`"]);
    place.write("plain.txt", "no program");
    place.fails(20, &["match", "grid", "./plain.txt", "@random"], &["not executable", "chmod +x"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_module_in_the_working_directory_is_a_file_of_the_bot() {
    let Some(_) = python("pass") else { return };
    let place = Place::new();
    place.write("passes.py", "while True:\n    if input() == \".\":\n        print(\".\", flush=True)\n");
    let match_of = |bot: &str| place.run(&["match", "grid", bot, "@random", "--seed", "1", "--time", "move=20s"]);
    for bot in ["python3 -m passes", "python3 -u -mpasses"] {
        let done = match_of(bot);
        assert!(done.code == 0 && !done.out.contains("crashed"), "{bot}: {done:?}");
    }
    // A file that no word names is invisible to the bot. The interpreter's message does not show this.
    let hint = "its command names no file of yours: `--bot-dir DIR` lets it read a folder";
    let bot = "me=bash -c \"exec python3 $PWD/passes.py\"";
    let done = match_of(bot);
    assert!(done.out.contains("crashed, turn 1") && done.err.contains(hint), "{done:?}");
    let checked = place.run(&["check", "grid", bot]);
    assert!(checked.code == 1 && checked.err.contains(hint), "{checked:?}");
    let done = place.run(&["match", "grid", bot, "@random", "--seed", "1", "--time", "move=20s", "--bot-dir", "."]);
    assert!(done.code == 0 && !done.out.contains("crashed"), "{done:?}");
}

/// A champion that wins because nobody came is a wrong result.
#[test]
#[cfg(target_os = "linux")]
fn there_is_no_result_without_the_file_that_an_interpreter_executes() {
    use std::os::unix::fs::PermissionsExt;
    let Some(_) = python("pass") else { return };
    let place = Place::new();
    for folder in ["bots", "package"] {
        std::fs::create_dir(place.path(folder)).expect("a folder");
    }
    let passes = "while True:\n    if input() == \".\":\n        print(\".\", flush=True)\n";
    for name in ["bots/there.py", "package/__main__.py"] {
        place.write(name, passes);
    }
    place.write("bots/there.sh", "while read line; do\n    if [ \"$line\" = . ]; then echo .; fi\ndone\n");
    let play = |bot: &str, level: &str| {
        let args = ["match", "grid", bot, "@random", "--seed", "1", "--rounds", "3", "--sandbox", level];
        if level != "restricted" || !bot.contains("python3") {
            return Some(place.run(&args));
        }
        // With an own user for each bot, a Python in the home of root cannot be reached, but the system's own can.
        const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
        if !SYSTEM.iter().any(|folder| Path::new(folder).join("python3").exists()) {
            assert!(std::env::var_os("CI").is_none(), "the system has no `python3`, which this test needs");
            eprintln!("SKIPPED: {bot} at `{level}`: the system has no `python3`");
            return None;
        }
        Some(Done::from(place.command(&args).env("PATH", SYSTEM.join(":")).output().expect("agon can be started")))
    };
    for level in ["auto", "restricted", "none"] {
        for (bot, file) in [
            ("sh run.sh", "/run.sh`"),
            ("sh bots/there.py/x", "/bots/there.py/x`"),
            ("sh -e bots", "/bots` is a folder"),
            ("old=python3 -u old/bot.py", "/old/bot.py`"),
            ("python3 bots", "/bots` is a folder"),
        ] {
            let Some(done) = play(bot, level) else { continue };
            assert!(done.code == 20 && done.out.is_empty(), "{level}, {bot}: {done:?}");
            for text in ["could not be started: ", file, "there is no result"] {
                assert!(done.err.contains(text), "{level}, {bot}: `{text}` is not in {}", done.err);
            }
        }
        for bot in
            ["sh bots/there.sh", "python3 -u bots/there.py --fast", "python3 package", "python3 bots/../bots/there.py"]
        {
            let Some(done) = play(bot, level) else { continue };
            assert!(done.code == 0 && !done.out.contains("crashed"), "{level}, {bot}: {done:?}");
        }
    }
    let series = ["match", "grid", "@random", "python3 old/bot.py", "--games", "4", "--format", "json"];
    let done = place.run(&series);
    assert!(done.code == 20 && done.err.contains("/old/bot.py`"), "{done:?}");
    // The file is there, but the user that bots run as may not read it, whoever that is.
    std::fs::set_permissions(place.path("bots/there.py"), PermissionsExt::from_mode(0o000)).expect("it is ours");
    let said = ["may not read `", "bots/there.py`", "chmod a+r"];
    place.fails(20, &["match", "grid", "python3 bots/there.py", "@random"], &said);
}

#[test]
#[cfg(target_os = "linux")]
fn a_shortage_never_takes_the_sandbox_away() {
    let place = Place::new();
    let mut short = 0;
    for files in 4..24 {
        let line = format!("ulimit -n {files}; exec agon match grid cat cat --seed 1");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).env("PATH", crate::agon::path_with_agon()).current_dir(place.path(""));
        let done = crate::agon::Done::from(shell.output().expect("there is a shell"));
        assert!(!done.err.contains("NO SANDBOX") && !done.out.contains("sandbox none"), "{files}: {done:?}");
        short += u32::from(done.code == 40 && done.err.contains("could not be tried out"));
    }
    assert!(short > 0, "the limit was never met where the level is decided");
}

#[test]
#[cfg(not(feature = "wasm"))]
fn a_build_without_wasm_says_how_to_get_it() {
    let place = Place::new();
    place.write("bot.wasm", "");
    place.fails(1, &["match", "grid", "bot.wasm", "@random"], &["cannot play WASM modules", "--features wasm"]);
}

/// Files that the system does not execute, and what is said about each.
#[cfg(target_os = "linux")]
const UNSTARTABLE: &[(&str, &[u8], &str)] = &[
    ("return.sh", b"#!/bin/sh\r\nwhile read line; do echo .; done\r\n", "line ends of Windows"),
    ("return.py", b"#!/usr/bin/env python3\r\nprint('.')\r\n", "line ends of Windows"),
    ("missing.py", b"#!/opt/none/python9\nprint('.')\n", "missing interpreter `/opt/none/python9`"),
    ("bot.exe", b"MZ\x90\0\x03\0\0\0\x04\0\0\0", "is a program for Windows"),
    ("text", b"echo .\n", "neither a program for this machine nor a script"),
];

#[cfg(target_os = "linux")]
fn write_program(place: &Place, name: &str, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    place.write(name, bytes);
    std::fs::set_permissions(place.path(name), PermissionsExt::from_mode(0o755)).expect("it is ours");
}

#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_cannot_be_executed_has_not_played_at_any_level() {
    let place = Place::new();
    std::fs::create_dir(place.path("bots")).expect("a folder");
    let mut aarch64 = std::fs::read("/bin/cat").expect("a program of every system");
    aarch64[18..20].copy_from_slice(&243_u16.to_le_bytes());
    let cases = UNSTARTABLE.iter().map(|(name, bytes, said)| (*name, bytes.to_vec(), *said));
    let cases: Vec<_> = cases.chain([("other-machine", aarch64, "is a program for RISC-V")]).collect();
    for (name, bytes, said) in &cases {
        write_program(&place, &format!("bots/{name}"), bytes);
        let bot = format!("me=bots/{name}");
        for level in ["auto", "restricted", "none"] {
            let text = [*said, "bot `me`", "could not be started: "];
            place.fails(20, &["match", "grid", &bot, "@random", "--sandbox", level], &text);
            let series = ["match", "grid", "@random", &bot, "--games", "4", "--sandbox", level];
            place.fails(20, &series, &text);
        }
        place.fails(20, &["test", "grid", "@random", &bot, "--max-matches", "20"], &[said]);
        place.fails(20, &["climb", "grid", &bot, "--max-matches", "20"], &[said]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_cannot_be_executed_is_withdrawn_from_a_tournament() {
    let place = Place::new();
    std::fs::create_dir(place.path("bots")).expect("a folder");
    let mut file = "game = \"grid\"\nlimit = 20\n[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"b\"\nrun = \"@greedy\"\n".to_owned();
    for (name, bytes, _) in UNSTARTABLE {
        write_program(&place, &format!("bots/{name}"), bytes);
        file.push_str(&format!("[[bot]]\nname = \"{name}\"\nrun = \"./bots/{name}\"\n"));
    }
    for level in ["auto", "restricted", "none"] {
        place.write("cup.toml", format!("sandbox = \"{level}\"\n{file}"));
        let refused = place.run(&["tournament", "run", "cup.toml", "--restart"]);
        assert!(refused.code == 20 && refused.out.is_empty(), "{level}: {refused:?}");
        for (name, _, said) in UNSTARTABLE {
            assert!(refused.err.contains(name) && refused.err.contains(said), "{level}, {name}: {refused:?}");
        }
        let played =
            place.run(&["tournament", "run", "cup.toml", "--restart", "--without-broken", "--format", "json-lines"]);
        assert_eq!(played.code, 0, "{level}: {played:?}");
        let count = |event: &str| played.out.matches(&format!("\"event\":\"{event}\"")).count();
        assert_eq!((count("withdrawn"), count("match")), (UNSTARTABLE.len(), 2), "{level}: {played:?}");
    }
}

/// Shells end with 127 if they find no program, and with 126 if they may not execute it.
#[test]
#[cfg(target_os = "linux")]
fn a_bot_that_ends_with_the_code_of_a_shell_has_crashed() {
    let place = Place::new();
    for code in [125, 126, 127] {
        write_program(
            &place,
            "bot.sh",
            format!("#!/bin/sh\necho \"cannot execute: not found\" >&2\nexit {code}\n").as_bytes(),
        );
        for level in ["auto", "restricted", "none"] {
            let done = place.run(&["match", "grid", "me=./bot.sh", "@random", "--sandbox", level]);
            assert!(done.code == 0 && done.out.contains("crashed"), "{level}: {done:?}");
            assert!(done.out.contains(&format!("exit code {code}")), "{level}: {done:?}");
        }
    }
}
