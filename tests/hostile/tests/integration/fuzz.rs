//! Lets bots make random system calls inside the sandbox like a user: at both levels, for the user who runs the tests and
//! for one without rights. Without isolation the same check must find what a bot leaves behind.

use crate::{HOST, assert_valid, users::User};
use serde_json::Value;

/// How long each of the four runs takes: a minute altogether in CI.
fn seconds() -> &'static str {
    if std::env::var_os("CI").is_some() { "15" } else { "3" }
}

/// Runs the check at a level. Returns its exit code and its document, or `None` with a message if the level does not work
/// here. In CI that is a failure.
fn fuzz(user: &User, level: &str) -> Option<(Option<i32>, Value)> {
    let args = ["fuzz", "--level", level, "--seconds", seconds(), "--format", "json"];
    let output = user.command(&args).output().expect("it can be started");
    let err = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(40) {
        assert!(std::env::var_os("CI").is_none(), "{err}");
        eprintln!("SKIPPED: {err}");
        return None;
    }
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {err}"));
    assert_valid("selftest-fuzz", &document);
    Some((output.status.code(), document))
}

/// This is one test, because each run watches the whole host.
#[test]
fn random_calls_change_nothing_and_a_bot_that_leaves_traces_is_found() {
    let _alone = HOST.write().unwrap_or_else(|e| e.into_inner());
    let folder = std::env::temp_dir().join(format!("agon-fuzz-nobody-{}", std::process::id()));
    let users = [Some(User::us()), User::nobody(&folder)];
    for user in users.iter().flatten() {
        for level in ["restricted", "full"] {
            let Some((code, document)) = fuzz(user, level) else { continue };
            println!("{level} as {:?}: {document}", user.id);
            assert_eq!(
                (code, &document["findings"], &document["passed"]),
                (Some(0), &Value::Array(vec![]), &true.into())
            );
            let count = |key: &str| document[key].as_u64().expect("a number");
            assert!(count("calls") > 1000 && count("refused") > 300 && count("refused") < count("calls"));
            assert!(count("honest_matches") > 2 && count("watched") > 100 && count("matches") > 0);
        }
        let (code, document) = fuzz(user, "none").expect("nothing is needed for it");
        assert_eq!((code, &document["passed"]), (Some(1), &false.into()), "{document}");
        let found: Vec<&str> =
            document["findings"].as_array().expect("findings").iter().filter_map(|row| row["what"].as_str()).collect();
        for trace in ["`/tmp/agon-left-", "`/dev/shm/agon-left-", "System V shm"] {
            assert!(found.iter().any(|what| what.contains(trace)), "{trace}: {found:?}");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
