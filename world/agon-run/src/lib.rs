//! Runs bots: processes, pipes and deadlines, with one thread for each match.
//!
//! An [`AnyReferee`](agon_referee::AnyReferee) decides what happens in a match. [`play()`] makes it happen: it starts
//! the processes, passes bytes and instants to the machine, carries out the machine's orders, and leaves no process
//! behind.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `play` | [`play()`], [`Options`], [`Outcome`]: one match from the first process to the last |
//! | `turns` | the loop: carry out the machine's orders, `poll`, report to the machine |
//! | `streams` | the pipes of bots: how they are written and read, and what a closed pipe means |
//! | `timing` | when counters are read, and what the machine learns from them |
//! | `usage` | pure functions that compare two snapshots of a process tree |
//! | `counters` | reads the counters of processes and threads |
//! | `proc_files` | reads the files of `/proc` about them |
//! | `seat` | the state of a bot, and the work that is pending for it |
//! | `held` | the process of a bot, in a sandbox or not |
//! | `pipes` | the file descriptors of a bot |
//! | `launch` | [`Launch`], [`Program`]: what to start |
//! | `start_error` | [`StartError`]: why a program could not be started |
//! | `running` | [`Running`]: a program outside of a match |
//! | `pause` | stops a bot outside its own turn |
//! | `reach` | the processes of a bot: which they are, and how to stop them |
//! | `evidence` | weighs whether a bot died for lack of memory |
//! | `memory` | watches the memory of bots without a sandbox |
//! | `cancel` | [`CancelFlag`]: stops matches from another thread or a signal handler |
//! | `people` | [`People`], [`PeopleHandle`]: decisions and requests of the people who take part |
//! | `exit` | how a process ended; names of signals |
//! | `pin` | [`Pinned`], [`cores`], [`physical_cores`]: keeps a match or a bot on chosen cores |
//!
//! # What it costs
//!
//! If the bot answers before the write returns, as a fast bot on the same core does, an exchange costs one `write`,
//! one `read` and two readings of the clock. Otherwise it costs one more `read`, a `poll` and one more reading of the
//! clock. At first, only the pipes of the awaited seats are polled. Everything else is polled every 20 ms, so that it
//! does not slow down fast exchanges.
//!
//! # How bots end
//!
//! On Linux, a program that has a [helper program](agon_sandbox::helper()) leaves nothing behind, also without a
//! [sandbox](Program::sandbox): another process adopts what a bot leaves, and kills it at the end of the match or of
//! this process. Without a sandbox, a bot may of course kill that process.
//!
//! Elsewhere each bot without a sandbox leads its own process group, which is killed at the end of the match. A child
//! that leaves this group (`setsid`, `setpgid`) is not killed. If this process is killed, its bots see the end of their
//! input, and well-behaved bots exit then.

mod cancel;
mod counters;
mod evidence;
mod excerpt;
mod exit;
mod held;
mod launch;
mod memory;
mod meter;
mod pause;
mod people;
mod pin;
mod pipes;
mod play;
#[cfg(target_os = "linux")]
mod proc_files;
mod reach;
mod running;
mod seat;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod shell;
mod start_error;
mod steal;
mod streams;
mod timing;
mod turns;
mod usage;

pub use agon_sandbox::{Capture, ProgramError, Shortage};
pub use cancel::CancelFlag;
pub use evidence::{has_used_half, speaks_of_memory};
pub use exit::signal_name;
pub use launch::{Environment, Host, Launch, Program};
pub use people::{MatchOver, People, PeopleHandle, Request};
pub use pin::{PhysicalCore, Pinned, cores, physical_cores};
pub use play::{Chunk, Ended, InputState, Notice, Options, Outcome, SeatOutcome, Stream, play};
pub use running::Running;
pub use start_error::{StartError, StartFault};
