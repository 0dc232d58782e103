//! Whether the program was started with a stdout. Before `main`, Rust opens `/dev/null` in place of a closed one, and what is
//! printed would be lost in silence.

use std::sync::atomic::{AtomicBool, Ordering};

static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Returns whether stdout was closed when the program started (`>&-`).
pub fn stdout_was_closed() -> bool {
    STDOUT_WAS_CLOSED.load(Ordering::Relaxed)
}

/// Looks at stdout before Rust does.
extern "C" fn look() {
    // SAFETY: the number is not used for anything but this question, and it belongs to nobody else in this process.
    let stdout = unsafe { rustix::fd::BorrowedFd::borrow_raw(1) };
    if rustix::io::fcntl_getfd(stdout) == Err(rustix::io::Errno::BADF) {
        STDOUT_WAS_CLOSED.store(true, Ordering::Relaxed);
    }
}

// SAFETY: the loader calls each function of this section once, before `main`. This one needs nothing that Rust or the C
// library prepares: it makes a system call and sets a number.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;
