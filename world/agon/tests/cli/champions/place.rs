//! A folder for champions, and what they play in it.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// A clock for busy machines.
pub const LONG: &str = "greeting=60s,move=20s";

/// A folder that is removed at the end. All tests share the cache of built champions.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("champions-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder for tests can be written to");
        Self(path)
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("agon can be started")
    }

    /// Returns the command that runs Agon here, without the variables that choose compilers and interpreters.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        for name in ["CC", "CXX", "PYTHON", "AGON_CHAMPION_LIBRARY"] {
            command.env_remove(name);
        }
        command
    }

    /// Writes files into a folder, which is made.
    pub fn write(&self, folder: &str, files: &[(&str, &str)]) {
        let folder = self.0.join(folder);
        fs::create_dir_all(&folder).expect("the folder for tests can be written to");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("the folder for tests can be written to");
        }
    }

    /// Plays a match on a map with three portals near the start of seat 1. The limits of time are long enough for a busy machine.
    pub fn play(&self, rounds: &str, bots: [&str; 2]) -> Value {
        self.play_in(LONG, rounds, bots)
    }

    /// Plays such a match with this clock.
    pub fn play_in(&self, time: &str, rounds: &str, bots: [&str; 2]) -> Value {
        let map = fixtures().join("field.map").display().to_string();
        played(self.match_of(time, bots).args(["--map", &map, "--rounds", rounds])).0
    }

    /// Returns the command that plays a match with this clock, a replay and a transcript.
    pub fn match_of(&self, time: &str, bots: [&str; 2]) -> Command {
        let mut command = self.command(&["match", "portals", "--seed", "7", "--format", "json", "--time", time]);
        command.args(["--replay", "replay.jsonl", "--transcript", "transcript.jsonl"]).args(bots);
        command
    }

    /// Returns the orders of every turn in the replay, for the player whose turn it was. They are empty if the player
    /// gave none.
    pub fn orders(&self) -> Vec<Vec<Value>> {
        let text = fs::read_to_string(self.0.join("replay.jsonl")).expect("the replay is there");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is a document"));
        let turns = lines.filter(|line| line["ply"].is_number() && line["entries"].is_array());
        turns.map(|turn| turn["entries"][0]["orders"].as_array().cloned().unwrap_or_default()).collect()
    }

    /// Returns everything that a seat wrote to a stream.
    pub fn said(&self, seat: u64, stream: &str) -> String {
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

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/champions")
}

pub fn fixture(name: &str) -> String {
    format!("champion:{}", fixtures().join(name).display())
}

pub fn kit(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/portals").join(format!("champion-{language}"))
}

/// Returns whether all of these programs can be run. Prints a message if one is missing.
pub fn have(tools: &[&str]) -> bool {
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

/// Plays a match to its end. Returns the document, and what is on stderr.
pub fn played(command: &mut Command) -> (Value, String) {
    let output = command.output().expect("agon can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (serde_json::from_slice(&output.stdout).expect("it is one document"), said)
}

/// Returns the fault of seat 1 in a document.
pub fn fault(result: &Value) -> (&str, &str) {
    let fault = &result["seats"][0]["fault"];
    (fault["kind"].as_str().unwrap_or("none"), fault["text"].as_str().unwrap_or("none"))
}

/// Plays a champion against a built-in bot. Returns the document, and the orders of both.
pub fn against_random(champion: &str) -> (Value, Vec<Vec<Value>>) {
    let place = Place::new();
    let (result, _) = played(&mut place.match_of(LONG, [champion, "@random"]));
    assert_eq!(fault(&result).0, "none", "{result}");
    let orders = place.orders();
    (result, orders)
}
