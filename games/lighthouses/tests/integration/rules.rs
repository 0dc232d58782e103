//! The rules in the words of the specification, each in one small match.

use agon_core::{Entry, Failure, Game, Joint, Rng, Seat, Seats, Seed, Setup, Terms, geometry::pt, judge};
use agon_lighthouses::{Event, Form, Map, Order, Position, Refusal, Rules};

/// Four lighthouses in the corners of a 5x5 island. The first player starts to the right of the lower left one.
const FIELD: &str = "\
#######
#!   !#
#     #
#  1  #
#     #
#!0  !#
#######
";

fn start(map: &str, seats: usize, rules: Rules) -> Position {
    let terms = Terms { rules, seats, limit: Some(200) };
    Position::from_map(Map::read(map.as_bytes()).unwrap(), &terms).map_err(|e| e.flaw).unwrap()
}

/// Gives an order of the awaited player. Returns the refusal if there is one.
fn play(game: &mut Position, order: Order) -> Result<Vec<Event>, Refusal> {
    let seat = game.awaiting().iter().next().expect("somebody is awaited");
    let orders = [order];
    let (entry, refused) = judge(game, seat, &orders, None, &mut ());
    let mut events = Vec::new();
    game.resolve(Joint::new(&[entry]), &mut (), &mut events);
    refused.map_or(Ok(events), |refused| Err(refused.why))
}

/// Gives orders of one player, one in each round.
fn alone(game: &mut Position, orders: &[Order]) {
    for order in orders {
        play(game, *order).unwrap_or_else(|why| panic!("{order:?}: {why}"));
    }
}

fn seat(number: usize) -> Seat {
    Seat::new(number - 1)
}

#[test]
fn energy_grows_and_is_collected_before_anybody_acts() {
    let mut game = start(FIELD, 2, Rules::SPEC);
    assert_eq!(game.energy(seat(1)), 4 + 2, "one cell from a lighthouse, three from another");
    assert_eq!((game.cell_energy(pt(2, 1)), game.cell_energy(pt(1, 1))), (0, 5 + 1 + 1));
    alone(&mut game, &[Order::Pass, Order::Pass]);
    assert_eq!(game.energy(seat(1)), 2 * 6);
    for _ in 0..100 {
        alone(&mut game, &[Order::Pass, Order::Pass]);
    }
    assert_eq!(game.cell_energy(pt(1, 1)), 100, "a cell is full at 100");
}

#[test]
fn players_on_one_cell_share_and_the_rest_is_lost() {
    let mut game = start("#####\n#!01#\n#####\n", 2, Rules::SPEC);
    assert_eq!((game.energy(seat(1)), game.energy(seat(2))), (4, 3));
    alone(&mut game, &[Order::Pass, Order::Move(-1, 0)]);
    assert_eq!((game.energy(seat(1)), game.energy(seat(2))), (4 + 2, 3 + 2));
    alone(&mut game, &[Order::Move(-1, 0), Order::Move(-1, 0)]);
    assert_eq!((game.energy(seat(1)), game.energy(seat(2))), (6 + 7, 5 + 7), "15 are 7 each, and 1 is lost");
    assert_eq!(game.cell_energy(pt(1, 1)), 0, "also the rest");
    alone(&mut game, &[Order::Move(1, 0), Order::Pass]);
    assert_eq!((game.energy(seat(1)), game.energy(seat(2))), (13 + 8, 12 + 5));
}

#[test]
fn a_move_goes_to_a_neighbouring_cell_of_the_island() {
    let mut game = start(FIELD, 1, Rules::SPEC);
    assert_eq!(play(&mut game, Order::Move(0, -1)), Err(Refusal::NotOnIsland(pt(2, 0))));
    assert_eq!(play(&mut game, Order::Move(2, 0)), Err(Refusal::DeltaTooFar));
    assert_eq!(play(&mut game, Order::Move(i8::MIN, i8::MAX)), Err(Refusal::DeltaTooFar));
    alone(&mut game, &[Order::Move(1, 1), Order::Move(0, 0)]);
    assert_eq!(game.place(seat(1)), pt(3, 2));
}

/// Specification "Turno": "si el faro está controlado por otro jugador con energía 50, entonces pasaría a estar
/// controlado por el jugador actual con energía 30", and so on: the examples for an attack with 80.
#[test]
fn attacks_are_as_in_the_specifications_examples() {
    for (held, owner, energy) in [(50, Some(seat(2)), 30), (90, Some(seat(1)), 10), (80, None, 0)] {
        let mut game = start("#####\n#!01#\n#####\n", 2, Rules::SPEC);
        // Both players collect beside the lighthouse, then the first lights it with just enough energy.
        for _ in 0..40 {
            alone(&mut game, &[Order::Pass, Order::Pass]);
        }
        alone(&mut game, &[Order::Move(-1, 0), Order::Move(-1, 0)]);
        alone(&mut game, &[Order::Attack(held + 10), Order::Move(-1, 0)]);
        assert_eq!((game.owner(0), game.light_energy(0)), (Some(seat(1)), held), "10 faded since");
        alone(&mut game, &[Order::Pass]);
        let before = game.energy(seat(2));
        let mut after = game.clone();
        after.end_after_this_round();
        play(&mut after, Order::Attack(80)).unwrap();
        assert_eq!((after.owner(0), after.light_energy(0)), (owner, energy));
        assert_eq!(after.energy(seat(2)), before - 80);
    }
}

#[test]
fn a_recharge_adds_and_more_than_one_has_is_all() {
    let mut game = start("#####\n#!0 #\n#####\n", 1, Rules::SPEC);
    alone(&mut game, &[Order::Pass; 20]);
    alone(&mut game, &[Order::Move(-1, 0)]);
    let all = game.energy(seat(1));
    assert_eq!(play(&mut game, Order::Attack(-1)), Err(Refusal::NegativeStrength(-1)));
    alone(&mut game, &[Order::Attack(0)]);
    assert_eq!(game.owner(0), None, "nothing lights nothing");
    assert_eq!(game.energy(seat(1)), all + 10, "5 in each of two rounds");
    alone(&mut game, &[Order::Attack(i64::MAX)]);
    assert_eq!((game.owner(0), game.light_energy(0), game.energy(seat(1))), (Some(seat(1)), all, 5));
    alone(&mut game, &[Order::Attack(5), Order::Move(1, 0)]);
    assert_eq!(game.light_energy(0), all + 5 - 20);
    assert_eq!(play(&mut game, Order::Attack(1)), Err(Refusal::NotAtTarget(pt(2, 1))));
}

/// A lighthouse that is captured with energy e lasts for ceil(e / 10) - 1 starts of a round.
#[test]
fn a_lighthouse_goes_out_when_nothing_is_left() {
    for (energy, starts) in [(1, 0), (10, 0), (11, 1), (20, 1), (21, 2)] {
        let mut game = start("#####\n#!0 #\n#####\n", 1, Rules::SPEC);
        alone(&mut game, &[Order::Pass; 20]);
        alone(&mut game, &[Order::Move(-1, 0), Order::Attack(energy)]);
        let mut lasted = 0;
        while game.owner(0).is_some() {
            lasted += 1;
            alone(&mut game, &[Order::Pass]);
        }
        assert_eq!(lasted, starts, "lit with {energy}");
        assert_eq!(game.score(seat(1)), 2 * (starts + 1), "2 points in each round that ends with it lit");
    }
}

/// Walks around the corners of the field and connects each corner to the one before.
fn tour(rules: Rules) -> Position {
    let mut game = start(FIELD, 1, rules);
    alone(&mut game, &[Order::Pass; 100]);
    let corners = [pt(1, 1), pt(5, 1), pt(5, 5)];
    alone(&mut game, &[Order::Move(-1, 0), Order::Attack(300)]);
    alone(&mut game, &[Order::Move(1, 0); 4]);
    alone(&mut game, &[Order::Attack(200), Order::Connect(corners[0])]);
    alone(&mut game, &[Order::Move(0, 1); 4]);
    alone(&mut game, &[Order::Attack(200), Order::Connect(corners[1])]);
    alone(&mut game, &[Order::Move(-1, -1); 4]);
    game
}

#[test]
fn three_connections_light_a_triangle() {
    let mut game = tour(Rules::SPEC);
    assert_eq!(game.rate(seat(1)), 3 * 2 + 2 * 2);
    let events = play(&mut game, Order::Connect(pt(5, 5))).unwrap();
    let lit = Event::Lit { seat: seat(1), corners: [pt(1, 1), pt(5, 5), pt(5, 1)], cells: 6 };
    assert!(events.contains(&lit), "{events:?}");
    assert_eq!(game.rate(seat(1)), 3 * 2 + 3 * 2 + 6);
    assert_eq!(game.triangles().collect::<Vec<_>>(), [([0, 1, 3], 6)]);
}

/// Specification "Puntuación", note 1: three triangles within a fourth one give twice the points of the outer one, and
/// an area outlives a lighthouse that only lies within it.
#[test]
fn overlapping_triangles_count_twice() {
    let map = "\
#########
#   !   #
#       #
#       #
#       #
#   !   #
#       #
#!0    !#
#########
";
    let terms = Terms { rules: Rules::ORIGINAL, seats: 1, limit: Some(2000) };
    let mut game = Position::from_map(Map::read(map.as_bytes()).unwrap(), &terms).unwrap();
    alone(&mut game, &[Order::Pass; 1000]);
    let [a, b, inner, top] = [pt(1, 1), pt(7, 1), pt(4, 3), pt(4, 7)];
    for (to, connect) in [(a, None), (b, Some(a)), (inner, Some(b)), (top, Some(inner))] {
        walk(&mut game, to);
        alone(&mut game, &[Order::Attack(if to == inner { 500 } else { 1000 })]);
        alone(&mut game, &connect.map(Order::Connect).into_iter().collect::<Vec<_>>());
    }
    for (to, connect) in [(a, Some(top)), (inner, Some(a)), (b, None), (top, Some(b))] {
        walk(&mut game, to);
        alone(&mut game, &connect.map(Order::Connect).into_iter().collect::<Vec<_>>());
    }
    let outer = i64::from(game.board().area(0, 1, 3));
    assert_eq!(game.triangles().count(), 4);
    assert_eq!(game.rate(seat(1)), 4 * 2 + 6 * 2 + 2 * outer);
    while game.owner(2).is_some() {
        alone(&mut game, &[Order::Pass]);
    }
    assert_eq!(game.rate(seat(1)), 3 * 2 + 3 * 2 + outer);
}

/// Goes straight to a cell and stays there for one round.
fn walk(game: &mut Position, to: agon_core::geometry::Point) {
    while game.place(seat(1)) != to {
        let here = game.place(seat(1));
        alone(game, &[Order::Move((to.x - here.x).signum() as i8, (to.y - here.y).signum() as i8)]);
    }
    alone(game, &[Order::Pass]);
}

#[test]
fn a_lost_lighthouse_takes_its_connections_and_triangles_along() {
    let mut game = tour(Rules::ORIGINAL);
    alone(&mut game, &[Order::Connect(pt(5, 5))]);
    while game.owner(1).is_some() {
        alone(&mut game, &[Order::Pass]);
    }
    assert_eq!(game.triangles().count(), 0);
    let links: Vec<u32> = (0..4).map(|i| game.links(i).count_ones()).collect();
    assert_eq!(links, [1, 0, 0, 1], "only the diagonal is left");
    assert_eq!(game.rate(seat(1)), 2 * 2 + 2);
}

/// Specification "Conexiones": "sólo se puede tener una clave en cada momento, que se perderá al realizar una
/// conexión".
#[test]
fn by_the_specification_a_player_holds_one_key() {
    let mut game = start(FIELD, 1, Rules::SPEC);
    alone(&mut game, &[Order::Move(-1, 0)]);
    assert_eq!(game.keys(seat(1)), 0b0001);
    alone(&mut game, &[Order::Move(1, 0); 4]);
    assert_eq!(game.keys(seat(1)), 0b0001, "the held key is not replaced");
    let mut game = tour(Rules::SPEC);
    assert_eq!(game.keys(seat(1)), 0b1000, "a connection made room for the key of its origin");
    alone(&mut game, &[Order::Connect(pt(5, 5))]);
    assert_eq!(game.keys(seat(1)), 0b0001);
}

#[test]
fn by_the_engine_a_player_holds_every_key() {
    let mut game = start(FIELD, 1, Rules::ORIGINAL);
    alone(&mut game, &[Order::Move(-1, 0)]);
    alone(&mut game, &[Order::Move(1, 0); 4]);
    assert_eq!(game.keys(seat(1)), 0b0011);
}

/// Point L7: only a connection uses up a key.
#[test]
fn a_key_outlives_its_lighthouse_and_refused_connections() {
    for rules in [Rules::SPEC, Rules::ORIGINAL] {
        let mut game = start(FIELD, 1, rules);
        alone(&mut game, &[Order::Pass; 30]);
        alone(&mut game, &[Order::Move(-1, 0), Order::Attack(10), Order::Move(1, 0)]);
        assert_eq!((game.owner(0), game.keys(seat(1))), (None, 0b0001), "it has gone out");
        alone(&mut game, &[Order::Move(1, 0); 3]);
        assert_eq!(play(&mut game, Order::Connect(pt(1, 1))), Err(Refusal::NotBothOwned));
        assert_eq!(game.keys(seat(1)) & 0b0001, 0b0001);
    }
}

/// Specification "Los jugadores": "en cualquiera de las ocho direcciones"; the cells beside the path do not matter.
#[test]
fn a_diagonal_step_goes_between_two_cells_of_sea() {
    let mut game = start("#####\n##!##\n#0###\n#####\n", 1, Rules::SPEC);
    alone(&mut game, &[Order::Move(1, 1)]);
    assert_eq!(game.place(seat(1)), pt(2, 2));
}

/// The checks of a connection are in the engine's order.
#[test]
fn connections_are_refused_for_the_first_reason() {
    let line = "########\n#0!1! !#\n########\n";
    let mut game = start(line, 1, Rules::ORIGINAL);
    assert_eq!(play(&mut game, Order::Connect(pt(9, 9))), Err(Refusal::NotAtOrigin(pt(1, 1))));
    assert_eq!(play(&mut game, Order::Malformed(Form::NoSuchPlace)), Err(Refusal::NotAtOrigin(pt(1, 1))));
    assert_eq!(play(&mut game, Order::Malformed(Form::NotAPair)), Err(Refusal::NotAPair));
    alone(&mut game, &[Order::Pass; 60]);
    alone(&mut game, &[Order::Move(1, 0)]);
    assert_eq!(play(&mut game, Order::Connect(pt(9, 9))), Err(Refusal::NoSuchLighthouse));
    assert_eq!(play(&mut game, Order::Malformed(Form::NoSuchPlace)), Err(Refusal::NoSuchLighthouse));
    assert_eq!(play(&mut game, Order::Connect(pt(4, 1))), Err(Refusal::NotBothOwned));
    assert_eq!(play(&mut game, Order::Connect(pt(2, 1))), Err(Refusal::NotBothOwned), "itself, not its own");
    alone(&mut game, &[Order::Attack(200)]);
    assert_eq!(play(&mut game, Order::Connect(pt(2, 1))), Err(Refusal::SameLighthouse));
    alone(&mut game, &[Order::Move(1, 0), Order::Move(1, 0), Order::Attack(150)]);
    alone(&mut game, &[Order::Connect(pt(2, 1))]);
    assert_eq!(play(&mut game, Order::Connect(pt(2, 1))), Err(Refusal::NoKey));
    alone(&mut game, &[Order::Move(1, 0), Order::Move(1, 0), Order::Attack(100)]);
    alone(&mut game, &[Order::Move(-1, 0), Order::Move(-1, 0), Order::Move(-1, 0), Order::Move(-1, 0)]);
    assert_eq!(play(&mut game, Order::Connect(pt(4, 1))), Err(Refusal::AlreadyConnected));
    assert_eq!(play(&mut game, Order::Connect(pt(6, 1))), Err(Refusal::ThroughLighthouse(pt(4, 1))));
}

#[test]
fn nobodys_connection_may_be_crossed() {
    let mut game = start(FIELD, 1, Rules::ORIGINAL);
    alone(&mut game, &[Order::Pass; 100]);
    alone(&mut game, &[Order::Move(-1, 0), Order::Attack(300)]);
    alone(&mut game, &[Order::Move(1, 1); 4]);
    alone(&mut game, &[Order::Attack(200), Order::Connect(pt(1, 1))]);
    alone(&mut game, &[Order::Move(0, -1); 4]);
    alone(&mut game, &[Order::Attack(200)]);
    alone(&mut game, &[Order::Move(-1, 1); 4]);
    alone(&mut game, &[Order::Attack(200)]);
    assert_eq!(play(&mut game, Order::Connect(pt(5, 1))), Err(Refusal::CrossesConnection(pt(5, 5), pt(1, 1))));
    assert_eq!(game.rate(seat(1)), 4 * 2 + 2);
}

/// Point L27: the player of a bot that is out stays, collects and scores. If all bots are out, the rounds are played
/// on.
#[test]
fn a_bot_that_breaks_down_is_out_and_its_player_stays() {
    let mut game = start("#####\n#!01#\n#####\n", 2, Rules::SPEC);
    let gone = |game: &mut Position, number: usize| {
        let entry = Entry { seat: seat(number), orders: &[], failure: Some(Failure::Late) };
        game.resolve(Joint::new(&[entry]), &mut (), &mut ());
    };
    alone(&mut game, &[Order::Move(-1, 0), Order::Pass, Order::Attack(9)]);
    gone(&mut game, 2);
    assert_eq!(game.awaiting(), Seats::one(seat(1)), "the next round's first and only player");
    let energy = game.energy(seat(2));
    gone(&mut game, 1);
    assert_eq!(game.energy(seat(2)), energy + 3);
    assert!(game.awaiting().is_empty() && !game.over());
    let mut rounds = game.round();
    while !game.over() {
        game.resolve(Joint::EMPTY, &mut (), &mut ());
        rounds += 1;
        assert_eq!(game.round(), rounds, "one round at a time");
    }
    assert_eq!(game.standing().scores, [2, 0]);
    assert_eq!(game.standing().places, [1, 2]);
}

/// Compares what is computed late or step by step with a plain computation of the rules.
#[test]
fn shortcuts_change_nothing() {
    for (number, kind) in ["island", "lakes", "grid", "square"].into_iter().cycle().take(12).enumerate() {
        let seats = 1 + number % 5;
        let map = <Position as agon_core::Contest>::generate(kind, Seed(number as u64), seats).unwrap();
        let rules = if number % 2 == 0 { Rules::SPEC } else { Rules::ORIGINAL };
        let mut game = Position::from_map(map, &Terms { rules, seats, limit: Some(150) }).unwrap();
        let mut rng = Rng::new(Seed(number as u64));
        let mut cells = Eager::new(&game);
        while !game.over() {
            let round = game.round();
            play_at_random(&mut game, &mut rng);
            if game.round() != round && !game.over() {
                cells.start_round(&game);
            }
            cells.compare(&game);
            for seat in Seats::first(seats).iter() {
                assert_eq!(game.rate(seat), rate_from_scratch(&game, seat));
            }
        }
    }
}

fn play_at_random(game: &mut Position, rng: &mut Rng) {
    let seat = game.awaiting().iter().next().expect("nobody fails");
    let mut orders = Vec::new();
    <Position as agon_core::Contest>::sample(game, seat, rng, &mut (), &mut orders);
    assert_eq!(game.check(seat, &orders, &mut ()), Ok(()));
    game.resolve(Joint::new(&[Entry { seat, orders: &orders, failure: None }]), &mut (), &mut ());
}

fn rate_from_scratch(game: &Position, seat: Seat) -> i64 {
    let own: Vec<usize> = (0..game.board().lights().len()).filter(|i| game.owner(*i) == Some(seat)).collect();
    let links: u32 = own.iter().map(|i| game.links(*i).count_ones()).sum();
    let cells: u32 = game.triangles().filter(|(c, _)| own.contains(&c[0])).map(|(_, cells)| cells).sum();
    2 * own.len() as i64 + i64::from(links) + i64::from(cells)
}

/// The energy of every cell, added up round by round.
struct Eager(Vec<u32>);

impl Eager {
    fn new(game: &Position) -> Self {
        let mut cells = Self(vec![0; game.board().cells()]);
        cells.start_round(game);
        cells
    }

    fn start_round(&mut self, game: &Position) {
        for (cell, energy) in self.0.iter_mut().enumerate() {
            *energy = (*energy + u32::from(game.board().site(cell).growth)).min(100);
        }
        for seat in Seats::first(game.seats()).iter() {
            self.0[game.board().cell_at(game.place(seat)).unwrap()] = 0;
        }
    }

    fn compare(&self, game: &Position) {
        for y in 0..game.board().height() {
            for x in 0..game.board().width() {
                let eager = self.0[game.board().cell(x, y)];
                assert_eq!(game.cell_energy(pt(x as i32, y as i32)), eager, "({x}, {y}) in round {}", game.round());
            }
        }
    }
}
