//! The bytes that the engine sent. They are Python's JSON, made from the decoded messages of a recording.

use serde_json::Value;

/// The keys of all messages, in an order that agrees with the engine's order in each message.
const KEYS: [&str; 13] = [
    "player_num",
    "player_count",
    "position",
    "score",
    "owner",
    "energy",
    "view",
    "map",
    "lighthouses",
    "connections",
    "have_key",
    "success",
    "message",
];

/// Returns the line that the engine sent for this message.
pub fn line(message: &Value) -> String {
    let mut out = String::new();
    write(message, &mut out);
    out.push('\n');
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| KEYS.iter().position(|k| k == key).unwrap_or(KEYS.len()));
            out.push('{');
            for (i, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write(&Value::String(key.clone()), out);
                out.push_str(": ");
                write(value, out);
            }
            out.push('}');
        }
        Value::String(text) => write_text(text, out),
        other => out.push_str(&other.to_string()),
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for unit in text.encode_utf16() {
        match char::from_u32(unit.into()) {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(c @ ' '..='~') => out.push(c),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
}

/// Returns the recorded message with its lists of connections in our order, if they have the same elements. The
/// engine's order is that of a set in memory.
pub fn with_our_order(mut recorded: Value, ours: &[u8]) -> Value {
    let Ok(ours) = serde_json::from_slice::<Value>(ours) else { return recorded };
    let (Some(theirs), Some(ours)) =
        (recorded.get_mut("lighthouses").and_then(Value::as_array_mut), ours["lighthouses"].as_array())
    else {
        return recorded;
    };
    for (their, our) in theirs.iter_mut().zip(ours) {
        let sorted = |v: &Value| {
            let mut pairs: Vec<String> = v.as_array().into_iter().flatten().map(Value::to_string).collect();
            pairs.sort_unstable();
            pairs
        };
        if their.get("connections").is_some() && sorted(&their["connections"]) == sorted(&our["connections"]) {
            their["connections"] = our["connections"].clone();
        }
    }
    recorded
}
