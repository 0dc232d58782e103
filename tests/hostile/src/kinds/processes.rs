//! Attacks with many processes and threads, and with processes that are left.

use super::limits;
use crate::{
    Attack,
    attack::raw,
    errno::{EAGAIN, ENOSYS, EPERM, Errno},
    kind::{End, ExpectedFault, Kind, Scenario, TOY},
};
use agon_spec::Isolation;
use std::{process::Command, sync::mpsc, thread, time::Duration};

const THREADS: u64 = limits::THREADS as u64;
/// The numbers at which a bomb stops.
const STOP_AT_THREADS: u64 = 8 * THREADS;
const STOP_AT_PROCESSES: u64 = 48;

const REFUSED: &[End] = &[End::Refused(&[EPERM, EAGAIN, ENOSYS])];
const ALONE: Scenario = Scenario { alone: true, ..TOY };

pub const KINDS: &[Kind] = &[
    Kind::program(15, "leaves-a-child", "the end: a child that holds the pipes of its parent", |bot| {
        bot.client.wait_for_move();
        if fork() == Some(0) {
            linger();
        }
        std::process::exit(0);
    })
    .issue(6)
    .ends(&[End::Fails(ExpectedFault::Exits(0))]),
    Kind::attack(15, "daemon", "the end: a grandchild in a session of its own", |attack| match fork() {
        Some(0) => {
            // SAFETY: no arguments.
            unsafe { libc::setsid() };
            if fork() == Some(0) {
                linger();
            }
            std::process::exit(0);
        }
        Some(child) => attack.succeeded("fork", format!("process {child}")),
        None => attack.refused("fork", Errno::last()),
    })
    .issue(6)
    .ends(REFUSED),
    Kind::attack(26, "forks", "the opponent's time: helpers in other processes", |attack| {
        for (name, call) in FORKS {
            helper(attack, name, || raw(*call, []));
        }
        // The C library forks like this today: with SIGCHLD and without a stack.
        helper(attack, "clone", || raw(libc::SYS_clone, [libc::SIGCHLD.into(), 0, 0, 0, 0]));
        let how = [0u64, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0];
        helper(attack, "clone3", || raw(libc::SYS_clone3, [crate::attack::address(&how), 64]));
    })
    .ends(REFUSED),
    Kind::attack(26, "starts-a-shell", "other programs of the machine", |attack| {
        if let Some(mut child) = attack.io("sh", Command::new("/bin/sh").arg("-c").arg("true").spawn()) {
            let _ = child.wait();
        }
    })
    .ends(REFUSED),
    Kind::attack(27, "thread-bomb", "the number of threads", |attack| {
        let (mut senders, mut threads, mut refused) = (Vec::new(), Vec::new(), None);
        while refused.is_none() && (threads.len() as u64) < STOP_AT_THREADS {
            let (sender, receiver) = mpsc::channel::<()>();
            let started = thread::Builder::new().stack_size(64 << 10).spawn(move || receiver.recv());
            match started {
                Ok(thread) => {
                    threads.push(thread);
                    senders.push(sender);
                }
                Err(error) => refused = Some(Errno::of(&error)),
            }
        }
        let count = threads.len() as u64;
        drop(senders);
        threads.into_iter().for_each(|thread| drop(thread.join()));
        match refused {
            Some(errno) => attack.stopped("threads", count, errno),
            None => attack.succeeded("threads", count.to_string()),
        }
    })
    .needs(Isolation::Full)
    .scenario(ALONE)
    .ends(&[End::Bounded(THREADS, "threads")]),
    Kind::program(27, "a-few-threads", "the number of threads: a quarter of the limit", |bot| {
        bot.client.play_turns(|client| {
            let threads: Vec<_> = (0..THREADS / 4).map(|n| thread::spawn(move || n)).collect();
            let ended = threads.into_iter().filter_map(|thread| thread.join().ok()).count() as u64;
            assert_eq!(ended, THREADS / 4);
            client.answer(crate::client::Question::Move);
        });
    })
    .ends(&[End::Plays]),
    Kind::attack(64, "fork-bomb", "the number of processes", |attack| {
        for made in 0..STOP_AT_PROCESSES {
            match fork() {
                // Children do not fork, so the number of processes is always bounded.
                Some(0) => linger(),
                Some(_) => {}
                None if made == 0 => return attack.refused("fork", Errno::last()),
                None => return attack.stopped("fork", made, Errno::last()),
            }
        }
        attack.succeeded("fork", format!("{STOP_AT_PROCESSES} processes"));
    })
    .scenario(ALONE)
    .ends(REFUSED),
];

#[cfg(target_arch = "x86_64")]
const FORKS: &[(&str, libc::c_long)] = &[("fork", libc::SYS_fork)];
#[cfg(not(target_arch = "x86_64"))]
const FORKS: &[(&str, libc::c_long)] = &[];

/// Starts a child with one of the system calls for this. The child ends immediately.
fn helper(attack: &mut Attack<'_>, name: &str, call: impl Fn() -> i64) {
    match call() {
        // SAFETY: ends this process without running anything of the parent's.
        0 => unsafe { libc::_exit(0) },
        -1 => attack.refused(name, Errno::last()),
        child => {
            // SAFETY: waits for the child, whose state nobody wants.
            unsafe { libc::waitpid(child as i32, std::ptr::null_mut(), 0) };
            attack.succeeded(name, format!("process {child}"));
        }
    }
}

/// Returns `Some(0)` in the child.
pub(super) fn fork() -> Option<i32> {
    // SAFETY: the child calls nothing but `setsid`, `fork`, sleeps and `exit`.
    match unsafe { libc::fork() } {
        -1 => None,
        child => Some(child),
    }
}

/// Lives on for a minute, and then ends even if nothing contains it.
fn linger() -> ! {
    thread::sleep(Duration::from_secs(60));
    // SAFETY: ends this process without running anything of the parent's.
    unsafe { libc::_exit(0) }
}
