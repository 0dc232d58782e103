//! Bots that compute for longer than a clock of CPU time allows, and try to make it count less.

use crate::{
    client::Question,
    kind::{End, ExpectedFault, Kind, Scenario, TOY},
};
use std::{
    thread,
    time::{Duration, Instant},
};

/// A decision may take 100 ms of CPU time. Each kind needs ten times that before it answers, if nobody stops it.
const COUNTED: Scenario = Scenario { clock: "greeting=30s,move=100ms,policy=cpu", threads: 80, alone: true, ..TOY };
/// What counts nothing of the attack sees a bot that plays on.
const LATE: &[End] = &[End::Fails(ExpectedFault::Silent), End::Fails(ExpectedFault::Late)];
/// What each kind computes for a decision.
const WORK: Duration = Duration::from_secs(1);

pub const KINDS: &[Kind] = &[
    Kind::program(
        30,
        "hides-cpu-in-threads-that-end",
        "the clock of CPU time: threads that have ended when somebody looks",
        |bot| {
            bot.client.play_turns(|client| {
                let start = Instant::now();
                while start.elapsed() < WORK {
                    let _ = thread::spawn(|| spin(Duration::from_millis(2))).join();
                }
                client.answer(Question::Move);
            });
        },
    )
    .issue(7)
    .scenario(COUNTED)
    .ends(LATE),
    Kind::program(
        30,
        "hides-cpu-behind-its-first-thread",
        "the clock of CPU time: a first thread that has ended, while another one computes and answers",
        |bot| {
            thread::scope(|scope| {
                scope.spawn(|| {
                    bot.client.play_turns(|client| {
                        spin(WORK);
                        client.answer(Question::Move);
                    });
                    // SAFETY: ends this process. The first thread has ended and cannot do it.
                    unsafe { libc::_exit(0) };
                });
                // SAFETY: ends this thread alone, and it owns nothing that the other one uses after its end.
                unsafe { libc::syscall(libc::SYS_exit, 0) };
            });
        },
    )
    .issue(7)
    .scenario(COUNTED)
    .ends(LATE),
    Kind::program(
        30,
        "hides-cpu-between-ticks",
        "the clock of CPU time: bursts that are over before the kernel's next tick",
        |bot| {
            bot.client.play_turns(|client| {
                for _ in 0..WORK.as_micros() / 400 {
                    spin(Duration::from_micros(400));
                    // It sleeps through the tick, which charges the process that computes then.
                    thread::sleep(Duration::from_micros(100));
                }
                client.answer(Question::Move);
            });
        },
    )
    .issue(7)
    .scenario(COUNTED)
    .ends(LATE),
];

/// Computes for this long.
fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}
