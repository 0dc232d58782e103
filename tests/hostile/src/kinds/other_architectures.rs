//! Attacks on the system call filter with call numbers of other architectures that this processor also accepts.

use crate::{
    errno::{EINVAL, ENOSYS, EPERM, Errno},
    kind::{End, ExpectedFault, Kind},
};

pub const KINDS: &[Kind] = &[
    Kind::attack(55, "calls-of-32-bits", "the system call filter: call numbers of another architecture", |attack| {
        let mut result = 20i64;
        // SAFETY: asks for the number of this process by the call of 32 bits; it touches no memory.
        unsafe {
            std::arch::asm!("int 0x80", inout("rax") result, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
        }
        if result == i64::from(std::process::id()) {
            attack.succeeded("int 0x80", "");
        } else {
            attack.refused("int 0x80", Errno(-result as i32));
        }
    })
    .ends(&[
        End::Fails(ExpectedFault::Dies("SIGSYS")),
        End::Fails(ExpectedFault::Dies("SIGSEGV")),
        End::Refused(&[EINVAL, EPERM, ENOSYS]),
    ]),
    Kind::attack(55, "calls-of-x32", "the system call filter: the same calls by other numbers", |attack| {
        attack.by_number("getpid", 0x4000_0000 + libc::SYS_getpid, []);
        attack.by_number("socket", 0x4000_0000 + libc::SYS_socket, [1, 1, 0]);
    })
    .ends(&[End::Refused(&[ENOSYS, EPERM]), End::Fails(ExpectedFault::Dies("SIGSYS"))]),
];
