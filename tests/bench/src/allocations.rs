//! Counts the allocations of each thread.
//!
//! An allocator can only be chosen for a whole program, so `agon-bench` counts all its allocations. That adds one
//! increment of a thread-local number to each, about a hundredth of the cost of an allocation. Code that does not
//! allocate, such as a turn of a game, pays nothing.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    // The counter is made at compile time, never dropped and never allocates, so it works while a thread begins or
    // ends.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The allocator of the system, with a counter of allocations for each thread.
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

impl CountingAllocator {
    fn count(&self) {
        COUNT.set(COUNT.get().wrapping_add(1));
    }
}

// SAFETY: every call goes to the system's allocator unchanged; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count();
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Returns how often this thread has allocated or enlarged memory.
pub fn so_far() -> u64 {
    COUNT.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_allocation_of_this_thread_counts_and_no_other() {
        let before = so_far();
        let boxed = std::hint::black_box(Box::new(1u64));
        assert_eq!(so_far(), before + 1);
        drop(boxed);
        assert_eq!(so_far(), before + 1);
        let elsewhere = std::thread::scope(|s| s.spawn(so_far).join()).expect("it does not panic");
        assert!(elsewhere < so_far() + 1_000_000);
        let before = so_far();
        let mut list: Vec<u8> = Vec::with_capacity(1);
        list.extend_from_slice(std::hint::black_box(&[0; 100]));
        assert_eq!(so_far(), before + 2, "made once, enlarged once");
    }
}
