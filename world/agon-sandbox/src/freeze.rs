//! Stops all processes of a bot at once: the referee orders the first process of their namespace to do it. If the
//! referee stopped one process after the other, a process could start another one meanwhile.

use rustix::{
    fd::{AsRawFd, OwnedFd},
    io::Errno,
};

/// The signal for an order. Signals with this number are queued, so orders are carried out in sequence.
pub(crate) const ORDER: libc::c_int = 40;
/// The value of the signal that stops all processes.
pub(crate) const STOP: usize = 1;
/// The value of the signal that lets all processes continue.
pub(crate) const GO_ON: usize = 2;

/// Orders the first process of a namespace to stop all other processes in it, or to let them continue.
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
