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
