//! Attempts to compute in the opponent's turn, on the core that both share.

use crate::{
    Bot,
    client::{Client, Question},
    kind::{End, Kind, Scenario, TOY},
};
use agon_spec::Isolation;
use std::{
    io::{Write, stderr},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Five turns of each bot, and threads enough to leave an opponent almost nothing of a core.
pub(super) const ONE_CORE: Scenario = Scenario { stones: 10, one_core: true, threads: 80, alone: true, ..TOY };
/// The same with children.
pub(super) const ONE_CORE_TREE: Scenario = Scenario { processes: 8, ..ONE_CORE };
/// The same in a game in which both bots decide at the same time.
const ONE_CORE_GRID: Scenario = Scenario { protocol: crate::Protocol::Grid, ..ONE_CORE };
pub(super) const THREADS: usize = 62;

/// A bot on the opponent's core, which plays on and takes nothing from the opponent.
pub(super) const fn neighbour(name: &'static str, attacks: &'static str, program: fn(&mut Bot)) -> Kind {
    Kind::program(24, name, attacks, program).issue(1).scenario(ONE_CORE).ends(&[End::Plays])
}

pub const KINDS: &[Kind] = &[
    neighbour("threads-compute-after-an-answer", "the opponent's time: 62 threads on the same core", |bot| {
        let turn = Turn::with_threads(THREADS, |turn| turn.while_foreign(|| {}));
        turn.play(&mut bot.client);
    }),
    neighbour(
        "threads-wake-after-an-answer",
        "the opponent's time: threads that sleep until nobody expects them",
        |bot| {
            let turn = Turn::with_threads(16, |turn| {
                thread::sleep(Duration::from_millis(3));
                turn.while_foreign(|| {});
            });
            turn.play(&mut bot.client);
        },
    ),
    neighbour(
        "computes-in-short-bursts",
        "the opponent's time: threads that compute again and again, each time for less than is noticed",
        |bot| {
            let turn = Turn::with_threads(8, |turn| {
                turn.while_foreign(|| {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_micros(50) {}
                    thread::sleep(Duration::from_micros(500));
                });
            });
            turn.play(&mut bot.client);
        },
    ),
    neighbour(
        "computes-in-the-kernel",
        "the opponent's time: system calls that take long, because a process stops only after its call",
        |bot| {
            let turn = Turn::with_threads(4, |turn| {
                let mut bytes = vec![0u8; 4 << 20];
                turn.while_foreign(|| {
                    // SAFETY: the kernel writes at most as many bytes as there are, and takes back pages of ours.
                    unsafe {
                        libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0);
                        libc::madvise(bytes.as_mut_ptr().cast(), bytes.len() / 2, libc::MADV_COLD);
                    }
                });
            });
            turn.play(&mut bot.client);
        },
    ),
    neighbour(
        "writes-stderr-after-an-answer",
        "the opponent's time: a referee that reads stderr on the same core",
        |bot| {
            let turn = Turn::with_threads(4, |turn| {
                turn.while_foreign(|| {
                    let _ = stderr().write_all(b"x");
                    let _ = stderr().write_all(&[b'y'; 4096]);
                });
            });
            turn.play(&mut bot.client);
        },
    ),
    neighbour(
        "computes-before-its-first-answer",
        "the opponent's time: 62 threads from the start on, while the opponent starts and is greeted",
        |bot| {
            let turn = Turn::with_threads(THREADS, |turn| turn.while_foreign(|| {}));
            turn.give_away();
            turn.play(&mut bot.client);
        },
    ),
    neighbour(
        "computes-before-it-is-asked",
        "the opponent's time: 62 threads while the opponent decides in the same turn",
        |bot| {
            let turn = Turn::with_threads(THREADS, |turn| turn.while_foreign(|| {}));
            turn.play(&mut bot.client);
        },
    )
    .scenario(ONE_CORE_GRID),
    neighbour("children-compute", "the opponent's time: children on the same core", |bot| {
        for _ in 0..7 {
            // SAFETY: the child calls nothing but `clock_gettime` and `_exit`.
            if unsafe { libc::fork() } == 0 {
                let start = Instant::now();
                while start.elapsed() < Duration::from_secs(20) {}
                // SAFETY: ends this process without running anything of the parent's.
                unsafe { libc::_exit(0) };
            }
        }
        bot.client.play_turns(|client| client.answer(Question::Move));
    })
    .needs(Isolation::Full)
    .scenario(ONE_CORE_TREE),
    neighbour(
        "children-start-after-an-answer",
        "the opponent's time: children that did not exist when the bot was asked",
        |bot| {
            let turn = Turn::with_threads(1, |turn| {
                turn.while_foreign(|| {
                    let mut children = Vec::new();
                    for _ in 0..4 {
                        // SAFETY: the child calls nothing but `clock_gettime` and `_exit`.
                        match unsafe { libc::fork() } {
                            0 => {
                                let start = Instant::now();
                                while start.elapsed() < Duration::from_millis(2) {}
                                // SAFETY: ends this process without running anything of the parent's.
                                unsafe { libc::_exit(0) };
                            }
                            child => children.push(child),
                        }
                    }
                    for child in children {
                        // SAFETY: the result is not wanted.
                        unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
                    }
                });
            });
            turn.play(&mut bot.client);
        },
    )
    .needs(Isolation::Full)
    .scenario(ONE_CORE_TREE),
];

/// Starts a thread with a stack so small that the memory limit allows many.
pub(crate) fn start_thread(work: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(64 << 10).spawn(work).expect("the limit allows as many threads");
}

/// Whose turn it is, for threads that work in the opponent's.
struct Turn {
    foreign: AtomicBool,
    given: Mutex<u32>,
    changed: Condvar,
}

impl Turn {
    /// Starts threads that do this after each answer.
    fn with_threads(count: usize, work: fn(&Self)) -> Arc<Self> {
        let turn = Arc::new(Self { foreign: AtomicBool::new(false), given: Mutex::new(0), changed: Condvar::new() });
        for _ in 0..count {
            let turn = Arc::clone(&turn);
            start_thread(move || {
                let mut done = 0;
                loop {
                    let given = turn.given.lock().unwrap_or_else(|e| e.into_inner());
                    let given = turn.changed.wait_while(given, |given| *given == done);
                    done = *given.unwrap_or_else(|e| e.into_inner());
                    work(&turn);
                }
            });
        }
        turn
    }

    /// Does something again and again until this bot is asked.
    fn while_foreign(&self, mut work: impl FnMut()) {
        while self.foreign.load(Ordering::Relaxed) {
            work();
        }
    }

    /// Lets the threads work, because the opponent's turn begins.
    fn give_away(&self) {
        self.foreign.store(true, Ordering::Relaxed);
        *self.given.lock().unwrap_or_else(|e| e.into_inner()) += 1;
        self.changed.notify_all();
    }

    /// Plays honestly, apart from the threads.
    fn play(&self, client: &mut Client) {
        while let Some(question) = client.next_question() {
            self.foreign.store(false, Ordering::Relaxed);
            client.answer(question);
            self.give_away();
        }
    }
}
