//! A root of its own: the system read-only, what the bot may see at its own place, and nothing else of the host.

use super::begin;
use crate::{Refused, Step, script::Script, system, tree};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, unmount,
};
use std::{
    ffi::CString,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    time::Duration,
};

/// Where the host's root is while the new one is made.
pub(crate) const HOST: &str = "/.host";
/// Where the new root is made, and then moved away from: any folder that every system has.
const NEW_ROOT: &str = "/usr";
const NOTHING: &str = "/dev/null";
const STEP: Step = Step::Root;
/// What in `/proc` is not of the processes inside and not of the machine: the names of keys that whoever runs the match
/// has in the kernel, and who has how many.
const OF_THE_USER: &[&str] = &["/proc/keys", "/proc/key-users"];
/// How often a mount that is busy is tried again, a millisecond apart.
const BUSY_TRIES: u32 = 200;

/// Makes the root and moves into it. The process is in a mount namespace of its own. The host is in a folder of the root
/// until [`let_go_of_host`].
pub(crate) fn make(script: &Script, user: u32, as_root: bool) -> Result<(), Refused> {
    begin(STEP)?;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .map_err(Refused::call(STEP, "private mounts"))?;
    tmpfs(NEW_ROOT, "size=4m,nr_inodes=4096,mode=0755")?;
    let put_old = format!("{NEW_ROOT}{HOST}");
    fs::create_dir(&put_old).map_err(Refused::about(STEP, Path::new(&put_old)))?;
    rustix::process::pivot_root(NEW_ROOT, put_old.as_str()).map_err(Refused::call(STEP, "a new root"))?;
    rustix::process::chdir("/").map_err(Refused::call(STEP, "a new root"))?;

    system_folders()?;
    made_up_settings(user)?;
    devices()?;
    folder("/proc")?;
    mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)
        .map_err(Refused::call(Step::Proc, "a view of its own processes"))?;
    hide(OF_THE_USER)?;
    let private = |at: &str, mib: u32| {
        folder(at)?;
        tmpfs(at, &format!("size={}m,nr_inodes=4096,mode=0700,uid={user},gid={user}", mib.max(1)))
    };
    private("/tmp", script.limits.scratch_mib)?;
    private(system::HOME, script.limits.scratch_mib)?;

    for place in &script.shown {
        show(place)?;
    }
    for folder in script.folders.iter().chain([&script.dir]) {
        fs::create_dir_all(folder).map_err(Refused::about(STEP, folder))?;
    }
    for (name, place) in &script.links {
        link(name, place)?;
    }
    if let Some(work) = &script.work {
        begin(Step::Work)?;
        let at = work.at.to_string_lossy();
        folder(&at)?;
        tmpfs(&at, &format!("size={}m,nr_inodes=262144,mode=0755,uid={user},gid={user}", work.mib.max(1)))?;
        let from = host(&work.from);
        tree::copy(&from, &work.at, work.mib, tree::MOST_FILES)
            .map_err(|e| Refused::new(Step::Work, format!("`{}`", work.from.display()), e.cause()))?;
        if as_root {
            tree::give(&work.at, user).map_err(Refused::about(Step::Work, &work.at))?;
        }
    }
    Ok(())
}

/// The last step: the host is gone, and the root is read-only.
pub(crate) fn let_go_of_host() -> Result<(), Refused> {
    unmount(HOST, UnmountFlags::DETACH).map_err(Refused::call(STEP, "letting go of the host"))?;
    fs::remove_dir(HOST).map_err(Refused::about(STEP, Path::new(HOST)))?;
    restrict(Path::new("/"), false)
}

/// A path of the host while the root is made.
fn host(path: &Path) -> PathBuf {
    Path::new(HOST).join(path.strip_prefix("/").unwrap_or(path))
}

fn folder(at: &str) -> Result<(), Refused> {
    fs::create_dir_all(at).map_err(Refused::about(STEP, Path::new(at)))
}

fn tmpfs(at: &str, options: &str) -> Result<(), Refused> {
    let options = CString::new(options).unwrap_or_default();
    mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
        .map_err(|e| Refused::call(STEP, &format!("memory for `{at}`"))(e))
}

/// Programs and libraries, by the names that the host has for them.
fn system_folders() -> Result<(), Refused> {
    for place in system::FOLDERS.iter().chain(system::LINKS).chain(system::SETTINGS).map(Path::new) {
        let there = host(place);
        let Ok(kind) = there.symlink_metadata() else { continue };
        if kind.is_symlink() {
            let target = fs::read_link(&there).map_err(Refused::about(STEP, place))?;
            parents(place)?;
            symlink(target, place).map_err(Refused::about(STEP, place))?;
        } else {
            bind(place, kind.is_dir())?;
        }
    }
    Ok(())
}

/// What programs want to read of `/etc`, and what says nothing about the host.
fn made_up_settings(user: u32) -> Result<(), Refused> {
    folder("/etc")?;
    let home = system::HOME;
    for (name, text) in [
        ("/etc/passwd", format!("bot:x:{user}:{user}:bot:{home}:/bin/false\n")),
        ("/etc/group", format!("bot:x:{user}:\n")),
        ("/etc/hostname", "agon\n".into()),
        ("/etc/hosts", "127.0.0.1 localhost\n".into()),
        ("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n".into()),
    ] {
        fs::write(name, text).map_err(Refused::about(STEP, Path::new(name)))?;
    }
    Ok(())
}

fn devices() -> Result<(), Refused> {
    folder("/dev")?;
    for (device, _) in system::DEVICES {
        let (device, there) = (Path::new(device), host(Path::new(device)));
        if !there.exists() {
            continue;
        }
        fs::File::create(device).map_err(Refused::about(STEP, device))?;
        mount_bind_recursive(&there, device).map_err(|e| Refused::about(STEP, device)(e.into()))?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        let name = Path::new("/dev").join(name);
        symlink(target, &name).map_err(Refused::about(STEP, &name))?;
    }
    Ok(())
}

/// Puts nothing where files are.
fn hide(files: &[&str]) -> Result<(), Refused> {
    for file in files.iter().map(Path::new).filter(|file| file.exists()) {
        mount_bind_recursive(NOTHING, file).map_err(|e| Refused::about(STEP, file)(e.into()))?;
    }
    Ok(())
}

/// Shows a canonical file or folder of the host at its own place, unless a folder around it is shown already.
fn show(place: &Path) -> Result<(), Refused> {
    let there = host(place);
    let kind = there.symlink_metadata().map_err(Refused::about(Step::Folder, place))?;
    // Also if the same path exists by chance: only what is really the host's is shown.
    if let (Ok(here), Ok(there)) = (place.symlink_metadata(), there.symlink_metadata()) {
        use std::os::unix::fs::MetadataExt;
        if (here.dev(), here.ino()) == (there.dev(), there.ino()) {
            return Ok(());
        }
    }
    bind(place, kind.is_dir())
}

/// The host's file or folder at the same place, read-only.
fn bind(place: &Path, is_folder: bool) -> Result<(), Refused> {
    if is_folder {
        fs::create_dir_all(place).map_err(Refused::about(STEP, place))?;
    } else {
        parents(place)?;
        fs::File::create(place).map_err(Refused::about(STEP, place))?;
    }
    mount_bind_recursive(host(place), place).map_err(|e| Refused::about(STEP, place)(e.into()))?;
    restrict(place, true)
}

/// Another name of something that is shown.
fn link(name: &Path, place: &Path) -> Result<(), Refused> {
    if name.symlink_metadata().is_ok() {
        return Ok(());
    }
    parents(name)?;
    symlink(place, name).map_err(Refused::about(STEP, name))
}

fn parents(place: &Path) -> Result<(), Refused> {
    place.parent().map_or(Ok(()), |parent| fs::create_dir_all(parent).map_err(Refused::about(STEP, parent)))
}

/// Read-only, without devices and without programs that change who runs them: for a mount, or also for all below it.
fn restrict(place: &Path, below: bool) -> Result<(), Refused> {
    let path = CString::new(place.as_os_str().as_bytes()).unwrap_or_default();
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    let flags = if below { libc::AT_RECURSIVE } else { 0 };
    let mut tries = 0;
    loop {
        // SAFETY: the path is a text that ends with NUL, and the attributes have the size that is given.
        let done = unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                libc::AT_FDCWD,
                path.as_ptr(),
                flags,
                &raw const attributes,
                size_of_val(&attributes),
            )
        };
        if done == 0 {
            return Ok(());
        }
        let why = std::io::Error::last_os_error();
        // What was written a moment ago counts as open for writing until the kernel has let go of it, which takes it a
        // while on a loaded machine.
        if why.raw_os_error() != Some(libc::EBUSY) || tries == BUSY_TRIES {
            return Err(Refused::io(STEP, format!("`{}` cannot be made read-only", place.display()), &why));
        }
        tries += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
}
