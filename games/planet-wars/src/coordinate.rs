//! Coordinates: numbers that keep the text they were written as.

use crate::decimal;
use alloc::{
    format,
    string::{String, ToString},
};

/// The largest absolute value of a coordinate. With it every trip length fits 32 bits.
pub const MAX_COORDINATE: f64 = 5e8;

/// The largest number of characters of one written number.
pub const MAX_NUMBER_LENGTH: usize = 40;

/// One coordinate, with its text in the map file (`spec` sends this text to bots).
#[derive(Clone, PartialEq, Debug)]
pub struct Coordinate {
    value: f64,
    text: String,
}

impl Coordinate {
    /// Reads a decimal number: sign, digits, point, exponent. `None` for any other text, for infinities, for numbers
    /// beyond [`MAX_COORDINATE`], and for more than [`MAX_NUMBER_LENGTH`] characters.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_NUMBER_LENGTH {
            return None;
        }
        let value = decimal::read(text)?;
        let in_range = (-MAX_COORDINATE..=MAX_COORDINATE).contains(&value);
        in_range.then(|| Self { value, text: text.to_string() })
    }

    /// Makes the coordinate of this value. It is written with 12 significant digits, as the map generators of the
    /// contest did, and rounded to what is written.
    ///
    /// # Panics
    /// If `value` is beyond [`MAX_COORDINATE`] or not a number. The value must come from a generator, never from
    /// input.
    #[must_use]
    pub fn rounded(value: f64) -> Self {
        let text = digits12(value);
        Self::read(text.strip_suffix(".0").unwrap_or(&text)).expect("a generated coordinate is in range")
    }

    /// The number.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The text of the number, as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Writes a number with 12 significant digits, as `str` of Python 2 does: `3.0`, `11.8039955755`, `1e-05`, `1e+12`.
#[must_use]
pub fn digits12(value: f64) -> String {
    let (negative, digits, exponent) = decimal(&format!("{value:.11e}"));
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    let sign = if negative { "-" } else { "" };
    if (-4..12).contains(&exponent) {
        format!("{sign}{}", plain(digits, exponent))
    } else {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let side = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{first}{point}{rest}e{side}{:02}", exponent.unsigned_abs())
    }
}

/// Writes a number with the fewest digits that give the same number, as Java does for a double: `0.0`,
/// `11.8039955755`, `1.0E-4`, `1.0E7`.
#[must_use]
pub fn shortest(value: f64) -> String {
    let (negative, digits, exponent) = decimal(&format!("{value:e}"));
    let sign = if negative { "-" } else { "" };
    if value == 0.0 || (-3..7).contains(&exponent) {
        format!("{sign}{}", plain(&digits, exponent))
    } else {
        let (first, rest) = digits.split_at(1);
        format!("{sign}{first}.{}E{exponent}", if rest.is_empty() { "0" } else { rest })
    }
}

/// Splits Rust's form `-1.25e3` into the sign, the digits without a point, and the exponent of the first digit.
fn decimal(text: &str) -> (bool, String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let negative = mantissa.starts_with('-');
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
    (negative, digits, exponent.parse().unwrap_or(0))
}

/// Writes digits without an exponent and always with a point: `0.25`, `15.0`.
fn plain(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        format!("{digits}{}.0", "0".repeat(whole - digits.len()))
    } else {
        format!("{}.{}", &digits[..whole], &digits[whole..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_digits_are_those_of_python_2() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (15.0, "15.0"),
            (-1.5, "-1.5"),
            (11.803_995_575_512_3, "11.8039955755"),
            (0.1 + 0.2, "0.3"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (-1.25e-7, "-1.25e-07"),
            (1e7, "10000000.0"),
            (123_456_789_012.0, "123456789012.0"),
            (999_999_999_999.7, "1e+12"),
            (1.5e100, "1.5e+100"),
        ];
        for (value, text) in cases {
            assert_eq!(digits12(value), text);
        }
    }

    #[test]
    fn the_shortest_form_is_that_of_java() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (15.0, "15.0"),
            (-1e-4, "-1.0E-4"),
            (0.001, "0.001"),
            (0.25, "0.25"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (12_345_678.9, "1.23456789E7"),
            (0.1 + 0.2, "0.30000000000000004"),
            (100.0, "100.0"),
        ];
        for (value, text) in cases {
            assert_eq!(shortest(value), text);
        }
    }

    #[test]
    fn reads_decimal_numbers_and_nothing_else() {
        for good in ["0", "-1.5", "+3", ".5", "5.", "1e1", "1.0E1", "-0.0001"] {
            assert_eq!(Coordinate::read(good).unwrap().text(), good);
        }
        for bad in ["", "nan", "inf", "-infinity", "1e9", "1e400", "0x1", "1,5", "--1", "e", "1_0", "１"] {
            assert_eq!(Coordinate::read(bad), None, "{bad}");
        }
        assert_eq!(Coordinate::read(&"0".repeat(41)), None);
    }
}
