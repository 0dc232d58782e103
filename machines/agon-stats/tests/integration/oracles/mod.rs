//! Compares our numbers with those of independent implementations, which were recorded in tables beside this checkout.
//! Their licence does not allow a copy here, so without them this file compares nothing. Cargo hides what passing tests print,
//! so `cargo xtask test` says it.

#![expect(clippy::disallowed_methods, reason = "the tests read files; the crate does not")]

mod betting;
mod choice;
mod online;
mod sprt;
mod strengths;

use serde_json::Value;
use std::path::Path;

/// Returns the lines of a table. Without the folder of tables, `None`, but CI may not miss it.
fn table(name: &str) -> Option<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles");
    if !folder.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "{} does not exist", folder.display());
        return None;
    }
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect())
}

/// Returns a number. Those that JSON does not have are written as strings.
fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("nan") => f64::NAN,
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        _ => value.as_f64().unwrap_or_else(|| panic!("`{value}` is no number")),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("`{value}` is no list"))
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

/// What rounding may leave where the exact number is 0.
const ROUNDING: f64 = 1e-11;

/// `tolerance` is relative.
fn assert_near(ours: f64, theirs: f64, tolerance: f64, what: impl std::fmt::Display) {
    assert_within(ours, theirs, (tolerance * theirs.abs()).max(ROUNDING), what);
}

fn assert_within(ours: f64, theirs: f64, allowed: f64, what: impl std::fmt::Display) {
    assert!((ours - theirs).abs() <= allowed, "{what}: {ours} instead of {theirs}");
}
