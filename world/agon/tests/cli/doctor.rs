//! Tests `agon doctor` as programs see it.

use serde_json::Value;
use std::process::Command;

#[test]
fn the_document_has_what_is_documented() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_agon")).args(["doctor", "--format", "json"]).output().expect("it starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {complaint}"));
    let keys: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["schema", "level", "protections", "clocks", "tools", "machine"]);
    let level = document["level"].as_str().expect("a level");
    assert!(["full", "restricted", "none"].contains(&level));
    let protections = document["protections"].as_array().expect("a list");
    for protection in protections {
        let keys: Vec<&str> = protection.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["name", "state", "why", "remedy"]);
        let state = protection["state"].as_str().expect("a word");
        assert!(["active", "partial", "missing"].contains(&state), "{protection}");
        assert!(protection["why"].as_str().is_some_and(|why| !why.is_empty()), "{protection}");
        assert!(state != "active" || protection["remedy"].is_null(), "{protection}");
    }
    let state = |name: &str| {
        let found = protections.iter().find(|protection| protection["name"] == name);
        found.unwrap_or_else(|| panic!("there is no `{name}`"))["state"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(level == "full", state("full") == "active");
    if level == "full" {
        for name in ["files and secrets", "network", "other processes", "kernel and privileges", "end of a bot"] {
            assert_eq!(state(name), "active");
        }
    }
    assert!(output.status.success(), "{complaint}");
}
