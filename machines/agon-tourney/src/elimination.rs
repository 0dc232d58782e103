//! Eliminations: whoever loses an encounter, or two of them, is out.
//!
//! The bracket is a list of encounters that take their bots from earlier ones. All encounters of a round are played at
//! the same time, in waves: a wave has as many games of each encounter as it needs for certain, and the next wave is
//! drawn when it is settled. So the numbers of matches do not depend on which encounter ends first.

use crate::{
    BracketPart, Entrant, KeyValue, Kind, KindKey, Spec, TieBreak,
    bracket::{Bracket, BracketEncounter, BracketRound, Side},
    draw::{Block, Draw, Drawn, Past},
    encounter::{self, Decided, Encounter, Source, Verdict, best_of_key, halves, third_place_key, verdict},
    kind::KindRules,
    seeding::seeded,
    standings::Class,
};
use agon_core::Flaw;

/// What a single elimination decides.
pub(crate) struct SingleRules {
    pub best_of: u32,
    pub third_place: bool,
}

impl KindRules for SingleRules {
    fn name(&self) -> &'static str {
        "single-elimination"
    }

    fn keys(&self) -> Vec<KindKey> {
        vec![best_of_key(self.best_of), third_place_key(self.third_place)]
    }

    fn with(&self, key: &str, value: KeyValue) -> Option<Kind> {
        let Self { best_of, third_place } = *self;
        match (key, value) {
            ("best-of", KeyValue::Number(best_of)) => Some(Kind::SingleElimination { best_of, third_place }),
            ("third-place", KeyValue::Flag(third_place)) => Some(Kind::SingleElimination { best_of, third_place }),
            _ => None,
        }
    }

    fn check(&self, spec: &Spec) -> Result<(), Flaw> {
        encounter::check(spec, self.best_of)
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        encounter::games([encounter::knockout(spec.entrants, self.third_place); 2], self.best_of)
    }

    fn begin(&self, spec: &Spec) -> Box<dyn Draw> {
        Box::new(Elimination::single(seeded(spec), self.best_of, self.third_place, 0))
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        &[]
    }

    fn has_encounters(&self) -> bool {
        true
    }

    fn has_fixed_opponents(&self) -> bool {
        false
    }
}

/// What a double elimination decides.
pub(crate) struct DoubleRules {
    pub best_of: u32,
}

impl KindRules for DoubleRules {
    fn name(&self) -> &'static str {
        "double-elimination"
    }

    fn keys(&self) -> Vec<KindKey> {
        vec![best_of_key(self.best_of)]
    }

    fn with(&self, key: &str, value: KeyValue) -> Option<Kind> {
        match (key, value) {
            ("best-of", KeyValue::Number(best_of)) => Some(Kind::DoubleElimination { best_of }),
            _ => None,
        }
    }

    fn check(&self, spec: &Spec) -> Result<(), Flaw> {
        encounter::check(spec, self.best_of)
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        // Everybody but the winner loses twice, and the winner at most once.
        let losers = 2 * encounter::knockout(spec.entrants, false);
        encounter::games([losers, losers + 1], self.best_of)
    }

    fn begin(&self, spec: &Spec) -> Box<dyn Draw> {
        Box::new(Elimination::double(seeded(spec), self.best_of))
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        &[]
    }

    fn has_encounters(&self) -> bool {
        true
    }

    fn has_fixed_opponents(&self) -> bool {
        false
    }
}

/// Draws a bracket of encounters.
#[derive(Clone, Debug)]
pub(crate) struct Elimination {
    best_of: u32,
    /// The bots, the best of the seeding first.
    seeds: Vec<Entrant>,
    encounters: Vec<Encounter>,
    /// What was decided when the last match was drawn. Whatever was decided later is open again if the organiser
    /// declares a match void, so the bracket follows from the amendments alone.
    settled: Vec<Option<Decided>>,
    rounds: u32,
    /// The number of the round before the first one.
    offset: u32,
}

impl Elimination {
    /// Creates a bracket in which one lost encounter is enough. `offset` rounds were played before.
    pub(crate) fn single(seeds: Vec<Entrant>, best_of: u32, third_place: bool, offset: u32) -> Self {
        let mut encounters = Vec::new();
        let mut before = first_round(&mut encounters, &seeds);
        let mut round = 1;
        while before.len() > 1 {
            round += 1;
            let semi_finals = before.clone();
            // The losers of a round share the place behind all who are still in.
            let place = before.len() as u32 + 1;
            for index in &before {
                encounters[*index].loser_place = Some(place);
            }
            before = next_round(&mut encounters, round, &before);
            if semi_finals.len() == 2 && third_place && seeds.len() > 3 {
                let mut third = Encounter::new(round, [Source::Loser(semi_finals[0]), Source::Loser(semi_finals[1])]);
                (third.winner_place, third.loser_place) = (Some(3), Some(4));
                for index in semi_finals {
                    encounters[index].loser_place = None;
                }
                encounters.push(third);
            }
        }
        let last = &mut encounters[before[0]];
        (last.winner_place, last.loser_place) = (Some(1), Some(2));
        let settled = vec![None; encounters.len()];
        Self { best_of, seeds, encounters, settled, rounds: round, offset }
    }

    /// Creates a bracket in which a bot is out after two lost encounters.
    ///
    /// Who loses once stays among those who have lost once. Whoever is left of these meets the only bot without a
    /// loss. If it wins, both have lost once, and they meet again.
    fn double(seeds: Vec<Entrant>, best_of: u32) -> Self {
        let mut encounters = Vec::new();
        let mut unbeaten = first_round(&mut encounters, &seeds);
        let mut round = 1;
        // The encounters among those who have lost once, in the order in which they are played.
        let mut once: Vec<Vec<usize>> = Vec::new();
        let mut survivors: Option<Vec<Source>> = None;
        while unbeaten.len() > 1 {
            round += 1;
            let rivals = survivors.unwrap_or_else(|| unbeaten.iter().map(|index| Source::Loser(*index)).collect());
            unbeaten = next_round(&mut encounters, round, &unbeaten);
            let pairs: Vec<[Source; 2]> = rivals.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
            let winners = append(&mut encounters, round, &pairs);
            round += 1;
            // From the other end of the bracket, so that the same two meet again as late as possible.
            let fallen = unbeaten.iter().rev().map(|index| Source::Loser(*index));
            let pairs: Vec<_> =
                winners.iter().zip(fallen).map(|(index, loser)| [Source::Winner(*index), loser]).collect();
            let left = append(&mut encounters, round, &pairs);
            survivors = Some(left.iter().map(|index| Source::Winner(*index)).collect());
            once.extend([winners, left]);
        }
        encounters.iter_mut().for_each(|encounter| encounter.part = Some(BracketPart::Winners));
        let mut place = 3;
        for indices in once.iter().rev() {
            for index in indices {
                encounters[*index].loser_place = Some(place);
                encounters[*index].part = Some(BracketPart::Losers);
            }
            place += indices.len() as u32;
        }
        let challenger = survivors.map_or(Source::Loser(unbeaten[0]), |survivors| survivors[0]);
        let sides = [Source::Winner(unbeaten[0]), challenger];
        let last = encounters.len();
        let finals = [(round + 1, BracketPart::Final, None), (round + 2, BracketPart::Reset, Some(last))];
        for (round, part, only_after_upset) in finals {
            let (part, winner_place, loser_place) = (Some(part), Some(1), Some(2));
            let new = Encounter::new(round, sides);
            encounters.push(Encounter { part, only_after_upset, winner_place, loser_place, ..new });
        }
        let settled = vec![None; encounters.len()];
        Self { best_of, seeds, encounters, settled, rounds: round + 2, offset: 0 }
    }

    /// Returns the bot that a source stands for, as far as it is known.
    fn entrant(&self, source: Source) -> Option<Entrant> {
        match source {
            Source::Nobody => None,
            Source::Entrant(entrant) => Some(entrant),
            Source::Winner(index) => self.encounters[index].decided?.winner,
            Source::Loser(index) => self.encounters[index].decided?.loser,
        }
    }

    /// Returns the bots, the best of the seeding first.
    pub(crate) fn seeds(&self) -> &[Entrant] {
        &self.seeds
    }

    fn seed(&self, entrant: Entrant) -> usize {
        self.seeds.iter().position(|seed| *seed == entrant).unwrap_or(usize::MAX)
    }

    /// Returns whether an encounter takes place, as soon as the ones before it are decided.
    fn takes_place(&self, encounter: &Encounter) -> bool {
        encounter.only_after_upset.is_none_or(|index| {
            let before = &self.encounters[index];
            before
                .decided
                .is_some_and(|decided| decided.winner.is_some() && decided.winner == self.entrant(before.sources[1]))
        })
    }

    /// Decides an encounter, or returns how many more games it needs.
    fn judge(&self, encounter: &Encounter, past: &Past<'_>) -> Result<Decided, u32> {
        if !self.takes_place(encounter) {
            return Ok(Decided { winner: None, loser: None });
        }
        let bots = encounter.sources.map(|source| self.entrant(source));
        let [Some(one), Some(other)] = bots else {
            return Ok(Decided { winner: bots[0].or(bots[1]), loser: None });
        };
        let halves = halves(past, &encounter.games, [one, other]);
        let better = usize::from(self.seed(other) < self.seed(one));
        let (first, second) =
            (Decided { winner: Some(one), loser: Some(other) }, Decided { winner: Some(other), loser: Some(one) });
        match verdict(encounter.games.len() as u32, halves, self.best_of, better) {
            Verdict::Side(0) => Ok(first),
            Verdict::Side(_) => Ok(second),
            Verdict::Play(more) => match (past.plays(one), past.plays(other)) {
                (true, true) => Err(more),
                (true, false) => Ok(first),
                (false, true) => Ok(second),
                (false, false) => Ok(Decided { winner: None, loser: None }),
            },
        }
    }

    /// Returns the place of each bot that is out, and of the winner. Bots that are still in have none.
    pub(crate) fn places(&self) -> Vec<(Entrant, u32)> {
        let mut places = Vec::new();
        for (index, encounter) in self.encounters.iter().enumerate() {
            // After an upset in the final, the next encounter decides.
            let is_open = self.encounters.iter().any(|e| e.only_after_upset == Some(index) && self.takes_place(e));
            let Some(decided) = encounter.decided.filter(|_| !is_open && self.takes_place(encounter)) else { continue };
            places.extend(decided.loser.zip(encounter.loser_place));
            places.extend(decided.winner.zip(encounter.winner_place));
        }
        places
    }
}

impl Draw for Elimination {
    fn draw(&mut self, past: &Past<'_>) -> Drawn {
        if !past.ledger.is_settled() {
            return Drawn::Wait;
        }
        for (encounter, decided) in self.encounters.iter_mut().zip(&self.settled) {
            encounter.decided = *decided;
        }
        for round in 1..=self.rounds {
            let mut blocks = Vec::new();
            let mut next_id = past.ledger.next_id();
            for index in 0..self.encounters.len() {
                if self.encounters[index].round != round || self.encounters[index].decided.is_some() {
                    continue;
                }
                let more = match self.judge(&self.encounters[index], past) {
                    Ok(decided) => {
                        self.encounters[index].decided = Some(decided);
                        continue;
                    }
                    Err(more) => more,
                };
                let mut bots: Vec<Entrant> =
                    self.encounters[index].sources.iter().filter_map(|source| self.entrant(*source)).collect();
                bots.sort_by_key(|bot| self.seed(*bot));
                for _ in 0..more {
                    let game = self.encounters[index].games.len() as u32;
                    let mut seats = bots.clone();
                    // The better seed begins with the first seat, and then they take turns.
                    seats.rotate_left(game as usize % 2);
                    blocks.push(Block {
                        round: self.offset + round,
                        map: (self.offset + round - 1) * 2 * self.best_of + game,
                        bots: seats,
                        seated: true,
                        same_seed: false,
                        probability: None,
                    });
                    self.encounters[index].games.push(next_id);
                    next_id.0 += 1;
                }
            }
            if !blocks.is_empty() {
                self.settled = self.encounters.iter().map(|encounter| encounter.decided).collect();
                return Drawn::Blocks(blocks);
            }
        }
        Drawn::Over
    }

    fn to_come(&self, _: &Past<'_>) -> Option<u64> {
        None
    }

    fn classes(&self, past: &Past<'_>) -> Vec<Class> {
        let still_in = |number| Class { rank: if past.plays(Entrant(number)) { 0 } else { u32::MAX }, by_points: true };
        let mut classes: Vec<Class> = (0..past.spec.entrants).map(still_in).collect();
        for (entrant, place) in self.places() {
            classes[entrant.index()] = Class { rank: place, by_points: false };
        }
        classes
    }

    fn bracket(&self, past: &Past<'_>) -> Option<Bracket> {
        let rounds = (1..=self.rounds).map(|round| {
            let is_shown = |encounter: &&Encounter| {
                let is_needed = encounter.only_after_upset.is_none() || self.takes_place(encounter);
                encounter.round == round && is_needed
            };
            let encounters = self.encounters.iter().filter(is_shown);
            let encounters = encounters.map(|encounter| {
                let bots = encounter.sources.map(|source| self.entrant(source));
                let halves = match bots {
                    [Some(one), Some(other)] => halves(past, &encounter.games, [one, other]),
                    _ => [0, 0],
                };
                let side = |i: usize| Side {
                    entrant: bots[i],
                    bye: match encounter.sources[i] {
                        Source::Nobody => true,
                        Source::Winner(before) | Source::Loser(before) => {
                            self.encounters[before].decided.is_some() && bots[i].is_none()
                        }
                        Source::Entrant(_) => false,
                    },
                    points: f64::from(halves[i]) / 2.0,
                };
                BracketEncounter {
                    part: encounter.part,
                    sides: [side(0), side(1)],
                    games: encounter.games.clone(),
                    winner: encounter.decided.and_then(|decided| decided.winner),
                    for_place: encounter.winner_place,
                }
            });
            BracketRound { round: self.offset + round, encounters: encounters.collect() }
        });
        Some(Bracket { rounds: rounds.filter(|round| !round.encounters.is_empty()).collect() })
    }
}

/// Appends the first round of a bracket: the best seed meets the worst, so that the two best can only meet in the
/// final. Where bots are missing to a power of two, the best seeds have no match.
fn first_round(encounters: &mut Vec<Encounter>, seeds: &[Entrant]) -> Vec<usize> {
    let size = seeds.len().next_power_of_two().max(2);
    let mut order = vec![0];
    while order.len() < size {
        let last = 2 * order.len() - 1;
        order = order.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    let source = |seed: usize| seeds.get(seed).map_or(Source::Nobody, |entrant| Source::Entrant(*entrant));
    let first = encounters.len();
    encounters.extend(order.chunks(2).map(|pair| Encounter::new(1, [source(pair[0]), source(pair[1])])));
    (first..encounters.len()).collect()
}

/// Appends encounters to a round.
fn append(encounters: &mut Vec<Encounter>, round: u32, pairs: &[[Source; 2]]) -> Vec<usize> {
    let first = encounters.len();
    encounters.extend(pairs.iter().map(|sides| Encounter::new(round, *sides)));
    (first..encounters.len()).collect()
}

/// Appends a round in which the winners of neighbouring encounters meet.
fn next_round(encounters: &mut Vec<Encounter>, round: u32, before: &[usize]) -> Vec<usize> {
    let first = encounters.len();
    let pairs = before.chunks(2).map(|pair| Encounter::new(round, [Source::Winner(pair[0]), Source::Winner(pair[1])]));
    encounters.extend(pairs);
    (first..encounters.len()).collect()
}
