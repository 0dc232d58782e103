//! The files and folders that a command line names.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The files and folders that a word of a command names, seen from `dir`: the word itself, or what is behind a `=` and the
/// parts of a list.
#[must_use]
pub fn paths_named(word: &OsStr, dir: &Path) -> Vec<PathBuf> {
    let existing = |text: &OsStr| Some(dir.join(text)).filter(|path| !text.is_empty() && path.exists());
    if let Some(path) = existing(word) {
        return vec![path];
    }
    let Some(text) = word.to_str() else { return Vec::new() };
    let value = text.split_once('=').map_or(text, |(_, value)| value);
    value.split(':').filter_map(|part| existing(OsStr::new(part))).collect()
}

/// The existing paths that a word of a command is: the word itself, or the parts of a list with `:` between them. What stands
/// behind a `=`, or in the text of a program, is no path.
#[must_use]
pub fn paths_of(word: &OsStr, dir: &Path) -> Vec<PathBuf> {
    let existing = |text: &OsStr| Some(dir.join(text)).filter(|path| !text.is_empty() && path.exists());
    if let Some(path) = existing(word) {
        return vec![path];
    }
    let list = word.to_str().filter(|text| !text.contains('=')).unwrap_or_default();
    list.split(':').filter_map(|part| existing(OsStr::new(part))).collect()
}
