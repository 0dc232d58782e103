//! Tournaments that play themselves: what a match brings follows from its bots and its seed alone.

use agon_core::{Rng, Seed};
use agon_tourney::{Amendment, Entrant, MatchId, Outcome, Pairing, Schedule, SeatResult, Spec, Standings};
use std::collections::BTreeMap;

/// Everything that a tournament has drawn, and its table.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    pub pairings: Vec<Pairing>,
    pub standings: Standings,
    pub amendments: Vec<Amendment>,
    pub outcomes: Vec<(MatchId, Outcome)>,
}

/// What becomes of a match. Bots with small numbers are stronger; some matches are drawn, and some have no result.
pub fn outcome(pairing: &Pairing) -> Outcome {
    outcome_of(pairing, 0)
}

/// What becomes of a match that was played some times before.
pub fn outcome_of(pairing: &Pairing, before: u64) -> Outcome {
    let mut rng = Rng::new(pairing.seed.derive("test", pairing.id.0 + (before << 32)));
    if rng.one_in(40) {
        return Outcome::NoResult;
    }
    let scores: Vec<i64> = pairing.seats.iter().map(|bot| i64::from(rng.below(9)) - i64::from(bot.0)).collect();
    finished(&scores)
}

/// A finished match with these scores.
pub fn finished(scores: &[i64]) -> Outcome {
    let place = |score: &i64| 1 + scores.iter().filter(|other| *other > score).count() as u8;
    Outcome::Finished(scores.iter().map(|score| SeatResult::new(place(score), *score)).collect())
}

/// Plays one match after the other.
pub fn play(spec: &Spec) -> Played {
    play_by(spec, outcome)
}

/// Plays one match after the other with outcomes made by `outcome`.
pub fn play_by(spec: &Spec, mut outcome: impl FnMut(&Pairing) -> Outcome) -> Played {
    let mut schedule = Schedule::new(spec.clone()).expect("a tournament that can be played");
    let mut outcomes = Vec::new();
    while let Some(pairing) = schedule.next(1).pop() {
        let outcome = outcome(&pairing);
        outcomes.push((pairing.id, outcome.clone()));
        schedule.record(pairing.id, outcome).expect("an outcome that fits");
    }
    assert!(schedule.is_complete());
    result(&schedule, outcomes)
}

pub fn result(schedule: &Schedule, mut outcomes: Vec<(MatchId, Outcome)>) -> Played {
    outcomes.sort_by_key(|(id, _)| *id);
    let drawn = schedule.progress().drawn;
    assert_eq!(schedule.planned(), Some(drawn), "a complete tournament knows its size");
    Played {
        pairings: (1..=drawn).map(|id| schedule.pairing(MatchId(id)).expect("a match that was drawn")).collect(),
        standings: schedule.standings(),
        amendments: schedule.amendments().to_vec(),
        outcomes,
    }
}

/// A decision of the organiser as soon as a match is recorded.
#[derive(Clone, Copy, Debug)]
pub enum Decision {
    Withdraw(Entrant),
    /// The finished match with the smallest number that still counts.
    VoidOne,
    /// A withdrawn bot plays again.
    Readmit(Entrant),
    /// The match with the smallest number that is over and can be played again.
    RerunOne,
    /// Every second one of the matches that are over.
    RerunMany,
    Extend {
        entrants: u32,
        rounds: u32,
    },
}

/// Plays up to `at_once` matches at the same time. They end in an order that `chaos` draws. After some of them, the
/// process dies: the matches that run are lost, and the schedule is made anew from what was recorded.
///
/// Each decision is made as soon as that many matches are recorded.
pub fn play_in_chaos(spec: &Spec, at_once: usize, chaos: Seed, decisions: &[(usize, Decision)]) -> Played {
    let mut rng = Rng::new(chaos);
    let mut schedule = Schedule::new(spec.clone()).expect("a tournament that can be played");
    let mut outcomes: Vec<(MatchId, Outcome)> = Vec::new();
    let mut running: Vec<Pairing> = Vec::new();
    let mut reruns = 0;
    let mut decisions = decisions.iter().peekable();
    loop {
        while let Some((_, decision)) = decisions.next_if(|(after, _)| outcomes.len() >= *after) {
            let decided = match *decision {
                Decision::Withdraw(entrant) => schedule.withdraw(entrant),
                Decision::VoidOne => {
                    let ids = outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Finished(_)));
                    match ids.map(|(id, _)| *id).filter(|id| !schedule.is_void(*id)).min() {
                        Some(id) => schedule.void(id),
                        None => continue,
                    }
                }
                Decision::Readmit(entrant) => schedule.readmit(entrant).map(|(amendment, _)| amendment),
                Decision::RerunOne => {
                    outcomes.sort_by_key(|(id, _)| *id);
                    let again = |(id, was): &(MatchId, Outcome)| schedule.rerun(*id, was.clone()).ok();
                    let Some((at, amendment)) =
                        outcomes.iter().map(again).enumerate().find_map(|(at, decided)| Some((at, decided?)))
                    else {
                        continue;
                    };
                    outcomes.remove(at);
                    reruns += 1;
                    Ok(amendment)
                }
                Decision::RerunMany => {
                    outcomes.sort_by_key(|(id, _)| *id);
                    let again: BTreeMap<MatchId, Outcome> = outcomes.iter().step_by(2).cloned().collect();
                    outcomes.retain(|(id, _)| !again.contains_key(id));
                    reruns += 1;
                    match again.is_empty() {
                        true => continue,
                        false => schedule.rerun_all(again).map(|(amendment, _)| amendment),
                    }
                }
                Decision::Extend { entrants, rounds } => schedule.extend(entrants, rounds),
            };
            decided.expect("a decision that can be made");
        }
        let wanted = at_once - running.len();
        let handed = schedule.next(wanted);
        assert!(handed.len() <= wanted);
        assert!(handed.windows(2).all(|pair| pair[0].id < pair[1].id));
        running.extend(handed);
        if running.is_empty() {
            break;
        }
        let ended = running.swap_remove(rng.index(running.len()));
        let outcome = outcome_of(&ended, reruns);
        outcomes.push((ended.id, outcome.clone()));
        schedule.record(ended.id, outcome).expect("an outcome that fits");
        if rng.one_in(10) {
            running.clear();
            rng.shuffle(&mut outcomes);
            schedule = Schedule::resume(spec.clone(), schedule.amendments().to_vec(), outcomes.clone())
                .expect("what was recorded fits");
        }
    }
    assert!(schedule.is_complete());
    result(&schedule, outcomes)
}

/// Makes the schedule anew from everything that was recorded, in another order.
pub fn resumed(spec: &Spec, played: &Played) -> Played {
    let mut outcomes = played.outcomes.clone();
    Rng::new(Seed(outcomes.len() as u64)).shuffle(&mut outcomes);
    let schedule = Schedule::resume(spec.clone(), played.amendments.clone(), outcomes.clone()).expect("it fits");
    assert!(schedule.is_complete());
    result(&schedule, outcomes)
}

/// Returns how often each pair of bots met.
pub fn meetings(pairings: &[Pairing], entrants: u32) -> Vec<Vec<u32>> {
    let mut met = vec![vec![0; entrants as usize]; entrants as usize];
    for pairing in pairings {
        for a in &pairing.seats {
            for b in pairing.seats.iter().filter(|b| *b != a) {
                met[a.index()][b.index()] += 1;
            }
        }
    }
    met
}
