//! A small run of the program as it is.

use std::process::Command;

#[test]
fn every_result_is_there_after_kills() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_agon-chaos"));
    let words = "--matches 4000 --workers 20 --lease 2 --seed 7 --format json";
    let output = program.args(words.split(' ')).output().expect("it can be started");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one document");
    assert_eq!((&summary["found"]["results"], &summary["found"]["mistakes"]), (&4000.into(), &0.into()), "{stdout}");
    let killed = ["processes_killed", "leaders_killed"].map(|name| summary[name].as_u64().unwrap_or_default());
    assert!(killed.iter().sum::<u64>() > 0, "{stdout}");
    assert!(stderr.starts_with("seed 7:"), "{stderr}");
}
