//! How long decisions took, in a fixed amount of memory.

use agon_spec::SeatTime;
use core::time::Duration;

/// The number of buckets for each power of two. Quantiles are therefore exact to 1 part in 16.
const STEPS: usize = 16;
/// The number of groups of buckets. They cover up to 2^40 microseconds (12 days).
const POWERS: usize = 37;

/// Statistics of the durations of decisions. Count, total and maximum are exact, and quantiles are at most 1/16 too
/// large. Adding a duration allocates nothing.
#[derive(Clone, Debug)]
pub struct Times {
    counts: Box<[u32]>,
    count: u64,
    soft_late: u64,
    total: Duration,
    max: Duration,
}

/// The time that a seat has used, in whole microseconds for each turn, as replays have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeUsed {
    /// The number of turns in which the seat was asked.
    pub decisions: u64,
    /// The sum of the times of these turns, in microseconds.
    pub total_us: u64,
    /// The longest of these times, in microseconds.
    pub max_us: u64,
}

impl TimeUsed {
    /// Adds one turn.
    pub(crate) fn add(&mut self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.decisions += 1;
        self.total_us = self.total_us.saturating_add(micros);
        self.max_us = self.max_us.max(micros);
    }
}

impl Default for Times {
    fn default() -> Self {
        let counts = vec![0; STEPS * POWERS].into_boxed_slice();
        Self { counts, count: 0, soft_late: 0, total: Duration::ZERO, max: Duration::ZERO }
    }
}

impl Times {
    /// Adds one decision.
    pub fn add(&mut self, time: Duration, soft_late: bool) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = &mut self.counts[bucket(micros)];
        *bucket = bucket.saturating_add(1);
        self.count += 1;
        self.soft_late += u64::from(soft_late);
        self.total = self.total.saturating_add(time);
        self.max = self.max.max(time);
    }

    /// Adds all decisions of `other`, such as those of another match.
    pub fn merge(&mut self, other: &Self) {
        for (own, more) in self.counts.iter_mut().zip(&other.counts) {
            *own = own.saturating_add(*more);
        }
        self.count += other.count;
        self.soft_late += other.soft_late;
        self.total = self.total.saturating_add(other.total);
        self.max = self.max.max(other.max);
    }

    /// Returns the number of decisions.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of decisions that exceeded the soft limit.
    #[must_use]
    pub fn soft_late(&self) -> u64 {
        self.soft_late
    }

    /// Returns the sum of all durations.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.total
    }

    /// Returns the longest duration.
    #[must_use]
    pub fn max(&self) -> Duration {
        self.max
    }

    /// Returns the duration that the share `q` (0 to 1) of the decisions did not exceed, rounded up by at most 1/16.
    /// Returns zero if no decision was added.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Duration {
        if self.count == 0 {
            return Duration::ZERO;
        }
        let rank = (q.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0u64;
        for (i, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank {
                return Duration::from_micros(ceiling(i)).min(self.max);
            }
        }
        self.max
    }
}

/// Returns the bucket of a duration. Each of the first 16 buckets holds one microsecond. After them each power of two
/// has 16 buckets.
fn bucket(micros: u64) -> usize {
    if micros < STEPS as u64 {
        return micros as usize;
    }
    let power = micros.ilog2() as usize;
    let step = (micros >> (power - 4)) as usize & (STEPS - 1);
    ((power - 3) * STEPS + step).min(STEPS * POWERS - 1)
}

/// Returns the largest number of microseconds in a bucket.
fn ceiling(bucket: usize) -> u64 {
    if bucket < STEPS {
        return bucket as u64;
    }
    let (power, step) = (bucket / STEPS + 3, (bucket % STEPS) as u64);
    ((STEPS as u64 + step + 1) << (power - 4)) - 1
}

impl From<&Times> for SeatTime {
    fn from(times: &Times) -> Self {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        Self {
            count: times.count(),
            soft_late: times.soft_late(),
            p50_us: micros(times.quantile(0.5)),
            p99_us: micros(times.quantile(0.99)),
            max_us: micros(times.max()),
            total_us: micros(times.total()),
            certificate: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bucket_ends_where_the_next_begins() {
        for i in 0..STEPS * POWERS - 1 {
            assert_eq!(bucket(ceiling(i)), i);
            assert_eq!(bucket(ceiling(i) + 1), i + 1);
        }
    }

    #[test]
    fn merged_times_are_those_of_all_decisions() {
        let (mut odd, mut even, mut all) = (Times::default(), Times::default(), Times::default());
        for micros in 1..=1000u64 {
            let (time, late) = (Duration::from_micros(micros * micros), micros > 990);
            all.add(time, late);
            if micros % 2 == 0 { &mut even } else { &mut odd }.add(time, late);
        }
        odd.merge(&even);
        assert_eq!(SeatTime::from(&odd), SeatTime::from(&all));
    }

    #[test]
    fn quantiles_are_at_most_a_sixteenth_too_large() {
        let mut times = Times::default();
        assert_eq!(times.quantile(0.5), Duration::ZERO);
        for micros in 1..=1000 {
            times.add(Duration::from_micros(micros), micros > 990);
        }
        for (q, exact) in [(0.5, 500.0), (0.99, 990.0)] {
            let seen = times.quantile(q).as_micros() as f64;
            assert!(seen >= exact && seen <= exact * 17.0 / 16.0, "{q}: {seen}");
        }
        assert_eq!(times.quantile(1.0), Duration::from_micros(1000));
        assert_eq!((times.count(), times.soft_late(), times.total()), (1000, 10, Duration::from_micros(500_500)));
    }
}
