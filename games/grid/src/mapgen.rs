//! Generated maps. All of them are fair: a rotation of the board by 180 degrees exchanges the players.

use crate::{board::MOST_SIDE, map::Map};
use agon_core::{Flaw, MapKind, Rng, Seat, Seed};
use alloc::{format, string::String, vec::Vec};

/// The kinds of generated maps. The first is the default.
pub(crate) const KINDS: &[MapKind] = &[
    MapKind {
        name: "varied",
        about: "a mix that the seed draws: `rectangle`, `scatter`, `clusters` or `mingled`, 8 to 32 columns and rows \
                (`varied-WxH` sets the size)",
    },
    MapKind { name: "10x10", about: "10 by 10, one tile for each player in opposite corners; or any other size `WxH`" },
    MapKind { name: "40x40", about: "40 by 40, one tile for each player in opposite corners" },
    MapKind { name: "rectangle", about: "8 to 32 columns and rows, one tile for each player in opposite corners" },
    MapKind { name: "scatter", about: "2 to 6 single tiles for each player, anywhere (`scatter-WxH` sets the size)" },
    MapKind { name: "clusters", about: "one group of 4 to 12 tiles for each player (`clusters-WxH` sets the size)" },
    MapKind {
        name: "mingled",
        about: "about a quarter of the tiles are owned, at random (`mingled-WxH` sets the size)",
    },
];

/// The kind that mixes others. Bots that always play the same play something new on each of its maps.
const VARIED: &str = "varied";
/// The kinds that [`VARIED`] draws from, each equally often.
const MIXED: [&str; 4] = ["rectangle", "scatter", "clusters", "mingled"];

/// Generates a map of this kind. The same seed gives the same map.
///
/// # Errors
/// If the kind is unknown, or no map can have the size.
pub(crate) fn generate(kind: &str, seed: Seed) -> Result<Map, Flaw> {
    let mut rng = Rng::new(seed.derive("grid map", 0));
    if let Some((width, height)) = size(kind)? {
        return Ok(corners(width, height));
    }
    let (pattern, wanted) = match kind.split_once('-') {
        Some((pattern, text)) => match size(text)? {
            Some(size) => (pattern, Some(size)),
            None => return Err(unknown(kind)),
        },
        None => (kind, None),
    };
    let (width, height) = wanted.unwrap_or_else(|| (rng.between(8, 32) as u16, rng.between(8, 32) as u16));
    let pattern = if pattern == VARIED { MIXED[rng.index(MIXED.len())] } else { pattern };
    match pattern {
        "rectangle" => Ok(corners(width, height)),
        "scatter" => Ok(scatter(width, height, &mut rng)),
        "clusters" => Ok(clusters(width, height, &mut rng)),
        "mingled" => Ok(mingled(width, height, &mut rng)),
        _ => Err(unknown(kind)),
    }
}

fn unknown(kind: &str) -> Flaw {
    let kind: String = kind.chars().take(40).collect();
    let names: Vec<_> = KINDS.iter().map(|k| k.name).collect();
    Flaw::new(format!("unknown kind of map `{kind}`"))
        .hint(format!("the kinds are {}, or a size `WxH`", names.join(", ")))
}

/// Reads `WxH`. `Ok(None)` if the text is not of this form.
fn size(text: &str) -> Result<Option<(u16, u16)>, Flaw> {
    let Some((width, height)) = text.split_once('x') else { return Ok(None) };
    if ![width, height].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(None);
    }
    let side = |n: &str| n.parse().ok().filter(|n| (1..=MOST_SIDE).contains(n));
    match (side(width), side(height)) {
        (Some(1), Some(1)) => Err(Flaw::new("a 1x1 map has no room for two players")),
        (Some(width), Some(height)) => Ok(Some((width, height))),
        _ => Err(Flaw::new("a map has 1 to 256 columns and rows").hint("write the size as in `10x10` or `40x20`")),
    }
}

/// Gives each player one tile: player 1 at the top left, player 2 at the bottom right (G26).
pub(crate) fn corners(width: u16, height: u16) -> Map {
    let mut map = Map::empty(width, height);
    give_pair(&mut map, 0, 0, Seat::new(0));
    map
}

fn scatter(width: u16, height: u16, rng: &mut Rng) -> Map {
    let mut map = Map::empty(width, height);
    let pairs = rng.between(2, 6);
    for _ in 0..pairs {
        let from = anywhere(&map, rng);
        give_next(&mut map, from);
    }
    map
}

fn clusters(width: u16, height: u16, rng: &mut Rng) -> Map {
    let mut map = Map::empty(width, height);
    let from = anywhere(&map, rng);
    let mut own = Vec::from_iter(give_next(&mut map, from));
    let wanted = rng.between(FEWEST as i32, 12) as usize;
    // Most steps find a free neighbour. On a crowded small map they may not; then the group stays smaller.
    for _ in 0..8 * wanted {
        if own.len() >= wanted {
            break;
        }
        let tile = own[rng.index(own.len())];
        let beside = neighbours(tile)[rng.below(4) as usize];
        own.extend(give_free(&mut map, beside));
    }
    // The group must still have at least `FEWEST` tiles.
    while own.len() < FEWEST {
        let Some(tile) = own.iter().flat_map(|tile| neighbours(*tile)).find_map(|at| give_free(&mut map, at)) else {
            break;
        };
        own.push(tile);
    }
    map
}

/// The fewest tiles of a group of `clusters`, if the map has room for them.
const FEWEST: usize = 4;

/// The four side-neighbours of a tile. Some may lie outside the map.
fn neighbours((x, y): (u16, u16)) -> [(u16, u16); 4] {
    [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)]
}

/// Gives a free tile to player 1 and the opposite one to player 2. `None` if it is not free or has no opposite.
fn give_free(map: &mut Map, (x, y): (u16, u16)) -> Option<(u16, u16)> {
    let free = x < map.width() && y < map.height() && map.owner(x, y).is_none();
    (free && give_pair(map, x, y, Seat::new(0))).then_some((x, y))
}

/// Does what [`give_free`] does for the first tile that can be given, searching row by row from this one.
fn give_next(map: &mut Map, (x, y): (u16, u16)) -> Option<(u16, u16)> {
    let (width, height) = (u32::from(map.width()), u32::from(map.height()));
    let from = u32::from(y) * width + u32::from(x);
    let tiles = (from..width * height).chain(0..from);
    tiles.map(|i| ((i % width) as u16, (i / width) as u16)).find_map(|tile| give_free(map, tile))
}

fn mingled(width: u16, height: u16, rng: &mut Rng) -> Map {
    let mut map = Map::empty(width, height);
    let pairs = (u32::from(width) * u32::from(height) / 8).max(1);
    for _ in 0..pairs {
        let (x, y) = anywhere(&map, rng);
        give_pair(&mut map, x, y, Seat::new(rng.index(2)));
    }
    ensure_start(map)
}

fn anywhere(map: &Map, rng: &mut Rng) -> (u16, u16) {
    (rng.below(u32::from(map.width())) as u16, rng.below(u32::from(map.height())) as u16)
}

/// Gives a tile to `seat` and the opposite tile to the other player. Refuses the middle tile, which is its own
/// opposite.
fn give_pair(map: &mut Map, x: u16, y: u16, seat: Seat) -> bool {
    let opposite = (map.width() - 1 - x, map.height() - 1 - y);
    if opposite == (x, y) {
        return false;
    }
    map.give(x, y, Some(seat));
    map.give(opposite.0, opposite.1, Some(Seat::new(1 - seat.index())));
    true
}

/// Replaces a map on which no player owns a tile by one with the players in the corners.
fn ensure_start(map: Map) -> Map {
    if map.count(Seat::new(0)) == 0 { corners(map.width(), map.height()) } else { map }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_kind_is_fair_and_can_start() {
        let sized = ["1x2", "2x1", "3x3", "256x256", "scatter-1x3", "clusters-3x1", "mingled-3x3", "varied-2x2"];
        for kind in KINDS.iter().map(|k| k.name).chain(sized) {
            for seed in 0..40 {
                let map = generate(kind, Seed(seed)).unwrap();
                map.validate().unwrap_or_else(|e| panic!("{kind}, seed {seed}: {e}"));
                assert_eq!(generate(kind, Seed(seed)).unwrap(), map);
                for y in 0..map.height() {
                    for x in 0..map.width() {
                        let opposite = map.owner(map.width() - 1 - x, map.height() - 1 - y);
                        assert_eq!(map.owner(x, y).map(|s| 1 - s.index()), opposite.map(Seat::index), "{kind} {seed}");
                    }
                }
            }
        }
    }

    /// Counts the tiles of player 1, and those of them that are connected to the first.
    fn tiles_and_connected(map: &Map) -> (usize, usize) {
        let own = |x: u16, y: u16| map.owner(x, y) == Some(Seat::new(0));
        let tiles = (0..map.height()).flat_map(|y| (0..map.width()).map(move |x| (x, y)));
        let own: Vec<_> = tiles.filter(|(x, y)| own(*x, *y)).collect();
        let mut found = Vec::from([own[0]]);
        let mut next = 0;
        while let Some((x, y)) = found.get(next).copied() {
            next += 1;
            let near = own.iter().filter(|(a, b)| a.abs_diff(x) + b.abs_diff(y) == 1);
            let new: Vec<_> = near.filter(|tile| !found.contains(tile)).copied().collect();
            found.extend(new);
        }
        (own.len(), found.len())
    }

    #[test]
    fn clusters_are_connected_and_nothing_is_smaller_than_promised() {
        for seed in 0..1000 {
            for kind in ["clusters-3x3", "clusters-5x5", "clusters-1x9", "clusters"] {
                let (tiles, connected) = tiles_and_connected(&generate(kind, Seed(seed)).unwrap());
                assert_eq!(tiles, connected, "{kind} {seed}");
                assert!((4..=12).contains(&tiles), "{kind} {seed}: {tiles} tiles");
            }
            for kind in ["scatter-2x2", "scatter-5x1", "scatter-3x3", "scatter"] {
                let (tiles, _) = tiles_and_connected(&generate(kind, Seed(seed)).unwrap());
                assert!((2..=6).contains(&tiles), "{kind} {seed}: {tiles} tiles");
            }
        }
    }

    #[test]
    fn the_contests_maps() {
        let map = generate("10x10", Seed(5)).unwrap();
        assert_eq!((map.owner(0, 0), map.owner(9, 9)), (Some(Seat::new(0)), Some(Seat::new(1))));
        assert_eq!(map.count(Seat::new(0)) + map.count(Seat::new(1)), 2);
    }

    #[test]
    fn kinds_that_do_not_exist() {
        for kind in ["", "x", "1x1", "0x9", "257x3", "10x", "10x10x10", "99999999999x2", "scatter-", "scatter-1x1"] {
            assert!(generate(kind, Seed(1)).is_err(), "{kind}");
        }
        assert!(generate("ten", Seed(1)).unwrap_err().hint.unwrap().contains("10x10, 40x40"));
    }

    #[test]
    fn the_usual_maps_differ_in_their_sizes_and_starts() {
        assert_eq!(KINDS[0].name, VARIED);
        let maps: Vec<Map> = (0..400).map(|seed| generate(VARIED, Seed(seed)).unwrap()).collect();
        let texts: BTreeSet<String> = maps.iter().map(Map::print).collect();
        assert!(texts.len() > 350, "{} different maps of 400", texts.len());
        let sides = |map: &Map| [map.width(), map.height()];
        let sizes: BTreeSet<u16> = maps.iter().flat_map(sides).collect();
        assert_eq!(sizes, (8..=32).collect());
        // A quarter of each pattern: one tile, some tiles, one group, a quarter of the board.
        let single = maps.iter().filter(|map| map.count(Seat::new(0)) == 1).count();
        let connected = |map: &&Map| {
            let (tiles, connected) = tiles_and_connected(map);
            tiles > 1 && tiles == connected
        };
        let grouped = maps.iter().filter(connected).count();
        let owned = |map: &&Map| {
            let area = u32::from(map.width()) * u32::from(map.height());
            10 * map.count(Seat::new(0)) as u32 > area
        };
        let mingled = maps.iter().filter(owned).count();
        for (name, count) in [("single", single), ("grouped", grouped), ("mingled", mingled)] {
            assert!((60..=150).contains(&count), "{name}: {count} of 400");
        }
        assert_eq!(sides(&generate("varied-9x12", Seed(3)).unwrap()), [9, 12]);
        assert!(generate("varied-1x1", Seed(3)).is_err());
    }
}
