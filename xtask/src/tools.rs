//! Tools that the tests need in addition to cargo. The task finds them or installs them where it can.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

/// A program and the Debian package that contains it.
pub struct Tool {
    /// The name of the program on the command line.
    pub program: &'static str,
    /// The package for `apt-get install`.
    pub package: &'static str,
}

/// The tools with which the starter kits are built and run.
pub const KITS: &[Tool] = &[
    Tool { program: "python3", package: "python3" },
    Tool { program: "g++", package: "g++" },
    Tool { program: "gcc", package: "gcc" },
    Tool { program: "javac", package: "default-jdk-headless" },
    Tool { program: "node", package: "nodejs" },
];

/// Tools of the other languages in which bots are written, and those that pack them. The tests of a language whose tools are not installed are left
/// out, and say so; in CI they fail.
pub const LANGUAGES: &[Tool] = &[
    Tool { program: "go", package: "golang-go" },
    Tool { program: "mcs", package: "mono-mcs" },
    Tool { program: "mono", package: "mono-runtime" },
    Tool { program: "ocamlfind", package: "ocaml-findlib" },
    Tool { program: "ocamlopt", package: "ocaml-nox" },
    Tool { program: "ghc", package: "ghc" },
    Tool { program: "escript", package: "erlang-base" },
    Tool { program: "tsc", package: "node-typescript" },
    Tool { program: "lua", package: "lua5.4" },
    Tool { program: "php", package: "php-cli" },
    Tool { program: "ruby", package: "ruby" },
    Tool { program: "perl", package: "perl" },
    Tool { program: "zip", package: "zip" },
    Tool { program: "zstd", package: "zstd" },
];

/// The tools with which the page is built.
pub const PAGE: &[Tool] = &[Tool { program: "node", package: "nodejs" }, Tool { program: "npm", package: "npm" }];

/// Whether this runs in CI. There, no test may be skipped.
pub fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|v| !v.is_empty() && v != "false")
}

/// Returns the names of the tools that are missing.
pub fn absent(tools: &'static [Tool]) -> Vec<&'static str> {
    tools.iter().filter(|t| find(t.program).is_none()).map(|t| t.program).collect()
}

/// Tries to install the tools that are missing. Returns the names of those that are still missing.
pub fn missing(tools: &'static [Tool]) -> Vec<&'static str> {
    let absent = |t: &&Tool| find(t.program).is_none();
    let wanted: Vec<_> = tools.iter().filter(absent).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    if find("apt-get").is_some() && is_root() {
        let packages: Vec<_> = wanted.iter().map(|t| t.package).collect();
        eprintln!("installing {}", packages.join(", "));
        // If the package list is too old or the mirror does not answer, tools are still missing below.
        for args in
            [vec!["update", "-qq"], [vec!["install", "-y", "-qq", "--no-install-recommends"], packages].concat()]
        {
            let status = Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive").status();
            if !status.is_ok_and(|s| s.success()) {
                eprintln!("apt-get failed");
            }
        }
    }
    wanted.into_iter().filter(absent).map(|t| t.program).collect()
}

/// Adds the components of the toolchain that the checks need. Most machines have them already.
pub fn components() -> Result<(), String> {
    for (probe, component) in [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        if find(probe).is_some_and(|p| runs(&p)) {
            continue;
        }
        let status = Command::new("rustup").args(["component", "add", component]).status();
        if !status.is_ok_and(|s| s.success()) {
            return Err(format!("`{component}` is missing and `rustup component add {component}` failed"));
        }
    }
    Ok(())
}

/// Returns a command for the cargo of one version of the toolchain.
pub fn cargo(version: &str) -> Command {
    let mut cargo = Command::new("cargo");
    if !is_version(version) {
        cargo.env("RUSTUP_TOOLCHAIN", version);
    }
    cargo
}

/// Makes sure that the toolchain of this version is there and can compile for `target`.
pub fn target(version: &str, target: &str) -> Result<(), String> {
    let mut rustc = Command::new("rustc");
    if !is_version(version) {
        rustc.env("RUSTUP_TOOLCHAIN", version);
    }
    let libraries = rustc.args(["--print", "target-libdir", "--target", target]).output();
    let there = |output: std::process::Output| {
        output.status.success() && PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).is_dir()
    };
    if libraries.is_ok_and(there) {
        return Ok(());
    }
    let mut words = vec!["target", "add", target];
    if !is_version(version) {
        words.extend(["--toolchain", version]);
        let status = Command::new("rustup").args(["toolchain", "install", "--profile", "minimal", version]).status();
        if !status.is_ok_and(|s| s.success()) {
            return Err(format!("Rust {version} is missing and `rustup toolchain install {version}` failed"));
        }
    }
    let status = Command::new("rustup").args(&words).status();
    if status.is_ok_and(|s| s.success()) { Ok(()) } else { Err(format!("`rustup {}` failed", words.join(" "))) }
}

/// Whether the usual compiler has this version.
fn is_version(version: &str) -> bool {
    let output = Command::new("rustc").arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).split(' ').nth(1) == Some(version))
}

fn runs(program: &PathBuf) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|p| p.is_file())
}

/// Whether this user may install programs.
pub fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.trim_ascii() == b"0")
}
