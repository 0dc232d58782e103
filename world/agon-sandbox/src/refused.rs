//! Why a program was not started in a sandbox: the step, the cause, and what follows from them.

use crate::{ProgramError, Shortage};
use rustix::io::Errno;
use std::{fmt, path::PathBuf, time::Duration};
use thiserror::Error;

/// A step of a start in a sandbox.
///
/// Each step has a name, which messages and `docs/sandbox.md` use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Starts the helper program and copies it.
    Start,
    /// Reads what is to be started.
    Script,
    /// Ties the process to the one that asked for the start, so that it dies with it.
    Parent,
    /// Joins control groups.
    Cgroup,
    /// Makes a user namespace and maps its user.
    Users,
    /// Makes namespaces of mounts, processes, queues, host names and control groups.
    Namespaces,
    /// Makes a network namespace.
    Network,
    /// Makes pipes between the processes of the start.
    Pipes,
    /// Makes the processes of the start.
    Fork,
    /// Mounts a `/proc` of the sandbox.
    Proc,
    /// Makes a new root from mounts.
    Root,
    /// Makes a process group.
    Group,
    /// Goes to the working directory.
    Folder,
    /// Copies the files of a job into the folder that it works in.
    Work,
    /// Sets resource limits.
    Rlimits,
    /// Changes to a user ID that no other process has.
    User,
    /// Gives up capabilities.
    Capabilities,
    /// Checks the file to execute.
    Program,
    /// Restricts files, ports and signals with Landlock.
    Landlock,
    /// Checks the file that an interpreter is to execute.
    Interpreted,
    /// Installs the filter of system calls.
    Seccomp,
    /// Waits for the end of a job.
    Wait,
}

impl Step {
    /// Every step, in the order of a start.
    pub const ALL: [Self; 22] = [
        Self::Start,
        Self::Script,
        Self::Parent,
        Self::Cgroup,
        Self::Users,
        Self::Namespaces,
        Self::Network,
        Self::Pipes,
        Self::Fork,
        Self::Proc,
        Self::Root,
        Self::Group,
        Self::Folder,
        Self::Work,
        Self::Rlimits,
        Self::User,
        Self::Capabilities,
        Self::Program,
        Self::Landlock,
        Self::Interpreted,
        Self::Seccomp,
        Self::Wait,
    ];

    /// The name of the step in messages and in `docs/sandbox.md`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Script => "script",
            Self::Parent => "parent",
            Self::Cgroup => "cgroup",
            Self::Users => "users",
            Self::Namespaces => "namespaces",
            Self::Network => "network",
            Self::Pipes => "pipes",
            Self::Fork => "fork",
            Self::Proc => "proc",
            Self::Root => "root",
            Self::Group => "group",
            Self::Folder => "folder",
            Self::Work => "work",
            Self::Rlimits => "rlimits",
            Self::User => "user",
            Self::Capabilities => "capabilities",
            Self::Program => "program",
            Self::Landlock => "landlock",
            Self::Interpreted => "interpreted",
            Self::Seccomp => "seccomp",
            Self::Wait => "wait",
        }
    }

    /// The step with this name, or `None` if there is no such step.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }

    /// The settings in `/proc/sys/user` that limit how many namespaces this step can make.
    #[must_use]
    pub const fn limits(self) -> &'static [&'static str] {
        match self {
            Self::Users => &["max_user_namespaces"],
            Self::Namespaces => &[
                "max_mnt_namespaces",
                "max_pid_namespaces",
                "max_ipc_namespaces",
                "max_uts_namespaces",
                "max_cgroup_namespaces",
            ],
            Self::Network => &["max_net_namespaces"],
            _ => &[],
        }
    }

    /// What an error number at this step means for the host. `off` says whether one of the [`limits`](Self::limits)
    /// reads 0.
    ///
    /// `docs/sandbox.md` has the table, and a test compares this function with it.
    #[must_use]
    pub fn kind(self, errno: Errno, off: bool) -> RefusalKind {
        let asks_for_rights =
            matches!(self, Self::Users | Self::Namespaces | Self::Network | Self::Root | Self::Proc | Self::Landlock);
        match errno {
            Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP => RefusalKind::Unsupported,
            Errno::PERM | Errno::ACCESS if asks_for_rights => RefusalKind::Unsupported,
            Errno::NOSPC if off && !self.limits().is_empty() => RefusalKind::Unsupported,
            errno if Shortage::of(errno).is_some() => RefusalKind::Shortage,
            _ => RefusalKind::Unknown,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a refusal means for the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalKind {
    /// The host does not support the step, or does not allow it to this user. It will refuse the next time too.
    Unsupported,
    /// The host was short of something, or somebody has killed or stopped a process of the start. The next try may
    /// work.
    Shortage,
    /// It is not known which of the two applies.
    Unknown,
}

impl RefusalKind {
    /// The name of the kind in `docs/sandbox.md`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Shortage => "shortage",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a program was not started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", self.text())]
pub struct Refused {
    /// The step that failed.
    pub step: Step,
    /// What the step failed on, such as a path. May be empty.
    pub what: String,
    /// Why the step failed.
    #[source]
    pub cause: Cause,
}

/// Why a step failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Cause {
    /// The kernel returned an error number.
    #[error("{0}")]
    Errno(#[source] Errno),
    /// The kernel returned `ENOSPC`, and this setting in `/proc/sys/user` reads 0.
    #[error("`user.{0}` is 0: {e}", e = Errno::NOSPC)]
    Off(&'static str),
    /// A process of the start was killed by the signal with this number.
    #[error("killed by signal {0}")]
    Signal(i32),
    /// No answer came within this time, although one normally takes milliseconds. The processes of the start were
    /// killed.
    #[error("no answer within {} ms", .0.as_millis())]
    NoAnswer(Duration),
    /// A process of the start exited with this code before it answered.
    #[error("a process of the start exited without an answer (exit code {0})")]
    Ended(i32),
    /// An answer that this version does not understand.
    #[error("unexpected answer `{}`", .0.escape_default())]
    Protocol(String),
    /// The program's file cannot be executed.
    #[error(transparent)]
    Program(ProgramError),
    /// The `main` of this program does not begin with [`helper`](crate::helper()), and [`start_by`](crate::start_by)
    /// names no other program.
    #[error("there is no helper program: call `agon_sandbox::helper` first in `main`, or `agon_sandbox::start_by`")]
    NoHelper,
    /// The program that [`start_by`](crate::start_by) names is not a helper of this version.
    #[error("`{}` is not a helper program of this version", .0.display())]
    NotHelper(PathBuf),
    /// A reason that has no error number.
    #[error("{0}")]
    Other(String),
}

impl Refused {
    pub(crate) fn new(step: Step, what: impl Into<String>, cause: Cause) -> Self {
        Self { step, what: what.into(), cause }
    }

    /// What the refusal means for the host.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        match &self.cause {
            Cause::Errno(errno) => self.step.kind(*errno, false),
            Cause::Off(_) => self.step.kind(Errno::NOSPC, true),
            Cause::Signal(_) | Cause::NoAnswer(_) => RefusalKind::Shortage,
            Cause::Program(error) if error.is_of_host() => RefusalKind::Shortage,
            Cause::Ended(_)
            | Cause::Protocol(_)
            | Cause::Program(_)
            | Cause::NoHelper
            | Cause::NotHelper(_)
            | Cause::Other(_) => RefusalKind::Unknown,
        }
    }

    /// The error number that the kernel returned. `None` if the cause has none.
    #[must_use]
    pub fn errno(&self) -> Option<i32> {
        match &self.cause {
            Cause::Errno(errno) => Some(errno.raw_os_error()),
            Cause::Off(_) => Some(Errno::NOSPC.raw_os_error()),
            Cause::Program(error) => error.errno(),
            _ => None,
        }
    }

    /// What is wrong with the program's file. `None` if the cause is something else.
    #[must_use]
    pub fn program(&self) -> Option<&ProgramError> {
        match &self.cause {
            Cause::Program(error) => Some(error),
            _ => None,
        }
    }

    /// A command or a change that makes this step work. `None` if none is known.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        if self.kind() != RefusalKind::Unsupported {
            return None;
        }
        Some(match (self.step, &self.cause) {
            (_, Cause::Off("max_user_namespaces")) => "sudo sysctl user.max_user_namespaces=15000",
            (_, Cause::Off("max_mnt_namespaces")) => "sudo sysctl user.max_mnt_namespaces=15000",
            (_, Cause::Off("max_pid_namespaces")) => "sudo sysctl user.max_pid_namespaces=15000",
            (_, Cause::Off("max_ipc_namespaces")) => "sudo sysctl user.max_ipc_namespaces=15000",
            (_, Cause::Off("max_uts_namespaces")) => "sudo sysctl user.max_uts_namespaces=15000",
            (_, Cause::Off("max_cgroup_namespaces")) => "sudo sysctl user.max_cgroup_namespaces=15000",
            (_, Cause::Off("max_net_namespaces")) => "sudo sysctl user.max_net_namespaces=15000",
            (
                Step::Users | Step::Namespaces | Step::Network | Step::Root,
                Cause::Errno(Errno::PERM | Errno::ACCESS),
            ) => "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
            (Step::Landlock, _) => {
                "use a kernel of 5.13 or later with `landlock` in its list of security modules (lsm=)"
            }
            (Step::Proc, _) => "in a container: start it with `--security-opt systempaths=unconfined`",
            _ => return None,
        })
    }

    fn text(&self) -> String {
        if let Cause::Program(error) = &self.cause {
            return error.to_string();
        }
        let step = self.step;
        let namespaces = matches!(step, Step::Users | Step::Namespaces | Step::Network);
        let explained = match &self.cause {
            Cause::Off(_) => "the host allows no such namespaces",
            Cause::Errno(Errno::PERM | Errno::ACCESS) if namespaces => {
                "the host does not let this user make such namespaces (AppArmor or the rules of a container)"
            }
            Cause::Errno(Errno::INVAL | Errno::NOSYS) if namespaces => "this kernel does not have all such namespaces",
            Cause::Errno(Errno::NOSYS) if step == Step::Landlock => "this kernel does not have Landlock",
            Cause::Errno(Errno::OPNOTSUPP) if step == Step::Landlock => "this kernel does not use Landlock",
            _ => "",
        };
        let parts = [self.what.as_str(), explained].into_iter().filter(|part| !part.is_empty());
        let parts: String = parts.map(|part| format!("{part}: ")).collect();
        format!("{step}: {parts}{}", self.cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    fn refused(step: Step, cause: Cause) -> Refused {
        Refused::new(step, "", cause)
    }

    #[test]
    fn names_lead_back_to_steps() {
        for step in Step::ALL {
            assert_eq!(Step::named(step.name()), Some(step));
        }
        assert_eq!(Step::named("nothing"), None);
    }

    #[test]
    fn no_space_is_unsupported_only_where_a_limit_is_zero() {
        let nothing_left = refused(Step::Users, Cause::Errno(Errno::NOSPC));
        assert_eq!(nothing_left.kind(), RefusalKind::Shortage);
        assert_eq!(nothing_left.remedy(), None);
        let off = refused(Step::Users, Cause::Off("max_user_namespaces"));
        assert_eq!(off.kind(), RefusalKind::Unsupported);
        assert_eq!(off.errno(), Some(Errno::NOSPC.raw_os_error()));
        assert_eq!(off.remedy(), Some("sudo sysctl user.max_user_namespaces=15000"));
        assert!(off.to_string().contains("`user.max_user_namespaces` is 0"), "{off}");
    }

    #[test]
    fn every_limit_has_a_remedy() {
        for step in Step::ALL {
            for limit in step.limits() {
                let remedy = refused(step, Cause::Off(limit)).remedy().expect("a command");
                assert!(remedy.contains(limit), "{remedy}");
            }
        }
    }

    #[test]
    fn the_number_of_the_kernel_is_the_last_source() {
        let refused = Refused::new(Step::Root, "`/usr`", Cause::Errno(Errno::IO));
        let errno = refused.source().and_then(Error::source).and_then(|source| source.downcast_ref::<Errno>());
        assert_eq!(errno, Some(&Errno::IO));
        assert!(refused.to_string().starts_with("root: `/usr`: "), "{refused}");
    }
}
