//! Isolates untrusted programs from the host, from the network and from each other.
//!
//! A helper program starts the untrusted programs. Each thread starts the helper once, and the helper makes a copy of
//! itself for each program. The helper is the current program if its `main` begins with
//!
//! ```no_run
//! agon_sandbox::helper();
//! ```
//!
//! or another program, such as the binary `agon`, if [`start_by`] names one. If there is neither, every start is
//! [refused](Cause::NoHelper), because a program that does not expect to be the helper must not be started again.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `confinement` | [`Confinement`]: what a program may see and use |
//! | `request` | [`StartRequest`]: a program to start in a sandbox |
//! | `start` | [`start()`]: starts a program in a sandbox |
//! | `process` | [`SandboxedProcess`]: ends a program, and says what it has used |
//! | `process_handle` | handles of processes |
//! | `question` | [`answer_of`]: what a program says about itself, in limited time |
//! | `refused` | [`Refused`], [`Step`], [`Cause`], [`RefusalKind`]: why a program was not started, and what follows |
//! | `program` | [`ProgramError`]: why a file cannot be executed |
//! | `handshake` | the bytes that the helper sends to this process |
//! | `script` | the bytes that this process sends to the helper |
//! | `fork_server` | [`start_by`]: the helper program, which copies itself for every start |
//! | `faults` | faults in a start, for tests |
//! | `child` | [`Child`]: a copy of the helper, as a child of this process |
//! | `helper` | [`helper()`]: what happens between the start and the first instruction of the program |
//! | `visible_files` | [`visible_files()`]: what a command line needs to see |
//! | `named_paths` | [`paths_named()`], [`paths_of()`]: what a word of a command line names |
//! | `privacy` | [`may_be_shown`]: folders that a bot must not see as a whole |
//! | `interpreter` | interpreters that are not part of the system |
//! | `level` | [`best`], [`attempt`]: tries out which levels work on this host |
//! | `job` | [`Job`]: a program that runs to its end in a sandbox, such as a compiler |
//! | `capture` | [`Capture`]: the head and the tail of what a program writes |
//! | `cgroup` | [`Cgroups`]: the control groups that the host offers to this user |
//! | `program_cgroup` | the control groups of one program |
//! | `crash_handler` | [`crash_handler()`]: the program that the host starts for every crash |
//! | `shared_user` | [`Excess`]: what a bot uses up for others of its user |
//! | `system` | [`is_system`]: the part of the system that every program sees |
//! | `tree` | folders that are copied into a sandbox and back |
//! | `temporary_folder` | [`TemporaryFolder`]: a folder that goes with its process |
//! | `usage` | counts the memory of processes |
//! | `memory_watch` | [`MemoryWatch`]: kills programs that use more memory than they may |
//! | `memory_scanner` | the thread that scans the memory of programs |
//! | `freeze` | [`Freezer`]: stops programs, and lets them continue |
//!
//! # The levels
//!
//! [`Isolation::Restricted`](agon_spec::Isolation::Restricted) is what a process can give up by itself: access to
//! files that it does not need (Landlock), the network, other processes, dangerous system calls (seccomp),
//! capabilities, and more memory, files and processes than agreed (rlimits).
//! [`Isolation::Full`](agon_spec::Isolation::Full) adds new namespaces: a root with only a read-only system and the
//! bot's files, a private `/tmp` and home, no network, no other processes, and a first process whose end kills all
//! others.

mod capture;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod child;
mod confinement;
#[cfg(target_os = "linux")]
mod crash_handler;
#[cfg(all(target_os = "linux", feature = "faults"))]
pub mod faults;
pub mod file_sizes;
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
#[cfg(target_os = "linux")]
mod memory_scanner;
#[cfg(target_os = "linux")]
mod memory_watch;
mod named_paths;
pub mod open_files;
#[cfg(target_os = "linux")]
mod privacy;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod process_handle;
mod program;
#[cfg(target_os = "linux")]
mod program_cgroup;
mod program_file;
mod question;
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the sandbox of Linux refuses anything"))]
mod refused;
#[cfg(target_os = "linux")]
mod request;
#[cfg(target_os = "linux")]
mod script;
mod sessions;
#[cfg(target_os = "linux")]
mod shared_user;
mod shortage;
#[cfg(target_os = "linux")]
mod start;
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only the sandbox of Linux uses it"))]
mod system;
mod temporary_folder;
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
pub use crash_handler::{CrashHandler, crash_handler};
#[cfg(target_os = "linux")]
pub use fork_server::start_by;
#[cfg(target_os = "linux")]
pub use freeze::Freezer;
#[cfg(target_os = "linux")]
pub use helper::helper;
#[cfg(target_os = "linux")]
pub use job::{Job, JobEnd, JobExit};
#[cfg(target_os = "linux")]
pub use level::{SupportedLevel, attempt, best, landlock_version, programs_have_own_users};
#[cfg(target_os = "linux")]
pub use memory_scanner::watch_memory_on_these_cores;
#[cfg(target_os = "linux")]
pub use memory_watch::MemoryWatch;
pub use named_paths::{paths_named, paths_of};
#[cfg(target_os = "linux")]
pub use privacy::may_be_shown;
#[cfg(target_os = "linux")]
pub use process::SandboxedProcess;
pub use program::ProgramError;
pub use question::answer_of;
pub use refused::{Cause, RefusalKind, Refused, Step};
#[cfg(target_os = "linux")]
pub use request::{StartRequest, environment};
pub use sessions::sessions_share_cores;
#[cfg(target_os = "linux")]
pub use shared_user::Excess;
pub use shortage::Shortage;
#[cfg(target_os = "linux")]
pub use start::{Starting, start};
pub use system::{is_system, system_places};
pub use temporary_folder::{TemporaryFolder, remove_tree};
#[cfg(target_os = "linux")]
pub use usage::cpu_time_of;
#[cfg(target_os = "linux")]
pub use visible_files::{CommandLine, VisibilityError, VisibleFiles, visible_files, visible_files_of_interpreter};
