//! What never changes in a game: where the planets lie, how fast they grow, and how long the trips are.

use crate::coordinate::Coordinate;
use alloc::{format, string::String, vec::Vec};

/// The planets' fixed properties, with one entry for each planet.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chart {
    positions: Vec<[f64; 2]>,
    texts: Vec<String>,
    growth: Vec<i32>,
    trips: Vec<i32>,
}

impl Chart {
    /// The chart of these planets (x, y, growth rate).
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

    /// Number of planets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no planet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where a planet lies.
    ///
    /// # Panics
    /// If there is no such planet; so for all methods that take an index.
    #[must_use]
    pub fn position(&self, planet: usize) -> [f64; 2] {
        self.positions[planet]
    }

    /// The coordinates as they are sent, `x y`.
    #[must_use]
    pub fn text(&self, planet: usize) -> &str {
        &self.texts[planet]
    }

    /// Ships added after each turn while a player owns the planet.
    #[must_use]
    #[inline]
    pub fn growth(&self, planet: usize) -> i32 {
        self.growth[planet]
    }

    /// Length of the trip in turns, by the specification's formula; 0 from a planet to itself.
    #[must_use]
    #[inline]
    pub fn trip(&self, source: usize, destination: usize) -> i32 {
        self.trips[source * self.len() + destination]
    }

    /// The longest trip.
    #[must_use]
    pub fn longest_trip(&self) -> i32 {
        self.trips.iter().copied().max().unwrap_or(0)
    }
}

/// Specification "Fleets": the Euclidean distance rounded up. Exactly these IEEE operations: `hypot` differs between
/// platforms.
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
