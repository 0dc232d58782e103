//! Attacks on the count of the memory that a bot uses, and honest bots that reserve memory and do not use it.

use super::limits;
use crate::{
    Attack,
    attack::line,
    attempt::{Attempt, AttemptResult},
    errno::Errno,
    kind::{End, ExpectedFault, Kind, Scenario, TOY},
};
use agon_spec::Isolation;
use std::{
    fs::File,
    os::fd::AsRawFd,
    process, ptr,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

const MIB: usize = 1 << 20;
/// What a bot takes at a time, in bytes.
const BLOCK: usize = MIB / 4;
/// How much a bot may have in use before it is killed, in bytes: its limit, and the larger of 32 MiB and a tenth.
const MOST: usize = (limits::MEMORY_MIB as usize + 32) * MIB;
const THREADS: usize = 16;
const CHILDREN: usize = 7;

const PRIVATE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;
/// The advice that gives a mapping all its pages.
const POPULATE_WRITE: i32 = 23;

/// The match is played alone, because other rows would lack the memory and the cores.
const ALONE: Scenario = Scenario { alone: true, ..TOY };
const KILLED: &[End] = &[End::Fails(ExpectedFault::OutOfMemory)];

/// How much the threads of a bot have taken together.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

pub const KINDS: &[Kind] = &[
    Kind::attack(34, "memory-by-threads", "memory: many threads take it faster than it is counted", |_| {
        for _ in 0..THREADS {
            thread::spawn(|| take_all(|| map().inspect(|block| touch(*block, BLOCK))));
        }
        park();
    })
    .issue(4)
    .scenario(ALONE)
    .ends(KILLED),
    Kind::attack(34, "memory-by-advice", "memory: threads that get whole mappings by one call", |_| {
        for _ in 0..THREADS {
            thread::spawn(|| {
                take_all(|| {
                    let block = map()?;
                    // SAFETY: the mapping is ours.
                    if unsafe { libc::madvise(block.cast(), BLOCK, POPULATE_WRITE) } != 0 {
                        touch(block, BLOCK);
                    }
                    Some(block)
                });
            });
        }
        park();
    })
    .issue(4)
    .scenario(ALONE)
    .ends(KILLED),
    Kind::attack(
        34,
        "memory-without-rights",
        "memory: pages that nobody may read after they were written, after the first thread has ended",
        |_| {
            after_the_first_thread(|| {
                let mut readable = false;
                take_all(|| {
                    let block = map()?;
                    touch(block, BLOCK);
                    readable = !readable;
                    let rights = if readable { libc::PROT_READ } else { libc::PROT_NONE };
                    // SAFETY: the mapping is ours, and nobody uses it any more.
                    (unsafe { libc::mprotect(block.cast(), BLOCK, rights) } == 0).then_some(block)
                });
            });
        },
    )
    .issue(4)
    .scenario(ALONE)
    .ends(KILLED),
    Kind::attack(
        34,
        "memory-of-private-files",
        "memory: private pages of a file, after the first thread has ended",
        |attack| {
            let Some(file) = attack_file(attack) else { return };
            after_the_first_thread(move || {
                take_all(|| {
                    // SAFETY: a new mapping of a file that is longer than a block.
                    let block = unsafe {
                        libc::mmap(ptr::null_mut(), BLOCK, READ_WRITE, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
                    };
                    let block = (block != libc::MAP_FAILED).then_some(block.cast())?;
                    touch(block, BLOCK);
                    Some(block)
                });
            });
        },
    )
    .issue(4)
    .scenario(ALONE)
    .ends(KILLED),
    Kind::attack(
        34,
        "memory-of-a-stack",
        "memory: a page of a stack that grows, after the first thread has ended",
        |_| {
            let page = deep_page(0) as usize;
            after_the_first_thread(move || {
                let (mut start, mut size) = (page as *mut libc::c_void, 4096);
                take_all(|| {
                    // SAFETY: nobody uses this page of the stack any more; its old address is forgotten.
                    let moved = unsafe { libc::mremap(start, size, size + BLOCK, libc::MREMAP_MAYMOVE) };
                    if moved == libc::MAP_FAILED {
                        return None;
                    }
                    (start, size) = (moved, size + BLOCK);
                    // SAFETY: the end of the mapping, which has just grown by a block.
                    let block = unsafe { start.cast::<u8>().add(size - BLOCK) };
                    touch(block, BLOCK);
                    Some(block)
                });
            });
        },
    )
    .issue(4)
    .scenario(ALONE)
    .ends(KILLED),
    Kind::attack(34, "memory-of-children", "memory: children that stay within the limit, each by itself", |_| {
        for _ in 0..CHILDREN {
            // SAFETY: the child calls nothing that another thread could have locked.
            if unsafe { libc::fork() } == 0 {
                let share = 2 * MOST / CHILDREN;
                for _ in 0..share / BLOCK {
                    if let Some(block) = map() {
                        touch(block, BLOCK);
                    }
                }
                thread::sleep(Duration::from_millis(500));
                exceeded();
            }
        }
        park();
    })
    .issue(4)
    .needs(Isolation::Full)
    .scenario(Scenario { processes: CHILDREN as u32 + 1, ..ALONE })
    .ends(KILLED),
    Kind::attack(34, "reserves-memory", "no attack: reserves a GiB and uses little of it", |attack| {
        // SAFETY: a new mapping.
        let start = unsafe { libc::mmap(ptr::null_mut(), 1024 * MIB, READ_WRITE, PRIVATE, -1, 0) };
        if start == libc::MAP_FAILED {
            return attack.refused("mmap", Errno::last());
        }
        touch(start.cast(), MIB);
    })
    .issue(4)
    .ends(&[End::Plays]),
    Kind::attack(34, "idle-threads", "no attack: fifty threads with stacks of 8 MiB", |attack| {
        let (park_them, wait) = std::sync::mpsc::channel::<()>();
        let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
        let mut threads = Vec::new();
        for _ in 0..50 {
            let wait = wait.clone();
            let idle = move || drop(wait.lock().map(|wait| wait.recv()));
            match thread::Builder::new().stack_size(8 * MIB).spawn(idle) {
                Ok(thread) => threads.push(thread),
                Err(error) => attack.refused("spawn", Errno::of(&error)),
            }
        }
        drop(park_them);
        threads.into_iter().for_each(|thread| drop(thread.join()));
    })
    .issue(4)
    .scenario(Scenario { threads: 64, ..TOY })
    .ends(&[End::Plays]),
];

/// Takes blocks until the system refuses one. Reports it if the bot then has more than it may have.
fn take_all(mut take: impl FnMut() -> Option<*mut u8>) {
    while take().is_some() {
        if TAKEN.fetch_add(BLOCK, Ordering::Relaxed) + BLOCK > MOST {
            exceeded();
        }
    }
    park();
}

/// Reports that the bot has more memory than it may have, and ends it.
fn exceeded() -> ! {
    let result = AttemptResult::Succeeded(format!("more than {} MiB", MOST / MIB));
    line(&Attempt { what: "memory".to_owned(), result }.to_string());
    process::exit(0)
}

/// A new mapping of one block.
fn map() -> Option<*mut u8> {
    // SAFETY: a new mapping, of which nobody else knows.
    let block = unsafe { libc::mmap(ptr::null_mut(), BLOCK, READ_WRITE, PRIVATE, -1, 0) };
    (block != libc::MAP_FAILED).then_some(block.cast())
}

/// Writes to each page.
fn touch(block: *mut u8, size: usize) {
    for page in (0..size).step_by(4096) {
        // SAFETY: every caller gives a mapping of this size that it may write to.
        unsafe { block.add(page).write_volatile(1) };
    }
}

/// The program of the bot, which is longer than a block.
fn attack_file(attack: &mut Attack<'_>) -> Option<File> {
    match std::env::current_exe().and_then(File::open) {
        Ok(file) => Some(file),
        Err(error) => {
            attack.refused("open", Errno::of(&error));
            None
        }
    }
}

/// A page of this thread's stack that is not in use when this returns.
#[inline(never)]
fn deep_page(depth: u32) -> *mut u8 {
    let mut room = std::hint::black_box([0u8; 64 << 10]);
    if depth < 16 {
        return deep_page(std::hint::black_box(depth + 1));
    }
    let middle = ptr::from_mut(&mut room).cast::<u8>().wrapping_add(room.len() / 2);
    middle.wrapping_sub(middle as usize % 4096)
}

/// Runs this in another thread, and ends the first thread of the process. From then on the system reports nothing of its
/// memory for the process itself.
fn after_the_first_thread(run: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(5));
        run();
    });
    // SAFETY: ends this thread alone; its stack stays, and nobody waits for it.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
}

fn park() {
    loop {
        thread::park();
    }
}
