//! TOML with places: every error names its line and its key.

use agon_core::Flaw;
use agon_play::nearest;
use std::{ops::Range, ops::RangeInclusive, str::FromStr};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// A value in the file.
pub(crate) type Value<'t> = Spanned<DeValue<'t>>;

/// The text of a file, which knows where its parts are.
pub(crate) struct Text<'t>(pub(crate) &'t str);

/// A value with its key.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'e, 't> {
    pub(crate) text: &'e Text<'t>,
    pub(crate) key: &'e str,
    pub(crate) value: &'e Value<'t>,
}

impl<'t> Text<'t> {
    pub(crate) fn table(&self) -> Result<DeTable<'t>, Flaw> {
        DeTable::parse(self.0).map(Spanned::into_inner).map_err(|why| {
            // The first line names the error, the others say what the parser expected.
            let mut lines = why.message().lines();
            if let Some(span) = why.span().filter(|_| why.message().starts_with("duplicate key")) {
                return self.twice(span);
            }
            let flaw = self.flaw(why.span().unwrap_or(0..0), lines.next().unwrap_or("this is no TOML"));
            let rest: Vec<&str> = lines.collect();
            let usual = "write a line as `KEY = VALUE`; texts have quotes, as `game = \"grid\"`".to_owned();
            flaw.hint(if rest.is_empty() { usual } else { rest.join("; ") })
        })
    }

    /// Returns a flaw at the value of a key, or at the text `value` in the list that it has. `None` without this key.
    pub(crate) fn flaw_of(&self, key: &str, value: Option<&str>, what: impl Into<String>) -> Option<Flaw> {
        let table = self.table().ok()?;
        let all = table.get(key)?;
        let listed = all.get_ref().as_array().into_iter().flat_map(|list| list.iter());
        let same = listed.into_iter().find(|one| value.is_some() && one.get_ref().as_str() == value);
        Some(self.flaw(same.unwrap_or(all).span(), what))
    }

    /// Returns a flaw at the value of a key of a bot, by the bot's place in the list, from 0. `None` without this bot.
    pub(crate) fn flaw_of_bot(&self, number: usize, key: &str, what: impl Into<String>) -> Option<Flaw> {
        let table = self.table().ok()?;
        let bot = table.get("bot")?.get_ref().as_array()?.get(number)?;
        let value = bot.get_ref().as_table().and_then(|bot| bot.get(key));
        Some(self.flaw(value.unwrap_or(bot).span(), what))
    }

    /// Returns the flaw of a key or a table that is there twice, as the parser found it.
    fn twice(&self, span: Range<usize>) -> Flaw {
        let key = self.0.get(span.clone()).unwrap_or_default().trim_matches(['"', '\'']);
        let before = self.0.get(..span.start).unwrap_or_default();
        let is_header = before.trim_end_matches([' ', '\t']).ends_with('[');
        let in_bot = before.lines().any(|line| line.trim_start().starts_with("[["));
        let hint = if key == "bot" {
            "begin each bot with `[[bot]]`, in two brackets; with `[bot]` there is only one".to_owned()
        } else if is_header {
            format!("keep one of the tables `[{key}]`")
        } else if in_bot {
            format!("keep one line with `{key}`, or begin the next bot with a line `[[bot]]` before this one")
        } else {
            format!("keep one line with `{key}`")
        };
        self.flaw(span, format!("`{key}` is there twice")).hint(hint)
    }

    /// Returns the entries of a table in the order of the file.
    pub(crate) fn entries<'e>(&'e self, table: &'e DeTable<'t>) -> Vec<(Range<usize>, Entry<'e, 't>)> {
        let entry = |(key, value): (&'e Spanned<toml::de::DeString<'t>>, &'e Value<'t>)| {
            (key.span(), Entry { text: self, key: key.get_ref(), value })
        };
        let mut entries: Vec<_> = table.iter().map(entry).collect();
        entries.sort_by_key(|(span, _)| span.start);
        entries
    }

    /// Returns the flaw of a key that nobody knows.
    pub(crate) fn unknown(&self, span: Range<usize>, key: &str, known: &'static [&'static str]) -> Flaw {
        let flaw = self.flaw(span, format!("unknown key `{key}`"));
        match nearest(key, known.iter().copied()) {
            Some(near) => flaw.hint(format!("do you mean `{near}`?")),
            None => flaw.hint(format!("the keys are: {}", known.join(", "))),
        }
    }

    pub(crate) fn flaw(&self, span: Range<usize>, what: impl Into<String>) -> Flaw {
        let bound = |at: usize| (0..=at.min(self.0.len())).rev().find(|at| self.0.is_char_boundary(*at)).unwrap_or(0);
        let (start, end) = (bound(span.start), bound(span.end));
        let before = &self.0[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let length = self.0[start..end.max(start)].lines().next().unwrap_or_default().chars().count();
        Flaw::new(what).spanning(line, column, length)
    }
}

impl<'e> Entry<'e, '_> {
    /// Returns the flaw of this value.
    pub(crate) fn flaw(&self, what: impl AsRef<str>) -> Flaw {
        self.text.flaw(self.value.span(), format!("`{}`: {}", self.key, what.as_ref()))
    }

    /// Adds the key and the place to a flaw that only says what is wrong.
    pub(crate) fn wrong(&self, flaw: Flaw) -> Flaw {
        let placed = self.flaw(&flaw.what);
        Flaw { hint: flaw.hint, ..placed }
    }

    fn kind(&self, wanted: &str, example: &str) -> Flaw {
        self.flaw(format!("this must be {wanted}, not of the kind {}", self.value.get_ref().type_str()))
            .hint(format!("write it as `{} = {example}`", self.key))
    }

    pub(crate) fn string(&self, example: &str) -> Result<&'e str, Flaw> {
        self.value.get_ref().as_str().ok_or_else(|| self.kind("a text", &format!("\"{example}\"")))
    }

    /// Reads a text that has a meaning of its own.
    pub(crate) fn parsed<T: FromStr<Err = Flaw>>(&self, example: &str) -> Result<T, Flaw> {
        self.string(example)?.parse().map_err(|flaw| self.wrong(flaw))
    }

    /// Reads one of a few words.
    pub(crate) fn word<T: Copy>(&self, known: &[(&'static str, T)]) -> Result<T, Flaw> {
        let names = || known.iter().map(|(name, _)| *name);
        let text = self.string(known.first().map_or("", |(name, _)| name))?;
        known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
            let all = names().collect::<Vec<_>>().join(", ");
            let hint = match nearest(text, names()) {
                Some(near) => format!("do you mean `{near}`? there are: {all}"),
                None => format!("there are: {all}"),
            };
            self.flaw(format!("`{text}` is not possible here")).hint(hint)
        })
    }

    pub(crate) fn number(&self, range: RangeInclusive<u32>) -> Result<u32, Flaw> {
        let number = self.value.get_ref().as_integer().and_then(|n| u32::from_str_radix(n.as_str(), n.radix()).ok());
        let number = number.filter(|number| range.contains(number));
        number.ok_or_else(|| self.flaw(format!("this must be a whole number {}", range_words(&range))))
    }

    /// Reads a seed. TOML ends at 2^63, so larger ones are texts.
    pub(crate) fn seed(&self) -> Result<u64, Flaw> {
        let value = self.value.get_ref();
        let number = value.as_integer().and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
        let number = number.or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        number.ok_or_else(|| {
            let hint = "write a seed above 9223372036854775807 in quotes";
            self.flaw(format!("this must be a whole number from 0 to {}", u64::MAX)).hint(hint)
        })
    }

    pub(crate) fn flag(&self) -> Result<bool, Flaw> {
        self.value.get_ref().as_bool().ok_or_else(|| self.kind("`true` or `false`", "false"))
    }

    /// Reads a list of texts.
    pub(crate) fn strings(&self, example: &str) -> Result<Vec<Entry<'e, '_>>, Flaw> {
        let example = format!("[\"{example}\"]");
        let list = self.value.get_ref().as_array().ok_or_else(|| self.kind("a list of texts", &example))?;
        let entries = list.iter().map(|value| Entry { text: self.text, key: self.key, value });
        entries.map(|entry| entry.string("").map(|_| entry)).collect()
    }
}

fn range_words(range: &RangeInclusive<u32>) -> String {
    match *range.end() {
        u32::MAX => format!("of at least {}", range.start()),
        end => format!("from {} to {end}", range.start()),
    }
}

/// Writes a text as TOML does, in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
