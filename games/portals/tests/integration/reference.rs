//! Compares the game with a second, plain reading of the same rules, which stores no field, counts nothing ahead, and
//! undoes an action by going back to a copy.

use agon_core::{Contest, Game, Joint, Rng, Seat, Seed, Setup, Terms, geometry::Point, geometry::pt, judge};
use agon_portals::{
    Order::{self, Capture, Link, Move, Neutralise, Shield, Turbo},
    Position, Rules, Scratch, Turn, View, error_code,
};
use std::collections::BTreeSet;

type Pair = (Point, Point);
type Corners = [Point; 3];

/// A portal: its owner (-1, 0 or 1), and its shields.
#[derive(Clone, Copy)]
struct Portal {
    at: Point,
    owner: i32,
    shields: i32,
}

#[derive(Clone)]
struct Plain {
    side: i32,
    rules: Rules,
    portals: Vec<Portal>,
    /// The ends of each link, in ascending order.
    links: BTreeSet<Pair>,
    agents: [Point; 2],
    action_points: [i32; 2],
    move_points: [i32; 2],
    scores: [i64; 2],
}

/// Twice the signed area of a triangle.
fn twice(a: Point, b: Point, c: Point) -> i32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn inside(p: Point, [a, b, c]: Corners) -> bool {
    let sides = [twice(a, b, p), twice(b, c, p), twice(c, a, p)];
    sides.iter().all(|s| *s > 0) || sides.iter().all(|s| *s < 0)
}

/// Whether two links interfere. Two segments touch if the ends of each lie on different sides of the other one or on it,
/// and both do so in x and in y. They may touch only where both end.
fn interfere((a, b): Pair, (c, d): Pair) -> bool {
    let apart = |p: Point, q: Point, r: Point, s: Point| twice(p, q, r).signum() * twice(p, q, s).signum();
    let straight = twice(a, b, c) == 0 && twice(a, b, d) == 0;
    if straight {
        // On one line, in the order of points along it: they interfere if they share more than one point.
        return a.max(c) < b.min(d);
    }
    apart(a, b, c, d) <= 0 && apart(c, d, a, b) <= 0 && ![a, b].iter().any(|end| [c, d].contains(end))
}

fn pair(a: Point, b: Point) -> Pair {
    (a.min(b), a.max(b))
}

impl Plain {
    fn new(game: &Position) -> Self {
        let view = game.view(Seat::new(0));
        let portals = view.portals().iter().map(|at| Portal { at: *at, owner: -1, shields: 0 }).collect();
        Self {
            side: view.side(),
            rules: view.rules(),
            portals,
            links: BTreeSet::new(),
            agents: view.starts(),
            action_points: [42; 2],
            move_points: [6; 2],
            scores: [0; 2],
        }
    }

    fn portal(&self, at: Point) -> Option<usize> {
        self.portals.iter().position(|p| p.at == at)
    }

    fn owner(&self, at: Point) -> i32 {
        self.portal(at).map_or(-2, |i| self.portals[i].owner)
    }

    fn linked(&self, a: Point, b: Point) -> bool {
        self.links.contains(&pair(a, b))
    }

    fn fields(&self) -> BTreeSet<Corners> {
        let mut fields = BTreeSet::new();
        for (a, b) in &self.links {
            let thirds = self.portals.iter().map(|p| p.at).filter(|c| c > b);
            fields.extend(thirds.filter(|c| self.linked(*a, *c) && self.linked(*b, *c)).map(|c| [*a, *b, c]));
        }
        fields
    }

    fn in_field(&self, p: Point) -> bool {
        self.fields().into_iter().any(|field| inside(p, field))
    }

    fn income(&self, player: usize) -> i64 {
        let own = self.fields().into_iter().filter(|field| self.owner(field[0]) == player as i32);
        own.map(|[a, b, c]| i64::from(twice(a, b, c).abs())).sum()
    }

    fn start_turn(&mut self, player: usize) {
        (self.action_points[player], self.move_points[player]) = (42, 6);
    }

    /// Does an action of a player. Returns the value of `erreur`.
    fn act(&mut self, player: usize, action: Order) -> u8 {
        let before = self.clone();
        let error = self.attempt(player, action).err().unwrap_or(0);
        if error > 0 {
            *self = before;
        }
        error
    }

    fn pay(&mut self, player: usize, cost: i32) -> Result<(), u8> {
        self.action_points[player] -= cost;
        if self.action_points[player] < 0 { Err(1) } else { Ok(()) }
    }

    /// Does an action as far as the rules allow it.
    fn attempt(&mut self, player: usize, action: Order) -> Result<(), u8> {
        let me = player as i32;
        let at = self.agents[player];
        let here = self.portal(at);
        let map = 0..self.side;
        let on_map = |p: Point| map.contains(&p.x) && map.contains(&p.y);
        match action {
            Move(to) => {
                if !on_map(to) {
                    return Err(3);
                }
                self.move_points[player] -= (to.x - at.x).abs() + (to.y - at.y).abs();
                self.agents[player] = to;
                if self.move_points[player] < 0 { Err(4) } else { Ok(()) }
            }
            Turbo => {
                self.move_points[player] += 1;
                self.pay(player, 6)
            }
            Capture => {
                self.pay(player, 3)?;
                let portal = &mut self.portals[here.ok_or(2)?];
                match portal.owner {
                    -1 => portal.owner = me,
                    owner => return Err(if owner == me { 5 } else { 7 }),
                }
                self.scores[player] += 10;
                Ok(())
            }
            Link(to) => {
                self.pay(player, 2)?;
                if !on_map(to) {
                    return Err(3);
                }
                self.portal(to).and(here).ok_or(2)?;
                if to == at {
                    return Err(10);
                }
                for end in [at, to] {
                    match self.owner(end) {
                        -1 => return Err(6),
                        owner if owner != me => return Err(7),
                        _ => {}
                    }
                }
                if self.links.iter().any(|link| interfere(*link, pair(at, to))) {
                    return Err(8);
                }
                if self.in_field(at) || self.in_field(to) {
                    return Err(9);
                }
                self.links.insert(pair(at, to));
                Ok(())
            }
            Neutralise => {
                let portal = here.ok_or(2)?;
                self.pay(player, 10 + 5 * self.portals[portal].shields)?;
                match self.portals[portal].owner {
                    -1 => return Err(6),
                    owner if owner == me => return Err(5),
                    _ => self.portals[portal] = Portal { at, owner: -1, shields: 0 },
                }
                self.links.retain(|(a, b)| *a != at && *b != at);
                Ok(())
            }
            Shield => {
                let portal = &mut self.portals[here.ok_or(2)?];
                match portal.owner {
                    -1 => return Err(6),
                    owner if owner != me => return Err(7),
                    _ if portal.shields == 6 => return Err(11),
                    _ => portal.shields += 1,
                }
                let present = portal.shields - 1;
                self.pay(player, if self.rules == Rules::ORIGINAL { 3 + present } else { 3 })
            }
        }
    }

    /// Compares the answers to the questions of the API, except the history.
    fn compare(&self, view: View<'_>, place: &str) {
        for player in 0..2 {
            let asked = player as i32;
            assert_eq!(view.agent(asked), Some(self.agents[player]), "{place}");
            assert_eq!(view.score(asked), Some(self.scores[player]), "{place}");
            assert_eq!(view.income(asked), Some(self.income(player)), "{place}");
        }
        let me = view.me() as usize;
        let points = (self.action_points[me], self.move_points[me]);
        assert_eq!((view.action_points(), view.move_points()), points, "{place}");
        for portal in &self.portals {
            assert_eq!((view.owner(portal.at), view.shields(portal.at)), (portal.owner, portal.shields), "{place}");
            assert_eq!(view.in_field(portal.at), self.in_field(portal.at), "{place}: {:?}", portal.at);
        }
        let links = view.links().iter().map(|link| (link.ends[0], link.ends[1], link.owner)).collect::<Vec<_>>();
        let expected = self.links.iter().map(|(a, b)| (*a, *b, self.owner(*a))).collect::<Vec<_>>();
        assert_eq!(links, expected, "{place}");
        let fields = view.fields();
        assert!(fields.iter().all(|field| field.owner == self.owner(field.corners[0])), "{place}");
        assert_eq!(fields.iter().map(|field| field.corners).collect::<BTreeSet<_>>(), self.fields(), "{place}");
        assert_eq!(fields.len(), self.fields().len(), "{place}: every field once");
    }

    /// Compares what the opponent is told of a turn: the difference of this state, its end, and the one before it.
    fn compare_history(&self, before: &Self, player: usize, view: View<'_>, place: &str) {
        let (me, other) = (player as i32, 1 - player as i32);
        let both = || before.portals.iter().zip(&self.portals);
        let now = |keep: &dyn Fn(&Portal, &Portal) -> bool| -> Vec<Point> {
            both().filter(|(old, new)| keep(old, new)).map(|(_, new)| new.at).collect()
        };
        assert_eq!(view.captured(), now(&|old, new| old.owner != me && new.owner == me), "{place}");
        assert_eq!(view.neutralised(), now(&|old, new| old.owner == other && new.owner != other), "{place}");
        let more = both().flat_map(|(old, new)| vec![new.at; (new.shields - old.shields).max(0) as usize]);
        assert_eq!(view.new_shields(), more.collect::<Vec<_>>(), "{place}");
        let is_new = |(a, b): &Pair| !before.linked(*a, *b) || before.owner(*a) != self.owner(*a);
        let links: Vec<Pair> = self.links.iter().copied().filter(is_new).collect();
        assert_eq!(
            view.new_links().iter().map(|link| (link.ends[0], link.ends[1])).collect::<Vec<_>>(),
            links,
            "{place}"
        );
        let old = before.fields();
        let is_new = |field: &Corners| !old.contains(field) || before.owner(field[0]) != self.owner(field[0]);
        let fields: BTreeSet<Corners> = self.fields().into_iter().filter(is_new).collect();
        assert_eq!(view.new_fields().iter().map(|field| field.corners).collect::<BTreeSet<_>>(), fields, "{place}");
    }
}

/// An action that often does something, and often is refused.
fn random_action(state: &Plain, player: usize, rng: &mut Rng) -> Order {
    let at = state.agents[player];
    let portals: Vec<Point> = state.portals.iter().map(|p| p.at).collect();
    let near = |p: &Point| (p.x - at.x).abs() + (p.y - at.y).abs() <= state.move_points[player];
    let reached: Vec<Point> = portals.iter().copied().filter(near).collect();
    let anywhere = pt(rng.between(-1, state.side), rng.between(-1, state.side));
    let own: Vec<Point> = portals.iter().copied().filter(|p| state.owner(*p) == player as i32).collect();
    let go = Move(rng.pick(&reached).copied().unwrap_or(anywhere));
    let ends = if rng.one_in(6) { &portals } else { &own };
    let link = Link(rng.pick(ends).copied().unwrap_or(anywhere));
    if rng.one_in(9) {
        return [Move(anywhere), Link(anywhere), Turbo, Capture, Neutralise, Shield][rng.index(6)];
    }
    match state.owner(at) {
        -1 => [Capture, Capture, go][rng.index(3)],
        -2 => [go, go, Turbo][rng.index(3)],
        owner if owner == player as i32 => [link, link, link, go, Shield][rng.index(5)],
        _ => [Neutralise, go][rng.index(2)],
    }
}

#[test]
fn each_call_has_the_effect_of_the_plain_rules() {
    let mut refused = BTreeSet::new();
    for (seed, kind) in ["crowded", "queens", "scattered"].into_iter().cycle().take(18).enumerate() {
        let rules = if seed % 2 == 0 { Rules::ORIGINAL } else { Rules::SPEC };
        let mut rng = Rng::new(Seed(seed as u64));
        let mut map = Position::generate(kind, Seed(seed as u64), 2).unwrap();
        // On a small part of the map the agents meet.
        map.side = rng.between(6, 12);
        map.portals.retain(|p| p.x < map.side && p.y < map.side);
        map.starts = [pt(0, 0), pt(map.side - 1, map.side - 1)];
        let mut game = Position::from_map(map, &Terms { rules, seats: 2, limit: Some(40) }).unwrap();
        let mut plain = Plain::new(&game);
        let mut tmp = Scratch::default();
        while let Some(seat) = game.awaiting().iter().next() {
            let player = seat.index();
            let place = format!("seed {seed}, round {}, player {player}", game.view(seat).round());
            plain.start_turn(player);
            let before = plain.clone();
            let mut past = Vec::new();
            let mut turn = Turn::open(&game, seat);
            for _ in 0..rng.below(16) {
                if rng.one_in(8) {
                    assert_eq!(turn.undo(), !past.is_empty(), "{place}");
                    plain = past.pop().unwrap_or(plain);
                } else {
                    let action = random_action(&plain, player, &mut rng);
                    let (was, error) = (plain.clone(), plain.act(player, action));
                    assert_eq!(error_code(turn.act(action)), error, "{place}: {action:?}");
                    refused.insert(error);
                    if error == 0 {
                        past.push(was);
                    }
                }
                plain.compare(turn.view(), &place);
            }
            assert_eq!(turn.actions().len(), past.len(), "{place}");
            let (entry, failed) = judge(&game, seat, turn.actions(), None, &mut tmp);
            assert!(failed.is_none(), "{place}");
            game.resolve(Joint::new(&[entry]), &mut tmp, &mut ());
            plain.scores[player] += plain.income(player);
            plain.compare(game.view(seat), &place);
            plain.compare_history(&before, player, game.view(Seat::new(1 - player)), &place);
        }
        assert_eq!(game.standing().scores, plain.scores);
    }
    assert_eq!(refused, (0..=11).collect(), "every error comes up");
}
