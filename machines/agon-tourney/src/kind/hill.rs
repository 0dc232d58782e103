//! A kind that only tests know: whoever leads meets the next bot of the seeding, and the winner leads.
//!
//! It is as short as a kind can be, and it proves that a new one needs nothing but a variant of [`Kind`] and its rules.
//! The tests below are laws of every kind.

use super::{KeyValue, Kind, KindKey, KindRules};
use crate::{
    Entrant, MatchId, Outcome, Pairing, Schedule, SeatResult, Spec, TieBreak,
    draw::{Block, Draw, Drawn, Past},
    outcome::Share,
    seeding::seeded,
};
use agon_core::{Flaw, Rng, Seed};

pub(super) struct HillRules {
    pub keeps: bool,
}

impl KindRules for HillRules {
    fn name(&self) -> &'static str {
        "hill"
    }

    fn keys(&self) -> Vec<KindKey> {
        vec![KindKey::flag("keeps", self.keeps, "whether whoever leads goes on if a game is drawn")]
    }

    fn with(&self, key: &str, value: KeyValue) -> Option<Kind> {
        match (key, value) {
            ("keeps", KeyValue::Flag(keeps)) => Some(Kind::Hill { keeps }),
            _ => None,
        }
    }

    fn check(&self, spec: &Spec) -> Result<(), Flaw> {
        if spec.seats == 2 { Ok(()) } else { Err(Flaw::new("a hill has room for two")) }
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        Some([u128::from(spec.entrants) - 1; 2])
    }

    fn begin(&self, spec: &Spec) -> Box<dyn Draw> {
        let mut rivals = seeded(spec);
        let leader = rivals.remove(0);
        Box::new(Hill { keeps: self.keeps, leader, rivals, met: 0, last: None })
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        &[TieBreak::Wins]
    }

    fn has_encounters(&self) -> bool {
        true
    }

    fn has_fixed_opponents(&self) -> bool {
        false
    }
}

#[derive(Debug)]
struct Hill {
    keeps: bool,
    leader: Entrant,
    rivals: Vec<Entrant>,
    /// How many rivals have had their match, or have it now.
    met: usize,
    last: Option<MatchId>,
}

impl Draw for Hill {
    fn draw(&mut self, past: &Past<'_>) -> Drawn {
        if !past.ledger.is_settled() {
            return Drawn::Wait;
        }
        if let (Some(played), Some(rival)) = (
            self.last.take().and_then(|id| past.result(id)),
            self.met.checked_sub(1).and_then(|met| self.rivals.get(met)),
        ) {
            let seat = usize::from(played.seats[1] == *rival);
            let leads = match played.share(seat) {
                Share::Won => true,
                Share::Drawn => !self.keeps,
                Share::Lost => false,
            };
            self.leader = if leads { *rival } else { self.leader };
        }
        let Some(rival) = self.rivals.get(self.met) else { return Drawn::Over };
        self.met += 1;
        self.last = Some(past.ledger.next_id());
        let (round, bots) = (self.met as u32, vec![self.leader, *rival]);
        Drawn::Blocks(vec![Block { round, map: round - 1, bots, seated: false, same_seed: false, probability: None }])
    }

    fn to_come(&self, _: &Past<'_>) -> Option<u64> {
        Some((self.rivals.len() - self.met) as u64)
    }
}

const HILL: Kind = Kind::Hill { keeps: true };

fn all() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().chain([HILL])
}

fn spec(kind: Kind) -> Spec {
    Spec { rounds: 3, seed: Seed(4), maps: 2, ..Spec::new(kind, 9) }
}

/// The bot with the smaller number mostly wins; some matches are drawn, forfeited by both, or spoilt.
fn outcome(pairing: &Pairing) -> Outcome {
    let mut rng = Rng::new(pairing.seed.derive("test", pairing.id.0));
    let first = usize::from(pairing.seats[1] < pairing.seats[0]) ^ usize::from(rng.one_in(5));
    let places = if rng.one_in(6) { [1, 1] } else { [[1, 2], [2, 1]][first] };
    let fault = rng.one_in(6);
    match rng.one_in(15) {
        true => Outcome::NoResult,
        false => Outcome::Finished(places.map(|place| SeatResult { fault, ..SeatResult::new(place, 0) }).into()),
    }
}

/// Plays one match after the other.
fn play(spec: &Spec) -> (Schedule, Vec<(MatchId, Outcome)>) {
    let mut schedule = Schedule::new(spec.clone()).expect("it can be played");
    let mut outcomes = Vec::new();
    while let Some(pairing) = schedule.next(1).pop() {
        outcomes.push((pairing.id, outcome(&pairing)));
        schedule.record(pairing.id, outcome(&pairing)).expect("it fits");
    }
    (schedule, outcomes)
}

#[test]
fn each_kind_is_in_the_list_once() {
    // A new variant does not compile here without a number, and no number without its place in the list passes.
    let number = |kind: Kind| match kind {
        Kind::RoundRobin => 0,
        Kind::Gauntlet { .. } => 1,
        Kind::Swiss => 2,
        Kind::SingleElimination { .. } => 3,
        Kind::DoubleElimination { .. } => 4,
        Kind::Groups { .. } => 5,
        Kind::Ladder { .. } => 6,
        Kind::Hill { .. } => 7,
    };
    assert!(all().map(number).eq(0..8));
    let mut names: Vec<&str> = all().map(Kind::name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 8, "no two have one name: {names:?}");
}

#[test]
fn each_key_can_be_set_and_no_other_one() {
    for kind in all() {
        for key in kind.keys() {
            let other = match key.value {
                KeyValue::Number(number) => KeyValue::Number(number + 1),
                KeyValue::Flag(flag) => KeyValue::Flag(!flag),
            };
            let changed = kind.with(key.name, other).unwrap_or_else(|| panic!("{kind:?} has `{}`", key.name));
            let values = |kind: Kind| kind.keys().into_iter().map(|one| (one.name, one.value)).collect::<Vec<_>>();
            let expected: Vec<_> = values(kind)
                .into_iter()
                .map(|(name, value)| (name, if name == key.name { other } else { value }))
                .collect();
            assert_eq!(values(changed), expected, "{kind:?}");
            assert_eq!(changed.with(key.name, key.value), Some(kind));
            let wrong = match key.value {
                KeyValue::Number(_) => KeyValue::Flag(true),
                KeyValue::Flag(_) => KeyValue::Number(1),
            };
            assert_eq!(kind.with(key.name, wrong), None, "{kind:?}: `{}`", key.name);
        }
        assert_eq!(kind.with("bot", KeyValue::Number(1)), None);
    }
}

#[test]
fn each_kind_plays_as_many_matches_as_it_says_and_resumes() {
    for kind in all() {
        let spec = spec(kind);
        let (played, outcomes) = play(&spec);
        assert!(played.is_complete(), "{kind:?}");
        let (count, drawn) = (spec.matches().expect("it can be played"), played.progress().drawn);
        assert!((count.least..=count.most).contains(&drawn), "{kind:?}: {drawn} of {count:?}");
        assert_eq!(played.standings().rows.len(), 9, "{kind:?}");
        for cut in 0..=outcomes.len() {
            let part = Schedule::resume(spec.clone(), Vec::new(), outcomes[..cut].to_vec()).expect("it fits");
            let ids = 1..=part.progress().drawn;
            assert!(ids.map(MatchId).all(|id| part.pairing(id) == played.pairing(id)), "{kind:?} after {cut}");
        }
        let resumed = Schedule::resume(spec, Vec::new(), outcomes).expect("it fits");
        assert_eq!(resumed.standings(), played.standings(), "{kind:?}");
    }
}

#[test]
fn each_kind_takes_more_bots_or_refuses_them() {
    for kind in all() {
        let mut schedule = Schedule::new(spec(kind)).expect("it can be played");
        let extended = schedule.extend(10, 4);
        assert_eq!(extended.is_err(), kind.rules().has_encounters(), "{kind:?}");
        assert_eq!(spec(kind).unplayed_maps(), 0, "{kind:?}");
        let more = Spec { maps: 5, ..spec(kind) };
        assert_eq!(more.unplayed_maps(), if kind.rules().has_encounters() { 0 } else { 2 }, "{kind:?}");
    }
}
