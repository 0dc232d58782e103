//! Makes the root of a sandbox: the system, read-only, and the files that the bot may see, at their usual paths.
//! Nothing else of the host is in it.

use super::{begin, shown::Shown};
use crate::{Refused, Step, script::Script, system, tree};
use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    io::Errno,
    mount::{
        MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_bind_recursive,
        mount_change, move_mount, open_tree, unmount,
    },
};
use std::{
    ffi::CString,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Component, Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

/// The folder with the host's root while the new root is made.
pub(crate) const HOST: &str = "/.host";
/// The folder on which the new root is mounted before it becomes the root. Every system has this folder.
const NEW_ROOT: &str = "/usr";
const NOTHING: &str = "/dev/null";
const STEP: Step = Step::Root;
/// Files in `/proc` that would show something about the user who runs the match: the names of the user's keys in the
/// kernel, and how many keys each user has.
const OF_THE_USER: &[&str] = &["/proc/keys", "/proc/key-users"];
/// What the host has of the system. The fork server looks once, and its copies make the root of it.
static SYSTEM: OnceLock<System> = OnceLock::new();
/// How often a busy mount is tried again, with a pause of a millisecond.
const BUSY_TRIES: u32 = 200;

/// Makes the root and moves into it. The process must be in a new mount namespace.
pub(crate) fn make(script: &Script, user: u32, as_root: bool) -> Result<(), Refused> {
    begin(STEP)?;
    all_outside_of_host(script)?;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .map_err(Refused::call(STEP, "making the mounts private"))?;
    tmpfs(NEW_ROOT, "size=4m,nr_inodes=4096,mode=0755")?;
    let put_old = format!("{NEW_ROOT}{HOST}");
    fs::create_dir(&put_old).map_err(Refused::about(STEP, Path::new(&put_old)))?;
    rustix::process::pivot_root(NEW_ROOT, put_old.as_str()).map_err(Refused::call(STEP, "entering the new root"))?;
    rustix::process::chdir("/").map_err(Refused::call(STEP, "entering the new root"))?;

    let system = SYSTEM.get_or_init(|| System::under(HOST));
    system_folders(system)?;
    made_up_settings(user)?;
    devices(system)?;
    folder(Path::new("/proc"))?;
    mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)
        .map_err(Refused::call(Step::Proc, "mounting `/proc`"))?;
    hide(OF_THE_USER)?;
    let private = |at: &str, mib: u32| {
        folder(Path::new(at))?;
        tmpfs(at, &format!("size={}m,nr_inodes=4096,mode=0700,uid={user},gid={user}", mib.max(1)))
    };
    private("/tmp", script.limits.scratch_mib)?;
    private(system::HOME, script.limits.scratch_mib)?;

    for place in &script.shown {
        show(place)?;
    }
    script.folders.iter().chain([&script.dir]).try_for_each(|at| folder(at))?;
    for (name, place) in &script.links {
        link(name, place)?;
    }
    if let Some(work) = &script.work {
        begin(Step::Work)?;
        let at = work.at.to_string_lossy();
        folder(&work.at)?;
        tmpfs(&at, &format!("size={}m,nr_inodes=262144,mode=0755,uid={user},gid={user}", work.mib.max(1)))?;
        let from = host(&work.from);
        tree::copy(&from, &work.at, work.mib, tree::MOST_FILES)
            .map_err(|e| Refused::new(Step::Work, format!("`{}`", work.from.display()), e.cause()))?;
        if as_root {
            tree::give(&work.at, user).map_err(Refused::about(Step::Work, &work.at))?;
        }
    }
    let_go_of_host()
}

/// The last step: unmounts the host's root and makes the new one read-only.
fn let_go_of_host() -> Result<(), Refused> {
    unmount(HOST, UnmountFlags::DETACH).map_err(Refused::call(STEP, "unmounting the host's files"))?;
    fs::remove_dir(HOST).map_err(Refused::about(STEP, Path::new(HOST)))?;
    restrict(Path::new("/"), false)
}

/// Refuses a script with a path that would lead into the host's root while the new one is made.
fn all_outside_of_host(script: &Script) -> Result<(), Refused> {
    let links = script.links.iter().map(|(name, _)| name);
    let work = script.work.iter().map(|work| &work.at);
    let paths = [&script.dir].into_iter().chain(&script.folders).chain(&script.shown).chain(links).chain(work);
    match paths.into_iter().find(|path| is_in_host(path)) {
        Some(path) => {
            Err(Refused::other(Step::Folder, format!("`{}` is in `{HOST}`, which is reserved", path.display())))
        }
        None => Ok(()),
    }
}

fn is_in_host(path: &Path) -> bool {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain.starts_with(HOST)
}

/// The path of a file of the host while the root is made.
fn host(path: &Path) -> PathBuf {
    Path::new(HOST).join(path.strip_prefix("/").unwrap_or(path))
}

fn tmpfs(at: &str, options: &str) -> Result<(), Refused> {
    let options = CString::new(options).unwrap_or_default();
    mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
        .map_err(|e| Refused::call(STEP, &format!("mounting a tmpfs at `{at}`"))(e))
}

/// Looks at what the host has of the system.
pub(crate) fn prepare() {
    SYSTEM.get_or_init(|| System::under("/"));
}

#[derive(Debug)]
struct System {
    places: Vec<(&'static Path, Kind)>,
    devices: Vec<&'static Path>,
}

#[derive(Debug)]
enum Kind {
    Folder,
    File,
    /// A link with this target.
    Link(PathBuf),
}

impl System {
    fn under(root: &str) -> Self {
        let there = |place: &Path| Path::new(root).join(place.strip_prefix("/").unwrap_or(place));
        let kind = |place: &'static Path| {
            let about = there(place).symlink_metadata().ok()?;
            let kind = match about.file_type() {
                kind if kind.is_symlink() => Kind::Link(fs::read_link(there(place)).ok()?),
                kind if kind.is_dir() => Kind::Folder,
                _ => Kind::File,
            };
            Some((place, kind))
        };
        let devices = system::DEVICES.iter().map(|(device, _)| Path::new(*device));
        Self {
            places: system::system_places().filter_map(kind).collect(),
            devices: devices.filter(|device| there(device).exists()).collect(),
        }
    }
}

/// Shows programs and libraries at the paths that they have on the host.
fn system_folders(system: &System) -> Result<(), Refused> {
    for (place, kind) in &system.places {
        match kind {
            Kind::Link(target) => {
                parents(place)?;
                symlink(target, place).map_err(Refused::about(STEP, place))?;
            }
            Kind::Folder => bind(place, true)?,
            Kind::File => bind(place, false)?,
        }
    }
    Ok(())
}

/// Writes the files of `/etc` that programs need to read. They say nothing about the host.
fn made_up_settings(user: u32) -> Result<(), Refused> {
    folder(Path::new("/etc"))?;
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

fn devices(system: &System) -> Result<(), Refused> {
    folder(Path::new("/dev"))?;
    for device in &system.devices {
        file(device)?;
        mount_bind_recursive(host(device), *device).map_err(|e| Refused::about(STEP, device)(e.into()))?;
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

/// Covers those files with `/dev/null` that this kernel has.
fn hide(files: &[&str]) -> Result<(), Refused> {
    for file in files.iter().map(Path::new) {
        match mount_bind_recursive(NOTHING, file) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(Refused::about(STEP, file)(e.into())),
        }
    }
    Ok(())
}

/// Shows a canonical file or folder of the host at the same path, unless a folder around it is shown already.
fn show(place: &Path) -> Result<(), Refused> {
    let failed = |step| move |e: Errno| Refused::about(step, place)(e.into());
    let shown = Shown::open(&host(place)).map_err(failed(Step::Folder))?;
    // The files are compared, because the path may exist in the new root without being the host's file.
    if let Ok(here) = rustix::fs::lstat(place)
        && (here.st_dev, here.st_ino) == (shown.about.st_dev, shown.about.st_ino)
    {
        return Ok(());
    }
    target(place, shown.is_folder())?;
    let copy = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    let tree = open_tree(&shown.place, "", copy).map_err(failed(STEP))?;
    move_mount(&tree, "", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).map_err(failed(STEP))?;
    restrict(place, true)
}

/// Mounts the host's file or folder at the same path, read-only.
fn bind(place: &Path, is_folder: bool) -> Result<(), Refused> {
    target(place, is_folder)?;
    match mount_bind_recursive(host(place), place) {
        Ok(()) => restrict(place, true),
        // It was removed after the look at the system.
        Err(Errno::NOENT) => Ok(()),
        Err(e) => Err(Refused::about(STEP, place)(e.into())),
    }
}

/// Makes the empty file or folder that a mount covers.
fn target(place: &Path, is_folder: bool) -> Result<(), Refused> {
    if is_folder {
        return folder(place);
    }
    parents(place)?;
    file(place)
}

/// Makes a folder and those around it, unless they exist.
fn folder(at: &Path) -> Result<(), Refused> {
    match rustix::fs::mkdir(at, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(Errno::NOENT) => fs::create_dir_all(at).map_err(Refused::about(STEP, at)),
        Err(e) => Err(Refused::about(STEP, at)(e.into())),
    }
}

/// Makes an empty file, unless it exists.
fn file(at: &Path) -> Result<(), Refused> {
    match mknodat(CWD, at, FileType::RegularFile, Mode::from_raw_mode(0o644), 0) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(e) => Err(Refused::about(STEP, at)(e.into())),
    }
}

/// Makes a link: another name for a file or folder that is shown.
fn link(name: &Path, place: &Path) -> Result<(), Refused> {
    if name.symlink_metadata().is_ok() {
        return Ok(());
    }
    parents(name)?;
    symlink(place, name).map_err(Refused::about(STEP, name))
}

fn parents(place: &Path) -> Result<(), Refused> {
    place.parent().map_or(Ok(()), folder)
}

/// Makes a mount read-only, and without devices and set-user-ID programs. If `below` is set, this includes all mounts
/// below it.
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
        // A file that was just written counts as open for writing until the kernel has released it, which takes a
        // while on a loaded machine.
        if why.raw_os_error() != Some(libc::EBUSY) || tries == BUSY_TRIES {
            return Err(Refused::io(STEP, format!("making `{}` read-only", place.display()), &why));
        }
        tries += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_what_the_host_has_of_it() {
        let top = std::env::temp_dir().join(format!("agon-system-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        for folder in ["usr/bin", "etc", "dev"] {
            fs::create_dir_all(top.join(folder)).expect("a folder");
        }
        symlink("usr/bin", top.join("bin")).expect("a link");
        for file in ["etc/ld.so.cache", "dev/null", "etc/shadow"] {
            fs::write(top.join(file), "").expect("a file");
        }
        let System { places, devices } = System::under(top.to_str().expect("text"));
        let _ = fs::remove_dir_all(&top);
        assert_eq!(devices, [Path::new("/dev/null")]);
        let names: Vec<_> = places.iter().map(|(place, _)| *place).collect();
        assert_eq!(names, ["/usr", "/bin", "/etc/ld.so.cache"].map(Path::new));
        let kinds: Vec<_> = places.into_iter().map(|(_, kind)| kind).collect();
        assert!(
            matches!(&kinds[..], [Kind::Folder, Kind::Link(to), Kind::File] if to == Path::new("usr/bin")),
            "{kinds:?}"
        );
    }

    #[test]
    fn a_path_into_the_hosts_root_is_found_however_it_is_written() {
        for inside in ["/.host", "/.host/usr", "/.host/", "/./.host", "/tmp/../.host", "/a/../../.host/b"] {
            assert!(is_in_host(Path::new(inside)), "{inside}");
        }
        for outside in ["/", "/.hosts", "/a/.host", "/.host/..", "/.host/../home"] {
            assert!(!is_in_host(Path::new(outside)), "{outside}");
        }
    }
}
