//! How long a worker waits before it repeats a request.

use std::time::Duration;

/// The pause after a first failure is at most this long.
const FIRST: Duration = Duration::from_millis(500);
/// No pause that the worker chooses is longer.
const LONGEST: Duration = Duration::from_secs(30);
/// No pause is shorter, so that a server that refuses at once is not asked in a loop.
const SHORTEST: Duration = Duration::from_millis(20);
/// A server cannot put a worker off for longer at a time.
const PUT_OFF: Duration = Duration::from_secs(600);
/// What the server asked for is prolonged by up to this part of it, and by up to a second.
const SPREAD: u32 = 4;

/// Returns how long to wait after so many failures in a row, at least 1. `asked` is what the server asked for, and `random` any
/// number, which decides where in the possible time the pause ends.
///
/// Without a wish of the server the pause is drawn from the whole time between nothing and a bound that doubles with each failure
/// (full jitter): a thousand workers that lose a server at the same moment come back evenly spread. A wish of the server is never
/// undercut, for the same reason it is prolonged by chance.
#[must_use]
pub fn pause(failures: u32, asked: Option<Duration>, random: u64) -> Duration {
    let part = |of: Duration| of.mul_f64(random as f64 / u64::MAX as f64);
    match asked {
        Some(asked) => {
            let asked = asked.min(PUT_OFF);
            (asked + part(asked / SPREAD + Duration::from_secs(1))).max(SHORTEST)
        }
        None => {
            let doublings = failures.saturating_sub(1).min(16);
            part((FIRST * (1 << doublings)).min(LONGEST)).max(SHORTEST)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bound_doubles_until_it_is_reached() {
        let longest: Vec<u128> = (1..=9).map(|failures| pause(failures, None, u64::MAX).as_millis()).collect();
        assert_eq!(longest, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
        assert_eq!(pause(9, None, 0), SHORTEST, "the pause may end at once");
        assert_eq!(pause(3, None, u64::MAX / 2).as_millis(), 1_000);
    }

    proptest! {
        #[test]
        fn no_pause_is_too_short_or_too_long(failures: u32, random: u64, asked in prop::option::of(0..=u64::MAX)) {
            let asked = asked.map(Duration::from_millis);
            let pause = pause(failures, asked, random);
            prop_assert!(pause >= SHORTEST);
            match asked {
                None => prop_assert!(pause <= LONGEST),
                Some(asked) => {
                    prop_assert!(pause >= asked.min(PUT_OFF));
                    prop_assert!(pause <= PUT_OFF + PUT_OFF / SPREAD + Duration::from_secs(1));
                }
            }
        }

        #[test]
        fn workers_that_fail_together_come_back_apart(failures in 1u32..20, one: u64, other: u64) {
            let (a, b) = (pause(failures, None, one), pause(failures, None, other));
            prop_assert_eq!(a.max(SHORTEST) <= b, one <= other || a == b);
        }
    }
}
