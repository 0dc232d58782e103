//! Attacks on the time of others.

use crate::{
    kind::{End, Failing, HURRIED, Kind, PATIENT, Stage},
    player::Asked,
};
use std::{thread, time::Duration};

/// Where nobody may compute on the opponent's time.
const FROZEN: Stage = Stage { stones: 10, freeze: true, slow_opponent: true, ..PATIENT };
/// A limit on the greeting.
const STRICT_START: Stage = Stage { clock: "greeting=1s,move=30s", ..PATIENT };
/// A limit that is easily kept.
const EASY: Stage = Stage { stones: 2, clock: "greeting=30s,move=10s", ..PATIENT };

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(24, "ponders", "the opponent's time: a thread that computes without a pause", |tries| {
        // One thread that never ends; the main one only waits.
        thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
        // The opponent takes 50 ms, four times. Frozen, the bot comes to next to nothing; free, to all of it.
        let mut foreign = Duration::ZERO;
        for _ in 0..4 {
            tries.player().answer(Asked::Move);
            let before = cpu();
            tries.player().until_asked();
            foreign += cpu().saturating_sub(before);
        }
        if foreign > Duration::from_millis(100) {
            tries.succeeded("ponder", format!("computed {} ms of the opponent's 200", foreign.as_millis()));
        }
    })
    .needs(agon_spec::Isolation::None)
    .on(FROZEN)
    .ends(&[End::Plays]),
    Kind::program(28, "busy-beside-opponent", "the opponent's time: a busy loop throughout", |bot| {
        thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
        bot.player.turns(|player| player.answer(Asked::Move));
    })
    .ends(&[End::Plays]),
    Kind::program(32, "sleeps-at-the-start", "the clock: time before the first turn that nobody counts", |_| {
        loop {
            thread::sleep(Duration::from_secs(1000));
        }
    })
    .on(STRICT_START)
    .ends(&[End::Fails(Failing::Silent)]),
    Kind::program(32, "within-the-limit", "the clock: 50 ms where 10 s are allowed", |bot| {
        bot.player.turns(|player| {
            thread::sleep(Duration::from_millis(50));
            player.answer(Asked::Move);
        });
    })
    .on(EASY)
    .ends(&[End::Plays]),
    Kind::program(32, "beyond-the-limit", "the clock: sleeps for ever in its first turn", |bot| {
        bot.player.until_asked();
        loop {
            thread::sleep(Duration::from_secs(1000));
        }
    })
    .on(HURRIED)
    .ends(&[End::Fails(Failing::Silent)]),
];

/// The CPU time of this process, all its threads together.
fn cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
