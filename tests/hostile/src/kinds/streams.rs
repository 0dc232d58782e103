//! Attacks on the streams: too much output, too little, too early, or closed; also processes that end or refuse to end.

use crate::{
    client::write,
    kind::{End, ExpectedFault, Kind, SHORT_GREETING_LIMIT, SHORT_MOVE_LIMIT, Scenario, TOY},
};
use std::{
    fs::File,
    io::Write,
    os::fd::FromRawFd,
    process::{abort, exit},
    thread,
    time::Duration,
};

/// A match that is long enough for a flood, with a small inbox.
const SMALL_INBOX: Scenario = Scenario { stones: 1_000_000, inbox: Some(70_000), alone: true, ..TOY };
/// A long match.
const LONG: Scenario = Scenario { stones: 1_000_000, ..SHORT_MOVE_LIMIT };
/// The match is played alone, because the memory of the referee is measured.
const MEMORY_MEASURED: Scenario = Scenario { alone: true, ..TOY };

pub const KINDS: &[Kind] = &[
    Kind::program(1, "answer-flood", "stdout: valid answers without end", |_| {
        write("ok\n");
        let answers = "take 1\n".repeat(1000);
        loop {
            write(&answers);
        }
    })
    .scenario(SMALL_INBOX)
    .ends(&[End::Fails(ExpectedFault::Flood)]),
    Kind::program(2, "never-a-newline", "stdout: bytes without a line end", |bot| {
        bot.client.wait_for_move();
        loop {
            write([b'7'; 4096]);
        }
    })
    .scenario(MEMORY_MEASURED)
    .ends(&[End::Fails(ExpectedFault::LongLine)]),
    Kind::program(3, "line-of-400-mb", "the memory of the referee: one line of 400 MB", |bot| {
        bot.client.wait_for_move();
        let part = vec![b'9'; 1 << 20];
        for _ in 0..400 {
            write(&part);
        }
        write("\n");
        forever();
    })
    .scenario(MEMORY_MEASURED)
    .ends(&[End::Fails(ExpectedFault::LongLine)]),
    Kind::program(4, "slow-drip", "the clock: a byte every 50 ms", |bot| {
        bot.client.wait_for_move();
        for byte in "take 00000000000000000000".chars().cycle() {
            write(byte.to_string());
            thread::sleep(Duration::from_millis(50));
        }
    })
    .scenario(SHORT_MOVE_LIMIT)
    .ends(&[End::Fails(ExpectedFault::Late)]),
    Kind::program(4, "slow-greeting", "the clock: a greeting in single bytes", |_| {
        for byte in ["o", "k"] {
            write(byte);
            thread::sleep(Duration::from_secs(2));
        }
        forever();
    })
    .scenario(SHORT_GREETING_LIMIT)
    .ends(&[End::Fails(ExpectedFault::Late)]),
    Kind::program(7, "answers-ahead", "the order of turns: all answers before the first question", |_| {
        write("ok\n");
        write("take 1\n".repeat(15));
        forever();
    })
    .ends(&[End::Plays]),
    Kind::program(8, "answers-twice", "the order of turns: two answers to each question", |bot| {
        bot.client.play_turns(|_| write("take 1\ntake 1\n"));
    })
    .ends(&[End::Plays]),
    Kind::program(9, "answers-too-late", "the clock: a whole answer after the limit", |bot| {
        bot.client.wait_for_move();
        thread::sleep(Duration::from_millis(1500));
        write("take 1\n");
        bot.client.play_on();
    })
    .scenario(SHORT_MOVE_LIMIT)
    .ends(&[End::Fails(ExpectedFault::Silent)]),
    Kind::program(10, "half-an-answer", "the clock: half an answer in time, the rest later", |bot| {
        bot.client.wait_for_move();
        write("take");
        thread::sleep(Duration::from_millis(1500));
        write(" 1\n");
        bot.client.play_on();
    })
    .scenario(SHORT_MOVE_LIMIT)
    .ends(&[End::Fails(ExpectedFault::Late)]),
    Kind::program(11, "never-reads", "the referee's writes: a full pipe", |_| {
        write("ok\n");
        write("take 1\n".repeat(9000));
        forever();
    })
    .scenario(LONG)
    .ends(&[End::Fails(ExpectedFault::Unread)]),
    Kind::program(12, "closes-stdin", "the referee's writes: a closed pipe", |bot| {
        bot.client.next_question();
        close(0);
        write("ok\n");
        forever();
    })
    .ends(&[End::Fails(ExpectedFault::ClosedInput)]),
    Kind::program(13, "closes-stdout", "the referee's reads: a closed pipe, the process still runs", |bot| {
        bot.client.wait_for_move();
        close(1);
        forever();
    })
    .ends(&[End::Fails(ExpectedFault::ClosedOutput)]),
    Kind::program(13, "closes-stderr", "the referee's reads: a closed stderr", |bot| {
        bot.client.wait_for_move();
        close(2);
        bot.client.play_on();
    })
    .ends(&[End::Plays]),
    Kind::program(14, "exits-with-0", "the end: exit code 0 in the middle", |bot| {
        bot.client.wait_for_move();
        exit(0);
    })
    .ends(&[End::Fails(ExpectedFault::Exits(0))]),
    Kind::program(14, "exits-with-3", "the end: exit code 3 in the middle", |bot| {
        bot.client.wait_for_move();
        exit(3);
    })
    .ends(&[End::Fails(ExpectedFault::Exits(3))]),
    Kind::program(14, "exits-at-once", "the end: before it reads anything", |_| exit(7))
        .ends(&[End::Fails(ExpectedFault::Exits(7))]),
    Kind::program(14, "exits-in-a-line", "the end: after half an answer", |bot| {
        bot.client.wait_for_move();
        write("take");
        exit(0);
    })
    .ends(&[End::Fails(ExpectedFault::Exits(0))]),
    Kind::program(14, "segfaults", "the end: a null pointer", |bot| {
        bot.client.wait_for_move();
        // SAFETY: none. This is a bot with a bug, and it dies here.
        unsafe { std::ptr::null_mut::<u32>().write_volatile(1) };
    })
    .ends(&[End::Fails(ExpectedFault::Dies("SIGSEGV"))]),
    Kind::program(14, "aborts", "the end: SIGABRT", |bot| {
        bot.client.wait_for_move();
        abort();
    })
    .ends(&[End::Fails(ExpectedFault::Dies("SIGABRT"))]),
    Kind::program(14, "kills-itself", "the end: SIGKILL to itself", |bot| {
        bot.client.wait_for_move();
        signal_myself(libc::SIGKILL);
    })
    .ends(&[End::Fails(ExpectedFault::Dies("SIGKILL"))]),
    Kind::program(16, "stderr-flood", "the memory of the referee: stderr without end", |bot| {
        thread::spawn(|| {
            loop {
                let _ = raw_stderr().write_all(&[b'e'; 1 << 16]);
            }
        });
        bot.client.wait_for_move();
        bot.client.play_on();
    })
    .scenario(MEMORY_MEASURED)
    .ends(&[End::Plays]),
    Kind::program(16, "stderr-before-answers", "the clock: 256 KiB of stderr before each answer", |bot| {
        bot.client.play_turns(|client| {
            let _ = raw_stderr().write_all(&[b'e'; 1 << 18]);
            client.answer(crate::client::Question::Move);
        });
    })
    .scenario(MEMORY_MEASURED)
    .ends(&[End::Plays]),
    Kind::program(
        17,
        "stderr-single-bytes",
        "the time of the referee: single bytes on stderr that wake it up",
        |bot| {
            thread::spawn(|| {
                loop {
                    let _ = raw_stderr().write_all(b".");
                }
            });
            bot.client.wait_for_move();
            bot.client.play_on();
        },
    )
    .ends(&[End::Plays]),
    Kind::program(18, "stops-itself", "the clock: SIGSTOP to itself", |bot| {
        bot.client.wait_for_move();
        signal_myself(libc::SIGSTOP);
    })
    .scenario(SHORT_MOVE_LIMIT)
    .ends(&[End::Fails(ExpectedFault::Silent)]),
    Kind::program(18, "mute", "the clock: reads nothing, writes nothing", |_| forever())
        .scenario(SHORT_GREETING_LIMIT)
        .ends(&[End::Fails(ExpectedFault::Silent)]),
    Kind::program(
        19,
        "ignores-signals",
        "the end: ignores every signal that it can, and the end of its input",
        |bot| {
            for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGPIPE, libc::SIGXCPU] {
                // SAFETY: ignoring a signal runs no code of ours.
                unsafe { libc::signal(signal, libc::SIG_IGN) };
            }
            bot.client.play_turns(|client| client.answer(crate::client::Question::Move));
            forever();
        },
    )
    .ends(&[End::Plays]),
    Kind::program(19, "spins-for-ever", "the end: a busy loop after the end of its input", |bot| {
        bot.client.play_turns(|client| client.answer(crate::client::Question::Move));
        loop {
            std::hint::spin_loop();
        }
    })
    .ends(&[End::Plays]),
    Kind::program(19, "leaves-its-group", "the end: moves to the process group of its parent", |bot| {
        // SAFETY: both calls take numbers alone.
        unsafe { libc::setpgid(0, libc::getpgid(libc::getppid())) };
        bot.client.play_turns(|client| client.answer(crate::client::Question::Move));
        forever();
    })
    .ends(&[End::Plays]),
];

/// Sleeps forever.
fn forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1000));
    }
}

/// Closes a descriptor that is not used again.
fn close(descriptor: i32) {
    // SAFETY: the standard library does not expect it to stay open; a failed write is an error and nothing worse.
    unsafe { libc::close(descriptor) };
}

/// Returns stderr without the lock of the standard library. With that lock, a thread that never stops could block all
/// others.
fn raw_stderr() -> std::mem::ManuallyDrop<File> {
    // SAFETY: it is never dropped, so that it closes nothing.
    std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(2) })
}

fn signal_myself(signal: i32) {
    // SAFETY: it takes numbers alone.
    unsafe { libc::kill(libc::getpid(), signal) };
}
