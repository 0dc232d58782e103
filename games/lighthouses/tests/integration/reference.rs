//! Compares the game with a second, plain reading of the same rules, which adds up the energy of every cell in every
//! round and looks for triangles and crossings each time.

use agon_core::{
    Contest, Failure, Game, Joint, Rng, Seat, Seats, Seed, Setup, Terms,
    geometry::{Locus, Point, Relation, locate, pt, relation},
    judge,
};
use agon_lighthouses::{Form, Keys, Map, Order, Position, Rules};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
struct Light {
    owner: Option<usize>,
    energy: i64,
}

struct Player {
    at: Point,
    energy: i64,
    score: i64,
    keys: BTreeSet<Point>,
}

struct Plain {
    keys: Keys,
    /// The free energy of every cell of the island.
    cells: BTreeMap<Point, i64>,
    lights: BTreeMap<Point, Light>,
    /// The ends of each connection, in ascending order.
    connections: BTreeSet<(Point, Point)>,
    players: Vec<Player>,
}

/// `floor(5 - d)`, where d is the distance.
fn growth(a: Point, b: Point) -> i64 {
    let square = (a.x - b.x).pow(2) + (a.y - b.y).pow(2);
    (0..=5).rev().find(|energy| square <= (5 - *energy as i32).pow(2)).unwrap_or(0)
}

/// Whether a triangle lights a cell. Left and top edges count and the others do not, so the centre of a cell counts as if
/// it lay a little further to the right, and much less further down.
fn lights(corners: [Point; 3], cell: Point) -> bool {
    const SCALE: i32 = 1 << 20;
    let [a, b, c] = corners.map(|p| pt(p.x * SCALE, p.y * SCALE));
    locate(pt(cell.x * SCALE + (1 << 10), cell.y * SCALE - 1), a, b, c) == Locus::Inside
}

fn pair(a: Point, b: Point) -> (Point, Point) {
    (a.min(b), a.max(b))
}

impl Plain {
    fn new(map: &Map, rules: Rules, seats: usize) -> Self {
        let every = (0..map.height()).flat_map(|y| (0..map.width()).map(move |x| (x, y)));
        let island = every.filter(|(x, y)| map.tile(*x, *y).is_land());
        let player = |at: &Point| Player { at: *at, energy: 0, score: 0, keys: BTreeSet::new() };
        let mut plain = Self {
            keys: rules.keys,
            cells: island.map(|(x, y)| (pt(x as i32, y as i32), 0)).collect(),
            lights: map.lighthouses().into_iter().map(|p| (p, Light::default())).collect(),
            connections: BTreeSet::new(),
            players: map.starts().iter().take(seats).map(player).collect(),
        };
        plain.start_round();
        plain
    }

    fn start_round(&mut self) {
        for (cell, energy) in &mut self.cells {
            let gain: i64 = self.lights.keys().map(|light| growth(*cell, *light)).sum();
            *energy = (*energy + gain).min(100);
        }
        let places: Vec<Point> = self.players.iter().map(|player| player.at).collect();
        for player in &mut self.players {
            let sharing = places.iter().filter(|at| **at == player.at).count() as i64;
            player.energy += self.cells[&player.at] / sharing;
            if self.lights.contains_key(&player.at) && (self.keys == Keys::Many || player.keys.is_empty()) {
                player.keys.insert(player.at);
            }
        }
        places.iter().for_each(|at| _ = self.cells.insert(*at, 0));
        for at in self.lights.keys().copied().collect::<Vec<_>>() {
            self.weaken(at, 10);
        }
    }

    /// Takes energy from a lighthouse. Without energy it is neutral and loses its connections.
    fn weaken(&mut self, at: Point, energy: i64) {
        let light = self.lights.get_mut(&at).unwrap();
        light.energy -= energy;
        if light.energy <= 0 {
            *light = Light::default();
            self.connections.retain(|(a, b)| *a != at && *b != at);
        }
    }

    /// Does what a player orders. Returns the engine's words if it cannot be done.
    fn act(&mut self, player: usize, order: Order) -> Result<(), &'static str> {
        let at = self.players[player].at;
        match order {
            Order::Pass => Ok(()),
            Order::Move(dx, dy) => {
                if dx.abs() > 1 || dy.abs() > 1 {
                    return Err("Delta must be 1 cell away");
                }
                let to = pt(at.x + i32::from(dx), at.y + i32::from(dy));
                if !self.cells.contains_key(&to) {
                    return Err("Target pos is not in island");
                }
                self.players[player].at = to;
                Ok(())
            }
            Order::Attack(energy) => self.attack(player, energy),
            Order::Connect(to) => self.connect(player, to),
            Order::Malformed(_) => Err("Invalid command "),
        }
    }

    fn attack(&mut self, player: usize, energy: i64) -> Result<(), &'static str> {
        let at = self.players[player].at;
        let light = self.lights.get(&at).ok_or("Player must be located at target lighthouse")?;
        if energy < 0 {
            return Err("Strength must be positive");
        }
        let mut strength = energy.min(self.players[player].energy);
        self.players[player].energy -= strength;
        if light.owner.is_some_and(|owner| owner != player) {
            let lost = strength.min(light.energy);
            self.weaken(at, lost);
            strength -= lost;
        }
        if strength > 0 {
            let light = self.lights.get_mut(&at).unwrap();
            light.owner = Some(player);
            light.energy += strength;
        }
        Ok(())
    }

    fn connect(&mut self, player: usize, to: Point) -> Result<(), &'static str> {
        let at = self.players[player].at;
        let from = self.lights.get(&at).ok_or("Player must be located at the origin lighthouse")?;
        let other = self.lights.get(&to).ok_or("Destination must be an existing lighthouse")?;
        if [from.owner, other.owner] != [Some(player); 2] {
            return Err("Both lighthouses must be player-owned");
        }
        if !self.players[player].keys.contains(&to) {
            return Err("Player does not have the destination key");
        }
        if at == to {
            return Err("Cannot connect lighthouse to itself");
        }
        if self.connections.contains(&pair(at, to)) {
            return Err("Connection already exists");
        }
        // A point lies strictly between two others if it is on their line, after the first and before the second.
        let between = |p: &Point| {
            let along = |q: Point| (q.x - at.x) * (to.x - at.x) + (q.y - at.y) * (to.y - at.y);
            let aside = (p.x - at.x) * (to.y - at.y) - (p.y - at.y) * (to.x - at.x);
            aside == 0 && 0 < along(*p) && along(*p) < along(to)
        };
        if self.lights.keys().any(between) {
            return Err("Connection cannot intersect a lighthouse");
        }
        if self.connections.iter().any(|(c, d)| relation(at, to, *c, *d) == Relation::Cross) {
            return Err("Connection cannot intersect another connection");
        }
        self.connections.insert(pair(at, to));
        self.players[player].keys.remove(&to);
        Ok(())
    }

    fn points(&self, player: usize) -> i64 {
        let own = |p: &Point| self.lights[p].owner == Some(player);
        let mut points = 2 * self.lights.keys().filter(|p| own(p)).count() as i64;
        for (a, b) in self.connections.iter().filter(|(a, _)| own(a)) {
            points += 2;
            let joined = |p: Point, q: Point| self.connections.contains(&pair(p, q));
            for c in self.lights.keys().filter(|c| *c > b && joined(*a, **c) && joined(*b, **c)) {
                points += self.cells.keys().filter(|cell| lights([*a, *b, *c], **cell)).count() as i64;
            }
        }
        points
    }

    fn compare(&self, game: &Position, place: &str) {
        for (cell, energy) in &self.cells {
            assert_eq!(i64::from(game.cell_energy(*cell)), *energy, "{place}: {cell:?}");
        }
        let lights = game.board().lights();
        let set = |bits: u128| (0..lights.len()).filter(move |i| bits >> i & 1 == 1).map(move |i| lights[i]);
        for (i, at) in lights.iter().enumerate() {
            let light = &self.lights[at];
            assert_eq!(game.owner(i).map(Seat::index), light.owner, "{place}: {at:?}");
            assert_eq!(game.light_energy(i), light.energy, "{place}: {at:?}");
            let others = lights.iter().copied().filter(|other| self.connections.contains(&pair(*at, *other)));
            assert_eq!(set(game.links(i)).collect::<Vec<_>>(), others.collect::<Vec<_>>(), "{place}: {at:?}");
        }
        for (i, player) in self.players.iter().enumerate() {
            let seat = Seat::new(i);
            assert_eq!((game.place(seat), game.energy(seat)), (player.at, player.energy), "{place}: player {i}");
            assert_eq!(game.score(seat), player.score, "{place}: player {i}");
            assert_eq!(set(game.keys(seat)).collect::<BTreeSet<_>>(), player.keys, "{place}: player {i}");
        }
    }
}

/// An order that often does something, and often is refused. The players walk from one lighthouse to the next.
fn random_order(plain: &Plain, player: usize, round: usize, rng: &mut Rng) -> Order {
    let Player { at, energy, keys, .. } = &plain.players[player];
    let all: Vec<Point> = plain.lights.keys().copied().collect();
    let open = |p: &&Point| plain.lights[p].owner == Some(player) && !plain.connections.contains(&pair(*at, **p));
    let ready: Vec<Point> = keys.iter().filter(open).filter(|p| *p != at).copied().collect();
    let ends = if ready.is_empty() || rng.one_in(6) { &all } else { &ready };
    let to = rng.pick(ends).copied().unwrap_or(*at);
    let held = plain.lights.get(at).map_or(0, |light| light.energy);
    let strength = [held, held - 1, held + 1, *energy, energy + 1, energy / 3, energy / 3, 0][rng.index(8)];
    match rng.below(if plain.lights.contains_key(at) { 9 } else { 24 }) {
        0..2 => Order::Attack(strength),
        2..6 => Order::Connect(to),
        6 => {
            let nowhere = Order::Connect(pt(-1, 300));
            let unknown = Order::Malformed(Form::UnknownCommand);
            let odd = [Order::Pass, Order::Attack(-1), Order::Attack(i64::MAX), nowhere, unknown];
            odd[rng.index(odd.len())]
        }
        7 => Order::Move(rng.between(-2, 2) as i8, rng.between(-1, 1) as i8),
        _ => {
            let goal = all[(round / 8 * 3 + player) % all.len()];
            Order::Move((goal.x - at.x).signum() as i8, (goal.y - at.y).signum() as i8)
        }
    }
}

/// An island so small that its lighthouses are soon connected.
const SMALL: &str = "\
##########
#!  !  ! #
# 0     !#
#! 3!#2  #
#    1  !#
#!  !  ! #
##########
";

#[test]
fn each_order_has_the_effect_of_the_plain_rules() {
    let mut said = BTreeSet::new();
    let mut triangles = 0;
    for (number, kind) in ["island", "lakes", "grid", "square"].into_iter().cycle().take(40).enumerate() {
        let (seats, rules) = (1 + number % 4, if number % 8 < 4 { Rules::ORIGINAL } else { Rules::SPEC });
        let generated = Position::generate(kind, Seed(number as u64), seats).unwrap();
        let map = if number % 3 == 0 { generated } else { Map::read(SMALL.as_bytes()).unwrap() };
        let mut plain = Plain::new(&map, rules, seats);
        let mut game = Position::from_map(map, &Terms { rules, seats, limit: Some(250) }).unwrap();
        let mut rng = Rng::new(Seed(number as u64));
        let mut gone = Seats::NONE;
        for round in 0..250 {
            let place = format!("match {number}, round {round}");
            plain.compare(&game, &place);
            let left = Seats::first(seats).minus(gone);
            if left.is_empty() {
                game.resolve(Joint::EMPTY, &mut (), &mut ());
            }
            for player in left.iter() {
                let order = [random_order(&plain, player.index(), round, &mut rng)];
                let failure = (seats > 2 && rng.one_in(500)).then_some(Failure::Late);
                let (entry, refused) = judge(&game, player, &order, failure, &mut ());
                game.resolve(Joint::new(&[entry]), &mut (), &mut ());
                if failure.is_some() {
                    gone = gone.with(player);
                } else {
                    let words = plain.act(player.index(), order[0]).err();
                    assert_eq!(refused.map(|refused| refused.why.words()), words, "{place}: {player} {order:?}");
                    said.extend(words);
                }
            }
            triangles += usize::from(game.triangles().next().is_some());
            (0..seats).for_each(|i| plain.players[i].score += plain.points(i));
            // After the last round no other begins.
            if round < 249 {
                plain.start_round();
            }
        }
        plain.compare(&game, &format!("match {number}, at the end"));
        assert!(game.over());
    }
    assert!(triangles > 20, "triangles were lit in only {triangles} rounds");
    assert_eq!(said.len(), 13, "every refusal of a well-formed order comes up, and one of another: {said:?}");
}
