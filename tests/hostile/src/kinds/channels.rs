//! Channels to the opponent through what both bots see of the host.

use crate::{
    Attack,
    attack::{address_mut, raw},
    errno::{EAGAIN, EINVAL, EPERM, Errno},
    kind::{End, Kind},
};
use std::{fs::File, os::fd::IntoRawFd};

const UNSEEN: &[End] = &[End::Bounded(0, "locks that others see")];
const REFUSED: &[End] = &[End::Refused(&[EINVAL, EPERM])];

pub const KINDS: &[Kind] = &[
    Kind::attack(51, "locks-shared-files", "a channel to the opponent: locks on a file that both may read", |attack| {
        let Some([one, other]) = program_twice(attack) else { return };
        let lock = i64::from(libc::LOCK_EX | libc::LOCK_NB);
        // The second one is refused if the first one is real.
        seen(attack, "flock", raw(libc::SYS_flock, [one.into(), lock]), raw(libc::SYS_flock, [other.into(), lock]));
    })
    .issue(10)
    .ends(UNSEEN),
    Kind::attack(
        51,
        "locks-ranges",
        "a channel to the opponent: locks on parts of a file that both may read",
        |attack| {
            let Some([one, other]) = program_twice(attack) else { return };
            // A lock for writing needs a file that is open for writing, unless nothing is locked.
            let mut lock = [libc::F_WRLCK as u64, 0, 0, 0];
            for (name, command) in [("F_SETLK", libc::F_SETLK), ("F_OFD_SETLK", libc::F_OFD_SETLK)] {
                let mut set = |file: i32| raw(libc::SYS_fcntl, [file.into(), command.into(), address_mut(&mut lock)]);
                let (first, second) = (set(one), set(other));
                seen(attack, name, first, second);
            }
        },
    )
    .issue(10)
    .ends(UNSEEN),
    Kind::attack(
        51,
        "asks-who-locks",
        "a channel to the opponent, and out of the sandbox: who has a lock on a file",
        |attack| {
            let Some([file, _]) = program_twice(attack) else { return };
            let mut lock = [libc::F_WRLCK as u64, 0, 0, 0];
            for (name, command) in [("F_GETLK", libc::F_GETLK), ("F_OFD_GETLK", libc::F_OFD_GETLK)] {
                attack.by_number(name, libc::SYS_fcntl, [file.into(), command.into(), address_mut(&mut lock)]);
            }
        },
    )
    .issue(10)
    .ends(REFUSED),
    Kind::attack(
        51,
        "marks-shared-files",
        "a channel to the opponent: what the kernel notes about a file that both may read",
        |attack| {
            let Some([file, _]) = program_twice(attack) else { return };
            let mut hint = 1u64;
            for (name, command) in [("F_GET_RW_HINT", 1035), ("F_SET_RW_HINT", 1036), ("F_GET_FILE_RW_HINT", 1037)] {
                attack.by_number(name, libc::SYS_fcntl, [file.into(), command, address_mut(&mut hint)]);
            }
            attack.by_number(
                "F_SETLEASE",
                libc::SYS_fcntl,
                [file.into(), libc::F_SETLEASE.into(), libc::F_RDLCK.into()],
            );
        },
    )
    .issue(10)
    .ends(REFUSED),
];

/// The program of the bot, opened twice: a file that the opponent may read too. Both stay open.
fn program_twice(attack: &mut Attack<'_>) -> Option<[i32; 2]> {
    let open = || File::open("/proc/self/exe").map(IntoRawFd::into_raw_fd);
    match open().and_then(|one| Ok([one, open()?])) {
        Ok(both) => Some(both),
        Err(error) => {
            attack.succeeded("its own program", error.to_string());
            None
        }
    }
}

/// Reports whether a lock is seen by others.
fn seen(attack: &mut Attack<'_>, name: &str, first: i64, second: i64) {
    match (first, second) {
        (0, 0) => attack.stopped(name, 0, EAGAIN),
        _ => attack.stopped(name, 1, Errno::last()),
    }
}
