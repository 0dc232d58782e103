//! Leaves out of a replay what a bot told only its author.

use serde_json::Value;
use std::borrow::Cow;

/// The key under which a fault has the last lines of the bot's stderr.
const STDERR: &str = "stderr";

/// Returns the lines of a replay without what bots wrote to their stderr before they crashed. Everything else stays as it is, so
/// that it verifies as before.
#[must_use]
pub fn without_stderr(lines: &[u8]) -> Vec<u8> {
    lines.split_inclusive(|byte| *byte == b'\n').flat_map(|line| emptied(line).into_owned()).collect()
}

fn emptied(line: &[u8]) -> Cow<'_, [u8]> {
    let key = STDERR.as_bytes();
    if !line.windows(key.len()).any(|part| part == key) {
        return Cow::Borrowed(line);
    }
    // A last line that is cut off may end in the middle of the text.
    let Ok(mut value) = serde_json::from_slice::<Value>(line) else { return Cow::Borrowed(b"") };
    if !empty(&mut value) {
        return Cow::Borrowed(line);
    }
    let mut written = value.to_string().into_bytes();
    written.extend(line.ends_with(b"\n").then_some(b'\n'));
    Cow::Owned(written)
}

/// Empties every text under the key. Returns whether there was one.
fn empty(value: &mut Value) -> bool {
    match value {
        Value::Object(fields) => {
            let mut found = false;
            for (key, value) in fields {
                found |= match value {
                    Value::String(text) if key == STDERR => !std::mem::take(text).is_empty(),
                    other => empty(other),
                };
            }
            found
        }
        Value::Array(list) => list.iter_mut().fold(false, |found, value| empty(value) | found),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stderr_is_left_out() {
        let header = "{\"agon\":2,\"seats\":[{\"name\":\"stderr\"}]}\n";
        let fault = |text: &str| {
            format!(
                "{{\"event\":\"fault\",\"seat\":1,\"ply\":3,\"fault\":{{\"kind\":\"crashed\",\"exit\":{{\"code\":1}},\"stderr\":\"{text}\"}}}}\n"
            )
        };
        let end = |text: &str| {
            format!(
                "{{\"end\":\"finished\",\"faults\":[{{\"kind\":\"crashed\",\"stderr\":\"{text}\"}}],\"scores\":[0.25,18446744073709551615]}}\n"
            )
        };
        let of = |text: &str| [header, &fault(text), &end(text)].concat();
        let secret = "KeyError: 'hunter2'\\n\\\"stderr\\\":\\\"x\\\"";
        assert_eq!(String::from_utf8(without_stderr(of(secret).as_bytes())).expect("text"), of(""));
        let whole = of("");
        assert_eq!(without_stderr(whole.as_bytes()), whole.as_bytes());
        let cut = fault(secret);
        let left = without_stderr([header, &cut[..cut.len() - 9]].concat().as_bytes());
        assert_eq!(left, header.as_bytes(), "what is cut off tells nothing");
    }
}
