//! Keeps untrusted programs from everything but their own work: the host, the network, each other.
//!
//! A program is started by way of a helper program, started once a thread and copied for every program. That is this very
//! program, if its `main` begins with
//!
//! ```no_run
//! agon_sandbox::helper();
//! ```
//!
//! or another one, as the binary `agon`, that [`start_by`] names. If it is neither, every start is
//! [refused](Cause::NoHelper): nothing is started anew that does not expect it.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `confinement` | [`Confinement`]: what a program may see and use |
//! | `start` | [`start()`], [`StartRequest`], [`SandboxedProcess`]: starting a program in a sandbox, its end |
//! | `refused` | [`Refused`], [`Step`], [`Cause`], [`RefusalKind`]: why nothing was started, and what follows |
//! | `program` | [`ProgramError`]: why a file cannot be executed |
//! | `handshake` | the bytes from the helper to the outside |
//! | `script` | the bytes from the outside to the helper |
//! | `fork_server` | [`start_by`]: the helper program, of which every start is a copy |
//! | `faults` | faults in a start, for tests |
//! | `child` | [`Child`]: such a copy, as a child of this process |
//! | `helper` | [`helper()`]: what happens between the start and the first instruction of the program |
//! | `visible_files` | [`visible_files()`]: what a command line needs to see |
//! | `named_paths` | [`paths_named()`]: what a word of a command line names |
//! | `privacy` | [`may_be_shown`]: folders that are not a bot's own |
//! | `interpreter` | interpreters that are not part of the system |
//! | `level` | [`best`], [`attempt`]: which level works here, found out by doing it |
//! | `job` | [`Job`]: a program that is run to its end in a sandbox, as a compiler |
//! | `capture` | [`Capture`]: head and tail of what a program writes |
//! | `cgroup` | [`Cgroups`]: control groups, where the host lets us have them |
//! | `system` | [`is_system`]: what every program sees of the system |
//! | `tree` | folders that are copied in and sent home |
//! | `usage` | [`resident_bytes`]: the memory of a tree of processes |
//!
//! # The levels
//!
//! [`Isolation::Restricted`](agon_spec::Isolation::Restricted) is what a process can give up by itself: files other
//! than those that it needs (Landlock), the network, other processes, dangerous system calls (seccomp), capabilities,
//! and more memory, files and processes than agreed (rlimits). [`Isolation::Full`](agon_spec::Isolation::Full) puts
//! that into namespaces of its own: a root that has nothing but a read-only system and the bot's files, a private
//! `/tmp` and home, no network, no other processes, and a first process with which all others die.

mod capture;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod child;
mod confinement;
#[cfg(all(target_os = "linux", feature = "faults"))]
pub mod faults;
#[cfg(target_os = "linux")]
mod fork_server;
#[cfg(target_os = "linux")]
mod freeze;
#[cfg(target_os = "linux")]
mod handshake;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod interpreter;
#[cfg(target_os = "linux")]
mod job;
#[cfg(target_os = "linux")]
mod level;
mod named_paths;
#[cfg(target_os = "linux")]
mod privacy;
mod program;
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the sandbox of Linux refuses anything"))]
mod refused;
#[cfg(target_os = "linux")]
mod script;
#[cfg(target_os = "linux")]
mod start;
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the sandbox of Linux shows it"))]
mod system;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod usage;
#[cfg(target_os = "linux")]
mod visible_files;

pub use capture::Capture;
#[cfg(target_os = "linux")]
pub use cgroup::Cgroups;
#[cfg(target_os = "linux")]
pub use child::Child;
pub use confinement::{Confinement, Work};
#[cfg(target_os = "linux")]
pub use fork_server::start_by;
#[cfg(target_os = "linux")]
pub use helper::helper;
#[cfg(target_os = "linux")]
pub use job::{Job, JobEnd, JobExit};
#[cfg(target_os = "linux")]
pub use level::{SupportedLevel, attempt, best, landlock_version};
pub use named_paths::paths_named;
#[cfg(target_os = "linux")]
pub use privacy::may_be_shown;
pub use program::ProgramError;
pub use refused::{Cause, RefusalKind, Refused, Step};
#[cfg(target_os = "linux")]
pub use start::{SandboxedProcess, StartRequest, Starting, environment, start};
pub use system::is_system;
#[cfg(target_os = "linux")]
pub use usage::resident_bytes;
#[cfg(target_os = "linux")]
pub use visible_files::{CommandLine, VisibilityError, VisibleFiles, visible_files, visible_files_of_interpreter};
