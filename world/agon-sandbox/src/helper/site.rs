//! Makes folders, files and mounts in the root of this process, while the host's is in [`HOST`].

use crate::{Refused, Step};
use rustix::{
    fd::{AsRawFd, OwnedFd},
    fs::{CWD, FileType, Mode, mknodat},
    io::Errno,
    mount::{MoveMountFlags, OpenTreeFlags, mount_bind_recursive, move_mount, open_tree},
};
use std::{
    ffi::CString,
    fs, io,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    time::Duration,
};

/// The folder with the host's root while the new root is made.
pub(super) const HOST: &str = "/.host";
const STEP: Step = Step::Root;
/// How often a busy mount is tried again, with a pause of a millisecond.
const BUSY_TRIES: u32 = 200;

/// Makes a folder and those around it, unless they exist.
pub(super) fn folder(place: &Path) -> Result<(), Refused> {
    fs::create_dir_all(place).map_err(Refused::about(STEP, place))
}

/// Makes an empty file, and the folders around it, unless they exist.
fn file(place: &Path) -> Result<(), Refused> {
    let mode = Mode::from_raw_mode(0o644);
    let made = in_folder(place, || Ok(mknodat(CWD, place, FileType::RegularFile, mode, 0)?));
    match made {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(Refused::about(STEP, place)),
    }
}

/// Makes a link, and the folders around it.
pub(super) fn link(target: &Path, place: &Path) -> Result<(), Refused> {
    in_folder(place, || symlink(target, place)).map_err(Refused::about(STEP, place))
}

/// Makes something. If a folder around it is missing, makes that first.
fn in_folder(place: &Path, make: impl Fn() -> io::Result<()>) -> io::Result<()> {
    match (make(), place.parent()) {
        (Err(e), Some(around)) if e.kind() == io::ErrorKind::NotFound && folder(around).is_ok() => make(),
        (made, _) => made,
    }
}

/// Makes the empty file or folder that a mount covers.
pub(super) fn target(place: &Path, is_folder: bool) -> Result<(), Refused> {
    if is_folder { folder(place) } else { file(place) }
}

/// Mounts the host's file or folder at the same path, read-only. What was removed after the look at the system is left
/// out.
pub(super) fn show(place: &Path, is_folder: bool) -> Result<(), Refused> {
    target(place, is_folder)?;
    match mount_bind_recursive(of_host(place), place) {
        Ok(()) => restrict(place, true),
        Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(Refused::about(STEP, place)(e.into())),
    }
}

/// Mounts a device of the host at the same path.
pub(super) fn device(place: &Path) -> Result<(), Refused> {
    file(place)?;
    mount_bind_recursive(of_host(place), place).map_err(|e| Refused::about(STEP, place)(e.into()))
}

/// The path of a file of the host.
pub(super) fn of_host(place: &Path) -> PathBuf {
    under(HOST, place)
}

/// Mounts an open file or folder, with the mounts below it, at a path, read-only.
pub(super) fn show_open(shown: &OwnedFd, place: &Path) -> Result<(), Refused> {
    let copy = OpenTreeFlags::OPEN_TREE_CLONE
        .union(OpenTreeFlags::OPEN_TREE_CLOEXEC)
        .union(OpenTreeFlags::AT_RECURSIVE)
        .union(OpenTreeFlags::AT_EMPTY_PATH);
    open_tree(shown, "", copy)
        .and_then(|tree| move_mount(&tree, "", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH))
        .map_err(|e| Refused::about(STEP, place)(e.into()))?;
    restrict(place, true)
}

/// An absolute path in a root that is elsewhere.
pub(super) fn under(root: &str, place: &Path) -> PathBuf {
    Path::new(root).join(place.strip_prefix("/").unwrap_or(place))
}

/// Makes a mount read-only, and without devices and set-user-ID programs. If `below` is set, this includes all mounts
/// below it.
pub(super) fn restrict(place: &Path, below: bool) -> Result<(), Refused> {
    let path = CString::new(place.as_os_str().as_bytes()).unwrap_or_default();
    let set = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    let attributes = libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let mut tries = 0;
    loop {
        // SAFETY: the path is a text that ends with NUL, and the attributes have the size that is given.
        let done = unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                CWD.as_raw_fd(),
                path.as_ptr(),
                if below { libc::AT_RECURSIVE } else { 0 },
                &raw const attributes,
                size_of_val(&attributes),
            )
        };
        if done == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        // A file that was just written counts as open for writing until the kernel has released it, which takes a
        // while on a loaded machine.
        if error.kind() != io::ErrorKind::ResourceBusy || tries == BUSY_TRIES {
            return Err(Refused::io(STEP, format!("making `{}` read-only", place.display()), &error));
        }
        tries += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
}
