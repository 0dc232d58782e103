//! Attacks by what the kernel counts for a user, or tells about the processes of a user: bots may share theirs.

use crate::{
    attack::{address, address_mut, raw},
    errno::{EAGAIN, EINVAL, ENOENT, ENOTSUP, EPERM, ESRCH, Errno},
    kind::{End, ExpectedFault, Kind},
    kinds::{limits, neighbours::start_thread},
};
use std::{
    fs::File,
    os::fd::AsRawFd,
    thread,
    time::{Duration, Instant},
};

const THREADS: u64 = limits::THREADS as u64;

/// The process cannot be seen, or its clock must not be read.
const UNSEEN: &[End] = &[End::Refused(&[EPERM, ESRCH, EINVAL])];
const NOT_DIRECT: &[End] = &[End::Refused(&[EINVAL, EPERM])];
const NOT_TOLD: &[End] = &[End::Refused(&[ENOTSUP, EPERM])];

const SIGNALS: &[End] = &[End::Bounded(256, "signals")];
/// Where bots share a user, the one that leaves none for the other is ended.
const SIGNALS_OF_ALL: &[End] = &[End::Bounded(256, "signals"), End::Fails(ExpectedFault::Stopped)];

pub const KINDS: &[Kind] = &[
    Kind::attack(48, "reads-clocks-of-others", "another process: how much it has computed", |attack| {
        let mut time = [0u64; 2];
        for (name, process) in [("victim", attack.facts.victim), ("driver", attack.facts.driver)] {
            for kind in 0..3 {
                let clock = i64::from(!process << 3 | kind);
                attack.by_number(
                    &format!("clock_gettime of the {name}, {kind}"),
                    libc::SYS_clock_gettime,
                    [clock, address_mut(&mut time)],
                );
            }
            // The same number, whose upper half the kernel ignores.
            let clock = i64::from(!process << 3 | 2) & 0xffff_ffff;
            attack.by_number(
                &format!("the same of the {name}"),
                libc::SYS_clock_gettime,
                [clock, address_mut(&mut time)],
            );
        }
    })
    .issue(10)
    .ends(UNSEEN),
    Kind::attack(48, "asks-clocks-of-others", "another process: whether it runs, by its clock", |attack| {
        let (clock, mut time) = (i64::from(!attack.facts.victim << 3 | 2), [0u64; 2]);
        attack.by_number("clock_getres", libc::SYS_clock_getres, [clock, address_mut(&mut time)]);
        // Not at all, if the clock is known.
        attack.by_number("clock_nanosleep", libc::SYS_clock_nanosleep, [clock, 0, address(&time), 0]);
    })
    .issue(10)
    .ends(UNSEEN),
    Kind::attack(48, "asks-sessions-of-others", "another process: its session and its group", |attack| {
        for (name, process) in [("victim", attack.facts.victim), ("driver", attack.facts.driver)] {
            attack.by_number(&format!("getsid of the {name}"), libc::SYS_getsid, [process.into()]);
            attack.by_number(&format!("getpgid of the {name}"), libc::SYS_getpgid, [process.into()]);
        }
    })
    .issue(10)
    .ends(UNSEEN),
    Kind::attack(60, "reads-past-the-page-cache", "the host: its disks, by reads past the page cache", |attack| {
        let direct = i64::from(libc::O_DIRECT | libc::O_CLOEXEC);
        for path in [c"/proc/self/exe", c"/usr/bin/env"] {
            attack.by_number("openat", libc::SYS_openat, [-100, address(path), direct, 0]);
            attack.by_number("openat with high bits", libc::SYS_openat, [-100, address(path), 1 << 32 | direct, 0]);
            #[cfg(target_arch = "x86_64")]
            attack.by_number("open", libc::SYS_open, [address(path), direct, 0]);
        }
    })
    .issue(9)
    .ends(NOT_DIRECT),
    Kind::attack(60, "goes-past-the-page-cache-later", "the host: the same with a file that is open", |attack| {
        let Ok(file) = File::open("/proc/self/exe") else {
            return attack.succeeded("open", "its own program is missing");
        };
        let file = i64::from(file.as_raw_fd());
        let direct = i64::from(libc::O_DIRECT);
        attack.by_number("F_SETFL", libc::SYS_fcntl, [file, libc::F_SETFL.into(), direct]);
        attack.by_number("F_SETFL with high bits", libc::SYS_fcntl, [file, libc::F_SETFL.into(), 1 << 32 | direct]);
    })
    .issue(9)
    .ends(NOT_DIRECT),
    Kind::attack(51, "asks-what-is-cached", "a channel to the opponent: which pages of a file were read", |attack| {
        let Ok(file) = File::open("/proc/self/exe") else {
            return attack.succeeded("open", "its own program is missing");
        };
        let mut page = [0u8; 64];
        let part = [address_mut(&mut page), 64];
        // RWF_NOWAIT, alone and with a flag that is permitted.
        for (name, flags) in [("RWF_NOWAIT", 8), ("RWF_NOWAIT and RWF_HIPRI", 9)] {
            let arguments = [file.as_raw_fd().into(), address(&part), 1, 0, 0, flags];
            attack.by_number(name, libc::SYS_preadv2, arguments);
        }
    })
    .issue(10)
    .ends(NOT_TOLD),
    Kind::attack(38, "queues-signals", "the opponent: signals of one user that are pending", |attack| {
        // It blocks the signal, and sends it to itself until the kernel keeps no more of them.
        let signal = 40_i32;
        let blocked = [1u64 << (signal - 1)];
        raw(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK.into(), address(&blocked), 0, 8]);
        // The kernel's `struct siginfo` begins with the signal, an error number and the origin.
        let mut about = [0i32; 32];
        (about[0], about[2]) = (signal, libc::SI_QUEUE);
        let mut sent = 0;
        while sent < 100_000
            && raw(libc::SYS_rt_sigqueueinfo, [std::process::id().into(), signal.into(), address(&about)]) == 0
        {
            sent += 1;
        }
        attack.stopped("pending", sent, if sent < 100_000 { Errno::last() } else { EAGAIN });
    })
    .issue(1)
    .ends(SIGNALS)
    .restricted(SIGNALS_OF_ALL),
    Kind::attack(38, "queues-signals-in-a-thread", "the opponent: the same, in a thread that blocks them", |attack| {
        let (report, reported) = std::sync::mpsc::channel();
        start_thread(move || {
            let (signal, blocked) = (45_i64, [u64::MAX]);
            raw(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK.into(), address(&blocked), 0, 8]);
            let thread = raw(libc::SYS_gettid, []);
            let mut sent = 0;
            while sent < 100_000 && raw(libc::SYS_tgkill, [std::process::id().into(), thread, signal]) == 0 {
                sent += 1;
            }
            let _ = report.send((sent, Errno::last()));
            // It keeps them for the rest of the match.
            loop {
                std::thread::park();
            }
        });
        if let Ok((sent, errno)) = reported.recv() {
            attack.stopped("pending", sent, if sent < 100_000 { errno } else { EAGAIN });
        }
    })
    .issue(1)
    .ends(SIGNALS)
    .restricted(SIGNALS_OF_ALL),
    Kind::attack(38, "keeps-threads", "the opponent: threads of one user", |attack| {
        let mut count = 0;
        // More than are permitted, and so few that no host runs out of them.
        while count < 4 * THREADS {
            let started = thread::Builder::new().stack_size(64 << 10).spawn(|| {
                loop {
                    thread::park();
                }
            });
            if let Err(error) = started {
                return attack.stopped("threads", count, Errno::of(&error));
            }
            count += 1;
        }
        // A watch that scans from time to time has time for that.
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(1) {
            std::hint::spin_loop();
        }
        attack.succeeded("threads", count.to_string());
    })
    .issue(1)
    .ends(&[End::Bounded(THREADS, "threads")])
    .restricted(&[End::Bounded(THREADS, "threads"), End::Fails(ExpectedFault::Stopped)]),
    Kind::attack(
        38,
        "looks-for-names-that-do-not-exist",
        "memory that no limit counts: names of files that are missing",
        |attack| {
            // The kernel notes each name that it has not found. The suite does not fill the memory of the host.
            let name = |number: u32| format!("/usr/{}-{number}\0", attack.facts.marker);
            let missing = (0..20_000).filter(|number| {
                let name = name(*number);
                raw(libc::SYS_openat, [-100, address(name.as_bytes()), 0, 0]) == -1 && Errno::last() == ENOENT
            });
            match missing.count() {
                20_000 => attack.refused("20,000 names", ENOENT),
                count => attack.succeeded("names", format!("{count} of 20,000 are missing")),
            }
        },
    )
    .issue(4)
    .ends(&[End::Refused(&[ENOENT])]),
];
