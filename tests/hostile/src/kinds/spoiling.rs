//! Bots that lose and try to make it look as if the host had kept them from a core. Such a match would have no result.

use crate::{
    attack::{address, raw},
    kind::{End, ExpectedFault, Kind, Scenario, TOY},
    kinds::{neighbours::start_thread, storage::c_path},
};
use agon_spec::Isolation;
use std::{
    fs::{self, File, OpenOptions},
    io::{Write, stderr},
    os::unix::fs::FileExt,
    thread,
    time::{Duration, Instant},
};

/// The bot has one core, and never answers its first question.
const LOSING: Scenario = Scenario { clock: "greeting=30s,move=300ms", one_core: true, threads: 80, alone: true, ..TOY };
/// The same with children.
const LOSING_TREE: Scenario = Scenario { processes: 8, ..LOSING };
/// The same on all cores of the machine.
const LOSING_ANYWHERE: Scenario = Scenario { one_core: false, ..LOSING };
const LATE: &[End] = &[End::Fails(ExpectedFault::Silent)];

pub const KINDS: &[Kind] = &[
    Kind::program(30, "spoils-by-threads", "the result: 62 threads, of which each waits for all others", |bot| {
        bot.client.wait_for_move();
        start(62, || spin(Duration::MAX));
        park();
    })
    .issue(2)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(
        30,
        "spoils-by-threads-on-all-cores",
        "the result: threads that wake at the same instant on all cores",
        |bot| {
            bot.client.wait_for_move();
            start(62, in_bursts);
            park();
        },
    )
    .issue(2)
    .scenario(LOSING_ANYWHERE)
    .ends(LATE),
    Kind::program(
        30,
        "spoils-by-bursts",
        "the result: threads that compute for less than the limit, while one waits for them",
        |bot| {
            bot.client.wait_for_move();
            start(62, in_bursts);
            park();
        },
    )
    .issue(2)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(30, "spoils-by-yielding", "the result: threads that give up the core whenever they have it", |bot| {
        bot.client.wait_for_move();
        start(30, || {
            loop {
                thread::yield_now();
            }
        });
        park();
    })
    .issue(2)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(30, "spoils-by-files", "the result: writing and fsync without end", |bot| {
        bot.client.wait_for_move();
        start(8, || {
            let path = std::env::temp_dir().join(format!("spoils-{:?}", thread::current().id()));
            let Ok(file) = File::create(path) else { return };
            let block = vec![7; 64 << 10];
            for at in (0..).map(|i| i % 16) {
                let _ = file.write_all_at(&block, at * block.len() as u64);
                let _ = file.sync_all();
            }
        });
        park();
    })
    .issue(2)
    .needs(Isolation::Restricted)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(30, "spoils-by-memory", "the result: pages that are taken and given back without end", |bot| {
        bot.client.wait_for_move();
        start(16, || {
            let mut pages = vec![1u8; 2 << 20];
            loop {
                pages.iter_mut().step_by(4096).for_each(|byte| *byte = byte.wrapping_add(1));
                // SAFETY: whole pages in the middle of this vector; they read as zeroes afterwards.
                unsafe {
                    let page = pages.as_mut_ptr().map_addr(|address| (address + 4095) & !4095);
                    libc::madvise(page.cast(), pages.len() - 4096, libc::MADV_DONTNEED);
                }
            }
        });
        park();
    })
    .issue(2)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(30, "spoils-by-stderr", "the result: a referee that is busy with stderr on the bot's core", |bot| {
        bot.client.wait_for_move();
        start(30, || {
            loop {
                let _ = stderr().write_all(b"x");
            }
        });
        start(2, || {
            loop {
                let _ = stderr().write_all(&[b'y'; 4 << 10]);
            }
        });
        park();
    })
    .issue(2)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(
        30,
        "spoils-by-touching-its-program",
        "the result: its own file, which would have changed during the match",
        |bot| {
            bot.client.wait_for_move();
            if let Ok(program) = std::env::current_exe().map(|path| c_path(&path)) {
                // Without times, those of now are set.
                raw(libc::SYS_utimensat, [-100, address(program.as_c_str()), 0, 0]);
            }
            park();
        },
    )
    .issue(2)
    .needs(Isolation::Restricted)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(30, "spoils-by-writing-its-program", "the result: its own file, written anew as it is", |bot| {
        bot.client.wait_for_move();
        for path in [std::env::current_exe().unwrap_or_default(), "/proc/self/exe".into()] {
            if let Ok(program) = OpenOptions::new().write(true).open(path) {
                let _ = program.metadata().and_then(|about| program.set_len(about.len()));
            }
        }
        park();
    })
    .issue(2)
    .needs(Isolation::Restricted)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(30, "spoils-by-renaming-its-program", "the result: its own file, moved away and back", |bot| {
        bot.client.wait_for_move();
        let program = std::env::current_exe().unwrap_or_default();
        let other = program.with_extension(&bot.facts.marker);
        if fs::hard_link(&program, &other).is_ok() {
            let _ = fs::rename(&other, &program);
            let _ = fs::remove_file(&other);
        }
        park();
    })
    .issue(2)
    .needs(Isolation::Restricted)
    .scenario(LOSING)
    .ends(LATE),
    Kind::program(30, "spoils-by-children", "the result: children that use the core of their parent", |bot| {
        bot.client.wait_for_move();
        for _ in 0..6 {
            // SAFETY: the child calls nothing but `clock_gettime` and `_exit`.
            if unsafe { libc::fork() } == 0 {
                spin(Duration::from_secs(20));
                // SAFETY: ends this process without running anything of the parent's.
                unsafe { libc::_exit(0) };
            }
        }
        in_bursts();
    })
    .issue(2)
    .needs(Isolation::Full)
    .scenario(LOSING_TREE)
    .ends(LATE),
    Kind::program(
        30,
        "spoils-by-children-that-vanish",
        "the result: children whose CPU time nobody counts when they have ended",
        |bot| {
            bot.client.wait_for_move();
            // SAFETY: the kernel then forgets each child at once, together with the time that it has used.
            unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
            start(6, || {
                loop {
                    // SAFETY: the child calls nothing but `clock_gettime` and `_exit`.
                    if unsafe { libc::fork() } == 0 {
                        spin(Duration::from_millis(3));
                        // SAFETY: ends this process without running anything of the parent's.
                        unsafe { libc::_exit(0) };
                    }
                    thread::yield_now();
                }
            });
            spin(Duration::MAX);
        },
    )
    .issue(2)
    .needs(Isolation::Full)
    .scenario(LOSING_TREE)
    .ends(LATE),
];

/// Starts threads that do this.
fn start(count: usize, work: fn()) {
    for _ in 0..count {
        start_thread(work);
    }
}

/// Computes for this long.
fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Computes for a little less than half of the time, together with all other threads.
fn in_bursts() {
    let start = Instant::now();
    for burst in 1u32.. {
        spin(Duration::from_micros(460));
        let next = Duration::from_millis(60) * burst;
        thread::sleep(next.saturating_sub(start.elapsed()));
    }
}

/// Waits for ever.
fn park() -> ! {
    loop {
        thread::park();
    }
}
