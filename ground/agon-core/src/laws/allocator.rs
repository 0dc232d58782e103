//! The allocator that a test of allocations installs.

use core::cell::Cell;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    thread_local,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting. Each thread has its own count, so that tests beside one another do not disturb it.
///
/// ```
/// use agon_core::laws::CountingAllocator;
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// let before = CountingAllocator::count();
/// drop(vec![1]);
/// assert_eq!(CountingAllocator::count(), before + 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

impl CountingAllocator {
    /// How often this thread has allocated or grown an allocation so far. 0 for ever where it is not installed.
    #[must_use]
    pub fn count() -> u64 {
        COUNT.get()
    }

    fn note() {
        // At the end of a thread its counter may be gone already.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: every call is forwarded to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::note();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::note();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
