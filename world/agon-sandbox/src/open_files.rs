//! How many files this process may have open at once. Each bot takes several. Shells set a low soft limit for the sake of old
//! programs, which any process may raise up to the hard limit. What is started keeps the soft limit that the user has set.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{os::unix::process::CommandExt, process::Command, sync::OnceLock};

/// The limits before they were raised.
static BEFORE: OnceLock<Rlimit> = OnceLock::new();

/// Raises the soft limit of open files to the hard one. Only the first call counts.
pub fn raise() {
    let before = *BEFORE.get_or_init(|| getrlimit(Resource::Nofile));
    // Where that is refused, the limit stays as it is.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: before.maximum, ..before });
}

/// The limits before they were raised. `None` if they were not.
fn before() -> Option<Rlimit> {
    BEFORE.get().copied().filter(|before| before.current != before.maximum)
}

/// The soft limit of the user, if it was raised. [`u32::MAX`] means that programs get the limit that this process has.
pub(crate) fn of_user() -> u32 {
    before().and_then(|before| u32::try_from(before.current?).ok()).unwrap_or(u32::MAX)
}

/// Lets a command have the limits that this process had before it raised them.
pub fn as_before(command: &mut Command) -> &mut Command {
    let Some(before) = before() else { return command };
    // SAFETY: the new process only calls the system, without memory of its own.
    unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Nofile, before)?)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    /// Set in the process that raises its limit. The limit of the tests' own process stays as it is.
    const RAISES: &str = "AGON_TEST_OPEN_FILES";

    /// The process that raises its limit. It tells the limits of a child, of a child as before, and its own.
    #[test]
    fn a_process_that_raises_its_limit() {
        if std::env::var_os(RAISES).is_none() {
            return;
        }
        raise();
        let told = |command: &mut Command| {
            let output = command.args(["-c", "ulimit -Sn"]).output().expect("a shell");
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let own = getrlimit(Resource::Nofile);
        let child = told(&mut Command::new("/bin/sh"));
        let as_user = told(as_before(&mut Command::new("/bin/sh")));
        eprintln!("limits {:?} {child} {as_user}", own.current);
    }

    #[test]
    fn a_started_program_has_the_limit_of_the_user() {
        let name = "open_files::tests::a_process_that_raises_its_limit";
        let program = std::env::current_exe().expect("this program");
        let words = format!("ulimit -Sn 200; ulimit -Hn 300; exec '{}' --exact {name} --nocapture", program.display());
        let told = Command::new("/bin/sh").args(["-c", &words]).env(RAISES, "1").stdin(Stdio::null()).output();
        let told = String::from_utf8_lossy(&told.expect("a shell").stderr).into_owned();
        assert!(told.contains("limits Some(300) 300 200"), "{told}");
    }
}
