//! Reads a [`Fault`] from its fields.
//!
//! Serde could do that by itself, but would first put every fault into a tree of values. That takes a tenth of the code of
//! a module for a page.

use crate::{Exit, Fault, JsonText, TimeRecord};
use serde::{
    Deserialize, Deserializer,
    de::{Error, Unexpected},
};

/// The fields of all kinds. No two kinds have a field of the same name with different types.
#[derive(Deserialize)]
struct Fields {
    kind: String,
    reason: Option<String>,
    limit_us: Option<u64>,
    heard: Option<u64>,
    unread: Option<bool>,
    time: Option<TimeRecord>,
    exit: Option<Exit>,
    stderr: Option<String>,
    memory_mib: Option<u64>,
    line: Option<String>,
    why: Option<String>,
    index: Option<u32>,
    order: Option<JsonText>,
    limit: Option<u64>,
    limit_mib: Option<u64>,
    used_mib: Option<u64>,
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fn some<T, E: Error>(field: Option<T>, name: &'static str) -> Result<T, E> {
            field.ok_or_else(|| E::missing_field(name))
        }
        let fields = Fields::deserialize(deserializer)?;
        Ok(match fields.kind.as_str() {
            "never_started" => Self::NeverStarted { reason: some(fields.reason, "reason")? },
            "late" => Self::Late {
                limit_us: some(fields.limit_us, "limit_us")?,
                heard: some(fields.heard, "heard")?,
                unread: some(fields.unread, "unread")?,
                time: fields.time,
            },
            "crashed" => Self::Crashed {
                exit: some(fields.exit, "exit")?,
                stderr: some(fields.stderr, "stderr")?,
                memory_mib: fields.memory_mib,
            },
            "closed_output" => Self::ClosedOutput,
            "closed_input" => Self::ClosedInput,
            "nonsense" => Self::Nonsense { line: some(fields.line, "line")?, why: some(fields.why, "why")? },
            "unlawful" => Self::Unlawful {
                index: some(fields.index, "index")?,
                order: fields.order.unwrap_or_else(|| JsonText::of(&())),
                why: some(fields.why, "why")?,
            },
            "long_line" => Self::LongLine { limit: some(fields.limit, "limit")? },
            "flood" => Self::Flood { limit: some(fields.limit, "limit")? },
            "out_of_memory" => {
                Self::OutOfMemory { limit_mib: some(fields.limit_mib, "limit_mib")?, used_mib: fields.used_mib }
            }
            other => return Err(D::Error::invalid_value(Unexpected::Str(other), &"the kind of a fault")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back() {
        let time = Some(TimeRecord { wall_us: 7, cpu_us: Some(3), ..TimeRecord::default() });
        let text = || "a\u{202e}b".to_owned();
        for fault in [
            Fault::NeverStarted { reason: text() },
            Fault::Late { limit_us: 1, heard: 2, unread: true, time },
            Fault::Late { limit_us: 1, heard: 2, unread: false, time: None },
            Fault::Crashed { exit: Exit::Signal(text()), stderr: text(), memory_mib: Some(4) },
            Fault::Crashed { exit: Exit::Code(-3), stderr: text(), memory_mib: None },
            Fault::ClosedOutput,
            Fault::ClosedInput,
            Fault::Nonsense { line: text(), why: text() },
            Fault::Unlawful { index: 5, order: JsonText::of(&serde_json::json!({ "a": [1, null] })), why: text() },
            Fault::Unlawful { index: 0, order: JsonText::of(&()), why: text() },
            Fault::LongLine { limit: u64::MAX },
            Fault::Flood { limit: 6 },
            Fault::OutOfMemory { limit_mib: 8, used_mib: Some(9) },
            Fault::OutOfMemory { limit_mib: 8, used_mib: None },
        ] {
            let written = serde_json::to_string(&fault).expect("json");
            assert_eq!(serde_json::from_str::<Fault>(&written).expect("a fault"), fault, "{written}");
        }
    }

    #[test]
    fn missing_fields_are_named() {
        let why = |text: &str| serde_json::from_str::<Fault>(text).expect_err("no fault").to_string();
        assert!(why(r#"{"kind":"late","heard":1,"unread":false}"#).contains("missing field `limit_us`"));
        assert!(why(r#"{"kind":"vanished"}"#).contains("the kind of a fault"));
        assert!(why(r#"{"reason":"x"}"#).contains("missing field `kind`"));
    }
}
