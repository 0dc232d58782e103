//! Numbers in words, for people.

/// Returns a number with its noun: `1 pair`, `2 pairs`.
#[must_use]
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Returns a number of matches: `1 match`, `2 matches`.
#[must_use]
pub fn matches(number: u64) -> String {
    count(number, "match", "matches")
}

/// Joins two fragments. A question ends in its own mark, so only others get a semicolon: `do you mean x? or write y`.
#[must_use]
pub fn joined(one: &str, other: &str) -> String {
    let mark = if one.ends_with(['?', '!', '.', ':', ';']) { "" } else { ";" };
    format!("{one}{mark} {other}")
}

/// Returns a number with at most two decimals, without needless zeros.
#[must_use]
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_needs_no_semicolon() {
        assert_eq!(joined("write `x`", "or `y`"), "write `x`; or `y`");
        assert_eq!(joined("do you mean `x`?", "there are: x, y"), "do you mean `x`? there are: x, y");
    }
}
