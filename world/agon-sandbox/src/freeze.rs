//! How a whole tree of processes is stopped at once: the first process of their namespace does it, by order of the referee.
//!
//! Stopping one process after the other would miss whoever is started meanwhile.

use rustix::{
    fd::{AsRawFd, OwnedFd},
    io::Errno,
};

/// The signal that is an order. It is queued with a value, so that orders are obeyed in the order in which they are given.
pub(crate) const ORDER: libc::c_int = 40;
/// The value that stops everybody.
pub(crate) const STOP: usize = 1;
/// The value that lets everybody go on.
pub(crate) const GO_ON: usize = 2;

/// Orders the first process of a namespace to stop all others there, or to let them go on.
pub(crate) fn order(init: &OwnedFd, frozen: bool) -> Result<(), Errno> {
    #[repr(C)]
    struct Order {
        signal: libc::c_int,
        errno: libc::c_int,
        code: libc::c_int,
        padding: libc::c_int,
        pid: libc::c_int,
        uid: libc::c_uint,
        value: usize,
        rest: [usize; 12],
    }
    const { assert!(size_of::<Order>() == size_of::<libc::siginfo_t>()) };
    let order = Order {
        signal: ORDER,
        errno: 0,
        code: libc::SI_QUEUE,
        padding: 0,
        pid: 0,
        uid: 0,
        value: if frozen { STOP } else { GO_ON },
        rest: [0; 12],
    };
    // SAFETY: the kernel reads one `siginfo_t`, of the same size and layout.
    let done = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, init.as_raw_fd(), ORDER, &raw const order, 0) };
    match done {
        0 => Ok(()),
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::PERM)),
    }
}
