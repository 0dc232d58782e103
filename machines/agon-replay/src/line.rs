//! What stands in each line of a replay.

use agon_core::Standing;
use agon_referee::{EntryRecord, FaultRecord, Mark, MatchEvent, PlyRecord, Times};
use agon_spec::MatchSpec;
use serde::{Deserialize, Serialize};

/// The version that this crate writes, and the newest that it reads. `docs/replay.md` says what each version has.
pub const FORMAT_VERSION: u32 = 2;

/// The most values in a line that is no turn. A footer with a fault of each of 32 seats has far fewer.
const VALUES: usize = 1 << 14;

/// The first line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format. The first key of the file, so that `{"agon":` tells a replay.
    pub agon: u32,
    /// The version of the program that wrote it, for people.
    #[serde(default)]
    pub engine: String,
    /// Of the first position.
    pub fingerprint: Mark,
    /// Everything that decides the match beside what the bots answered.
    #[serde(flatten)]
    pub spec: MatchSpec,
}

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

/// Where a replay would have become larger than it may: turns and events behind it are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename = "cut")]
pub struct Cut {
    /// How many turns had been played when it was cut.
    pub plies: u32,
    /// How many bytes there are before this line.
    pub bytes: u64,
}

/// The last line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Footer {
    /// Whether there is a result.
    pub end: End,
    /// Scores, places and why it ended; `None` if the match was broken off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// How many turns were played.
    pub plies: u32,
    /// Every fault, in the order in which they were noticed.
    #[serde(default)]
    pub faults: Vec<FaultRecord>,
    /// How long the decisions of each seat took.
    #[serde(default)]
    pub times: Vec<SeatTime>,
}

/// How a match ended, as a footer says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With a result.
    Finished,
    /// Without one: it was interrupted, or a bot never started.
    Aborted,
}

/// How long the decisions of one seat took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SeatTime {
    /// How many decisions.
    pub count: u64,
    /// How many of them were beyond the soft limit.
    pub soft_late: u64,
    /// The time in microseconds that half of them did not exceed.
    pub p50_us: u64,
    /// The time in microseconds that 99 of 100 did not exceed.
    pub p99_us: u64,
    /// The longest in microseconds.
    pub max_us: u64,
    /// All of them together in microseconds.
    pub total_us: u64,
    /// What counters said of them; `None` in replays of version 1 and of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
}

/// Where the time of one seat's decisions went, summed over those for which counters were read: all that did not come
/// at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Certificate {
    /// For how many decisions counters were read.
    pub measured: u64,
    /// CPU time of all processes of the bot in microseconds.
    pub cpu_us: u64,
    /// How long the bot could have run but did not get a core, in microseconds.
    pub runnable_us: u64,
    /// How much too late the referee itself looked, in microseconds.
    pub lag_us: u64,
    /// How much was given back, in microseconds.
    pub given_us: u64,
    /// In how many turns at least a millisecond was given back.
    pub given_turns: u64,
    /// CPU time in microseconds that was used between turns by a bot that was stopped there.
    pub off_turn_us: u64,
}

impl Certificate {
    /// Takes in one decision.
    pub fn add(&mut self, entry: &EntryRecord) {
        self.measured += u64::from(entry.cpu_us.is_some());
        self.given_turns += u64::from(entry.given_us.is_some_and(|given| given >= 1000));
        let sums = [
            (&mut self.cpu_us, entry.cpu_us),
            (&mut self.runnable_us, entry.runnable_us),
            (&mut self.lag_us, entry.lag_us),
            (&mut self.given_us, entry.given_us),
            (&mut self.off_turn_us, entry.off_turn_us),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more.unwrap_or(0));
        }
    }
}

impl From<&Times> for SeatTime {
    fn from(times: &Times) -> Self {
        let micros = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Self {
            count: times.count(),
            soft_late: times.soft_late(),
            p50_us: micros(times.quantile(0.5)),
            p99_us: micros(times.quantile(0.99)),
            max_us: micros(times.max()),
            total_us: micros(times.total()),
            certificate: None,
        }
    }
}

impl Header {
    /// Reads the first line.
    ///
    /// # Errors
    /// Why it is not a header that this version can read, a lower-case fragment.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
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
