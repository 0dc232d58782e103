//! When a console ends that nobody looks at any more.

use std::time::Duration;

/// Whether pages have been open, and since when there has been none.
pub struct Absence {
    /// How long a console goes on without a page. `None` is without end.
    limit: Option<Duration>,
    was_open: bool,
    since: Option<Duration>,
}

impl Absence {
    pub fn new(limit: Option<Duration>) -> Self {
        Self { limit, was_open: false, since: None }
    }

    /// Learns whether a page is open. Returns whether the last one has been gone for so long that the console ends. Before the
    /// first page it does not: a browser may take its time.
    pub fn is_too_long(&mut self, is_open: bool, now: Duration) -> bool {
        self.was_open |= is_open;
        let is_gone = self.was_open && !is_open;
        let since = is_gone.then(|| *self.since.get_or_insert(now));
        self.since = since;
        let passed = since.map(|since| now.saturating_sub(since));
        self.limit.zip(passed).is_some_and(|(limit, passed)| passed >= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_console_ends_when_its_last_page_has_been_gone_for_so_long() {
        let at = Duration::from_secs;
        let mut absence = Absence::new(Some(at(60)));
        for (second, is_open, is_over) in [
            (0, false, false),
            (1000, false, false),
            (1001, true, false),
            (2000, true, false),
            (2001, false, false),
            (2060, false, false),
            // It was only loaded again.
            (2061, true, false),
            (2062, false, false),
            (2121, false, false),
            (2122, false, true),
        ] {
            assert_eq!(absence.is_too_long(is_open, at(second)), is_over, "after {second} s");
        }
        let mut endless = Absence::new(None);
        assert!(!endless.is_too_long(true, at(1)) && !endless.is_too_long(false, at(2)));
        assert!(!endless.is_too_long(false, at(1_000_000)));
    }
}
