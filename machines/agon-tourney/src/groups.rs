//! Groups, then knockout: a round robin in each group, and an elimination among the best of all groups.

use crate::{
    Entrant, KeyValue, Kind, KindKey, Seatings, Spec, Standings, TieBreak,
    bracket::Bracket,
    check::{bots, choose},
    draw::{Block, Draw, Drawn, Past},
    elimination::Elimination,
    encounter::{self, best_of_key, third_place_key},
    kind::KindRules,
    ledger::Recorded,
    round_robin::{TIE_BREAKS, alternate, circle},
    seeding::seeded,
    standings::{Class, Table},
    walkover,
};
use agon_core::Flaw;

/// What groups decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupRules {
    pub groups: u32,
    pub advance: u32,
    pub best_of: u32,
    pub third_place: bool,
}

impl KindRules for GroupRules {
    fn name(&self) -> &'static str {
        "groups"
    }

    fn keys(&self) -> Vec<KindKey> {
        vec![
            KindKey::number("groups", self.groups, ""),
            KindKey::number("advance", self.advance, "how many bots of each group advance to the knockout"),
            best_of_key(self.best_of),
            third_place_key(self.third_place),
        ]
    }

    fn with(&self, key: &str, value: KeyValue) -> Option<Kind> {
        let Self { groups, advance, best_of, third_place } = *self;
        match (key, value) {
            ("groups", KeyValue::Number(groups)) => Some(Kind::Groups { groups, advance, best_of, third_place }),
            ("advance", KeyValue::Number(advance)) => Some(Kind::Groups { groups, advance, best_of, third_place }),
            ("best-of", KeyValue::Number(best_of)) => Some(Kind::Groups { groups, advance, best_of, third_place }),
            ("third-place", KeyValue::Flag(third_place)) => {
                Some(Kind::Groups { groups, advance, best_of, third_place })
            }
            _ => None,
        }
    }

    fn check(&self, spec: &Spec) -> Result<(), Flaw> {
        let Self { groups, advance, .. } = *self;
        if groups == 0 || spec.entrants / groups < 2 {
            let most = spec.entrants / 2;
            return Err(Flaw::new(format!("{} do not fill {groups} groups of at least 2", bots(spec.entrants)))
                .hint(format!("write `groups = {most}`, or another number from 1 to {most}")));
        }
        let smallest = spec.entrants / groups;
        if advance == 0 || advance > smallest || groups * advance < 2 {
            let least = if groups == 1 { 2 } else { 1 };
            return Err(Flaw::new(format!("{} cannot advance from a group of {smallest}", bots(advance)))
                .hint(format!("write `advance = {least}`, or another number from {least} to {smallest}")));
        }
        encounter::check(spec, self.best_of)
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        let (size, larger) = (u128::from(spec.entrants / self.groups), u128::from(spec.entrants % self.groups));
        let pairs = larger * choose(size + 1, 2)? + (u128::from(self.groups) - larger) * choose(size, 2)?;
        let in_groups = pairs.checked_mul(u128::from(spec.rounds))?.checked_mul(seatings(spec))?;
        let encounters = encounter::knockout(self.groups * self.advance, self.third_place);
        let [least, most] = encounter::games([encounters; 2], self.best_of)?;
        Some([in_groups.checked_add(least)?, in_groups.checked_add(most)?])
    }

    fn begin(&self, spec: &Spec) -> Box<dyn Draw> {
        Box::new(Groups::new(spec, *self))
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        TIE_BREAKS
    }

    fn has_encounters(&self) -> bool {
        true
    }

    fn has_fixed_opponents(&self) -> bool {
        false
    }
}

/// Returns how often the same bots of a group meet in a round.
fn seatings(spec: &Spec) -> u128 {
    if spec.seatings == Seatings::One { 1 } else { 2 }
}

/// Draws the groups, and then the elimination.
#[derive(Clone, Debug)]
struct Groups {
    rules: GroupRules,
    /// The bots of each group, the best of the seeding first.
    groups: Vec<Vec<Entrant>>,
    round: u32,
    turn: u32,
    /// The elimination, and the number of matches before it.
    knockout: Option<(Elimination, usize)>,
}

impl Groups {
    /// Forms the groups: along the seeding to the last group, and then back to the first one.
    fn new(spec: &Spec, rules: GroupRules) -> Self {
        let number = rules.groups as usize;
        let mut groups = vec![Vec::new(); number];
        for (i, entrant) in seeded(spec).into_iter().enumerate() {
            let at = i % (2 * number);
            groups[at.min(2 * number - 1 - at)].push(entrant);
        }
        Self { rules, groups, round: 1, turn: 0, knockout: None }
    }

    /// Returns the matches of the next turn in all groups.
    fn turn(&mut self, spec: &Spec) -> Vec<Block> {
        let mut blocks = Vec::new();
        for group in &self.groups {
            let n = group.len() as u32;
            if self.turn >= n - 1 + n % 2 {
                continue;
            }
            for pair in circle(n, self.turn) {
                let pair = alternate(pair, self.round);
                let bots: Vec<Entrant> = pair.into_iter().map(|position| group[position as usize]).collect();
                let exchanged = (spec.seatings != Seatings::One).then(|| bots.iter().rev().copied().collect());
                for (bots, same_seed) in std::iter::once((bots, false)).chain(exchanged.map(|bots| (bots, true))) {
                    let (round, map) = (self.round, self.round - 1);
                    blocks.push(Block { round, map, bots, seated: true, same_seed, probability: None });
                }
            }
        }
        self.turn += 1;
        if blocks.is_empty() {
            (self.round, self.turn) = (self.round + 1, 0);
        }
        blocks
    }

    /// Returns the tables of the groups, from the first `matches` matches.
    fn standings(&self, past: &Past<'_>, matches: usize) -> Vec<Standings> {
        let spec = past.spec;
        let withdrawn: Vec<bool> = (0..spec.entrants).map(|number| !past.plays(Entrant(number))).collect();
        let erased = walkover::erased(spec, past.ledger, &withdrawn, |entrant| self.planned_of(entrant, spec));
        let mut classes = vec![Class::default(); withdrawn.len()];
        for (rank, group) in (0..).zip(&self.groups) {
            for entrant in group {
                classes[entrant.index()] = Class { rank, by_points: true };
            }
        }
        let counts = |played: &Recorded<'_>| !played.seats.iter().any(|entrant| erased[entrant.index()]);
        let group_matches =
            || past.finished().take_while(|(id, _)| id.index() < matches).map(|(_, played)| played).filter(counts);
        let plays = |id, entrant| past.would_have_played(id, entrant);
        let forfeits = walkover::of_forfeits(spec, past.ledger, plays, |entrant| !erased[entrant.index()]);
        let table = Table {
            matches: group_matches,
            // A bot that is withdrawn in the elimination forfeits there, not here.
            walkovers: if self.knockout.is_none() { &forfeits } else { &[] },
            byes: &[],
            classes: &classes,
            withdrawn: &withdrawn,
            tie_breaks: TIE_BREAKS,
        };
        let all = table.standings();
        let of_group = |group: &Vec<Entrant>| {
            let mut rows: Vec<_> = all.rows.iter().filter(|row| group.contains(&row.entrant)).cloned().collect();
            let before = rows.first().map_or(0, |row| row.place - 1);
            for row in &mut rows {
                row.place -= before;
            }
            Standings { tie_breaks: all.tie_breaks.clone(), rows }
        };
        self.groups.iter().map(of_group).collect()
    }

    /// Returns the seeds of the elimination: first the winners of the groups, then the second ones, and so on. Each of
    /// these ranks begins with another group, so that bots of one group meet as late as possible.
    fn seeds(&self, tables: &[Standings], advance: u32, past: &Past<'_>) -> Vec<Entrant> {
        let number = tables.len();
        let ranked: Vec<Vec<Entrant>> = tables
            .iter()
            .map(|table| table.order().into_iter().filter(|entrant| past.plays(*entrant)).collect())
            .collect();
        let turned = |turn: usize| -> Vec<Entrant> {
            let place = |rank: usize| (0..number).map(move |i| (i + rank * turn) % number);
            (0..advance as usize)
                .flat_map(|rank| place(rank).map(move |group| (group, rank)))
                .filter_map(|(group, rank)| ranked[group].get(rank).copied())
                .collect()
        };
        let same_group = |one: Entrant, other: Entrant| {
            self.groups.iter().any(|group| group.contains(&one) && group.contains(&other))
        };
        // In the first round, seed i meets seed size - 1 - i.
        let conflicts = |seeds: &Vec<Entrant>| {
            let size = seeds.len().next_power_of_two();
            let opponent = |i: usize| seeds.get(size - 1 - i).filter(|_| i < size / 2);
            seeds.iter().enumerate().filter(|(i, bot)| opponent(*i).is_some_and(|o| same_group(**bot, *o))).count()
        };
        (0..number).map(turned).min_by_key(conflicts).unwrap_or_default()
    }
}

impl Draw for Groups {
    fn draw(&mut self, past: &Past<'_>) -> Drawn {
        let spec = past.spec;
        let GroupRules { advance, best_of, third_place, .. } = self.rules;
        while self.round <= spec.rounds {
            let blocks = self.turn(spec);
            if !blocks.is_empty() {
                return Drawn::Blocks(blocks);
            }
        }
        if !past.ledger.is_settled() {
            return Drawn::Wait;
        }
        // Until a match of it is drawn, the elimination may change.
        self.knockout.take_if(|(_, matches)| *matches == past.ledger.len());
        if self.knockout.is_none() {
            let tables = self.standings(past, past.ledger.len());
            let seeds = self.seeds(&tables, advance, past);
            if seeds.is_empty() {
                return Drawn::Over;
            }
            let knockout = Elimination::single(seeds, best_of, third_place, spec.rounds);
            self.knockout = Some((knockout, past.ledger.len()));
        }
        self.knockout.as_mut().map_or(Drawn::Over, |(knockout, _)| knockout.draw(past))
    }

    fn rests_on_results(&self) -> bool {
        self.knockout.is_some()
    }

    fn to_come(&self, _: &Past<'_>) -> Option<u64> {
        None
    }

    fn classes(&self, past: &Past<'_>) -> Vec<Class> {
        let Some((knockout, matches)) = &self.knockout else {
            return vec![Class::default(); past.spec.entrants as usize];
        };
        let mut classes = knockout.classes(past);
        let still_in = knockout.seeds().len() as u32;
        for table in self.standings(past, *matches) {
            for row in table.rows.iter().filter(|row| !knockout.seeds().contains(&row.entrant)) {
                classes[row.entrant.index()] = Class { rank: still_in + row.place, by_points: true };
            }
        }
        classes
    }

    fn bracket(&self, past: &Past<'_>) -> Option<Bracket> {
        self.knockout.as_ref().and_then(|(knockout, _)| knockout.bracket(past))
    }

    fn tables(&self, past: &Past<'_>) -> Vec<Standings> {
        let matches = self.knockout.as_ref().map_or(past.ledger.len(), |(_, matches)| *matches);
        self.standings(past, matches)
    }

    fn planned_of(&self, entrant: Entrant, spec: &Spec) -> Option<u128> {
        let group = self.groups.iter().find(|group| group.contains(&entrant))?;
        Some((group.len() as u128 - 1) * u128::from(spec.rounds) * seatings(spec))
    }
}
