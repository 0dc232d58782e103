//! Values as Python prints them (`repr`). The engine's answer to an unknown command contains one.

use crate::json::{Text, Value};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// Prints a value, for example `'fly'`, `None`, `True`, `['pass']` or `{'a': 1.5}`. The result is code points, because
/// strings may hold lone surrogates.
#[must_use]
pub fn repr(value: &Value) -> Text {
    let mut out = Vec::new();
    print(value, &mut out);
    Text(out)
}

fn print(value: &Value, out: &mut Vec<u32>) {
    match value {
        Value::Null => put("None", out),
        Value::Bool(true) => put("True", out),
        Value::Bool(false) => put("False", out),
        Value::Int(i) => put(&i.to_string(), out),
        Value::BigInt(digits) => put(digits, out),
        Value::Float(x) => put(&float(*x), out),
        Value::Text(text) => string(text, out),
        Value::List(items) => {
            put("[", out);
            for (i, item) in items.iter().enumerate() {
                put(if i > 0 { ", " } else { "" }, out);
                print(item, out);
            }
            put("]", out);
        }
        Value::Object(entries) => {
            put("{", out);
            for (i, (key, value)) in entries.iter().enumerate() {
                put(if i > 0 { ", " } else { "" }, out);
                string(key, out);
                put(": ", out);
                print(value, out);
            }
            put("}", out);
        }
    }
}

fn put(text: &str, out: &mut Vec<u32>) {
    out.extend(text.chars().map(u32::from));
}

/// Prints the shortest digits that read back as the same number, in scientific form from 1e16 on and below 1e-4.
fn float(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.into();
    }
    // Rust writes the same shortest digits, in the form `-1.25e-7`.
    let scientific = format!("{x:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) || x == 0.0 {
        let plain = format!("{x}");
        if plain.contains('.') { plain } else { plain + ".0" }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    }
}

/// Prints a string in single quotes, or in double quotes if that saves escapes. Escapes what cannot be printed.
fn string(text: &Text, out: &mut Vec<u32>) {
    let has = |quote: char| text.0.contains(&u32::from(quote));
    let quote = u32::from(if has('\'') && !has('"') { '"' } else { '\'' });
    out.push(quote);
    for &c in &text.0 {
        match c {
            _ if c == quote || c == u32::from('\\') => out.extend([u32::from('\\'), c]),
            0x09 => put("\\t", out),
            0x0a => put("\\n", out),
            0x0d => put("\\r", out),
            0x20..=0x7e => out.push(c),
            _ if char::from_u32(c).is_some_and(is_printable) => out.push(c),
            0..=0xff => put(&format!("\\x{c:02x}"), out),
            0x100..=0xffff => put(&format!("\\u{c:04x}"), out),
            _ => put(&format!("\\U{c:08x}"), out),
        }
    }
    out.push(quote);
}

/// Whether Python prints a character as it is. Python and Rust treat the same categories as unprintable: control,
/// format, surrogate, private use, unassigned, and separators other than the space. Which characters are unassigned
/// depends on the Unicode version of each. Rust also escapes combining marks, but only at the start of a string.
fn is_printable(c: char) -> bool {
    let mut buffer = [b'a'; 5];
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    let text = core::str::from_utf8(&buffer[..length]).unwrap_or_default();
    text.escape_debug().nth(1) != Some('\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn shown(json: &str) -> String {
        repr(&read(json.as_bytes()).unwrap()).0.into_iter().filter_map(char::from_u32).collect()
    }

    /// Compares with the output of CPython 3.11.
    #[test]
    fn values_look_as_in_python() {
        let known = [
            ("null", "None"),
            ("[true, false]", "[True, False]"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1e16", "1e+16"),
            ("1e15", "1000000000000000.0"),
            ("123456789012345678.0", "1.2345678901234568e+17"),
            ("1e-4", "0.0001"),
            ("1e-5", "1e-05"),
            ("5e-324", "5e-324"),
            ("1.5e300", "1.5e+300"),
            ("1e400", "inf"),
            ("[NaN, -Infinity]", "[nan, -inf]"),
            (r#"{"a": 1, "b": 2, "a": {"c": [1.0]}}"#, "{'a': {'c': [1.0]}, 'b': 2}"),
            ("{}", "{}"),
        ];
        for (json, text) in known {
            assert_eq!(shown(json), text);
        }
    }

    #[test]
    fn strings_are_quoted_and_escaped_as_in_python() {
        let known = [
            (r#""it's""#, r#""it's""#),
            (r#""both ' and \"""#, r#"'both \' and "'"#),
            (r#""say \"hi\"""#, r#"'say "hi"'"#),
            (r#""\t\n\r\u0000\u001f\u007f\\""#, r"'\t\n\r\x00\x1f\x7f\\'"),
            (r#""\u00e9\u0085\u00ad\u00a0""#, r"'é\x85\xad\xa0'"),
            (r#""\u3000\ufeff\u0378\u2028\ue000\u200b""#, r"'\u3000\ufeff\u0378\u2028\ue000\u200b'"),
            (r#""a\u0301\u0301""#, "'a\u{301}\u{301}'"),
            (r#""\ud83d\ude00 \ud800 \udbff\udfff""#, r"'😀 \ud800 \U0010ffff'"),
        ];
        for (json, text) in known {
            assert_eq!(shown(json), text);
        }
    }
}
