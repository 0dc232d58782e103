//! Stacks for processes that run within the memory of another one.

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

/// The size of each, in bytes. It must be a multiple of the size of a page.
const STACK: usize = 256 << 10;
/// Below each stack is memory that cannot be used, so that what needs more than the stack crashes.
const GUARD: usize = 64 << 10;

/// Reserves a stack for good, and returns its end, from which it grows down. Null if there is no memory.
pub(crate) fn reserve() -> *mut u8 {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::STACK;
    // SAFETY: the system chooses where the new mapping is, and the guard is a part of it that nothing uses.
    let mapped = unsafe {
        mmap_anonymous(std::ptr::null_mut(), GUARD + STACK, ProtFlags::READ | ProtFlags::WRITE, flags)
            .and_then(|begin| mprotect(begin, GUARD, MprotectFlags::empty()).map(|()| begin))
    };
    mapped.map_or(std::ptr::null_mut(), |begin| begin.cast::<u8>().wrapping_add(GUARD + STACK))
}
