//! Words that the sources must not use as names, and what to write instead. `cargo xtask rings` fails on them.

use std::path::Path;

/// A word that must not be a name, and the common term for what it stood for.
struct Denied {
    /// An identifier as a whole word, or the name of a file.
    word: &'static str,
    /// What to write instead.
    instead: &'static str,
}

const fn denied(word: &'static str, instead: &'static str) -> Denied {
    Denied { word, instead }
}

/// Metaphors that a newcomer would have to ask about.
const DENIED: &[Denied] = &[
    denied("ANVIL", "what is mounted there"),
    denied("Arbiter", "RefereeDialogue"),
    denied("Asides", "lines of stderr"),
    denied("Discord", "mismatch"),
    denied("Ear", "BotClient"),
    denied("Inmate", "a sandboxed process"),
    denied("Kitchen", "the tools of a build"),
    denied("Pondered", "the decision of a built-in bot"),
    denied("Reading", "Rules"),
    denied("Shelter", "the isolation of a build"),
    denied("Speech", "RefereeDialogue"),
    denied("Tank", "fuel that is left"),
    denied("Tongue", "protocol"),
    denied("Workshop", "where builds run"),
    denied("stderr-pricks", "stderr-single-bytes"),
    denied("told()", "what it returns"),
    denied("tape.rs", "what it reads"),
    denied("trap_door.rs", "the system call that it makes"),
];

/// Returns a message for each denied name in the file at `path`, whose content is `text`.
pub fn findings(path: &str, text: &str) -> Vec<String> {
    let file = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut found = hidden_numbers(path, text);
    for Denied { word, instead } in DENIED {
        if *word == file {
            found.push(format!("{path}: a file must not be called `{word}`: name it after {instead}"));
        }
        for (index, line) in text.lines().enumerate() {
            // Prose may use these words.
            if line.trim_start().starts_with("//") || !is_named(line, word) {
                continue;
            }
            // A kind of the hostile suite may keep its former name as an alias.
            if !word.contains('-') || line.trim_start().starts_with("name:") {
                found.push(format!("{path}:{}: `{word}` must not be a name: write `{instead}`", index + 1));
            }
        }
    }
    found
}

/// Returns a message for each number of a game's rules that stands in the middle of its position. People look for it beside
/// the rule sets.
fn hidden_numbers(path: &str, text: &str) -> Vec<String> {
    if !path.starts_with("games/") || !path.ends_with("/src/position.rs") {
        return Vec::new();
    }
    let hidden = text.lines().enumerate().filter(|(_, line)| line.starts_with("pub const "));
    hidden.map(|(index, line)| format!("{path}:{}: move `{line}` to `rules.rs`", index + 1)).collect()
}

/// Returns whether `word` is in `line` as a whole identifier. A word that ends in `()` is the name of a function.
fn is_named(line: &str, word: &str) -> bool {
    let (name, function) = word.strip_suffix("()").map_or((word, false), |name| (name, true));
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&line[..at], &line[at + name.len()..]);
        let whole = !before.ends_with(in_word) && !behind.starts_with(in_word);
        whole && (!function || (behind.starts_with('(') && before.trim_end().ends_with("fn")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_found_and_parts_of_words_are_not() {
        for (line, word, named) in [
            ("pub struct Tank;", "Tank", true),
            ("let x: Vec<Tank> = y;", "Tank", true),
            ("use crate::{Tank, Fuel};", "Tank", true),
            ("pub struct Tankard;", "Tank", false),
            ("fn told(&self) {", "told()", true),
            ("who is told (and why)", "told()", false),
            ("let told = self.told(1);", "told()", false),
            ("name: \"stderr-pricks\",", "stderr-pricks", true),
        ] {
            assert_eq!(is_named(line, word), named, "{line}");
        }
    }

    #[test]
    fn a_number_of_the_rules_does_not_hide_in_a_position() {
        let text = "//! A position.\npub const DECAY: i64 = 10;\npub(crate) const NOBODY: u8 = u8::MAX;\n";
        let moved = "games/x/src/position.rs:2: move `pub const DECAY: i64 = 10;` to `rules.rs`";
        assert_eq!(findings("games/x/src/position.rs", text), [moved]);
        assert_eq!(findings("games/x/src/rules.rs", text), [""; 0]);
    }

    #[test]
    fn a_finding_names_the_place_and_the_way_out() {
        let text = "mod a;\nstruct Inmate;\n";
        assert_eq!(
            findings("world/x/src/a.rs", text),
            ["world/x/src/a.rs:2: `Inmate` must not be a name: write `a sandboxed process`"]
        );
        assert_eq!(findings("world/x/src/tape.rs", "").len(), 1);
        assert_eq!(findings("x.rs", "(\"stderr-pricks\", \"stderr-single-bytes\"),"), [""; 0]);
        assert_eq!(findings("x.rs", "name: \"stderr-pricks\",").len(), 1);
    }
}
