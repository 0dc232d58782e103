//! Reads decimal numbers exactly.
//!
//! The numbers of a map must be those that every other program reads from the same text: of all numbers of 64 bits the
//! nearest one, and of two that are equally near the even one. The standard library reads them so with a table of powers of
//! ten, which alone takes 10 kB of a module for a page. There are only a few numbers in a map, so this module does without.
//!
//! Libraries were tried in its place, in the module `view.wasm` of 584,596 bytes, of which 250,000 gzipped are allowed.
//! `lexical-parse-float` 1.0.6 with its feature `compact` adds 9.8 kB, 4.5 kB gzipped; `minimal-lexical` 0.2 with `compact` adds
//! 5.3 kB, 3.1 kB gzipped, and leaves signs, points and exponents to its caller. Both are beyond the limit, by
//! about 2.9 and 1.4 kB. One reader for pages and another for the rest could disagree.

use alloc::{vec, vec::Vec};

/// Every power of ten up to this one is a number of 64 bits without rounding.
const EXACT_POWER: u32 = 22;
/// What is less than `10^-LEAST_EXPONENT` is nearer to 0 than to any other number.
const LEAST_EXPONENT: i64 = 324;
/// The exponent of the smallest number, `2^-LEAST_BIT`.
const LEAST_BIT: i32 = 1074;

/// Reads a number: a sign, digits with a point, an exponent. Returns `None` for any other text, and for a number of
/// `10^17` or more.
pub(crate) fn read(text: &str) -> Option<f64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (number, exponent) = text.split_once(['e', 'E']).map_or((text, Some(0)), |(number, e)| (number, exponent(e)));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = whole.bytes().chain(fraction.bytes());
    if whole.is_empty() && fraction.is_empty() || !digits.clone().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digits = digits.map(|digit| u32::from(digit - b'0')).skip_while(|digit| *digit == 0);
    // The number is `digits * 10^power`.
    let (count, power) = (digits.clone().count() as i64, exponent? - fraction.len() as i64);
    let number = match count {
        0 => 0.0,
        // `10^17` or more.
        _ if count + power > 17 => return None,
        _ if count + power <= -LEAST_EXPONENT => 0.0,
        _ => nearest(digits, count, power),
    };
    Some(if negative { -number } else { number })
}

/// Reads an exponent. One that is far too large becomes one that is still too large.
fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = digits.bytes().fold(0_i64, |number, digit| (10 * number + i64::from(digit - b'0')).min(1_000_000));
    Some(if text.starts_with('-') { -number } else { number })
}

/// Returns the number of 64 bits that is nearest to `digits * 10^power`, which is below `10^17`. `count` is the number of
/// digits.
fn nearest(digits: impl Iterator<Item = u32> + Clone, count: i64, power: i64) -> f64 {
    let short = || digits.clone().fold(0, |number, digit| 10 * number + u64::from(digit));
    match u32::try_from(-power) {
        Err(_) => (short() * 10_u64.pow(power as u32)) as f64,
        // Both are exact, so the quotient is rounded only once.
        Ok(down) if count <= 15 && down <= EXACT_POWER => short() as f64 / (0..down).fold(1.0, |power, _| power * 10.0),
        Ok(down) => quotient(digits, down),
    }
}

/// Divides a number with these digits by `10^down`, bit by bit.
fn quotient(digits: impl Iterator<Item = u32>, down: u32) -> f64 {
    let mut rest = Large(vec![0]);
    digits.for_each(|digit| rest.multiply_and_add(10, digit));
    let mut divisor = Large(vec![1]);
    (0..down).for_each(|_| divisor.multiply_and_add(10, 0));
    // The number is `rest / divisor * 2^bit`, and the quotient is brought to at least 1 and less than 2.
    let mut bit = 0;
    while rest.is_less(&divisor) {
        rest.multiply_and_add(2, 0);
        bit -= 1;
    }
    loop {
        let mut twice = divisor.clone();
        twice.multiply_and_add(2, 0);
        if rest.is_less(&twice) {
            break;
        }
        divisor = twice;
        bit += 1;
    }
    // A number has 53 bits, or fewer if it is close to 0. It may have none, and still be rounded up.
    let bits = (bit + LEAST_BIT + 1).min(53);
    if bits < 0 {
        return 0.0;
    }
    let mut number = 0_u64;
    for _ in 0..bits {
        number = 2 * number + u64::from(rest.take(&divisor));
        rest.multiply_and_add(2, 0);
    }
    let half = rest.take(&divisor);
    number += u64::from(half && (!rest.is_zero() || number % 2 == 1));
    // In both steps nothing is rounded: the number has at most 53 bits, and the power is not below the smallest number.
    let mut scaled = number as f64;
    for _ in 0..(bits - 1 - bit) {
        scaled /= 2.0;
    }
    for _ in 0..(bit + 1 - bits) {
        scaled *= 2.0;
    }
    scaled
}

/// A whole number of any size, as limbs of 32 bits. The lowest one comes first.
#[derive(Clone)]
struct Large(Vec<u32>);

impl Large {
    fn multiply_and_add(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn limb(&self, index: usize) -> u32 {
        self.0.get(index).copied().unwrap_or(0)
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|limb| *limb == 0)
    }

    fn is_less(&self, other: &Self) -> bool {
        let limbs = (0..self.0.len().max(other.0.len())).rev();
        limbs.map(|i| (self.limb(i), other.limb(i))).find(|(one, two)| one != two).is_some_and(|(one, two)| one < two)
    }

    /// Subtracts another number if it is not greater. Returns whether it was.
    fn take(&mut self, other: &Self) -> bool {
        if self.is_less(other) {
            return false;
        }
        let mut borrowed = false;
        for i in 0..self.0.len() {
            let (less, under) = self.0[i].overflowing_sub(other.limb(i));
            let (less, again) = less.overflowing_sub(u32::from(borrowed));
            (self.0[i], borrowed) = (less, under || again);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::String};
    use proptest::prelude::*;

    /// Checks that the standard library reads the same number.
    fn check(text: &str) -> Result<(), TestCaseError> {
        let wanted: Option<f64> = text.parse().ok().filter(|number: &f64| number.abs() < 1e17);
        let read = read(text);
        prop_assert_eq!(read.map(f64::to_bits), wanted.map(f64::to_bits), "{}: {:?}, not {:?}", text, read, wanted);
        Ok(())
    }

    #[test]
    fn numbers_at_the_edges_are_the_nearest_ones() {
        for text in [
            "0",
            "-0",
            "+0.0",
            ".5",
            "5.",
            "1e0",
            "00012.50",
            "9007199254740993",
            "9007199254740993.0000000000000001",
            "9007199254740992.5",
            "0.1",
            "0.3e-0",
            "123456789012345678901234567890123e-20",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "1e-325",
            "1e-999999999",
            "0e999999999999",
            "2.2250738585072014e-308",
            ".1111111111111111111111111111111111111111111111111",
            "1e16",
            "12345678901234567",
            "0.500000000000000166533453693773481063544750213623046875",
        ] {
            check(text).unwrap_or_else(|why| panic!("{why}"));
        }
    }

    #[test]
    fn a_text_that_is_no_number_is_refused() {
        for text in ["", ".", "-", "+-1", "1.2.3", "e5", "1e", "1e+", "1e5.0", "1-", "--1", "1e1e1", "inf", "0x1", " 1"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!((read("1e17"), read("1e999999999999999")), (None, None), "too large");
    }

    proptest! {
        #[test]
        fn every_number_is_read_as_the_standard_library_reads_it(
            sign in prop::sample::select(&["", "-", "+"][..]),
            whole in "[0-9]{0,20}",
            fraction in "[0-9]{0,45}",
            exponent in prop::option::of(-345..20_i32),
        ) {
            let point = if fraction.is_empty() { "" } else { "." };
            let exponent = exponent.map_or_else(String::new, |exponent| format!("e{exponent}"));
            check(&format!("{sign}{whole}{point}{fraction}{exponent}"))?;
        }

        #[test]
        fn numbers_between_two_numbers_are_rounded_rightly(bits in 0..f64::to_bits(1e15), more in "[0-9]{0,3}") {
            let (low, high) = (f64::from_bits(bits), f64::from_bits(bits + 1));
            check(&format!("{low:e}"))?;
            // Half of the way is exact here, if it can be a number at all.
            let middle = low + (high - low) / 2.0;
            let text = format!("{middle:.60}");
            check(&format!("{}{more}", text.trim_end_matches('0')))?;
        }
    }
}
