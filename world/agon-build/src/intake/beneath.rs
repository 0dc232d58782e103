//! Access to files below a folder that someone else may change at any time. Every file is opened relative to a
//! descriptor of the folder, so that a link that appears on the path cannot lead elsewhere.

use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{AtFlags, FileType, Mode, OFlags, openat, readlinkat, statat},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

/// The flags to open a folder.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// The flags to open a file. `NONBLOCK`: a pipe would make us wait for its other end. `NOCTTY`: a terminal must not
/// become our controlling terminal.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
/// The maximum number of links on a path, the same as in the system.
const MOST_LINKS: u32 = 40;

/// Why a link does not lead to a file below the folder.
pub(super) enum BadLink {
    /// The link leads out of the folder.
    Outside,
    /// The target of the link does not exist or cannot be read.
    Nowhere(Errno),
}

/// Opens the file at a path below a folder. Follows no link on the way, so that nobody who changes the folder meanwhile can
/// lead the caller to another file.
///
/// # Errors
/// If there is no such file, the path leads out of the folder, or it is no regular file.
pub fn open_below(folder: &File, path: &Path) -> io::Result<File> {
    let file = File::from(open_file(folder.as_fd(), path)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
}

/// Opens a folder below `root`. An empty path is `root` itself.
pub(super) fn open_folder(root: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    open(root, if path.as_os_str().is_empty() { Path::new(".") } else { path }, FOLDER)
}

/// Opens a file below `root`. It may be of any type except a link.
pub(super) fn open_file(root: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    open(root, path, FILE)
}

/// Returns the type of the file at a path below `root`. Does not follow a link.
pub(super) fn kind(root: BorrowedFd<'_>, path: &Path) -> Result<FileType, Errno> {
    let folder = open_folder(root, path.parent().unwrap_or(Path::new("")))?;
    let about = statat(&folder, path.file_name().unwrap_or_default(), AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(about.st_mode))
}

/// Resolves a link below `root` to a path below `root` that contains no links. `place` is the path of `root`. It is
/// needed for absolute links.
pub(super) fn resolve(root: BorrowedFd<'_>, place: &Path, link: &Path) -> Result<PathBuf, BadLink> {
    let mut done = link.parent().unwrap_or(Path::new("")).to_owned();
    // The remaining steps of the path. The next step is the last element.
    let mut left: Vec<OsString> = link.file_name().map(OsStr::to_owned).into_iter().collect();
    let mut links = 0;
    while let Some(step) = left.pop() {
        if step == ".." {
            if !done.pop() {
                return Err(BadLink::Outside);
            }
            continue;
        }
        let next = done.join(&step);
        if kind(root, &next).map_err(BadLink::Nowhere)? != FileType::Symlink {
            done = next;
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(BadLink::Nowhere(Errno::LOOP));
        }
        let folder = open_folder(root, &done).map_err(BadLink::Nowhere)?;
        let target = readlinkat(&folder, &step, Vec::new()).map_err(BadLink::Nowhere)?;
        let mut target = Path::new(OsStr::from_bytes(target.as_bytes()));
        if target.is_absolute() {
            target = target.strip_prefix(place).map_err(|_| BadLink::Outside)?;
            done = PathBuf::new();
        }
        let steps = target.components().rev().filter(|step| *step != Component::CurDir);
        left.extend(steps.map(|step| step.as_os_str().to_owned()));
    }
    Ok(done)
}

/// Opens a file or folder below `root` with one call, which follows no link on the path.
#[cfg(target_os = "linux")]
fn open(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let strictly = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, path, flags, Mode::empty(), strictly) {
        // Kernels before 5.6 do not have this call, and some containers refuse it.
        Err(Errno::NOSYS | Errno::PERM) => open_by_steps(root, path, flags),
        other => other,
    }
}

#[cfg(not(target_os = "linux"))]
fn open(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    open_by_steps(root, path, flags)
}

/// Opens a file or folder below `root` with one call for each folder on the path.
fn open_by_steps(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut steps = path.components().peekable();
    let mut folder: Option<OwnedFd> = None;
    while let Some(step) = steps.next() {
        let here = folder.as_ref().map_or(root, AsFd::as_fd);
        let step = match step {
            Component::Normal(_) | Component::CurDir => step.as_os_str(),
            _ => return Err(Errno::XDEV),
        };
        if steps.peek().is_none() {
            return openat(here, step, flags, Mode::empty());
        }
        folder = Some(openat(here, step, FOLDER, Mode::empty())?);
    }
    Err(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::Read, os::unix::fs::symlink};

    type Open = fn(BorrowedFd<'_>, &Path, OFlags) -> Result<OwnedFd, Errno>;

    #[test]
    fn no_link_is_followed_on_the_way() {
        let folder = std::env::temp_dir().join(format!("agon-beneath-{}", std::process::id()));
        fs::create_dir_all(folder.join("root/a/b")).expect("a folder");
        fs::write(folder.join("root/a/b/file"), "inside").expect("a file");
        fs::write(folder.join("outside"), "outside").expect("a file");
        symlink("a", folder.join("root/link")).expect("a link");
        symlink("../outside", folder.join("root/leaf")).expect("a link");
        let root = File::open(folder.join("root")).expect("it is there");
        for open in [open as Open, open_by_steps] {
            let text = |path: &str| {
                let mut text = String::new();
                let file = open(root.as_fd(), Path::new(path), FILE)?;
                File::from(file).read_to_string(&mut text).expect("it is text");
                Ok::<_, Errno>(text)
            };
            assert_eq!(text("a/b/file"), Ok("inside".into()));
            for path in ["link/b/file", "leaf", "../outside", "a/../../outside", "/etc/passwd", "a/none"] {
                assert!(text(path).is_err(), "{path}");
            }
        }
        let led = |link: &str| resolve(root.as_fd(), &folder.join("root"), Path::new(link)).ok();
        symlink(folder.join("root/a/b/file"), folder.join("root/whole")).expect("a link");
        symlink("../link/b/file", folder.join("root/a/round")).expect("a link");
        symlink("/proc/self/root", folder.join("root/magic")).expect("a link");
        assert_eq!(led("whole"), Some("a/b/file".into()));
        assert_eq!(led("a/round"), Some("a/b/file".into()));
        assert_eq!((led("leaf"), led("magic")), (None, None));
        fs::remove_dir_all(&folder).expect("it is ours");
    }
}
