//! The licences of everything that is compiled into the programs.

use super::output;
use crate::root;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The beginnings of the names of files with a licence.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// Returns one text with the packages that the programs are made of, each with its licence, and then the text of each
/// licence, once, with the packages that have it.
///
/// `target` is that of the programs, `library_target` that of the library which `agon` carries.
pub fn text(target: &str, library_target: &str) -> Result<String, String> {
    let mut names = packages("agon", target)?;
    names.extend(packages("agon-hostile", target)?);
    names.extend(packages("agon-champion", library_target)?);
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version", "1", "--locked", "--all-features"]);
    cargo.args(["--filter-platform", target, "--filter-platform", library_target]);
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
    let (musl, font, svelte) = others()?;
    for (what, text) in [
        ("musl, the C library of the programs", musl),
        ("Noto Sans, the font of pictures", font),
        ("Svelte, whose runtime is in the pages", svelte),
    ] {
        all += &format!("\n{}\n{what}\n\n{}\n", "-".repeat(80), text.trim_end());
    }
    all += &format!(
        "\n{}\nThe standard library of Rust, which is in every program, and what it is made of: see {OF_RUST}.\n",
        "-".repeat(80)
    );
    Ok(all)
}

/// The name of the page with the notices of Rust's standard library.
pub const OF_RUST: &str = "LICENSES-OF-RUST.html";

/// Returns the page that comes with the compiler, with the notices of its standard library.
pub fn of_rust() -> Result<PathBuf, String> {
    let told = output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()))?;
    let page = Path::new(String::from_utf8_lossy(&told).trim()).join("share/doc/rust/COPYRIGHT-library.html");
    if page.is_file() { Ok(page) } else { Err(format!("{} is missing: install Rust with rustup", page.display())) }
}

/// Returns the licences of what is compiled into the programs and is no package of Rust: of musl, of the font, and of Svelte.
fn others() -> Result<(String, String, String), String> {
    /// Each package of Debian has this file.
    const MUSL: &str = "/usr/share/doc/musl/copyright";
    let read = |path: &Path, way_out: &str| {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}: {way_out}", path.display()))?;
        let is_licence = text.contains("Copyright");
        if is_licence { Ok(text) } else { Err(format!("{} is no licence", path.display())) }
    };
    let [font, svelte] = ["world/agon/fonts/OFL.txt", "viewer/LICENSE-SVELTE.md"].map(|path| root().join(path));
    Ok((
        read(Path::new(MUSL), "install the package `musl`, or put its file COPYRIGHT there")?,
        read(&font, "it belongs to the font")?,
        read(&svelte, "copy it from `viewer/node_modules/svelte/LICENSE.md`")?,
    ))
}

/// Returns the name and the version of each package that is compiled into `package`, without those that only run while it is
/// compiled.
fn packages(package: &str, target: &str) -> Result<BTreeSet<String>, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["tree", "--package", package, "--locked", "--target", target]);
    if package == "agon" {
        cargo.args(["--features", "wasm"]);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_that_is_carried_counts() {
        let library = packages("agon-champion", super::super::LIBRARY_TARGET).expect("cargo knows it");
        assert!(library.iter().any(|name| name.starts_with("libloading ")), "{library:?}");
    }

    /// The copy of the licence is the one of the version that is used.
    #[test]
    fn the_licence_of_svelte_is_its_own() {
        let copy = fs::read_to_string(root().join("viewer/LICENSE-SVELTE.md")).expect("it is there");
        assert!(copy.contains("Svelte Contributors"));
        if let Ok(own) = fs::read_to_string(root().join("viewer/node_modules/svelte/LICENSE.md")) {
            assert_eq!(copy, own);
        }
    }
}
