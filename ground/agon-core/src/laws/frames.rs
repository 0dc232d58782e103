//! Laws about what viewers draw and tell.

use super::{Case, begin, play, sampled};
use crate::{Codes, Contest, Failure, Frame, Grid, Incident, Joint, Key, LawHooks, Rng, Seat, Seats, Seed, judge};
use alloc::{string::String, vec::Vec};

/// Tests that what a viewer with the eyes of a seat draws does not depend on facts hidden from the seat. Facts about
/// things follow from the frame, so the same holds for them.
pub fn frames_show_no_hidden_fact<C: Contest + LawHooks>(case: &Case<'_>) {
    let mut rng = Rng::new(Seed(case.seed).derive("hidden-frame", 0));
    play::<C>(case, |game, ply| {
        let seats = Seats::first(game.seats());
        for seat in seats.iter() {
            let Some(other) = game.with_hidden_change(seat, &mut rng) else { continue };
            assert_eq!(
                alloc::format!("{:?}", game.frame_of(seat)),
                alloc::format!("{:?}", other.frame_of(seat)),
                "ply {ply}: the frame of seat {seat} shows a hidden fact"
            );
            for of in seats.iter() {
                let numbers = |game: &C| {
                    let mut numbers = Vec::new();
                    game.measure_known(seat, of, &mut numbers);
                    numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>()
                };
                assert_eq!(numbers(game), numbers(&other), "ply {ply}: seat {seat} knows hidden numbers of {of}");
            }
        }
    });
}

/// Tests that every position can be drawn: keys are unique, classes are in the legend, each number has a name, layers
/// have their size, and nothing that is fixed changes. What is drawn for a seat keeps the same rules.
pub fn every_position_can_be_drawn<C: Contest>(case: &Case<'_>) {
    let fixed = |frame: &Frame| {
        let items = frame.items.iter().filter(|item| frame.class(item).is_some_and(|class| class.is_fixed));
        let grids = frame.grids.iter().filter(|grid| grid.is_fixed);
        alloc::format!("{:?} {:?}", items.collect::<Vec<_>>(), grids.collect::<Vec<_>>())
    };
    let mut first: Option<String> = None;
    play::<C>(case, |game, ply| {
        let seats = Seats::first(game.seats());
        let frame = game.frame();
        assert_eq!(first.get_or_insert_with(|| fixed(&frame)), &fixed(&frame), "ply {ply}: a fixed thing changed");
        well_formed(&frame, game.seats(), ply);
        for seat in seats.iter() {
            let seen = game.frame_of(seat);
            well_formed(&seen, game.seats(), ply);
            assert_eq!(fixed(&seen), fixed(&frame), "ply {ply}: all viewers get the same fixed things");
            let (mut all, mut known) = (Vec::new(), Vec::new());
            game.measure(seat, &mut all);
            game.measure_known(seat, seat, &mut known);
            assert_eq!((all.len(), known.len()), (C::SERIES.len(), C::SERIES.len()), "each number has a name");
            assert!(all.iter().all(|number| number.is_finite()), "ply {ply}: a number of seat {seat} is unknown");
        }
    });
}

pub(super) fn well_formed(frame: &Frame, seats: usize, ply: usize) {
    assert_eq!(frame.captions.len(), seats, "ply {ply}: each seat has a caption");
    let mut keys: Vec<_> = frame.items.iter().map(|item| item.key).collect();
    keys.sort_unstable();
    assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "ply {ply}: two things have the same key");
    for item in &frame.items {
        let Some(class) = frame.class(item) else { panic!("ply {ply}: the legend has no class {}", item.class) };
        assert_eq!(item.values.len(), class.values.len(), "ply {ply}: each number of a {} has a name", item.class);
        assert!(item.tip.is_empty() && item.key.cell_index().is_none(), "ply {ply}: items are not cells");
    }
    for grid in &frame.grids {
        let cells = grid.width as usize * grid.height as usize;
        assert_eq!(grid.cells.len(), cells, "ply {ply}: layer {} has a number for each cell", grid.name);
        assert_eq!(
            [grid.width, grid.height],
            [frame.grids[0].width, frame.grids[0].height],
            "layers lie on each other"
        );
        layer_means_something(frame, grid, seats, ply);
    }
    let mut names: Vec<_> = frame.grids.iter().map(|grid| grid.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "ply {ply}: two layers have the same name");
}

fn layer_means_something(frame: &Frame, grid: &Grid, seats: usize, ply: usize) {
    let (classes, codes) = match &grid.codes {
        Codes::Owners(owned, nobodys) => (alloc::vec![*owned, *nobodys], 0..=seats as i16),
        Codes::Classes(classes) => (classes.to_vec(), 0..=classes.len() as i16 - 1),
        Codes::Amounts(most) => (Vec::new(), i16::MIN..=*most),
    };
    for class in classes {
        let is_known = frame.legend.iter().any(|entry| entry.name == class);
        assert!(is_known, "ply {ply}: the legend has no class {class} of layer {}", grid.name);
    }
    let stranger = grid.cells.iter().find(|code| !codes.contains(code));
    assert_eq!(stranger, None, "ply {ply}: the number of a cell in layer {} means nothing", grid.name);
}

/// Tests that whoever does not see what happened is not told of it either: if a seat sees the same, whether another seat has
/// played or has failed, it is told the same.
pub fn incidents_tell_no_hidden_fact<C: Contest + LawHooks>(case: &Case<'_>) {
    let mut rng = Rng::new(Seed(case.seed).derive("hidden-incidents", 0));
    play::<C>(case, |game, ply| {
        let mut tmp = C::Scratch::default();
        let decisions = sampled(game, &mut rng, &mut tmp);
        for failing in game.awaiting().iter() {
            let mut turn = |failure: Option<Failure>| {
                let entries: Vec<_> = decisions
                    .iter()
                    .map(|(seat, orders)| judge(game, *seat, orders, failure.filter(|_| *seat == failing), &mut tmp).0)
                    .collect();
                let mut parts = Vec::new();
                game.clone().resolve_in_steps(Joint::new(&entries), &mut tmp, &mut |now: &C, events| {
                    let told: Vec<Incident> = events.iter().filter_map(|event| now.tell(event)).collect();
                    parts.push((now.clone(), told));
                });
                parts
            };
            let (played, failed) = (turn(None), turn(Some(Failure::Gone)));
            for watcher in Seats::first(game.seats()).iter().filter(|watcher| *watcher != failing) {
                if game.with_hidden_change(watcher, &mut rng).is_none() {
                    continue;
                }
                for ((now, told), (other, told_then)) in played.iter().zip(&failed) {
                    if now.view(watcher) != other.view(watcher) {
                        break;
                    }
                    let [told, told_then] = [told, told_then].map(|told| {
                        let learns = |incident: &&Incident| !incident.is_private || incident.seat == Some(watcher);
                        told.iter().filter(learns).collect::<Vec<_>>()
                    });
                    assert_eq!(told, told_then, "ply {ply}: seat {watcher} is told a hidden fact about seat {failing}");
                }
            }
        }
    });
}

/// Tests that what is told of a turn names things that viewers can show: those of the position before or after the part of
/// the turn. Something must be told if scores change.
pub fn incidents_name_things_on_the_board<C: Contest>(case: &Case<'_>) {
    let mut game: C = begin(case);
    let mut tmp = C::Scratch::default();
    let mut rng = Rng::new(Seed(case.seed).derive("incidents", 0));
    let mut told = 0;
    let mut before = Shown::of(&game.frame());
    for ply in 0..super::PLIES {
        if game.over() {
            break;
        }
        let decisions: Vec<(Seat, Vec<C::Order>)> = sampled(&game, &mut rng, &mut tmp);
        let entries: Vec<_> =
            decisions.iter().map(|(seat, orders)| judge(&game, *seat, orders, None, &mut tmp).0).collect();
        game.resolve_in_steps(Joint::new(&entries), &mut tmp, &mut |now: &C, events| {
            let after = Shown::of(&now.frame());
            for incident in events.iter().filter_map(|event| now.tell(event)) {
                assert!(!incident.kind.is_empty() && !incident.text.is_empty(), "ply {ply}: {incident:?} has no words");
                assert!(
                    incident.seat.is_none_or(|seat| seat.index() < now.seats()),
                    "ply {ply}: {incident:?} is of a seat that nobody has"
                );
                assert!(!incident.is_private || incident.seat.is_some(), "ply {ply}: {incident:?} is for nobody");
                for key in &incident.keys {
                    let is_shown = before.has(*key) || after.has(*key);
                    assert!(is_shown, "ply {ply}: {incident:?} is about {key:?}, which is not on the board");
                }
                told += 1;
            }
            before = after;
        });
    }
    let scored = game.standing().scores != begin::<C>(case).standing().scores;
    assert!(told > 0 || !scored, "nothing is told of a match in which scores changed");
}

/// The keys of the things in a frame.
struct Shown {
    /// The keys of the items, in ascending order.
    items: Vec<Key>,
    /// The number of cells in a layer.
    cells: usize,
}

impl Shown {
    fn of(frame: &Frame) -> Self {
        let mut items: Vec<_> = frame.items.iter().map(|item| item.key).collect();
        items.sort_unstable();
        Self { items, cells: frame.grids.first().map_or(0, |grid| grid.cells.len()) }
    }

    fn has(&self, key: Key) -> bool {
        key.cell_index().map_or_else(|| self.items.binary_search(&key).is_ok(), |index| index < self.cells)
    }
}
