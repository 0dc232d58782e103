//! Clock policies: how long a bot may take, as data.
//!
//! Their text form is `move=1s,soft=100ms,first=+2s,bank=180s,policy=fair`.

use crate::Flaw;
use alloc::{
    format,
    string::{String, ToString},
};
use core::{fmt, str::FromStr, time::Duration};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// What counts as a bot's own time. The text forms are `wall`, `fair` and `cpu`.
///
/// People and built-in bots always play by [`Wall`](TimePolicy::Wall). So does every bot whose CPU time the system does
/// not report, except that [`Fair`](TimePolicy::Fair) still gives back the referee's own lag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimePolicy {
    /// All wall time counts (`policy=wall`).
    Wall,
    /// All wall time counts, except the time that the host takes: the time in which the bot was ready to run but had no
    /// core, and the referee's own lag. The clock gives back at most as much time as the limit itself. Time in which
    /// the bot sleeps or waits for anything else counts (`policy=fair`).
    #[default]
    Fair,
    /// The CPU time of all the bot's processes together counts (`policy=cpu`). The wall time must not exceed
    /// [`ClockPolicy::patience`], so a bot that sleeps cannot hold up the match.
    Cpu,
}

impl TimePolicy {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Wall, Self::Fair, Self::Cpu];

    /// Returns the text form of the policy.
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
            Flaw::new(format!("`{text}` is not a policy of a clock")).hint("the policies are `wall`, `fair` and `cpu`")
        })
    }
}

/// How long a bot may take. A limit of `None` means unlimited.
///
/// Each prompt has one clock. It starts when the prompt is fully written, and it stops at the last byte of the answer.
/// If the bot does not read, the clock starts 100 ms after the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockPolicy {
    /// The limit for the answer to the greeting (`greeting=2s`).
    pub greeting: Option<Duration>,
    /// The hard limit for one decision. A bot that exceeds it fails (`move=1s`).
    pub hard: Option<Duration>,
    /// The soft limit for one decision. Agon counts and shows a later decision, but still accepts it (`soft=100ms`).
    pub soft: Option<Duration>,
    /// The limit for all decisions of the match together (`bank=180s`).
    pub bank: Option<Duration>,
    /// The time added to the bank after each decision (`increment=1s`). It has no effect without a bank.
    pub increment: Duration,
    /// Extra time for the first decision (`first=+2s`).
    pub first: Duration,
    /// What counts as the bot's own time (`policy=fair`).
    pub policy: TimePolicy,
}

impl ClockPolicy {
    /// The clock without any limit (`off`).
    pub const OFF: Self = Self {
        greeting: None,
        hard: None,
        soft: None,
        bank: None,
        increment: Duration::ZERO,
        first: Duration::ZERO,
        policy: TimePolicy::Fair,
    };

    /// The parts that a text form may set, with an example of each. Hints list them.
    pub const PARTS: &'static str =
        "off, greeting=2s, move=1s, soft=100ms, first=+2s, bank=180s, increment=1s, policy=wall|fair|cpu";

    /// Returns the most wall time that an answer may take under [`TimePolicy::Cpu`]: ten times the limit of CPU time,
    /// plus one second.
    #[must_use]
    pub fn patience(limit: Duration) -> Duration {
        limit.saturating_mul(10).saturating_add(Duration::from_secs(1))
    }

    /// Returns whether the clock has no limit, under any policy.
    #[must_use]
    pub fn is_off(&self) -> bool {
        Self { policy: TimePolicy::Fair, ..*self } == Self::OFF
    }

    /// Changes the parts that `text` names and keeps the others. For example, `move=250ms` keeps the greeting limit of
    /// a game's default clock. The part `off` removes every limit that came before it and keeps the policy.
    ///
    /// # Errors
    /// Fails if a part is unknown, or if its value is not a time or not a policy.
    pub fn amended(mut self, text: &str) -> Result<Self, Flaw> {
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            if part == "off" {
                self = Self { policy: self.policy, ..Self::OFF };
                continue;
            }
            let Some((name, value)) = part.split_once('=') else {
                let flaw = Flaw::new(format!("`{part}` is not a part of a clock"));
                let meant = parse_duration(part).map(|_| format!("did you mean `move={part}`? "));
                return Err(flaw.hint(format!("{}the parts are: {}", meant.unwrap_or_default(), Self::PARTS)));
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
                    return Err(Flaw::new(format!("unknown part `{name}` of a clock"))
                        .hint(format!("the parts are: {}", Self::PARTS)));
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
    /// Amends [`ClockPolicy::OFF`] by `text`. See [`ClockPolicy::amended`].
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
    /// Reads the text form. A text without a policy means [`TimePolicy::Wall`], because files from before the policies
    /// existed counted all wall time.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let before = Self { policy: TimePolicy::Wall, ..Self::OFF };
        before.amended(&String::deserialize(deserializer)?).map_err(|flaw: Flaw| D::Error::custom(flaw.to_string()))
    }
}

/// Reads a time such as `1s`, `250ms`, `1.5s`, `500us` or `3min`. Digits beyond a microsecond are dropped.
///
/// # Errors
/// Fails if the text is not a time, or if the time is longer than 24 hours.
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

/// Writes a time in the largest unit that needs no fraction: `1s`, `250ms`, `500us`. [`parse_duration`] reads it back.
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

/// Writes a time for people, rounded to three digits: `850us`, `12.3ms`, `1.25s`.
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
