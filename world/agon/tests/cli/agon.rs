//! Runs the program as a user does, in its own folder.

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder that is removed at the end. Commands run in it.
pub struct Place(PathBuf);

/// The result of a command.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("agon-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder for tests can be written to");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), text).expect("the folder for tests can be written to");
        name.to_owned()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file is there")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null());
        // Variables of the user's shell must not change the tests.
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        command.env("PATH", path_with_agon());
        // What an earlier program has left must not change them either.
        command.env("XDG_STATE_HOME", format!("{}/state-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id()));
        command
    }

    pub fn run(&self, args: &[&str]) -> Done {
        Done::from(self.command(args).output().expect("agon can be started"))
    }

    /// Runs a command that must end with code 0 and print one JSON document, which is returned.
    pub fn json(&self, args: &[&str]) -> Value {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{done:?}");
        serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}", done.out))
    }

    /// Runs a command that must end with this code, print nothing on stdout, and print all of these texts on stderr.
    pub fn fails(&self, code: i32, args: &[&str], said: &[&str]) {
        let done = self.run(args);
        assert_eq!(done.code, code, "{args:?}: {done:?}");
        assert_eq!(done.out, "", "{args:?}");
        for text in said {
            assert!(done.err.contains(text), "{args:?}: `{text}` is not in {}", done.err);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("agon prints UTF-8");
        Self { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// Returns the names of all games.
pub fn games() -> Vec<String> {
    let list = Place::new().json(&["games", "--format", "json"]);
    let games = list.as_array().expect("an array");
    games.iter().map(|g| g["name"].as_str().expect("a name").to_owned()).collect()
}

/// Returns a bot in Python as a BOT of the command line. Returns `None` and prints a message without python3. In CI,
/// that is a failure.
pub fn python(code: &str) -> Option<String> {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        assert!(std::env::var_os("CI").is_none(), "there is no `python3`, which this test needs");
        eprintln!("SKIPPED: there is no `python3`, which this test needs");
        return None;
    }
    Some(format!("python3 -c '{code}'"))
}

/// Returns a search path that contains `agon`, because bots of the tests may run `agon bot …`.
pub fn path_with_agon() -> std::ffi::OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_agon")).parent().expect("it lies in a folder").to_owned();
    let old = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&old))).expect("no colons in the path")
}
