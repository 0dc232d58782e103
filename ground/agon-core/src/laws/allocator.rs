//! An allocator that counts, for tests of allocations.

use core::cell::Cell;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    thread_local,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    /// The bytes that this thread has allocated minus those that it has freed, and the maximum of this number.
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

/// The system's allocator with a counter. Each thread has its own counter, so tests on other threads do not disturb it.
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
/// let (_, most) = CountingAllocator::most_bytes(|| drop(vec![0u8; 1000]));
/// assert_eq!(most, 1000);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

impl CountingAllocator {
    /// Returns how often this thread has made or grown an allocation. It stays 0 if the allocator is not installed.
    #[must_use]
    pub fn count() -> u64 {
        COUNT.get()
    }

    /// Calls `work` and returns its result, and the most bytes that it held at any time in addition to those held
    /// before. The number is 0 if the allocator is not installed.
    pub fn most_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
        let (before, _) = HELD.get();
        HELD.set((before, before));
        let result = work();
        (result, usize::try_from(HELD.get().1 - before).unwrap_or(0))
    }

    fn note() {
        // When a thread ends, its counter may already be gone.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    }

    fn hold(bytes: usize, given_back: usize) {
        let _ = HELD.try_with(|held| {
            let (now, most) = held.get();
            let now = now + bytes as i64 - given_back as i64;
            held.set((now, most.max(now)));
        });
    }
}

// SAFETY: every call is forwarded to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::note();
        Self::hold(layout.size(), 0);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::hold(0, layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::note();
        Self::hold(size, layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
