//! One line in one list makes a game known. In a copy of the workspace, the test adds the toy, which is in no list,
//! with that line and the line of its dependency. Every command then knows the game. Without the two lines, no command
//! does.
//!
//! The copy is built in its own folder below `target` and kept there. The first run builds all dependencies, later runs
//! only what has changed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
};

/// A profile that compiles fast. The profile for development optimises dependencies, and the whole copy is compiled for a
/// few short runs. Without debug information, the names in a program are only those of its symbols.
const PROFILE: (&str, &[&str]) = (
    "fast-build",
    &["inherits='release'", "opt-level=0", "codegen-units=256", "lto='off'", "debug=false", "debug-assertions=true"],
);
/// What is built for a program. With other packages, features of dependencies would differ, and all would be built twice.
const PROGRAM: &[&str] = &["-p", "agon", "-p", "xtask", "--bin", "agon"];
/// The folder of the copy.
const COPY: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/one-line");
/// Locked by the test that uses the copy.
static COPIED: Mutex<()> = Mutex::new(());
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
    let _alone = COPIED.lock();
    // The first build is without the line, like the sources.
    mirror();
    build(PROGRAM);
    let games = agon(&["games", "--format", "json"]);
    assert!(games.status.success() && text(&games.stdout).contains("portals"), "{}", text(&games.stderr));
    assert!(!text(&games.stdout).contains("toy"), "the toy is in the list of the released program");
    let unknown = agon(&["match", "toy", "@random", "@random"]);
    assert_eq!(unknown.status.code(), Some(1), "{}", text(&unknown.stderr));
    assert!(text(&unknown.stderr).contains("there is no game `toy`"), "{}", text(&unknown.stderr));

    for (file, after, line) in [LIST, DEPENDENCY] {
        let path = Path::new(COPY).join("workspace").join(file);
        let before = fs::read_to_string(&path).expect("the copy has the file");
        assert_eq!(before.matches(after).count(), 1, "{file}");
        fs::write(&path, before.replacen(after, &format!("{after}{line}"), 1)).expect("the copy can be written");
    }
    build(&[PROGRAM, &["--bin", "xtask"]].concat());
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
    let golden = run(Command::new(program("xtask")).arg("golden").arg(&recordings));
    assert!(text(&golden.stdout).contains("go: left out, there is no such game"), "{}", text(&golden.stdout));
    assert!(text(&golden.stdout).contains("toy: no recordings"), "{}", text(&golden.stdout));
}

/// The narrow list links no bot, dialogue or generator of any game. The wide list links all of them.
#[test]
fn who_looks_at_positions_links_no_bot() {
    let _alone = COPIED.lock();
    mirror();
    build(&["-p", "agon-games", "--example", "positions"]);
    build(PROGRAM);
    let read = |name: &str| fs::read(program(name)).expect("it was built");
    let (narrow, wide) = (read("examples/positions"), read("agon"));
    for game in ["agon_lighthouses", "agon_planet_wars", "agon_triangles", "agon_grid", "agon_portals"] {
        for module in ["bots", "dialogue", "mapgen"] {
            // Symbols of functions and implementations begin like this. Other symbols may only mention a type.
            let function = format!("{}{game}{}{module}", game.len(), module.len());
            let names = [function, format!("_$LT${game}..{module}..")];
            let has = |bytes: &[u8]| names.iter().any(|name| bytes.windows(name.len()).any(|w| w == name.as_bytes()));
            assert!(has(&wide), "nothing is called {names:?}: this test looks for the wrong names");
            assert!(!has(&narrow), "{game}::{module} is linked into a program that only looks at positions");
        }
    }
}

/// Makes the copy equal to the workspace. An unchanged file keeps its time, so that it is not compiled again.
fn mirror() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    copy(source, &Path::new(COPY).join("workspace")).expect("the workspace can be copied");
}

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

/// Builds packages in the copy, without the network.
fn build(what: &[&str]) {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let (profile, settings) = PROFILE;
    command.args(["build", "--offline", "--quiet", "--profile", profile]).args(what);
    for setting in settings {
        command.arg("--config").arg(format!("profile.{profile}.{setting}"));
    }
    command.current_dir(Path::new(COPY).join("workspace")).env("CARGO_TARGET_DIR", target());
    let built = run(&mut command);
    assert!(built.status.success(), "{}", text(&built.stderr));
}

fn target() -> PathBuf {
    Path::new(COPY).join("target")
}

fn program(name: &str) -> PathBuf {
    target().join(PROFILE.0).join(name)
}

/// Runs the `agon` of the copy.
fn agon(words: &[&str]) -> Output {
    run(Command::new(program("agon")).args(words))
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
