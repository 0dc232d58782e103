//! Numbers in words, for people.

use agon_spec::TournamentAbout;
use std::fmt;

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

/// Says what the seeds of a tournament follow from.
#[must_use]
pub fn seeds(about: &TournamentAbout) -> String {
    match (about.seed, &about.seeds.commitment, &about.seeds.secret) {
        (Some(seed), _, _) => format!("seed {seed}"),
        (None, Some(commitment), None) => format!("secret seeds, not yet revealed (SHA-256 {commitment})"),
        (None, Some(commitment), Some(secret)) => format!("seeds from the secret {secret} (SHA-256 {commitment})"),
        // Only an older file without a seed.
        (None, None, _) => "seed 0".to_owned(),
    }
}

/// Returns a number with at most two decimals, without needless zeros.
#[must_use]
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A number that is written like any other, but without a sign if it is written as zero: `0.0` instead of `-0.0`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Real(pub f64);

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        let is_zero = self.0.is_finite() && !format!("{:.digits$}", self.0).contains(|c| matches!(c, '1'..='9'));
        let value = if is_zero { 0.0 } else { self.0 };
        if f.sign_plus() && !is_zero { write!(f, "{value:+.digits$}") } else { write!(f, "{value:.digits$}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_written_as_zero_has_no_sign() {
        for (value, plain, signed) in [
            (-0.0, "0.0", "0.0"),
            (0.0, "0.0", "0.0"),
            (-0.049, "0.0", "0.0"),
            (0.049, "0.0", "0.0"),
            (-0.051, "-0.1", "-0.1"),
            (0.06, "0.1", "+0.1"),
            (-12.34, "-12.3", "-12.3"),
            (f64::INFINITY, "inf", "+inf"),
            (f64::NEG_INFINITY, "-inf", "-inf"),
        ] {
            assert_eq!((&*format!("{:.1}", Real(value)), &*format!("{:+.1}", Real(value))), (plain, signed), "{value}");
        }
        assert_eq!(
            (format!("{:.0}", Real(-0.4)), format!("{:+.3}", Real(-0.0004))),
            ("0".to_owned(), "0.000".to_owned())
        );
    }

    #[test]
    fn a_question_needs_no_semicolon() {
        assert_eq!(joined("write `x`", "or `y`"), "write `x`; or `y`");
        assert_eq!(joined("do you mean `x`?", "there are: x, y"), "do you mean `x`? there are: x, y");
    }
}
