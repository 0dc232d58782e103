//! Random matches, on which the laws are tested.

use super::Case;
use crate::{Contest, Entry, Failure, Joint, Rng, Seat, Seed, judge};
use alloc::vec::Vec;

/// How many plies of a match a law plays at most.
pub(super) const PLIES: usize = 400;

pub(super) fn begin<C: Contest>(case: &Case<'_>) -> C {
    case.start().unwrap_or_else(|e| panic!("the case {case:?} cannot start: {e}"))
}

/// Returns a random lawful decision for every awaited seat.
pub(super) fn sampled<C: Contest>(game: &C, rng: &mut Rng, tmp: &mut C::Scratch) -> Vec<(Seat, Vec<C::Order>)> {
    let decide = |seat| {
        let mut orders = Vec::new();
        game.sample(seat, rng, tmp, &mut orders);
        (seat, orders)
    };
    game.awaiting().iter().map(decide).collect()
}

pub(super) fn resolve<C: Contest>(game: &mut C, decisions: &[(Seat, Vec<C::Order>)], tmp: &mut C::Scratch) {
    let entries = judge_all(game, decisions, &[], tmp);
    game.resolve(Joint::new(&entries), tmp, &mut ());
}

/// Judges the decisions of a turn. `failures` has how their seats broke down; none did if it is shorter.
pub(super) fn judge_all<'a, C: Contest>(
    game: &C,
    decisions: &'a [(Seat, Vec<C::Order>)],
    failures: &[Option<Failure>],
    tmp: &mut C::Scratch,
) -> Vec<Entry<'a, C::Order>> {
    let failures = failures.iter().copied().chain(core::iter::repeat(None));
    let judged = |((seat, orders), failure): (&'a (Seat, Vec<C::Order>), _)| judge(game, *seat, orders, failure, tmp).0;
    decisions.iter().zip(failures).map(judged).collect()
}

/// Plays random lawful decisions. Before each ply it calls `each` for every awaited seat with the position and its
/// decision.
pub(super) fn walk<C: Contest>(case: &Case<'_>, mut each: impl FnMut(&C, &mut C::Scratch, usize, Seat, &[C::Order])) {
    let mut game: C = begin(case);
    let mut tmp = C::Scratch::default();
    let mut rng = Rng::new(Seed(case.seed).derive("walk", 0));
    for ply in 0..PLIES {
        if game.over() {
            break;
        }
        let decisions = sampled(&game, &mut rng, &mut tmp);
        for (seat, orders) in &decisions {
            each(&game, &mut tmp, ply, *seat, orders);
        }
        resolve(&mut game, &decisions, &mut tmp);
    }
}

/// Plays random lawful decisions. It calls `each` with every position and returns the last one.
pub(super) fn play<C: Contest>(case: &Case<'_>, mut each: impl FnMut(&C, usize)) -> C {
    let mut game: C = begin(case);
    let mut tmp = C::Scratch::default();
    let mut rng = Rng::new(Seed(case.seed).derive("play", 0));
    for ply in 0..PLIES {
        each(&game, ply);
        if game.over() {
            break;
        }
        let decisions = sampled(&game, &mut rng, &mut tmp);
        resolve(&mut game, &decisions, &mut tmp);
    }
    game
}
