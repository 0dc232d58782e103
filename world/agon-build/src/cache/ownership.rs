//! Checks whether a folder belongs to the user alone. That includes the folders around it: whoever can write to one of them
//! can replace the folder.

use rustix::process::geteuid;
use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The permissions of the group and of others to write.
const OTHERS_MAY_WRITE: u32 = 0o022;
/// In a folder with this bit, only the owner of a file can rename or remove it.
const STICKY: u32 = 0o1000;

/// Returns why another user could have written the file or folder at a path.
pub(super) fn not_ours(path: &Path, about: &Metadata) -> Option<String> {
    if about.uid() != geteuid().as_raw() {
        return Some(format!("`{}` belongs to another user", path.display()));
    }
    // The permissions of a link mean nothing.
    (about.mode() & OTHERS_MAY_WRITE != 0 && !about.is_symlink()).then(|| writable(path))
}

/// Returns whether the user owns a file or folder to which others can write.
pub(super) fn is_only_writable(about: &Metadata) -> bool {
    about.uid() == geteuid().as_raw() && about.mode() & OTHERS_MAY_WRITE != 0
}

/// Returns why another user can decide what is in the folder at a path, which must have no links. Looks at the folders
/// around it, too.
///
/// # Errors
/// If the metadata of a folder cannot be read.
pub(super) fn others_decide(path: &Path) -> io::Result<Option<String>> {
    let nobody = unmapped_user();
    for folder in path.ancestors() {
        let about = fs::symlink_metadata(folder)?;
        let owner = about.uid();
        if owner != 0 && owner != geteuid().as_raw() && Some(owner) != nobody {
            return Ok(Some(format!("`{}` belongs to another user", folder.display())));
        }
        if about.mode() & OTHERS_MAY_WRITE != 0 && about.mode() & STICKY == 0 {
            return Ok(Some(writable(folder)));
        }
    }
    Ok(None)
}

/// Splits a path: returns the part that exists, with links resolved, and the rest.
pub(super) fn existing(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let path = std::path::absolute(path)?;
    for folder in path.ancestors() {
        match fs::canonicalize(folder) {
            Ok(real) => {
                let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
                return Ok((real, rest.to_owned()));
            }
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => return Err(why),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

fn writable(path: &Path) -> String {
    format!("`{}` can be written to by other users", path.display())
}

/// Returns the user ID that a user namespace shows for all users that it does not map. There it stands for the owner of `/`,
/// who is root on the host. `None` if all users are mapped: then it is a user like any other.
fn unmapped_user() -> Option<u32> {
    let map = fs::read_to_string("/proc/self/uid_map").ok()?;
    let mapped: u64 = map.lines().filter_map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok()).sum();
    let overflow = fs::read_to_string("/proc/sys/kernel/overflowuid").ok()?;
    overflow.trim().parse().ok().filter(|_| mapped < u64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};

    #[test]
    fn a_folder_is_as_safe_as_those_around_it() {
        let top = fs::canonicalize(std::env::temp_dir()).expect("it is there");
        let top = top.join(format!("agon-ownership-{}", std::process::id()));
        fs::create_dir_all(top.join("a/b")).expect("a folder");
        let mode = |name: &str, mode: u32| {
            fs::set_permissions(top.join(name), Permissions::from_mode(mode)).expect("it is ours");
        };
        for folder in ["", "a", "a/b"] {
            mode(folder, 0o755);
        }
        let said = || others_decide(&top.join("a/b")).expect("it can be looked at");
        assert_eq!(said(), None);
        for bad in [0o775, 0o757, 0o777] {
            mode("a", bad);
            assert_eq!(said(), Some(writable(&top.join("a"))), "{bad:o}");
        }
        mode("a", 0o1777);
        assert_eq!(said(), None, "only the owner can exchange what lies there");
        mode("a", 0o755);
        let about = |name: &str| fs::metadata(top.join(name)).expect("it is there");
        assert_eq!(not_ours(&top, &about("a")), None);
        if geteuid().is_root() {
            std::os::unix::fs::chown(top.join("a"), Some(4242), None).expect("we are root");
            assert!(said().is_some_and(|why| why.contains("/a` belongs to another user")));
            assert!(not_ours(&top, &about("a")).is_some());
        }
        std::os::unix::fs::symlink("a/b", top.join("link")).expect("a link");
        let found = existing(&top.join("link/c/d")).expect("part of it is there");
        assert_eq!(found, (top.join("a/b"), "c/d".into()));
        fs::remove_dir_all(&top).expect("it is ours");
    }
}
