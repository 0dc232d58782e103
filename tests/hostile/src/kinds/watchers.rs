//! Attempts to make the processes that watch over bots work in the opponent's turn, on the core that both share.

use super::{
    limits::MEMORY_MIB,
    neighbours::{ONE_CORE, ONE_CORE_TREE, THREADS, neighbour, start_thread},
};
use crate::{Bot, client::Question, kind::Kind};
use agon_spec::Isolation;
use std::{ptr, thread, time::Duration};

/// The processes of a bot that is close to its limit of memory, and how much they leave of it together, in MiB.
const PROCESSES: usize = 8;
const LEFT_MIB: usize = 40;

pub const KINDS: &[Kind] = &[
    neighbour(
        "many-threads-sleep",
        "the opponent's time: 62 threads that only sleep, and could start a process at any time",
        |bot| {
            for _ in 0..THREADS {
                start_thread(sleep_for_ever);
            }
            play(bot);
        },
    )
    .needs(Isolation::Full)
    .scenario(ONE_CORE_TREE),
    neighbour(
        "threads-that-cannot-stop",
        "the opponent's time: threads that wait in the kernel for others to end, so that they never stop",
        |bot| {
            for _ in 0..THREADS / 2 {
                start_thread(wait_for_a_thread);
            }
            play(bot);
        },
    )
    .scenario(ONE_CORE),
    neighbour(
        "sleeps-close-to-its-limit",
        "the opponent's time: processes that sleep so close to their limit of memory that they are looked at all the time",
        |bot| {
            for _ in 1..PROCESSES {
                // SAFETY: the child calls nothing that another thread could have locked.
                if unsafe { libc::fork() } == 0 {
                    take((MEMORY_MIB as usize - LEFT_MIB) / (PROCESSES - 1));
                    sleep_for_ever();
                }
            }
            play(bot);
        },
    )
    .needs(Isolation::Full)
    .scenario(ONE_CORE_TREE),
];

fn play(bot: &mut Bot) {
    bot.client.play_turns(|client| client.answer(Question::Move));
}

fn sleep_for_ever() {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

/// Waits for the end of another thread, which computes without end. No signal but a deadly one interrupts such a wait.
fn wait_for_a_thread() {
    const STACK: usize = 64 << 10;
    const THREAD: libc::c_int = libc::CLONE_VM
        | libc::CLONE_FS
        | libc::CLONE_FILES
        | libc::CLONE_SIGHAND
        | libc::CLONE_THREAD
        | libc::CLONE_SYSVSEM
        | libc::CLONE_VFORK;
    extern "C" fn compute(_: *mut libc::c_void) -> libc::c_int {
        loop {
            std::hint::spin_loop();
        }
    }
    let stack = vec![0_u128; STACK / size_of::<u128>()].leak();
    // SAFETY: the end of a stack that is never given back. The thread uses nothing else, and this one waits for it.
    unsafe { libc::clone(compute, stack.as_mut_ptr_range().end.cast(), THREAD, ptr::null_mut()) };
}

/// Takes memory and keeps it.
fn take(mib: usize) {
    let size = mib << 20;
    // SAFETY: a new mapping, which nobody else uses; each page of it is written to once.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let start = libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if start != libc::MAP_FAILED {
            (0..size).step_by(4096).for_each(|page| start.cast::<u8>().add(page).write_volatile(1));
        }
    }
}
