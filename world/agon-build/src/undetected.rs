//! What an author can do if the files of a bot do not say how it is played.

use crate::{
    Language, Manifest,
    detect::is_aside,
    intake::{SourceTree, shown},
    start::{USUAL, stem},
};
use agon_languages::usual_start;

/// Endings of what starts on Windows only.
const WINDOWS: &[&str] = &["exe", "bat", "cmd", "dll"];

/// Returns the hint: the most likely way out for these files.
pub(crate) fn way_out(tree: &SourceTree) -> String {
    let manifest = Manifest::FILE;
    let mut names: Vec<&str> = tree.files().map(|(name, _)| name).filter(|name| !is_aside(name)).collect();
    names.sort_by_key(|name| {
        let usual = USUAL.iter().position(|usual| *usual == stem(name)).unwrap_or(USUAL.len());
        (name.matches('/').count(), usual)
    });
    let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    if let Some(source) = names.iter().find(|name| Language::of(name).is_some()) {
        let source = shown(source.as_bytes());
        return format!(
            "write `main = \"{source}\"` into `{manifest}` in its folder, or give the folder with that file"
        );
    }
    let start = |name: &&str| usual_start(name).filter(|_| !WINDOWS.contains(&&*ending(name)));
    if let Some((script, start)) = names.iter().find_map(|name| Some((name, start(name)?))) {
        let words: Vec<String> = start.split(' ').map(|word| format!("\"{word}\"")).collect();
        let script = shown(script.as_bytes());
        return format!("write `run = [{}, \"{script}\"]` into `{manifest}` in its folder", words.join(", "));
    }
    if let Some(program) = names.iter().find(|name| WINDOWS.contains(&ending(name).as_str())) {
        return format!("`{}` is for Windows: give the sources of the bot", shown(program.as_bytes()));
    }
    format!("name the start `main` or `bot`, as `main.py`, or write `run = [\"…\"]` into `{manifest}` in its folder")
}
