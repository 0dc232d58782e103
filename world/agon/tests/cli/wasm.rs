//! Tests bots in WASM in matches. The number of instructions decides, and it is the same every time.

use crate::agon::{Done, Place};
use serde_json::Value;
use std::thread;

/// Plays Grid: reads lines until one with a single full stop, runs `THINK`, and answers with no orders.
const GRID: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (data (i32.const 32) ".\n")
    (global $turn (mut i32) (i32.const 0))
    (func $hear (result i32)
        (i32.store (i32.const 0) (i32.const 1024))
        (i32.store (i32.const 4) (i32.const 1000))
        (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
        (i32.load (i32.const 8)))
    (func $say
        (i32.store (i32.const 0) (i32.const 32))
        (i32.store (i32.const 4) (i32.const 2))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
    (func $burn (param $rounds i32)
        (loop $more
            (local.set $rounds (i32.sub (local.get $rounds) (i32.const 1)))
            (br_if $more (i32.gt_s (local.get $rounds) (i32.const 0)))))
    (func $deep (param i64) (result i64) (i64.add (call $deep (local.get 0)) (i64.const 1)))
    (func (export "_start") (local $size i32)
        (loop $more
            (if (i32.eqz (local.tee $size (call $hear))) (then (return)))
            (if (i32.and (i32.eq (local.get $size) (i32.const 2))
                         (i32.eq (i32.load8_u (i32.const 1024)) (i32.const 46)))
                (then
                    (global.set $turn (i32.add (global.get $turn) (i32.const 1)))
                    THINK
                    (call $say)))
            (br $more))))"#;

/// Runs a thousand more loops in every turn.
const THINKER: &str = "(call $burn (i32.mul (global.get $turn) (i32.const 1000)))";

struct Ground(Place);

impl Ground {
    fn new() -> Self {
        Self(Place::new())
    }

    /// Writes a bot for Grid with this code in place of `THINK`.
    fn bot(&self, think: &str) {
        let bytes = wat::parse_str(GRID.replace("THINK", think)).unwrap_or_else(|why| panic!("{why}"));
        self.0.write("bot.wasm", bytes);
    }

    fn run(&self, more: &[&str]) -> Done {
        let args = ["match", "grid", "bot.wasm", "@random", "--map", "gen:10x10", "--seed", "5", "--format", "json"];
        let mut command = self.0.command(&[&args[..], more].concat());
        command.env("XDG_CACHE_HOME", self.0.path("cache"));
        Done::from(command.output().expect("agon can be started"))
    }

    fn json(&self, more: &[&str]) -> Value {
        let done = self.run(more);
        assert_eq!(done.code, 0, "{done:?}");
        serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}", done.out))
    }

    /// Returns the fault of the bot.
    fn fault(&self, more: &[&str]) -> Value {
        self.json(more)["seats"][0]["fault"].clone()
    }
}

#[test]
fn a_module_plays_a_match_to_its_end() {
    let ground = Ground::new();
    ground.bot("");
    let document = ground.json(&["--rounds", "30", "--replay", "r.jsonl"]);
    assert_eq!((&document["seats"][0]["name"], &document["seats"][0]["kind"]), (&"bot".into(), &"wasm".into()));
    let hash = |document: &Value| document["seats"][0]["hash"].as_str().expect("a hash").to_owned();
    assert!(hash(&document).starts_with("sha256:"), "{document:#}");
    assert_eq!((&document["seats"][0]["fault"], &document["plies"]), (&Value::Null, &30.into()));
    let header: Value = serde_json::from_str(ground.0.read("r.jsonl").lines().next().expect("a header")).expect("JSON");
    assert_eq!((&header["limits"]["fuel"], &header["limits"]["memory_mib"]), (&"1G".into(), &400.into()));
    let clock = header["seats"][0]["clock"].as_str().expect("a clock of its own");
    assert!(clock.contains("move=60s"), "time shall not decide: {clock}");
    assert_eq!(ground.0.json(&["replay", "verify", "r.jsonl", "--format", "json"])["reproduces"], true);
    // Another module is another bot.
    ground.bot(THINKER);
    assert_ne!(hash(&ground.json(&["--rounds", "2"])), hash(&document));
    // Without a module there are no instructions to report.
    ground.0.run(&["match", "grid", "@random", "@random", "--rounds", "2", "--replay", "plain.jsonl"]);
    assert!(!ground.0.read("plain.jsonl").contains("fuel"));
}

#[test]
fn instructions_run_out_at_the_same_turn_every_time_and_on_a_busy_machine() {
    let ground = Ground::new();
    ground.bot(THINKER);
    let fault = |more: &[&str]| ground.fault(&[&["--fuel", "100k", "--rounds", "60"], more].concat());
    let first = fault(&[]);
    assert_eq!(first["kind"], "crashed", "{first}");
    assert!(first["ply"].as_u64().is_some_and(|ply| ply > 5), "{first}");
    assert_eq!(first["text"], "stopped: used up its 100k instructions of a turn");
    thread::scope(|scope| {
        let matches: Vec<_> = (0..8).map(|_| scope.spawn(|| fault(&[]))).collect();
        for played in matches {
            assert_eq!(played.join().expect("it plays"), first);
        }
    });
    assert_eq!(fault(&["--sandbox", "none"]), first);
    // The replay contains the number too.
    fault(&["--replay", "r.jsonl"]);
    assert!(ground.0.read("r.jsonl").contains("used up its 100k instructions of a turn"));
    // A larger budget lasts longer.
    let longer = ground.fault(&["--fuel", "200k", "--rounds", "60"]);
    assert!(longer["ply"].as_u64() > first["ply"].as_u64(), "{longer}");
}

#[test]
fn every_end_of_a_module_has_its_words() {
    let ground = Ground::new();
    for (think, kind, said) in [
        ("unreachable", "crashed", "stopped: trapped: wasm `unreachable` instruction executed"),
        ("(loop $ever (br $ever))", "crashed", "used up its 10M instructions of the start"),
        ("(drop (call $deep (i64.const 0)))", "crashed", "call stack exhausted"),
        (
            "(loop $ever (br_if $ever (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable",
            "crashed",
            "it had been refused memory beyond 64 MiB",
        ),
        ("(call $exit (i32.const 3))", "crashed", "crashed: exit code 3"),
        // No line of the protocol is so long.
        (
            "(i32.store (i32.const 0) (i32.const 4096)) (i32.store (i32.const 4) (i32.const 60000))
            (loop $ever (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br $ever))",
            "nonsense",
            "longer than 4096 bytes",
        ),
        ("(loop $ever (br_if $ever (call $hear)))", "late", "no complete answer within 1s"),
    ] {
        ground.bot(think);
        let mut limits = vec!["--fuel", "1M,start=10M", "--memory", "64"];
        if think.contains("$deep") {
            limits[1] = "1G";
        }
        if kind == "late" {
            limits.extend(["--seat", "1:time=off,move=1s"]);
        }
        let fault = ground.fault(&limits);
        assert_eq!(fault["kind"], kind, "{think}: {fault}");
        assert_eq!(fault["ply"], 1, "{think}: {fault}");
        assert!(fault["text"].as_str().unwrap_or_default().contains(said), "{think}: {fault}");
    }
}

#[test]
fn memory_is_the_module_s_own() {
    // The bot uses its whole limit, in addition to the memory of its host.
    let ground = Ground::new();
    ground.bot(
        "(drop (memory.grow (i32.const 1023)))
        (memory.fill (i32.const 65536) (i32.const 7) (i32.const 67043328))",
    );
    let fault = ground.fault(&["--rounds", "3", "--memory", "64"]);
    assert_eq!(fault, Value::Null);
}

#[test]
fn a_file_that_is_no_module_is_refused_before_anybody_plays() {
    let ground = Ground::new();
    for (bytes, said) in [
        (&b"#!/bin/sh\n"[..], "not a WASM module"),
        (b"\0asm\x0d\0\x01\0", "a component, not a module"),
        (b"\0asm\x01\0\0\0\x01\x7f", "cannot be compiled"),
    ] {
        ground.0.write("bot.wasm", bytes);
        let done = ground.run(&[]);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
        assert!(done.err.contains(said) && done.err.contains("hint: build it for `wasm32-wasip1`"), "{done:?}");
    }
    let done = ground.run(&["--fuel", "much"]);
    assert!(done.code == 2 && done.err.contains("is not a number of instructions"), "{done:?}");
}

#[test]
fn a_module_is_compiled_once_into_a_folder_that_only_its_user_writes_to() {
    use std::os::unix::fs::PermissionsExt;
    let ground = Ground::new();
    ground.bot("");
    let compiled = || -> Vec<_> {
        let files = std::fs::read_dir(ground.0.path("cache/agon/wasm")).expect("the folder is there");
        files
            .map(|file| file.expect("a file"))
            .map(|file| (file.path(), file.metadata().expect("it is there").modified().ok()))
            .collect()
    };
    ground.json(&["--rounds", "2"]);
    let first = compiled();
    assert_eq!(first.len(), 1);
    ground.json(&["--rounds", "2"]);
    assert_eq!(compiled(), first);
    let folder = ground.0.path("cache/agon/wasm");
    let about = std::fs::metadata(&folder).expect("it is there").permissions();
    assert_eq!(about.mode() & 0o022, 0);
    // Whoever may write into the folder could have put anything there.
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
    let done = ground.run(&["--rounds", "2"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("other users could write to") && compiled() != first, "{}", done.err);
    let about = std::fs::metadata(&folder).expect("it is there").permissions();
    assert_eq!(about.mode() & 0o022, 0);
    // The same holds for each module.
    let second = compiled();
    std::fs::set_permissions(&second[0].0, std::fs::Permissions::from_mode(0o666)).expect("it is ours");
    let done = ground.run(&["--rounds", "2"]);
    assert!(done.code == 0 && done.err.contains("others could write to"), "{done:?}");
    assert!(compiled() != second);
    assert!(!ground.run(&["--rounds", "2"]).err.contains("warning"));
}

#[test]
fn a_recorded_position_can_be_asked_again() {
    let ground = Ground::new();
    ground.bot(THINKER);
    ground.json(&["--rounds", "5", "--replay", "r.jsonl"]);
    let args = ["replay", "ask", "r.jsonl", "bot.wasm", "--ply", "3", "--seat", "1", "--format", "json"];
    let mut command = ground.0.command(&args);
    command.env("XDG_CACHE_HOME", ground.0.path("cache"));
    let done = Done::from(command.output().expect("agon can be started"));
    assert_eq!(done.code, 0, "{done:?}");
    let document: Value = serde_json::from_str(&done.out).expect("one document");
    assert_eq!(document["now"]["said"], ".\n");
}
