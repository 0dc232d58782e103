//! Why a program was not started in a sandbox: the step, the cause, and what follows from both.

use crate::ProgramError;
use rustix::io::Errno;
use std::{fmt, path::PathBuf, time::Duration};
use thiserror::Error;

/// A step of a start in a sandbox.
///
/// Each has a name, which messages and `docs/sandbox.md` use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Starting the helper program, and having it copy itself.
    Start,
    /// Reading what is to be started.
    Script,
    /// Dying with the process that has asked for the start.
    Parent,
    /// Joining control groups.
    Cgroup,
    /// A user namespace, and which users it has.
    Users,
    /// Namespaces of mounts, processes, queues, host names and control groups.
    Namespaces,
    /// A network namespace.
    Network,
    /// Pipes between the processes of the start.
    Pipes,
    /// The processes of the start.
    Fork,
    /// A view of `/proc`.
    Proc,
    /// A root of its own.
    Root,
    /// The process group.
    Group,
    /// The working directory.
    Folder,
    /// The folder that a job works in.
    Work,
    /// Limits of resources.
    Rlimits,
    /// Becoming a user that nobody else is.
    User,
    /// Giving up capabilities.
    Capabilities,
    /// The file to execute.
    Program,
    /// Landlock.
    Landlock,
    /// The filter of system calls.
    Seccomp,
    /// Waiting for a job to end.
    Wait,
}

impl Step {
    /// Every step, in the order of a start.
    pub const ALL: [Self; 21] = [
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
        Self::Seccomp,
        Self::Wait,
    ];

    /// As in messages and in `docs/sandbox.md`.
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
            Self::Seccomp => "seccomp",
            Self::Wait => "wait",
        }
    }

    /// The step of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }

    /// The settings below `/proc/sys/user` that limit how many namespaces of this step there are.
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

    /// What this answer of the kernel at this step says of the host. `off` says whether one of the
    /// [`limits`](Self::limits) reads 0.
    ///
    /// `docs/sandbox.md` has the table; a test holds this to it.
    #[must_use]
    pub fn kind(self, errno: Errno, off: bool) -> RefusalKind {
        let asks_for_rights =
            matches!(self, Self::Users | Self::Namespaces | Self::Network | Self::Root | Self::Proc | Self::Landlock);
        match errno {
            Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP => RefusalKind::Unsupported,
            Errno::PERM | Errno::ACCESS if asks_for_rights => RefusalKind::Unsupported,
            Errno::NOSPC if off && !self.limits().is_empty() => RefusalKind::Unsupported,
            Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE | Errno::NOSPC => RefusalKind::Shortage,
            _ => RefusalKind::Unknown,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a refusal says of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalKind {
    /// The host does not have it, or does not let this user have it: it will say the same the next time.
    Unsupported,
    /// The host was short of something, or somebody has disturbed the start: the next time it may work.
    Shortage,
    /// Neither is known.
    Unknown,
}

impl RefusalKind {
    /// As in `docs/sandbox.md`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Shortage => "shortage",
            Self::Unknown => "unknown",
        }
    }
}

/// Why nothing was started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", self.text())]
pub struct Refused {
    /// What could not be done.
    pub step: Step,
    /// What it was about, as a path; may be empty.
    pub what: String,
    /// What ended the step.
    #[source]
    pub cause: Cause,
}

/// What ended a step.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Cause {
    /// The kernel answered with an error.
    #[error("{0}")]
    Errno(#[source] Errno),
    /// The kernel answered with `ENOSPC`, and this setting below `/proc/sys/user` reads 0.
    #[error("`user.{0}` is 0: {e}", e = Errno::NOSPC)]
    Off(&'static str),
    /// A process of the start was killed by the signal of this number.
    #[error("killed by signal {0}")]
    Signal(i32),
    /// There was no answer within this time, in which it takes milliseconds. What was started was killed.
    #[error("no answer within {} ms", .0.as_millis())]
    NoAnswer(Duration),
    /// A process of the start ended with this exit code and without an answer.
    #[error("it ended without an answer (exit code {0})")]
    Ended(i32),
    /// An answer that this version does not know.
    #[error("an answer that is not understood: `{}`", .0.escape_default())]
    Protocol(String),
    /// The file to execute cannot be executed.
    #[error(transparent)]
    Program(ProgramError),
    /// This program does not call [`helper`](crate::helper()) first of all in its `main`, and none was named with
    /// [`start_by`](crate::start_by).
    #[error("no helper program is named, and this program is none")]
    NoHelper,
    /// The program that was named with [`start_by`](crate::start_by) is no helper of this version.
    #[error("`{}` is not a helper program of this version", .0.display())]
    NotHelper(PathBuf),
    /// What was asked for cannot be done, for a reason that has no number.
    #[error("{0}")]
    Other(String),
}

impl Refused {
    pub(crate) fn new(step: Step, what: impl Into<String>, cause: Cause) -> Self {
        Self { step, what: what.into(), cause }
    }

    /// What it says of the host.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        match &self.cause {
            Cause::Errno(errno) => self.step.kind(*errno, false),
            Cause::Off(_) => self.step.kind(Errno::NOSPC, true),
            Cause::Signal(_) | Cause::NoAnswer(_) => RefusalKind::Shortage,
            Cause::Ended(_)
            | Cause::Protocol(_)
            | Cause::Program(_)
            | Cause::NoHelper
            | Cause::NotHelper(_)
            | Cause::Other(_) => RefusalKind::Unknown,
        }
    }

    /// The number that the kernel answered with, if it did.
    #[must_use]
    pub fn errno(&self) -> Option<i32> {
        match &self.cause {
            Cause::Errno(errno) => Some(errno.raw_os_error()),
            Cause::Off(_) => Some(Errno::NOSPC.raw_os_error()),
            Cause::Program(error) => error.errno(),
            _ => None,
        }
    }

    /// What is wrong with the file to execute, if that is why.
    #[must_use]
    pub fn program(&self) -> Option<&ProgramError> {
        match &self.cause {
            Cause::Program(error) => Some(error),
            _ => None,
        }
    }

    /// What a user can do so that this step works; `None` if nothing is known.
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
            Cause::Off(_) => "the host allows none",
            Cause::Errno(Errno::PERM | Errno::ACCESS) if namespaces => {
                "the host does not allow them to this user (AppArmor or a container's rules)"
            }
            Cause::Errno(Errno::INVAL | Errno::NOSYS) if namespaces => "this kernel does not have all of them",
            Cause::Errno(Errno::NOSYS) if step == Step::Landlock => "this kernel has none",
            Cause::Errno(Errno::OPNOTSUPP) if step == Step::Landlock => "this kernel does not use it",
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
