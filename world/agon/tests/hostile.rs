//! The suite of hostile bots, as a user runs it: at both levels of isolation, without any, and once more as somebody
//! who is not root.

use serde_json::Value;
use std::{
    ffi::OsString,
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A user that is nobody on any machine.
const NOBODY: u32 = 54_321;

/// The programs and a place for files, as one user has them.
struct User {
    program: PathBuf,
    temporary: PathBuf,
    id: Option<u32>,
}

impl User {
    /// Whoever runs the tests.
    fn us() -> Self {
        Self { program: env!("CARGO_BIN_EXE_agon").into(), temporary: std::env::temp_dir(), id: None }
    }

    /// Somebody without any rights, if we may become one. What belongs to us may be out of reach for them, so that they
    /// get copies of the programs and a folder of their own.
    fn nobody(folder: &Path) -> Option<Self> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("the folder for temporary files can be written to");
        if std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).is_err() {
            return None;
        }
        for (name, program) in
            [("agon", env!("CARGO_BIN_EXE_agon")), ("agon-selftest", env!("CARGO_BIN_EXE_agon-selftest"))]
        {
            let copy = folder.join(name);
            fs::copy(program, &copy).expect("there is room for a copy");
            fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        Some(Self { program: folder.join("agon"), temporary: folder.to_owned(), id: Some(NOBODY) })
    }

    fn command(&self, level: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["selftest", "hostile", "--level", level, "--format", "json"]);
        command.stdin(Stdio::null()).current_dir(&self.temporary).env("TMPDIR", &self.temporary);
        // Something that must not be seen inside.
        command.env("AGON_TEST_SECRET", OsString::from("a secret"));
        if let Some(id) = self.id {
            command.uid(id).gid(id);
        }
        command
    }

    /// Runs the suite at a level. `None` if the level does not work here, which is said, and a failure in CI.
    fn suite(&self, level: &str) -> Option<Value> {
        let output = self.command(level).output().expect("agon can be started");
        let err = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(40) {
            assert!(std::env::var_os("CI").is_none(), "{err}");
            eprintln!("SKIPPED: {err}");
            return None;
        }
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {err}"));
        Some(report)
    }

    /// Whether a row was not run for want of a compiler. That is said, and a failure in CI, but for somebody who cannot
    /// reach those of the one who runs the tests.
    fn lacks_tool(&self, row: &Value) -> bool {
        let seen = row["seen"].as_str().unwrap_or_default();
        let lacks = seen.ends_with("which is not installed");
        if lacks {
            eprintln!("SKIPPED: {}: {seen}", row["name"]);
        }
        lacks && (self.id.is_some() || std::env::var_os("CI").is_none())
    }

    /// Everything that is not as modelled at a level; and how many rows are.
    fn wrong(&self, level: &str) -> Option<(Vec<String>, u64)> {
        let report = self.suite(level)?;
        let rows = report["rows"].as_array().expect("rows");
        assert!(rows.len() >= 90, "{} rows", rows.len());
        let wrong = |row: &&Value| match &row["ok"] {
            Value::Null => contained(&row["level"], level) && !self.lacks_tool(row),
            ok => *ok == false,
        };
        let told = rows.iter().filter(wrong).map(|row| format!("{level} as {:?}: {row}", self.id)).collect();
        Some((told, report["passed"].as_u64().expect("a number")))
    }
}

/// Whether what needs one level is contained by another.
fn contained(needs: &Value, level: &str) -> bool {
    let strength = |name: &str| ["none", "restricted", "full"].iter().position(|known| *known == name);
    strength(needs.as_str().unwrap_or_default()) <= strength(level)
}

/// One test, because rows that weigh memory or fill disks must not be played beside another suite.
#[test]
fn every_row_is_as_modelled_at_every_level_for_everybody() {
    let folder = std::env::temp_dir().join(format!("agon-nobody-{}", std::process::id()));
    let users = [Some(User::us()), User::nobody(&folder)];
    let mut wrong = Vec::new();
    for user in users.iter().flatten() {
        for level in ["none", "restricted", "full"] {
            let Some((told, passed)) = user.wrong(level) else { continue };
            println!("{level} as {:?}: {passed} as modelled", user.id);
            assert!(passed >= 60, "{level}: {passed}");
            wrong.extend(told);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_kind_that_nothing_contains_is_not_run() {
    let output =
        User::us().command("none").args(["--only", "fork-bomb", "mute"]).output().expect("agon can be started");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!((&report["passed"], &report["failed"], &report["not_run"]), (&1.into(), &0.into(), &1.into()));
    assert_eq!(report["rows"][0]["seen"], "not run: needs restricted");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn kinds_are_listed_and_unknown_ones_refused() {
    let run = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(["selftest", "hostile"])
            .args(args)
            .output()
            .expect("it can be started")
    };
    let list = run(&["--list", "--format", "json"]);
    let kinds: Value = serde_json::from_slice(&list.stdout).expect("a document");
    assert!(kinds.as_array().is_some_and(|kinds| kinds.len() >= 90 || !cfg!(target_os = "linux")));
    let former = run(&["--only", "stderr-pricks", "--list", "--format", "json"]);
    let kinds: Value = serde_json::from_slice(&former.stdout).expect("a document");
    assert_eq!(kinds[0]["name"], "stderr-single-bytes", "a former name is an alias");
    let unknown = run(&["--only", "no-such-kind"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("--list"));
}

/// What three bombs do to a match that is played beside them: nothing.
#[test]
fn bombs_disturb_no_match_beside_them() {
    let us = User::us();
    let mut bombs = Command::new(&us.program);
    bombs.args([
        "selftest",
        "hostile",
        "--only",
        "fork-bomb",
        "malloc-bomb",
        "tmp-fill",
        "thread-bomb",
        "--format",
        "json",
    ]);
    let bombs =
        bombs.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started");
    let bot = format!("'{}' bot grid greedy", us.program.display());
    let output = Command::new(&us.program)
        .args(["match", "grid", &bot, &bot, "--seed", "1", "--time", "move=20s", "--format", "json"])
        .stdin(Stdio::null())
        .output()
        .expect("agon can be started");
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    let seats = told["seats"].as_array().expect("seats");
    assert!(seats.len() == 2 && seats.iter().all(|seat| seat["fault"].is_null()), "{told}");
    let bombs = bombs.wait_with_output().expect("it was started");
    let report: Value = serde_json::from_slice(&bombs.stdout).expect("a document");
    assert_eq!(report["failed"], 0, "{report}");
}
