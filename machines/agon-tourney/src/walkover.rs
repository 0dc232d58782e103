//! Points without a match: byes, and wins because the opponent was withdrawn.

use crate::{
    Entrant, MatchId, Points, Spec, Withdrawn,
    ledger::{Ledger, Recorded, State},
};
use std::collections::BTreeMap;

/// A round in which a bot has no match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bye {
    pub round: u32,
    pub entrant: Entrant,
}

/// Returns the points of byes: as many wins as others had matches in the round. Under [`Points::Score`] there is no
/// score to win, so each of these matches is worth the mean of the best scores of the round, rounded down.
pub(crate) fn of_byes<'a>(
    byes: &[Bye],
    spec: &Spec,
    ledger: &Ledger,
    finished: impl Iterator<Item = (MatchId, Recorded<'a>)>,
) -> Vec<(Entrant, i64)> {
    let matches = i64::try_from(spec.block_size().unwrap_or(u128::MAX)).unwrap_or(i64::MAX);
    let mut best: BTreeMap<u32, (i128, i128)> = BTreeMap::new();
    if spec.points == Points::Score && !byes.is_empty() {
        for (id, played) in finished {
            let (sum, number) = best.entry(ledger.round(ledger.block(id))).or_default();
            *sum += i128::from(played.points.iter().max().copied().unwrap_or(0));
            *number += 1;
        }
    }
    let worth = |bye: &Bye| match spec.points.for_win() {
        Some(win) => win,
        None => best.get(&bye.round).map_or(0, |(sum, number)| sum.div_euclid(*number) as i64),
    };
    byes.iter().map(|bye| (bye.entrant, worth(bye).saturating_mul(matches))).collect()
}

/// Returns the points of wins because the opponent was withdrawn before the match, in a game for two. `plays` says whether
/// a bot would have played a match, and `counts` whether its matches count.
pub(crate) fn of_forfeits(
    spec: &Spec,
    ledger: &Ledger,
    plays: impl Fn(MatchId, Entrant) -> bool,
    counts: impl Fn(Entrant) -> bool,
) -> Vec<(Entrant, i64)> {
    let Some(win) = spec.points.for_win().filter(|_| spec.seats == 2) else { return Vec::new() };
    let mut forfeits = Vec::new();
    for (id, _) in ledger.states().filter(|(_, state)| *state == State::Skipped) {
        let seats = ledger.seats(id);
        if seats.iter().all(|entrant| counts(*entrant)) {
            forfeits.extend(seats.iter().filter(|entrant| plays(id, **entrant)).map(|winner| (*winner, win)));
        }
    }
    forfeits
}

/// Returns for each bot whether it was withdrawn and none of its matches counts. `planned_of` gives the number of all
/// matches of a bot, if the kind of tournament fixes it.
pub(crate) fn erased(
    spec: &Spec,
    ledger: &Ledger,
    withdrawn: &[bool],
    planned_of: impl Fn(Entrant) -> Option<u128>,
) -> Vec<bool> {
    match spec.withdrawn {
        Withdrawn::Void => withdrawn.to_vec(),
        Withdrawn::Lose => vec![false; withdrawn.len()],
        Withdrawn::ByShare if !withdrawn.contains(&true) => vec![false; withdrawn.len()],
        Withdrawn::ByShare => {
            let mut played = vec![0_u128; withdrawn.len()];
            for (_, finished) in ledger.finished() {
                for entrant in finished.seats {
                    played[entrant.index()] += 1;
                }
            }
            let is_erased = |(number, played): (u32, &u128)| {
                let half = planned_of(Entrant(number)).is_some_and(|all| 2 * played < all);
                withdrawn[number as usize] && half
            };
            (0..).zip(&played).map(is_erased).collect()
        }
    }
}
