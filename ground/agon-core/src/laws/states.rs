//! The laws of states: map and state together are the position.

use super::{Case, PLIES, begin, judge_all, play, sampled};
use crate::{Contest, Failure, Joint, Rng, Seed, State};
use alloc::{string::String, vec::Vec};

/// Tests that the map and the state of every position of a match give the position again, with the same future. In the
/// second match bots fail.
pub fn maps_and_states_are_the_whole_position<C: Contest>(case: &Case<'_>) {
    assert!(begin::<C>(case).round().is_none_or(|round| round > 0), "rounds count from 1");
    for failing in [false, true] {
        let mut game: C = begin(case);
        let mut tmp = C::Scratch::default();
        let mut rng = Rng::new(Seed(case.seed).derive("states", u64::from(failing)));
        let mut copy = again(case, &game, 0);
        for ply in 0..PLIES {
            if game.over() {
                break;
            }
            // From every tenth position on, the copy plays on by itself.
            if ply % 10 == 0 {
                copy = again(case, &game, ply);
            } else {
                again(case, &game, ply);
            }
            let decisions = sampled(&game, &mut rng, &mut tmp);
            let failures: Vec<Option<Failure>> = decisions
                .iter()
                .map(|_| {
                    let kinds = [Failure::Late, Failure::Gone, Failure::Nonsense];
                    (failing && rng.one_in(20)).then(|| kinds[rng.index(3)])
                })
                .collect();
            for game in [&mut game, &mut copy] {
                let entries = judge_all(game, &decisions, &failures, &mut tmp);
                game.resolve(Joint::new(&entries), &mut tmp, &mut ());
            }
            assert_eq!(
                copy.fingerprint(),
                game.fingerprint(),
                "ply {ply}: a position that was set up plays on otherwise"
            );
        }
        again(case, &game, PLIES);
    }
}

/// Sets a position up from its map and its state, and compares it.
fn again<C: Contest>(case: &Case<'_>, game: &C, ply: usize) -> C {
    let state = game.state();
    let copy = C::from_state(game.to_map(), &case.terms(), &state)
        .unwrap_or_else(|why| panic!("ply {ply}: the position cannot be set up: {why}\n{state:?}"));
    assert_eq!(copy.state(), state, "ply {ply}: the state stays the same");
    assert_eq!(copy.fingerprint(), game.fingerprint(), "ply {ply}: map and state are the whole position\n{state:?}");
    assert_eq!((copy.awaiting(), copy.over(), copy.round()), (game.awaiting(), game.over(), game.round()), "ply {ply}");
    assert_eq!(copy.standing(), game.standing(), "ply {ply}: the standing");
    copy
}

/// Tests that an empty state says that the map is everything, that an unknown item is a flaw at its path, and that any other value
/// is either a flaw or a position that can be told to bots and played.
pub fn wrong_states_are_flaws<C: Contest>(case: &Case<'_>) {
    let start: C = begin(case);
    let set_up = |state: &State| C::from_state(start.to_map(), &case.terms(), state);
    let from_map = C::from_map(start.to_map(), &case.terms()).map(|position| position.fingerprint());
    let empty = set_up(&State::default()).map(|position| position.fingerprint());
    assert_eq!(empty.ok(), from_map.ok(), "an empty state says that the map is everything");
    let mut unknown = start.state();
    unknown.name("no_such_item", 1);
    let flaw = set_up(&unknown).err().expect("an unknown item is a flaw");
    assert_eq!(flaw.item.as_deref(), Some("no_such_item"), "{flaw}");
    assert!(flaw.hint.is_some(), "{flaw}");

    let mut states = Vec::new();
    play::<C>(case, |game, ply| {
        if ply % 16 == 5 {
            states.push((game.to_map(), game.state()));
        }
    });
    let mut rng = Rng::new(Seed(case.seed).derive("wrong states", 0));
    for (map, state) in states.iter().take(12) {
        for _ in 0..40 {
            let mut changed = state.clone();
            spoil(&mut changed, &mut rng);
            match C::from_state(map.clone(), &case.terms(), &changed) {
                Err(flaw) => assert!(flaw.item.is_some(), "a flaw of a state has an item: {flaw}\n{changed:?}"),
                Ok(mut game) => {
                    let mut tmp = C::Scratch::default();
                    super::protocol::tell(&game, &[]);
                    for _ in 0..6 {
                        let decisions = if game.over() { Vec::new() } else { sampled(&game, &mut rng, &mut tmp) };
                        super::resolve(&mut game, &decisions, &mut tmp);
                        let _ = (game.frame(), game.standing(), game.state());
                    }
                }
            }
        }
    }
}

/// Changes a value somewhere in the tree.
fn spoil(state: &mut State, rng: &mut Rng) {
    let odd = |rng: &mut Rng| match rng.index(6) {
        0 => State::Number(-1),
        1 => State::Number(i64::MAX),
        2 => State::Number(rng.index(40) as i64),
        3 => State::Text(alloc::format!("{},{}", rng.index(12), rng.index(12))),
        4 => State::Text(String::from("é")),
        _ => State::List(Vec::new()),
    };
    match state {
        State::Number(number) if rng.one_in(2) => *number = number.wrapping_add(rng.index(9) as i64 - 4),
        State::List(list) if !list.is_empty() && !rng.one_in(8) => {
            let index = rng.index(list.len());
            match rng.index(6) {
                0 => drop(list.remove(index)),
                1 => list.push(list[index].clone()),
                _ => spoil(&mut list[index], rng),
            }
        }
        State::Items(items) if !items.is_empty() && !rng.one_in(10) => {
            let index = rng.index(items.len());
            if rng.one_in(8) {
                items.remove(index);
            } else {
                spoil(&mut items[index].1, rng);
            }
        }
        other => *other = odd(rng),
    }
}
