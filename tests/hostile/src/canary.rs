//! The victim: a process that does nothing but live, and tells on request that it is well.

use std::{
    io::{BufRead, Write, stdin, stdout},
    sync::atomic::{AtomicU64, Ordering},
};

/// What is in its memory.
pub(crate) const SECRET: u64 = 0x5ec2_e7c0_ffee_d00d;

static HELD: AtomicU64 = AtomicU64::new(SECRET);

/// Tells where its secret is, and what it is for each line that it reads, until there is no more.
pub(crate) fn run() -> u8 {
    let mut out = stdout().lock();
    let mut tell = |number: u64| writeln!(out, "{number}").and_then(|()| out.flush());
    let mut done = tell(HELD.as_ptr() as u64);
    for line in stdin().lock().lines() {
        if done.is_err() || line.is_err() {
            break;
        }
        done = tell(HELD.load(Ordering::SeqCst));
    }
    0
}
