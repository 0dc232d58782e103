//! Repeated measurements of the same thing.

/// The values of repeated measurements.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rounds(Vec<f64>);

impl Rounds {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    /// Returns the value that the share `q` of all values does not exceed. Returns 0 if there are no values.
    pub fn quantile(&self, q: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (q * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }

    /// Returns the median. For an even number of values this is the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => 0.0,
            n if n % 2 == 1 => sorted[n / 2],
            n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
        }
    }

    /// Returns the width of the middle half of the values, as a share of the median.
    pub fn scatter(&self) -> f64 {
        let median = self.median();
        if median == 0.0 { 0.0 } else { (self.quantile(0.75) - self.quantile(0.25)) / median }
    }
}

impl FromIterator<f64> for Rounds {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_middle() {
        let rounds = |values: &[f64]| values.iter().copied().collect::<Rounds>();
        assert_eq!(rounds(&[]).median(), 0.0);
        assert_eq!(rounds(&[3.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(rounds(&[4.0, 1.0, 2.0, 3.0]).median(), 2.5);
        let hundred: Rounds = (1..=100).map(f64::from).collect();
        assert_eq!([0.0, 0.25, 0.5, 0.99, 1.0].map(|q| hundred.quantile(q)), [1.0, 25.0, 50.0, 99.0, 100.0]);
    }

    #[test]
    fn one_bad_round_is_no_scatter_but_half_of_them_are() {
        let mut rounds: Rounds = [10.0; 7].into_iter().collect();
        rounds.add(1000.0);
        assert_eq!(rounds.scatter(), 0.0);
        let wild: Rounds = [10.0, 10.0, 10.0, 20.0, 20.0, 20.0].into_iter().collect();
        assert!(wild.scatter() > 0.5);
    }
}
