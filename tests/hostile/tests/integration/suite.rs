//! Runs the suite of hostile bots like a user: at both levels of isolation, without isolation, and again as a user
//! other than root.

use crate::{HOST, assert_valid, users::User};
use serde_json::Value;
use std::{
    fs,
    process::{Command, Stdio},
};

impl User {
    fn hostile(&self, level: &str) -> Command {
        self.command(&["hostile", "--level", level, "--format", "json"])
    }

    /// Runs the suite at a level. Returns `None` and prints a message if the level does not work here. In CI, that is a
    /// failure.
    fn suite(&self, level: &str) -> Option<Value> {
        let output = self.hostile(level).output().expect("it can be started");
        let err = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(40) {
            assert!(std::env::var_os("CI").is_none(), "{err}");
            eprintln!("SKIPPED: {err}");
            return None;
        }
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {err}"));
        assert_valid("selftest-hostile", &report);
        Some(report)
    }

    /// Returns whether a row was not run because a compiler is missing, and prints a message. In CI that is a failure,
    /// except for a user who cannot reach the compilers of the user who runs the tests.
    fn lacks_tool(&self, row: &Value) -> bool {
        let lacks = !row["missing_tool"].is_null();
        if lacks {
            eprintln!("SKIPPED: {}: {} is not installed", row["name"], row["missing_tool"]);
        }
        lacks && (self.id.is_some() || std::env::var_os("CI").is_none())
    }

    /// Returns every row that differs from its model at a level, and the number of rows.
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

/// Returns whether `level` contains a kind that needs the level `needs`.
fn contained(needs: &Value, level: &str) -> bool {
    let strength = |name: &str| ["none", "restricted", "full"].iter().position(|known| *known == name);
    strength(needs.as_str().unwrap_or_default()) <= strength(level)
}

/// This is one test, because rows that measure memory or fill disks must not run at the same time as another suite.
#[test]
fn every_row_is_as_modelled_at_every_level_for_everybody() {
    let _others = HOST.read().unwrap_or_else(|e| e.into_inner());
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
    let _others = HOST.read().unwrap_or_else(|e| e.into_inner());
    let output = User::us().hostile("none").args(["--only", "fork-bomb", "mute"]).output().expect("it can be started");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!((&report["passed"], &report["failed"], &report["not_run"]), (&1.into(), &0.into(), &1.into()));
    assert_eq!(report["rows"][0]["seen"], "not run: needs restricted");
    assert_eq!(output.status.code(), Some(0));
}

/// Three bombs must not affect a match that is played at the same time.
#[test]
fn bombs_disturb_no_match_beside_them() {
    let _others = HOST.read().unwrap_or_else(|e| e.into_inner());
    let us = User::us();
    let mut bombs = Command::new(&us.program);
    bombs.args(["hostile", "--only", "fork-bomb", "malloc-bomb", "tmp-fill", "thread-bomb", "--format", "json"]);
    let bombs =
        bombs.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started");
    let bot = format!("'{}' agon bot grid greedy", us.program.display());
    let output = Command::new(&us.program)
        .args(["agon", "match", "grid", &bot, &bot, "--seed", "1", "--time", "move=20s", "--format", "json"])
        .stdin(Stdio::null())
        .output()
        .expect("it can be started");
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    let seats = told["seats"].as_array().expect("seats");
    assert!(seats.len() == 2 && seats.iter().all(|seat| seat["fault"].is_null()), "{told}");
    let bombs = bombs.wait_with_output().expect("it was started");
    let report: Value = serde_json::from_slice(&bombs.stdout).expect("a document");
    assert_eq!(report["failed"], 0, "{report}");
}
