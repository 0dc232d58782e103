//! The content of each line of a replay.

use crate::objects::read;
use agon_core::{Seat, State};
use agon_spec::{Cut, Footer, Header, Mark, MatchEvent, PlyRecord};
use serde::Deserialize;

/// The version of the format that this crate writes, and the newest that it reads. `docs/replay.md` describes each
/// version.
pub const FORMAT_VERSION: u32 = 2;

/// The most values in a line other than a turn. A footer with a fault for each of 32 seats has far fewer.
const VALUES: usize = 1 << 14;

/// The most values in the [`State`] of a header or of an edited position, names included. The rest of the line has room for
/// its own.
pub const STATE_LIMIT: usize = VALUES - 512;

/// One line after the header.
#[derive(Clone, PartialEq, Debug)]
pub enum Line {
    /// A turn: an object with `ply` and `entries`.
    Ply(PlyRecord),
    /// Another event: an object with `event`. It is never a start, a turn or an end.
    Event(MatchEvent),
    /// Says that everything after it, except the footer, was left out: an object whose `event` is `cut`.
    Cut(Cut),
    /// The last line: an object with `end`.
    Footer(Footer),
}

/// Reads the first line.
///
/// # Errors
/// Says, as a lower-case fragment, why the line is not a header that this version can read.
pub(crate) fn parse_header(line: &[u8]) -> Result<Header, String> {
    #[derive(Deserialize)]
    struct Probe {
        agon: u32,
    }
    few(line)?;
    // Read only the version first, because a newer header may have other keys.
    let probe: Probe = read(line)
        .map_err(|_| String::from("the first line is not the header of a replay, which begins with `{\"agon\":`"))?;
    match probe.agon {
        1..=FORMAT_VERSION => read_header(line).map_err(|e| format!("a broken header: {}", broken(e))),
        newer => Err(format!(
            "format version {newer} is not supported (this program reads 1 to {FORMAT_VERSION}): use a newer version of Agon"
        )),
    }
}

/// Reads the line twice, once for each part of the header. Otherwise serde would first put the whole map into a tree of
/// values.
fn read_header(line: &[u8]) -> serde_json::Result<Header> {
    #[derive(Deserialize)]
    struct Rest {
        agon: u32,
        #[serde(default)]
        engine: String,
        fingerprint: Mark,
    }
    let Rest { agon, engine, fingerprint } = read(line)?;
    Ok(Header { agon, engine, fingerprint, spec: read(line)? })
}

/// Reads an event of a known kind, or returns `None`. Serde could read the kinds as one type, but would first put each
/// event into a tree of values.
fn read_event(kind: &str, line: &[u8]) -> serde_json::Result<Option<MatchEvent>> {
    #[derive(Deserialize)]
    struct Greeted {
        seat: Seat,
        wall_us: u64,
        #[serde(default)]
        name: Option<String>,
    }
    #[derive(Deserialize)]
    struct Rewound {
        ply: u32,
        fingerprint: Mark,
    }
    #[derive(Deserialize)]
    struct Edited {
        map: String,
        #[serde(default)]
        state: State,
        fingerprint: Mark,
    }
    Ok(Some(match kind {
        "greeted" => {
            let Greeted { seat, wall_us, name } = read(line)?;
            MatchEvent::Greeted { seat, wall_us, name }
        }
        "fault" => MatchEvent::Fault(read(line)?),
        "rewound" => {
            let Rewound { ply, fingerprint } = read(line)?;
            MatchEvent::Rewound { ply, fingerprint }
        }
        "edited" => {
            let Edited { map, state, fingerprint } = read(line)?;
            MatchEvent::Edited { map, state, fingerprint }
        }
        _ => return Ok(None),
    }))
}

impl Line {
    /// Returns approximately how many bytes of memory the line takes. `length` is the length of its text.
    pub(crate) fn weight(&self, length: usize) -> usize {
        match self {
            Self::Ply(record) => record.weight(),
            Self::Event(_) | Self::Cut(_) | Self::Footer(_) => size_of::<Self>() + length,
        }
    }

    /// Reads a line after the header. Returns `None` if it is an event that this version does not know and may skip.
    ///
    /// # Errors
    /// Says, as a lower-case fragment, why the text is not a line of a replay.
    pub fn parse(line: &[u8]) -> Result<Option<Self>, String> {
        use serde::de::IgnoredAny;
        #[derive(Deserialize)]
        struct Probe<'a> {
            #[serde(default)]
            entries: Option<IgnoredAny>,
            #[serde(default, borrow)]
            event: Option<std::borrow::Cow<'a, str>>,
            #[serde(default)]
            end: Option<IgnoredAny>,
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return Err("the line is empty".into());
        }
        // Nearly all lines are turns, and those are read once.
        if let Some(turn) = surely_a_turn(line) {
            return Ok(Some(Self::Ply(turn)));
        }
        let probe: Probe<'_> = read(line).map_err(broken)?;
        if probe.event.is_some() || probe.end.is_some() {
            few(line)?;
        }
        if probe.event.as_deref() == Some("cut") {
            return read(line).map(|cut| Some(Self::Cut(cut))).map_err(broken);
        }
        if let Some(event) = probe.event {
            // Kinds of events may be added without a new version. A program that does not know one can skip it.
            return Ok(read_event(&event, line).map_err(broken)?.map(Self::Event));
        }
        if probe.end.is_some() {
            return read(line).map(|footer| Some(Self::Footer(footer))).map_err(broken);
        }
        if probe.entries.is_some() {
            return read_turn(line).map(|ply| Some(Self::Ply(ply))).map_err(broken);
        }
        Err("the line is neither a turn (`entries`), an event (`event`) nor the footer (`end`)".into())
    }
}

/// Reads a turn. The code is long, and a page has it once.
#[inline(never)]
fn read_turn(line: &[u8]) -> serde_json::Result<PlyRecord> {
    read(line)
}

/// Reads a line that is a turn and, by its keys, nothing else. `None` if that takes a closer look.
fn surely_a_turn(line: &[u8]) -> Option<PlyRecord> {
    // A key may have escapes, and then it does not look like what it is.
    let is_other = |(at, byte): (usize, &u8)| match byte {
        b'\\' => true,
        b'"' => {
            line.get(at + 1) == Some(&b'e')
                && [&b"event\""[..], b"end\""].iter().any(|key| line[at + 1..].starts_with(key))
        }
        _ => false,
    };
    if line.iter().enumerate().any(is_other) { None } else { read_turn(line).ok() }
}

/// Checks that a line other than a turn does not have too many values. Most such lines are read through a tree of their
/// values, which takes many times the memory of the text.
fn few(line: &[u8]) -> Result<(), String> {
    let (mut values, mut in_text, mut escaped) = (1, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            b',' | b':' | b'[' | b'{' if !in_text => values += 1,
            _ => {}
        }
    }
    if values <= VALUES { Ok(()) } else { Err(format!("the line is not a turn, but has more than {VALUES} values")) }
}

/// Returns the parser's message, with only the column. The parser sees a single line and calls every line the first.
fn broken(why: serde_json::Error) -> String {
    let text = why.to_string();
    match text.strip_suffix(&format!(" at line {} column {}", why.line(), why.column())) {
        Some(words) => format!("column {}: {words}", why.column()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_line_depends_on_its_keys_and_not_on_their_spelling() {
        let line = |more: &str| format!(r#"{{"ply":1,"entries":[],"fingerprint":"0000000000000000"{more}}}"#);
        let kind = |more: &str| Line::parse(line(more).as_bytes());
        assert!(matches!(kind(""), Ok(Some(Line::Ply(_)))));
        assert!(matches!(kind(r#","later":"\"event\"""#), Ok(Some(Line::Ply(_)))));
        for event in [r#","event":"later""#, r#","\u0065vent":"later""#, r#","event" : "l\u0061ter""#] {
            assert_eq!(kind(event), Ok(None), "{event}");
        }
        assert!(matches!(kind(r#","end":"aborted","plies":1"#), Ok(Some(Line::Footer(_)))));
        assert!(kind(r#","entries":[]"#).is_err_and(|why| why.contains("duplicate field `entries`")));
    }
}
