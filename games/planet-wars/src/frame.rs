//! What a viewer draws: planets as discs with their ships, larger with more growth, and the fleets on their way.

use crate::position::Position;
use agon_core::{Frame, Game, ItemClass, Seat, Shape};
use alloc::{format, string::ToString, vec::Vec};

const LEGEND: &[ItemClass] = &[
    ItemClass::new("planet", &["N:10 planet of N with 10 ships", "o:10 neutral"]),
    ItemClass::new("ships", &[]),
    ItemClass::new("fleet", &[">N:10 fleet of N"]).symbol('>').moving(),
    ItemClass::new("fleet-ships", &[]).symbol('>').moving(),
    ItemClass::new("course", &["·· course"]),
];

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
    for fleet in game.fleets().unwrap_or_default() {
        let (from, to) = (places[usize::from(fleet.source)], places[usize::from(fleet.destination)]);
        let gone = 1.0 - fleet.remaining as f32 / fleet.total.max(1) as f32;
        let way = gone.clamp(0.0, 1.0);
        let at = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * way);
        let seat = Seat::from_number(fleet.owner);
        let tip = format!(
            "{} ships from planet {} to {}, {} of {} turns to go",
            fleet.ships, fleet.source, fleet.destination, fleet.remaining, fleet.total
        );
        frame.add("course", Shape::Line(at, to)).of(seat).strength(0.3);
        frame.add("fleet", Shape::Disc(at, 0.25 * unit)).of(seat).tip(tip);
        frame.add("fleet-ships", Shape::Label(at, fleet.ships.to_string())).of(seat);
    }
    for (planet, at) in places.iter().enumerate() {
        let (owner, ships, growth) = (game.owner(planet), game.ships(planet), game.chart().growth(planet));
        let seat = Seat::from_number(owner);
        let whose = seat.map_or_else(|| "neutral".to_string(), |s| format!("player {s}"));
        let tip = format!("planet {planet}, {whose}: {ships} ships, growth {growth}");
        let radius = unit * (0.45 + 0.12 * growth.min(6) as f32);
        frame.add("planet", Shape::Disc(*at, radius)).of(seat).tip(tip);
        frame.add("ships", Shape::Label(*at, ships.to_string())).of(seat);
    }
    let growth = |seat: Seat| -> i64 {
        let owned = (0..game.planet_count()).filter(|p| game.owner(*p) == seat.number());
        owned.map(|p| i64::from(game.chart().growth(p))).sum()
    };
    for seat in [0, 1].map(Seat::new) {
        let planets = (0..game.planet_count()).filter(|p| game.owner(*p) == seat.number()).count();
        let (ships, growth) = (game.total_ships(seat), growth(seat));
        frame.captions.push(format!("{ships} ships, {planets} planets, growth {growth}"));
    }
    if game.over() {
        frame.title.push_str(&format!(": {}", game.standing().ending));
    }
    frame
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
        let frame = frame(&game);
        let fleet = frame.items.iter().find(|i| i.class == "fleet").unwrap();
        assert!(matches!(fleet.shape, Shape::Disc([x, 0.0], _) if (x - 3.0).abs() < 1e-4), "{fleet:?}");
        assert_eq!(
            (fleet.seat, fleet.tip.as_str()),
            (Some(Seat::new(1)), "15 ships from planet 1 to 0, 3 of 12 turns to go")
        );
        assert_eq!(frame.title, "turn 0 of 40");
        assert_eq!(frame.captions, ["34 ships, 1 planets, growth 2", "45 ships, 1 planets, growth 5"]);
    }
}
