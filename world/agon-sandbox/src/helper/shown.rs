//! Opens the files and folders that a bot may see, once and without following links. Otherwise the owner of a folder on
//! the path could replace it by a link to a home folder after the path was checked.

use rustix::{
    fd::OwnedFd,
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2},
    io::Errno,
};
use std::path::{Component, Path};

const PLACE: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A file or folder that is opened as a place in the file system, but not for reading.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The place.
    pub place: OwnedFd,
    /// Its metadata.
    pub about: Stat,
}

impl Shown {
    /// Opens an absolute path.
    pub(crate) fn open(path: &Path) -> Result<Self, Errno> {
        if path.components().any(|part| !matches!(part, Component::RootDir | Component::Normal(_))) {
            return Err(Errno::INVAL);
        }
        let place = match openat2(CWD, path, PLACE, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Some containers refuse this call as if the kernel did not have it.
            Err(Errno::NOSYS | Errno::PERM) => step_by_step(path)?,
            opened => opened?,
        };
        let about = fstat(&place)?;
        match FileType::from_raw_mode(about.st_mode) {
            FileType::Symlink => Err(Errno::LOOP),
            _ => Ok(Self { place, about }),
        }
    }

    pub(crate) fn is_folder(&self) -> bool {
        FileType::from_raw_mode(self.about.st_mode) == FileType::Directory
    }
}

/// Opens an absolute path, one component after the other. Opening a name below a link fails.
fn step_by_step(path: &Path) -> Result<OwnedFd, Errno> {
    let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let root = openat(CWD, "/", PLACE, Mode::empty())?;
    names.map(Component::as_os_str).try_fold(root, |place, name| openat(&place, name, PLACE, Mode::empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    #[test]
    fn nothing_on_the_way_is_a_link() {
        let top = std::env::temp_dir().canonicalize().expect("it is there");
        let top = top.join(format!("agon-shown-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        fs::create_dir_all(top.join("real/below")).expect("a folder");
        fs::write(top.join("real/file"), "x").expect("a file");
        symlink(top.join("real"), top.join("link")).expect("a link");
        let open = |name: &str| Shown::open(&top.join(name));
        assert!(open("real/below").expect("a folder").is_folder());
        assert!(!open("real/file").expect("a file").is_folder());
        assert_eq!(open("link").expect_err("a link"), Errno::LOOP);
        assert_eq!(open("link/below").expect_err("behind a link"), Errno::LOOP);
        assert!(step_by_step(&top.join("real/below")).is_ok());
        assert_eq!(step_by_step(&top.join("link/below")).expect_err("behind a link"), Errno::NOTDIR);
        assert_eq!(open("real/../real").expect_err("not from there"), Errno::INVAL);
        assert_eq!(open("nowhere").expect_err("nothing"), Errno::NOENT);
        let _ = fs::remove_dir_all(&top);
    }
}
