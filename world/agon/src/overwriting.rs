//! Keeps commands from writing over a file that they read, and from writing two results to one file. Such a slip could
//! destroy a result that took an hour.

use crate::{
    clean::clean,
    error::{Error, Result},
};
use agon_play::begins_transcript;
use std::{
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// A file with the words that name it in a message: its option, or what it is.
pub type Named<'a> = (&'a str, &'a Path);

/// Checks that no file in `written` is also in `read` or appears twice in `written`.
///
/// # Errors
/// Two names mean the same file. The message contains both names.
pub fn refuse(written: &[Named<'_>], read: &[Named<'_>]) -> Result<()> {
    for (i, (option, path)) in written.iter().enumerate() {
        let Some(file) = identity(path) else { continue };
        let others = written[..i].iter().chain(read);
        if let Some((other, _)) = others.into_iter().find(|(_, other)| identity(other).as_ref() == Some(&file)) {
            let shown = clean(&path.display().to_string());
            return Err(
                Error::user(format!("{option} `{shown}` would overwrite {other}")).hint("write it to another file")
            );
        }
    }
    Ok(())
}

/// Checks that a transcript replaces nothing but a transcript or an empty file.
///
/// # Errors
/// The file has something else.
pub fn refuse_what_is_no_transcript(path: &Path) -> Result<()> {
    if !path.metadata().is_ok_and(|about| about.is_file() && about.len() > 0) {
        return Ok(());
    }
    let mut start = Vec::new();
    // What cannot be read cannot be known. Writing it says why it cannot be written.
    let Ok(_) = fs::File::open(path).and_then(|file| file.take(128).read_to_end(&mut start)) else { return Ok(()) };
    if begins_transcript(&start) {
        return Ok(());
    }
    let shown = clean(&path.display().to_string());
    Err(Error::user(format!("--transcript `{shown}` would overwrite a file that is no transcript"))
        .hint("write it to another file"))
}

/// Writes a file that is whole or not there: first beside it, then under its name. A file that had the name is gone, also
/// for other names of it; who may read it stays as it was. A link is followed. What is no file, such as `/dev/stdout`, is written to.
///
/// # Errors
/// The file cannot be written. What had its name is as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (target, permissions) = match path.metadata() {
        Ok(about) if !about.is_file() => return fs::write(path, bytes),
        Ok(about) => (path.canonicalize()?, Some(about.permissions())),
        Err(_) => (path.to_owned(), None),
    };
    let mut name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = target.with_file_name(name);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
    let allowed = permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions));
    let written = allowed.and_then(|()| file.write_all(bytes)).and_then(|()| fs::rename(&new, &target));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// Returns the absolute path of a file that exists or will exist. Returns `None` for things that cannot be written
/// over, such as `/dev/null`.
fn identity(path: &Path) -> Option<PathBuf> {
    match path.metadata() {
        Ok(about) if about.is_file() => path.canonicalize().ok(),
        Ok(_) => None,
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_by_two_names_is_one_file() {
        let here = std::env::current_dir().expect("there is one");
        let (new, manifest) = (here.join("r.jsonl"), here.join("Cargo.toml"));
        let one = |written: &[&Path], read: &[&Path]| {
            let written: Vec<Named<'_>> = written.iter().map(|path| ("--out", *path)).collect();
            let read: Vec<Named<'_>> = read.iter().map(|path| ("the map", *path)).collect();
            refuse(&written, &read).is_err()
        };
        assert!(one(&[Path::new("r.jsonl"), &new], &[]), "also before it exists");
        assert!(one(&[Path::new("src/../Cargo.toml")], &[&manifest]));
        assert!(!one(&[Path::new("r.jsonl"), Path::new("t.jsonl")], &[&manifest]));
        assert!(!one(&[Path::new("/dev/null"), Path::new("/dev/null")], &[]), "nothing is lost there");
        assert!(!one(&[Path::new("no/such/folder")], &[Path::new("no/such/folder")]), "that is another error");
    }
}
