//! The file `agon.toml`, in which the author describes a bot. It overrides what Agon detects from the files.

use crate::{
    Language, PrepareError,
    intake::{Name, SourceTree},
};
use agon_core::Flaw;
use agon_spec::parse_mib;
use std::{ops::Range, time::Duration};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The content of an `agon.toml` file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    /// `language`: the language of the bot.
    pub language: Option<Language>,
    /// `main`: the file to run, or the source file in which the program starts.
    pub main: Option<String>,
    /// Whether `main` is not in the file: whoever submits the bot has named it.
    pub main_is_given: bool,
    /// `build`: the build commands, each as a list of words. An empty list means that there is nothing to build.
    pub build: Option<Vec<Vec<String>>>,
    /// `run`: the words of the command that runs the bot.
    pub run: Option<Vec<String>>,
    /// `build-seconds`: the maximum duration of the build, from 1 to [`MOST_SECONDS`](Self::MOST_SECONDS).
    pub wall: Option<Duration>,
    /// `build-memory-mib`: the memory limit of the build in MiB, from 64 to [`MOST_MEMORY_MIB`](Self::MOST_MEMORY_MIB).
    pub memory_mib: Option<u32>,
    /// `memory`: the memory limit of the bot when it plays, in MiB. It can only lower the limit of the match.
    pub play_memory_mib: Option<u32>,
}

const KEYS: &[&str] = &["language", "main", "build", "run", "limits"];
const LIMITS: &[&str] = &["memory", "build-seconds", "build-memory-mib"];

impl Manifest {
    /// The name of the file.
    pub const FILE: &str = "agon.toml";
    /// The maximum size of the file in bytes.
    pub const MOST: u64 = 64 << 10;
    /// The maximum of `build-seconds`. It prevents the author of a bot from keeping a machine busy.
    pub const MOST_SECONDS: u32 = 600;
    /// The maximum of `build-memory-mib`.
    pub const MOST_MEMORY_MIB: u32 = 4096;

    /// Reads the file among those of a bot. Without it the manifest is empty.
    ///
    /// # Errors
    /// If the file is too large or no UTF-8, or if [`Manifest::parse`] fails.
    pub fn of(tree: &SourceTree) -> Result<Self, PrepareError> {
        if !tree.has(Self::FILE) {
            return Ok(Self::default());
        }
        let bytes = tree.head(Self::FILE, Self::MOST + 1);
        if bytes.len() as u64 > Self::MOST {
            return Err(Flaw::new(format!("`{}` is larger than {} KiB", Self::FILE, Self::MOST >> 10))
                .hint("a few lines are enough")
                .into());
        }
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(_) => return Err(Flaw::new(format!("`{}` is not UTF-8", Self::FILE)).hint("save it as UTF-8").into()),
        };
        Self::parse(text).map_err(|flaw| PrepareError::Manifest(bytes.clone(), flaw))
    }

    /// Lets the bot start in this file, whatever the manifest says.
    ///
    /// # Errors
    /// If the manifest has a command that plays the bot, or this is no name of a file.
    pub fn start_in(&mut self, main: &str) -> Result<(), Flaw> {
        if self.run.is_some() {
            let what = format!("its `main` is `{main}`, but `run` in its `{}` says how it is played", Self::FILE);
            return Err(Flaw::new(what).hint("leave `main` out"));
        }
        let name = Name::check(main.as_bytes(), &crate::intake::Limits::default())?;
        let name = name.ok_or_else(|| Flaw::new(format!("its `main` is `{main}`, which is no file")))?;
        (self.main, self.main_is_given) = (Some(name.as_str().to_owned()), true);
        Ok(())
    }

    /// Returns who names `main`, for messages.
    pub(crate) fn names_main(&self) -> String {
        if self.main_is_given { "its `main`".to_owned() } else { format!("`{}`", Self::FILE) }
    }

    /// Parses the text of the file.
    ///
    /// # Errors
    /// If the text is not valid TOML, a key is unknown, or a value has the wrong type or is out of range. The error
    /// says where.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        Reader { text }.manifest()
    }
}

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn manifest(&self) -> Result<Manifest, Flaw> {
        let table = DeTable::parse(self.text).map_err(|why| {
            // The first line names the error, the others say what the parser expected.
            let mut lines = why.message().lines();
            let flaw = self.flaw(why.span().unwrap_or(0..0), lines.next().unwrap_or("this is no TOML"));
            let rest: Vec<&str> = lines.collect();
            if rest.is_empty() {
                flaw.hint("strings have quotes, as `language = \"rust\"`")
            } else {
                flaw.hint(rest.join("; "))
            }
        })?;
        let mut manifest = Manifest::default();
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "language" => manifest.language = Some(self.language(value)?),
                "main" => manifest.main = Some(self.main(value)?),
                "build" => manifest.build = Some(self.commands(value)?),
                "run" => manifest.run = Some(self.words(value, "run = [\"./bot\"]")?),
                "limits" => self.limits(value, &mut manifest)?,
                other => return Err(self.unknown(key.span(), other, KEYS)),
            }
        }
        Ok(manifest)
    }

    fn language(&self, value: &Spanned<DeValue<'_>>) -> Result<Language, Flaw> {
        let hint = || format!("the languages are {}", Language::names().collect::<Vec<_>>().join(", "));
        let text = self.string(value, "language = \"rust\"")?;
        text.parse().map_err(|()| self.flaw(value.span(), "there is no such language").hint(hint()))
    }

    fn main(&self, value: &Spanned<DeValue<'_>>) -> Result<String, Flaw> {
        let text = self.string(value, "main = \"src/bot.py\"")?;
        match Name::check(text.as_bytes(), &crate::intake::Limits::default()) {
            Ok(Some(name)) => Ok(name.as_str().to_owned()),
            Ok(None) => Err(self.flaw(value.span(), "this is no file").hint("name a file, as `main = \"src/bot.py\"`")),
            Err(flaw) => Err(self.flaw(value.span(), flaw.what).hint("name a file of the bot")),
        }
    }

    /// Reads one command or a list of commands.
    fn commands(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Vec<String>>, Flaw> {
        const EXAMPLE: &str = "build = [\"make\", \"bot\"]`, or several as `build = [[\"./configure\"], [\"make\"]]";
        let list = value.get_ref().as_array().ok_or_else(|| self.kind(value, "a list of words", EXAMPLE))?;
        if list.iter().all(|word| word.get_ref().is_array()) {
            return list.iter().map(|words| self.words(words, EXAMPLE)).collect();
        }
        Ok(vec![self.words(value, EXAMPLE)?])
    }

    fn words(&self, value: &Spanned<DeValue<'_>>, example: &str) -> Result<Vec<String>, Flaw> {
        let list = value.get_ref().as_array().ok_or_else(|| self.kind(value, "a list of words", example))?;
        let words = list.iter().map(|word| {
            let text = self.string(word, example)?;
            if text.contains('\0') {
                return Err(self.flaw(word.span(), "a word holds a NUL byte").hint("take it away"));
            }
            Ok(text.to_owned())
        });
        let words: Vec<String> = words.collect::<Result<_, Flaw>>()?;
        if words.first().is_none_or(String::is_empty) {
            return Err(self.flaw(value.span(), "the command is empty").hint(format!("write it as `{example}`")));
        }
        Ok(words)
    }

    fn limits(&self, value: &Spanned<DeValue<'_>>, manifest: &mut Manifest) -> Result<(), Flaw> {
        const EXAMPLE: &str = "[limits]";
        let table = value.get_ref().as_table().ok_or_else(|| self.kind(value, "a table", EXAMPLE))?;
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "build-seconds" => {
                    let seconds = self.number(value, 1..=Manifest::MOST_SECONDS)?;
                    manifest.wall = Some(Duration::from_secs(seconds.into()));
                }
                "build-memory-mib" => {
                    manifest.memory_mib = Some(self.number(value, 64..=Manifest::MOST_MEMORY_MIB)?);
                }
                "memory" => manifest.play_memory_mib = Some(self.memory(value)?),
                other => return Err(self.unknown(key.span(), other, LIMITS)),
            }
        }
        Ok(())
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>, example: &str) -> Result<&'v str, Flaw> {
        value.get_ref().as_str().ok_or_else(|| self.kind(value, "a string", example))
    }

    fn number(&self, value: &Spanned<DeValue<'_>>, range: std::ops::RangeInclusive<u32>) -> Result<u32, Flaw> {
        let number = value.get_ref().as_integer().and_then(|n| u32::from_str_radix(n.as_str(), n.radix()).ok());
        number.filter(|n| range.contains(n)).ok_or_else(|| {
            let what = format!("this must be a whole number from {} to {}", range.start(), range.end());
            self.flaw(value.span(), what).hint("the machine that builds the bot sets the bounds")
        })
    }

    fn memory(&self, value: &Spanned<DeValue<'_>>) -> Result<u32, Flaw> {
        const EXAMPLE: &str = "memory = \"400MiB\"";
        parse_mib(self.string(value, EXAMPLE)?).ok_or_else(|| {
            self.flaw(value.span(), "this is no amount of memory").hint(format!("write it as `{EXAMPLE}` or in GiB"))
        })
    }

    fn kind(&self, value: &Spanned<DeValue<'_>>, wanted: &str, example: &str) -> Flaw {
        let what = format!("this must be {wanted}, not of the kind {}", value.get_ref().type_str());
        self.flaw(value.span(), what).hint(format!("write it as `{example}`"))
    }

    fn unknown(&self, span: Range<usize>, key: &str, known: &[&str]) -> Flaw {
        let near = known.iter().find(|k| k.contains(key) || key.contains(**k) || distance(key, k) <= 2);
        let flaw = self.flaw(span, format!("unknown key `{key}`"));
        match near {
            Some(near) => flaw.hint(format!("do you mean `{near}`?")),
            None => flaw.hint(format!("there are {}", known.join(", "))),
        }
    }

    fn flaw(&self, span: Range<usize>, what: impl Into<String>) -> Flaw {
        let bound =
            |at: usize| (0..=at.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let (start, end) = (bound(span.start), bound(span.end));
        let before = &self.text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let length = self.text[start..end.max(start)].lines().next().unwrap_or_default().chars().count();
        Flaw::new(what).spanning(line, column, length)
    }
}

/// Computes the edit distance of two words: how many characters must be inserted, removed or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn every_key_is_read() {
        let text = "language = 'C++'\nmain = './src/bot.cpp'\nbuild = [['./configure'], ['make', '-j2']]\n\
            run = ['./bot', '--fast']\n[limits]\nmemory = '300MiB'\nbuild-seconds = 90\nbuild-memory-mib = 0x800\n";
        let manifest = Manifest {
            language: Some(Language::Cpp),
            main: Some("src/bot.cpp".into()),
            main_is_given: false,
            build: Some(vec![words(&["./configure"]), words(&["make", "-j2"])]),
            run: Some(words(&["./bot", "--fast"])),
            wall: Some(Duration::from_secs(90)),
            memory_mib: Some(2048),
            play_memory_mib: Some(300),
        };
        assert_eq!(Manifest::parse(text), Ok(manifest));
        assert_eq!(Manifest::parse("# nothing\n"), Ok(Manifest::default()));
        let build = |text: &str| Manifest::parse(text).map(|m| m.build);
        assert_eq!(build("build = ['make']"), Ok(Some(vec![words(&["make"])])));
        assert_eq!(build("build = []"), Ok(Some(Vec::new())));
    }

    #[test]
    fn every_flaw_has_its_place_and_a_way_out() {
        for (text, place, what, hint) in [
            ("langage = 'c'", (1, 1, 7), "unknown key `langage`", "`language`"),
            ("run = ['a']\nfoo = 1", (2, 1, 3), "unknown key `foo`", "language, main, build, run, limits"),
            ("[limits]\nbuild-second = 1", (2, 1, 12), "unknown key `build-second`", "`build-seconds`"),
            ("[limits]\nmemory = 1", (2, 10, 1), "must be a string", "400MiB"),
            ("[limits]\nmemory = '4 MB'", (2, 10, 6), "no amount of memory", "400MiB"),
            ("[limits]\nmemori = 1", (2, 1, 6), "unknown key `memori`", "`memory`"),
            ("language = 'cobol'", (1, 12, 7), "no such language", "c, c++, rust"),
            ("language = 3", (1, 12, 1), "must be a string", "language = \"rust\""),
            ("main = '../x'", (1, 8, 6), "leads out", "a file of the bot"),
            ("main = './'", (1, 8, 4), "no file", "src/bot.py"),
            ("run = './bot'", (1, 7, 7), "must be a list of words", "[\"./bot\"]"),
            ("run = []", (1, 7, 2), "the command is empty", "[\"./bot\"]"),
            ("run = ['']", (1, 7, 4), "the command is empty", "[\"./bot\"]"),
            ("run = ['a', 1]", (1, 13, 1), "must be a string", "[\"./bot\"]"),
            ("run = [\"a\\u0000\"]", (1, 8, 9), "NUL", "take it away"),
            ("build = [['make'], 'x']", (1, 10, 8), "must be a string", "[[\"./configure\"], [\"make\"]]"),
            ("build = [[]]", (1, 10, 2), "the command is empty", "make"),
            ("limits = 5", (1, 10, 1), "must be a table", "[limits]"),
            ("[limits]\nbuild-seconds = 601", (2, 17, 3), "from 1 to 600", "bounds"),
            ("[limits]\nbuild-seconds = -1", (2, 17, 2), "from 1 to 600", "bounds"),
            ("[limits]\nbuild-seconds = 1.5", (2, 17, 3), "from 1 to 600", "bounds"),
            ("[limits]\nbuild-memory-mib = 9999999999", (2, 20, 10), "from 64 to 4096", "bounds"),
            ("run = ['a'", (1, 11, 1), "", ""),
            ("run = ['a']\nrun = ['b']", (2, 1, 3), "duplicate key", ""),
            ("ünknown = 1", (1, 1, 1), "", ""),
        ] {
            let flaw = Manifest::parse(text).expect_err("it must be refused");
            let at = flaw.place.expect("a place");
            assert_eq!((at.line, at.column, at.length), place, "{text}: {flaw:?}");
            assert!(
                flaw.what.contains(what) && flaw.hint.as_ref().is_some_and(|h| h.contains(hint)),
                "{text}: {flaw:?}"
            );
        }
    }

    #[test]
    fn words_are_near_or_far() {
        assert_eq!(distance("language", "langage"), 1);
        assert_eq!(distance("", "run"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
