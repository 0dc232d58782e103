//! Keeps untrusted programs from everything but their own work: the host, the network, each other.
//!
//! A program is started by way of this very program, started anew once a thread and copied for every program: `main` of a
//! binary that uses this crate begins with
//!
//! ```no_run
//! if let Some(inside) = agon_sandbox::Inside::asked_for() {
//!     inside.run();
//! }
//! ```
//!
//! | module | what it defines |
//! | --- | --- |
//! | `confinement` | [`Confinement`]: what a program may see and use |
//! | `start` | [`start()`], [`Order`], [`Inmate`], [`Refused`]: starting a program inside, its end |
//! | `fork_server` | [`start_by`]: this program, started anew, of which every start is a copy |
//! | `child` | [`Child`]: such a copy, as a child of this process |
//! | `sight` | [`sight()`]: what a command line needs to see |
//! | `privacy` | [`may_be_shown`]: folders that are not a bot's own |
//! | `interpreter` | interpreters that are not part of the system |
//! | `verdict` | [`best`], [`attempt`]: which level works here, found out by doing it |
//! | `job` | [`Job`]: a program that is run to its end inside, as a compiler |
//! | `capture` | [`Capture`]: head and tail of what a program writes |
//! | `inside` | [`Inside`]: what happens between the start and the first instruction of the program |
//! | `cgroup` | [`Cgroups`]: control groups, where the host lets us have them |
//! | `system` | [`is_system`]: what every program sees of the system |
//! | `script` | the bytes from the outside to the inside |
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
#[cfg(target_os = "linux")]
mod fork_server;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod interpreter;
#[cfg(target_os = "linux")]
mod job;
#[cfg(target_os = "linux")]
mod privacy;
#[cfg(target_os = "linux")]
mod script;
#[cfg(target_os = "linux")]
mod sight;
#[cfg(target_os = "linux")]
mod start;
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the sandbox of Linux shows it"))]
mod system;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod usage;
#[cfg(target_os = "linux")]
mod verdict;

pub use capture::Capture;
#[cfg(target_os = "linux")]
pub use cgroup::Cgroups;
#[cfg(target_os = "linux")]
pub use child::Child;
pub use confinement::{Confinement, Work};
#[cfg(target_os = "linux")]
pub use fork_server::start_by;
#[cfg(target_os = "linux")]
pub use inside::Inside;
#[cfg(target_os = "linux")]
pub use job::{Job, JobEnd, JobExit};
#[cfg(target_os = "linux")]
pub use privacy::may_be_shown;
#[cfg(target_os = "linux")]
pub use sight::{CommandLine, Sight, Unseen, sight, sight_of_interpreter};
#[cfg(target_os = "linux")]
pub use start::{Inmate, Order, Refused, Starting, environment, start};
pub use system::is_system;
#[cfg(target_os = "linux")]
pub use usage::resident_bytes;
#[cfg(target_os = "linux")]
pub use verdict::{Verdict, attempt, best, landlock_version, remedy};
