//! The process that attacks aim at. It waits for requests and answers each of them with the secret in its memory.

use std::{
    io::{BufRead, Write, stdin, stdout},
    sync::atomic::{AtomicU64, Ordering},
};

/// The secret in its memory.
pub(crate) const SECRET: u64 = 0x5ec2_e7c0_ffee_d00d;

static HELD: AtomicU64 = AtomicU64::new(SECRET);

/// Prints the address of the secret, then the secret itself for each line of the input, until the input ends.
pub(crate) fn run() -> u8 {
    let mut out = stdout().lock();
    let mut print = |number: u64| writeln!(out, "{number}").and_then(|()| out.flush());
    let mut printed = print(HELD.as_ptr() as u64);
    for line in stdin().lock().lines() {
        if printed.is_err() || line.is_err() {
            break;
        }
        printed = print(HELD.load(Ordering::SeqCst));
    }
    0
}
