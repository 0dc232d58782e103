//! Lists the starter kits of `examples/GAME/LANGUAGE/` and the pages of `docs/games/`, so that `agon new` and `agon rules`
//! have them in their binary. Finds where the library for champions in Python will be, so that `agon` carries it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Files and folders that builds create.
const LEFT_BEHIND: &[&str] = &["target", "node_modules", "__pycache__", "build", "Cargo.lock", "bot"];

fn main() {
    println!("cargo::rustc-env=AGON_RUSTC={}", rustc());
    println!("cargo::rustc-env=AGON_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    champion_library();
    let workspace = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    write("kits.rs", &kits(&workspace.join("examples")));
    write("pages.rs", &pages(&workspace.join("docs/games")));
}

/// Tells the program which file to carry: the one that the environment names, or else the library that cargo makes with
/// the crate `agon-champion`, before it compiles the program.
fn champion_library() {
    /// The file. A static program cannot have one made for its own target, so whoever builds that names another.
    const VARIABLE: &str = "AGON_CARRIED_LIBRARY";
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rustc-check-cfg=cfg(carries_champion_library)");
    let set = |name: &str| env::var(name).unwrap_or_default();
    let file = match set(VARIABLE) {
        named if !named.is_empty() => {
            println!("cargo::rerun-if-changed={named}");
            named.into()
        }
        _ if set("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "crt-static") => return,
        _ => {
            // OUT_DIR is `build/agon-HASH/out` in cargo's folder for this profile.
            let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
            let profile = out.ancestors().nth(3).expect("cargo made the folders around it");
            let ending = if set("CARGO_CFG_TARGET_VENDOR") == "apple" { "dylib" } else { "so" };
            profile.join("deps").join(format!("libagon_champion.{ending}"))
        }
    };
    // The path is a string of an assembler.
    if let Some(file) = file.to_str().filter(|file| !file.contains(['"', '\\', '\n'])) {
        println!("cargo::rustc-env=AGON_CHAMPION_LIBRARY_FILE={file}");
        println!("cargo::rustc-cfg=carries_champion_library");
    }
}

fn write(name: &str, list: &str) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    fs::write(out, list).expect("OUT_DIR can be written to");
}

/// Returns a list of the pages in a folder, each with its name.
fn pages(folder: &Path) -> String {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list = String::from("&[\n");
    for page in entries(folder).into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let name = page.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let whole = page.canonicalize().expect("it exists").display().to_string();
        list.push_str(&format!("    ({name:?}, include_str!({whole:?})),\n"));
    }
    list + "]\n"
}

/// Returns a list of the kits in the folder of each game.
fn kits(examples: &Path) -> String {
    let mut list = String::from("&[\n");
    for game in folders(examples) {
        for language in folders(&game) {
            let (game, name) = (file_name(&game), file_name(&language));
            list.push_str(&format!("    Kit {{ game: {game:?}, language: {name:?}, files: &[\n"));
            let mut files = Vec::new();
            collect(&language, &mut files);
            for file in files {
                println!("cargo::rerun-if-changed={}", file.display());
                let path = file.strip_prefix(&language).expect("it is inside").display().to_string();
                let whole = file.canonicalize().expect("it exists").display().to_string();
                list.push_str(&format!("        ({path:?}, include_bytes!({whole:?})),\n"));
            }
            list.push_str("    ] },\n");
        }
    }
    list + "]\n"
}

/// Returns the version of the compiler, which benches print with their figures. It is empty if the compiler does not
/// report it.
fn rustc() -> String {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = Command::new(compiler).arg("--version").output();
    told.ok().and_then(|told| String::from_utf8(told.stdout).ok()).unwrap_or_default().trim().to_owned()
}

/// Returns the folders in a folder, in the order of their names. The folder of a game has one folder for each language.
fn folders(path: &Path) -> Vec<PathBuf> {
    entries(path).into_iter().filter(|p| p.is_dir()).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_none_or(|e| e != "class" && e != "o" && e != "pyc") {
            files.push(path);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = read.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|p| !LEFT_BEHIND.contains(&file_name(p)) && !file_name(p).starts_with('.'));
    paths.sort();
    paths
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
}
