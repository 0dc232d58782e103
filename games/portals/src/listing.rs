//! The fields, in the order in which the original lists them.
//!
//! The original searches for triangles from the portals with the most links on, and sorts these with the unstable
//! `std::sort` of its C++ library. Champions see that order. So this module follows libstdc++'s introsort step by
//! step: quicksort around a median of three down to sixteen elements, heap sort if it goes too deep, and one insertion
//! sort at the end.

use crate::{chart::PortalId, web::Web};
use agon_core::sort_few;
use alloc::{vec, vec::Vec};

/// All triangles of linked portals, each with its corners in ascending order.
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
                sort_few(&mut corners);
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

/// The length up to which quicksort leaves the elements to the insertion sort.
const SMALL: usize = 16;

/// Sorts exactly as `std::sort` of libstdc++ does, also among equal elements. `before` must be a strict weak order.
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

/// Splits the elements after the first one around it. Both scans stop at equal elements, and the median is their
/// guard.
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

/// Moves the element at `i` down to its place among the sorted elements before it.
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

/// Puts `value` into the heap whose root `hole` is free: moves the hole down to a leaf, then `value` up from there.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;
    use agon_core::geometry::pt;

    /// Makes only a few different keys, so that the order of equal elements is visible.
    fn key(i: usize) -> usize {
        (i * 7 + 3) % 5
    }

    #[test]
    fn the_sort_leaves_equal_elements_where_std_sort_does() {
        // This is what g++ 12 with libstdc++ prints for the same elements.
        let mut items: Vec<usize> = (0..40).collect();
        introsort(&mut items, &mut |a, b| key(*a) > key(*b));
        let expected = [
            28, 3, 38, 23, 8, 18, 33, 13, 0, 25, 20, 30, 15, 10, 35, 5, 12, 32, 17, 7, 37, 22, 2, 27, 34, 29, 39, 24,
            19, 14, 9, 4, 26, 21, 31, 16, 11, 36, 6, 1,
        ];
        assert_eq!(items, expected);
        let mut items: Vec<usize> = (0..3000).collect();
        introsort(&mut items, &mut |a, b| (a * 37) % 11 > (b * 37) % 11);
        let sum = items.iter().fold(0u64, |h, i| h.wrapping_mul(1_000_003).wrapping_add(*i as u64));
        assert_eq!(sum, 12782074759351288382);
    }

    #[test]
    fn the_heap_sort_behind_it_is_that_of_std_partial_sort() {
        let mut items: Vec<usize> = (0..20).collect();
        heapsort(&mut items, &mut |a, b| key(*a) > key(*b));
        let expected = [8, 18, 3, 13, 10, 5, 0, 15, 7, 17, 12, 2, 9, 19, 4, 14, 1, 16, 11, 6];
        assert_eq!(items, expected);
        for n in 0..40 {
            let mut items: Vec<usize> = (0..n).map(|i| (i * 17) % 23).collect();
            heapsort(&mut items, &mut |a, b| a < b);
            assert!(items.is_sorted());
        }
    }

    #[test]
    fn every_triangle_is_found_once_with_ascending_corners() {
        let chart = Chart::new(9, [pt(0, 0); 2], [(0, 0), (0, 8), (2, 3), (3, 4), (8, 0)].map(Into::into).to_vec());
        let mut web = Web::new(5);
        for (a, b) in [(0, 1), (0, 2), (0, 4), (1, 2), (1, 4), (2, 4), (2, 3), (1, 3)] {
            web.insert(&chart, a, b);
        }
        let mut found = triangles(&web, 5);
        assert!(found.iter().all(|t| t.is_sorted()));
        found.sort_unstable();
        assert_eq!(found, [[0, 1, 2], [0, 1, 4], [0, 2, 4], [1, 2, 3], [1, 2, 4]]);
    }
}
