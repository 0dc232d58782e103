//! Attacks on the memory of the host. Every bomb stops at a few times its limit, whether the sandbox works or not.

use super::limits;
use crate::{
    Attack,
    attack::{address, raw},
    errno::{EACCES, EINVAL, ENOENT, ENOMEM, ENOSYS, EPERM, EROFS, Errno},
    kind::{End, ExpectedFault, Kind, Scenario, TOY},
};
use std::{fs::OpenOptions, os::fd::AsRawFd, ptr};

/// The memory limit of these matches in MiB.
const LIMIT: u64 = limits::MEMORY_MIB as u64;
/// The size at which a bomb stops, in MiB.
const STOP_AT_MIB: u64 = 3 * LIMIT;
const MIB: usize = 1 << 20;

/// At its memory limit, a bot gets no more memory or is killed.
const WITHIN_LIMIT: &[End] =
    &[End::Bounded(LIMIT, "MiB"), End::Fails(ExpectedFault::OutOfMemory), End::Fails(ExpectedFault::Dies("SIGKILL"))];
const REFUSED: &[End] = &[End::Refused(&[EPERM, ENOSYS])];

/// The match is played alone, because other rows would lack the memory.
const ALONE: Scenario = Scenario { alone: true, ..TOY };

const PRIVATE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;

pub const KINDS: &[Kind] = &[
    Kind::attack(34, "malloc-bomb", "memory: allocations, each page touched", |attack| {
        let mut kept: Vec<*mut libc::c_void> = Vec::new();
        grow(attack, "malloc", |_| {
            // SAFETY: a block of this size, or null.
            let block = unsafe { libc::malloc(MIB) };
            kept.push(block);
            if block.is_null() { None } else { Some(block.cast()) }
        });
        // SAFETY: each came from `malloc`; null may be freed.
        kept.into_iter().for_each(|block| unsafe { libc::free(block) });
    })
    .scenario(ALONE)
    .ends(WITHIN_LIMIT),
    Kind::attack(34, "brk-bomb", "memory: the end of the data segment", |attack| {
        // The call is made by number, because the wrapper of the C library reports a wrong end after the first refusal.
        let start = raw(libc::SYS_brk, [0]);
        let mut end = start;
        grow(attack, "brk", |_| {
            let next = end + MIB as i64;
            let at = end;
            end = raw(libc::SYS_brk, [next]);
            (end == next).then_some(at as *mut u8)
        });
        raw(libc::SYS_brk, [start]);
    })
    .scenario(ALONE)
    .ends(WITHIN_LIMIT),
    Kind::attack(34, "mmap-bomb", "memory: private mappings", |attack| {
        mappings(attack, "mmap", READ_WRITE, PRIVATE);
    })
    .scenario(ALONE)
    .ends(WITHIN_LIMIT),
    Kind::attack(34, "mprotect-bomb", "memory: reserved without access rights, which it adds later", |attack| {
        let size = STOP_AT_MIB as usize * MIB;
        // SAFETY: a new mapping, of which nobody else knows.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, PRIVATE, -1, 0) };
        if start == libc::MAP_FAILED {
            return attack.refused("reserve", Errno::last());
        }
        grow(attack, "mprotect", |at| {
            // SAFETY: inside the mapping.
            let part = unsafe { start.cast::<u8>().add(at * MIB) };
            // SAFETY: as above.
            let given = unsafe { libc::mprotect(part.cast(), MIB, READ_WRITE) } == 0;
            given.then_some(part)
        });
        // SAFETY: the whole mapping, which nobody uses any more.
        unsafe { libc::munmap(start, size) };
    })
    .scenario(ALONE)
    .ends(WITHIN_LIMIT),
    Kind::attack(34, "mremap-bomb", "memory: one mapping that grows", |attack| {
        // SAFETY: a new mapping.
        let mut start = unsafe { libc::mmap(ptr::null_mut(), MIB, READ_WRITE, PRIVATE, -1, 0) };
        let mut size = MIB;
        grow(attack, "mremap", |_| {
            // SAFETY: the mapping is ours, and its old address is forgotten.
            let moved = unsafe { libc::mremap(start, size, size + MIB, libc::MREMAP_MAYMOVE) };
            if moved == libc::MAP_FAILED {
                return None;
            }
            start = moved;
            size += MIB;
            // SAFETY: inside the mapping.
            Some(unsafe { start.cast::<u8>().add(size - MIB) })
        });
        // SAFETY: the whole mapping.
        unsafe { libc::munmap(start, size) };
    })
    .scenario(ALONE)
    .ends(WITHIN_LIMIT),
    Kind::attack(35, "shared-memory", "memory that no limit counts: anonymous shared mappings", |attack| {
        mappings(attack, "mmap", READ_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    })
    .ends(REFUSED),
    Kind::attack(
        35,
        "validated-shared-memory",
        "memory that no limit counts: the newer kind of shared mapping",
        |attack| {
            mappings(attack, "mmap", READ_WRITE, libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS);
        },
    )
    .ends(&[End::Refused(&[EPERM, ENOSYS, EINVAL])]),
    Kind::attack(35, "growing-stacks", "memory that no limit counts: mappings that grow down", |attack| {
        mappings(attack, "mmap", READ_WRITE, PRIVATE | libc::MAP_GROWSDOWN);
    })
    .ends(REFUSED),
    Kind::attack(35, "huge-pages", "memory that no limit counts: huge pages", |attack| {
        mappings(attack, "mmap", READ_WRITE, PRIVATE | libc::MAP_HUGETLB);
    })
    .ends(REFUSED),
    Kind::attack(35, "shared-zeroes", "memory that no limit counts: /dev/zero, mapped and shared", |attack| {
        let zero = match OpenOptions::new().read(true).write(true).open("/dev/zero") {
            Ok(zero) => zero,
            Err(error) => return attack.refused("open", Errno::of(&error)),
        };
        let mut kept = Vec::new();
        grow(attack, "mmap", |_| {
            // SAFETY: a new mapping.
            let part = unsafe { libc::mmap(ptr::null_mut(), MIB, READ_WRITE, libc::MAP_SHARED, zero.as_raw_fd(), 0) };
            kept.push(part);
            (part != libc::MAP_FAILED).then_some(part.cast())
        });
        release(&kept);
    })
    .scenario(ALONE)
    .ends(&[
        End::Refused(&[EACCES, EPERM, ENOENT, EROFS]),
        End::Bounded(LIMIT, "MiB"),
        End::Fails(ExpectedFault::OutOfMemory),
    ]),
    Kind::attack(35, "memory-files", "memory that no limit counts: anonymous files", |attack| {
        attack.by_number("memfd_create", libc::SYS_memfd_create, [address(c"bomb"), 0]);
        attack.by_number("memfd_secret", libc::SYS_memfd_secret, [0]);
    })
    .ends(REFUSED),
    Kind::attack(35, "locked-memory", "memory that cannot be swapped out", |attack| {
        attack.by_number("mlockall", libc::SYS_mlockall, [i64::from(libc::MCL_FUTURE)]);
        attack.by_number("mlock", libc::SYS_mlock, [address(&0u8) & !4095, 1]);
    })
    .ends(&[End::Refused(&[EPERM, ENOMEM])]),
    Kind::attack(36, "page-tables", "memory that no limit counts: page tables of pages that are only read", |attack| {
        let size = 256usize << 30;
        // SAFETY: a new mapping, which nobody writes to.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ, PRIVATE | libc::MAP_NORESERVE, -1, 0) };
        if start == libc::MAP_FAILED {
            return attack.refused("mmap", Errno::last());
        }
        // The kernel creates a page table of 4 KiB for every 2 MiB that are read.
        for at in (0..size).step_by(2 * MIB) {
            // SAFETY: inside the mapping; the value is always 0.
            std::hint::black_box(unsafe { start.cast::<u8>().add(at).read_volatile() });
        }
        attack.succeeded("mmap", "512 MiB of tables");
        // SAFETY: the whole mapping.
        unsafe { libc::munmap(start, size) };
    })
    .scenario(ALONE)
    .ends(&[
        End::Refused(&[ENOMEM]),
        End::Fails(ExpectedFault::OutOfMemory),
        End::Fails(ExpectedFault::Dies("SIGKILL")),
    ]),
    Kind::attack(37, "stack-bomb", "memory: a recursion without end", |attack| {
        std::hint::black_box(descend(0));
        attack.succeeded("descend", "");
    })
    .ends(&[End::Fails(ExpectedFault::Dies("SIGSEGV")), End::Fails(ExpectedFault::Dies("SIGABRT"))]),
    Kind::attack(43, "avoids-the-oom-killer", "the host's choice of what to kill when memory runs out", |attack| {
        attack.io("oom_score_adj", std::fs::write("/proc/self/oom_score_adj", "-1000"));
    })
    .ends(&[End::Refused(&[EACCES, EPERM, ENOENT, EROFS])]),
    Kind::attack(34, "memory-just-in-limit", "memory: two thirds of the limit", |attack| {
        let mut kept = Vec::new();
        for _ in 0..LIMIT * 2 / 3 {
            kept.push(vec![1u8; MIB]);
            std::hint::black_box(&kept);
        }
        if kept.len() as u64 != LIMIT * 2 / 3 {
            attack.refused("allocate", ENOMEM);
        }
    })
    .scenario(ALONE)
    .ends(&[End::Plays]),
];

/// Takes one MiB after the other until the system refuses more, or the bomb has reached its own limit.
fn grow(attack: &mut Attack<'_>, what: &str, mut take: impl FnMut(usize) -> Option<*mut u8>) {
    for at in 0..STOP_AT_MIB {
        let Some(block) = take(at as usize) else {
            let errno = Errno::last();
            return if at == 0 { attack.refused(what, errno) } else { attack.stopped(what, at, errno) };
        };
        for page in (0..MIB).step_by(4096) {
            // SAFETY: inside the block, which was given for writing.
            unsafe { block.add(page).write_volatile(1) };
        }
    }
    attack.succeeded(what, format!("{STOP_AT_MIB} MiB"));
}

/// Maps one MiB after the other.
fn mappings(attack: &mut Attack<'_>, what: &str, rights: i32, flags: i32) {
    let mut kept = Vec::new();
    let size = if flags & libc::MAP_HUGETLB == 0 { MIB } else { 2 * MIB };
    grow(attack, what, |_| {
        // SAFETY: a new mapping.
        let part = unsafe { libc::mmap(ptr::null_mut(), size, rights, flags, -1, 0) };
        kept.push(part);
        (part != libc::MAP_FAILED).then_some(part.cast())
    });
    release(&kept);
}

fn release(mappings: &[*mut libc::c_void]) {
    for part in mappings.iter().filter(|part| **part != libc::MAP_FAILED) {
        // SAFETY: a mapping of this size, which nobody uses any more.
        unsafe { libc::munmap(*part, MIB) };
    }
}

/// Uses one MiB of stack for every 64 calls.
#[allow(unconditional_recursion)]
fn descend(depth: u64) -> u64 {
    let room = std::hint::black_box([depth as u8; 16 << 10]);
    descend(depth + 1) + u64::from(room[depth as usize % room.len()])
}
