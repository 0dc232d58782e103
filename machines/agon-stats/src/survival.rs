//! How many matches a first place depends on.
//!
//! Intervals say how much results scatter if the matches were a random sample. Some first places hang on a few matches even
//! where intervals look safe (J. Huang and others, "Dropping just a handful of preferences can change top large language model
//! rankings", 2025). Which matches, is found greedily: the one that lifts the leader most over a rival is left out first.

use crate::{
    bradley_terry::BradleyTerry,
    encounter::{Advantage, Encounter, usable},
    errors::Errors,
    fit::{Fit, Prior},
};

/// How the first place falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fall {
    /// The bot in the first place.
    pub leader: usize,
    /// The bot that would have it.
    pub rival: usize,
    /// The number of matches that were left out for that. Another choice may need fewer, so the first place is at most this
    /// strong.
    pub matches: u64,
}

/// The number of rivals that are tried: those next to the first place.
const RIVALS: usize = 4;

/// One match of an encounter, and how much the leader gains by it over the rival.
struct Gain {
    encounter: usize,
    /// 0: won by the first bot, 1: drawn, 2: lost.
    result: usize,
    matches: f64,
    each: f64,
}

/// Who is first when matches are left out.
enum Order {
    Kept,
    Fallen,
    /// Nothing is left that compares the leader with the rival.
    Unknown,
}

/// Returns how the first place falls with the fewest matches left out, as far as a greedy search knows. `None` if there is more
/// than one group, each of which has a first place; or if no choice of matches makes the leader fall before the leader is compared
/// with nobody. Encounters that [`BradleyTerry::new`] leaves out do not count.
#[must_use]
pub fn survival(bots: usize, advantage: Advantage, encounters: &[Encounter]) -> Option<Fall> {
    let counted = encounters.iter().copied().filter(|encounter| usable(encounter, bots, advantage));
    let encounters: Vec<Encounter> = counted.collect();
    let mut league = BradleyTerry::new(bots, advantage, encounters.iter().copied());
    let fit = league.fit(Prior::WhereNeeded, Errors::Diagonal)?;
    if fit.group_count > 1 {
        return None;
    }
    let mut order: Vec<usize> = (0..bots).collect();
    order.sort_by(|a, b| fit.strengths[*b].total_cmp(&fit.strengths[*a]));
    let leader = *order.first()?;
    let rivals = order[1..].iter().copied();
    let prior = Prior::Always(fit.prior.unwrap_or(1e-6));
    let falls = rivals.take(RIVALS).filter_map(|rival| {
        let matches = fall(bots, advantage, &encounters, &fit, prior, leader, rival)?;
        Some(Fall { leader, rival, matches })
    });
    falls.min_by_key(|fall| fall.matches)
}

/// Returns the number of matches without which the rival is above the leader.
fn fall(
    bots: usize,
    advantage: Advantage,
    encounters: &[Encounter],
    fit: &Fit,
    prior: Prior,
    leader: usize,
    rival: usize,
) -> Option<u64> {
    let gains = gains(encounters, fit, leader, rival);
    let most = gains.iter().map(|gain| gain.matches).sum::<f64>() as u64;
    let mut near = fit.clone();
    let mut without = |left_out: u64| {
        let mut kept = encounters.to_vec();
        let mut open = left_out as f64;
        for gain in &gains {
            let part = gain.matches.min(open);
            let encounter = &mut kept[gain.encounter];
            *[&mut encounter.wins, &mut encounter.draws, &mut encounter.losses][gain.result] -= part;
            open -= part;
            if open <= 0.0 {
                break;
            }
        }
        let fit = BradleyTerry::new(bots, advantage, kept).fit_near(&near, prior, Errors::Diagonal)?;
        // A tie is not a fall, and rounding must not make one of it.
        let ahead = fit.strengths[rival] - fit.strengths[leader];
        let order = match fit.groups[leader] == fit.groups[rival] {
            false => Order::Unknown,
            true if ahead > 1e-7 => Order::Fallen,
            true => Order::Kept,
        };
        near = fit;
        Some(order)
    };
    // The first number of matches that is enough: doubled until it is, halved where nothing is left to compare, and then halved
    // towards the last one that was not enough.
    let (mut kept, mut enough, mut too_many) = (0, 1, most.saturating_add(1));
    loop {
        if enough >= too_many || enough <= kept {
            return None;
        }
        match without(enough)? {
            Order::Fallen => break,
            Order::Kept => kept = enough,
            Order::Unknown => too_many = enough,
        }
        enough = if too_many > most { enough.saturating_mul(2).min(most) } else { u64::midpoint(kept, too_many) };
    }
    while enough - kept > 1 {
        let middle = u64::midpoint(kept, enough);
        match without(middle)? {
            Order::Fallen => enough = middle,
            Order::Kept | Order::Unknown => kept = middle,
        }
    }
    Some(enough)
}

/// Returns what the leader gains over the rival by each match, largest first, to the first order.
fn gains(encounters: &[Encounter], fit: &Fit, leader: usize, rival: usize) -> Vec<Gain> {
    // How a push on each bot moves the difference of both: the diagonal of the Hessian stands for all of it.
    let push = |bot: u32| match bot as usize {
        bot if bot == leader => fit.errors[leader].powi(2),
        bot if bot == rival => -fit.errors[rival].powi(2),
        _ => 0.0,
    };
    let mut gains = Vec::new();
    for (number, encounter) in encounters.iter().enumerate() {
        let (first, second) = (encounter.first as usize, encounter.second as usize);
        let reach = push(encounter.first) - push(encounter.second);
        if reach == 0.0 {
            continue;
        }
        let advantage = fit.advantages.get(encounter.advantage as usize).copied().unwrap_or(0.0);
        let expected = 1.0 / (1.0 + libm::exp(fit.strengths[second] - fit.strengths[first] - advantage));
        let counts = [(encounter.wins, 1.0), (encounter.draws, 0.5), (encounter.losses, 0.0)];
        for (result, (matches, points)) in counts.into_iter().enumerate() {
            let each = reach * (points - expected);
            if matches >= 1.0 && each > 0.0 {
                gains.push(Gain { encounter: number, result, matches: matches.floor(), each });
            }
        }
    }
    gains.sort_by(|a, b| b.each.total_cmp(&a.each));
    gains
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encounter(first: u32, second: u32, wins: f64, losses: f64) -> Encounter {
        Encounter { first, second, wins, losses, ..Encounter::default() }
    }

    #[test]
    fn a_first_place_by_two_wins_falls_with_three() {
        let games = [encounter(0, 1, 6.0, 4.0)];
        let fall = survival(2, Advantage::None, &games).expect("it can fall");
        assert_eq!(fall, Fall { leader: 0, rival: 1, matches: 3 });
    }

    #[test]
    fn a_first_place_that_nothing_shakes() {
        // Whatever is left out of ten wins, the loser is never above.
        assert_eq!(survival(2, Advantage::None, &[encounter(0, 1, 10.0, 0.0)]), None);
        // Nobody to compare with.
        assert_eq!(survival(1, Advantage::None, &[]), None);
        assert_eq!(survival(0, Advantage::None, &[]), None);
        assert_eq!(survival(3, Advantage::None, &[encounter(1, 2, 1.0, 1.0)]), None);
    }

    #[test]
    fn each_group_has_a_first_place() {
        let games = [encounter(0, 1, 6.0, 4.0), encounter(2, 3, 5.0, 5.0)];
        assert!(survival(2, Advantage::None, &games[..1]).is_some());
        assert_eq!(survival(4, Advantage::None, &games), None);
    }

    #[test]
    fn a_first_place_falls_before_nothing_compares() {
        // Without all seven wins, nothing compares the first bot with anybody. Without five of them, the second has more.
        let games = [encounter(0, 2, 7.0, 0.0), encounter(1, 2, 3.0, 0.0)];
        assert_eq!(survival(3, Advantage::None, &games), Some(Fall { leader: 0, rival: 1, matches: 5 }));
    }

    #[test]
    fn matches_that_the_league_leaves_out_are_not_counted() {
        let games = [encounter(0, 1, 6.0, 4.0)];
        let expected = survival(2, Advantage::None, &games);
        for left_out in [
            encounter(0, 7, 5.0, 0.0),
            encounter(9, 1, 0.0, 5.0),
            encounter(0, 0, 5.0, 0.0),
            encounter(0, 1, 9.0, -1.0),
            encounter(0, 1, 9.0, f64::NAN),
            encounter(0, 1, f64::INFINITY, 0.0),
        ] {
            assert_eq!(survival(2, Advantage::None, &[left_out, games[0]]), expected, "{left_out:?}");
        }
        let other_map = Encounter { advantage: 3, ..encounter(0, 1, 9.0, 0.0) };
        let numbered = Advantage::Numbered(2);
        assert_eq!(survival(2, numbered, &[other_map, games[0]]), survival(2, numbered, &games));
    }

    #[test]
    fn wins_against_others_count_too() {
        let games = [encounter(0, 1, 10.0, 10.0), encounter(0, 2, 18.0, 2.0), encounter(1, 2, 16.0, 4.0)];
        let fall = survival(3, Advantage::None, &games).expect("it can fall");
        assert_eq!((fall.leader, fall.rival), (0, 1));
        assert!((1..=4).contains(&fall.matches), "{fall:?}");
    }
}
