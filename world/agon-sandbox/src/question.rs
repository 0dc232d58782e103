//! Asks a program about itself, such as an interpreter for its version.

use crate::open_files::as_before;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io::{Errno, retry_on_intr},
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
};
use std::{
    io,
    os::unix::process::CommandExt,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

/// How long an answer may take. Even a slow runtime on a busy host takes only a few seconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time between two looks whether the program has ended, while its pipes are silent.
const LOOK: Duration = Duration::from_millis(10);
/// The most bytes of an answer on each of its two streams.
const MOST: usize = 1 << 20;

/// Runs a program with an empty input until it ends, and returns what it has written. The program leads a process group
/// of its own, which is killed when the program has ended, or if it takes longer than 20 seconds or writes more than
/// 1 MiB.
///
/// # Errors
/// The program cannot be started, takes too long ([`TimedOut`](io::ErrorKind::TimedOut)) or writes too much.
pub fn answer_of(command: &mut Command) -> io::Result<Output> {
    answer_within(command, PATIENCE)
}

fn answer_within(command: &mut Command, time: Duration) -> io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = as_before(command).spawn()?;
    let streams = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    let answer = listen(Pid::from_child(&child), streams, Instant::now() + time);
    // Until it was waited for, no other group has its number.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = child.wait()?;
    answer.map(|[stdout, stderr]| Output { status, stdout, stderr })
}

/// Reads what a program writes until it has ended. Does not wait for it, so that its group keeps its number.
fn listen(program: Pid, mut streams: [Option<OwnedFd>; 2], until: Instant) -> io::Result<[Vec<u8>; 2]> {
    let mut texts = [Vec::new(), Vec::new()];
    loop {
        // What the program has written is in the pipes before its end is seen.
        let ended = has_ended(program)?;
        let left = until.saturating_duration_since(Instant::now());
        let heard = hear(&mut streams, &mut texts, if ended { Duration::ZERO } else { left.min(LOOK) })?;
        if ended && !heard {
            return Ok(texts);
        }
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not end"));
        }
    }
}

/// Waits for something to read, for at most `time`, and reads it. Returns whether there was something.
fn hear(streams: &mut [Option<OwnedFd>; 2], texts: &mut [Vec<u8>; 2], time: Duration) -> io::Result<bool> {
    let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    let mut fds: Vec<_> = streams.iter().flatten().map(|stream| PollFd::new(stream, PollFlags::IN)).collect();
    match poll(&mut fds, Some(&time)) {
        Ok(0) | Err(Errno::INTR) => return Ok(false),
        polled => drop(polled?),
    }
    let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
    let mut ready = ready.into_iter();
    let mut heard = false;
    for (stream, text) in streams.iter_mut().zip(texts) {
        let Some(open) = stream.as_ref().filter(|_| ready.next() == Some(true)) else { continue };
        let mut piece = [0; 4096];
        let length = retry_on_intr(|| rustix::io::read(open, &mut piece[..]))?;
        text.extend_from_slice(&piece[..length]);
        heard |= length > 0;
        if length == 0 {
            *stream = None;
        } else if text.len() > MOST {
            return Err(io::Error::other("it writes too much"));
        }
    }
    Ok(heard)
}

fn has_ended(program: Pid) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(retry_on_intr(|| waitid(WaitId::Pid(program), options))?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(words: &str, time: Duration) -> io::Result<Output> {
        answer_within(Command::new("/bin/sh").args(["-c", words]), time)
    }

    #[test]
    fn both_streams_and_the_exit_code_are_told() {
        let output = shell("echo out; echo err >&2; exit 3", PATIENCE).expect("it ends");
        assert_eq!(
            (&output.stdout[..], &output.stderr[..], output.status.code()),
            (&b"out\n"[..], &b"err\n"[..], Some(3))
        );
        let long = shell("head -c 300000 /dev/zero", PATIENCE).expect("it ends");
        assert_eq!(long.stdout.len(), 300_000);
    }

    #[test]
    fn a_program_that_does_not_end_is_given_up() {
        for words in ["sleep 100", "exec >&- 2>&-; sleep 100"] {
            let error = shell(words, Duration::ZERO).expect_err("it sleeps");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{words}");
        }
        assert!(shell("yes", PATIENCE).is_err(), "it writes without end");
    }

    #[test]
    fn a_process_that_holds_the_pipes_is_not_waited_for() {
        let output = shell("sleep 100 & echo here", PATIENCE).expect("it ends");
        assert_eq!(output.stdout, b"here\n");
    }
}
