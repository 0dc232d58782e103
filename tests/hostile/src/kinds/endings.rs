//! Attempts to outlive the match, its referee or the build. The suite kills the referee or `agon` meanwhile.

use super::{processes::fork, submissions::script};
use crate::{
    Bot,
    kind::{End, Kind},
};
use std::{
    os::unix::process::CommandExt,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// How long every process of these kinds lives at most, even if nothing contains it.
const LIFE: Duration = Duration::from_secs(60);
const ENDS: &[End] = &[End::EndsWithReferee];

pub const KINDS: &[Kind] = &[
    Kind::program(62, "outlives-its-referee", "the end: a referee that is killed during the match", |bot| {
        ignore_signals();
        bot.client.wait_for_move();
        linger();
    })
    .issue(6)
    .ends(ENDS),
    Kind::program(
        62,
        "executes-in-a-second-thread",
        "the end: a program that a second thread has executed, which the kernel does not kill with its parent",
        execute_in_a_second_thread,
    )
    .issue(6)
    .ends(ENDS),
    Kind::program(
        62,
        "daemon-outlives-its-referee",
        "the end: a grandchild in a session of its own, which ignores signals and holds the pipes",
        |bot| {
            beside(&|| ignore_signals());
            bot.client.wait_for_move();
            linger();
        },
    )
    .issue(6)
    .ends(ENDS),
    Kind::program(
        62,
        "hops-from-its-referee",
        "the end: a process that starts the next one in another session and ends, without end",
        |bot| {
            let start = Instant::now();
            beside(&|| {
                while start.elapsed() < LIFE {
                    thread::sleep(Duration::from_millis(1));
                    match fork() {
                        Some(0) => leave_session(),
                        Some(_) => exit(),
                        None => {}
                    }
                }
            });
            bot.client.wait_for_move();
            linger();
        },
    )
    .issue(6)
    .ends(ENDS),
    Kind::submission(
        70,
        "build-outlives-agon",
        "the end: a child of a build whose `agon` is killed",
        |folder, facts| script(folder, &format!("{WAITS} {} & wait", facts.row)),
    )
    .issue(6)
    .ends(ENDS),
    Kind::submission(
        70,
        "build-daemon-outlives-agon",
        "the end: a daemon of a build, which ignores signals and has closed its log, and a folder without rights",
        |folder, facts| {
            let daemon = format!("trap \"\" HUP INT TERM; exec <&- >&- 2>&-; {WAITS} {}", facts.row);
            // Where a build may not leave its session, it still goes on.
            script(folder, &format!("mkdir -p a/b; chmod 0 a; (setsid sh -c '{daemon}' || sh -c '{daemon}') & wait"))
        },
    )
    .issue(6)
    .ends(ENDS),
];

/// A command that waits for a minute. Its command line ends with the word that follows.
const WAITS: &str = "sh -c \"seq 60 | while read n; do sleep 1; done\"";

/// Replaces this program by itself from a second thread, and plays there.
fn execute_in_a_second_thread(bot: &mut Bot) {
    const AGAIN: &str = "again";
    if !std::env::args().any(|word| word == AGAIN) {
        let thread = thread::spawn(|| {
            let words = std::env::args_os().skip(1);
            let error = Command::new("/proc/self/exe").args(words).arg(AGAIN).exec();
            eprintln!("{error}");
            std::process::exit(1);
        });
        let _ = thread.join();
    }
    ignore_signals();
    bot.client.wait_for_move();
    linger();
}

/// Does something in a process whose parent has ended and that has a session of its own, where that is possible.
fn beside(what: &dyn Fn()) {
    match fork() {
        Some(0) => {
            leave_session();
            if fork() != Some(0) {
                exit();
            }
            what();
            linger();
        }
        Some(child) => {
            // SAFETY: waits for the child, whose state nobody wants.
            unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
        }
        None => {}
    }
}

fn leave_session() {
    // SAFETY: no arguments.
    unsafe { libc::setsid() };
}

fn ignore_signals() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGPIPE] {
        // SAFETY: ignoring a signal runs no code of ours.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

fn linger() -> ! {
    thread::sleep(LIFE);
    exit()
}

/// Ends this process without running anything of its parent's.
fn exit() -> ! {
    // SAFETY: ends this process.
    unsafe { libc::_exit(0) }
}
