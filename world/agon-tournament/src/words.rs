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

/// Returns a number with at most two decimals, without needless zeros.
#[must_use]
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}
