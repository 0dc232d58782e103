//! Tests the suite and the program that runs it.

// On other systems and processors there are fewer kinds than in the document.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod document;
#[cfg(target_os = "linux")]
mod fuzz;
mod program;
mod suite;
mod users;

use serde_json::Value;
use std::sync::RwLock;

/// Random calls watch the whole host. Whoever makes them holds this for writing, and other tests that start bots for reading.
static HOST: RwLock<()> = RwLock::new(());

/// Fails unless the schema of a document allows this one.
fn assert_valid(name: &str, document: &Value) {
    let schema = agon_spec::DocumentKind::find(name).expect("it is in the list").schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> =
        validator.iter_errors(document).map(|why| format!("{}: {why}", why.instance_path())).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}\n{document:#}");
}
