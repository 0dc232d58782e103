//! Tests champions of Prologin 2015 in matches of real processes: those of the starter kits, and some that misbehave.
//!
//! On a machine without a compiler or an interpreter, the tests that need it are left out and say so. In CI, where `CI`
//! is set, this is a failure.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder that is removed at the end. All tests share the cache of built champions.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("champions-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder for tests can be written to");
        Self(path)
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        for name in ["CC", "CXX", "PYTHON", "AGON_CHAMPION_LIBRARY"] {
            command.env_remove(name);
        }
        command.output().expect("agon can be started")
    }

    /// Plays a match on a map with three portals near the start of seat 1. The limit for the greeting is long enough
    /// for a busy machine.
    fn play(&self, rounds: &str, bots: [&str; 2]) -> Value {
        let map = fixtures().join("field.map").display().to_string();
        let mut args = vec!["match", "portals", "--seed", "7", "--map", &map, "--rounds", rounds, "--format", "json"];
        args.extend([
            "--time",
            "greeting=60s,move=20s",
            "--replay",
            "replay.jsonl",
            "--transcript",
            "transcript.jsonl",
        ]);
        args.extend(bots);
        let output = self.run(&args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("it is one document")
    }

    /// Returns the orders of every turn in the replay, for the player whose turn it was. They are empty if the player
    /// gave none.
    fn orders(&self) -> Vec<Vec<Value>> {
        let text = fs::read_to_string(self.0.join("replay.jsonl")).expect("the replay is there");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is a document"));
        let turns = lines.filter(|line| line["ply"].is_number() && line["entries"].is_array());
        turns.map(|turn| turn["entries"][0]["orders"].as_array().cloned().unwrap_or_default()).collect()
    }

    /// Returns everything that a seat wrote to a stream.
    fn said(&self, seat: u64, stream: &str) -> String {
        let text = fs::read_to_string(self.0.join("transcript.jsonl")).expect("the transcript is there");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is a document"));
        let chunks = lines.filter(|line| line["seat"] == seat && line["stream"] == stream);
        chunks.map(|chunk| chunk["bytes"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/champions")
}

fn fixture(name: &str) -> String {
    format!("champion:{}", fixtures().join(name).display())
}

fn kit(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/portals").join(format!("champion-{language}"))
}

/// Returns whether all of these programs can be run. Prints a message if one is missing.
fn have(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| {
        let run = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        !run.is_ok_and(|status| status.success())
    });
    if let Some(tool) = missing {
        assert!(std::env::var_os("CI").is_none(), "there is no `{tool}`, which this test needs");
        eprintln!("SKIPPED: there is no `{tool}`, which this test needs");
    }
    missing.is_none()
}

/// Returns the fault of seat 1 in a document.
fn fault(result: &Value) -> (&str, &str) {
    let fault = &result["seats"][0]["fault"];
    (fault["kind"].as_str().unwrap_or("none"), fault["text"].as_str().unwrap_or("none"))
}

/// Plays a champion against a built-in bot. Returns the document, and the orders of both.
fn against_random(champion: &str) -> (Value, Vec<Vec<Value>>) {
    let place = Place::new();
    let args = ["match", "portals", champion, "@random", "--seed", "7", "--format", "json"];
    let more = ["--replay", "replay.jsonl", "--time", "greeting=60s,move=20s"];
    let output = place.run(&[&args[..], &more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("it is one document");
    assert_eq!(fault(&result).0, "none", "{result}");
    let orders = place.orders();
    (result, orders)
}

#[test]
fn a_champion_in_ocaml_plays_like_the_kits() {
    if !have(&["gcc", "g++", "ocamlopt"]) {
        return;
    }
    let (result, orders) = against_random(&fixture("ocaml"));
    assert_eq!(result["seats"][0]["kind"], "champion");
    assert_eq!(orders, against_random(&format!("champion:{}", kit("c").display())).1);
}

/// No makefile gives the order, and that of the alphabet is wrong.
#[test]
fn modules_of_ocaml_are_compiled_in_the_order_of_their_needs() {
    if !have(&["gcc", "g++", "ocamlopt"]) {
        return;
    }
    let place = Place::new();
    let folder = place.0.join("mine");
    fs::create_dir(&folder).expect("the folder for tests can be written to");
    for entry in fs::read_dir(fixtures().join("ocaml")).expect("it is there").flatten() {
        if entry.file_name() != "Makefile" {
            fs::copy(entry.path(), folder.join(entry.file_name())).expect("it can be copied");
        }
    }
    for (name, text) in
        [("aaa.ml", "let two = Last.one + 1\n"), ("last.ml", "let one = 1\n"), ("last.mli", "val one : int\n")]
    {
        fs::write(folder.join(name), text).expect("the folder for tests can be written to");
    }
    let main = folder.join("prologin.ml");
    let text = fs::read_to_string(&main).expect("it is there");
    fs::write(&main, format!("{text}\nlet _ = Aaa.two\n")).expect("the folder for tests can be written to");
    let played = place.play("4", ["champion:mine", "@random"]);
    assert!(played["seats"][0]["fault"].is_null(), "{played:#}");
    fs::write(folder.join("last.ml"), "let one = Aaa.two\n").expect("the folder for tests can be written to");
    let output = place.run(&["champion", "build", "mine"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.to_lowercase().contains("cycl"), "{said}");
}

#[test]
fn the_kits_play_alike_in_all_three_languages() {
    if !have(&["gcc", "g++", "python3"]) {
        return;
    }
    let (mut played, mut hashes) = (Vec::new(), std::collections::BTreeSet::new());
    for language in ["c", "cpp", "python"] {
        let champion = format!("champion:{}", kit(language).display());
        let (result, orders) = against_random(&champion);
        assert_eq!(result["seats"][0]["name"], format!("champion-{language}"));
        assert_eq!(result["seats"][0]["kind"], "champion");
        hashes.insert(result["seats"][0]["hash"].as_str().expect("a hash").to_owned());
        assert_eq!(result["seats"][0]["place"], 1);
        played.push((result["seats"][0]["score"].clone(), orders));
    }
    assert_eq!(hashes.len(), 3, "other sources are another bot: {hashes:?}");
    assert!(played[0].1.iter().flatten().count() > 500);
    assert!(played.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn both_flavours_of_headers_give_the_same_orders() {
    if !have(&["gcc", "g++"]) {
        return;
    }
    for (language, main, edits) in [
        ("c", ["prologin.c", "champion.c"], [("prologin.h", "api.h"), (".datas", ".items")]),
        ("cpp", ["prologin.cc", "champion.cc"], [("prologin.hh", "api.hh"), ("\nvoid ", "\nextern \"C\" void ")]),
    ] {
        let place = Place::new();
        let mut text = fs::read_to_string(kit(language).join(main[0])).expect("the kit is there");
        for (old, new) in edits {
            assert!(text.contains(old), "{old}");
            text = text.replace(old, new);
        }
        fs::create_dir(place.0.join("of-2020")).expect("the folder for tests can be written to");
        fs::write(place.0.join("of-2020").join(main[1]), text).expect("the folder for tests can be written to");
        let of_2015 = place.play("20", [&format!("champion:{}", kit(language).display()), "@random"]);
        let orders = place.orders();
        let of_2020 = place.play("20", ["champion:of-2020", "@random"]);
        assert_eq!((fault(&of_2015).0, fault(&of_2020).0), ("none", "none"));
        assert_eq!(of_2015["seats"][0]["score"], of_2020["seats"][0]["score"]);
        assert!(orders == place.orders() && orders.iter().flatten().count() > 50);
    }
}

#[test]
fn a_library_is_played_like_its_sources_and_against_itself() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let sources = kit("cpp").display().to_string();
    let output = place.run(&["champion", "build", &sources, "--out", "mine.so"]);
    assert!(output.status.success() && output.stdout == b"mine.so\n", "{output:?}");
    let result = place.play("10", ["champion:mine.so", &format!("champion:{sources}")]);
    assert_eq!(fault(&result).0, "none");
    assert_eq!((&result["seats"][0]["name"], &result["seats"][1]["name"]), (&"mine".into(), &"champion-cpp".into()));
    assert!(result["seats"][1]["fault"].is_null());
}

/// The contest took archives, and nobody writes a prefix for what can be nothing else.
#[test]
fn an_archive_of_the_contest_and_a_folder_without_a_prefix_play() {
    let programs = ["cc", "tar", "gzip"];
    if let Some(missing) = programs.iter().find(|program| Command::new(program).arg("--version").output().is_err()) {
        assert!(std::env::var_os("CI").is_none(), "there is no `{missing}`, which this test needs");
        return eprintln!("SKIPPED: there is no `{missing}`, which this test needs");
    }
    let place = Place::new();
    let folder = kit("c");
    let pack = format!("cp -r {} mine && tar -czf flat.tgz -C mine . && tar -czf deep.tar.gz mine", folder.display());
    let packed = Command::new("sh").args(["-c", &pack]).current_dir(&place.0).status();
    assert!(packed.is_ok_and(|status| status.success()));
    let expected = place.play("6", ["champion:mine", "@random"]);
    for bot in ["champion:flat.tgz", "champion:deep.tar.gz", "mine", "mine/"] {
        let played = place.play("6", [bot, "@random"]);
        assert!(played["seats"][0]["fault"].is_null(), "{bot}: {played:#}");
        assert_eq!(played["seats"][0]["score"], expected["seats"][0]["score"], "{bot}");
        assert_eq!(played["seats"][0]["kind"], "champion", "{bot}");
    }
    // Without the prefix these would be programs that end at once.
    let python = kit("python");
    fs::copy(python.join("prologin.py"), place.0.join("prologin.py")).expect("the folder for tests can be written to");
    for (bot, way_out) in [
        ("flat.tgz", "`champion:flat.tgz`"),
        ("deep.tar.gz", "`champion:deep.tar.gz`"),
        ("python3 prologin.py", "`champion:.`"),
    ] {
        let output = place.run(&["match", "portals", bot, "@random"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(20), "{bot}: {said}");
        assert!(said.contains("is a champion") && said.contains(way_out) && output.stdout.is_empty(), "{bot}: {said}");
    }
}

/// A main file may be longer than any other text that Agon looks at before it plays.
#[test]
fn a_long_champion_needs_no_prefix() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    let folder = place.0.join("long");
    fs::create_dir(&folder).expect("the folder for tests can be written to");
    let text = fs::read_to_string(kit("python").join("prologin.py")).expect("the kit is there");
    fs::write(folder.join("prologin.py"), format!("{}{text}", "# long\n".repeat(12_000))).expect("it can be written");
    let played = place.play("2", ["long", "@random"]);
    assert!(played["seats"][0]["fault"].is_null() && played["seats"][0]["kind"] == "champion", "{played:#}");
}

#[test]
fn the_champions_own_header_wins() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let folder = place.0.join("own");
    fs::create_dir(&folder).expect("the folder for tests can be written to");
    let source = "#include \"prologin.hh\"\nvoid partie_init() {}\nvoid jouer_tour() { prendre(); }\n\
                  void partie_fin() {}\n";
    fs::write(folder.join("prologin.cc"), source).expect("the folder for tests can be written to");
    let output = place.run(&["champion", "build", "own"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{said}");
    // The message must contain the compiler's own words and the place.
    assert!(said.contains("own/prologin.cc:3") && said.contains("prendre"), "{said}");
    // A bot that cannot be built gives no result.
    let played = place.run(&["match", "portals", "champion:own", "@random"]);
    assert!(played.status.code() == Some(20) && played.stdout.is_empty(), "{played:?}");
    let header = "enum erreur { OK };\nextern \"C\" erreur api_capturer();\n\
                  static inline erreur prendre() { return api_capturer(); }\n\
                  extern \"C\" {\nvoid partie_init();\nvoid jouer_tour();\nvoid partie_fin();\n}\n";
    fs::write(folder.join("prologin.hh"), header).expect("the folder for tests can be written to");
    let result = place.play("2", ["champion:own", "@random"]);
    assert_eq!((fault(&result).0, &result["seats"][0]["score"]), ("none", &10.into()));
}

/// A folder of one user's must not decide what is kept for another's with the same sources.
#[test]
fn what_is_kept_cannot_be_poisoned() {
    if !have(&["gcc"]) {
        return;
    }
    const MARK: &[u8] = b"agon-poison-of-a-test";
    let place = Place::new();
    let champion = "#include \"prologin.h\"\nvoid partie_init(void) {}\nvoid jouer_tour(void) {}\n\
                    void partie_fin(void) {}\n";
    let poison = format!(
        "static const char mark[] __attribute__((used)) = \"{}\";\n#include <api.h>\n",
        String::from_utf8_lossy(MARK)
    );
    let folder = |name: &str| {
        let folder = place.0.join(name);
        fs::create_dir(&folder).expect("the folder for tests can be written to");
        fs::write(folder.join("prologin.c"), champion).expect("the folder for tests can be written to");
        folder
    };
    let build = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(["champion", "build", name]).current_dir(&place.0).env("XDG_CACHE_HOME", place.0.join("cache"));
        command.stdin(Stdio::null()).output().expect("agon can be started")
    };
    // It dangles here, and where the compiler works it leads to a header.
    let link = folder("link");
    fs::write(link.join(".h"), &poison).expect("the folder for tests can be written to");
    let inside = format!("/proc/self/cwd/include/../..{}/.h", link.display());
    std::os::unix::fs::symlink(inside, link.join("prologin.h")).expect("links can be made");
    let pipe = folder("pipe");
    let made = Command::new("mkfifo").arg(pipe.join("prologin.h")).status().expect("every system has it");
    assert!(made.success());
    for (name, why) in [("link", "the link `prologin.h` leads"), ("pipe", "`prologin.h` is neither a file")] {
        let output = build(name);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(why), "{name}: {said}");
    }
    // What is hidden counts like every other file.
    let hidden = folder("hidden");
    fs::write(hidden.join("prologin.h"), "#include \".h\"\n").expect("the folder for tests can be written to");
    let marked = |name: &str| {
        let output = build(name);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let library = fs::read(String::from_utf8_lossy(&output.stdout).trim()).expect("it was printed");
        library.windows(MARK.len()).any(|bytes| bytes == MARK)
    };
    fs::write(hidden.join(".h"), &poison).expect("the folder for tests can be written to");
    assert!(marked("hidden"));
    fs::write(hidden.join(".h"), "#include <api.h>\n").expect("the folder for tests can be written to");
    assert!(!marked("hidden"));
    folder("honest");
    assert!(!marked("honest"));
}

#[test]
fn a_crash_is_named_and_its_fields_keep_scoring() {
    if !have(&["gcc"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("9", [&fixture("crash"), "@random"]);
    let (kind, text) = fault(&result);
    assert_eq!(kind, "crashed");
    assert!(text.contains("SIGSEGV"), "{text}");
    assert_eq!(result["seats"][0]["fault"]["ply"], 5);
    // There are three captures, and a field of area 2 in each of nine turns.
    assert_eq!(result["seats"][0]["score"], 30 + 9 * 4);
    let orders = place.orders();
    assert_eq!((orders[0].len(), orders.iter().step_by(2).skip(2).flatten().count()), (8, 0));
    assert!(result["seats"][1]["fault"].is_null());
}

#[test]
fn a_champion_that_does_not_come_back_is_late() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let map = fixtures().join("field.map").display().to_string();
    let args = ["match", "portals", &fixture("hang"), "@random", "--map", &map, "--rounds", "4", "--format", "json"];
    let output = place.run(&[&args[..], &["--time", "greeting=60s,move=1500ms,policy=wall"]].concat());
    let result: Value = serde_json::from_slice(&output.stdout).expect("it is one document");
    assert_eq!((fault(&result).0, &result["seats"][0]["fault"]["ply"]), ("late", &3.into()));
    assert_eq!(result["seats"][0]["score"], 10);
}

#[test]
fn an_exception_of_cpp_ends_the_process_and_is_named() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("throw"), "@random"]);
    assert_eq!(fault(&result).0, "crashed");
    assert!(fault(&result).1.contains("SIGABRT"));
    let said = result["seats"][0]["fault"]["stderr"].as_str().unwrap_or_default();
    assert!(said.contains("std::out_of_range") && said.contains("does not play"), "{said}");
    assert_eq!(result["seats"][0]["score"], 10);
}

#[test]
fn an_exception_of_python_ends_the_turn_and_its_actions_count() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("raise"), "@random"]);
    let log = place.said(1, "err");
    assert_eq!(fault(&result).0, "none", "{log}");
    assert_eq!(result["seats"][0]["score"], 30 + 4 * 4, "{log}");
    for text in
        ["raised in partie_init", "raised in jouer_tour", "LIEN_CHAMP\n", "{ som1={ x=0, y=0 }, som2={ x=0, y=2 }"]
    {
        assert!(log.contains(text), "`{text}` is not in {log}");
    }
    assert!(place.said(1, "out").lines().all(|line| !line.contains("raised")));
}

#[test]
fn what_a_champion_prints_is_its_log() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("print"), "@random"]);
    assert!(fault(&result).1.contains("SIGABRT"));
    assert_eq!(result["seats"][0]["fault"]["ply"], 3);
    assert_eq!(place.said(1, "out"), "ready\nmove 0 1\nend\n");
    let log = place.said(1, "err");
    assert!(log.starts_with("ready\nend\ncapture\n") && log.contains("move 3 3\n"), "{log}");
    assert!(log.ends_with("{ extr1={ x=1, y=2 }, extr2={ x=3, y=-4 }, joueur_l=1 }\nAUCUN_PORTAIL\n"), "{log}");
}

#[test]
fn actions_before_the_first_turn_and_after_the_last_are_refused() {
    if !have(&["gcc"]) {
        return;
    }
    let place = Place::new();
    let result = place.play("4", [&fixture("early"), "@random"]);
    assert_eq!(fault(&result).0, "none");
    assert_eq!(place.said(1, "out"), "ready\nmove 0 1\nend\nmove 0 2\nend\nmove 0 3\nend\nmove 0 4\nend\n");
    assert_eq!(place.said(1, "err"), "round 5, row 4\n");
}

#[test]
fn a_turn_has_room_for_150_000_reads() {
    for (name, tool) in [("many-reads", "g++"), ("many-reads-python", "python3")] {
        if !have(&[tool]) {
            continue;
        }
        let place = Place::new();
        let result = place.play("2", [&fixture(name), "@random"]);
        assert_eq!((fault(&result).0, &result["seats"][0]["score"]), ("none", &10.into()));
        let log = place.said(1, "err");
        assert_eq!(log.matches("150000 reads in ").count(), 2, "{log}");
        eprint!("{name}: {log}");
        assert_eq!(place.said(1, "out"), "ready\ncapture\nend\nend\n");
    }
}

/// `cargo install` installs programs alone, and the sources may be gone.
#[test]
fn a_program_that_is_alone_plays_python() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    let alone = place.0.join("agon");
    fs::copy(env!("CARGO_BIN_EXE_agon"), &alone).expect("the program can be copied");
    let play = || {
        let mut command = Command::new(&alone);
        let champion = format!("champion:{}", kit("python").display());
        command.args(["match", "portals", &champion, "@random", "--rounds", "3", "--format", "json"]);
        command.args(["--time", "greeting=60s,move=20s"]).current_dir(&place.0).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", place.0.join("cache")).env_remove("PYTHON").env_remove("AGON_CHAMPION_LIBRARY");
        let output = command.output().expect("agon can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let result: Value = serde_json::from_slice(&output.stdout).expect("it is one document");
        assert_eq!(fault(&result).0, "none", "{result}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    play();
    let champions = place.0.join("cache/agon/champions");
    let entries = fs::read_dir(&champions).expect("the cache is there").flatten();
    let mut libraries = entries.map(|entry| entry.path().join("bot/libagon_champion.so"));
    let library = libraries.find(|path| path.is_file()).expect("the library is kept");
    // Who can write to the cache can change what is kept there; it is not used.
    fs::write(&library, "changed").expect("the file is ours");
    assert!(play().contains("a bot in the cache is not used"));
}

#[test]
fn a_library_of_another_version_is_refused() {
    if !have(&["gcc", "python3"]) {
        return;
    }
    let place = Place::new();
    let other = place.0.join("other.c");
    fs::write(&other, "const char *agon_champion_version(void) { return \"9.9\"; }\n").expect("it can be written");
    let library = place.0.join("other.so");
    let made = Command::new("gcc").args(["-shared", "-fPIC", "-o"]).args([&library, &other]).status();
    assert!(made.is_ok_and(|status| status.success()), "gcc makes a library");
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.args(["champion", "build"]).arg(kit("python")).env("XDG_CACHE_HOME", place.0.join("cache"));
    let output = command.env("AGON_CHAMPION_LIBRARY", &library).env_remove("PYTHON").output().expect("agon starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("is of Agon 9.9, and this is Agon"), "{said}");
}

#[test]
fn no_help_mentions_the_host() {
    let place = Place::new();
    for args in [&["--help"][..], &["completions", "bash"], &["man"]] {
        let output = place.run(args);
        assert!(output.status.success() && !output.stdout.is_empty());
        assert!(!String::from_utf8_lossy(&output.stdout).contains("champion-host"), "{args:?}");
    }
}

/// Without the compiler, or without the glue of the contest, the message says where to get it.
#[test]
fn what_a_champion_in_ocaml_lacks_is_named() {
    let place = Place::new();
    let bare = place.0.join("bare");
    fs::create_dir(&bare).expect("the folder for tests can be written to");
    fs::write(bare.join("prologin.ml"), "let () = ()\n").expect("the folder for tests can be written to");
    let build = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(["champion", "build"]).arg(folder).env("XDG_CACHE_HOME", place.0.join("cache"));
        let output = command.env("PATH", &place.0).output().expect("agon can be started");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(build(&bare).contains("has no `interface.cc`"));
    let said = build(&fixtures().join("ocaml"));
    assert!(said.contains("there is no compiler `ocamlopt`") && said.contains("apt install ocaml-nox"), "{said}");
}

#[test]
fn what_cannot_be_played_is_refused_before_the_match() {
    let place = Place::new();
    fs::create_dir(place.0.join("empty")).expect("the folder for tests can be written to");
    fs::write(place.0.join("notes.so"), "not a library").expect("the folder for tests can be written to");
    for (args, said) in [
        (&["match", "grid", "champion:empty", "@random"][..], "has no champions"),
        (&["match", "portals", "champion:empty", "@random"], "there is no champion in `empty`"),
        (&["match", "portals", "champion:nowhere", "@random"], "there is no champion `nowhere`"),
        (&["match", "portals", "champion:", "@random"], "names no champion"),
        (&["champion", "build", "nowhere"], "there is no folder `nowhere`"),
    ] {
        let output = place.run(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && error.contains(said) && error.contains("hint"), "{error}");
    }
    if have(&["python3"]) {
        fs::create_dir(place.0.join("typo")).expect("the folder for tests can be written to");
        fs::write(place.0.join("typo/prologin.py"), "def jouer_tour(:\n")
            .expect("the folder for tests can be written to");
        for (code, args) in
            [(20, &["match", "portals", "champion:typo", "@random"][..]), (1, &["champion", "build", "typo"])]
        {
            let output = place.run(args);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(code) && error.contains("SyntaxError"), "{error}");
        }
    }
    for level in ["auto", "none"] {
        let output = place.run(&["match", "portals", "champion:notes.so", "@random", "--sandbox", level]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(20) && output.stdout.is_empty(), "{output:?}");
        let said = ["the champion cannot be loaded: `notes.so`", "file too short", "hint: make it anew"];
        assert!(said.iter().all(|said| error.contains(said)), "{error}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn python_is_not_read_outside() {
    if !have(&["python3"]) {
        return;
    }
    let place = Place::new();
    fs::write(place.0.join("secret.txt"), "the marker of a secret\n").expect("a file");
    for folder in ["nosy", "large"] {
        fs::create_dir(place.0.join(folder)).expect("a folder");
    }
    std::os::unix::fs::symlink("../secret.txt", place.0.join("nosy/prologin.py")).expect("a link");
    // Parsing this file takes about 4 GiB of memory.
    fs::write(place.0.join("large/prologin.py"), "a=b\n".repeat(8 << 20)).expect("a file");
    for folder in ["nosy", "large"] {
        let output = place.run(&["champion", "build", folder]);
        let said = String::from_utf8_lossy(&output.stderr);
        let why = if folder == "nosy" { "leads out of the folder" } else { "cannot be played" };
        assert!(output.status.code() == Some(1) && said.contains(why), "{folder}: {said}");
        assert!(!said.contains("the marker of"), "{said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn sources_cannot_include_what_is_not_the_champions() {
    if !have(&["g++"]) {
        return;
    }
    let place = Place::new();
    let secret = place.0.join("secret.txt");
    fs::write(&secret, "the marker of a secret\n").expect("a file");
    fs::create_dir(place.0.join("nosy")).expect("a folder");
    let source = format!("#include \"prologin.hh\"\n#include \"{}\"\n", secret.display());
    fs::write(place.0.join("nosy/prologin.cc"), source).expect("a file");
    let output = place.run(&["champion", "build", "nosy"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("does not compile"), "{said}");
    assert!(!said.contains("the marker of"), "{said}");
}
