//! Times for people.

/// Writes a time in milliseconds since 1970, as in `2026-11-30 15:51 UTC`.
#[must_use]
pub fn minute(ms: i64) -> String {
    let (days, second) = (ms.div_euclid(86_400_000), ms.div_euclid(1000).rem_euclid(86_400));
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", second / 3600, second / 60 % 60)
}

/// Returns the year, the month and the day that so many days after the first of January 1970 have. Years begin in March, so that
/// the day that some of them lack is their last one.
fn date(days: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097;
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (-1, "1969-12-31 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (951_868_799, "2000-02-29 23:59 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_709_164_800, "2024-02-29 00:00 UTC"),
            (1_796_053_860, "2026-11-30 15:51 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(minute(seconds * 1000), expected);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = date(-1);
        for day in 0..200_000 {
            let now = date(day);
            let is_next = now == (before.0, before.1, before.2 + 1)
                || now == (before.0, before.1 + 1, 1) && before.2 >= 28
                || now == (before.0 + 1, 1, 1) && (before.1, before.2) == (12, 31);
            assert!(is_next, "{before:?} {now:?}");
            before = now;
        }
    }
}
