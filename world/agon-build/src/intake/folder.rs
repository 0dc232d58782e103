//! Bots as folders.

use super::{
    junk::{is_built, is_junk},
    name::shown,
    tree::{Intake, broken, too_large_file},
};
use agon_core::Flaw;
use rustix::fs::{FileType, Mode, OFlags};
use std::{
    ffi::OsStr,
    fs::{self, File},
    io::Read,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

/// What marks a folder as an environment of Python, which is full of links to elsewhere.
const VENV: &str = "pyvenv.cfg";

/// Takes every file of the folder `root`.
pub(super) fn read(root: &Path, intake: &mut Intake) -> Result<(), Flaw> {
    let whole = fs::canonicalize(root).map_err(|why| unreadable(root, &why))?;
    // Folders that are still to be read, from the root. Not a recursion: how deep they lie is not ours to choose.
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        let here = whole.join(&within);
        let mut names = Vec::new();
        for entry in fs::read_dir(&here).map_err(|why| unreadable(&here, &why))? {
            names.push(entry.map_err(|why| unreadable(&here, &why))?.file_name());
        }
        names.sort();
        for name in &names {
            let text = name.to_string_lossy();
            let beside = |other: &str| names.iter().any(|name| name == other);
            if is_junk(&text) || is_built(&text, beside) {
                continue;
            }
            let path = within.join(name);
            if take(&whole, &path, intake)? {
                folders.push(path);
            }
        }
    }
    Ok(())
}

/// Takes one file alone.
pub(super) fn read_one(path: &Path, intake: &mut Intake) -> Result<(), Flaw> {
    let whole = fs::canonicalize(path).map_err(|why| unreadable(path, &why))?;
    let name = path.file_name().unwrap_or_default();
    take_file(&whole, name.as_bytes(), intake)
}

/// Takes the file `path` in the folder `root`; `true` if it is a folder that is to be read.
fn take(root: &Path, path: &Path, intake: &mut Intake) -> Result<bool, Flaw> {
    let whole = root.join(path);
    let raw = path.as_os_str().as_bytes();
    let kind = fs::symlink_metadata(&whole).map_err(|why| broken(raw, &why))?.file_type();
    if kind.is_dir() {
        let venv = whole.join(VENV).is_file();
        if !venv {
            intake.folder(raw)?;
        }
        return Ok(!venv);
    }
    if kind.is_symlink() {
        let target = fs::canonicalize(&whole)
            .map_err(|why| Flaw::new(format!("the link `{}` leads nowhere: {why}", shown(raw))).hint("take it away"))?;
        if !target.starts_with(root) {
            return Err(Flaw::new(format!("the link `{}` leads out of the folder", shown(raw)))
                .hint("put a copy of what it leads to in its place"));
        }
        if target.is_dir() {
            return Err(Flaw::new(format!("the link `{}` leads to a folder", shown(raw)))
                .hint("put a copy of the folder in its place"));
        }
        take_file(&target, raw, intake)?;
        return Ok(false);
    }
    take_file(&whole, raw, intake)?;
    Ok(false)
}

/// Takes the file that lies at `whole`, which is no link, under the name `raw`.
fn take_file(whole: &Path, raw: &[u8], intake: &mut Intake) -> Result<(), Flaw> {
    // A pipe would keep us waiting for its other end, a link may have come into its place since we looked.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let special = || {
        Flaw::new(format!("`{}` is neither a file nor a folder", shown(raw)))
            .hint("take it away: bots consist of regular files")
    };
    // What cannot be opened may be a socket.
    let kind = fs::symlink_metadata(whole).map_err(|why| broken(raw, &why))?.file_type();
    if !kind.is_file() {
        return Err(special());
    }
    let file = File::from(rustix::fs::open(whole, flags, Mode::empty()).map_err(|why| broken(raw, &why.into()))?);
    let about = file.metadata().map_err(|why| broken(raw, &why))?;
    if FileType::from_raw_mode(about.permissions().mode() as _) != FileType::RegularFile {
        return Err(special());
    }
    let most = intake.limits().file;
    if about.len() > most {
        return Err(too_large_file(raw, most));
    }
    // One byte more, so that a file that grows while it is read is noticed.
    intake.file(raw, about.permissions().mode() & 0o7777, &mut file.take(most + 1))
}

fn unreadable(path: &Path, why: &std::io::Error) -> Flaw {
    Flaw::new(format!("cannot read `{}`: {why}", shown(OsStr::new(path).as_bytes())))
}
