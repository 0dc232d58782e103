//! Writes a turn as JSON. A replay has one for each turn, so this is most of what recording a match costs.

use crate::{EntryRecord, PlyRecord};
use serde::Serialize;

impl PlyRecord {
    /// Appends the record as JSON, in the bytes in which `serde_json` writes it, several times faster.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let Self { ply, round: _, entries, events, fingerprint, standing } = self;
        key(out, "{\"ply\":", ply);
        out.extend(b",\"entries\":[");
        for entry in entries {
            entry.write_json(out);
            out.push(b',');
        }
        if !entries.is_empty() {
            out.pop();
        }
        out.push(b']');
        if !events.is_empty() {
            out.extend(b",\"events\":");
            events.write(out);
        }
        out.extend(b",\"fingerprint\":\"");
        let digit = |place: u32| b"0123456789abcdef"[(fingerprint.0 >> (4 * place)) as usize & 15];
        out.extend((0..16).rev().map(digit));
        out.push(b'"');
        some(out, ",\"standing\":", standing.as_ref());
        out.push(b'}');
    }
}

impl EntryRecord {
    fn write_json(&self, out: &mut Vec<u8>) {
        let Self {
            seat,
            orders,
            failure,
            refusal,
            mistake,
            refused,
            wall_us,
            soft_late,
            cpu_us,
            busy_us,
            runnable_us,
            blocked_us,
            lag_us,
            given_us,
            waiting,
            partial,
            off_turn_us,
        } = self;
        key(out, "{\"seat\":", seat);
        out.extend(b",\"orders\":");
        orders.write(out);
        some(out, ",\"failure\":", *failure);
        some(out, ",\"refusal\":", refusal.as_ref());
        some(out, ",\"mistake\":", mistake.as_ref());
        some(out, ",\"refused\":", (!refused.is_empty()).then_some(refused));
        key(out, ",\"wall_us\":", wall_us);
        some(out, ",\"soft_late\":", soft_late.then_some(true));
        some(out, ",\"cpu_us\":", *cpu_us);
        some(out, ",\"busy_us\":", *busy_us);
        some(out, ",\"runnable_us\":", *runnable_us);
        some(out, ",\"blocked_us\":", *blocked_us);
        some(out, ",\"lag_us\":", *lag_us);
        some(out, ",\"given_us\":", *given_us);
        some(out, ",\"waiting\":", waiting.then_some(true));
        some(out, ",\"partial\":", partial.then_some(true));
        some(out, ",\"off_turn_us\":", *off_turn_us);
        out.push(b'}');
    }
}

/// Appends a key and its value.
fn key(out: &mut Vec<u8>, key: &str, value: &impl Serialize) {
    out.extend(key.as_bytes());
    // Memory takes every byte, and records are plain data, so this cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Appends a key and its value, if there is one.
fn some(out: &mut Vec<u8>, name: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        key(out, name, &value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonList, JsonText, Mark, RefusedRecord};
    use agon_core::{Ending, Failure, Seat, Standing};

    fn written(record: &PlyRecord) -> String {
        let mut out = Vec::new();
        record.write_json(&mut out);
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn a_turn_is_written_as_serde_does_it() {
        let orders = |orders: &[(u8, &str)]| orders.iter().collect::<JsonList>();
        let plain = EntryRecord { orders: orders(&[(1, "a\n,é\u{2028}"), (2, "")]), ..EntryRecord::new(Seat::new(0)) };
        let whole = EntryRecord {
            orders: orders(&[(0, "[]")]),
            failure: Some(Failure::Unlawful(3)),
            refusal: Some("a \"quote\" \\ and \u{1}".to_owned()),
            mistake: Some("a \u{7}".to_owned()),
            refused: vec![
                RefusedRecord {
                    after: 7,
                    order: Some(JsonText::of(&("link", [1, 2]))),
                    code: 4,
                    why: "too \"far\"".to_owned(),
                    times: 1,
                },
                RefusedRecord { after: 0, order: None, code: 1, why: String::new(), times: u32::MAX },
            ],
            wall_us: u64::MAX,
            soft_late: true,
            cpu_us: Some(1),
            busy_us: Some(2),
            runnable_us: Some(3),
            blocked_us: Some(7),
            lag_us: Some(4),
            given_us: Some(5),
            waiting: true,
            partial: true,
            off_turn_us: Some(6),
            ..EntryRecord::new(Seat::new(31))
        };
        let late = EntryRecord { failure: Some(Failure::Late), ..EntryRecord::new(Seat::new(1)) };
        let standing = Standing { scores: vec![-1, 2], places: vec![2, 1], ending: Ending::Forfeit };
        for record in [
            PlyRecord::default(),
            PlyRecord { ply: 1, entries: vec![plain.clone()], fingerprint: Mark(0x00ab), ..PlyRecord::default() },
            PlyRecord {
                ply: u32::MAX,
                round: Some(4),
                entries: vec![plain, whole, late],
                events: orders(&[(7, "event")]),
                fingerprint: Mark(u64::MAX - 1),
                standing: Some(standing),
            },
        ] {
            assert_eq!(written(&record), serde_json::to_string(&record).expect("it can be written"));
        }
    }
}
