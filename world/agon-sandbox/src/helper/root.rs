//! Makes the root of a sandbox: the system, read-only, and the files that the bot may see, at their usual paths.
//! Nothing else of the host is in it.

use super::{
    begin,
    shown::Shown,
    site::{self, HOST, restrict},
    system_files::{self, System},
};
use crate::{Refused, Step, script::Script, system, tree};
use rustix::{
    io::Errno,
    mount::{MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, unmount},
};
use std::{
    ffi::CString,
    fs,
    path::{Component, Path, PathBuf},
};

/// The folder on which the new root is mounted before it becomes the root. Every system has this folder.
const NEW_ROOT: &str = "/usr";
const NOTHING: &str = "/dev/null";
const STEP: Step = Step::Root;
/// Files in `/proc` that would show something about the user who runs the match: the names of the user's keys in the
/// kernel, and how many keys each user has.
const OF_THE_USER: &[&str] = &["/proc/keys", "/proc/key-users"];

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

    let system = System::of_host();
    system_files::show(&system.programs)?;
    system_files::show(&system.settings)?;
    system_files::made_up_settings(user)?;
    system_files::devices(&system.devices)?;
    site::folder(Path::new("/proc"))?;
    mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)
        .map_err(Refused::call(Step::Proc, "mounting `/proc`"))?;
    hide(OF_THE_USER)?;
    let private = |at: &str, mib: u32| {
        site::folder(Path::new(at))?;
        tmpfs(at, &format!("size={}m,nr_inodes=4096,mode=0700,uid={user},gid={user}", mib.max(1)))
    };
    private("/tmp", script.limits.scratch_mib)?;
    private(system::HOME, script.limits.scratch_mib)?;

    for place in &script.shown {
        show(place)?;
    }
    script.folders.iter().chain([&script.dir]).try_for_each(|at| site::folder(at))?;
    for (name, place) in &script.links {
        link(name, place)?;
    }
    if let Some(work) = &script.work {
        begin(Step::Work)?;
        let at = work.at.to_string_lossy();
        site::folder(&work.at)?;
        tmpfs(&at, &format!("size={}m,nr_inodes=262144,mode=0755,uid={user},gid={user}", work.mib.max(1)))?;
        let from = site::of_host(&work.from);
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
    match paths(script).find(|path| is_in(path, HOST)) {
        Some(path) => {
            Err(Refused::other(Step::Folder, format!("`{}` is in `{HOST}`, which is reserved", path.display())))
        }
        None => Ok(()),
    }
}

/// All paths at which something is made for this script.
fn paths(script: &Script) -> impl Iterator<Item = &PathBuf> {
    let links = script.links.iter().map(|(name, _)| name);
    let work = script.work.iter().map(|work| &work.at);
    [&script.dir].into_iter().chain(&script.folders).chain(&script.shown).chain(links).chain(work)
}

fn is_in(path: &Path, folder: &str) -> bool {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain.starts_with(folder)
}

fn tmpfs(at: &str, options: &str) -> Result<(), Refused> {
    let options = CString::new(options).unwrap_or_default();
    mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
        .map_err(|e| Refused::call(STEP, &format!("mounting a tmpfs at `{at}`"))(e))
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
    let shown = Shown::open(&site::of_host(place)).map_err(|e| Refused::about(Step::Folder, place)(e.into()))?;
    // The files are compared, because the path may exist in the new root without being the host's file.
    if let Ok(here) = rustix::fs::lstat(place)
        && (here.st_dev, here.st_ino) == (shown.about.st_dev, shown.about.st_ino)
    {
        return Ok(());
    }
    site::target(place, shown.is_folder())?;
    site::show_open(&shown.place, place)
}

/// Makes a link: another name for a file or folder that is shown.
fn link(name: &Path, place: &Path) -> Result<(), Refused> {
    if name.symlink_metadata().is_ok() {
        return Ok(());
    }
    site::link(place, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_into_the_hosts_root_is_found_however_it_is_written() {
        for inside in ["/.host", "/.host/usr", "/.host/", "/./.host", "/tmp/../.host", "/a/../../.host/b"] {
            assert!(is_in(Path::new(inside), HOST), "{inside}");
        }
        for outside in ["/", "/.hosts", "/a/.host", "/.host/..", "/.host/../home"] {
            assert!(!is_in(Path::new(outside), HOST), "{outside}");
        }
    }
}
