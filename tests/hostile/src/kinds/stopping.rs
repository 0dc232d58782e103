//! Attempts to go on while stopped outside the own turn.

use crate::{
    Attack, Bot,
    attack::{address, address_mut, raw},
    client::Question,
    errno::{EINVAL, ENOSYS, EPERM, Errno},
    kind::{End, Kind, Scenario, TOY},
};
use agon_spec::Isolation;
use std::{
    fs::File,
    io::Read,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::Command,
    thread,
    time::Duration,
};

/// Bots are stopped during the opponent's turn, and nothing else disturbs the measurement.
const FROZEN: Scenario = Scenario { stones: 10, freeze: true, slow_opponent: true, alone: true, ..TOY };
/// The same with children.
const FROZEN_TREE: Scenario = Scenario { processes: 8, ..FROZEN };
const REFUSED: &[End] = &[End::Refused(&[EPERM, EINVAL, ENOSYS])];
const CONTINUE: i64 = libc::SIGCONT as i64;

pub const KINDS: &[Kind] = &[
    Kind::attack(
        25,
        "wakes-itself",
        "the opponent's time: what could make the system send SIGCONT to the stopped process",
        |attack| {
            let mut event = [0i32; 16];
            (event[2], event[3]) = (libc::SIGCONT, 0);
            let mut id = 0i32;
            attack.by_number("timer_create", libc::SYS_timer_create, [1, address(&event), address_mut(&mut id)]);
            attack.by_number("F_SETSIG", libc::SYS_fcntl, [0, 10, CONTINUE]);
            attack.by_number("F_SETOWN", libc::SYS_fcntl, [0, libc::F_SETOWN.into(), std::process::id().into()]);
            attack.by_number("F_NOTIFY", libc::SYS_fcntl, [0, libc::F_NOTIFY.into(), 1]);
            attack.by_number("mq_open", libc::SYS_mq_open, [address(c"agon"), 0, 0, 0]);
            attack.by_number("mq_notify", libc::SYS_mq_notify, [0, address(&event)]);
            attack.by_number("PR_SET_PDEATHSIG", libc::SYS_prctl, [libc::PR_SET_PDEATHSIG.into(), CONTINUE, 0, 0, 0]);
        },
    )
    .issue(3)
    .ends(REFUSED),
    Kind::attack(25, "continues-itself", "the opponent's time: every call that sends SIGCONT, to itself", |attack| {
        for (name, send) in SENDING {
            attack.call(name, send(CONTINUE));
            // The kernel takes 32 bits of a signal; a filter that compares 64 bits would miss it.
            attack.call(&format!("{name} with high bits"), send(0x0001_0000_0000 | CONTINUE));
        }
    })
    .issue(3)
    .ends(REFUSED),
    Kind::program(
        25,
        "continues-itself-in-a-loop",
        "the opponent's time: threads that send SIGCONT without pause",
        |bot| {
            for _ in 0..8 {
                thread::spawn(|| {
                    loop {
                        for (_, send) in SENDING {
                            send(CONTINUE);
                        }
                    }
                });
            }
            bot.client.play_turns(|client| client.answer(Question::Move));
        },
    )
    .issue(3)
    .needs(Isolation::Restricted)
    .scenario(FROZEN)
    .ends(&[End::Plays]),
    Kind::program(
        25,
        "executes-itself-when-stopped",
        "the opponent's time: a program that replaces itself, for which the kernel can forget to stop it",
        execute_again,
    )
    .issue(3)
    .needs(Isolation::Restricted)
    .scenario(FROZEN)
    .ends(&[End::Plays]),
    Kind::attack(
        25,
        "continued-by-a-child",
        "the opponent's time: a child whose end sends SIGCONT to its parent",
        |attack| {
            for (name, flags) in [("clone", CONTINUE), ("clone with high bits", 0x0001_0000_0000 | CONTINUE)] {
                match raw(libc::SYS_clone, [flags, 0, 0, 0, 0]) {
                    // SAFETY: ends this process without running anything of the parent's.
                    0 => unsafe { libc::_exit(0) },
                    -1 => attack.refused(name, Errno::last()),
                    child => attack.succeeded(name, format!("process {child}")),
                }
            }
        },
    )
    .issue(3)
    .needs(Isolation::Full)
    .scenario(Scenario { processes: 8, ..TOY })
    .ends(REFUSED),
    Kind::attack(
        25,
        "hops-from-process-to-process",
        "the opponent's time: a process that ends as soon as it has started the next one",
        hop,
    )
    .issue(3)
    .needs(Isolation::Full)
    .scenario(FROZEN_TREE)
    .ends(&[End::Plays]),
];

/// The name of a call, and the call with a signal.
type Sending = (&'static str, fn(i64) -> i64);

/// Every call that sends a signal, here to this process.
const SENDING: &[Sending] = &[
    ("kill", |signal| raw(libc::SYS_kill, [own(), signal])),
    ("kill 0", |signal| raw(libc::SYS_kill, [0, signal])),
    ("kill -1", |signal| raw(libc::SYS_kill, [-1, signal])),
    ("tkill", |signal| raw(libc::SYS_tkill, [own_thread(), signal])),
    ("tgkill", |signal| raw(libc::SYS_tgkill, [own(), own_thread(), signal])),
    ("rt_sigqueueinfo", |signal| raw(libc::SYS_rt_sigqueueinfo, [own(), signal, address(&queued())])),
    ("rt_tgsigqueueinfo", |signal| raw(libc::SYS_rt_tgsigqueueinfo, [own(), own_thread(), signal, address(&queued())])),
    ("pidfd_send_signal", |signal| raw(libc::SYS_pidfd_send_signal, [-1, signal, 0, 0])),
];

fn own() -> i64 {
    std::process::id().into()
}

fn own_thread() -> i64 {
    raw(libc::SYS_gettid, [])
}

/// What is known about a signal that was queued.
fn queued() -> [i32; 32] {
    let mut about = [0; 32];
    (about[0], about[2]) = (libc::SIGCONT, libc::SI_QUEUE);
    about
}

/// How often the program replaces itself after each answer.
const AGAIN: u32 = 8;

/// Answers, and replaces itself again and again while it is being stopped. The kernel forgets a stop only now and then, so
/// one run without a failure proves little: the kind guards the second look, which stops the processes that still run, and the
/// exchange that goes on after a bot has replaced itself.
fn execute_again(bot: &mut Bot) {
    let count = std::env::args().find_map(|word| word.strip_prefix("again=")?.parse::<u32>().ok());
    if let Some(count) = count.filter(|count| *count < AGAIN) {
        execute(count + 1);
    }
    bot.client.play_turns(|client| {
        client.answer(Question::Move);
        execute(1);
    });
}

/// Replaces this program by itself from another thread than the first one, beside threads that compute.
fn execute(count: u32) -> ! {
    for _ in 0..3 {
        thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
    }
    thread::spawn(move || {
        let words = std::env::args_os().skip(1).filter(|word| !word.as_encoded_bytes().starts_with(b"again="));
        let error = Command::new("/proc/self/exe").args(words).arg(format!("again={count}")).exec();
        eprintln!("{error}");
        std::process::exit(1);
    });
    loop {
        thread::park();
    }
}

/// How often each process of [`hop`] looks at the clock before it starts the next one.
const LOOKS: u32 = 1000;

/// A stop that lists processes and signals each of them never reaches the next one; the kind guards the stop of a whole
/// world at once. A host that is slow to start processes lets such a list win, so that even then not every run fails.
///
/// Starts a process that starts the next one and ends, without end, and reports if one of them ran during the
/// opponent's turn.
fn hop(attack: &mut Attack<'_>) {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two descriptors, which nobody else owns.
    let (mut reader, writer) = unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK) != 0 {
            return attack.refused("pipe", Errno::last());
        }
        (File::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
    };
    let end = now() + Duration::from_secs(60);
    // SAFETY: the child calls nothing but `clock_gettime`, `write`, `fork` and `_exit`.
    match unsafe { libc::fork() } {
        -1 => return attack.refused("fork", Errno::last()),
        0 => hop_on(writer.as_raw_fd(), end),
        _ => {}
    }
    let mut turns = 0;
    for _ in 0..4 {
        attack.client().answer(Question::Move);
        attack.client().wait_for_move();
        let asked = now();
        let mut seen = Vec::new();
        let _ = reader.read_to_end(&mut seen);
        let times = seen.as_chunks().0.iter().map(|time| Duration::from_nanos(u64::from_ne_bytes(*time)));
        // The opponent takes 50 ms. Stopping and going on may take some of it.
        let opponents = asked - Duration::from_millis(30)..asked - Duration::from_millis(10);
        turns += u32::from(times.into_iter().any(|time| opponents.contains(&time)));
    }
    if turns > 1 {
        attack.succeeded("hop", format!("ran during {turns} of the opponent's 4 turns"));
    }
}

fn hop_on(writer: i32, end: Duration) -> ! {
    loop {
        let mut time = now();
        for _ in 0..LOOKS {
            time = now();
        }
        let nanos = (time.as_nanos() as u64).to_ne_bytes();
        // SAFETY: the bytes live for the call; a full pipe refuses them.
        unsafe { libc::write(writer, nanos.as_ptr().cast(), nanos.len()) };
        // SAFETY: as of the first one. Without another process this one tries again.
        if time > end || unsafe { libc::fork() } > 0 {
            // SAFETY: ends this process without running anything of the parent's.
            unsafe { libc::_exit(0) };
        }
    }
}

fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
