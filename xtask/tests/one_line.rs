//! One line in one list makes a game known. In a copy of the workspace, the test adds the toy, which is in no list,
//! with that line and the line of its dependency. Every command then knows the game. Without the two lines, no command
//! does.
//!
//! The copy is built in its own folder below `target` and kept there. Only the project's own crates are compiled for it: what they
//! depend on is linked from the workspace's folder.

use object::{Object, ObjectSymbol};
use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The folder of the copy.
const COPY: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/one-line");
/// Builds what `cargo xtask test` builds, with the same features, so that nothing is compiled twice.
const BUILD: &[&str] = &["build", "--offline", "--quiet", "--workspace", "--all-features", "--example", "positions"];
/// Folders that no crate of the workspace is built from.
const LEFT_OUT: &[&str] = &[".git", "target", "fixtures", "fuzz", "node_modules"];
/// The file of the list, the line after which the toy's line is inserted, and that line.
const LIST: (&str, &str, &str) =
    ("machines/agon-games/src/games.rs", "portals: agon_portals,\n", "            toy: agon_toy,\n");
/// The same for the dependencies of the crate with the list.
const DEPENDENCY: (&str, &str, &str) =
    ("machines/agon-games/Cargo.toml", "[dependencies]\n", "agon-toy.workspace = true\n");

#[test]
fn one_line_makes_a_game_known_to_every_command() {
    let agon = build(workspace(), &target_of_workspace(), &[]);
    let games = run(Command::new(&agon).args(["games", "--format", "json"]));
    assert!(games.status.success() && text(&games.stdout).contains("portals"), "{}", text(&games.stderr));
    assert!(!text(&games.stdout).contains("toy"), "the toy is in the list of the released program");
    let unknown = run(Command::new(&agon).args(["match", "toy", "@random", "@random"]));
    assert_eq!(unknown.status.code(), Some(1), "{}", text(&unknown.stderr));
    assert!(text(&unknown.stderr).contains("there is no game `toy`"), "{}", text(&unknown.stderr));

    let (sources, target) = (Path::new(COPY).join("workspace"), Path::new(COPY).join("target"));
    copy(workspace(), &sources).expect("the workspace can be copied");
    for (file, after, line) in [LIST, DEPENDENCY] {
        let path = sources.join(file);
        let before = fs::read_to_string(&path).expect("the copy has the file");
        assert_eq!(before.matches(after).count(), 1, "{file}");
        fs::write(&path, before.replacen(after, &format!("{after}{line}"), 1)).expect("the copy can be written");
    }
    link_dependencies(&target_of_workspace().join("debug"), &target.join("debug")).expect("files can be linked");
    let program = build(&sources, &target, &fast_settings());
    let agon = |words: &[&str]| run(Command::new(&program).args(words));
    let games = agon(&["games", "--format", "json"]);
    assert!(text(&games.stdout).contains("\"toy\""), "{}", text(&games.stdout));
    let played = agon(&["match", "toy", "@random", "@random", "--format", "json"]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    assert!(text(&played.stdout).contains("\"game\": \"toy\""), "{}", text(&played.stdout));
    let completions = agon(&["completions", "bash"]);
    assert!(text(&completions.stdout).contains(" toy"), "completions do not offer the toy");

    // A game that has a line and recordings but no reader is an error. Recordings of unknown games are left out.
    let recordings = Path::new(COPY).join("recordings");
    for game in ["toy", "go"] {
        fs::create_dir_all(recordings.join(game)).expect("a folder can be made");
    }
    let golden = run(Command::new(program.with_file_name("agon-golden")).arg(&recordings));
    assert!(text(&golden.stdout).contains("go: left out, there is no such game"), "{}", text(&golden.stdout));
    assert!(text(&golden.stdout).contains("toy: no recordings"), "{}", text(&golden.stdout));
}

/// The narrow list links no bot, dialogue or generator of any game. The wide list links all of them.
#[test]
fn a_program_that_looks_at_positions_links_no_bot() {
    let agon = build(workspace(), &target_of_workspace(), &[]);
    let (narrow, wide) = (symbols(&agon.with_file_name("examples/positions")), symbols(&agon));
    for game in ["agon_lighthouses", "agon_planet_wars", "agon_triangles", "agon_grid", "agon_portals"] {
        for module in ["bots", "dialogue", "mapgen"] {
            // Symbols of functions and implementations begin like this. Other symbols may only mention a type.
            let function = format!("{}{game}{}{module}", game.len(), module.len());
            let names = [function, format!("_$LT${game}..{module}..")];
            let has = |symbols: &[String]| symbols.iter().any(|symbol| names.iter().any(|name| symbol.contains(name)));
            assert!(has(&wide), "nothing is called {names:?}: this test looks for the wrong names");
            assert!(!has(&narrow), "{game}::{module} is linked into a program that only looks at positions");
        }
    }
}

/// Returns the names of all symbols of a program.
fn symbols(program: &Path) -> Vec<String> {
    let bytes = fs::read(program).expect("it was built");
    let program = object::File::parse(&*bytes).expect("it is a program");
    program.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

fn target_of_workspace() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the folder of what is built").to_owned()
}

/// Makes a folder of sources equal to another one. An unchanged file keeps its time, so that it is not compiled again.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    let names = |folder: &Path| -> std::io::Result<Vec<std::ffi::OsString>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
    };
    let wanted = names(from)?;
    for gone in names(to)?.iter().filter(|name| !wanted.contains(name)) {
        let path = to.join(gone);
        if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    for name in wanted.iter().filter(|name| !LEFT_OUT.iter().any(|left_out| name == left_out)) {
        let (from, to) = (from.join(name), to.join(name));
        if from.is_dir() {
            copy(&from, &to)?;
        } else if from.is_file() {
            let content = fs::read(&from)?;
            if fs::read(&to).ok().as_ref() != Some(&content) {
                fs::write(&to, content)?;
            }
        }
    }
    Ok(())
}

/// Links everything in a folder of built files that is not of the project's own crates. Cargo takes it for its own work, and
/// what it does not take it builds.
fn link_dependencies(from: &Path, to: &Path) -> io::Result<()> {
    for part in [".fingerprint", "build", "deps"] {
        link(&from.join(part), &to.join(part), &|name| {
            let name = name.to_string_lossy();
            !is_own(name.strip_prefix("lib").unwrap_or(&name))
        })?;
    }
    Ok(())
}

fn link(from: &Path, to: &Path, is_wanted: &dyn Fn(&OsStr) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if !is_wanted(&entry.file_name()) {
            continue;
        }
        let linked = if entry.file_type()?.is_dir() { link(&from, &to, &|_| true) } else { fs::hard_link(&from, &to) };
        // It is there from an earlier run, or it was a file of a compiler that is at work.
        match linked.map_err(|why| why.kind()) {
            Err(io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {}
            linked => linked?,
        }
    }
    Ok(())
}

/// Returns what makes the project's own crates compile fast: they run only for a moment.
fn fast_settings() -> Vec<String> {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).expect("the workspace has a manifest");
    let optimised = manifest.lines().filter_map(|line| line.strip_suffix(".opt-level = 2")).filter(|name| is_own(name));
    let settings: Vec<_> = optimised.map(|package| format!("profile.dev.package.{package}.opt-level=0")).collect();
    assert!(!settings.is_empty(), "the manifest sets the optimisation of no crate of the project in the usual way");
    ["profile.dev.debug=false".to_owned()].into_iter().chain(settings).collect()
}

/// Whether a name is that of one of the project's own crates, or begins with one.
fn is_own(name: &str) -> bool {
    name.starts_with("agon") || name.starts_with("xtask")
}

/// Builds the programs without the network. Returns the path of `agon`.
fn build(sources: &Path, target: &Path, settings: &[String]) -> PathBuf {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    if sources != workspace() {
        // The sources are linted already.
        command.env_remove("RUSTC_WORKSPACE_WRAPPER");
    }
    command.args(BUILD).args(["--bin", "agon", "--bin", "agon-golden"]);
    command.args(settings.iter().flat_map(|setting| ["--config", setting]));
    command.current_dir(sources).env("CARGO_TARGET_DIR", target);
    let built = run(&mut command);
    assert!(built.status.success(), "{}", text(&built.stderr));
    target.join("debug/agon")
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
