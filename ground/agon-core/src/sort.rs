//! Insertion sort for short lists. `sort_unstable` would add about 3 kB of code for each type to the WASM modules.

/// The most values of a short list. Sorting takes the square of their number.
const MOST: usize = 128;

/// Sorts a list of at most 128 values.
///
/// ```
/// let mut corners = [5, 1, 3];
/// agon_core::sort_few(&mut corners);
/// assert_eq!(corners, [1, 3, 5]);
/// ```
pub fn sort_few<T: Copy + Ord>(values: &mut [T]) {
    sort_few_by_key(values, |value| *value);
}

/// Sorts at most 128 values by their keys. Values with equal keys keep their order.
pub fn sort_few_by_key<T: Copy, K: Ord>(values: &mut [T], key: impl Fn(&T) -> K) {
    debug_assert!(values.len() <= MOST, "{} values are too many for a short list", values.len());
    for end in 1..values.len() {
        let value = values[end];
        let mut at = end;
        while at > 0 && key(&values[at - 1]) > key(&value) {
            values[at] = values[at - 1];
            at -= 1;
        }
        values[at] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::{sort_few, sort_few_by_key};

    #[test]
    fn every_order_of_a_few_values_is_sorted() {
        for code in 0..4_u32.pow(4) {
            let mut values = [0, 1, 2, 3].map(|place| code >> (2 * place) & 3);
            let mut sorted = values;
            sorted.sort_unstable();
            sort_few(&mut values);
            assert_eq!(values, sorted);
        }
        sort_few::<u8>(&mut []);
    }

    #[test]
    fn equal_keys_keep_their_order() {
        let mut words = ["bb", "a", "cc", "", "b", "aa"];
        sort_few_by_key(&mut words, |word| word.len());
        assert_eq!(words, ["", "a", "b", "bb", "cc", "aa"]);
    }
}
