//! The names of files in folders and archives: which of them are allowed, and which of them mean the same file on some
//! system.

use super::Limits;
use agon_core::{Flaw, text::is_hidden};
use unicode_normalization::UnicodeNormalization;

/// Names that are devices on Windows, with any ending.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// A relative path that means the same file on every system and never leads out of its folder. `/` separates its parts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(String);

impl Name {
    /// Checks a path in a folder or an archive. Returns `None` for the folder of the bot itself, as in `./`.
    ///
    /// The check repairs nothing: a program that interprets the path differently must not get another file. It only
    /// removes a leading `./` and the `/` after a folder, which `tar` writes.
    ///
    /// # Errors
    /// If the path is not allowed. The error says why.
    pub fn check(raw: &[u8], limits: &Limits) -> Result<Option<Self>, Flaw> {
        let wrong = |why: &str, hint: &str| Flaw::new(format!("the name `{}` {why}", shown(raw))).hint(hint);
        let Ok(text) = std::str::from_utf8(raw) else {
            return Err(wrong("is not UTF-8", "rename the file and pack the bot again"));
        };
        if text.contains('\0') {
            return Err(wrong("holds a NUL byte", "rename the file"));
        }
        if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
            let why = format!("holds the invisible character U+{:04X}", u32::from(c));
            return Err(wrong(&why, "rename the file"));
        }
        if text.contains('\\') {
            return Err(wrong("holds a backslash", "folders are separated by `/`: pack the bot with another program"));
        }
        if text.starts_with('/') {
            return Err(wrong("is absolute", "pack the bot from inside its folder: `tar -czf bot.tar.gz -C FOLDER .`"));
        }
        if text.len() > limits.path {
            return Err(wrong(&format!("is longer than {} bytes", limits.path), "use fewer or shorter folders"));
        }
        let text = text.strip_prefix("./").unwrap_or(text);
        let text = text.strip_suffix('/').unwrap_or(text);
        if text.is_empty() || text == "." {
            return if raw.is_empty() { Err(wrong("is empty", "pack the bot again")) } else { Ok(None) };
        }
        let parts: Vec<&str> = text.split('/').collect();
        if parts.len() > limits.depth {
            return Err(wrong(&format!("is more than {} folders deep", limits.depth), "use fewer folders"));
        }
        for part in parts {
            check_part(part, limits).map_err(|(why, hint)| wrong(&why, hint))?;
        }
        Ok(Some(Self(text.to_owned())))
    }

    /// Returns the path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the paths of all folders above the file, from the top, and then the path itself.
    pub(super) fn steps(&self) -> impl Iterator<Item = &str> {
        let ends = self.0.match_indices('/').map(|(at, _)| at).chain([self.0.len()]);
        ends.map(|end| &self.0[..end])
    }
}

fn check_part(part: &str, limits: &Limits) -> Result<(), (String, &'static str)> {
    match part {
        ".." => return Err(("leads out of its folder with `..`".into(), "pack the bot from inside its folder")),
        "" | "." => return Err(("has a part that is empty or `.`".into(), "pack the bot with another program")),
        _ => {}
    }
    if part.len() > limits.name {
        return Err((format!("has a part of more than {} bytes", limits.name), "shorten it"));
    }
    let bytes = part.as_bytes();
    if bytes.len() >= 2 && bytes[1] == b':' && bytes[0].is_ascii_alphabetic() {
        return Err(("begins with a drive letter".into(), "pack the bot from inside its folder"));
    }
    if is_device(part) {
        return Err(("is a device on Windows".into(), "rename the file"));
    }
    if folded(part).is_empty() {
        return Err(("has a part of dots and blanks alone".into(), "rename it"));
    }
    Ok(())
}

fn is_device(part: &str) -> bool {
    let stem = part.split(['.', ':']).next().unwrap_or_default().trim_end().to_lowercase();
    let numbered = ["com", "lpt"].iter().any(|port| {
        stem.strip_prefix(port).is_some_and(|rest| {
            let mut digits = rest.chars();
            matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
    });
    numbered || DEVICES.contains(&stem.as_str())
}

/// Normalises a part of a path. Two names with the same result mean the same file on some system: one that ignores
/// case, different encodings of an accent, or dots and spaces at the end of a name.
pub(super) fn folded(part: &str) -> String {
    // Converting to upper case and back makes `ß` and `SS` the same, and also `ſ` and `s`.
    let upper: String = part.nfkc().flat_map(char::to_uppercase).collect();
    let lower: String = upper.chars().flat_map(char::to_lowercase).nfkc().collect();
    lower.trim_end_matches(['.', ' ']).to_owned()
}

/// Says that a path means another one on Windows, which removes dots and blanks at the end of names. `None` if it does not.
pub(crate) fn changed_by_windows(path: &str) -> Option<String> {
    let part = path.split('/').find(|part| part.ends_with(['.', ' ']))?;
    let (path, part) = (shown(path.as_bytes()), shown(part.as_bytes()));
    Some(format!("`{path}` is another file on Windows, where `{part}` loses the dot or blank at its end"))
}

/// Formats a name for a message: on one line, and shortened if it is long.
pub(crate) fn shown(raw: &[u8]) -> String {
    const MOST: usize = 100;
    let text = String::from_utf8_lossy(raw);
    let escaped: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().count() > MOST { format!("{escaped}…") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_names_are_taken() {
        let limits = Limits { path: 60, name: 30, depth: 4, ..Limits::default() };
        let long = format!("a/{}", "x".repeat(31));
        let longer = "ab/".repeat(21);
        for (raw, why) in [
            (&b"../a"[..], "leads out"),
            (b"a/../../b", "leads out"),
            (b"a/..", "leads out"),
            (b"/etc/passwd", "absolute"),
            (b"//host/share", "absolute"),
            (b"C:/x", "drive letter"),
            (b"a/c:x", "drive letter"),
            (b"..\\a", "backslash"),
            (b"a\\b", "backslash"),
            (b"a\0.py", "NUL"),
            (b"a\n.py", "U+000A"),
            (b"\x1b[2J", "U+001B"),
            ("a\u{202e}yp.exe".as_bytes(), "U+202E"),
            ("a\u{200b}.py".as_bytes(), "U+200B"),
            ("a\u{3164}.py".as_bytes(), "U+3164"),
            (b"\xff\xfe", "not UTF-8"),
            (b"CON", "device"),
            (b"src/nul.txt", "device"),
            (b"aux .c", "device"),
            (b"Com1.log", "device"),
            ("lpt¹".as_bytes(), "device"),
            (b"a//b", "empty or `.`"),
            (b"a/./b", "empty or `.`"),
            (b"././a", "empty or `.`"),
            (b"... ", "dots and blanks"),
            (b"", "empty"),
            (long.as_bytes(), "more than 30 bytes"),
            (longer.as_bytes(), "longer than 60 bytes"),
            (b"a/b/c/d/e", "more than 4 folders"),
        ] {
            let flaw = Name::check(raw, &limits).expect_err("it must be refused");
            assert!(flaw.what.contains(why), "{}: {}", shown(raw), flaw.what);
            assert!(flaw.hint.is_some() && !flaw.what.contains(['\n', '\x1b']), "{flaw:?}");
        }
        for (raw, name) in [
            ("main.py", "main.py"),
            ("./src/bot.cpp", "src/bot.cpp"),
            ("src/", "src"),
            (".cargo/config.toml", ".cargo/config.toml"),
            ("naïve 日本.txt", "naïve 日本.txt"),
            ("a..b", "a..b"),
            ("console.js", "console.js"),
            ("com10", "com10"),
        ] {
            let taken = Name::check(raw.as_bytes(), &limits).unwrap_or_else(|e| panic!("{raw}: {e}"));
            assert_eq!(taken.expect("it is not the root").as_str(), name);
        }
        for raw in [&b"./"[..], b".", b"./."] {
            assert_eq!(Name::check(raw, &limits), Ok(None));
        }
    }

    #[test]
    fn a_dot_or_blank_at_the_end_of_a_name_is_told() {
        for (path, part) in [("bot.", "`bot.`"), ("src /a.py", "`src `"), ("a/b. ", "`b. `"), ("x... /y", "`x... `")] {
            let told = changed_by_windows(path);
            assert!(told.as_ref().is_some_and(|told| told.contains(part)), "{path}: {told:?}");
        }
        for path in ["bot", ".bot", "a.b/c d.py", " a", "..a/b"] {
            assert_eq!(changed_by_windows(path), None);
        }
    }

    #[test]
    fn twins_have_one_form() {
        for (a, b) in [
            ("Bot.py", "bot.PY"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("stra\u{df}e", "STRASSE"),
            ("\u{212a}", "k"),
            ("\u{fb01}le", "file"),
            ("b. ", "b"),
            ("\u{3c3}", "\u{3c2}"),
        ] {
            assert_eq!(folded(a), folded(b), "{a} {b}");
        }
        assert_ne!(folded("a.py"), folded("a.pyc"));
    }
}
