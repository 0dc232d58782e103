//! Compares the game with a second, plain reading of the same specification, in which a fleet is an entry of a list and
//! a battle looks at every entry.

use agon_core::{Ending, Failure, Game, Joint, Rng, Seat, Seed, Setup, Terms, judge};
use agon_planet_wars::{
    Fleet, Map, Order, Planet, Position, Rules,
    coordinate::Coordinate,
    rules::{Forfeit, Out, SamePair, SelfOrder, Survivor, UnknownDestination, ZeroShips},
};

/// The position as plain lists.
struct Plain {
    rules: Rules,
    limit: u32,
    turn: u32,
    planets: Vec<Planet>,
    fleets: Vec<Fleet>,
    forfeited: [bool; 2],
}

impl Plain {
    /// Whether a player is still in the game.
    fn lives(&self, player: u8) -> bool {
        let planets = self.planets.iter().filter(|p| p.owner == player);
        let fleets = self.fleets.iter().filter(|f| f.owner == player);
        match self.rules.out {
            Out::Ships => planets.map(|p| p.ships).chain(fleets.map(|f| f.ships)).any(|ships| ships > 0),
            Out::Planets => planets.count() + fleets.count() > 0,
        }
    }

    fn ships(&self, player: u8) -> i32 {
        let planets = self.planets.iter().filter(|p| p.owner == player).map(|p| p.ships);
        let fleets = self.fleets.iter().filter(|f| f.owner == player).map(|f| f.ships);
        planets.chain(fleets).sum()
    }

    fn ending(&self) -> Ending {
        match (self.forfeited, self.lives(1) && self.lives(2)) {
            ([false, false], true) if self.turn < self.limit => Ending::Unfinished,
            ([false, false], true) => Ending::Limit,
            ([false, false], false) => Ending::Elimination,
            _ => Ending::Forfeit,
        }
    }

    /// The places after the end.
    fn places(&self) -> [u8; 2] {
        let alive = [self.lives(1), self.lives(2)];
        let (first, second) = if self.rules.forfeit == Forfeit::Ends && self.forfeited != [false; 2] {
            (i32::from(!self.forfeited[0]), i32::from(!self.forfeited[1]))
        } else if self.rules.survivor == Survivor::Wins && alive[0] != alive[1] {
            (i32::from(alive[0]), i32::from(alive[1]))
        } else {
            (self.ships(1), self.ships(2))
        };
        [1 + u8::from(first < second), 1 + u8::from(second < first)]
    }

    /// Carries out one order. Returns its fleet, or `None` if the player forfeits.
    fn depart(&mut self, player: u8, order: Order) -> Option<Fleet> {
        let planet = |id: i32| usize::try_from(id).ok().filter(|id| *id < self.planets.len());
        let (source, destination) = (planet(order.source)?, planet(order.destination));
        let from = &mut self.planets[source];
        if from.owner != player || !(0..=from.ships).contains(&order.ships) {
            return None;
        }
        if destination.is_some() || self.rules.unknown_destination == UnknownDestination::Loses {
            from.ships -= order.ships;
        }
        let destination = destination?;
        if source == destination && self.rules.self_order == SelfOrder::Forfeit {
            return None;
        }
        let (a, b) = (&self.planets[source], &self.planets[destination]);
        let (dx, dy) = (a.x.value() - b.x.value(), a.y.value() - b.y.value());
        let trip = (dx * dx + dy * dy).sqrt().ceil() as i32;
        let (source, destination) = (source as u16, destination as u16);
        Some(Fleet { owner: player, ships: order.ships, source, destination, total: trip, remaining: trip })
    }

    /// Sends the fleets of a turn on their way.
    fn launch(&mut self, fleets: Vec<Fleet>) {
        let mut launched: Vec<Fleet> = Vec::new();
        for fleet in fleets {
            let same = |f: &&mut Fleet| (f.source, f.destination) == (fleet.source, fleet.destination);
            match launched.iter_mut().find(same) {
                Some(first) if self.rules.same_pair == SamePair::Merged => first.ships += fleet.ships,
                _ => launched.push(fleet),
            }
        }
        launched.retain(|f| f.ships > 0 || self.rules.zero_ships == ZeroShips::Fleet);
        self.fleets.extend(launched);
    }

    fn play(&mut self, orders: &[Vec<Order>; 2], failures: [Option<Failure>; 2]) {
        let before = self.planets.clone();
        let mut fleets = Vec::new();
        for (side, orders) in orders.iter().enumerate() {
            self.forfeited[side] = failures[side].is_some();
            for order in orders {
                match self.depart(side as u8 + 1, *order) {
                    Some(fleet) => fleets.push(fleet),
                    None => {
                        self.forfeited[side] = true;
                        break;
                    }
                }
            }
        }
        if self.forfeited != [false; 2] && self.rules.forfeit == Forfeit::Ends {
            self.planets = before;
            return;
        }
        self.launch(fleets);
        let forfeited = self.forfeited;
        let out = |owner: u8| owner > 0 && forfeited[usize::from(owner) - 1];
        self.planets.iter_mut().filter(|p| out(p.owner)).for_each(|p| p.owner = 0);
        self.fleets.retain(|f| !out(f.owner));
        self.planets.iter_mut().filter(|p| p.owner > 0).for_each(|p| p.ships += p.growth);
        self.fleets.iter_mut().for_each(|f| f.remaining -= 1);
        for id in 0..self.planets.len() {
            self.fight(id);
        }
        self.fleets.retain(|f| f.remaining > 0);
        self.turn += 1;
    }

    fn fight(&mut self, id: usize) {
        let planet = &mut self.planets[id];
        let mut forces = [(0, 0), (0, 1), (0, 2)];
        forces[usize::from(planet.owner)].0 += planet.ships;
        for fleet in self.fleets.iter().filter(|f| f.remaining <= 0 && usize::from(f.destination) == id) {
            forces[usize::from(fleet.owner)].0 += fleet.ships;
        }
        forces.sort_unstable();
        let [_, (second, _), (largest, winner)] = forces;
        planet.ships = largest - second;
        if largest > second {
            planet.owner = winner;
        }
    }

    /// Compares everything that a bot or a watcher can see.
    fn compare(&self, game: &Position, place: &str) {
        assert_eq!(game.turn(), self.turn, "{place}");
        for (id, planet) in self.planets.iter().enumerate() {
            assert_eq!((game.owner(id), game.ships(id)), (planet.owner, planet.ships), "{place}: planet {id}");
        }
        let (mut ours, mut fleets) = (game.fleets().unwrap().to_vec(), self.fleets.clone());
        if self.rules == Rules::ORIGINAL {
            // Its order of new fleets has tests of its own.
            for list in [&mut ours, &mut fleets] {
                list.sort_unstable_by_key(|f| (f.owner, f.source, f.destination, f.total, f.remaining, f.ships));
            }
        }
        assert_eq!(ours, fleets, "{place}");
        let standing = game.standing();
        assert_eq!(standing.scores, [1, 2].map(|player| i64::from(self.ships(player))), "{place}");
        assert_eq!(standing.ending, self.ending(), "{place}");
        if game.over() {
            assert_eq!(standing.places, self.places(), "{place}");
        }
    }
}

/// A small map with ties and trips of every length: also of less than one turn, and of more than the calendar holds.
fn random_map(rng: &mut Rng) -> Map {
    let far = if rng.one_in(4) { 290 } else { 9 };
    let mut map = Map::default();
    for id in 0..rng.between(2, 12) {
        let place = |rng: &mut Rng| match rng.below(3) {
            0 => f64::from(rng.between(0, far)),
            1 => f64::from(rng.between(0, 8)) / 4.0,
            _ => f64::from(rng.between(-9, 9)),
        };
        let (x, y) = (place(rng), place(rng) + f64::from(id) / 1024.0);
        let owner = if id < 2 { id as u8 + 1 } else { rng.below(4).saturating_sub(1) as u8 };
        let [x, y] = [x, y].map(Coordinate::rounded);
        map.planets.push(Planet { x, y, owner, ships: rng.between(0, 30), growth: rng.between(0, 3) / 2 });
    }
    for _ in 0..rng.below(3) {
        let [source, destination] = [0, 1].map(|_| rng.index(map.planets.len()) as u16);
        let total = rng.between(0, 9);
        let (owner, ships, remaining) = (1 + rng.below(2) as u8, rng.between(0, 9), rng.between(0, total));
        map.fleets.push(Fleet { owner, ships, source, destination, total, remaining });
    }
    map
}

/// Lawful orders, and from a hostile player now and then one that is not.
fn random_orders(game: &Position, seat: Seat, hostile: bool, rng: &mut Rng) -> Vec<Order> {
    let planets = game.planet_count();
    let mut left: Vec<i32> = (0..planets).map(|id| game.ships(id)).collect();
    let own: Vec<usize> = (0..planets).filter(|id| game.owner(*id) == seat.number()).collect();
    let mut orders = Vec::new();
    for _ in 0..rng.below(6) {
        let Some(source) = rng.pick(&own).copied() else { break };
        let ships = match rng.below(4) {
            0 => 0,
            1 => left[source],
            _ => rng.between(0, left[source]),
        };
        left[source] -= ships;
        let same = game.rules().self_order == SelfOrder::Forfeit;
        let destination = if same { (source + 1 + rng.index(planets - 1)) % planets } else { rng.index(planets) };
        orders.push(Order { source: source as i32, destination: destination as i32, ships });
    }
    if hostile && rng.one_in(40) {
        let source = own.first().map_or(0, |id| *id as i32);
        let bad = [
            Order { source: -1, destination: 0, ships: 0 },
            Order { source: planets as i32, destination: 0, ships: 0 },
            Order { source, destination: planets as i32, ships: left[source as usize].min(1) },
            Order { source, destination: i32::MIN, ships: 0 },
            Order { source, destination: 0, ships: left[source as usize] + 1 },
            Order { source, destination: 0, ships: -1 },
            Order { source, destination: source, ships: 0 },
            Order { source: rng.index(planets) as i32, destination: 0, ships: 0 },
        ];
        orders.insert(rng.index(orders.len() + 1), bad[rng.index(bad.len())]);
    }
    orders
}

#[test]
fn calendar_and_list_play_the_same_games() {
    for rules in [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME] {
        let mut endings = Vec::new();
        for seed in 0..150 {
            let (mut rng, hostile) = (Rng::new(Seed(seed)), seed % 2 == 0);
            let map = random_map(&mut rng);
            let terms = Terms { rules, seats: 2, limit: Some([400, 20, 1][seed as usize % 3]) };
            // By the specification two planets may not have the same place.
            let Ok(mut game) = Position::from_map(map.clone(), &terms) else { continue };
            let Map { planets, fleets } = map;
            let mut plain = Plain { rules, limit: game.limit(), turn: 0, planets, fleets, forfeited: [false; 2] };
            plain.compare(&game, &format!("seed {seed}, at the start"));
            let mut tmp = <Position as Game>::Scratch::default();
            while !game.over() {
                let seats = [Seat::new(0), Seat::new(1)];
                let orders = seats.map(|seat| random_orders(&game, seat, hostile, &mut rng));
                let failures = seats.map(|_| (hostile && rng.one_in(90)).then_some(Failure::Late));
                let entries = [0, 1].map(|i| judge(&game, seats[i], &orders[i], failures[i], &mut tmp).0);
                game.resolve(Joint::new(&entries), &mut tmp, &mut ());
                plain.play(&orders, failures);
                plain.compare(&game, &format!("seed {seed}, after turn {}", game.turn()));
            }
            endings.push(game.standing().ending);
        }
        for ending in [Ending::Limit, Ending::Elimination, Ending::Forfeit] {
            assert!(endings.iter().filter(|e| **e == ending).count() > 9, "{ending:?}: {endings:?}");
        }
    }
}
