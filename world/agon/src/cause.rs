//! The cause of a fault for people, in three lines.

use crate::clean::{clean, clean_lines, cut};
use agon_play::Cause;
use agon_tournament::words;

/// The longest line, in characters.
const WIDTH: usize = 240;
/// The longest command of a bot, in characters.
const COMMAND: usize = 80;
/// The rule set of commands that name none.
const DEFAULT_RULES: &str = "spec";
/// What the second and the third line begin with, below the `hint: ` before the first.
const MARGIN: &str = "\n      ";

/// Returns what went wrong with the bot `name`, where in the conversation, and what its author can do.
pub fn lines(name: &str, cause: &Cause) -> String {
    let line = |text: &str| cut(&clean(text), WIDTH);
    let what = line(&cause.what);
    let hint = line(&cause.hint);
    format!("{}: {what}{MARGIN}{}{MARGIN}{hint}", clean(name), line(&cause.place))
}

/// Returns the hint at the command that looks for what the bot `name` does wrong. `words` are its command, and `rules` those of the
/// match.
pub fn check(game: &str, rules: &str, words: &str, name: &str) -> String {
    let words = cut(&clean_lines(words).trim().replace('\'', "'\\''"), COMMAND);
    let rules = if rules == DEFAULT_RULES { String::new() } else { format!(" --rules {}", clean(rules)) };
    format!("`agon check {game} '{words}'{rules}` looks for what {} does wrong", clean(name))
}

/// Returns the first and the last of these lines as one, for documents.
pub fn short(cause: &Cause) -> String {
    words::joined(&clean(&cause.what), &clean(&cause.hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_has_the_rules_of_the_match() {
        assert_eq!(check("grid", "spec", "./bot", "me"), "`agon check grid './bot'` looks for what me does wrong");
        let said = check("grid", "original", "./it's", "me");
        assert_eq!(said, r"`agon check grid './it'\''s' --rules original` looks for what me does wrong");
    }
}
