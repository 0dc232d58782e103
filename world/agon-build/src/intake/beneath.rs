//! Files beneath a folder that somebody else may change at any moment: each is reached from a descriptor of the folder,
//! so that no link that appears on the way leads elsewhere.

use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{AtFlags, FileType, Mode, OFlags, openat, readlinkat, statat},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
};

/// For a folder.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// For a file. A pipe must not keep us waiting for its other end, and a terminal must not become ours.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
/// As many links as the system follows.
const MOST_LINKS: u32 = 40;

/// Why a link cannot be followed to a file beneath its folder.
pub(super) enum BadLink {
    /// It leads out of the folder.
    Outside,
    /// It leads to nothing.
    Nowhere(Errno),
}

/// Opens a folder beneath `root`; an empty path is `root` itself.
pub(super) fn open_folder(root: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    open(root, if path.as_os_str().is_empty() { Path::new(".") } else { path }, FOLDER)
}

/// Opens a file beneath `root`. It may be anything but a link.
pub(super) fn open_file(root: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    open(root, path, FILE)
}

/// What lies at a path beneath `root`, itself and not what it may link to.
pub(super) fn kind(root: BorrowedFd<'_>, path: &Path) -> Result<FileType, Errno> {
    let folder = open_folder(root, path.parent().unwrap_or(Path::new("")))?;
    let about = statat(&folder, path.file_name().unwrap_or_default(), AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(about.st_mode))
}

/// Where a link beneath `root` leads, as a path beneath `root` without links. `place` is the path of `root`, for links
/// that name it.
pub(super) fn resolve(root: BorrowedFd<'_>, place: &Path, link: &Path) -> Result<PathBuf, BadLink> {
    let mut done = link.parent().unwrap_or(Path::new("")).to_owned();
    // What is left of the path, the next step last.
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

/// Opens what lies beneath `root`, in one call that follows no link on its way.
#[cfg(target_os = "linux")]
fn open(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let strictly = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, path, flags, Mode::empty(), strictly) {
        // Kernels before 5.6 do not have it, and some containers refuse it.
        Err(Errno::NOSYS | Errno::PERM) => open_by_steps(root, path, flags),
        other => other,
    }
}

#[cfg(not(target_os = "linux"))]
fn open(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    open_by_steps(root, path, flags)
}

/// The same with a call for each folder on the way.
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
    use std::{
        fs::{self, File},
        io::Read,
        os::unix::fs::symlink,
    };

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
