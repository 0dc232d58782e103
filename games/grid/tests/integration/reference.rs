//! Compares the game on bits with a second, plain reading of the same specification, tile by tile.

use agon_core::{Contest, Entry, Game, Joint, Rng, Seat, Seed};
use agon_grid::{Board, Event, Map, Order, Position, Rules, Scratch};
use proptest::prelude::*;

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];
const SIDES: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// A map as a plain list of tiles.
struct Plain<'a>(&'a Board);

impl Plain<'_> {
    /// The owner of a tile. `None` outside the map, `Some(None)` if the tile is empty.
    fn at(&self, x: i32, y: i32) -> Option<Option<Seat>> {
        let inside = (0..i32::from(self.0.width())).contains(&x) && (0..i32::from(self.0.height())).contains(&y);
        inside.then(|| self.0.owner(x as u16, y as u16))
    }

    fn tiles(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let (width, height) = (i32::from(self.0.width()), i32::from(self.0.height()));
        (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    fn sides_of(&self, seat: Seat, x: i32, y: i32) -> usize {
        SIDES.iter().filter(|(dx, dy)| self.at(x + dx, y + dy) == Some(Some(seat))).count()
    }

    fn gains(&self, seat: Seat) -> u32 {
        let enemy = Seat::new(1 - seat.index());
        let gain = |(x, y): &(i32, i32)| {
            self.at(*x, *y) == Some(None) && self.sides_of(seat, *x, *y) > self.sides_of(enemy, *x, *y)
        };
        self.tiles().filter(gain).count() as u32
    }

    fn has_air(&self, x: i32, y: i32) -> bool {
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).filter(|d| *d != (0, 0));
        around.into_iter().any(|(dx, dy)| self.at(x + dx, y + dy) == Some(None))
    }

    /// The board after a turn with these orders.
    fn next(&self, orders: [&[Order]; 2]) -> Board {
        let wants = |seat: usize, x: i32, y: i32| orders[seat].contains(&Order::Capture { x: x as u16, y: y as u16 });
        let mut board = self.0.clone();
        for (x, y) in self.tiles() {
            let owner = self.at(x, y).flatten().filter(|_| self.has_air(x, y));
            let owner = match (wants(0, x, y), wants(1, x, y)) {
                (true, false) => Some(SEATS[0]),
                (false, true) => Some(SEATS[1]),
                _ => owner,
            };
            board.give(x as u16, y as u16, owner);
        }
        board
    }
}

fn random_map(width: u16, height: u16, fill: u32, rng: &mut Rng) -> Map {
    let mut map = Map::empty(width, height);
    for y in 0..height {
        for x in 0..width {
            if rng.below(100) < fill {
                map.give(x, y, Some(Seat::new(rng.index(2))));
            }
        }
    }
    map
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Widths around 64 are the ones for which shifts could go wrong.
    #[test]
    fn bits_and_tiles_agree(
        width in prop_oneof![1u16..=14, 30u16..=34, 60u16..=66, 125u16..=130, 190u16..=193, 253u16..=256],
        height in prop_oneof![1u16..=14, 1u16..=3],
        fill in prop_oneof![Just(10u32), Just(50), Just(90), Just(100)],
        seed: u64,
    ) {
        let mut rng = Rng::new(Seed(seed));
        let mut game = Position::resume(&random_map(width, height, fill, &mut rng), Rules::ORIGINAL, 0, 200);
        let mut tmp = Scratch::default();
        for _ in 0..3 {
            let before = game.board().clone();
            let plain = Plain(&before);
            let mut options = Vec::new();
            let orders = SEATS.map(|seat| {
                prop_assert_eq!(game.gains(seat), plain.gains(seat));
                prop_assert_eq!(game.energy(seat), 1 + plain.gains(seat) / 3);
                options.clear();
                prop_assert!(game.options(seat, &mut tmp, &mut options));
                let reach: Vec<_> = plain
                    .tiles()
                    .filter(|(x, y)| plain.sides_of(seat, *x, *y) > 0)
                    .map(|(x, y)| Order::Capture { x: x as u16, y: y as u16 })
                    .collect();
                prop_assert_eq!(&options, &reach);
                let mut orders = Vec::new();
                game.sample(seat, &mut rng, &mut tmp, &mut orders);
                prop_assert!(orders.len() as u32 <= game.energy(seat));
                prop_assert!(orders.iter().all(|o| reach.contains(o)));
                Ok(orders)
            });
            let [one, two] = orders;
            let (one, two) = (one?, two?);
            let expected = plain.next([&one, &two]);
            let entries = [
                Entry { seat: SEATS[0], orders: &one, failure: None },
                Entry { seat: SEATS[1], orders: &two, failure: None },
            ];
            let mut events = Vec::new();
            let gone = SEATS.iter().any(|seat| before.count(*seat) == 0);
            game.resolve(Joint::new(&entries), &mut tmp, &mut events);
            if gone {
                prop_assert!(game.over());
                break;
            }
            prop_assert_eq!(game.board(), &expected);
            check_events(&before, &expected, &events)?;
        }
    }

    /// A scratch that was used on one map works on another map like a new one.
    #[test]
    fn scratch_leaves_no_trace(kinds in prop::collection::vec(0usize..6, 2..6), seed: u64) {
        let kinds = kinds.into_iter().map(|k| ["10x10", "mingled-64x3", "mingled-63x3", "mingled-5x40", "40x40", "1x2"][k]);
        let mut shared = Scratch::default();
        for kind in kinds {
            let mut numbers = Vec::new();
            for fresh in [true, false] {
                let mut own = Scratch::default();
                let tmp = if fresh { &mut own } else { &mut shared };
                let map = Position::generate(kind, Seed(seed), 2).unwrap();
                let mut game = Position::resume(&map, Rules::SPEC, 0, 4);
                let mut rng = Rng::new(Seed(seed));
                while !game.over() {
                    let orders = SEATS.map(|seat| {
                        let mut orders = Vec::new();
                        game.sample(seat, &mut rng, tmp, &mut orders);
                        orders
                    });
                    let entries = SEATS.map(|s| Entry { seat: s, orders: &orders[s.index()][..], failure: None });
                    game.resolve(Joint::new(&entries), tmp, &mut ());
                }
                numbers.push(game.fingerprint());
            }
            prop_assert_eq!(numbers[0], numbers[1], "{}", kind);
        }
    }
}

/// Checks that the events report every change of the map: first the suffocated tiles, then the captures.
fn check_events(before: &Board, after: &Board, events: &[Event]) -> Result<(), TestCaseError> {
    let mut board = before.clone();
    for event in events {
        match *event {
            Event::Suffocated { seat, x, y } => {
                prop_assert_eq!(board.owner(x, y), Some(seat));
                board.give(x, y, None);
            }
            Event::Captured { seat, x, y } => board.give(x, y, Some(seat)),
            Event::Contested { .. } => {}
            Event::Eliminated { seat } => prop_assert_eq!(board.count(seat), 0),
        }
    }
    prop_assert_eq!(&board, after);
    Ok(())
}

#[test]
fn random_decisions_are_spread_over_all_tiles_in_reach() {
    let map = Position::generate("clusters-40x40", Seed(3), 2).unwrap();
    let game = Position::resume(&map, Rules::SPEC, 0, 200);
    let (mut tmp, mut rng) = (Scratch::default(), Rng::new(Seed(1)));
    let mut options = Vec::new();
    game.options(SEATS[0], &mut tmp, &mut options);
    let mut counts = vec![0u32; options.len()];
    let mut orders = Vec::new();
    for _ in 0..4_000 {
        game.sample(SEATS[0], &mut rng, &mut tmp, &mut orders);
        for order in &orders {
            counts[options.iter().position(|o| o == order).unwrap()] += 1;
        }
    }
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(*least * 2 > *most, "no tile comes up twice as often as another: {counts:?}");
}
