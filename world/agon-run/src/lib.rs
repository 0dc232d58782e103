//! Runs bots: processes, pipes, deadlines; one thread a match.
//!
//! An [`AnyReferee`](agon_referee::AnyReferee) knows what shall happen, [`play()`] makes it happen: it starts the processes,
//! carries bytes and instants to the machine, carries out what the machine says, and leaves no process behind.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `play` | [`play()`], [`Options`], [`Outcome`]: one match from the first process to the last |
//! | `turns` | the loop: carry out, `poll`, tell |
//! | `streams` | the pipes of bots: what is written, what is read, what a closed one means |
//! | `timing` | when counters are read, and what the machine is told of them |
//! | `usage` | what two looks at a process tree say of the time between them: pure functions |
//! | `counters` | reads the counters of processes and threads |
//! | `seat` | one bot's process, pipes and pending work |
//! | `launch` | [`Launch`], [`Program`]: what is started |
//! | `start_error` | [`StartError`]: why it could not be |
//! | `running` | [`Running`]: a program outside of a match |
//! | `memory` | the watch of a bot's memory, where that is limited |
//! | `cancel` | [`CancelFlag`]: stops matches from another thread or a signal handler |
//! | `people` | [`People`], [`PeopleHandle`]: what people who take part decide and ask for |
//! | `exit` | how a process ended; names of signals |
//! | `pin` | [`Pinned`], [`cores`]: keeps a match on one core |
//!
//! # What it costs
//!
//! An exchange is one `write`, one `read` and two readings of the clock where the bot has answered before the write
//! returns (a fast bot on the same core), and one more `read`, a `poll` and a reading of the clock where it has not. Only
//! the pipes of the seats that are awaited are polled at first; everything else joins in every 20 ms, so that fast
//! exchanges do not pay for it.
//!
//! # What it cannot do
//!
//! Without a [sandbox](Program::sandbox):
//!
//! * Every bot is the leader of a process group of its own, which is killed as a whole at the end. A child of
//!   a bot that leaves this group (`setsid`, `setpgid`) is out of reach.
//! * The death of this process does not kill the bots by itself: a parent-death signal can only be set between `fork`
//!   and `exec`, and forking a large process costs 50 ms and more, where `posix_spawn` costs half of one. Bots then see
//!   the end of their input, which ends every decent one.

mod cancel;
mod counters;
mod exit;
mod launch;
mod memory;
mod people;
mod pin;
mod play;
mod running;
mod seat;
mod start_error;
mod streams;
mod timing;
mod turns;
mod usage;

pub use agon_sandbox::Capture;
pub use cancel::CancelFlag;
pub use launch::{Environment, Host, Launch, Program};
pub use people::{MatchOver, People, PeopleHandle, Request};
pub use pin::{Pinned, cores};
pub use play::{Chunk, Ended, Notice, Options, Outcome, SeatOutcome, Stream, play};
pub use running::Running;
pub use start_error::{StartError, StartFault};
