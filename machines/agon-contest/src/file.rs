//! What the organiser writes.

use crate::{Kind, Limits, Rate};
use agon_core::Flaw;
use std::{fmt::Write, ops::Range};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The most characters of a contest's name.
const NAME: usize = 80;
/// The most people of a team.
const TEAM: u32 = 100;
/// How many people a team has at most if the file does not say it.
const USUAL_TEAM: u32 = 4;
/// The longest time of a limit, in milliseconds: 7 days.
const LONGEST: i64 = 7 * 24 * 60 * 60 * 1000;

/// Units of time in a limit, in milliseconds.
const UNITS: [(&str, i64); 4] = [("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// The keys of the file.
const KEYS: [&str; 5] = ["name", "game", "registration", "team-size", "limits"];

/// Who may make an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Registration {
    /// Everybody.
    Open,
    /// Whoever has the code of an invitation.
    Invited,
    /// Nobody any more.
    Closed,
}

impl Registration {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Open, Self::Invited, Self::Closed];

    /// Returns its word in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Invited => "invited",
            Self::Closed => "closed",
        }
    }

    /// Reads such a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|registration| registration.word() == word)
    }
}

/// The file of a contest. The smallest one has a name and a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContestFile {
    /// The name of the contest.
    pub name: String,
    /// The name of the game. Whether there is such a game is not known here.
    pub game: String,
    /// Who may make an account.
    pub registration: Registration,
    /// How many people a team has at most.
    pub team_size: u32,
    /// How often somebody may ask.
    pub limits: Limits,
}

impl ContestFile {
    /// Makes the smallest file.
    ///
    /// # Errors
    /// If the name is none.
    pub fn new(name: &str, game: &str) -> Result<Self, Flaw> {
        check_name(name).map_err(Flaw::new)?;
        let (name, game) = (name.to_owned(), game.to_owned());
        Ok(Self { name, game, registration: Registration::Invited, team_size: USUAL_TEAM, limits: Limits::default() })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let table = table(text)?;
        let missing = |key: &str, example: &str| {
            Flaw::new(format!("the key `{key}` is missing")).hint(format!("add `{example}`")).at(1, 1)
        };
        let mut file = Self::new("contest", "")?;
        let (mut has_name, mut has_game) = (false, false);
        for entry in entries(text, &table) {
            match entry.key {
                "name" => {
                    let name = entry.string("Cup 2027")?;
                    check_name(name).map_err(|why| entry.flaw(why))?;
                    (file.name, has_name) = (name.to_owned(), true);
                }
                "game" => (file.game, has_game) = (entry.string("planet-wars")?.to_owned(), true),
                "registration" => {
                    let word = entry.string("open")?;
                    let known = Registration::ALL.map(Registration::word).join(", ");
                    file.registration = Registration::from_word(word).ok_or_else(|| {
                        entry.flaw("there is no such kind of registration").hint(format!("there are: {known}"))
                    })?;
                }
                "team-size" => file.team_size = entry.number(1..=TEAM)?,
                "limits" => entry.limits(&mut file.limits)?,
                _ => return Err(entry.unknown(&KEYS)),
            }
        }
        if !has_name {
            return Err(missing("name", "name = \"Cup 2027\""));
        }
        if !has_game {
            return Err(missing("game", "game = \"planet-wars\""));
        }
        Ok(file)
    }

    /// Returns the text of a file that says the same. Limits that are the usual ones are not in it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("name = {}\ngame = {}\n", quoted(&self.name), quoted(&self.game));
        let _ = writeln!(text, "registration = \"{}\"\nteam-size = {}", self.registration.word(), self.team_size);
        let usual = Limits::default();
        let changed = Kind::ALL.into_iter().filter(|kind| self.limits.of(*kind).account != usual.of(*kind).account);
        for (at, kind) in changed.enumerate() {
            let start = if at == 0 { "\n[limits]\n" } else { "" };
            let _ = writeln!(text, "{start}{} = \"{}\"", kind.word(), rate_text(self.limits.of(kind).account));
        }
        text
    }

    /// Returns the flaw of the value of a key, for what only others know to be wrong.
    #[must_use]
    pub fn flaw_of(text: &str, key: &str, what: impl Into<String>) -> Flaw {
        let what = what.into();
        let found = table(text).ok().and_then(|table| {
            let entry = entries(text, &table).into_iter().find(|entry| entry.key == key)?;
            Some(entry.flaw(what.clone()))
        });
        found.unwrap_or_else(|| Flaw::new(what))
    }
}

fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() || name.trim() != name {
        return Err("a name must not be empty, or begin or end with a space".to_owned());
    }
    if name.chars().any(char::is_control) {
        return Err("a name must not contain control characters".to_owned());
    }
    if name.chars().count() > NAME {
        return Err(format!("a name has at most {NAME} characters"));
    }
    Ok(())
}

fn table(text: &str) -> Result<DeTable<'_>, Flaw> {
    DeTable::parse(text).map(Spanned::into_inner).map_err(|why| {
        // The first line names the error, the others say what the parser expected.
        let what = why.message().lines().next().unwrap_or("this is no TOML").to_owned();
        let usual = "write a line as `KEY = VALUE`; texts have quotes, as `game = \"grid\"`";
        placed(text, why.span().unwrap_or(0..0), what).hint(usual)
    })
}

/// A key of the file with its value.
struct Entry<'e, 't> {
    text: &'t str,
    key: &'e str,
    place: Range<usize>,
    value: &'e Spanned<DeValue<'t>>,
}

/// Returns the entries of a table in the order of the file.
fn entries<'e, 't>(text: &'t str, table: &'e DeTable<'t>) -> Vec<Entry<'e, 't>> {
    let entry = |(key, value): (&'e Spanned<toml::de::DeString<'t>>, &'e Spanned<DeValue<'t>>)| Entry {
        text,
        key: key.get_ref(),
        place: key.span(),
        value,
    };
    let mut entries: Vec<_> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.place.start);
    entries
}

impl<'e> Entry<'e, '_> {
    fn flaw(&self, what: impl AsRef<str>) -> Flaw {
        placed(self.text, self.value.span(), format!("`{}`: {}", self.key, what.as_ref()))
    }

    fn unknown(&self, known: &[&str]) -> Flaw {
        let hint = format!("the keys are: {}", known.join(", "));
        placed(self.text, self.place.clone(), format!("unknown key `{}`", self.key.escape_debug())).hint(hint)
    }

    fn string(&self, example: &str) -> Result<&'e str, Flaw> {
        let value = self.value.get_ref();
        value.as_str().ok_or_else(|| {
            self.flaw(format!("this must be a text, not of the kind {}", value.type_str()))
                .hint(format!("write it as `{} = \"{example}\"`", self.key))
        })
    }

    fn number(&self, range: std::ops::RangeInclusive<u32>) -> Result<u32, Flaw> {
        let number = self.value.get_ref().as_integer().and_then(|n| u32::from_str_radix(n.as_str(), n.radix()).ok());
        let wrong = || self.flaw(format!("this must be a whole number from {} to {}", range.start(), range.end()));
        number.filter(|number| range.contains(number)).ok_or_else(wrong)
    }

    fn limits(&self, limits: &mut Limits) -> Result<(), Flaw> {
        let kind = self.value.get_ref();
        let table = kind.as_table().ok_or_else(|| {
            self.flaw(format!("this must be a table, not of the kind {}", kind.type_str()))
                .hint("write a line `[limits]`, and under it lines such as `submit = \"30 in 1h\"`")
        })?;
        for entry in entries(self.text, table) {
            let kind = Kind::ALL.into_iter().find(|kind| kind.word() == entry.key);
            let kind = kind.ok_or_else(|| entry.unknown(&Kind::ALL.map(Kind::word)))?;
            let rate = read_rate(entry.string("30 in 1h")?).ok_or_else(|| {
                let hint = "write a number and a time, as `30 in 1h`; times end with `s`, `m`, `h` or `d`, up to `7d`";
                entry.flaw("this is no limit").hint(hint)
            })?;
            limits.set_account_rate(kind, rate);
        }
        Ok(())
    }
}

/// Reads a rate such as `30 in 1h`.
fn read_rate(text: &str) -> Option<Rate> {
    let (most, time) = text.split_once(" in ")?;
    let digits = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit());
    let (number, unit) = UNITS.iter().find_map(|(unit, ms)| Some((time.strip_suffix(unit)?, ms)))?;
    if !digits(most) || !digits(number) {
        return None;
    }
    let (most, within_ms) = (most.parse().ok()?, number.parse::<i64>().ok()?.checked_mul(*unit)?);
    (most >= 1 && (1..=LONGEST).contains(&within_ms)).then_some(Rate { most, within_ms })
}

/// Writes a rate in the largest unit that fits. Rates of files have whole seconds.
fn rate_text(rate: Rate) -> String {
    let fits = UNITS.iter().rev().find(|(_, ms)| rate.within_ms % ms == 0);
    let (unit, ms) = fits.copied().unwrap_or(("s", 1000));
    format!("{} in {}{unit}", rate.most, rate.within_ms / ms)
}

fn placed(text: &str, span: Range<usize>, what: impl Into<String>) -> Flaw {
    let bound = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (start, end) = (bound(span.start), bound(span.end));
    let before = &text[..start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let length = text[start..end.max(start)].lines().next().unwrap_or_default().chars().count();
    Flaw::new(what).spanning(line, column, length)
}

/// Writes a text as TOML does, in quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            letter if letter.is_control() => drop(write!(quoted, "\\u{:04x}", u32::from(letter))),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_smallest_file_has_a_name_and_a_game() {
        let file = ContestFile::parse("name = \"Cup\"\ngame = \"grid\"\n").expect("it is a file");
        assert_eq!(file, ContestFile::new("Cup", "grid").expect("it is a name"));
        assert_eq!((file.registration, file.team_size), (Registration::Invited, 4));
    }

    #[test]
    fn everything_can_be_said() {
        let text = "name = \"Cup \\\"27\\\"\"\ngame = \"grid\"\nregistration = \"open\"\nteam-size = 1\n\n[limits]\n\
                    submit = \"3 in 10m\"\nlog-in = \"5 in 30s\"\n";
        let file = ContestFile::parse(text).expect("it is a file");
        assert_eq!((file.name.as_str(), file.registration, file.team_size), ("Cup \"27\"", Registration::Open, 1));
        let submit = Rate { most: 3, within_ms: 600_000 };
        assert_eq!((file.limits.of(Kind::Submit).account, file.limits.of(Kind::Submit).team), (submit, Some(submit)));
        let log_in = file.limits.of(Kind::LogIn);
        assert_eq!((log_in.account, log_in.team), (Rate { most: 5, within_ms: 30_000 }, None));
        let within = |most| Rate { most, within_ms: 30_000 };
        assert_eq!((log_in.name, log_in.address), (Some(within(100)), within(300)));
        assert_eq!(ContestFile::parse(&file.text()), Ok(file));
    }

    #[test]
    fn the_file_sets_what_visitors_may() {
        let text = "name = \"Cup\"\ngame = \"grid\"\n[limits]\nregister = \"5 in 1h\"\ncode = \"2 in 1m\"\n";
        let limits = ContestFile::parse(text).expect("it is a file").limits;
        assert_eq!(limits.of(Kind::Register).address, Rate { most: 5, within_ms: 3_600_000 });
        assert_eq!(limits.of(Kind::Code).address, Rate { most: 40, within_ms: 60_000 });
    }

    #[test]
    fn the_files_of_the_documentation_are_read() {
        let document = include_str!("../../../docs/serve.md");
        let files: Vec<_> = document.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(files.iter().any(|file| file.contains("[limits]")), "{files:?}");
        for file in files {
            ContestFile::parse(file).expect(file);
        }
        let kinds = Kind::ALL.map(|kind| format!("`{}`", kind.word()));
        let row = document.lines().find(|line| line.starts_with("| `[limits]`")).expect("the key has a row");
        assert!(kinds.iter().all(|kind| row.contains(kind)), "{row}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, line, what) in [
            ("", 1, "the key `name` is missing"),
            ("name = \"Cup\"", 1, "the key `game` is missing"),
            ("name = \"Cup\"\ngame = grid", 2, "string values must be quoted"),
            ("name = \"Cup\"\ngame = \"grid\"\nsize = 3", 3, "unknown key `size`"),
            ("name = \"Cup\"\ngame = 3", 2, "`game`: this must be a text, not of the kind integer"),
            ("name = \" \"\ngame = \"grid\"", 1, "`name`: a name must not be empty, or begin or end with a space"),
            ("name = \"a\\u0007\"", 1, "`name`: a name must not contain control characters"),
            ("registration = \"all\"", 1, "`registration`: there is no such kind of registration"),
            ("team-size = 0", 1, "`team-size`: this must be a whole number from 1 to 100"),
            ("team-size = 1.5", 1, "`team-size`: this must be a whole number from 1 to 100"),
            ("limits = 3", 1, "`limits`: this must be a table, not of the kind integer"),
            ("[limits]\nchat = \"1 in 1s\"", 2, "unknown key `chat`"),
            ("[limits]\n\nsubmit = \"0 in 1h\"", 3, "`submit`: this is no limit"),
            ("[limits]\nsubmit = \"1 in 8d\"", 2, "`submit`: this is no limit"),
            ("[limits]\nsubmit = \"+1 in 1h\"", 2, "`submit`: this is no limit"),
            ("[limits]\nsubmit = \"1 in 99999999999999999999d\"", 2, "`submit`: this is no limit"),
        ] {
            let flaw = ContestFile::parse(text).expect_err(text);
            let place = flaw.place.map(|place| place.line);
            assert!(flaw.what.starts_with(what) && place == Some(line), "{text:?}: {flaw:?}");
        }
    }

    #[test]
    fn others_can_point_at_a_key() {
        let flaw = ContestFile::flaw_of("name = \"Cup\"\n\ngame = \"chess\"\n", "game", "there is no such game");
        assert_eq!(flaw.what, "`game`: there is no such game");
        assert_eq!(flaw.place.map(|place| (place.line, place.column)), Some((3, 8)));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(name in "[^\\x00-\\x1f\\x7f-\\x9f ]([^\\x00-\\x1f\\x7f-\\x9f]{0,20}[^\\x00-\\x1f\\x7f-\\x9f ])?", size in 1_u32..=100, most in 1_u32..1000, seconds in 1_i64..600_000, kind in 0_usize..5, registration in 0_usize..3) {
            prop_assume!(name.trim() == name);
            let mut file = ContestFile::new(&name, "planet-wars").expect("it is a name");
            (file.team_size, file.registration) = (size, Registration::ALL[registration]);
            let (kind, rate) = (Kind::ALL[kind], Rate { most, within_ms: seconds * 1000 });
            file.limits.set_account_rate(kind, rate);
            prop_assert_eq!(ContestFile::parse(&file.text()), Ok(file));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
            let _ = ContestFile::parse(&text);
        }
    }
}
