//! Attacks on the time of others.

use crate::{
    client::Question,
    cpu::cpu_time,
    kind::{End, ExpectedFault, Kind, SHORT_GREETING_LIMIT, SHORT_MOVE_LIMIT, Scenario, TOY},
};
use std::{thread, time::Duration};

/// Bots are stopped during the opponent's turn.
const FROZEN: Scenario = Scenario { stones: 10, freeze: true, slow_opponent: true, ..TOY };
/// Two turns, with limits that every bot can keep.
const TWO_TURNS: Scenario = Scenario { stones: 2, clock: "greeting=30s,move=10s", ..TOY };

pub const KINDS: &[Kind] = &[
    Kind::attack(24, "ponders", "the opponent's time: a thread that computes without pause", |attack| {
        // A thread that never ends; the main thread only waits.
        thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
        // The opponent thinks for 50 ms, four times. In that time a stopped bot computes almost nothing, and a running
        // bot computes throughout.
        let mut foreign = Duration::ZERO;
        for _ in 0..4 {
            attack.client().answer(Question::Move);
            let before = cpu();
            attack.client().wait_for_move();
            foreign += cpu().saturating_sub(before);
        }
        if foreign > Duration::from_millis(100) {
            attack.succeeded("ponder", format!("computed {} ms of the opponent's 200", foreign.as_millis()));
        }
    })
    .issue(3)
    .needs(agon_spec::Isolation::None)
    .scenario(FROZEN)
    .ends(&[End::Plays]),
    Kind::program(28, "busy-beside-opponent", "the opponent's time: a busy loop throughout", |bot| {
        thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
        bot.client.play_turns(|client| client.answer(Question::Move));
    })
    .ends(&[End::Plays]),
    Kind::program(32, "sleeps-at-the-start", "the clock: sleeps before the first turn", |_| {
        loop {
            thread::sleep(Duration::from_secs(1000));
        }
    })
    .scenario(SHORT_GREETING_LIMIT)
    .ends(&[End::Fails(ExpectedFault::Silent)]),
    Kind::program(32, "within-the-limit", "the clock: 50 ms where 10 s are allowed", |bot| {
        bot.client.play_turns(|client| {
            thread::sleep(Duration::from_millis(50));
            client.answer(Question::Move);
        });
    })
    .scenario(TWO_TURNS)
    .ends(&[End::Plays]),
    Kind::program(32, "beyond-the-limit", "the clock: sleeps forever in its first turn", |bot| {
        bot.client.wait_for_move();
        loop {
            thread::sleep(Duration::from_secs(1000));
        }
    })
    .scenario(SHORT_MOVE_LIMIT)
    .ends(&[End::Fails(ExpectedFault::Silent)]),
];

/// The CPU time of all threads of this process.
fn cpu() -> Duration {
    cpu_time(libc::CLOCK_PROCESS_CPUTIME_ID)
}
