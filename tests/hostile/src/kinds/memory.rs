//! Attacks on the memory of the host. Every bomb stops by itself at a few times its limit: what contains it is tested,
//! not trusted.

use super::limits;
use crate::{
    Tries,
    errno::{EACCES, EINVAL, ENOENT, ENOMEM, ENOSYS, EPERM, EROFS, Errno},
    kind::{End, Failing, Kind, PATIENT, Stage},
    tries::{address, raw},
};
use std::{fs::OpenOptions, os::fd::AsRawFd, ptr};

/// The limit of these matches in MiB.
const LIMIT: u64 = limits::MEMORY_MIB as u64;
/// At this a bomb stops by itself.
const ENOUGH: u64 = 3 * LIMIT;
const MIB: usize = 1 << 20;

/// What a limit on memory looks like from inside: the system refuses more, or kills.
const HELD: &[End] =
    &[End::Bounded(LIMIT, "MiB"), End::Fails(Failing::OutOfMemory), End::Fails(Failing::Dies("SIGKILL"))];
const REFUSED: &[End] = &[End::Refused(&[EPERM, ENOSYS])];

/// Alone: what a bomb takes others lack.
const ALONE: Stage = Stage { alone: true, ..PATIENT };

const ANYWHERE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
const BOTH: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(34, "malloc-bomb", "memory: allocations, each page touched", |tries| {
        let mut kept: Vec<*mut libc::c_void> = Vec::new();
        grow(tries, "malloc", |_| {
            // SAFETY: a block of this size, or null.
            let block = unsafe { libc::malloc(MIB) };
            kept.push(block);
            if block.is_null() { None } else { Some(block.cast()) }
        });
        // SAFETY: each came from `malloc`; null may be freed.
        kept.into_iter().for_each(|block| unsafe { libc::free(block) });
    })
    .on(ALONE)
    .ends(HELD),
    Kind::tries(34, "brk-bomb", "memory: the end of the data segment", |tries| {
        // By number: the C library's wrapper would not tell the truth after the first refusal.
        let start = raw(libc::SYS_brk, [0]);
        let mut end = start;
        grow(tries, "brk", |_| {
            let next = end + MIB as i64;
            let at = end;
            end = raw(libc::SYS_brk, [next]);
            (end == next).then_some(at as *mut u8)
        });
        raw(libc::SYS_brk, [start]);
    })
    .on(ALONE)
    .ends(HELD),
    Kind::tries(34, "mmap-bomb", "memory: private mappings", |tries| {
        mappings(tries, "mmap", BOTH, ANYWHERE);
    })
    .on(ALONE)
    .ends(HELD),
    Kind::tries(34, "mprotect-bomb", "memory: reserved without a right, which is given later", |tries| {
        let size = ENOUGH as usize * MIB;
        // SAFETY: a new mapping, of which nobody else knows.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, ANYWHERE, -1, 0) };
        if start == libc::MAP_FAILED {
            return tries.refused("reserve", Errno::last());
        }
        grow(tries, "mprotect", |at| {
            // SAFETY: inside the mapping.
            let part = unsafe { start.cast::<u8>().add(at * MIB) };
            // SAFETY: as above.
            let given = unsafe { libc::mprotect(part.cast(), MIB, BOTH) } == 0;
            given.then_some(part)
        });
        // SAFETY: the whole mapping, which nobody uses any more.
        unsafe { libc::munmap(start, size) };
    })
    .on(ALONE)
    .ends(HELD),
    Kind::tries(34, "mremap-bomb", "memory: one mapping that grows", |tries| {
        // SAFETY: a new mapping.
        let mut start = unsafe { libc::mmap(ptr::null_mut(), MIB, BOTH, ANYWHERE, -1, 0) };
        let mut size = MIB;
        grow(tries, "mremap", |_| {
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
    .on(ALONE)
    .ends(HELD),
    Kind::tries(35, "shared-memory", "memory that no limit counts: shared mappings of nothing", |tries| {
        mappings(tries, "mmap", BOTH, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    })
    .ends(REFUSED),
    Kind::tries(
        35,
        "validated-shared-memory",
        "memory that no limit counts: the newer kind of shared mappings",
        |tries| {
            mappings(tries, "mmap", BOTH, libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS);
        },
    )
    .ends(&[End::Refused(&[EPERM, ENOSYS, EINVAL])]),
    Kind::tries(35, "growing-stacks", "memory that no limit counts: mappings that grow down", |tries| {
        mappings(tries, "mmap", BOTH, ANYWHERE | libc::MAP_GROWSDOWN);
    })
    .ends(REFUSED),
    Kind::tries(35, "huge-pages", "memory that no limit counts: huge pages", |tries| {
        mappings(tries, "mmap", BOTH, ANYWHERE | libc::MAP_HUGETLB);
    })
    .ends(REFUSED),
    Kind::tries(35, "shared-zeroes", "memory that no limit counts: /dev/zero, mapped and shared", |tries| {
        let zero = match OpenOptions::new().read(true).write(true).open("/dev/zero") {
            Ok(zero) => zero,
            Err(error) => return tries.refused("open", Errno::of(&error)),
        };
        let mut kept = Vec::new();
        grow(tries, "mmap", |_| {
            // SAFETY: a new mapping.
            let part = unsafe { libc::mmap(ptr::null_mut(), MIB, BOTH, libc::MAP_SHARED, zero.as_raw_fd(), 0) };
            kept.push(part);
            (part != libc::MAP_FAILED).then_some(part.cast())
        });
        release(&kept);
    })
    .on(ALONE)
    .ends(&[
        End::Refused(&[EACCES, EPERM, ENOENT, EROFS]),
        End::Bounded(LIMIT, "MiB"),
        End::Fails(Failing::OutOfMemory),
    ]),
    Kind::tries(35, "memory-files", "memory that no limit counts: files without a name", |tries| {
        tries.by_number("memfd_create", libc::SYS_memfd_create, [address(c"bomb"), 0]);
        tries.by_number("memfd_secret", libc::SYS_memfd_secret, [0]);
    })
    .brief()
    .ends(REFUSED),
    Kind::tries(35, "locked-memory", "memory that cannot be taken back", |tries| {
        tries.by_number("mlockall", libc::SYS_mlockall, [i64::from(libc::MCL_FUTURE)]);
        tries.by_number("mlock", libc::SYS_mlock, [address(&0u8) & !4095, 1]);
    })
    .ends(&[End::Refused(&[EPERM, ENOMEM])]),
    Kind::tries(36, "page-tables", "memory that no limit counts: the tables of pages that are only read", |tries| {
        let size = 256usize << 30;
        // SAFETY: a new mapping, which nobody writes to.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ, ANYWHERE | libc::MAP_NORESERVE, -1, 0) };
        if start == libc::MAP_FAILED {
            return tries.refused("mmap", Errno::last());
        }
        // A table of 4 KiB for every 2 MiB that are touched.
        for at in (0..size).step_by(2 * MIB) {
            // SAFETY: inside the mapping; the value is always 0.
            std::hint::black_box(unsafe { start.cast::<u8>().add(at).read_volatile() });
        }
        tries.succeeded("mmap", "512 MiB of tables");
        // SAFETY: the whole mapping.
        unsafe { libc::munmap(start, size) };
    })
    .on(ALONE)
    .ends(&[End::Refused(&[ENOMEM]), End::Fails(Failing::OutOfMemory), End::Fails(Failing::Dies("SIGKILL"))]),
    Kind::tries(37, "stack-bomb", "memory: a recursion without end", |tries| {
        std::hint::black_box(descend(0));
        tries.succeeded("descend", "");
    })
    .ends(&[End::Fails(Failing::Dies("SIGSEGV")), End::Fails(Failing::Dies("SIGABRT"))]),
    Kind::tries(43, "out-of-reach-of-the-killer", "the host's choice of whom to kill when memory ends", |tries| {
        tries.io("oom_score_adj", std::fs::write("/proc/self/oom_score_adj", "-1000"));
    })
    .brief()
    .ends(&[End::Refused(&[EACCES, EPERM, ENOENT, EROFS])]),
    Kind::tries(34, "memory-just-in-limit", "memory: two thirds of the limit", |tries| {
        let mut kept = Vec::new();
        for _ in 0..LIMIT * 2 / 3 {
            kept.push(vec![1u8; MIB]);
            std::hint::black_box(&kept);
        }
        if kept.len() as u64 != LIMIT * 2 / 3 {
            tries.refused("allocate", ENOMEM);
        }
    })
    .on(ALONE)
    .ends(&[End::Plays]),
];

/// Takes a MiB after the other until the system has enough, or we do.
fn grow(tries: &mut Tries<'_>, what: &str, mut take: impl FnMut(usize) -> Option<*mut u8>) {
    for at in 0..ENOUGH {
        let Some(block) = take(at as usize) else {
            let errno = Errno::last();
            return if at == 0 { tries.refused(what, errno) } else { tries.stopped(what, at, errno) };
        };
        for page in (0..MIB).step_by(4096) {
            // SAFETY: inside the block, which was given for writing.
            unsafe { block.add(page).write_volatile(1) };
        }
    }
    tries.succeeded(what, format!("{ENOUGH} MiB"));
}

/// Maps a MiB after the other.
fn mappings(tries: &mut Tries<'_>, what: &str, rights: i32, flags: i32) {
    let mut kept = Vec::new();
    let size = if flags & libc::MAP_HUGETLB == 0 { MIB } else { 2 * MIB };
    grow(tries, what, |_| {
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

/// A MiB of stack for every 64 calls.
#[allow(unconditional_recursion)]
fn descend(depth: u64) -> u64 {
    let room = std::hint::black_box([depth as u8; 16 << 10]);
    descend(depth + 1) + u64::from(room[depth as usize % room.len()])
}
