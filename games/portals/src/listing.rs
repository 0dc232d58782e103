//! The fields, in the order in which the original lists them.
//!
//! It looks for triangles from the vertices of the highest degree on, and sorts these with the unstable `std::sort` of
//! its C++ library. Champions see that order, so that sort is followed step by step here: libstdc++'s introsort
//! (quicksort around a median of three down to sixteen elements, heap sort when it goes too deep, one insertion sort
//! at the end).

use crate::{chart::PortalId, web::Web};
use alloc::{vec, vec::Vec};

/// All triangles of linked portals, each with ascending corners.
pub(crate) fn triangles(web: &Web, portals: usize) -> Vec<[PortalId; 3]> {
    let mut order: Vec<usize> = (0..portals).collect();
    introsort(&mut order, &mut |a, b| web.degree(*a) > web.degree(*b));
    let mut left = vec![u64::MAX; portals.div_ceil(64)];
    let mut found = Vec::new();
    for v in order {
        if web.degree(v) < 2 {
            break;
        }
        for u in web.neighbours(v).filter(|u| has(&left, *u)) {
            for w in web.common(v, u).filter(|w| *w > u && has(&left, *w)) {
                let mut corners = [u, v, w];
                corners.sort_unstable();
                found.push(corners);
            }
        }
        left[v / 64] &= !(1 << (v % 64));
    }
    found
}

fn has(set: &[u64], i: usize) -> bool {
    set[i / 64] >> (i % 64) & 1 == 1
}

/// Below this length quicksort leaves the rest to the insertion sort.
const SMALL: usize = 16;

/// Sorts exactly as `std::sort` of libstdc++ does, equal elements included. `before` is a strict weak order.
fn introsort<T: Copy>(items: &mut [T], before: &mut impl FnMut(&T, &T) -> bool) {
    if items.is_empty() {
        return;
    }
    quicksort(items, 2 * items.len().ilog2(), before);
    let guarded = items.len().min(SMALL);
    insertion_sort(&mut items[..guarded], before);
    for i in guarded..items.len() {
        sink(items, i, before);
    }
}

fn quicksort<T: Copy>(mut items: &mut [T], mut depth: u32, before: &mut impl FnMut(&T, &T) -> bool) {
    while items.len() > SMALL {
        if depth == 0 {
            return heapsort(items, before);
        }
        depth -= 1;
        let (middle, last) = (items.len() / 2, items.len() - 1);
        median_to_first(items, 1, middle, last, before);
        let cut = partition(items, before);
        let (head, tail) = items.split_at_mut(cut);
        quicksort(tail, depth, before);
        items = head;
    }
}

/// Swaps the median of three elements to the front.
fn median_to_first<T: Copy>(items: &mut [T], a: usize, b: usize, c: usize, before: &mut impl FnMut(&T, &T) -> bool) {
    let median = if before(&items[a], &items[b]) {
        if before(&items[b], &items[c]) {
            b
        } else if before(&items[a], &items[c]) {
            c
        } else {
            a
        }
    } else if before(&items[a], &items[c]) {
        a
    } else if before(&items[b], &items[c]) {
        c
    } else {
        b
    };
    items.swap(0, median);
}

/// Splits what follows the first element around it; both scans stop at equal elements, and the median guards them.
fn partition<T: Copy>(items: &mut [T], before: &mut impl FnMut(&T, &T) -> bool) -> usize {
    let pivot = items[0];
    let (mut low, mut high) = (1, items.len());
    loop {
        while before(&items[low], &pivot) {
            low += 1;
        }
        high -= 1;
        while before(&pivot, &items[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
    }
}

fn insertion_sort<T: Copy>(items: &mut [T], before: &mut impl FnMut(&T, &T) -> bool) {
    for i in 1..items.len() {
        if before(&items[i], &items[0]) {
            items[..=i].rotate_right(1);
        } else {
            sink(items, i, before);
        }
    }
}

/// Moves the element at `i` down to its place among the sorted ones before it.
fn sink<T: Copy>(items: &mut [T], i: usize, before: &mut impl FnMut(&T, &T) -> bool) {
    let value = items[i];
    let mut hole = i;
    while hole > 0 && before(&value, &items[hole - 1]) {
        items[hole] = items[hole - 1];
        hole -= 1;
    }
    items[hole] = value;
}

fn heapsort<T: Copy>(items: &mut [T], before: &mut impl FnMut(&T, &T) -> bool) {
    for parent in (0..items.len() / 2).rev() {
        let value = items[parent];
        settle(items, parent, value, before);
    }
    for end in (1..items.len()).rev() {
        let value = items[end];
        items[end] = items[0];
        settle(&mut items[..end], 0, value, before);
    }
}

/// Puts `value` in the heap whose root `hole` is free: the hole goes down to a leaf, then the value up from there.
fn settle<T: Copy>(items: &mut [T], mut hole: usize, value: T, before: &mut impl FnMut(&T, &T) -> bool) {
    let (top, len) = (hole, items.len());
    let mut child = hole;
    while child < len.saturating_sub(1) / 2 {
        child = 2 * (child + 1);
        if before(&items[child], &items[child - 1]) {
            child -= 1;
        }
        items[hole] = items[child];
        hole = child;
    }
    if len >= 2 && len.is_multiple_of(2) && child == (len - 2) / 2 {
        child = 2 * (child + 1);
        items[hole] = items[child - 1];
        hole = child - 1;
    }
    while hole > top && before(&items[(hole - 1) / 2], &value) {
        items[hole] = items[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    items[hole] = value;
}
