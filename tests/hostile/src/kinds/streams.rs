//! Attacks on the streams: too much, too little, too early, closed, and processes that end or do not want to.

use crate::{
    kind::{End, Failing, HURRIED, Kind, PATIENT, Stage},
    player::say,
};
use std::{
    fs::File,
    io::Write,
    os::fd::FromRawFd,
    process::{abort, exit},
    thread,
    time::Duration,
};

/// A match that is long enough for a flood, with an inbox that is soon full.
const FLOODED: Stage = Stage { stones: 1_000_000, inbox: Some(70_000), alone: true, ..PATIENT };
/// A long match.
const LONG: Stage = Stage { stones: 1_000_000, ..HURRIED };
/// Where memory is looked at.
const WEIGHED: Stage = Stage { alone: true, ..PATIENT };
/// Where the greeting has a limit that is reached.
const IMPATIENT: Stage = Stage { clock: "greeting=1s,move=30s", ..PATIENT };

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::program(1, "answer-flood", "stdout: valid answers without end", |_| {
        say("ok\n");
        let answers = "take 1\n".repeat(1000);
        loop {
            say(&answers);
        }
    })
    .on(FLOODED)
    .ends(&[End::Fails(Failing::Flood)]),
    Kind::program(2, "never-a-newline", "stdout: bytes without a line end", |bot| {
        bot.player.until_asked();
        loop {
            say([b'7'; 4096]);
        }
    })
    .on(WEIGHED)
    .ends(&[End::Fails(Failing::LongLine)]),
    Kind::program(3, "line-of-400-mb", "memory of the referee: one line of 400 MB", |bot| {
        bot.player.until_asked();
        let part = vec![b'9'; 1 << 20];
        for _ in 0..400 {
            say(&part);
        }
        say("\n");
        forever();
    })
    .on(WEIGHED)
    .ends(&[End::Fails(Failing::LongLine)]),
    Kind::program(4, "slow-drip", "the clock: a byte now and then", |bot| {
        bot.player.until_asked();
        for byte in "take 00000000000000000000".chars().cycle() {
            say(byte.to_string());
            thread::sleep(Duration::from_millis(50));
        }
    })
    .on(HURRIED)
    .ends(&[End::Fails(Failing::Late)]),
    Kind::program(4, "slow-greeting", "the clock: a greeting that drips", |_| {
        for byte in ["o", "k"] {
            say(byte);
            thread::sleep(Duration::from_secs(2));
        }
        forever();
    })
    .on(IMPATIENT)
    .ends(&[End::Fails(Failing::Late)]),
    Kind::program(7, "answers-ahead", "the order of turns: the whole match before the first question", |_| {
        say("ok\n");
        say("take 1\n".repeat(15));
        forever();
    })
    .ends(&[End::Plays]),
    Kind::program(8, "answers-twice", "the order of turns: two answers to each question", |bot| {
        bot.player.turns(|_| say("take 1\ntake 1\n"));
    })
    .ends(&[End::Plays]),
    Kind::program(9, "answers-too-late", "the clock: a whole answer after the limit", |bot| {
        bot.player.until_asked();
        thread::sleep(Duration::from_millis(1500));
        say("take 1\n");
        bot.player.honestly();
    })
    .on(HURRIED)
    .ends(&[End::Fails(Failing::Silent)]),
    Kind::program(10, "half-an-answer", "the clock: half an answer in time, the rest later", |bot| {
        bot.player.until_asked();
        say("take");
        thread::sleep(Duration::from_millis(1500));
        say(" 1\n");
        bot.player.honestly();
    })
    .on(HURRIED)
    .ends(&[End::Fails(Failing::Late)]),
    Kind::program(11, "never-reads", "the referee's writes: a full pipe", |_| {
        say("ok\n");
        say("take 1\n".repeat(9000));
        forever();
    })
    .on(LONG)
    .ends(&[End::Fails(Failing::Unread)]),
    Kind::program(12, "closes-stdin", "the referee's writes: a closed pipe", |bot| {
        bot.player.asked();
        close(0);
        say("ok\n");
        forever();
    })
    .ends(&[End::Fails(Failing::ClosedInput)]),
    Kind::program(13, "closes-stdout", "the referee's reads: a closed pipe of a living process", |bot| {
        bot.player.until_asked();
        close(1);
        forever();
    })
    .ends(&[End::Fails(Failing::ClosedOutput)]),
    Kind::program(13, "closes-stderr", "the referee's reads: no stderr any more", |bot| {
        bot.player.until_asked();
        close(2);
        bot.player.honestly();
    })
    .ends(&[End::Plays]),
    Kind::program(14, "exits-with-0", "the end: exit code 0 in the middle", |bot| {
        bot.player.until_asked();
        exit(0);
    })
    .ends(&[End::Fails(Failing::Exits(0))]),
    Kind::program(14, "exits-with-3", "the end: exit code 3 in the middle", |bot| {
        bot.player.until_asked();
        exit(3);
    })
    .ends(&[End::Fails(Failing::Exits(3))]),
    Kind::program(14, "exits-at-once", "the end: before anything was read", |_| exit(7))
        .ends(&[End::Fails(Failing::Exits(7))]),
    Kind::program(14, "exits-in-a-line", "the end: after half an answer", |bot| {
        bot.player.until_asked();
        say("take");
        exit(0);
    })
    .ends(&[End::Fails(Failing::Exits(0))]),
    Kind::program(14, "segfaults", "the end: a null pointer", |bot| {
        bot.player.until_asked();
        // SAFETY: none. This is a bot with a bug, and it dies here.
        unsafe { std::ptr::null_mut::<u32>().write_volatile(1) };
    })
    .ends(&[End::Fails(Failing::Dies("SIGSEGV"))]),
    Kind::program(14, "aborts", "the end: SIGABRT", |bot| {
        bot.player.until_asked();
        abort();
    })
    .ends(&[End::Fails(Failing::Dies("SIGABRT"))]),
    Kind::program(14, "kills-itself", "the end: SIGKILL from its own hand", |bot| {
        bot.player.until_asked();
        signal_myself(libc::SIGKILL);
    })
    .ends(&[End::Fails(Failing::Dies("SIGKILL"))]),
    Kind::program(16, "stderr-flood", "memory of the referee: stderr without end", |bot| {
        thread::spawn(|| {
            loop {
                let _ = raw_stderr().write_all(&[b'e'; 1 << 16]);
            }
        });
        bot.player.until_asked();
        bot.player.honestly();
    })
    .on(WEIGHED)
    .ends(&[End::Plays]),
    Kind::program(16, "stderr-before-answers", "the clock: 256 KiB of stderr before each answer", |bot| {
        bot.player.turns(|player| {
            let _ = raw_stderr().write_all(&[b'e'; 1 << 18]);
            player.answer(crate::player::Asked::Move);
        });
    })
    .on(WEIGHED)
    .ends(&[End::Plays]),
    Kind::program(17, "stderr-pricks", "time of the referee: single bytes that wake it up", |bot| {
        thread::spawn(|| {
            loop {
                let _ = raw_stderr().write_all(b".");
            }
        });
        bot.player.until_asked();
        bot.player.honestly();
    })
    .ends(&[End::Plays]),
    Kind::program(18, "stops-itself", "the clock: SIGSTOP from its own hand", |bot| {
        bot.player.until_asked();
        signal_myself(libc::SIGSTOP);
    })
    .on(HURRIED)
    .ends(&[End::Fails(Failing::Silent)]),
    Kind::program(18, "mute", "the clock: reads nothing, says nothing", |_| forever())
        .on(IMPATIENT)
        .ends(&[End::Fails(Failing::Silent)]),
    Kind::program(19, "ignores-signals", "the end: every signal that can be ignored, and its input's end", |bot| {
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGPIPE, libc::SIGXCPU] {
            // SAFETY: ignoring a signal runs no code of ours.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        bot.player.turns(|player| player.answer(crate::player::Asked::Move));
        forever();
    })
    .ends(&[End::Plays]),
    Kind::program(19, "spins-for-ever", "the end: busy after its input's end", |bot| {
        bot.player.turns(|player| player.answer(crate::player::Asked::Move));
        loop {
            std::hint::spin_loop();
        }
    })
    .ends(&[End::Plays]),
    Kind::program(19, "leaves-its-group", "the end: in the process group of whoever started it", |bot| {
        // SAFETY: both calls take numbers alone.
        unsafe { libc::setpgid(0, libc::getpgid(libc::getppid())) };
        bot.player.turns(|player| player.answer(crate::player::Asked::Move));
        forever();
    })
    .ends(&[End::Plays]),
];

/// Stays.
fn forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1000));
    }
}

/// Closes a descriptor that nobody uses any more.
fn close(descriptor: i32) {
    // SAFETY: the standard library does not expect it to stay open; a failed write is an error and nothing worse.
    unsafe { libc::close(descriptor) };
}

/// Not the one of the standard library: under its lock a thread that never stops could keep another one out for ever.
fn raw_stderr() -> std::mem::ManuallyDrop<File> {
    // SAFETY: it is never dropped, so that it closes nothing.
    std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(2) })
}

fn signal_myself(signal: i32) {
    // SAFETY: it takes numbers alone.
    unsafe { libc::kill(libc::getpid(), signal) };
}
