//! The end of a bot's stderr, as it is shown of a crash.

/// The maximum number of lines of an excerpt.
const LINES: usize = 14;

/// Returns the last lines of a text. Runtimes as Node and Java say what went wrong and then list calls, of which only the first
/// and the last one are kept, so that what they said is shown.
pub(crate) fn excerpt(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= LINES {
        return text.to_owned();
    }
    let mut kept: Vec<String> = Vec::new();
    let mut rest = &lines[..];
    while let Some(first) = rest.first() {
        let calls = rest.iter().take_while(|line| is_call(line)).count();
        if calls > 3 {
            let margin: String = first.chars().take_while(|c| c.is_whitespace()).collect();
            let left_out = format!("{margin}… {} more", calls - 2);
            kept.extend([(*first).to_owned(), left_out, rest[calls - 1].to_owned()]);
            rest = &rest[calls..];
        } else {
            kept.push((*first).to_owned());
            rest = &rest[1..];
        }
    }
    kept.split_off(kept.len().saturating_sub(LINES)).join("\n")
}

/// Whether a line is one of a list of calls, as `    at main (bot.js:3:5)`.
fn is_call(line: &&str) -> bool {
    line.starts_with(char::is_whitespace) && line.trim_start().starts_with("at ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_shown_whatever_number_of_calls_follows() {
        let calls: String = (1..=10).map(|i| format!("    at f{i} (bot.js:{i}:1)\n")).collect();
        let text = format!("bot.js:3\n  planets.length\n          ^\n\nTypeError: no planets\n{calls}\nNode.js v20\n");
        let expected = "bot.js:3\n  planets.length\n          ^\n\nTypeError: no planets\n    at f1 (bot.js:1:1)\n    … 8 more\n    \
            at f10 (bot.js:10:1)\n\nNode.js v20";
        assert_eq!(excerpt(&text), expected);
    }

    #[test]
    fn other_lines_are_the_last_ones() {
        assert_eq!(excerpt("one\ntwo"), "one\ntwo");
        let long: Vec<String> = (1..=20).map(|i| format!("line {i}")).collect();
        assert_eq!(excerpt(&long.join("\n")), long[6..].join("\n"));
        // A list of three calls is not made longer by telling that one is left out.
        let three = format!("{}\n   at a\n   at b\n   at c", long[..14].join("\n"));
        assert!(excerpt(&three).ends_with("line 14\n   at a\n   at b\n   at c"), "{three}");
    }
}
