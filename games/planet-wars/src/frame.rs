//! What a viewer draws: planets as discs with their ships, larger with more growth, and the fleets on their way. And what it
//! tells of a turn.

use crate::{map::Fleet, order::Event, position::Position};
use agon_core::{Frame, Game, Incident, ItemClass, Key, Naming, Seat, Shape, Weight, text::counted};
use alloc::{collections::BTreeMap, format, string::ToString, vec::Vec};

const LEGEND: &[ItemClass] = &[
    ItemClass::new("planet", &["N:10#3 planet 3 of N with 10 ships", "o:10#3 neutral"])
        .named(Naming::Number(0))
        .values(&["ships", "growth"]),
    ItemClass::new("ships", &[]),
    ItemClass::new("fleet", &[">N:10 fleet of N"]).symbol('>').moving().values(&[
        "ships",
        "trip",
        "turns to go",
        "from planet",
        "to planet",
    ]),
    ItemClass::new("fleet-ships", &[]).symbol('>').moving(),
    ItemClass::new("course", &["·· course"]),
];

/// The names of the numbers of a seat.
pub(crate) const SERIES: &[&str] = &["ships", "planets", "growth"];

/// The kinds of keys.
const PLANET: u8 = 1;
const SHIPS: u8 = 2;
const FLEET: u8 = 3;
const FLEET_SHIPS: u8 = 4;
const COURSE: u8 = 5;
/// What is added to the kinds of a fleet's items if too many fleets are equal for their numbers.
const CROWD: u8 = 3;

/// Draws the position. Fleets are drawn only with the [list of single fleets](Position::without_fleets).
pub(crate) fn frame(game: &Position) -> Frame {
    let place = |planet: usize| game.chart().position(planet).map(|c| c as f32);
    let places: Vec<_> = (0..game.planet_count()).map(place).collect();
    let edge = |axis: usize, pick: fn(f32, f32) -> f32| places.iter().map(|p| p[axis]).reduce(pick).unwrap_or(0.0);
    let (low, high) = ([edge(0, f32::min), edge(1, f32::min)], [edge(0, f32::max), edge(1, f32::max)]);
    // The size of the discs follows the size of the map, which may have any scale. For the official maps the unit is
    // 1.
    let unit = ((high[0] - low[0]).max(high[1] - low[1]) / 24.0).max(1e-3);
    let mut frame = Frame {
        low: low.map(|c| c - 1.5 * unit),
        high: high.map(|c| c + 1.5 * unit),
        y_up: true,
        title: format!("turn {} of {}", game.turn(), game.limit()),
        legend: LEGEND,
        ..Frame::default()
    };
    let mut equals = BTreeMap::new();
    for (index, fleet) in game.fleets().unwrap_or_default().iter().enumerate() {
        let (from, to) = (places[usize::from(fleet.source)], places[usize::from(fleet.destination)]);
        let gone = 1.0 - fleet.remaining as f32 / fleet.total.max(1) as f32;
        let way = gone.clamp(0.0, 1.0);
        let at = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * way);
        let seat = Seat::from_number(fleet.owner);
        let (crowd, number) = match fleet_number(game, fleet, &mut equals) {
            Some(number) => (0, number),
            None => (CROWD, index as u64),
        };
        let key = |kind: u8| Key::new(kind + crowd, number);
        let values = [fleet.ships, fleet.total, fleet.remaining, fleet.source.into(), fleet.destination.into()];
        frame.add("course", key(COURSE), Shape::Line(at, to)).of(seat).strength(0.3);
        let disc = Shape::Disc(at, 0.25 * unit);
        frame.add("fleet", key(FLEET), disc).of(seat).values(&values.map(f64::from));
        frame.add("fleet-ships", key(FLEET_SHIPS), Shape::Label(at, fleet.ships.to_string())).of(seat);
    }
    for (planet, at) in places.iter().enumerate() {
        let (owner, ships, growth) = (game.owner(planet), game.ships(planet), game.chart().growth(planet));
        let seat = Seat::from_number(owner);
        let radius = unit * (0.45 + 0.12 * growth.min(6) as f32);
        let disc = frame.add("planet", Key::new(PLANET, planet as u64), Shape::Disc(*at, radius));
        disc.of(seat).values(&[ships, growth].map(f64::from));
        frame.add("ships", Key::new(SHIPS, planet as u64), Shape::Label(*at, ships.to_string())).of(seat);
    }
    for seat in [0, 1].map(Seat::new) {
        let (planets, growth) = holdings(game, seat);
        frame.captions.push(format!(
            "{}, {}, growth {growth}",
            counted(game.total_ships(seat), "ship"),
            counted(planets, "planet")
        ));
    }
    if game.over() {
        frame.title.push_str(&format!(": {}", game.standing().ending));
    }
    frame
}

/// Returns the number in the key of a fleet: its owner, its planets and the turn in which it arrives, which stay as they
/// are while it flies. `equals` counts the fleets of the position for which all of this is the same. The list keeps their
/// order. `None` from the 1,025th of them on. Only their place in the list tells those apart, and it may change.
fn fleet_number(game: &Position, fleet: &Fleet, equals: &mut BTreeMap<u64, u64>) -> Option<u64> {
    let arrival = u64::from(game.turn()).wrapping_add(fleet.remaining.max(0) as u64) % (1 << 18);
    let (from, to) = (u64::from(fleet.source) % 1024, u64::from(fleet.destination) % 1024);
    let number = ((arrival << 10 | from) << 10 | to) << 1 | u64::from(fleet.owner == 2);
    let nth = equals.entry(number).and_modify(|nth| *nth += 1).or_insert(0);
    (*nth < 1024).then_some(number << 10 | *nth)
}

/// Returns the number of planets of a seat, and the ships that they build in a turn.
fn holdings(game: &Position, seat: Seat) -> (usize, i64) {
    let owned = (0..game.planet_count()).filter(|p| game.owner(*p) == seat.number());
    owned.fold((0, 0), |(planets, growth), p| (planets + 1, growth + i64::from(game.chart().growth(p))))
}

/// Appends the numbers of a seat.
pub(crate) fn measure(game: &Position, seat: Seat, out: &mut Vec<f64>) {
    let (planets, growth) = holdings(game, seat);
    out.extend([game.total_ships(seat) as f64, planets as f64, growth as f64]);
}

/// Tells an event.
pub(crate) fn tell(event: &Event) -> Incident {
    let planet = |id: u16| Key::new(PLANET, id.into());
    match *event {
        Event::Departed { seat, source, destination, ships, trip } => {
            let (ships, trip) = (counted(ships, "ship"), counted(trip, "turn"));
            let text = format!("seat {seat} sends {ships} from planet {source} to {destination}, {trip}");
            Incident::new("departed", Weight::Other, Some(seat), text).about([planet(source), planet(destination)])
        }
        Event::Forfeited { seat } => {
            Incident::new("forfeited", Weight::Loss, Some(seat), format!("seat {seat} forfeits"))
        }
        Event::Arrived { planet: id, forces, before, after, left } => {
            let fought = forces.iter().filter(|ships| **ships > 0).count() > 1;
            let (kind, weight, seat, what) = match (Seat::from_number(before), Seat::from_number(after)) {
                (from, Some(to)) if from != Some(to) => {
                    let from = from.map_or_else(|| "neutral".to_string(), |seat| format!("of seat {seat}"));
                    let what = format!("seat {to} takes planet {id}, which was {from}");
                    ("captured", Weight::Gain, Some(to), what)
                }
                (Some(owner), _) if !fought => {
                    ("landed", Weight::Other, Some(owner), format!("ships of seat {owner} land on planet {id}"))
                }
                (Some(owner), _) => ("held", Weight::Other, Some(owner), format!("seat {owner} holds planet {id}")),
                (None, _) => ("held", Weight::Other, None, format!("planet {id} stays neutral")),
            };
            let are = if left == 1 { "is" } else { "are" };
            let text = format!("{what}: {} {are} left", counted(left, "ship"));
            Incident::new(kind, weight, seat, text).about([planet(id)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{map, rules::Rules};
    use agon_core::{Setup, Terms};

    #[test]
    fn a_fleet_is_drawn_on_its_way_in_its_owners_colour() {
        let text = b"P 0 0 1 34 2\nP 12 0 2 30 5\nF 2 15 1 0 12 3\n";
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(40) };
        let game = Position::from_map(map::parse(text).unwrap(), &terms).unwrap();
        let frame = frame(&game).spelled_out();
        let fleet = frame.items.iter().find(|i| i.class == "fleet").unwrap();
        assert!(matches!(fleet.shape, Shape::Disc([x, 0.0], _) if (x - 3.0).abs() < 1e-4), "{fleet:?}");
        assert_eq!(
            (fleet.seat, fleet.tip.as_str()),
            (Some(Seat::new(1)), "fleet, owner seat 2, ships 15, trip 12, turns to go 3, from planet 1, to planet 0")
        );
        assert_eq!(frame.title, "turn 0 of 40");
        assert_eq!(frame.captions, ["34 ships, 1 planet, growth 2", "45 ships, 1 planet, growth 5"]);
    }

    #[test]
    fn fleets_keep_their_keys_while_they_fly() {
        // Two equal fleets, and a third on the same way that arrives a turn later.
        let text = b"P 0 0 1 34 2\nP 12 0 2 30 5\nF 2 15 1 0 12 3\nF 2 16 1 0 12 3\nF 2 17 1 0 12 4\n";
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(40) };
        let mut game = Position::from_map(map::parse(text).unwrap(), &terms).unwrap();
        let fleets = |game: &Position| -> Vec<(Key, f64)> {
            let items = frame(game).items;
            items.iter().filter(|i| i.class == "fleet").map(|i| (i.key, i.values[0])).collect()
        };
        let before = fleets(&game);
        assert!(before.len() == 3 && before[0].0 != before[1].0 && before[1].0 != before[2].0);
        game.resolve(agon_core::Joint::EMPTY, &mut Default::default(), &mut ());
        assert_eq!(fleets(&game), before);
    }
    #[test]
    fn each_of_many_equal_fleets_has_its_own_keys() {
        let text = ["P 0 0 1 34 2\nP 12 0 2 30 5\n", &"F 2 0 1 0 12 3\n".repeat(1_025)].concat();
        let terms = Terms { rules: Rules::SPEC, seats: 2, limit: Some(40) };
        let mut game = Position::from_map(map::parse(text.as_bytes()).unwrap(), &terms).unwrap();
        let keys = |game: &Position| -> Vec<Key> { frame(game).items.iter().map(|item| item.key).collect() };
        let before = keys(&game);
        let mut sorted = before.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((before.len(), sorted.len()), (3 * 1_025 + 4, before.len()));
        game.resolve(agon_core::Joint::EMPTY, &mut Default::default(), &mut ());
        assert_eq!(keys(&game), before, "none has arrived, so all keep their keys");
    }
}
