//! Amounts of memory as people write them.

/// Reads an amount of memory: a whole number of MiB, or of the unit that follows it, as in `400`, `400MiB` and `2GiB`. Returns
/// MiB, at least 1. `None` if the text has another form, or the number is too large.
#[must_use]
pub fn parse_mib(text: &str) -> Option<u32> {
    let (number, unit) = match text.strip_suffix("GiB") {
        Some(number) => (number, 1024),
        None => (text.strip_suffix("MiB").unwrap_or(text), 1),
    };
    let number = number.trim_end();
    // A sign is no part of an amount.
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse::<u32>().ok().filter(|_| digits)?.checked_mul(unit).filter(|mib| *mib > 0)
}

#[cfg(test)]
mod tests {
    use super::parse_mib;

    #[test]
    fn amounts_have_a_unit_or_are_of_mib() {
        for (text, mib) in
            [("400", 400), ("400MiB", 400), ("400 MiB", 400), ("2GiB", 2048), ("4194303GiB", u32::MAX - 1023)]
        {
            assert_eq!(parse_mib(text), Some(mib), "{text}");
        }
        for bad in ["", "MiB", "0", "0MiB", "-1", "+1", "1.5GiB", "400MB", "400mib", "4194304GiB", "99999999999", "1 2"]
        {
            assert_eq!(parse_mib(bad), None, "{bad}");
        }
    }
}
