//! Moves processes into the control groups that were made for a bot.
//!
//! While the kernel moves a process by its ID, no process of the host can start or end, and nobody can make a group. It begins with
//! a wait for all cores (a grace period of RCU), which takes up to ten milliseconds. So a process moves its only thread, which version
//! 1 allows, and begins its life in the group of version 2.

use super::{begin, namespaces};
use crate::{Refused, Step};
use rustix::{
    fd::AsRawFd,
    fs::{Mode, OFlags, open},
    io::Errno,
    process::Pid,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Moves this process, which has one thread, into the groups of version 1.
pub(crate) fn join_first_version(cgroups: &[PathBuf]) -> Result<(), Refused> {
    begin(Step::Cgroup)?;
    cgroups.iter().filter(|cgroup| !is_second_version(cgroup)).try_for_each(|cgroup| write_to(cgroup, "tasks"))
}

/// Forks this process. The new process is in the group of version 2, if there is one. Returns the ID of the new process, and
/// `None` in the new process.
pub(crate) fn fork_into_second_version(cgroups: &[PathBuf]) -> Result<Option<Pid>, Refused> {
    let Some(cgroup) = cgroups.iter().find(|cgroup| is_second_version(cgroup)) else { return namespaces::fork() };
    begin(Step::Fork)?;
    match clone_into(cgroup) {
        Ok(cloned) => Ok(cloned),
        Err(errno @ (Errno::AGAIN | Errno::NOMEM)) => Err(Refused::call(Step::Fork, "")(errno)),
        // Some containers refuse this call as if the kernel did not have it.
        Err(_) => match namespaces::fork()? {
            None => write_to(cgroup, "cgroup.procs").map(|()| None),
            forked => Ok(forked),
        },
    }
}

/// Whether a group is one of version 2.
pub(crate) fn is_second_version(cgroup: &Path) -> bool {
    cgroup.join("cgroup.controllers").exists()
}

/// Writes to a file of a group that the writer joins it.
fn write_to(cgroup: &Path, file: &str) -> Result<(), Refused> {
    fs::write(cgroup.join(file), "0").map_err(Refused::about(Step::Cgroup, cgroup))
}

/// Makes a copy of this process in a group.
fn clone_into(cgroup: &Path) -> Result<Option<Pid>, Errno> {
    const INTO_CGROUP: u64 = 1 << 33;
    let cgroup = open(cgroup, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    // `struct clone_args`: the flags are the first field, the signal at the end is the fifth, the group is the eleventh.
    let mut arguments = [0_u64; 11];
    arguments[0] = INTO_CGROUP;
    arguments[4] = libc::SIGCHLD as u64;
    arguments[10] = u64::from(cgroup.as_raw_fd().unsigned_abs());
    // SAFETY: this program has one thread, so that the new process may do everything; it goes on with a copy of this stack. The
    // kernel reads the arguments, none of which is a pointer.
    match unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) } {
        -1 => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::NOSYS)),
        0 => Ok(None),
        child => Ok(i32::try_from(child).ok().and_then(Pid::from_raw)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TemporaryFolder, helper::exit};
    use rustix::process::{WaitOptions, getpid, waitpid};

    /// Forks into a group, and returns with which code the new process ended: 0 if it joined the group.
    fn code_of_fork_into(cgroup: &Path) -> Option<i32> {
        let parent = getpid();
        let forked = fork_into_second_version(&[cgroup.to_owned()]);
        if getpid() != parent {
            exit(i32::from(forked.is_err()));
        }
        waitpid(forked.expect("it can fork"), WaitOptions::empty()).ok()??.1.exit_status()
    }

    /// The kernel refuses to begin a process in a folder that is no control group, as containers do for all of them.
    #[test]
    fn a_process_that_may_not_begin_in_a_cgroup_joins_it() {
        let folder = TemporaryFolder::new(&std::env::temp_dir(), "agon-cgroups-", 0o700).expect("a folder");
        fs::write(folder.path().join("cgroup.controllers"), "").expect("a file");
        assert!(clone_into(folder.path()).is_err());
        assert_eq!(code_of_fork_into(folder.path()), Some(0));
        assert_eq!(fs::read_to_string(folder.path().join("cgroup.procs")).expect("it was written"), "0");
        // A group in which nobody can be.
        fs::remove_file(folder.path().join("cgroup.procs")).expect("it is there");
        fs::create_dir(folder.path().join("cgroup.procs")).expect("a folder");
        assert_eq!(code_of_fork_into(folder.path()), Some(1));
    }
}
