//! Clock policies: how long a bot may take, as data. Written `move=1s,soft=100ms,first=+2s,bank=180s,policy=fair`.

use crate::Flaw;
use alloc::{
    format,
    string::{String, ToString},
};
use core::{fmt, str::FromStr, time::Duration};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// What counts as a bot's own time. Written `wall`, `fair`, `cpu`.
///
/// People and built-in bots always play by [`Wall`](TimePolicy::Wall), and so does every seat where the system tells
/// nothing of CPU time, but for the referee's own lag under [`Fair`](TimePolicy::Fair).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimePolicy {
    /// All the time that passes (`policy=wall`).
    Wall,
    /// All but what the host took: time in which the bot could have run but had no core, and the referee's own lag. At
    /// most one more limit is given back. Sleeping and waiting for something else count as used (`policy=fair`).
    #[default]
    Fair,
    /// The CPU time of all its processes together (`policy=cpu`). So that one that sleeps cannot hold up the match, no
    /// more wall time may pass than [`ClockPolicy::patience`].
    Cpu,
}

impl TimePolicy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Wall, Self::Fair, Self::Cpu];

    /// Its name, as in a text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Fair => "fair",
            Self::Cpu => "cpu",
        }
    }
}

impl fmt::Display for TimePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TimePolicy {
    type Err = Flaw;
    fn from_str(text: &str) -> Result<Self, Flaw> {
        let known = Self::ALL.into_iter().find(|policy| policy.name() == text);
        known.ok_or_else(|| {
            let text: String = text.chars().take(40).collect();
            Flaw::new(format!("`{text}` is not a policy of a clock")).hint("there are `wall`, `fair` and `cpu`")
        })
    }
}

/// How long a bot may take. `None` is unlimited; every limit counts from the end of the write of a prompt (at the latest
/// from 100 ms after the question, if the bot does not read) to the last byte of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockPolicy {
    /// For the answer to the greeting (`greeting=2s`).
    pub greeting: Option<Duration>,
    /// For a decision: later than this is a failure (`move=1s`).
    pub hard: Option<Duration>,
    /// For a decision: later than this is counted, shown and still accepted (`soft=100ms`).
    pub soft: Option<Duration>,
    /// For all decisions of the match together (`bank=180s`).
    pub bank: Option<Duration>,
    /// Given back to the bank after each decision (`increment=1s`); needs a bank.
    pub increment: Duration,
    /// More time for the first decision (`first=+2s`).
    pub first: Duration,
    /// What counts (`policy=fair`).
    pub policy: TimePolicy,
}

impl ClockPolicy {
    /// No limit at all (`off`).
    pub const OFF: Self = Self {
        greeting: None,
        hard: None,
        soft: None,
        bank: None,
        increment: Duration::ZERO,
        first: Duration::ZERO,
        policy: TimePolicy::Fair,
    };

    /// The parts that a text may set.
    pub const PARTS: &'static str =
        "off, greeting=2s, move=1s, soft=100ms, first=+2s, bank=180s, increment=1s, policy=wall|fair|cpu";

    /// The most wall time that an answer may take under [`TimePolicy::Cpu`]: ten times its limit of CPU time and a
    /// second.
    #[must_use]
    pub fn patience(limit: Duration) -> Duration {
        limit.saturating_mul(10).saturating_add(Duration::from_secs(1))
    }

    /// Whether nothing is limited.
    #[must_use]
    pub fn is_off(&self) -> bool {
        Self { policy: TimePolicy::Fair, ..*self } == Self::OFF
    }

    /// Changes the parts that `text` names and keeps the others: `move=250ms` on a game's default clock keeps its
    /// greeting. A text that starts with `off` starts from no limit, by the same policy.
    ///
    /// # Errors
    /// An unknown part or a text that is not a time.
    pub fn amended(mut self, text: &str) -> Result<Self, Flaw> {
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            if part == "off" {
                self = Self { policy: self.policy, ..Self::OFF };
                continue;
            }
            let Some((name, value)) = part.split_once('=') else {
                return Err(
                    Flaw::new(format!("`{part}` is not a part of a clock")).hint(format!("parts: {}", Self::PARTS))
                );
            };
            if name == "policy" {
                self.policy = value.parse()?;
                continue;
            }
            let time = if value == "off" { None } else { Some(parse_duration(value.trim_start_matches('+'))?) };
            match name {
                "greeting" => self.greeting = time,
                "move" => self.hard = time,
                "soft" => self.soft = time,
                "bank" => self.bank = time,
                "increment" => self.increment = time.unwrap_or_default(),
                "first" => self.first = time.unwrap_or_default(),
                _ => {
                    return Err(
                        Flaw::new(format!("unknown part `{name}` of a clock")).hint(format!("parts: {}", Self::PARTS))
                    );
                }
            }
        }
        Ok(self)
    }
}

impl fmt::Display for ClockPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("off")?;
        let limits = [("greeting", self.greeting), ("move", self.hard), ("soft", self.soft), ("bank", self.bank)];
        for (name, time) in limits {
            if let Some(time) = time {
                write!(f, ",{name}={}", print_duration(time))?;
            }
        }
        if !self.increment.is_zero() {
            write!(f, ",increment={}", print_duration(self.increment))?;
        }
        if !self.first.is_zero() {
            write!(f, ",first=+{}", print_duration(self.first))?;
        }
        write!(f, ",policy={}", self.policy)
    }
}

impl FromStr for ClockPolicy {
    type Err = Flaw;
    /// As [`ClockPolicy::amended`] from no limit at all.
    fn from_str(text: &str) -> Result<Self, Flaw> {
        Self::OFF.amended(text)
    }
}

impl Serialize for ClockPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ClockPolicy {
    /// A text without a policy was written before there were any: then all the time that passed counted.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let before = Self { policy: TimePolicy::Wall, ..Self::OFF };
        before.amended(&String::deserialize(deserializer)?).map_err(|flaw: Flaw| D::Error::custom(flaw.to_string()))
    }
}

/// Reads `1s`, `250ms`, `1.5s`, `500us`, `3min`; at most 24 hours.
///
/// # Errors
/// Anything else.
pub fn parse_duration(text: &str) -> Result<Duration, Flaw> {
    let bad = || {
        Flaw::new(format!("`{}` is not a time", text.chars().take(40).collect::<String>()))
            .hint("write `1s`, `250ms`, `1.5s`, `500us` or `3min`, at most 24 hours")
    };
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let micros_per_unit: u64 = match unit {
        "us" | "µs" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "min" | "m" => 60_000_000,
        _ => return Err(bad()),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || whole.len() > 11 || fraction.len() > 9 || fraction.contains('.') {
        return Err(bad());
    }
    let whole: u64 = whole.parse().map_err(|_| bad())?;
    let mut micros = whole.checked_mul(micros_per_unit).ok_or_else(bad)?;
    let mut scale = 1u64;
    let mut part = 0u64;
    for digit in fraction.bytes() {
        part = part * 10 + u64::from(digit - b'0');
        scale *= 10;
    }
    micros += part * micros_per_unit / scale;
    if micros > 24 * 3600 * 1_000_000 { Err(bad()) } else { Ok(Duration::from_micros(micros)) }
}

/// Writes a time in the largest unit that keeps it whole: `1s`, `250ms`, `500us`.
#[must_use]
pub fn print_duration(time: Duration) -> String {
    let micros = time.as_micros();
    if micros.is_multiple_of(1_000_000) {
        format!("{}s", micros / 1_000_000)
    } else if micros.is_multiple_of(1_000) {
        format!("{}ms", micros / 1_000)
    } else {
        format!("{micros}us")
    }
}

/// Writes a time for people, in three digits: `850us`, `12.3ms`, `1.25s`.
#[must_use]
pub fn print_rounded(time: Duration) -> String {
    let micros = time.as_micros();
    let scaled = |unit: u128, name: &str| {
        let decimals = match micros / unit {
            0..10 => 2,
            10..100 => 1,
            _ => 0,
        };
        format!("{:.decimals$}{name}", micros as f64 / unit as f64)
    };
    match micros {
        0..1_000 => format!("{micros}us"),
        1_000..1_000_000 => scaled(1_000, "ms"),
        _ => scaled(1_000_000, "s"),
    }
}
