//! Two bots play until one of them advances.

use crate::{BracketPart, Entrant, KindKey, MatchId, Spec, draw::Past, outcome::Share};
use agon_core::Flaw;

/// The largest `best-of` of an encounter.
const MOST_GAMES: u32 = 99;

/// Returns the key of the number of games after which the leader of an encounter advances.
pub(crate) const fn best_of_key(best_of: u32) -> KindKey {
    KindKey::number("best-of", best_of, "after how many games the leader of an encounter advances")
}

/// Returns the key of the match for place 3.
pub(crate) const fn third_place_key(third_place: bool) -> KindKey {
    KindKey::flag("third-place", third_place, "whether there is a match for place 3")
}

/// Checks what encounters need.
pub(crate) fn check(spec: &Spec, best_of: u32) -> Result<(), Flaw> {
    if spec.seats != 2 {
        return Err(Flaw::new(format!("an elimination is for games of two, not for {} seats", spec.seats))
            .hint("write `kind = \"swiss\"`, or choose maps with 2 seats"));
    }
    match best_of {
        1..=MOST_GAMES => Ok(()),
        _ => Err(Flaw::new(format!("an encounter cannot be the best of {best_of} games"))
            .hint(format!("write `best-of = 3`, or another number from 1 to {MOST_GAMES}"))),
    }
}

/// Returns the least and the largest number of games of so many encounters, at least and at most.
pub(crate) fn games([least, most]: [u128; 2], best_of: u32) -> Option<[u128; 2]> {
    // The winner of each encounter wins more than half of the games.
    Some([least.checked_mul(u128::from(best_of / 2 + 1))?, most.checked_mul(2 * u128::from(best_of))?])
}

/// Returns the number of encounters among so many bots of which one lost encounter puts each out but the winner.
pub(crate) fn knockout(entrants: u32, third_place: bool) -> u128 {
    u128::from(entrants.saturating_sub(1)) + u128::from(third_place && entrants > 3)
}

/// Where a bot of an encounter comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// Nobody: the other bot advances without a match.
    Nobody,
    Entrant(Entrant),
    /// The winner of an earlier encounter, by its index.
    Winner(usize),
    /// The loser of an earlier encounter.
    Loser(usize),
}

/// Two bots that play until one of them advances.
#[derive(Clone, Debug)]
pub(crate) struct Encounter {
    /// When it is played. Those with the same number are played at the same time.
    pub round: u32,
    /// The part of a double elimination. `None` in a single one.
    pub part: Option<BracketPart>,
    pub sources: [Source; 2],
    /// The encounter takes place only if the second bot of this one has won.
    pub only_after_upset: Option<usize>,
    /// The place of the loser, if it is out. `None` if it plays on.
    pub loser_place: Option<u32>,
    /// The place of the winner, if nothing follows.
    pub winner_place: Option<u32>,
    pub games: Vec<MatchId>,
    pub decided: Option<Decided>,
}

/// Who advances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decided {
    pub winner: Option<Entrant>,
    pub loser: Option<Entrant>,
}

impl Encounter {
    pub(crate) const fn new(round: u32, sources: [Source; 2]) -> Self {
        Self {
            round,
            part: None,
            sources,
            only_after_upset: None,
            loser_place: None,
            winner_place: None,
            games: Vec::new(),
            decided: None,
        }
    }
}

/// The half points of two bots: 2 for a win, 1 for a draw. A match that both lose, or without a result, gives none.
pub(crate) fn halves(past: &Past<'_>, games: &[MatchId], bots: [Entrant; 2]) -> [u32; 2] {
    let mut halves = [0; 2];
    for played in games.iter().filter_map(|id| past.result(*id)) {
        for seat in 0..2 {
            let side = usize::from(played.seats[seat] != bots[0]);
            halves[side] += match played.share(seat) {
                Share::Won => 2,
                Share::Drawn => 1,
                Share::Lost => 0,
            };
        }
    }
    halves
}

/// What follows from the games of an encounter so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// This side advances.
    Side(usize),
    /// At least so many more games are needed.
    Play(u32),
}

/// Says who advances after `games` games with these half points, or how many more games are needed.
///
/// After `best_of` games, whoever leads advances. Before that, a lead counts as soon as the rest cannot make up for it.
/// If both have equal points, one more game follows after the other, up to `best_of` of them, until one leads. If they
/// are still equal, the better seed advances.
pub(crate) fn verdict(games: u32, halves: [u32; 2], best_of: u32, better: usize) -> Verdict {
    let lead = halves[0].abs_diff(halves[1]);
    let leader = usize::from(halves[1] > halves[0]);
    let left = best_of.saturating_sub(games);
    if lead > 2 * left {
        return Verdict::Side(leader);
    }
    if games >= 2 * best_of {
        return Verdict::Side(better);
    }
    // With `more` wins the leader must be out of reach: lead + 2 more > 2 (left - more).
    let more = (2 * left - lead) / 4 + 1;
    Verdict::Play(more.min(left).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encounter_ends_as_soon_as_it_is_decided() {
        for (best_of, games, halves, wanted) in [
            (1, 0, [0, 0], Verdict::Play(1)),
            (1, 1, [2, 0], Verdict::Side(0)),
            (1, 1, [1, 1], Verdict::Play(1)),
            (1, 2, [2, 2], Verdict::Side(1)),
            (1, 2, [1, 3], Verdict::Side(1)),
            (3, 0, [0, 0], Verdict::Play(2)),
            (3, 2, [4, 0], Verdict::Side(0)),
            (3, 2, [3, 1], Verdict::Play(1)),
            (3, 2, [2, 2], Verdict::Play(1)),
            (3, 3, [3, 3], Verdict::Play(1)),
            // One game had no result.
            (3, 3, [2, 0], Verdict::Side(0)),
            (3, 4, [3, 5], Verdict::Side(1)),
            (3, 6, [6, 6], Verdict::Side(1)),
            (2, 0, [0, 0], Verdict::Play(2)),
            (2, 2, [3, 1], Verdict::Side(0)),
            (5, 0, [0, 0], Verdict::Play(3)),
            (5, 3, [2, 4], Verdict::Play(1)),
            (5, 4, [2, 6], Verdict::Side(1)),
            (5, 3, [6, 0], Verdict::Side(0)),
        ] {
            assert_eq!(verdict(games, halves, best_of, 1), wanted, "best of {best_of}: {halves:?} after {games}");
        }
    }
}
