//! The import of bots from folders.

use super::{
    beneath::{self, BadLink},
    import::{Intake, broken, too_large_file},
    junk::{VENV, VENV_FOLDER, is_built, is_junk, is_of_environment},
    name::shown,
};
use agon_core::Flaw;
use agon_sandbox::Shortage;
use rustix::{
    fd::{AsFd, BorrowedFd},
    fs::{AtFlags, Dir, FileType, Stat, fstat, statat},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// The folder from which the bot is imported.
struct Root<'a> {
    fd: BorrowedFd<'a>,
    /// The path of the folder.
    place: &'a Path,
    /// The user ID of the folder's owner.
    owner: u32,
}

/// Imports all files of the folder `root`, whose path is `place`.
pub(super) fn read(root: &File, place: &Path, intake: &mut Intake) -> Result<(), Flaw> {
    let about = fstat(root).map_err(|why| unreadable(place, why))?;
    let root = Root { fd: root.as_fd(), place, owner: about.st_uid };
    // The folders that remain to be read, relative to the root. Not a recursion, because the bot chooses their depth.
    let mut folders = vec![PathBuf::new()];
    let mut environments: Vec<PathBuf> = Vec::new();
    while let Some(within) = folders.pop() {
        let names = names(&root, &within, intake.limits().entries)?;
        for name in &names {
            let text = name.to_string_lossy();
            let beside = |other: &str| names.iter().any(|name| name == other);
            if is_junk(&text) || is_built(&text, beside) {
                continue;
            }
            let path = within.join(name);
            let environment = environments.iter().find_map(|folder| path.strip_prefix(folder).ok());
            if environment.is_some_and(|inside| is_of_environment(&inside.to_string_lossy())) {
                continue;
            }
            // Some tools make a link to an environment that is elsewhere. One in the bot's folder is found there.
            if name == VENV_FOLDER && beneath::kind(root.fd, &path) == Ok(FileType::Symlink) {
                match beneath::resolve(root.fd, root.place, &path) {
                    Ok(target) if is_taken_environment(&root, &target) => intake.environments.name(&path, &target),
                    _ => intake.environments.miss(path.as_os_str().as_bytes()),
                }
                continue;
            }
            match take(&root, &path, intake)? {
                Taken::Environment => {
                    environments.push(path.clone());
                    folders.push(path);
                }
                Taken::Folder if name == VENV_FOLDER => {}
                Taken::Folder => folders.push(path),
                Taken::File => {}
            }
        }
    }
    Ok(())
}

/// Returns the names in a folder in order. Leaves out names that are skipped in every folder.
fn names(root: &Root<'_>, within: &Path, most: u32) -> Result<Vec<OsString>, Flaw> {
    let here = || root.place.join(within);
    let folder = beneath::open_folder(root.fd, within).map_err(|why| unreadable(&here(), why))?;
    let mut names = Vec::new();
    for entry in Dir::new(folder).map_err(|why| unreadable(&here(), why))? {
        let entry = entry.map_err(|why| unreadable(&here(), why))?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." || is_junk(&name.to_string_lossy()) {
            continue;
        }
        // A list of names takes memory, and the author of the bot may create millions of files.
        if names.len() > most as usize {
            let one = shown(within.join(name).as_os_str().as_bytes());
            return Err(Flaw::new(format!("there are more than {most} files and folders, `{one}` is one more"))
                .hint("leave out what the bot does not need"));
        }
        names.push(name.to_owned());
    }
    names.sort();
    Ok(names)
}

/// Imports a single file. Its name is the last part of `path`.
pub(super) fn read_one(file: &File, path: &Path, intake: &mut Intake) -> Result<(), Flaw> {
    let raw = path.file_name().unwrap_or_default().as_bytes();
    let about = fstat(file).map_err(|why| broken(raw, &why.into()))?;
    copy(file, &about, raw, intake)
}

/// What was imported. The content of folders remains to be read.
enum Taken {
    File,
    Folder,
    /// A virtual environment of Python.
    Environment,
}

/// Returns whether there is a virtual environment at a path without links, whose packages are imported.
fn is_taken_environment(root: &Root<'_>, path: &Path) -> bool {
    let is_left_out = path.iter().any(|part| is_junk(&part.to_string_lossy()));
    let is_own_folder = path.as_os_str().is_empty();
    !is_own_folder && !is_left_out && beneath::kind(root.fd, &path.join(VENV)) == Ok(FileType::RegularFile)
}

/// Imports the file or folder `path` in the folder `root`.
fn take(root: &Root<'_>, path: &Path, intake: &mut Intake) -> Result<Taken, Flaw> {
    let raw = path.as_os_str().as_bytes();
    match beneath::kind(root.fd, path).map_err(|why| changed(raw, why))? {
        FileType::Directory => {
            let folder = beneath::open_folder(root.fd, path).map_err(|why| changed(raw, why))?;
            let mark = statat(&folder, VENV, AtFlags::SYMLINK_NOFOLLOW);
            let venv = mark.is_ok_and(|about| FileType::from_raw_mode(about.st_mode) == FileType::RegularFile);
            intake.folder(raw)?;
            Ok(if venv { Taken::Environment } else { Taken::Folder })
        }
        FileType::Symlink => {
            let target = beneath::resolve(root.fd, root.place, path).map_err(|why| bad_link(raw, why))?;
            let is_folder = || beneath::kind(root.fd, &target) == Ok(FileType::Directory);
            if target.as_os_str().is_empty() || is_folder() {
                return Err(Flaw::new(format!("the link `{}` leads to a folder", shown(raw)))
                    .hint("put a copy of the folder in its place"));
            }
            take_file(root, &target, raw, intake)?;
            Ok(Taken::File)
        }
        FileType::RegularFile => {
            take_file(root, path, raw, intake)?;
            Ok(Taken::File)
        }
        _ => Err(special(raw)),
    }
}

/// Imports the file `path` below the root with the name `raw`. There must be no link on the path.
fn take_file(root: &Root<'_>, path: &Path, raw: &[u8], intake: &mut Intake) -> Result<(), Flaw> {
    if beneath::kind(root.fd, path).map_err(|why| changed(raw, why))? != FileType::RegularFile {
        return Err(special(raw));
    }
    let file = File::from(beneath::open_file(root.fd, path).map_err(|why| changed(raw, why))?);
    let about = fstat(&file).map_err(|why| broken(raw, &why.into()))?;
    // Some systems let users create hard links to files of other users, so a file in the folder may not belong to its
    // owner.
    if about.st_nlink > 1 && about.st_uid != root.owner {
        return Err(Flaw::new(format!("`{}` is a hard link to a file of another user", shown(raw)))
            .hint("put a copy of the file in its place"));
    }
    copy(&file, &about, raw, intake)
}

/// Copies an open file with the name `raw`.
fn copy(file: &File, about: &Stat, raw: &[u8], intake: &mut Intake) -> Result<(), Flaw> {
    // The file may have been replaced between the check of the path and its opening.
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(special(raw));
    }
    let most = intake.limits().file;
    if u64::try_from(about.st_size).is_ok_and(|size| size > most) {
        return Err(too_large_file(raw, most));
    }
    // Read one byte more, to notice a file that grows while it is read.
    #[allow(clippy::useless_conversion, reason = "a mode has another width on some systems")]
    let mode = u32::from(about.st_mode) & 0o7777;
    intake.file(raw, mode, &mut file.take(most + 1))
}

fn special(raw: &[u8]) -> Flaw {
    Flaw::new(format!("`{}` is neither a file nor a folder", shown(raw)))
        .hint("remove it: a bot may contain only regular files")
}

fn bad_link(raw: &[u8], why: BadLink) -> Flaw {
    let raw = shown(raw);
    match why {
        BadLink::Outside => Flaw::new(format!("the link `{raw}` leads out of the folder"))
            .hint("put a copy of what it leads to in its place"),
        BadLink::Nowhere(why) => {
            Flaw::new(format!("the link `{raw}` leads nowhere: {}", std::io::Error::from(why))).hint("remove it")
        }
    }
}

/// Returns the error for a file that cannot be opened, perhaps because a link has replaced it.
fn changed(raw: &[u8], why: Errno) -> Flaw {
    if matches!(why, Errno::LOOP | Errno::NOTDIR | Errno::NOENT) {
        return Flaw::new(format!("`{}` was changed while it was read", shown(raw)))
            .hint("try again when nobody writes to the folder");
    }
    broken(raw, &why.into())
}

fn unreadable(path: &Path, why: Errno) -> Flaw {
    Shortage::note(why);
    Flaw::new(format!("cannot read `{}`: {}", shown_path(path), std::io::Error::from(why)))
}

fn shown_path(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}
