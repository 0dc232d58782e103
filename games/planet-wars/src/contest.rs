//! Planet Wars as one of Agon's games: everything except its rules.

use crate::{
    arrivals::Arrivals,
    bots,
    chart::Chart,
    client::BotClient,
    coordinate::{Coordinate, digits12, shortest},
    dialogue::RefereeDialogue,
    frame,
    map::{self, Fleet, MAX_SHIPS, Map, Planet, validate},
    mapgen,
    order::{Order, Refusal},
    planets::Planets,
    position::{Board, Position, Scratch},
    rules::{Coordinates, DEFAULT_LIMIT, Limit, MAX_LIMIT, Rules, SamePair, SamePlace, SelfOrder, ZeroShips},
    turn,
};
use agon_core::{
    Bot, Client, ClockPolicy, Contest, Dialogue, Ending, Flaw, Flawed, Frame, GameInfo, Incident, IntoStep, Rng, Seat,
    Seats, Seed, Setup, State, Terms, TurnLimit, text::counted,
};
use alloc::{boxed::Box, collections::BTreeMap, format, string::String, sync::Arc, vec, vec::Vec};
use core::time::Duration;

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    /// Draws the position as a map. If single fleets are switched off, ships that arrive together become one fleet
    /// that has left from its destination.
    fn to_map(&self) -> Map {
        let planets = self.board.coordinates.iter().enumerate().map(|(id, [x, y])| Planet {
            x: x.clone(),
            y: y.clone(),
            owner: self.owner(id),
            ships: self.ships(id),
            growth: self.board.chart.growth(id),
        });
        let fleets = match &self.fleets {
            Some(fleets) => fleets.clone(),
            None => (0..2u8)
                .flat_map(|side| {
                    self.arrivals.list(side.into()).into_iter().map(move |(planet, turns, ships)| {
                        let (source, destination) = (planet as u16, planet as u16);
                        Fleet { owner: side + 1, ships, source, destination, total: turns, remaining: turns }
                    })
                })
                .collect(),
        };
        Map { planets: planets.collect(), fleets }
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        match check_map(&map, terms).and_then(|limit| check_ships(&map, limit).map(|()| limit)) {
            Ok(limit) => Ok(begin(map, terms.rules, limit, 0, Seats::NONE)),
            Err(flaw) => Err(Flawed { map, flaw }),
        }
    }

    /// `turn` is the number of the next turn, and `out` has the seats that have forfeited the match. `merged` has
    /// for each fleet, in the order of the map, the number of further orders that were merged into it. Only rules that merge
    /// orders and count fleets without ships have it.
    fn state(&self) -> State {
        let mut state = State::default();
        state.push("turn", self.turn + 1);
        state.push("out", State::list((0..2).filter(|i| self.forfeited[*i]).map(Seat::new)));
        if counts_merged(self.rules()) {
            let fleets = self.to_map().fleets;
            let mut merged = vec![0_u32; fleets.len()];
            let mut first_at = BTreeMap::new();
            for (index, fleet) in fleets.iter().enumerate() {
                let Some(at) = self.arrivals.counted_at(fleet) else { continue };
                // Only the sum of fleets that are counted together is known, so the first one has all of it.
                let first = *first_at.entry(at).or_insert_with(|| {
                    merged[index] = self.arrivals.departures(at);
                    index
                });
                merged[first] = merged[first].saturating_sub(1);
            }
            if merged.iter().any(|further| *further > 0) {
                state.push("merged", State::list(merged));
            }
        }
        state
    }

    fn from_state(map: Map, terms: &Terms<Rules>, state: &State) -> Result<Self, Flaw> {
        let items = state.read();
        items.only(&["turn", "out", "merged"])?;
        let limit = check_map(&map, terms)?;
        let turn = items.field("turn").map_or(Ok(1), |turn| turn.number(1..=i64::from(limit) + 1))? as u32 - 1;
        // The map is as much at fault as the turn. If the flaw named the item, an edit of the map would leave the turn out and
        // count the growth of all turns.
        check_ships(&map, limit - turn).map_err(|flaw| {
            flaw.hint(format!(
                "at most {MAX_SHIPS} are allowed: use fewer ships, less growth, a lower limit or a later turn"
            ))
        })?;
        let fleets = map.fleets.clone();
        let mut position = begin(map, terms.rules, limit, turn, items.seats("out", 2)?);
        if let Some(merged) = items.field("merged") {
            if !counts_merged(&terms.rules) {
                let flaw = merged.flaw("by these rules no orders are merged and counted");
                return Err(flaw.hint("leave it out; it needs `same-pair=merged` and `zero-ships=fleet`"));
            }
            for (index, item) in merged.list()?.iter().enumerate() {
                let no_fleet = || item.flaw(format!("the map has only {} fleets", fleets.len()));
                let fleet = fleets.get(index).ok_or_else(no_fleet)?;
                // More than all counts can hold together would be lost when the first of them arrive.
                let counted = position.arrivals.in_flight(usize::from(fleet.owner - 1)).fleets;
                let further = item.number(0..=i64::from(u32::MAX - counted))? as u32;
                if let Some(at) = position.arrivals.counted_at(fleet) {
                    position.arrivals.count_further(at, further);
                }
            }
        }
        Ok(position)
    }
}

/// Whether the number of orders that were merged into a fleet is part of the position.
fn counts_merged(rules: &Rules) -> bool {
    rules.zero_ships == ZeroShips::Fleet && rules.same_pair == SamePair::Merged
}

/// The position of a match of which `turn` turns are over, on a map that [`check_map`] accepts.
fn begin(map: Map, rules: Rules, limit: u32, turn: u32, forfeited: Seats) -> Position {
    let Map { planets, fleets } = map;
    let chart = Chart::new(planets.iter().map(|p| (&p.x, &p.y, p.growth)));
    let sent: Vec<_> = planets.iter().map(|p| [&p.x, &p.y].map(|c| as_sent(c, rules.coordinates))).collect();
    let seen = Chart::new(sent.iter().zip(&planets).map(|([x, y], p)| (x, y, p.growth)));
    let mut arrivals = Arrivals::new(planets.len(), seen.longest_trip());
    // In this order, arrivals beyond the ring are added at the end of their list.
    let mut by_arrival: Vec<&Fleet> = fleets.iter().collect();
    by_arrival.sort_unstable_by_key(|f| (f.remaining, f.destination, f.owner));
    for f in by_arrival {
        arrivals.add(usize::from(f.owner - 1), f.destination.into(), f.ships, f.remaining);
    }
    let mut position = Position {
        turn,
        planets: Planets::new(planets.iter().map(|p| (p.owner, p.ships, p.growth))),
        arrivals,
        fleets: Some(fleets),
        forfeited: [0, 1].map(|i| forfeited.contains(Seat::new(i))),
        ending: Ending::Unfinished,
        board: Arc::new(Board {
            rules,
            limit,
            coordinates: planets.into_iter().map(|p| [p.x, p.y]).collect(),
            seen: (seen != chart).then_some(seen),
            chart,
        }),
    };
    // Both engines check before the first turn whether both players are in the game.
    turn::conclude(&mut position);
    position
}

/// The largest number of turns by these terms.
fn limit(terms: &Terms<Rules>) -> Result<u32, Flaw> {
    let asked = terms.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&asked) {
        return Err(Flaw::new(format!("the limit must be 1 to {MAX_LIMIT} turns, not {asked}")));
    }
    Ok(asked + u32::from(terms.rules.limit == Limit::OneMore))
}

/// Refuses a map that cannot be played by these terms, whatever its ships become. Returns the largest number of turns.
fn check_map(map: &Map, terms: &Terms<Rules>) -> Result<u32, Flaw> {
    validate(map)?;
    if terms.seats != 2 {
        return Err(Flaw::new(format!("planet-wars has 2 seats, not {}", terms.seats)));
    }
    let limit = limit(terms)?;
    if terms.rules.same_place == SamePlace::Refused {
        distinct_places(&map.planets)?;
    }
    Ok(limit)
}

/// Refuses a map on which a player could have too many ships after `left` turns.
fn check_ships(map: &Map, left: u32) -> Result<(), Flaw> {
    // Growth is the only way to get more ships, because a battle leaves no more than the winner brought.
    let growth: i64 = map.planets.iter().map(|p| i64::from(p.growth)).sum();
    for player in 1..=2 {
        let docked = map.planets.iter().filter(|p| p.owner == player).map(|p| i64::from(p.ships));
        let flying = map.fleets.iter().filter(|f| f.owner == player).map(|f| i64::from(f.ships));
        let most = docked.chain(flying).sum::<i64>() + growth * i64::from(left);
        if most > i64::from(MAX_SHIPS) {
            return Err(Flaw::new(format!("player {player} could have {most} ships after {}", counted(left, "turn")))
                .hint(format!("at most {MAX_SHIPS} are allowed: use fewer ships, less growth or a lower limit")));
        }
    }
    Ok(())
}

/// Specification "Planets": no two planets have "the exact same position".
fn distinct_places(planets: &[Planet]) -> Result<(), Flaw> {
    let mut places: Vec<_> = planets.iter().enumerate().map(|(id, p)| (p.x.value(), p.y.value(), id)).collect();
    // Adding 0 makes -0 the same as 0.
    places.sort_unstable_by(|a, b| (a.0 + 0.0).total_cmp(&(b.0 + 0.0)).then((a.1 + 0.0).total_cmp(&(b.1 + 0.0))));
    match places.windows(2).find(|w| w[0].0 == w[1].0 && w[0].1 == w[1].1) {
        None => Ok(()),
        Some(pair) => {
            let (a, b) = (pair[0].2.min(pair[1].2), pair[0].2.max(pair[1].2));
            Err(Flaw::new(format!("planets {a} and {b} are at the same position"))
                .hint("move one of them, or use the rule set `original` or `playgame`, which allow it"))
        }
    }
}

/// The coordinates as they are sent to bots.
fn as_sent(coordinate: &Coordinate, how: Coordinates) -> Coordinate {
    let text: String = match how {
        Coordinates::Written => return coordinate.clone(),
        Coordinates::Digits12 => {
            let text = digits12(coordinate.value());
            // The server deletes every `.0` before a blank.
            text.strip_suffix(".0").map(String::from).unwrap_or(text)
        }
        Coordinates::Shortest => shortest(coordinate.value()),
    };
    Coordinate::read(&text).unwrap_or_else(|| coordinate.clone())
}

impl Contest for Position {
    const SERIES: &'static [&'static str] = frame::SERIES;
    const INFO: &'static GameInfo = &GameInfo {
        title: "Planet Wars",
        about: "Send fleets between planets that grow ships, and outlast the other player.",
        limit: Some(TurnLimit { default: DEFAULT_LIMIT, unit: "turns" }),
        map_kinds: mapgen::KINDS,
        bots: bots::KINDS,
        // Specification "Bot I/O": 1 second for each turn. Its two seconds before the first turn are added to the
        // first turn.
        clock: ClockPolicy { hard: Some(Duration::from_secs(1)), first: Duration::from_secs(2), ..ClockPolicy::OFF },
        decision_end: "the line `go`",
        into_step: IntoStep::Stateless,
        protocol_words: &["P", "F", "go"],
        ..GameInfo::DEFAULT
    };

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        map::parse(text)
    }

    fn print_map(map: &Map) -> String {
        map::print(map)
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        mapgen::generate(kind, seed, seats)
    }

    /// Always `false`: each number of ships would be an order of its own, which is too many to list.
    fn options(&self, _: Seat, _: &mut Scratch, _: &mut Vec<Order>) -> bool {
        false
    }

    /// Draws no order, one (mostly) or two, from random planets of the seat, with any number of ships.
    fn sample(&self, seat: Seat, rng: &mut Rng, _: &mut Scratch, out: &mut Vec<Order>) {
        out.clear();
        let planets = self.planet_count() as u64;
        // One random number makes each order: 3 bits for the number of orders, 14 for the source, 15 for the
        // destination, 32 for the ships. Small deviations from a uniform distribution do not matter here.
        let mut bits = rng.bits();
        let count = [0, 1, 1, 1, 1, 1, 1, 2][(bits >> 61) as usize];
        for index in 0..count {
            if index > 0 {
                bits = rng.bits();
            }
            let start = ((((bits >> 47) & 0x3fff) * planets) >> 14) as usize;
            let destination = ((((bits >> 32) & 0x7fff) * planets) >> 15) as i32;
            let Some(source) = self.planets.next_owned(seat.index(), start) else { return };
            let earlier = out.iter().filter(|o| o.source == source as i32);
            let left = self.planets.ships[source] - earlier.map(|o| o.ships).sum::<i32>();
            if destination != source as i32 {
                let ships = (((bits & 0xffff_ffff) * (left as u64 + 1)) >> 32) as i32;
                out.push(Order { source: source as i32, destination, ships });
            }
        }
    }

    fn dialogue(&self, _: Seat, _: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(RefereeDialogue::new(self.rules()))
    }

    fn client(_: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::default())
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        bots::bot(name, seed)
    }

    fn frame(&self) -> Frame {
        frame::frame(self)
    }

    fn measure(&self, seat: Seat, out: &mut Vec<f64>) {
        frame::measure(self, seat, out);
    }

    fn tell(&self, event: &Self::Event) -> Option<Incident> {
        Some(frame::tell(event))
    }

    /// The same position without the list of single fleets.
    fn for_simulation(self) -> Self {
        self.without_fleets()
    }

    fn tolerates(rules: &Rules, why: &Refusal) -> bool {
        matches!(why, Refusal::SamePlanet { .. }) && rules.self_order == SelfOrder::Harmless
    }
}
