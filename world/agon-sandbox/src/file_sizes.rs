//! How large a file may become (`ulimit -f`). The system ends a process that writes more, unless that takes the signal. Then the
//! write fails, as on a full disk, and can be told.

use std::ffi::c_int;

/// Lets writes beyond the limit fail. A program that is started ends by them as usual, because it has no handlers of this one.
pub fn fail_beyond_the_limit() {
    // SAFETY: the handler does nothing. What the structure leaves out is zero, which is valid.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = go_on as extern "C" fn(c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGXFSZ, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn go_on(_: c_int) {}
