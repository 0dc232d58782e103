//! `cargo xtask rings` checks the parts of the structure that lints cannot check. Dependencies point inward, games do
//! not know each other, the inner rings have no `std`, ring 2 does not name the outside world, files keep a readable
//! size, and names say what a thing is.

use crate::{names, root};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The folder of each ring and its number.
const RINGS: &[(&str, u8)] = &[("ground", 0), ("games", 1), ("machines", 2), ("world", 3), ("tests", 3)];

/// The maximum number of lines of a file. A longer file must be split by noun.
const LINES: usize = 700;

/// Modules that ring 2 must not name. Its `clippy.toml` forbids more by path.
const WORLD: &[&str] = &["std::fs", "std::net", "std::process", "std::thread", "std::env", "std::os"];

/// Runs the task.
pub fn run() -> ExitCode {
    match findings() {
        Ok(found) if found.is_empty() => {
            println!("rings: every dependency points inward");
            ExitCode::SUCCESS
        }
        Ok(found) => {
            for line in found {
                eprintln!("rings: {line}");
            }
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn findings() -> Result<Vec<String>, String> {
    let mut found = dependencies()?;
    for (folder, ring) in RINGS {
        for path in sources(&root().join(folder))? {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            found.extend(names::findings(&name, &text));
            let lines = text.lines().count();
            if lines > LINES {
                found.push(format!("{name} has {lines} lines: split it by noun"));
            }
            let is_root = path.ends_with("src/lib.rs");
            if *ring <= 1 && is_root && !text.contains("#![no_std]") {
                found.push(format!("{name} is in ring {ring}, so it must be #![no_std]"));
            }
            if *ring == 2 && name.contains("/src/") {
                for world in WORLD.iter().filter(|w| names(&text, w)) {
                    found.push(format!("{name} is in ring 2, so it must not name {world}"));
                }
            }
        }
    }
    Ok(found)
}

fn names(text: &str, what: &str) -> bool {
    text.lines().filter(|l| !l.trim_start().starts_with("//")).any(|l| l.contains(what))
}

/// Returns every dependency between our crates that does not point inward.
fn dependencies() -> Result<Vec<String>, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    let ring_of = |manifest: &str| {
        let folder = Path::new(manifest).strip_prefix(root()).ok()?.components().next()?;
        RINGS.iter().find(|(name, _)| folder.as_os_str() == *name).map(|(_, ring)| *ring)
    };
    let rings: Vec<(&str, u8)> =
        packages.iter().filter_map(|p| Some((p["name"].as_str()?, ring_of(p["manifest_path"].as_str()?)?))).collect();
    let mut found = Vec::new();
    for package in packages {
        let Some((user, ring)) = rings.iter().find(|(n, _)| package["name"] == *n) else { continue };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // Tests may use crates that the crate itself may not use.
            if dependency["kind"] == "dev" {
                continue;
            }
            let Some((used, inner)) = rings.iter().find(|(n, _)| dependency["name"] == *n) else { continue };
            if inner > ring || (*ring == 1 && *inner == 1) {
                found.push(format!("{user} (ring {ring}) must not depend on {used} (ring {inner})"));
            }
        }
    }
    Ok(found)
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
