//! Generated maps. They are fair by symmetry: a rotation by 180 degrees or a reflection takes either player's map to
//! the other's.
//!
//! `final` and `first` follow the two generators of the contest. Sines come from `libm`, whose bits are the same on
//! every platform.

use crate::{
    chart::trip_length,
    coordinate::Coordinate,
    map::{Map, Planet},
};
use agon_core::{Flaw, MapKind, Rng, Seed};
use alloc::{format, vec::Vec};
use core::f64::consts::{PI, TAU};

/// The kinds of maps. The first is the default.
pub const KINDS: &[MapKind] = &[
    MapKind { name: "final", about: "15 to 30 planets in a circle, with radial or mirror symmetry, as in the finals" },
    MapKind { name: "first", about: "23 planets in a square, with point symmetry, as on the starter packs' maps" },
    MapKind { name: "small", about: "7 to 11 planets in a small circle, for quick games" },
];

/// The number of times that a point is drawn before the whole map begins anew.
const DRAWS: usize = 400;
/// The number of maps that are begun before the generator gives up. Thousands of seeds never needed more than a few.
const BEGINNINGS: usize = 1_000;
/// The ships and growth of a home planet.
const HOME: (i32, i32) = (100, 5);
/// Every distance is at least this far from a whole number, so that rounding up is the same on every platform.
const INTEGER_MARGIN: f64 = 0.002;

/// Generates a map of this kind. The same seed gives the same map.
///
/// # Errors
/// If the kind is unknown, or there are not exactly two seats.
pub fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
    if seats != 2 {
        return Err(Flaw::new(format!("planet-wars has 2 seats, not {seats}")));
    }
    let mut rng = Rng::new(seed.derive("planet-wars map", 0));
    let begin = |rng: &mut Rng| match kind {
        "final" => Some(circle(rng, Circle { planets: (15, 30), radius: 15.0 })),
        "first" => Some(square(rng)),
        "small" => Some(circle(rng, Circle { planets: (7, 11), radius: 7.0 })),
        _ => None,
    };
    for _ in 0..BEGINNINGS {
        match begin(&mut rng) {
            Some(Some(map)) => return Ok(map),
            Some(None) => {}
            None => {
                let names: Vec<_> = KINDS.iter().map(|k| k.name).collect();
                return Err(Flaw::new(format!("unknown kind of map `{kind}`"))
                    .hint(format!("the kinds are {}", names.join(", "))));
            }
        }
    }
    Err(Flaw::new(format!("this seed gives no map of kind `{kind}`")).hint("try another seed"))
}

/// The size of a map of the final generator.
#[derive(Clone, Copy)]
struct Circle {
    /// The smallest and the largest number of planets.
    planets: (i32, i32),
    radius: f64,
}

/// A map that is not finished.
struct Sketch {
    planets: Vec<Planet>,
    too_near: fn(&Planet, &Planet) -> bool,
}

impl Sketch {
    /// Adds a group of planets if they are far enough from each other and from the others. Returns `false` if they are
    /// not.
    fn add(&mut self, group: &[Planet]) -> bool {
        let count = self.planets.len();
        for planet in group {
            if self.planets.iter().any(|other| (self.too_near)(planet, other)) {
                self.planets.truncate(count);
                return false;
            }
            self.planets.push(planet.clone());
        }
        true
    }
}

/// The final generator. `None` if it finds no place for some planet.
fn circle(rng: &mut Rng, size: Circle) -> Option<Map> {
    let Circle { planets: (fewest, most), radius } = size;
    let mut sketch = Sketch { planets: Vec::new(), too_near: near_or_nearly_whole };
    let polar = |r: f64, angle: f64, owner: u8, (ships, growth): (i32, i32)| Planet {
        x: Coordinate::rounded(radius + r * libm::cos(angle)),
        y: Coordinate::rounded(radius + r * libm::sin(angle)),
        owner,
        ships,
        growth,
    };
    // The square root makes the distribution uniform by area.
    let distance = |rng: &mut Rng| radius * libm::sqrt(rng.unit());
    let neutral = |rng: &mut Rng| (rng.between(1, 100), rng.between(1, 5));
    let centre = (rng.between(1, 100), rng.between(0, 5));
    sketch.planets.push(polar(0.0, 0.0, 0, centre));

    let radial = rng.one_in(2);
    let mut home_angles = [0.0; 2];
    let mut home_distance = 0;
    place(|| {
        let (r, first) = (distance(rng), TAU * rng.unit());
        home_angles = [first, if radial { first + PI } else { TAU * rng.unit() }];
        let homes = [polar(r, home_angles[0], 1, HOME), polar(r, home_angles[1], 2, HOME)];
        home_distance = trip(&homes[0], &homes[1]);
        home_distance >= 4 && sketch.add(&homes)
    })?;
    let [first, second] = home_angles;

    let mut wanted = rng.between(fewest, most) as usize;
    if radial {
        wanted -= usize::from(wanted.is_multiple_of(2));
        for _ in 0..rng.below(3) {
            let kind = neutral(rng);
            place(|| {
                let r = distance(rng);
                sketch.add(&[polar(r, first + PI / 2.0, 0, kind), polar(r, first - PI / 2.0, 0, kind)])
            })?;
        }
    } else {
        // The number is 0 to 5, so that an even number is left for pairs.
        let on_line = rng.below(3) * 2 + u32::from((wanted - 3) % 2 == 1);
        let side = if rng.one_in(2) { 0.0 } else { PI };
        for _ in 0..on_line {
            let kind = neutral(rng);
            place(|| {
                let r = distance(rng);
                sketch.add(&[polar(r, (first + second) / 2.0 + side, 0, kind)])
            })?;
        }
    }
    let mut first_pair = true;
    while sketch.planets.len() < wanted {
        let (mut ships, growth) = neutral(rng);
        if first_pair {
            // The first conquest pays back before the other player's fleets can arrive, so waiting does not pay.
            ships = ships.min(5 * home_distance - 1);
            first_pair = false;
        }
        place(|| {
            let (r, turn) = (distance(rng), TAU * rng.unit());
            let other = if radial { second + turn } else { second - turn };
            sketch.add(&[polar(r, first + turn, 0, (ships, growth)), polar(r, other, 0, (ships, growth))])
        })?;
    }
    Some(Map { planets: sketch.planets, fleets: Vec::new() })
}

/// The first generator: the centre, the homes, and ten pairs. The planets of a pair are mirror images through the
/// centre.
fn square(rng: &mut Rng) -> Option<Map> {
    const HALF_WIDTH: f64 = 12.0;
    const PAIRS: usize = 10;
    let mut sketch = Sketch { planets: Vec::new(), too_near: crowded_or_nearly_whole };
    let at = |x: f64, y: f64, owner: u8, (ships, growth): (i32, i32)| Planet {
        x: Coordinate::rounded(x),
        y: Coordinate::rounded(y),
        owner,
        ships,
        growth,
    };
    sketch.planets.push(at(0.0, 0.0, 0, (rng.between(1, 150), rng.between(0, 5))));
    for pair in 0..=PAIRS {
        let (owners, kind) = if pair == 0 { ([1, 2], HOME) } else { ([0, 0], (rng.between(1, 90), rng.between(1, 5))) };
        place(|| {
            let [x, y] = [0, 1].map(|_| HALF_WIDTH * (2.0 * rng.unit() - 1.0));
            sketch.add(&[at(x, y, owners[0], kind), at(-x, -y, owners[1], kind)])
        })?;
    }
    // The smallest coordinates become 0. Rounding may then change a distance by a few units of the twelfth digit,
    // which is far less than any distance differs from a whole number.
    let least = |get: fn(&Planet) -> f64| sketch.planets.iter().map(get).fold(0.0, f64::min);
    let (left, bottom) = (least(|p| p.x.value()), least(|p| p.y.value()));
    for planet in &mut sketch.planets {
        planet.x = Coordinate::rounded(planet.x.value() - left);
        planet.y = Coordinate::rounded(planet.y.value() - bottom);
    }
    Some(Map { planets: sketch.planets, fleets: Vec::new() })
}

/// Repeats an attempt until it succeeds. `None` after too many.
fn place(mut attempt: impl FnMut() -> bool) -> Option<()> {
    (0..DRAWS).any(|_| attempt()).then_some(())
}

fn distance(a: &Planet, b: &Planet) -> f64 {
    let (dx, dy) = (a.x.value() - b.x.value(), a.y.value() - b.y.value());
    libm::sqrt(dx * dx + dy * dy)
}

fn trip(a: &Planet, b: &Planet) -> i32 {
    trip_length([a.x.value(), a.y.value()], [b.x.value(), b.y.value()])
}

fn nearly_whole(distance: f64, margin: f64) -> bool {
    let up = libm::ceil(distance);
    up - distance < margin || distance - (up - 1.0) < margin
}

/// The final generator's rule for two planets.
fn near_or_nearly_whole(a: &Planet, b: &Planet) -> bool {
    let distance = distance(a, b);
    distance <= 1.0 || nearly_whole(distance, INTEGER_MARGIN)
}

/// The first generator's rule: large planets need room. The margin was added here; it keeps mirrored trips equal.
fn crowded_or_nearly_whole(a: &Planet, b: &Planet) -> bool {
    let distance = distance(a, b);
    let room = 0.4 * (libm::sqrt(f64::from(a.growth)) + libm::sqrt(f64::from(b.growth)));
    distance <= 1.0 || distance < room || nearly_whole(distance, 1e-5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{map, position::Position, rules::Rules};
    use agon_core::{Setup, Terms};

    const SEEDS: core::ops::Range<u64> = 0..150;

    fn every_map(mut each: impl FnMut(&str, &Map)) {
        for kind in KINDS {
            for seed in SEEDS {
                let map = generate(kind.name, Seed(seed), 2).unwrap();
                each(kind.name, &map);
            }
        }
    }

    #[test]
    fn every_map_can_be_played_and_survives_its_file() {
        every_map(|kind, map| {
            let terms = Terms { rules: Rules::SPEC, seats: 2, limit: None };
            Position::from_map(map.clone(), &terms).unwrap_or_else(|f| panic!("{kind}: {}", f.flaw));
            assert_eq!(map::parse(map::print(map).as_bytes()).as_ref(), Ok(map));
        });
    }

    #[test]
    fn every_map_has_the_size_that_its_kind_promises() {
        every_map(|kind, map| {
            let planets = map.planets.len();
            match kind {
                "final" => assert!((15..=30).contains(&planets)),
                "first" => assert_eq!(planets, 23),
                _ => assert!((7..=11).contains(&planets)),
            }
        });
    }

    /// For each planet of player 1's map there is one of player 2's: what a player sees from its home must be the same
    /// multiset of trips, ships and growth.
    #[test]
    fn neither_player_is_better_off() {
        every_map(|kind, map| {
            let outlook = |player: u8| {
                let home = map.planets.iter().find(|p| p.owner == player).unwrap();
                let enemy = map.planets.iter().find(|p| p.owner == 3 - player).unwrap();
                let mut seen: Vec<_> =
                    map.planets.iter().map(|p| (trip(home, p), trip(enemy, p), p.ships, p.growth)).collect();
                seen.sort_unstable();
                seen
            };
            assert_eq!(outlook(1), outlook(2), "{kind}");
        });
    }

    #[test]
    fn no_distance_is_near_a_whole_number() {
        every_map(|kind, map| {
            let margin = if kind == "first" { 0.9e-5 } else { INTEGER_MARGIN };
            for (i, a) in map.planets.iter().enumerate() {
                for b in &map.planets[..i] {
                    assert!(!nearly_whole(distance(a, b), margin), "{kind}");
                }
            }
        });
    }

    #[test]
    fn an_unknown_kind_is_told_what_there_is() {
        let flaw = generate("island", Seed(1), 2).unwrap_err();
        assert!(flaw.hint.unwrap().contains("final, first, small"));
        assert!(generate("final", Seed(1), 3).is_err());
    }
}
