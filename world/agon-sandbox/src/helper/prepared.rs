//! Folders of the system that are the same for all bots: `/etc` and `/dev`. The fork server makes each once, as a tree of
//! mounts without a place, and every root gets a copy of it. Making all these files and mounts anew takes half of the time
//! of a root.
//!
//! This needs root, and Linux 6.15 or later, which copies such trees. Everywhere else each root has its own.

use super::{
    site::{Site, copy_of, set_attributes},
    system_files::{self, Kind, System},
    unused_user,
};
use crate::{Refused, Step};
use rustix::{
    fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen},
};
use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// The folders that can be prepared.
pub(super) const FOLDERS: [&str; 2] = ["/etc", "/dev"];

/// The trees of this fork server, as [`FOLDERS`]. `None` if they cannot be made here.
static TREES: OnceLock<Option<Trees>> = OnceLock::new();

/// The device and the inode of a file or folder.
type Identity = (u64, u64);

struct Trees {
    folders: [OwnedFd; 2],
    /// The files and folders of the host that are in the trees.
    shown: Vec<(&'static Path, Identity)>,
}

/// Makes the trees, for all copies of this process that are made from now on.
pub(super) fn prepare(system: &System) {
    TREES.get_or_init(|| unused_user().and_then(|_| Trees::new(system)));
}

/// The descriptors that a copy of the fork server must keep open to use the trees.
pub(super) fn descriptors() -> impl Iterator<Item = u32> {
    let trees = TREES.get().into_iter().flatten();
    trees.flat_map(|trees| trees.folders.each_ref().map(|tree| tree.as_raw_fd().unsigned_abs()))
}

/// Puts a copy of each tree into the root of this process. Returns whether there are trees that can be copied here. The
/// host's root must be in [`HOST`](super::site::HOST).
pub(super) fn attach() -> Result<bool, Refused> {
    let Some(trees) =
        TREES.get().into_iter().flatten().find(|trees| are_unchanged(&trees.shown, |place| Site::ROOT.of_host(place)))
    else {
        return Ok(false);
    };
    let [Ok(etc), Ok(dev)] = trees.folders.each_ref().map(copy_of) else { return Ok(false) };
    for (tree, place) in [etc, dev].iter().zip(FOLDERS.map(Path::new)) {
        Site::ROOT.folder(place)?;
        Site::ROOT.attach(tree, place).map_err(|e| Refused::about(Step::Root, place)(e.into()))?;
    }
    Ok(true)
}

impl Trees {
    fn new(system: &System) -> Option<Self> {
        let shown = system.settings.iter().filter(|(_, kind)| !matches!(kind, Kind::Link(_)));
        let shown = shown.map(|(place, _)| Some((*place, identity(place)?))).collect::<Option<_>>()?;
        let etc = tree(|tree| {
            let etc = Site::tree(tree, FOLDERS[0]);
            system_files::show(etc, &system.settings)?;
            system_files::made_up_settings(etc)?;
            system_files::links_to_users(etc)
        })?;
        let dev = tree(|tree| system_files::devices(Site::tree(tree, FOLDERS[1]), &system.devices))?;
        Some(Self { folders: [etc, dev], shown })
    }
}

/// Whether the host still has what it had. Who installs programs replaces such files.
fn are_unchanged(shown: &[(&Path, Identity)], on_host: impl Fn(&Path) -> PathBuf) -> bool {
    shown.iter().all(|(place, known)| identity(&on_host(place)) == Some(*known))
}

fn identity(place: &Path) -> Option<Identity> {
    place.metadata().ok().map(|about| (about.dev(), about.ino()))
}

/// Makes a folder in memory that nobody can change after `fill` has filled it. Not even the times of its files change, from
/// which one bot could see what another reads.
fn tree(fill: impl FnOnce(BorrowedFd<'_>) -> Result<(), Refused>) -> Option<OwnedFd> {
    let system = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC).ok()?;
    fsconfig_set_string(&system, "mode", "0755").ok()?;
    fsconfig_create(&system).ok()?;
    let limits =
        MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOATIME;
    let tree = fsmount(&system, FsMountFlags::FSMOUNT_CLOEXEC, limits).ok()?;
    fill(tree.as_fd()).ok()?;
    let read_only = libc::mount_attr { attr_set: libc::MOUNT_ATTR_RDONLY, attr_clr: 0, propagation: 0, userns_fd: 0 };
    set_attributes(tree.as_fd(), c"", libc::AT_EMPTY_PATH, &read_only).ok()?;
    Some(tree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_replaced_or_removed_file_is_noticed() {
        let top = std::env::temp_dir().join(format!("agon-prepared-{}", std::process::id()));
        fs::create_dir_all(&top).expect("a folder");
        let (cache, next) = (top.join("ld.so.cache"), top.join("ld.so.cache~"));
        fs::write(&cache, "old").expect("a file");
        let files = [(Path::new("/etc/ld.so.cache"), identity(&cache).expect("it exists"))];
        let unchanged = || are_unchanged(&files, |_| cache.clone());
        assert!(unchanged());
        fs::write(&next, "new").expect("a file");
        fs::rename(&next, &cache).expect("replaced");
        assert!(!unchanged());
        fs::remove_file(&cache).expect("removed");
        assert!(!unchanged());
        let _ = fs::remove_dir_all(&top);
    }
}
