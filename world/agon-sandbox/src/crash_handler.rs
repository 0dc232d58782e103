//! The program to which a host pipes the memory of processes that crash. The kernel starts it as root for every crash, whatever the
//! limit of core dumps is, but for a limit of 1. A bot in a sandbox has that limit, unless its user cannot have it.

use rustix::process::{Resource, getrlimit};
use std::{fs, path::Path};

/// A handler that is started for every bot that crashes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrashHandler {
    /// Its path.
    pub program: String,
}

impl CrashHandler {
    /// What a user may do about it.
    pub const REMEDY: &str =
        "give this user a hard limit of core dumps: `* hard core 1` in `/etc/security/limits.conf`";

    /// What is wrong, as a sentence of people.
    #[must_use]
    pub fn why(&self) -> String {
        format!(
            "the kernel starts `{}` as root for every bot that crashes, and its work takes the time of other bots: this user's hard \
             limit of core dumps is 0, and only a limit of 1 prevents that",
            self.program
        )
    }
}

/// The handler that no limit of this user prevents. `None` if there is none.
#[must_use]
pub fn crash_handler() -> Option<CrashHandler> {
    let pattern = fs::read_to_string(Path::new("/proc/sys/kernel/core_pattern")).ok()?;
    // Root may raise its own limit.
    let is_fixed = !rustix::process::geteuid().is_root() && getrlimit(Resource::Core).maximum == Some(0);
    handler(&pattern).filter(|_| is_fixed)
}

/// The program of a pattern that begins with a pipe.
fn handler(pattern: &str) -> Option<CrashHandler> {
    let program = pattern.trim().strip_prefix('|')?.split_whitespace().next()?;
    Some(CrashHandler { program: program.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_a_program_only_after_a_pipe() {
        for (pattern, program) in [
            ("core\n", None),
            ("/var/core/%e.%p", None),
            ("|/usr/share/apport/apport -p%p -s%s\n", Some("/usr/share/apport/apport")),
            ("| /usr/lib/systemd/systemd-coredump %P", Some("/usr/lib/systemd/systemd-coredump")),
            ("|", None),
            ("", None),
        ] {
            assert_eq!(handler(pattern).map(|handler| handler.program).as_deref(), program, "{pattern:?}");
        }
    }
}
