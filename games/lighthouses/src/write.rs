//! Numbers and strings as Python's `json` module writes them.

use alloc::vec::Vec;

/// Writes a string with its quotes as Python's `json` does by default: in ASCII, with everything else escaped.
pub(crate) fn write_text(text: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    out.push(b'"');
    for c in text {
        match c {
            0x22 => out.extend(b"\\\""),
            0x5c => out.extend(b"\\\\"),
            0x0a => out.extend(b"\\n"),
            0x0d => out.extend(b"\\r"),
            0x09 => out.extend(b"\\t"),
            0x08 => out.extend(b"\\b"),
            0x0c => out.extend(b"\\f"),
            0x20..=0x7e => out.push(c as u8),
            0..=0xffff => write_unit(c, out),
            _ => {
                write_unit(0xd800 + ((c - 0x1_0000) >> 10), out);
                write_unit(0xdc00 + (c & 0x3ff), out);
            }
        }
    }
    out.push(b'"');
}

fn write_unit(unit: u32, out: &mut Vec<u8>) {
    out.extend(b"\\u");
    write_hex(unit, 4, out);
}

/// Appends lower-case hexadecimal digits, with leading zeros up to `digits`.
fn write_hex(n: u32, digits: u32, out: &mut Vec<u8>) {
    out.extend((0..digits).rev().map(|i| b"0123456789abcdef"[(n >> (4 * i) & 15) as usize]));
}

/// Appends an integer in decimal.
pub(crate) fn write_int(n: i64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut left = n.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if n < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_written_in_ascii() {
        let mut out = Vec::new();
        write_text("a\"\\\n\u{7f}é😀".chars().map(u32::from), &mut out);
        assert_eq!(out, br#""a\"\\\n\u007f\u00e9\ud83d\ude00""#);
    }

    #[test]
    fn integers_are_written_in_decimal() {
        for n in [0, 7, -1, 10, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            write_int(n, &mut out);
            assert_eq!(out, alloc::format!("{n}").as_bytes());
        }
    }
}
