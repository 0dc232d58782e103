//! No command writes over what it reads, nor twice into one file: a result that cost an hour would be lost by a slip.

use crate::{
    clean::clean,
    error::{Error, Result},
};
use std::path::{Path, PathBuf};

/// A file with the word that names it: an option, or what it is.
pub type Named<'a> = (&'a str, &'a Path);

/// Checks that every file to be written is none of those that are read, and none of the others that are written.
///
/// # Errors
/// It is: with both.
pub fn refuse(written: &[Named<'_>], read: &[Named<'_>]) -> Result<()> {
    for (i, (option, path)) in written.iter().enumerate() {
        let Some(file) = identity(path) else { continue };
        let others = written[..i].iter().chain(read);
        if let Some((other, _)) = others.into_iter().find(|(_, other)| identity(other).as_ref() == Some(&file)) {
            let shown = clean(&path.display().to_string());
            return Err(Error::user(format!("{option} `{shown}` would be written over {other}"))
                .hint("give it a file of its own"));
        }
    }
    Ok(())
}

/// Where a file is, or will be; `None` for what cannot be written over, as `/dev/null`.
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
