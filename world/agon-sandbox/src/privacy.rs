//! Folders that are not a bot's own: to show one would be to show everything of somebody.

use crate::VisibilityError;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Folders that everybody writes to or that belong to the system: of these a bot sees the files that are named, and
/// nothing else.
const SHARED: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/run/shm", "/etc", "/var", "/run"];

/// What looks like folders and is the machine: a bot sees a view of its own, or none.
const MACHINE: &[&str] = &["/proc", "/sys", "/dev"];

/// Whether a folder holds files of many.
pub(crate) fn is_shared(folder: &Path) -> bool {
    SHARED.iter().any(|shared| folder == Path::new(shared))
}

/// Whether a path leads to the machine rather than to a file, as `/dev/stdin` and `/proc/self/environ`.
pub(crate) fn is_machine(path: &Path) -> bool {
    MACHINE.iter().any(|top| path.starts_with(top)) && !path.starts_with("/dev/shm")
}

/// Whether a file or folder may be shown to a bot as a whole.
///
/// # Errors
/// If it is `/`, a home, a folder of many, or around one, or of `/proc`, `/sys` or `/dev`.
pub fn may_be_shown(path: &Path) -> Result<(), VisibilityError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let shown = path.display();
    let what = if is_machine(&real) {
        format!("`{shown}` is a view of the machine and of other programs")
    } else if is_shared(&real) {
        format!("`{shown}` is a folder of everybody's: everything in it would be open to the bot")
    } else {
        match homes().iter().find(|home| home.starts_with(&real)) {
            None => return Ok(()),
            Some(home) if *home == real => {
                format!("`{shown}` is a home: everything in it would be open to the bot")
            }
            Some(_) => format!("`{shown}` has homes in it: everything in them would be open to the bot"),
        }
    };
    Err(VisibilityError {
        what,
        hint: "put what the bot needs into a folder of its own, or trust it: `--sandbox none`".into(),
    })
}

/// Where people keep what is theirs, and the folders around that.
pub(crate) fn homes() -> Vec<PathBuf> {
    let mut homes = vec![PathBuf::from("/root"), PathBuf::from("/home"), PathBuf::from("/Users")];
    homes.extend(std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute()));
    for folder in ["/home", "/Users"] {
        homes.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    let real: Vec<PathBuf> = homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
    homes.extend(real);
    homes
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
}
