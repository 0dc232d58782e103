//! Attacks by numbers of processes and threads, and by outliving the match.

use super::limits;
use crate::{
    Tries,
    errno::{EAGAIN, ENOSYS, EPERM, Errno},
    kind::{End, Failing, Kind, PATIENT, Stage},
    tries::raw,
};
use agon_spec::Isolation;
use std::{process::Command, sync::mpsc, thread, time::Duration};

const THREADS: u64 = limits::THREADS as u64;
/// At these a bomb stops by itself.
const ENOUGH_THREADS: u64 = 8 * THREADS;
const ENOUGH_PROCESSES: u64 = 48;

const REFUSED: &[End] = &[End::Refused(&[EPERM, EAGAIN, ENOSYS])];
const ALONE: Stage = Stage { alone: true, ..PATIENT };

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::program(15, "leaves-a-child", "the end: a child that holds the pipes of its parent", |bot| {
        bot.player.until_asked();
        if fork() == Some(0) {
            linger();
        }
        std::process::exit(0);
    })
    .ends(&[End::Fails(Failing::Exits(0))]),
    Kind::tries(15, "daemon", "the end: a grandchild in a session of its own", |tries| match fork() {
        Some(0) => {
            // SAFETY: no arguments.
            unsafe { libc::setsid() };
            if fork() == Some(0) {
                linger();
            }
            std::process::exit(0);
        }
        Some(child) => tries.succeeded("fork", format!("process {child}")),
        None => tries.refused("fork", Errno::last()),
    })
    .ends(REFUSED),
    Kind::tries(26, "forks", "the opponent's time: helpers in other processes", |tries| {
        for (name, call) in FORKS {
            helper(tries, name, || raw(*call, []));
        }
        // As the C library forks today: the signal of the end, no stack.
        helper(tries, "clone", || raw(libc::SYS_clone, [libc::SIGCHLD.into(), 0, 0, 0, 0]));
        let how = [0u64, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0];
        helper(tries, "clone3", || raw(libc::SYS_clone3, [crate::tries::address(&how), 64]));
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(26, "starts-a-shell", "other programs of the machine", |tries| {
        if let Some(mut child) = tries.io("sh", Command::new("/bin/sh").arg("-c").arg("true").spawn()) {
            let _ = child.wait();
        }
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(27, "thread-bomb", "the number of threads", |tries| {
        let (mut doors, mut threads, mut refused) = (Vec::new(), Vec::new(), None);
        while refused.is_none() && (threads.len() as u64) < ENOUGH_THREADS {
            let (door, wait) = mpsc::channel::<()>();
            let started = thread::Builder::new().stack_size(64 << 10).spawn(move || wait.recv());
            match started {
                Ok(thread) => {
                    threads.push(thread);
                    doors.push(door);
                }
                Err(error) => refused = Some(Errno::of(&error)),
            }
        }
        let count = threads.len() as u64;
        drop(doors);
        threads.into_iter().for_each(|thread| drop(thread.join()));
        match refused {
            Some(errno) => tries.stopped("threads", count, errno),
            None => tries.succeeded("threads", count.to_string()),
        }
    })
    .needs(Isolation::Full)
    .on(ALONE)
    .ends(&[End::Bounded(THREADS, "threads")]),
    Kind::program(27, "a-few-threads", "the number of threads: a quarter of the limit", |bot| {
        bot.player.turns(|player| {
            let threads: Vec<_> = (0..THREADS / 4).map(|n| thread::spawn(move || n)).collect();
            let ended = threads.into_iter().filter_map(|thread| thread.join().ok()).count() as u64;
            assert_eq!(ended, THREADS / 4);
            player.answer(crate::player::Asked::Move);
        });
    })
    .ends(&[End::Plays]),
    Kind::tries(64, "fork-bomb", "the number of processes", |tries| {
        for made in 0..ENOUGH_PROCESSES {
            match fork() {
                // Children do not fork: the number of all is known, whatever happens.
                Some(0) => linger(),
                Some(_) => {}
                None if made == 0 => return tries.refused("fork", Errno::last()),
                None => return tries.stopped("fork", made, Errno::last()),
            }
        }
        tries.succeeded("fork", format!("{ENOUGH_PROCESSES} processes"));
    })
    .on(ALONE)
    .ends(REFUSED),
    Kind::program(62, "outlives-its-referee", "the end: a referee that is killed in the middle of a match", |bot| {
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGPIPE] {
            // SAFETY: ignoring a signal runs no code of ours.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        bot.player.until_asked();
        linger();
    })
    .needs(Isolation::Restricted)
    .ends(&[End::DiesWithItsReferee]),
];

#[cfg(target_arch = "x86_64")]
const FORKS: &[(&str, libc::c_long)] = &[("fork", libc::SYS_fork)];
#[cfg(not(target_arch = "x86_64"))]
const FORKS: &[(&str, libc::c_long)] = &[];

/// A child by one of the calls that make one; it ends at once.
fn helper(tries: &mut Tries<'_>, name: &str, call: impl Fn() -> i64) {
    match call() {
        // SAFETY: ends this process without running anything of the parent's.
        0 => unsafe { libc::_exit(0) },
        -1 => tries.refused(name, Errno::last()),
        child => {
            // SAFETY: waits for the child, whose state nobody wants.
            unsafe { libc::waitpid(child as i32, std::ptr::null_mut(), 0) };
            tries.succeeded(name, format!("process {child}"));
        }
    }
}

/// `Some(0)` in the child.
fn fork() -> Option<i32> {
    // SAFETY: the child calls nothing but `setsid`, `fork`, sleeps and `exit`.
    match unsafe { libc::fork() } {
        -1 => None,
        child => Some(child),
    }
}

/// Lives on, not for ever: where nothing contains it, it is gone after a minute.
fn linger() -> ! {
    thread::sleep(Duration::from_secs(60));
    // SAFETY: ends this process without running anything of the parent's.
    unsafe { libc::_exit(0) }
}
