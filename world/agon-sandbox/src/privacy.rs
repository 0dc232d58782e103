//! Folders that a bot must not see as a whole, because they hold the files of users or belong to the system.

use crate::VisibilityError;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Shared folders: those that all users write to, or that belong to the system. A bot sees only the files that its
/// command names in them.
const SHARED: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/run/shm", "/etc", "/var", "/run"];

/// Folders that are views of the machine. A bot gets its own view of them, or none.
const MACHINE: &[&str] = &["/proc", "/sys", "/dev"];

/// Whether a folder is shared by many users.
pub(crate) fn is_shared(folder: &Path) -> bool {
    SHARED.iter().any(|shared| folder == Path::new(shared))
}

/// Whether a path leads to the machine and not to a file, as `/dev/stdin` and `/proc/self/environ` do.
pub(crate) fn is_machine(path: &Path) -> bool {
    MACHINE.iter().any(|top| path.starts_with(top)) && !path.starts_with("/dev/shm")
}

/// Checks that a bot may see everything in a file or folder.
///
/// # Errors
/// The path is `/`, a home folder, a folder that contains home folders, a shared folder such as `/tmp` or `/etc`, or
/// is in `/proc`, `/sys` or `/dev`.
pub fn may_be_shown(path: &Path) -> Result<(), VisibilityError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    is_open(path, &real, &homes())
}

/// Checks `real`, a path without links in it. Messages quote `path`.
pub(crate) fn is_open(path: &Path, real: &Path, homes: &[PathBuf]) -> Result<(), VisibilityError> {
    let shown = path.display();
    let what = if is_machine(real) {
        format!("`{shown}` shows the machine and other programs")
    } else if is_shared(real) {
        format!("`{shown}` is a shared folder: the bot could read everything in it")
    } else {
        match homes.iter().find(|home| home.starts_with(real)) {
            None => return Ok(()),
            Some(home) if home == real => {
                format!("`{shown}` is a home folder: the bot could read everything in it")
            }
            Some(_) => format!("`{shown}` contains home folders: the bot could read everything in them"),
        }
    };
    Err(VisibilityError {
        what,
        hint: "put the files of the bot into a folder of its own, or trust it: `--sandbox none`".into(),
    })
}

/// The home folders of users, and the folders that contain them.
pub(crate) fn homes() -> Vec<PathBuf> {
    let mut homes: Vec<_> = ["/root", "/home", "/Users"].map(PathBuf::from).into();
    homes.extend(std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute()));
    let real: Vec<_> = homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
    homes.extend(real);
    ["/home", "/Users"].into_iter().for_each(|folder| add_all_in(Path::new(folder), &mut homes));
    homes
}

/// Adds everything that is in a folder, and what it is without links. Only a link leads elsewhere, so that thousands of homes
/// need not all be looked up.
fn add_all_in(folder: &Path, homes: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    for entry in entries.flatten() {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        homes.extend(if is_link { entry.path().canonicalize().ok() } else { Some(real.join(entry.file_name())) });
        homes.push(entry.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_and_what_is_around_them_are_refused() {
        for folder in ["/", "/home", "/root"] {
            assert!(may_be_shown(Path::new(folder)).is_err(), "{folder}");
        }
        assert!(may_be_shown(Path::new("/root/bots")).is_ok());
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/root".into()));
        assert!(may_be_shown(&home).expect_err("a home").hint.contains("folder of its own"));
    }

    #[test]
    fn so_are_the_machine_and_what_everybody_writes_to() {
        for folder in ["/tmp", "/etc", "/proc", "/proc/1/fd", "/sys/kernel", "/dev", "/dev/fd"] {
            assert!(may_be_shown(Path::new(folder)).is_err(), "{folder}");
        }
        for folder in ["/tmp/bots", "/dev/shm/bots", "/srv/bots", "/processes"] {
            assert!(may_be_shown(Path::new(folder)).is_ok(), "{folder}");
        }
    }

    #[test]
    fn a_link_is_what_it_leads_to() {
        let link = std::env::temp_dir().join(format!("agon-privacy-{}", std::process::id()));
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink("/", &link).expect("a link");
        assert!(may_be_shown(&link).is_err());
        fs::remove_file(&link).expect("it is ours");
    }

    #[test]
    fn homes_are_found_under_both_names() {
        let top = std::env::temp_dir().join(format!("agon-homes-{}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        for folder in ["users/ada", "disk/bob"] {
            fs::create_dir_all(top.join(folder)).expect("a folder");
        }
        std::os::unix::fs::symlink(top.join("disk/bob"), top.join("users/bob")).expect("a link");
        std::os::unix::fs::symlink(top.join("users"), top.join("home")).expect("a link");
        let real = top.canonicalize().expect("it exists");
        let mut homes = Vec::new();
        add_all_in(&top.join("home"), &mut homes);
        for home in [top.join("home/ada"), real.join("users/ada"), top.join("home/bob"), real.join("disk/bob")] {
            assert!(homes.contains(&home), "{} is not among {homes:?}", home.display());
        }
        fs::remove_dir_all(&top).expect("it is ours");
    }
}
