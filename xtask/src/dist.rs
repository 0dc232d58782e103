//! `cargo xtask dist` makes what is released: an archive with static programs for Linux, which need nothing of the system,
//! and what belongs to them. It ends with the programs of the archive at work in a root that has nothing else.

mod container;
mod licences;
mod links;
mod smoke;

use crate::{root, target_folder, tools};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The target of the static programs.
const TARGET: &str = "x86_64-unknown-linux-musl";
/// The target of the library for champions in Python, which a static program cannot have: their interpreter is not static.
const LIBRARY_TARGET: &str = "x86_64-unknown-linux-gnu";
/// The profile of what is released.
const PROFILE: &str = "dist";
/// The programs.
const PROGRAMS: [&str; 2] = ["agon", "agon-selftest"];
/// The pages beside the folder `docs`.
const PAGES: [&str; 6] =
    ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// The shells, each with the name of its script.
const SHELLS: [(&str, &str); 3] = [("bash", "agon"), ("zsh", "_agon"), ("fish", "agon.fish")];

/// SQLite and zstd are in C.
const COMPILER: &[tools::Tool] = &[tools::Tool { program: "musl-gcc", package: "musl-tools" }];

/// Runs the task.
pub fn run() -> ExitCode {
    match distribute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn distribute() -> Result<(), String> {
    let missing = tools::missing(COMPILER);
    if !missing.is_empty() {
        return Err(format!("not installed: {}", missing.join(", ")));
    }
    let version = env!("CARGO_PKG_VERSION");
    tools::target(&compiler()?, TARGET)?;
    let built = build()?;
    let name = format!("agon-{version}-x86_64-linux");
    let dist = target_folder().join("dist");
    let folder = dist.join(&name);
    let _ = fs::remove_dir_all(&folder);
    for program in PROGRAMS {
        copy(&built.join(program), &folder.join("bin").join(program))?;
    }
    for page in PAGES {
        copy(&root().join(page), &folder.join(page))?;
    }
    let mut documents = Vec::new();
    collect(&root().join("docs"), &mut documents)?;
    for document in documents {
        copy(&document, &folder.join(document.strip_prefix(root()).expect("it is inside")))?;
    }
    write(&folder.join("LICENSES-OF-DEPENDENCIES.txt"), licences::text(TARGET, LIBRARY_TARGET)?.as_bytes())?;
    copy(&licences::of_rust()?, &folder.join(licences::OF_RUST))?;
    links::check(&folder)?;
    let agon = folder.join("bin/agon");
    for (shell, script) in SHELLS {
        let said = output(Command::new(&agon).args(["completions", shell]))?;
        write(&folder.join("completions").join(script), &said)?;
    }
    let pages = folder.join("man/man1");
    fs::create_dir_all(&pages).map_err(|e| format!("{}: {e}", pages.display()))?;
    output(Command::new(&agon).args(["man", "--dir"]).arg(&pages))?;
    let sums = checksums(&folder)?;
    write(&folder.join("SHA256SUMS"), &sums)?;
    let archive = pack(&dist, &name)?;
    smoke::run(&archive, &name)?;
    container::build(version)?;
    let size = fs::metadata(&archive).map_err(|e| format!("{}: {e}", archive.display()))?.len();
    println!("{} ({} KiB)", archive.display(), size / 1024);
    Ok(())
}

/// Builds the library for Python, then the static programs, of which `agon` carries it. Returns the folder with the programs.
fn build() -> Result<PathBuf, String> {
    let release = |package: &[&str], target: &str| {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--profile", PROFILE, "--locked", "--target", target]).args(package).current_dir(root());
        cargo
    };
    execute(&mut release(&["--package", "agon-champion"], LIBRARY_TARGET))?;
    let library = target_folder().join(LIBRARY_TARGET).join(PROFILE).join("libagon_champion.so");
    let packages =
        ["--package", "agon", "--package", "agon-hostile", "--bins", "--features", "agon/wasm,agon/tls,agon/postgres"];
    let mut programs = release(&packages, TARGET);
    execute(programs.env("AGON_CARRIED_LIBRARY", &library))?;
    Ok(target_folder().join(TARGET).join(PROFILE))
}

/// Packs the folder `name` with the same bytes each time: in order, without owners, and with the date of the last commit.
fn pack(dist: &Path, name: &str) -> Result<PathBuf, String> {
    let date = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root())).unwrap_or_default();
    let date = String::from_utf8_lossy(&date).trim().to_owned();
    let date = if date.is_empty() { "0".to_owned() } else { date };
    let archive = dist.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go+r-w"]);
    tar.arg(format!("--mtime=@{date}")).args(["--use-compress-program", "gzip -9 --no-name", "-cf"]);
    execute(tar.arg(&archive).arg(name).current_dir(dist))?;
    let sum = output(Command::new("sha256sum").arg(format!("{name}.tar.gz")).current_dir(dist))?;
    write(&dist.join(format!("{name}.tar.gz.sha256")), &sum)?;
    Ok(archive)
}

/// Returns the checksum of each file below `folder`, as `sha256sum --check` reads them.
fn checksums(folder: &Path) -> Result<Vec<u8>, String> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    let names = files.iter().map(|path| path.strip_prefix(folder).expect("it is inside"));
    output(Command::new("sha256sum").args(names).current_dir(folder))
}

/// Collects the files below a folder, in the order of their paths.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

/// Returns the version of the compiler that is used.
fn compiler() -> Result<String, String> {
    let said = output(Command::new("rustc").arg("--version"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    said.split(' ').nth(1).map(str::to_owned).ok_or_else(|| format!("`rustc --version` says {said:?}"))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let parent = to.parent().expect("it is in a folder");
    fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
    fs::copy(from, to).map(drop).map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let parent = path.parent().expect("it is in a folder");
    fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// Runs a command to its end.
fn execute(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed ({status})")) }
}

/// Runs a command to its end and returns what it wrote to stdout.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed ({}):\n{}", output.status, said.trim_end()))
}
