//! What stands in each line of a replay.

use agon_spec::{Cut, Footer, Header, MatchEvent, PlyRecord};
use serde::Deserialize;

/// The version that this crate writes, and the newest that it reads. `docs/replay.md` says what each version has.
pub const FORMAT_VERSION: u32 = 2;

/// The most values in a line that is no turn. A footer with a fault of each of 32 seats has far fewer.
const VALUES: usize = 1 << 14;

/// One line after the header.
#[derive(Clone, PartialEq, Debug)]
pub enum Line {
    /// A turn: an object with `ply` and `entries`.
    Ply(PlyRecord),
    /// Something else that happened: an object with `event`. Never a start, a turn or an end.
    Event(MatchEvent),
    /// What follows was left out, all but the footer: an object with `event`, which is `cut`.
    Cut(Cut),
    /// The last line: an object with `end`.
    Footer(Footer),
}

/// Reads the first line.
///
/// # Errors
/// Why it is not a header that this version can read, a lower-case fragment.
pub(crate) fn parse_header(line: &[u8]) -> Result<Header, String> {
    #[derive(Deserialize)]
    struct Probe {
        agon: u32,
    }
    few(line)?;
    // The version first: a newer header may have another shape.
    let probe: Probe = serde_json::from_slice(line)
        .map_err(|_| String::from("the first line is no header of a replay (it begins with `{\"agon\":`)"))?;
    match probe.agon {
        1..=FORMAT_VERSION => serde_json::from_slice(line).map_err(|e| format!("a broken header: {}", broken(e))),
        newer => Err(format!(
            "format version {newer} is not one that this program knows (1 to {FORMAT_VERSION}): use a newer agon"
        )),
    }
}

impl Line {
    /// About how many bytes of memory it takes; `length` is that of its text.
    pub(crate) fn weight(&self, length: usize) -> usize {
        match self {
            Self::Ply(record) => record.weight(),
            Self::Event(_) | Self::Cut(_) | Self::Footer(_) => size_of::<Self>() + length,
        }
    }

    /// Reads a line after the header; `None` if it is of a kind that this version does not know and may skip.
    ///
    /// # Errors
    /// Why it is none, a lower-case fragment.
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
        const KNOWN: &[&str] = &["greeted", "fault", "rewound", "edited"];
        if line.iter().all(u8::is_ascii_whitespace) {
            return Err("an empty line".into());
        }
        let probe: Probe<'_> = serde_json::from_slice(line).map_err(broken)?;
        if probe.event.is_some() || probe.end.is_some() {
            few(line)?;
        }
        if probe.event.as_deref() == Some("cut") {
            return serde_json::from_slice(line).map(|cut| Some(Self::Cut(cut))).map_err(broken);
        }
        if let Some(event) = probe.event {
            // Kinds of events may be added without a new version: whoever does not know one can play on without it.
            if !KNOWN.contains(&&*event) {
                return Ok(None);
            }
            return serde_json::from_slice(line).map(|event| Some(Self::Event(event))).map_err(broken);
        }
        if probe.end.is_some() {
            return serde_json::from_slice(line).map(|footer| Some(Self::Footer(footer))).map_err(broken);
        }
        if probe.entries.is_some() {
            return serde_json::from_slice(line).map(|ply| Some(Self::Ply(ply))).map_err(broken);
        }
        Err("neither a turn (`entries`), an event (`event`) nor the footer (`end`)".into())
    }
}

/// Sees to it that a line that is no turn has no more values than such a line can have. Most of them are read by way of
/// a tree of all that is in them, which takes many times the memory of the text.
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
    if values <= VALUES { Ok(()) } else { Err(format!("more than {VALUES} values in a line that is no turn")) }
}

/// The parser's words. It knows of this line only, and calls it the first.
fn broken(why: serde_json::Error) -> String {
    let text = why.to_string();
    match text.strip_suffix(&format!(" at line {} column {}", why.line(), why.column())) {
        Some(words) => format!("column {}: {words}", why.column()),
        None => text,
    }
}
