//! Swiss system: in every round, bots with about equal points meet who have not met before.
//!
//! A round is drawn when the round before it is settled. Of all ways to draw it, the schedule takes the best by these
//! criteria, each of which only counts where those before it are equal:
//!
//! 1. the fewest bots that have a bye again,
//! 2. the fewest repeated meetings,
//! 3. the smallest sum of differences in points between bots that meet, where a bye counts as the lowest points,
//! 4. the fewest floats, that is meetings of bots with different points,
//! 5. among equals, the better half against the other half in the order of the table; a bye for the last.
//!
//! In a game for two this is the cheapest pairing of a graph, which [`matching`](crate::matching) solves exactly. For
//! more seats, `swiss_groups` searches.

use crate::{
    Entrant, Spec, TieBreak,
    check::bots,
    draw::{Block, Draw, Drawn, Past},
    kind::KindRules,
    matching::cheapest_pairing,
    seeding::seeded,
    swiss_groups::cheapest_groups,
    walkover::Bye,
};
use agon_core::Flaw;
use std::collections::BTreeMap;

/// What the cost of a whole round stays below, so that sums of it do not overflow.
const MOST_COST: i128 = 1 << 118;

/// The most bots of a Swiss tournament. The time of a draw grows with the third power of their number.
pub(crate) const MOST_SWISS: u32 = 1_000;

/// What a Swiss tournament decides.
pub(crate) struct SwissRules;

impl KindRules for SwissRules {
    fn name(&self) -> &'static str {
        "swiss"
    }

    fn check(&self, spec: &Spec) -> Result<(), Flaw> {
        if spec.entrants > MOST_SWISS {
            return Err(Flaw::new(format!("{} are too many for the Swiss system", bots(spec.entrants)))
                .hint(format!("at most {MOST_SWISS} bots can play in it")));
        }
        Ok(())
    }

    fn matches(&self, spec: &Spec) -> Option<[u128; 2]> {
        spec.in_all_rounds(u128::from(spec.entrants / spec.seats)).map(|number| [number; 2])
    }

    fn begin(&self, _: &Spec) -> Box<dyn Draw> {
        Box::new(Swiss::default())
    }

    fn tie_breaks(&self) -> &'static [TieBreak] {
        &[TieBreak::Buchholz, TieBreak::SonnebornBerger, TieBreak::DirectEncounter, TieBreak::Wins]
    }

    fn has_encounters(&self) -> bool {
        false
    }

    fn has_fixed_opponents(&self) -> bool {
        false
    }
}

/// Draws round by round.
#[derive(Clone, Debug, Default)]
struct Swiss {
    /// The number of rounds that were drawn.
    rounds: u32,
    byes: Vec<Bye>,
}

impl Draw for Swiss {
    fn draw(&mut self, past: &Past<'_>) -> Drawn {
        let spec = past.spec;
        if !past.ledger.is_settled() {
            return Drawn::Wait;
        }
        let field = Field::new(past, &self.byes);
        if self.rounds >= spec.rounds || field.players.len() < spec.seats as usize {
            return Drawn::Over;
        }
        self.rounds += 1;
        let round = self.rounds;
        let seed = spec.seed_for("groups", u64::from(round));
        let (groups, without) = if spec.seats == 2 { pairs(&field) } else { cheapest_groups(&field, spec.seats, seed) };
        self.byes.extend(without.into_iter().map(|i| Bye { round, entrant: field.players[i].entrant }));
        let blocks = groups.into_iter().map(|group| Block {
            round,
            map: round - 1,
            bots: group.into_iter().map(|i| field.players[i].entrant).collect(),
            seated: false,
            same_seed: false,
            probability: None,
        });
        Drawn::Blocks(blocks.collect())
    }

    fn to_come(&self, past: &Past<'_>) -> Option<u64> {
        let spec = past.spec;
        let players = (0..spec.entrants).filter(|number| past.plays(Entrant(*number))).count() as u64;
        let blocks = u64::from(spec.rounds.saturating_sub(self.rounds)).checked_mul(players / u64::from(spec.seats))?;
        blocks.checked_mul(u64::try_from(spec.block_size()?).ok()?)
    }

    fn byes(&self) -> &[Bye] {
        &self.byes
    }
}

/// The bots of a round, in the order of the table.
#[derive(Debug)]
pub(crate) struct Field {
    pub players: Vec<Player>,
    /// How often two bots have met, for each pair of positions in the table.
    met: Vec<Vec<u32>>,
    weights: Weights,
}

/// A bot of a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Player {
    pub entrant: Entrant,
    points: i64,
    byes: u32,
    /// The position among the bots with equal points, and the number of these bots.
    position: usize,
    equals: usize,
}

/// What one step of each criterion costs, so that nothing below can outweigh it.
#[derive(Clone, Copy, Debug, Default)]
struct Weights {
    bye: i128,
    repeat: i128,
    difference: i128,
    float: i128,
    /// Larger differences in points count as this one.
    most_difference: i128,
}

impl Field {
    fn new(past: &Past<'_>, byes: &[Bye]) -> Self {
        let spec = past.spec;
        let points = past.points(byes);
        let mut players: Vec<Player> = seeded(spec)
            .into_iter()
            .filter(|entrant| past.plays(*entrant))
            .map(|entrant| Player {
                entrant,
                points: points[entrant.index()],
                byes: byes.iter().filter(|bye| bye.entrant == entrant).count() as u32,
                position: 0,
                equals: 1,
            })
            .collect();
        // The sort is stable, so bots with equal points stay in the order of the seeding.
        players.sort_by_key(|player| std::cmp::Reverse(player.points));
        for group in players.chunk_by_mut(|a, b| a.points == b.points) {
            let equals = group.len();
            for (position, player) in group.iter_mut().enumerate() {
                (player.position, player.equals) = (position, equals);
            }
        }
        let place: BTreeMap<Entrant, usize> = players.iter().map(|player| player.entrant).zip(0..).collect();
        let mut met = vec![vec![0; players.len()]; players.len()];
        for set in past.ledger.blocks() {
            let places: Vec<usize> = set.iter().filter_map(|entrant| place.get(entrant).copied()).collect();
            for a in &places {
                for b in places.iter().filter(|b| *b != a) {
                    met[*a][*b] += 1;
                }
            }
        }
        let mut field = Self { players, met, weights: Weights::default() };
        // What everybody has in common does not matter.
        let least = (0..field.players.len()).flat_map(|a| field.met[a][..a].iter().copied()).min().unwrap_or(0);
        for met in field.met.iter_mut().flatten() {
            *met = met.saturating_sub(least);
        }
        let least = field.players.iter().map(|player| player.byes).min().unwrap_or(0);
        for player in &mut field.players {
            player.byes -= least;
        }
        field.weights = field.weigh(spec.seats as usize);
        field
    }

    fn weigh(&self, seats: usize) -> Weights {
        let n = self.players.len() as i128;
        let meetings = n * seats as i128;
        let most_met = self.met.iter().flatten().max().copied().unwrap_or(0);
        let most_byes = self.players.iter().map(|player| player.byes).max().unwrap_or(0);
        // The order among equals is at most n² for each bot, or the square of a sum of positions for each group.
        let float = n * meetings * meetings + 1;
        let difference = float * (meetings + 1);
        let mut most_difference = 1 << 40;
        loop {
            let steps = (most_difference * meetings + 1)
                .checked_mul(difference)
                .and_then(|repeat| Some((repeat, repeat.checked_mul(i128::from(most_met) * meetings + 1)?)))
                .filter(|(_, bye)| *bye <= MOST_COST / (i128::from(most_byes) + 1).pow(2) / (n + 1));
            match steps {
                Some((repeat, bye)) => return Weights { bye, repeat, difference, float, most_difference },
                // Only in a game with large scores, where bots far apart need not be told from bots farther apart.
                None if most_difference > 1 => most_difference /= 2,
                None => return Weights { bye: 0, repeat: difference, difference: 0, float: 0, most_difference },
            }
        }
    }

    /// Returns the difference in points between two bots.
    fn difference(&self, one: &Player, other: &Player) -> i128 {
        (i128::from(one.points) - i128::from(other.points)).abs().min(self.weights.most_difference)
    }

    /// Returns the cost of a meeting, without the order among equals.
    pub(crate) fn meeting(&self, a: usize, b: usize) -> i128 {
        let (one, other) = (&self.players[a], &self.players[b]);
        let repeats = i128::from(self.met[a][b]) * self.weights.repeat;
        repeats + self.apart(self.difference(one, other))
    }

    /// Returns the cost of a bye.
    pub(crate) fn bye(&self, a: usize) -> i128 {
        let player = &self.players[a];
        let lowest = self.players.last().map_or(0, |last| self.difference(player, last));
        // A third bye costs more than two second ones.
        let byes = i128::from(player.byes).pow(2) * self.weights.bye;
        byes + self.apart(lowest) + (self.players.len() - 1 - a) as i128
    }

    /// Returns whether a cost contains a repeated meeting.
    pub(crate) const fn repeats(&self, cost: i128) -> bool {
        let without_byes = if self.weights.bye > 0 { cost % self.weights.bye } else { cost };
        without_byes >= self.weights.repeat
    }

    fn apart(&self, difference: i128) -> i128 {
        difference * self.weights.difference + if difference == 0 { 0 } else { self.weights.float }
    }

    /// Returns how far two bots with equal points are from meeting across the two halves of their group.
    fn fold(&self, a: usize, b: usize) -> i128 {
        let (one, other) = (&self.players[a], &self.players[b]);
        if one.points != other.points {
            return 0;
        }
        let off = one.position.abs_diff(other.position).abs_diff(one.equals / 2);
        (off * off) as i128
    }
}

/// Returns the best pairs, in the order of the table, and who has a bye.
fn pairs(field: &Field) -> (Vec<Vec<usize>>, Vec<usize>) {
    let n = field.players.len();
    let even = n + n % 2;
    let mut costs = vec![vec![0; even]; even];
    for (a, row) in costs.iter_mut().enumerate() {
        for (b, cost) in row.iter_mut().enumerate() {
            // The one behind the table is the bye.
            *cost = match (a.min(b), a.max(b)) {
                (low, high) if high == n && low < n => field.bye(low),
                (low, high) if low < high => field.meeting(low, high) + field.fold(low, high),
                _ => 0,
            };
        }
    }
    let partners = cheapest_pairing(&costs);
    let pairs = (0..n).filter(|a| *a < partners[*a] && partners[*a] < n).map(|a| vec![a, partners[a]]).collect();
    (pairs, (0..n).filter(|a| partners[*a] == n).collect())
}
