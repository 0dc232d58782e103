//! What never changes in a game: the positions of the planets, their growth, and the lengths of the trips.

use crate::coordinate::Coordinate;
use alloc::{format, string::String, vec::Vec};

/// The fixed properties of the planets.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chart {
    positions: Vec<[f64; 2]>,
    texts: Vec<String>,
    growth: Vec<i32>,
    trips: Vec<i32>,
}

impl Chart {
    /// Makes the chart of these planets (x, y, growth rate).
    pub(crate) fn new<'a>(planets: impl Iterator<Item = (&'a Coordinate, &'a Coordinate, i32)>) -> Self {
        let mut chart = Self::default();
        for (x, y, growth) in planets {
            chart.positions.push([x.value(), y.value()]);
            chart.texts.push(format!("{} {}", x.text(), y.text()));
            chart.growth.push(growth);
        }
        chart.trips.reserve_exact(chart.len() * chart.len());
        for from in &chart.positions {
            for to in &chart.positions {
                chart.trips.push(trip_length(*from, *to));
            }
        }
        chart
    }

    /// The number of planets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no planets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The position of a planet.
    ///
    /// # Panics
    /// If there is no such planet. This holds for all methods that take an index.
    #[must_use]
    pub fn position(&self, planet: usize) -> [f64; 2] {
        self.positions[planet]
    }

    /// The coordinates of a planet as they are sent to bots, `x y`.
    #[must_use]
    pub fn text(&self, planet: usize) -> &str {
        &self.texts[planet]
    }

    /// The number of ships that a planet gains in each turn while a player owns it.
    #[must_use]
    #[inline]
    pub fn growth(&self, planet: usize) -> i32 {
        self.growth[planet]
    }

    /// The length of the trip in turns, by the specification's formula. It is 0 from a planet to itself.
    #[must_use]
    #[inline]
    pub fn trip(&self, source: usize, destination: usize) -> i32 {
        self.trips[source * self.len() + destination]
    }

    /// The length of the longest trip, in turns.
    #[must_use]
    pub fn longest_trip(&self) -> i32 {
        self.trips.iter().copied().max().unwrap_or(0)
    }
}

/// Specification "Fleets": the Euclidean distance rounded up. The code must use exactly these IEEE operations: `hypot`
/// differs between platforms.
#[must_use]
pub fn trip_length(from: [f64; 2], to: [f64; 2]) -> i32 {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    libm::ceil(libm::sqrt(dx * dx + dy * dy)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_integer_is_not_rounded_further() {
        assert_eq!(trip_length([0.0, 0.0], [3.0, 4.0]), 5);
        assert_eq!(trip_length([0.0, 0.0], [3.0, 4.0001]), 6);
    }

    #[test]
    fn a_trip_is_at_least_one_turn_unless_it_goes_nowhere() {
        assert_eq!(trip_length([0.0, 0.0], [0.25, 0.25]), 1);
        assert_eq!(trip_length([0.0, 0.0], [1.0, 0.0]), 1);
        assert_eq!(trip_length([2.5, 1.0], [2.5, 1.0]), 0);
    }
}
