//! Attacks on memory of the kernel that no limit of a process counts.

use super::limits;
use crate::{
    attack::{address, raw},
    errno::{EINVAL, ENOSYS, EPERM, Errno},
    kind::{End, Kind, Scenario, TOY},
};
use std::{io::Write, os::unix::net::UnixStream, thread};

const REFUSED: &[End] = &[End::Refused(&[EPERM, EINVAL, ENOSYS])];
const FILTERED: &[End] = &[End::Refused(&[EPERM])];
/// Descriptors, in pairs, each with a buffer of less than a quarter of a MiB.
const MOST_IN_PAIRS: u64 = limits::DESCRIPTORS as u64 / 4;

pub const KINDS: &[Kind] = &[
    Kind::attack(
        38,
        "tables-of-descriptors",
        "memory that no limit counts: a table of descriptors for each thread",
        |attack| {
            // In a thread, whose table it would be alone.
            let results = thread::spawn(|| {
                let result = |call, arguments| (raw(call, arguments), Errno::last());
                [
                    ("unshare", result(libc::SYS_unshare, [libc::CLONE_FILES.into(), 0, 0])),
                    // 2 is `CLOSE_RANGE_UNSHARE`; no descriptor has such a number.
                    ("close_range", result(libc::SYS_close_range, [1 << 20, 1 << 20, 2])),
                    ("close_range with high bits", result(libc::SYS_close_range, [1 << 20, 1 << 20, 0x0001_0000_0002])),
                ]
            });
            for (name, (result, errno)) in results.join().into_iter().flatten() {
                match result {
                    -1 => attack.refused(name, errno),
                    _ => attack.succeeded(name, ""),
                }
            }
        },
    )
    .issue(4)
    .ends(REFUSED),
    Kind::attack(
        38,
        "threads-with-descriptors",
        "memory that no limit counts: threads that begin with a table of their own",
        |attack| {
            // Without shared memory the kernel refuses it with another error.
            attack.by_number("clone", libc::SYS_clone, [libc::CLONE_THREAD.into(), 0, 0, 0, 0]);
            let thread = i64::from(libc::CLONE_THREAD | libc::CLONE_SIGHAND);
            attack.by_number("clone with signals", libc::SYS_clone, [thread, 0, 0, 0, 0]);
        },
    )
    .issue(4)
    .ends(FILTERED),
    Kind::attack(38, "tables-of-futexes", "memory that no limit counts: a table of futexes of any size", |attack| {
        // PR_FUTEX_HASH and PR_FUTEX_HASH_SET_SLOTS.
        for slots in [16, 1 << 16] {
            attack.by_number("PR_FUTEX_HASH", libc::SYS_prctl, [78, 1, slots, 0, 0]);
        }
    })
    .issue(4)
    .ends(REFUSED),
    Kind::attack(38, "full-pairs", "memory that no limit counts: full pairs of sockets", |attack| {
        let (mut pairs, mut bytes) = (Vec::new(), 0u64);
        let errno = loop {
            match UnixStream::pair()
                .and_then(|pair| pair.0.set_nonblocking(true).and(pair.1.set_nonblocking(true)).map(|()| pair))
            {
                Ok((mut one, mut other)) => {
                    for end in [&mut one, &mut other] {
                        while let Ok(written) = end.write(&[0; 16 << 10]) {
                            bytes += written as u64;
                        }
                    }
                    pairs.push((one, other));
                }
                Err(error) => break Errno::of(&error),
            }
            if bytes > 64 << 20 {
                return attack.succeeded("pairs", "64 MiB");
            }
        };
        drop(pairs);
        attack.stopped("pairs", bytes >> 20, errno);
    })
    .issue(4)
    .ends(&[End::Bounded(MOST_IN_PAIRS, "MiB")]),
    Kind::attack(38, "descriptors-of-children", "memory that no limit counts: pipes of many children", |attack| {
        let mut limit = [0u64; 2];
        raw(libc::SYS_prlimit64, [0, libc::RLIMIT_NOFILE.into(), 0, crate::attack::address_mut(&mut limit)]);
        attack.stopped("open files of each process", limit[1], crate::errno::EMFILE);
        let more = [u64::from(limits::DESCRIPTORS) * 4; 2];
        if raw(libc::SYS_prlimit64, [0, libc::RLIMIT_NOFILE.into(), address(&more), 0]) == 0 {
            attack.succeeded("RLIMIT_NOFILE", "more than there were");
        }
    })
    .issue(4)
    .needs(agon_spec::Isolation::Full)
    .scenario(Scenario { processes: 8, ..TOY })
    .ends(&[End::Bounded(limits::DESCRIPTORS as u64, "descriptors")]),
];
