//! Lists the starter kits of `examples/GAME/LANGUAGE/` and the pages of `docs/games/`, so that `agon new` and `agon rules`
//! have them in their binary.

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
    let workspace = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    write("kits.rs", &kits(&workspace.join("examples")));
    write("pages.rs", &pages(&workspace.join("docs/games")));
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
