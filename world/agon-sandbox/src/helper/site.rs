//! Makes folders, files and mounts in the root of this process, or in a tree of mounts that has no place yet.

use crate::{Refused, Step};
use rustix::{
    fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat, symlinkat},
    io::Errno,
    mount::{MoveMountFlags, OpenTreeFlags, mount_bind_recursive, move_mount, open_tree},
};
use std::{
    ffi::{CStr, CString},
    fs::File,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The folder with the host's root while the new root is made.
pub(super) const HOST: &str = "/.host";
const STEP: Step = Step::Root;
const COPY: OpenTreeFlags =
    OpenTreeFlags::OPEN_TREE_CLONE.union(OpenTreeFlags::OPEN_TREE_CLOEXEC).union(OpenTreeFlags::AT_RECURSIVE);
/// How often a busy mount is tried again, with a pause of a millisecond.
const BUSY_TRIES: u32 = 200;

/// Where files of a bot's root are made. Their paths are always those that the bot sees.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    /// The tree, which is a folder of the bot's root.
    tree: BorrowedFd<'a>,
    /// The path of this folder.
    top: &'static str,
    /// Where the host's root is.
    host: &'static str,
}

impl<'a> Site<'a> {
    /// The root of this process, while the host's is in [`HOST`].
    pub const ROOT: Self = Self { tree: CWD, top: "", host: HOST };

    /// A tree that is going to be the folder `top`, made by a process with the host's root.
    pub const fn tree(tree: BorrowedFd<'a>, top: &'static str) -> Self {
        Self { tree, top, host: "/" }
    }

    fn name<'p>(&self, place: &'p Path) -> &'p Path {
        place.strip_prefix(self.top).unwrap_or(place)
    }

    fn is_root(&self) -> bool {
        self.top.is_empty()
    }

    /// Makes a folder and those around it, unless they exist.
    pub fn folder(&self, place: &Path) -> Result<(), Refused> {
        let make = |at: &Path| match mkdirat(self.tree, at, Mode::from_raw_mode(0o755)) {
            Err(Errno::EXIST) => Ok(()),
            made => made,
        };
        let name = self.name(place);
        let made = match make(name) {
            Err(Errno::NOENT) => {
                // A longer path takes no more of the stack.
                let all: Vec<_> = name.ancestors().filter(|at| !at.as_os_str().is_empty()).collect();
                all.into_iter().rev().try_for_each(make)
            }
            made => made,
        };
        made.map_err(|e| Refused::about(STEP, place)(e.into()))
    }

    /// Makes an empty file, and the folders around it, unless they exist.
    pub fn file(&self, place: &Path) -> Result<(), Refused> {
        let make = |at: &Path| mknodat(self.tree, at, FileType::RegularFile, Mode::from_raw_mode(0o644), 0);
        match self.in_folder(place, make) {
            Err(Errno::EXIST) => Ok(()),
            made => made.map_err(|e| Refused::about(STEP, place)(e.into())),
        }
    }

    /// Makes a link, and the folders around it.
    pub fn link(&self, target: &Path, place: &Path) -> Result<(), Refused> {
        self.in_folder(place, |at| symlinkat(target, self.tree, at)).map_err(|e| Refused::about(STEP, place)(e.into()))
    }

    /// Makes a file with a text, in a folder that exists.
    pub fn write(&self, place: &Path, text: &str) -> Result<(), Refused> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let written = openat(self.tree, self.name(place), flags, Mode::from_raw_mode(0o644))
            .map_err(Into::into)
            .and_then(|file| File::from(file).write_all(text.as_bytes()));
        written.map_err(Refused::about(STEP, place))
    }

    /// Makes something. If a folder around it is missing, makes that first.
    fn in_folder<T>(&self, place: &Path, make: impl Fn(&Path) -> Result<T, Errno>) -> Result<T, Errno> {
        let name = self.name(place);
        match (make(name), place.parent()) {
            (Err(Errno::NOENT), Some(around)) if self.folder(around).is_ok() => make(name),
            (made, _) => made,
        }
    }

    /// Makes the empty file or folder that a mount covers.
    pub fn target(&self, place: &Path, is_folder: bool) -> Result<(), Refused> {
        if is_folder { self.folder(place) } else { self.file(place) }
    }

    /// Mounts the host's file or folder at the same path, read-only. What was removed after the look at the system is left
    /// out.
    pub fn show(&self, place: &Path, is_folder: bool) -> Result<(), Refused> {
        self.target(place, is_folder)?;
        let shown = if self.is_root() {
            // This takes fewer calls than a copy.
            mount_bind_recursive(self.of_host(place), place)
        } else {
            self.copy(place).and_then(|copy| {
                set_read_only(copy.as_fd(), c"", libc::AT_EMPTY_PATH | libc::AT_RECURSIVE)?;
                self.attach(&copy, place)
            })
        };
        match shown {
            Ok(()) if self.is_root() => restrict(place, true),
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(Refused::about(STEP, place)(e.into())),
        }
    }

    /// Mounts a device of the host at the same path.
    pub fn device(&self, place: &Path) -> Result<(), Refused> {
        self.file(place)?;
        let mounted = if self.is_root() {
            mount_bind_recursive(self.of_host(place), place)
        } else {
            self.copy(place).and_then(|copy| self.attach(&copy, place))
        };
        mounted.map_err(|e| Refused::about(STEP, place)(e.into()))
    }

    /// The path of a file of the host.
    pub fn of_host(&self, place: &Path) -> PathBuf {
        under(self.host, place)
    }

    /// A copy of the mounts at and below a path of the host.
    fn copy(&self, place: &Path) -> Result<OwnedFd, Errno> {
        open_tree(CWD, self.of_host(place), COPY)
    }

    /// Puts a tree of mounts over what is at a path.
    pub fn attach(&self, tree: &OwnedFd, place: &Path) -> Result<(), Errno> {
        move_mount(tree, "", self.tree, self.name(place), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
    }
}

/// An absolute path in a root that is elsewhere.
pub(super) fn under(root: &str, place: &Path) -> PathBuf {
    Path::new(root).join(place.strip_prefix("/").unwrap_or(place))
}

/// A copy of the mounts at and below an open file or folder. It can be attached once.
pub(super) fn copy_of(place: &OwnedFd) -> Result<OwnedFd, Errno> {
    open_tree(place, "", COPY | OpenTreeFlags::AT_EMPTY_PATH)
}

/// Makes a mount read-only, and without devices and set-user-ID programs. If `below` is set, this includes all mounts
/// below it.
pub(super) fn restrict(place: &Path, below: bool) -> Result<(), Refused> {
    let path = CString::new(place.as_os_str().as_bytes()).unwrap_or_default();
    set_read_only(CWD, &path, if below { libc::AT_RECURSIVE } else { 0 })
        .map_err(Refused::call(STEP, &format!("making `{}` read-only", place.display())))
}

fn set_read_only(dir: BorrowedFd<'_>, path: &CStr, flags: libc::c_int) -> Result<(), Errno> {
    let set = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    set_attributes(dir, path, flags, &libc::mount_attr { attr_set: set, attr_clr: 0, propagation: 0, userns_fd: 0 })
}

/// Sets attributes of mounts.
pub(super) fn set_attributes(
    dir: BorrowedFd<'_>,
    path: &CStr,
    flags: libc::c_int,
    attributes: &libc::mount_attr,
) -> Result<(), Errno> {
    let mut tries = 0;
    loop {
        // SAFETY: the path is a text that ends with NUL, and the attributes have the size that is given.
        let done = unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                dir.as_raw_fd(),
                path.as_ptr(),
                flags,
                std::ptr::from_ref(attributes),
                size_of_val(attributes),
            )
        };
        if done == 0 {
            return Ok(());
        }
        let why = Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL);
        // A file that was just written counts as open for writing until the kernel has released it, which takes a
        // while on a loaded machine.
        if why != Errno::BUSY || tries == BUSY_TRIES {
            return Err(why);
        }
        tries += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
}
