//! The maps that benches play on. All come from seeds, so that every machine plays the same matches.

use super::Goal;
use crate::error::{Error, Result};
use agon_core::{Rng, Seed};
use agon_games::AnyGame;
use agon_spec::{Limits, MatchSpec, SeatSpec};

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Per {
    /// A resolved turn.
    Turn,
    /// A turn of every seat.
    Round,
    /// An order.
    Action,
    /// A whole match.
    Playout,
}

impl Per {
    /// Of a time.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Turn => "ns per turn",
            Self::Round => "ns per round",
            Self::Action => "ns per action",
            Self::Playout => "ns per playout",
        }
    }

    /// As in "allocations per turn".
    pub fn noun(self) -> &'static str {
        self.unit().trim_start_matches("ns per ")
    }
}

/// What one row of `sim` plays.
pub struct Board {
    /// The row's.
    pub name: &'static str,
    /// The game's.
    pub game: &'static str,
    pub per: Per,
    pub goal: Goal,
    pub seats: usize,
    maps: fn() -> Result<Vec<String>>,
}

/// How many maps each figure is a mean over.
const MAPS: usize = 4;

/// In the order in which they are shown.
pub const BOARDS: &[Board] = &[
    Board {
        name: "planet-wars-23p",
        game: "planet-wars",
        per: Per::Turn,
        goal: Goal::Value(250.0),
        seats: 2,
        maps: || generated("planet-wars", "first", 2, |_| true),
    },
    Board {
        name: "lighthouses-20x20-4p",
        game: "lighthouses",
        per: Per::Round,
        goal: Goal::Value(500.0),
        seats: 4,
        maps: || generated("lighthouses", "island", 4, is_20x20),
    },
    Board {
        name: "grid-10x10",
        game: "grid",
        per: Per::Turn,
        goal: Goal::Value(100.0),
        seats: 2,
        maps: || generated("grid", "10x10", 2, |_| true),
    },
    Board {
        name: "grid-40x40",
        game: "grid",
        per: Per::Turn,
        goal: Goal::Value(500.0),
        seats: 2,
        maps: || generated("grid", "40x40", 2, |_| true),
    },
    Board {
        name: "triangles-100",
        game: "triangles",
        per: Per::Playout,
        goal: Goal::Value(25_000.0),
        seats: 2,
        maps: || generated("triangles", "uniform-100", 2, |_| true),
    },
    Board {
        name: "portals-50",
        game: "portals",
        per: Per::Action,
        goal: Goal::Value(40.0),
        seats: 2,
        maps: || Ok((0..MAPS as u64).map(|i| portals(50, Seed(i))).collect()),
    },
    Board {
        name: "portals-870",
        game: "portals",
        per: Per::Action,
        goal: Goal::None,
        seats: 2,
        maps: || Ok((0..MAPS as u64).map(|i| portals(870, Seed(i))).collect()),
    },
];

impl Board {
    /// One a map, in the game's default rules and limit.
    pub fn specs(&self, game: &dyn AnyGame) -> Result<Vec<MatchSpec>> {
        Ok((self.maps)()?.into_iter().map(|map| spec(game, map, self.seats, None)).collect())
    }
}

/// A match on this map in the game's default rules and clock.
pub fn spec(game: &dyn AnyGame, map: String, seats: usize, limit: Option<u32>) -> MatchSpec {
    let seat = |number: usize| SeatSpec { name: number.to_string(), bot: "bench".to_owned(), ..SeatSpec::default() };
    MatchSpec {
        game: game.name().to_owned(),
        rules: String::new(),
        map_name: "bench".to_owned(),
        map,
        seed: Seed(0),
        limit,
        seats: (1..=seats).map(seat).collect(),
        clock: game.info().clock,
        limits: Limits::default(),
    }
}

/// The first maps of this kind that are wanted, by seed.
///
/// # Errors
/// There are too few among the first thousand seeds.
pub fn generated(game: &str, kind: &str, seats: usize, wanted: fn(&str) -> bool) -> Result<Vec<String>> {
    let game = crate::game::find(game)?;
    let mut maps = Vec::new();
    for seed in 0..1000 {
        let map = game.generate(kind, Seed(seed), seats)?;
        if wanted(&map) {
            maps.push(map);
        }
        if maps.len() == MAPS {
            return Ok(maps);
        }
    }
    Err(Error::user(format!("{}: too few maps of kind `{kind}` are as the bench needs them", game.info().title)))
}

/// The size that the goal is set for.
fn is_20x20(map: &str) -> bool {
    let lines: Vec<&str> = map.lines().collect();
    lines.len() == 20 && lines.iter().all(|line| line.len() == 20)
}

/// A map of Portals of the contest's size with so many portals, each cell equally likely. The game's own kinds do not
/// set the number.
fn portals(count: usize, seed: Seed) -> String {
    const SIDE: usize = 30;
    let mut cells = vec!['.'; SIDE * SIDE];
    cells[..count].fill('X');
    Rng::new(seed).shuffle(&mut cells);
    let rows: Vec<String> = cells.chunks(SIDE).map(|row| row.iter().collect()).collect();
    format!("0 0\n29 29\n{}\n", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_maps_of_its_kind() {
        for board in BOARDS {
            let game = agon_games::find(board.game).unwrap();
            assert!(board.name.starts_with(board.game));
            let specs = board.specs(game).unwrap();
            assert_eq!(specs.len(), MAPS, "{}", board.name);
            for spec in specs {
                assert!(game.check_map(spec.map.as_bytes(), "", board.seats).is_ok(), "{}", board.name);
            }
        }
    }

    #[test]
    fn maps_of_portals_have_as_many_as_asked_for() {
        for count in [50, 870] {
            assert_eq!(portals(count, Seed(3)).matches('X').count(), count);
        }
        assert_ne!(portals(50, Seed(1)), portals(50, Seed(2)));
    }
}
