//! The licences of everything that is compiled into the programs.

use super::output;
use crate::root;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

/// The beginnings of the names of files with a licence.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// Returns one text with the packages that the programs are made of, each with its licence, and then the text of each
/// licence, once, with the packages that have it.
pub fn text(target: &str) -> Result<String, String> {
    let names = packages(target)?;
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version", "1", "--locked", "--all-features", "--filter-platform", target]);
    let metadata: Value = serde_json::from_slice(&output(cargo.current_dir(root()))?).map_err(|e| e.to_string())?;
    let mut list = String::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut bare = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let word = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", word("name"), word("version"));
        // What has no source is Agon itself.
        if package["source"].is_null() || !names.contains(&name) {
            continue;
        }
        let licence = package["license"].as_str().unwrap_or("see its licence below");
        list += &format!("{name}: {licence}, {}\n", package["repository"].as_str().unwrap_or("no address given"));
        let folder = Path::new(word("manifest_path")).parent().expect("a manifest is in a folder");
        let found = files(folder)?;
        if found.is_empty() {
            if package["license"].is_null() {
                return Err(format!("{name} has no licence"));
            }
            bare.push(name.clone());
        }
        for text in found {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    let mut all = format!("The programs contain these packages.\n\n{list}");
    if !bare.is_empty() {
        all += &format!(
            "\nThese packages come without the text of their licence, which the list above names: {}.\n",
            bare.join(", ")
        );
    }
    for (text, packages) in texts {
        let packages = packages.into_iter().collect::<Vec<_>>().join(", ");
        all += &format!("\n{}\n{packages}\n\n{}\n", "-".repeat(80), text.trim_end());
    }
    Ok(all)
}

/// Returns the name and the version of each package that is compiled into the programs, without those that only run
/// while they are compiled.
fn packages(target: &str) -> Result<BTreeSet<String>, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["tree", "--package", "agon", "--features", "wasm", "--locked", "--target", target]);
    cargo.args(["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]).current_dir(root());
    let tree = output(&mut cargo)?;
    let tree = String::from_utf8_lossy(&tree).into_owned();
    let name = |line: &str| {
        let mut words = line.split_whitespace();
        Some(format!("{} {}", words.next()?, words.next()?.trim_start_matches('v')))
    };
    Ok(tree.lines().filter_map(name).collect())
}

/// Returns the text of each file of a package that has a licence.
fn files(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let is_licence = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        path.is_file() && NAMES.iter().any(|start| name.starts_with(start))
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| is_licence(path)).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    paths.iter().map(|path| read(path).map_err(|e| format!("{}: {e}", path.display()))).collect()
}
