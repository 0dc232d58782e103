//! A schedule that is resumed from what was kept of it is the one that was never interrupted.

use crate::simulation::{outcome_of, result};
use agon_core::{Rng, Seed};
use agon_tourney::{Amendment, Entrant, KeptSchedule, Kind, MatchId, Outcome, Pairing, Schedule, Seatings, Spec};
use std::collections::BTreeSet;

/// A schedule as it was stored.
struct Stored {
    bytes: Vec<u8>,
    amendments: Vec<Amendment>,
    settled: BTreeSet<MatchId>,
}

fn stored(schedule: &Schedule, outcomes: &[(MatchId, Outcome)]) -> Option<Stored> {
    let bytes = postcard::to_allocvec(&schedule.kept()?).expect("it can be written");
    let settled = outcomes.iter().map(|(id, _)| *id).collect();
    Some(Stored { bytes, amendments: schedule.amendments().to_vec(), settled })
}

/// Decides something that the schedule takes. Returns the match that is played again.
fn decide(schedule: &mut Schedule, outcomes: &[(MatchId, Outcome)], rng: &mut Rng) -> Option<MatchId> {
    let bot = Entrant(rng.below(schedule.spec().entrants));
    let (id, was) = outcomes.get(rng.index(outcomes.len().max(1)))?.clone();
    let Spec { entrants, rounds, .. } = *schedule.spec();
    match rng.below(5) {
        0 if schedule.is_withdrawn(bot) => drop(schedule.readmit(bot)),
        0 | 1 => drop(schedule.withdraw(bot)),
        2 => drop(schedule.void(id)),
        3 => drop(schedule.extend(entrants + 1, rounds + 1)),
        _ => return schedule.rerun(id, was).ok().map(|_| id),
    }
    None
}

/// Plays a tournament that dies again and again, and adds to `resumed` how often it went on from what was kept.
fn play(spec: &Spec, chaos: Seed, resumed: &mut u32) {
    let mut rng = Rng::new(chaos);
    let mut schedule = Schedule::new(spec.clone()).expect("a tournament that can be played");
    let mut outcomes: Vec<(MatchId, Outcome)> = Vec::new();
    let mut running: Vec<Pairing> = Vec::new();
    let (mut kept, mut reruns, mut decisions) = (None, 0, rng.below(4));
    loop {
        running.extend(schedule.next(1 + rng.index(5) - running.len().min(1)));
        if running.is_empty() {
            break;
        }
        let ended = running.swap_remove(rng.index(running.len()));
        let outcome = outcome_of(&ended, reruns);
        outcomes.push((ended.id, outcome.clone()));
        schedule.record(ended.id, outcome).expect("an outcome that fits");
        if decisions > 0 && running.is_empty() && rng.one_in(8) {
            decisions -= 1;
            if let Some(id) = decide(&mut schedule, &outcomes, &mut rng) {
                outcomes.retain(|(other, _)| *other != id);
                reruns += 1;
            }
        }
        if rng.one_in(6) {
            kept = stored(&schedule, &outcomes).or(kept);
        }
        if rng.one_in(9) {
            running.clear();
            rng.shuffle(&mut outcomes);
            let amendments = schedule.amendments().to_vec();
            let whole = Schedule::resume(spec.clone(), amendments.clone(), outcomes.clone()).expect("it fits");
            schedule = match kept.as_ref().filter(|kept| kept.amendments == amendments) {
                Some(Stored { bytes, settled, .. }) => {
                    *resumed += 1;
                    let kept: KeptSchedule<'_> = postcard::from_bytes(bytes).expect("it can be read");
                    let since = outcomes.iter().filter(|(id, _)| !settled.contains(id)).cloned();
                    let mut part = Schedule::resume_kept(spec.clone(), amendments, kept, since).expect("it fits");
                    part.advance();
                    // The whole one takes a rerun only when it has drawn what was drawn before it.
                    if whole.kept().is_some() {
                        assert_eq!(part.standings(), whole.standings(), "{spec:?}, {chaos:?}");
                    }
                    let drawn = part.progress().drawn.min(whole.progress().drawn);
                    (1..=drawn).map(MatchId).for_each(|id| {
                        assert_eq!(part.pairing(id), whole.pairing(id), "{spec:?}, {chaos:?}");
                    });
                    part
                }
                None => whole,
            };
        }
    }
    assert!(schedule.is_complete());
    let amendments = schedule.amendments().to_vec();
    let whole = Schedule::resume(spec.clone(), amendments, outcomes.clone()).expect("it fits");
    assert_eq!(result(&schedule, outcomes.clone()), result(&whole, outcomes), "{spec:?}, {chaos:?}");
}

#[test]
fn what_was_kept_of_a_schedule_goes_on_as_the_schedule_itself() {
    for kind in Kind::ALL {
        let is_kept = matches!(kind, Kind::RoundRobin | Kind::Gauntlet { .. } | Kind::Ladder { .. });
        let kind = match kind {
            Kind::Ladder { .. } => Kind::Ladder { uniform_percent: 30, window: 5 },
            kind => kind,
        };
        let mut resumed = 0;
        for seed in 0..120 {
            let seatings = if seed % 2 == 0 { Seatings::All } else { Seatings::One };
            let rounds = if kind.is_rated() { 50 } else { 2 };
            let spec = Spec { seed: Seed(seed), rounds, seatings, ..Spec::new(kind, 6) };
            play(&spec, Seed(seed + 7), &mut resumed);
        }
        assert_eq!(resumed > 100, is_kept, "{kind:?}: {resumed}");
    }
}

#[test]
fn the_schedule_of_another_tournament_is_refused() {
    let schedule = Schedule::new(Spec::round_robin(5)).expect("a tournament");
    let bytes = postcard::to_allocvec(&schedule.kept().expect("it is kept")).expect("it can be written");
    let resume = |spec: Spec| {
        let kept: KeptSchedule<'_> = postcard::from_bytes(&bytes).expect("it can be read");
        Schedule::resume_kept(spec, [], kept, []).is_ok()
    };
    assert!(resume(Spec::round_robin(5)));
    assert!(!resume(Spec::round_robin(4)), "a bot is not there");
    assert!(!resume(Spec { seatings: Seatings::One, ..Spec::round_robin(5) }), "blocks are shorter");
    assert!(!resume(Spec { seats: 3, ..Spec::round_robin(5) }));
    assert!(!resume(Spec { forfeits_lose: false, ..Spec::round_robin(5) }));
    assert!(postcard::from_bytes::<KeptSchedule<'_>>(&bytes[..bytes.len() - 1]).is_err(), "it was cut off");
}
