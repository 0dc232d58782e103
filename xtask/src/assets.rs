//! `cargo xtask assets` builds what the viewer is made of: the module with the rules, and the page. They are committed, so
//! that `cargo build` needs neither the target for WASM nor Node. `cargo xtask assets --check` builds them again and compares
//! the bytes. Both play the module in Node: every recorded replay, and random matches whose fingerprints were computed without
//! it.

use crate::{root, target_folder, tools, traps::trap_panics};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The compiler whose output is committed. Another one gives other bytes.
const RUST: &str = "1.95.0";
const TARGET: &str = "wasm32-unknown-unknown";
/// Where the built files are committed.
const ASSETS: &str = "world/agon/assets";
/// The folder of the page.
const PAGE: &str = "viewer";

/// A file, and the most bytes that it may have, plain and gzipped.
struct Limit {
    name: &'static str,
    plain: usize,
    gzipped: usize,
}

const LIMITS: &[Limit] = &[
    Limit { name: "view.wasm", plain: 600_000, gzipped: 252_000 },
    Limit { name: "play.wasm", plain: 850_000, gzipped: 355_000 },
    Limit { name: "page.js", plain: 400_000, gzipped: 130_000 },
    Limit { name: "page.css", plain: 100_000, gzipped: 30_000 },
    Limit { name: "console.js", plain: 400_000, gzipped: 130_000 },
    Limit { name: "console.css", plain: 100_000, gzipped: 30_000 },
];

/// The modules, and the features of the crate with which each is built.
const MODULES: &[(&str, &[&str])] = &[("view.wasm", &[]), ("play.wasm", &["play"])];

/// Features that every browser of today has, and that the compiler uses.
const FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// The number of random positions of which the fingerprints are compared, if the caller gives none.
pub const POSITIONS: &str = "50000";

/// Runs the task. `positions` is the number of random positions.
pub fn run(check: bool, positions: &str) -> ExitCode {
    let Some(positions) = positions.parse().ok().filter(|positions| *positions > 0) else {
        eprintln!("error: `{positions}` is no number of positions");
        return ExitCode::from(2);
    };
    let done = if check { compare() } else { refresh() };
    match done.and_then(|()| play(positions)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Builds all files and writes those that have changed, even if one is larger than its limit.
fn refresh() -> Result<(), String> {
    let built = build()?;
    for (name, bytes) in &built {
        let path = root().join(ASSETS).join(name);
        if fs::read(&path).ok().as_ref() != Some(bytes) {
            fs::create_dir_all(root().join(ASSETS)).map_err(|e| format!("{ASSETS}: {e}"))?;
            fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
            println!("wrote {ASSETS}/{name}");
        }
    }
    measure(&built)
}

/// Builds all files and compares them with those that are committed.
fn compare() -> Result<(), String> {
    let mut stale = Vec::new();
    let built = build()?;
    measure(&built)?;
    for (name, bytes) in &built {
        if fs::read(root().join(ASSETS).join(name)).ok().as_ref() != Some(bytes) {
            stale.push(format!("{ASSETS}/{name}"));
        }
    }
    if stale.is_empty() {
        println!("assets: the committed files are those that the sources give");
        return Ok(());
    }
    Err(format!("{} differ from what the sources give: run `cargo xtask assets` and commit them", stale.join(", ")))
}

/// Builds all files.
fn build() -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    tools::target(RUST, TARGET)?;
    let missing = tools::missing(tools::PAGE);
    if !missing.is_empty() {
        return Err(format!("not installed: {}", missing.join(", ")));
    }
    npm_packages()?;
    let mut built = Vec::new();
    for (name, features) in MODULES {
        built.push((*name, module(name, features)?));
    }
    // Vite only strips the types.
    for (script, tool) in [("check", "svelte-check"), ("build", "vite")] {
        execute(Command::new("npm").args(["run", "--silent", script]).current_dir(root().join(PAGE)), tool)?;
    }
    for name in ["page.js", "page.css", "console.js", "console.css"] {
        built.push((name, read(&root().join(PAGE).join("dist").join(name))?));
    }
    Ok(built)
}

/// Plays the committed modules in Node.
fn play(positions: u32) -> Result<(), String> {
    let positions = positions.to_string();
    let folder = root().join("target/random-replays");
    // With the features of the tests, whose build has it already.
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "--workspace", "--all-features", "--example", "random_replays"]);
    execute(cargo.current_dir(root()), "cargo build")?;
    let mut random = Command::new(target_folder().join("debug/examples/random_replays"));
    execute(random.arg(&folder).arg(&positions).current_dir(root()), "random_replays")?;
    for (name, _) in MODULES {
        let mut node = Command::new("node");
        node.arg("tests/engine.mjs").arg(root().join(ASSETS).join(name));
        node.arg(root().join("fixtures/replays/v2")).args([folder.as_os_str(), positions.as_ref()]);
        node.current_dir(root().join(PAGE));
        execute(&mut node, name)?;
    }
    for test in ["tests/play.mjs", "tests/console.mjs", "tests/shown.mjs", "tests/served.mjs", "tests/state.mjs"] {
        let mut node = Command::new("node");
        node.arg(test).arg(root().join(ASSETS).join("play.wasm")).current_dir(root().join(PAGE));
        execute(&mut node, test)?;
    }
    Ok(())
}

/// Prints the size of each file. Fails if one is larger than its limit.
fn measure(built: &[(&str, Vec<u8>)]) -> Result<(), String> {
    let mut too_large = Vec::new();
    for (name, bytes) in built {
        let Some(limit) = LIMITS.iter().find(|limit| limit.name == *name) else { continue };
        let gzipped = gzip(bytes)?;
        println!(
            "{name:<10} {:>8} of {:>8} bytes, gzipped {gzipped:>7} of {:>7}",
            bytes.len(),
            limit.plain,
            limit.gzipped
        );
        if bytes.len() > limit.plain || gzipped > limit.gzipped {
            too_large.push(*name);
        }
    }
    if too_large.is_empty() { Ok(()) } else { Err(format!("larger than allowed: {}", too_large.join(", "))) }
}

/// Installs the packages of the lock file, unless the installed ones are already those.
pub fn npm_packages() -> Result<(), String> {
    let folder = root().join(PAGE);
    let (lock, mark) = (read(&folder.join("package-lock.json"))?, folder.join("node_modules/.agon-lock"));
    if fs::read(&mark).ok().as_ref() == Some(&lock) {
        return Ok(());
    }
    let words = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    execute(Command::new("npm").args(words).current_dir(&folder), "npm ci")?;
    fs::write(&mark, lock).map_err(|e| format!("{}: {e}", mark.display()))
}

/// Builds a module and makes it small.
fn module(name: &str, features: &[&str]) -> Result<Vec<u8>, String> {
    let target = root().join("target/module");
    // Paths of this machine are in the messages of panics, and would make the bytes differ.
    let home = |variable: &str, folder: &str| {
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(folder));
        std::env::var_os(variable).map(PathBuf::from).or(home).unwrap_or_default()
    };
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let flags = [
        remap(root(), "agon"),
        remap(&home("CARGO_HOME", ".cargo").join("registry/src"), "registry"),
        remap(&home("RUSTUP_HOME", ".rustup"), "rust"),
    ];
    let mut cargo = tools::cargo(RUST);
    cargo.args(["build", "--quiet", "--locked", "--package", "agon-wasm", "--lib", "--profile", "module"]);
    cargo.arg("--features").arg(features.join(","));
    cargo.args(["--target", TARGET, "--target-dir"]).arg(&target).current_dir(root());
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")).env_remove("RUSTFLAGS").env("CARGO_INCREMENTAL", "0");
    execute(&mut cargo, "cargo build")?;
    let folder = target.join(TARGET).join("module");
    let (built, trapping, small) = (folder.join("agon_wasm.wasm"), folder.join("trapping.wasm"), folder.join(name));
    let trapped = trap_panics(&read(&built)?).map_err(|why| format!("{}: {why}", built.display()))?;
    fs::write(&trapping, trapped).map_err(|e| format!("{}: {e}", trapping.display()))?;
    let mut optimiser = Command::new("node");
    optimiser.arg(root().join(PAGE).join("node_modules/binaryen/bin/wasm-opt")).arg("-Oz").args(FEATURES);
    optimiser
        .args(["--strip-debug", "--strip-producers", "--strip-target-features"])
        .arg(trapping)
        .arg("-o")
        .arg(&small);
    execute(&mut optimiser, "wasm-opt")?;
    read(&small)
}

fn gzip(bytes: &[u8]) -> Result<usize, String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map(|zipped| zipped.len()).map_err(|e| e.to_string())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn execute(command: &mut Command, name: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} failed: {status}")),
        Err(why) => Err(format!("{name} cannot be started: {why}")),
    }
}
