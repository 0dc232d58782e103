//! The maps of the benches. All of them come from seeds, so that every machine plays the same matches.

use super::Goal;
use agon_cli::error::{Error, Result};
use agon_core::{Rng, Seed};
use agon_games::AnyGame;
use agon_spec::{MatchSpec, SeatSpec};

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Per {
    /// A turn: one decision of each awaited seat, resolved.
    Turn,
    /// A round, in which every seat has its turn.
    Round,
    /// A single order.
    Action,
    /// A match from its start to its end.
    Playout,
}

impl Per {
    /// Returns the unit of a time.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Turn => "ns per turn",
            Self::Round => "ns per round",
            Self::Action => "ns per action",
            Self::Playout => "ns per playout",
        }
    }

    /// Returns the noun for phrases like "allocations per turn".
    pub fn noun(self) -> &'static str {
        self.unit().trim_start_matches("ns per ")
    }
}

/// The match that one row of `sim` plays.
pub struct Board {
    /// The name of the row.
    pub name: &'static str,
    /// The name of the game.
    pub game: &'static str,
    pub per: Per,
    pub goal: Goal,
    pub seats: usize,
    maps: fn() -> Result<Vec<String>>,
}

/// The number of maps. Each figure is the mean over them.
const MAPS: usize = 4;

/// The boards in the order of the report.
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
    /// Returns one match for each map, with the game's default rules and limit.
    pub fn specs(&self, game: &dyn AnyGame) -> Result<Vec<MatchSpec>> {
        Ok((self.maps)()?.into_iter().map(|map| spec(game, map, self.seats, None)).collect())
    }
}

/// Returns a match on this map, with the game's default rules and clock.
pub fn spec(game: &dyn AnyGame, map: String, seats: usize, limit: Option<u32>) -> MatchSpec {
    let seat = |number: usize| SeatSpec { name: number.to_string(), bot: "bench".to_owned(), ..SeatSpec::default() };
    MatchSpec { limit, clock: game.info().clock, ..MatchSpec::new(game.name(), "", map, (1..=seats).map(seat)) }
}

/// Returns the first maps of this kind that `wanted` accepts, in the order of their seeds.
///
/// # Errors
/// The first thousand seeds give too few such maps.
pub fn generated(game: &str, kind: &str, seats: usize, wanted: fn(&str) -> bool) -> Result<Vec<String>> {
    let game = agon_cli::game::find(game)?;
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
    Err(Error::user(format!("{}: the generator `{kind}` makes too few maps that suit the bench", game.info().title)))
}

/// Whether the map has the size for which the goal is set.
fn is_20x20(map: &str) -> bool {
    let lines: Vec<&str> = map.lines().collect();
    lines.len() == 20 && lines.iter().all(|line| line.len() == 20)
}

/// Returns a map of Portals with `count` portals, in the size of the contest. Each cell is equally likely to have one.
/// The generators of the game cannot set the number.
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
