//! Tests bots as folders and archives: building, keeping and playing them.

use crate::agon::{Done, Place, games};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Returns whether these programs are installed. Prints what is missing. In CI, that is a failure.
pub fn installed(programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let here = |program: &&str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let Some(missing) = programs.iter().find(|program| !here(program)) else { return true };
    assert!(std::env::var_os("CI").is_none(), "there is no `{missing}`, which this test needs");
    eprintln!("SKIPPED: there is no `{missing}`, which this test needs");
    false
}

/// Returns whether builds can run in a sandbox here.
pub fn sandboxed() -> bool {
    if cfg!(target_os = "linux") {
        return true;
    }
    eprintln!("SKIPPED: this system has no sandbox, which this test needs");
    false
}

/// Runs agon with its own cache.
pub fn run(place: &Place, args: &[&str]) -> Done {
    let mut command = place.command(args);
    Done::from(command.env("XDG_CACHE_HOME", place.path("cache")).output().expect("agon can be started"))
}

pub fn json(done: &Done) -> Value {
    assert_eq!(done.code, 0, "{done:?}");
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}", done.out))
}

/// Writes the files of a bot into the folder `name`.
pub fn bot(place: &Place, name: &str, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = place.path(name).join(file);
        fs::create_dir_all(path.parent().expect("it has one")).expect("the folder for tests can be written to");
        fs::write(path, text).expect("the folder for tests can be written to");
    }
}

/// Returns the folder of a starter kit.
fn kit(game: &str, language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(game).join(language)
}

/// Builds every kit of one language from its folder, and plays it against the weakest built-in bot.
fn kits_play(language: &str, tools: &[&str]) {
    if !sandboxed() || !installed(tools) {
        return;
    }
    for game in games() {
        let place = Place::new();
        let folder = kit(&game, language).display().to_string();
        let built = json(&run(&place, &["build", &folder, "--format", "json"]));
        assert_eq!(built["kept"], false, "{game}");
        let me = format!("me={folder}");
        let args = ["match", &game, &me, "@random", "--seed", "1", "--time", "off", "--format", "json"];
        let rounds: &[&str] =
            if ["lighthouses", "portals"].contains(&game.as_str()) { &["--rounds", "5"] } else { &[] };
        let played = json(&run(&place, &[&args[..], rounds].concat()));
        let seats = played["seats"].as_array().expect("an array");
        assert!(seats.iter().all(|seat| seat["fault"].is_null()), "{game}: {played:#}");
        assert!(played["plies"].as_u64().is_some_and(|plies| plies > 0), "{game}: {played:#}");
    }
}

#[test]
fn kits_in_python_play_from_their_folders() {
    kits_play("python", &["python3"]);
}

#[test]
fn kits_in_javascript_play_from_their_folders() {
    kits_play("javascript", &["node"]);
}

#[test]
fn kits_in_cpp_play_from_their_folders() {
    kits_play("cpp", &["g++"]);
}

#[test]
fn kits_in_java_play_from_their_folders() {
    kits_play("java", &["javac"]);
}

#[test]
fn kits_in_rust_play_from_their_folders() {
    kits_play("rust", &["cargo"]);
}

/// The shortest bot of Planet Wars. It passes every turn.
const PASSES: &str = "#include <stdio.h>\n#include <string.h>\nint main(void) {\n    char line[999];\n    \
    while (fgets(line, sizeof line, stdin)) if (!strcmp(line, \"go\\n\")) puts(\"go\"), fflush(stdout);\n}\n";

#[test]
fn a_bot_plays_from_every_kind_of_archive() {
    if !sandboxed() || !installed(&["gcc", "tar", "gzip", "zstd", "zip"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "my-bot", &[("src/bot.c", PASSES), ("README.md", "a bot\n")]);
    for (file, command) in [
        ("a.tar", "tar -cf a.tar my-bot"),
        ("b.tar.gz", "tar -czf b.tar.gz -C my-bot ."),
        ("c.tgz", "tar --format=pax -czf c.tgz my-bot"),
        ("d.tar.zst", "tar --zstd -cf d.tar.zst my-bot"),
        ("e.zip", "zip -qr e.zip my-bot"),
    ] {
        let packed = Command::new("sh").args(["-c", command]).current_dir(place.path(".")).status();
        assert!(packed.is_ok_and(|status| status.success()), "{command}");
        let args = ["match", "planet-wars", file, "@random", "--seed", "1", "--format", "json"];
        let played = json(&run(&place, &args));
        assert!(played["seats"][0]["fault"].is_null(), "{file}: {played:#}");
        assert_eq!(played["seats"][0]["name"], &file[..1], "an archive is called after its name");
    }
    // The folder and all archives have the same content, so it was built once.
    let bots = fs::read_dir(place.path("cache/agon/bots")).expect("the cache is there").count();
    assert_eq!(bots, 1);
    let played = json(&run(&place, &["match", "planet-wars", "my-bot/", "@random", "--seed", "1", "--format", "json"]));
    assert_eq!(played["seats"][0]["name"], "my-bot");
}

#[test]
fn builds_are_kept_until_they_are_cleaned() {
    if !sandboxed() || !installed(&["gcc"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "bot", &[("bot.c", PASSES)]);
    let first = run(&place, &["build", "bot"]);
    assert!(first.err.contains("building bot as C, in a sandbox") && first.err.contains("$ gcc"), "{first:?}");
    assert!(
        first.out.contains("language  C, as `bot.c` is the only one") && first.out.contains("(built in "),
        "{first:?}"
    );
    let second = run(&place, &["build", "bot"]);
    assert!(
        second.out.contains("(kept from an earlier build)") && second.err.contains("$ gcc"),
        "the log is kept: {second:?}"
    );
    let document = json(&run(&place, &["build", "bot", "--format", "json"]));
    assert_eq!((&document["language"], &document["kept"]), (&"c".into(), &true.into()));
    assert!(document["run"][0].as_str().is_some_and(|run| run.ends_with("/agon-bot")), "{document:#}");
    let cleaned = run(&place, &["build", "--clean"]);
    assert!(
        cleaned.code == 0 && cleaned.err.starts_with("kept bots removed from ") && cleaned.err.ends_with(": 1\n"),
        "{cleaned:?}"
    );
    assert!(run(&place, &["build", "bot"]).out.contains("(built in "));
    let cleaned = json(&run(&place, &["build", "--clean", "--format", "json"]));
    assert_eq!(cleaned["removed"], 1);
}

#[test]
fn an_agon_toml_says_how_and_its_flaws_have_a_caret() {
    if !sandboxed() || !installed(&["gcc", "make"]) {
        return;
    }
    let place = Place::new();
    let makefile = "out/player: player.src\n\tmkdir out && gcc -x c -O2 -o out/player player.src\n";
    let manifest = "build = [\"make\"]\nrun = [\"./out/player\"]\n";
    bot(&place, "bot", &[("player.src", PASSES), ("Makefile", makefile), ("agon.toml", manifest)]);
    let played = json(&run(&place, &["match", "planet-wars", "bot", "@random", "--seed", "1", "--format", "json"]));
    assert!(played["seats"][0]["fault"].is_null(), "{played:#}");
    bot(&place, "bot", &[("agon.toml", "build = [\"make\"]\nrunn = [\"./out/player\"]\n")]);
    let flawed = run(&place, &["match", "planet-wars", "bot", "@random"]);
    for text in ["unknown key `runn`", "agon.toml:2:1", "^^^^", "do you mean `run`?"] {
        assert!(flawed.err.contains(text), "{text}: {}", flawed.err);
    }
    assert_eq!((flawed.code, flawed.out.as_str()), (1, ""));
}

#[test]
fn a_bot_that_does_not_build_is_not_played() {
    if !sandboxed() || !installed(&["gcc"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "bot", &[("bot.c", "int main(void) { return \"\x1b[31mred\" }\n")]);
    for args in [&["build", "bot"][..], &["match", "planet-wars", "bot", "@random"]] {
        let done = run(&place, args);
        assert_eq!((done.code, done.out.as_str()), (20, ""), "{done:?}");
        assert!(done.err.contains("bot.c:1") && done.err.contains("failed with exit code 1"), "{done:?}");
        assert!(!done.err.contains('\x1b'), "what a compiler quotes is cleaned: {done:?}");
    }
    let document = run(&place, &["build", "bot", "--format", "json"]);
    assert_eq!((document.code, document.out.as_str()), (20, ""), "{document:?}");
    assert!(
        !place.path("cache/agon/bots").exists()
            || fs::read_dir(place.path("cache/agon/bots")).is_ok_and(|d| d.count() == 0)
    );
}

#[test]
fn refusals_say_the_way_out() {
    let place = Place::new();
    bot(&place, "empty", &[("README.md", "")]);
    bot(&place, "two", &[("bot.py", ""), ("bot.js", "")]);
    place.write("bad.zip", "no archive");
    place.write("bot.tar.xz", "");
    place.write("bot.txt", "");
    for (code, args, said) in [
        (1, &["match", "planet-wars", "empty", "@random"][..], &["nothing says how it is played", "`main.py`"][..]),
        (20, &["build", "two"], &["Python (`bot.py`)", "JavaScript (`bot.js`)", "language = \""]),
        (1, &["build", "bad.zip"], &["no zip archive", "hint"]),
        (1, &["match", "planet-wars", "bot.tar.xz", "@random"], &["not supported", "`.tar.gz`"]),
        (1, &["build", "bot.tar.xz"], &["this kind of archive is not supported", "`.tar.gz`"]),
        (1, &["build", "bot.txt"], &["neither a folder nor an archive", "`.zip`"]),
        (1, &["build", "nowhere"], &["does not exist", "`.zip`"]),
        (2, &["build"], &["DIR|ARCHIVE"]),
    ] {
        let done = run(&place, args);
        assert_eq!((done.code, done.out.as_str()), (code, ""), "{done:?}");
        for text in said {
            assert!(done.err.contains(text), "{args:?}: `{text}` is not in {}", done.err);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_home_is_no_bot() {
    let place = Place::new();
    bot(&place, "home", &[("bot.py", "input()\n"), (".ssh/id_rsa", "a secret\n")]);
    let home = place.path("home").canonicalize().expect("it is there");
    for args in [&["match", "grid", ".", "@random"][..], &["check", "grid", "."], &["build", "."]] {
        let mut command = place.command(args);
        command.current_dir(&home).env("HOME", &home).env("XDG_CACHE_HOME", place.path("cache"));
        let done = Done::from(command.output().expect("agon can be started"));
        assert!(done.code == 1 && done.out.is_empty(), "{done:?}");
        assert!(done.err.contains("the bot: `.` is a home folder: the bot could read everything in it"), "{done:?}");
    }
    assert!(!place.path("cache").exists(), "nothing of it was copied");
}

#[test]
fn the_restricted_level_builds_as_well() {
    if !sandboxed() || !installed(&["gcc"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "bot", &[("bot.c", PASSES)]);
    let done = run(&place, &["build", "bot", "--sandbox", "restricted"]);
    if done.code == 40 {
        return eprintln!("SKIPPED: the level `restricted` does not work here: {}", done.err);
    }
    assert!(done.code == 0 && done.err.contains("in a sandbox (restricted)"), "{done:?}");
    let args = ["match", "planet-wars", "bot", "@random", "--seed", "1", "--sandbox", "restricted", "--format", "json"];
    let played = json(&run(&place, &args));
    assert!(played["seats"][0]["fault"].is_null() && played["isolation"] == "restricted", "{played:#}");
}

#[test]
fn quiet_builds_say_nothing_unless_they_fail() {
    if !sandboxed() || !installed(&["gcc"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "bot", &[("bot.c", PASSES)]);
    for _ in 0..2 {
        let done = run(&place, &["build", "bot", "--quiet"]);
        assert!(done.code == 0 && done.err.is_empty() && done.out.contains("language  C"), "{done:?}");
    }
    bot(&place, "bot", &[("bot.c", "int main(void) { return x; }\n")]);
    let done = run(&place, &["build", "bot", "--quiet"]);
    assert!(done.code == 20 && done.err.contains("bot.c:1"), "the log is part of the error: {done:?}");
}

#[test]
fn an_interrupted_build_leaves_nothing() {
    if !sandboxed() || !installed(&["sh", "sleep"]) {
        return;
    }
    let commands: [&[&str]; 4] = [
        &["build", "bot"],
        &["match", "planet-wars", "bot", "@random"],
        &["check", "planet-wars", "bot"],
        &["replay", "ask", "r.jsonl", "--ply", "1", "--seat", "1", "bot"],
    ];
    for args in commands {
        let place = Place::new();
        place.run(&["match", "planet-wars", "@random", "@random", "--replay", "r.jsonl"]);
        let manifest = "build = [\"sh\", \"-c\", \"sleep 555\"]\nrun = [\"./x\"]\n";
        bot(&place, "bot", &[("agon.toml", manifest)]);
        let cache = place.path("cache");
        let mut command = place.command(args);
        let mut child =
            command.env("XDG_CACHE_HOME", &cache).stderr(Stdio::null()).spawn().expect("agon can be started");
        let parts = || fs::read_dir(cache.join("agon/bots")).map_or(0, Iterator::count);
        let until = Instant::now() + Duration::from_secs(60);
        while parts() == 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
        let status = child.wait().expect("it is ours");
        assert_eq!(status.code(), Some(130), "{args:?}: {status}");
        assert_eq!(parts(), 0, "{args:?}");
    }
}

#[test]
fn without_a_sandbox_it_must_be_said() {
    if !installed(&["gcc"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "bot", &[("bot.c", PASSES)]);
    let done = run(&place, &["build", "bot", "--sandbox", "none"]);
    assert!(done.code == 0 && done.err.contains("WITHOUT a sandbox"), "{done:?}");
    // A result that was built without a sandbox must not count as one that was built inside.
    let contained = run(&place, &["build", "bot"]);
    assert!(!sandboxed() || contained.out.contains("(built in "), "{contained:?}");
}
