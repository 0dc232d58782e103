//! Attacks on the filter of calls by the numbers of other architectures, which this processor also understands.

use crate::{
    errno::{EINVAL, ENOSYS, EPERM, Errno},
    kind::{End, Failing, Kind},
};

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::tries(55, "calls-of-32-bits", "the filter of calls: numbers of another architecture", |tries| {
        let mut result = 20i64;
        // SAFETY: asks for the number of this process by the call of 32 bits; it touches no memory.
        unsafe {
            std::arch::asm!("int 0x80", inout("rax") result, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
        }
        if result == i64::from(std::process::id()) {
            tries.succeeded("int 0x80", "");
        } else {
            tries.refused("int 0x80", Errno(-result as i32));
        }
    })
    .ends(&[
        End::Fails(Failing::Dies("SIGSYS")),
        End::Fails(Failing::Dies("SIGSEGV")),
        End::Refused(&[EINVAL, EPERM, ENOSYS]),
    ]),
    Kind::tries(55, "calls-of-x32", "the filter of calls: the same calls by other numbers", |tries| {
        tries.by_number("getpid", 0x4000_0000 + libc::SYS_getpid, []);
        tries.by_number("socket", 0x4000_0000 + libc::SYS_socket, [1, 1, 0]);
    })
    .ends(&[End::Refused(&[ENOSYS, EPERM]), End::Fails(Failing::Dies("SIGSYS"))]),
];
