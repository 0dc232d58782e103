//! Who is where: points, matches, and the tie-breaks that decided.

use crate::{Entrant, TieBreak, ledger::Recorded, outcome::Share, tie_break};
use agon_stats::Rating;
use serde::{Deserialize, Serialize};

/// The table of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Standings {
    /// What separates equal bots, in the order in which it is asked.
    pub tie_breaks: Vec<TieBreak>,
    /// One row for each bot, best first.
    pub rows: Vec<Row>,
}

/// The row of a bot.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The place, from 1. Bots that nothing separates share the better place.
    pub place: u32,
    /// The bot.
    pub entrant: Entrant,
    /// The points of all matches that count, of byes, and of wins by forfeit.
    pub points: i64,
    /// The number of finished matches that count.
    pub played: u32,
    /// The matches that the bot alone has won.
    pub wins: u32,
    /// The matches in which the bot shared the first place.
    pub draws: u32,
    /// The other finished matches.
    pub losses: u32,
    /// The matches in which the bot failed. It has not always lost them.
    pub faults: u32,
    /// The matches that [all bots forfeited](agon_core::forfeited_by_all). They are among the losses.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub double_forfeits: u32,
    /// The matches without a result, because the host spoilt them again and again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spoilt: u32,
    /// The rounds without a match, and the wins because the opponent was withdrawn.
    pub walkovers: u32,
    /// The values of the tie-breaks, as many as [`Standings::tie_breaks`]. `None` where one says nothing.
    pub tie_breaks: Vec<Option<f64>>,
    /// What separates the bot from the one in the row above. `None` if nothing does, or if it was not a tie-break.
    pub decided_by: Option<TieBreak>,
    /// What a ladder knows about the strength of the bot. `None` in other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// Whether the bot was withdrawn. It is then behind all others, but in an elimination it has the place of
    /// the encounter that it lost, and on a ladder that of its rating.
    pub withdrawn: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Standings {
    /// Returns the bots, best first.
    #[must_use]
    pub fn order(&self) -> Vec<Entrant> {
        self.rows.iter().map(|row| row.entrant).collect()
    }
}

/// What bots are ordered by before their points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    /// A smaller one is better, whatever the points.
    pub rank: u32,
    /// Whether points decide among bots of the same rank. Otherwise they are equal.
    pub by_points: bool,
}

impl Default for Class {
    fn default() -> Self {
        Self { rank: 0, by_points: true }
    }
}

/// What the table is made from.
pub(crate) struct Table<'a, M> {
    /// Makes an iterator over the finished matches that count.
    pub matches: M,
    /// The points for byes and wins by forfeit, once for each.
    pub walkovers: &'a [(Entrant, i64)],
    /// The bots with a bye, once for each.
    pub byes: &'a [Entrant],
    /// The class of each bot.
    pub classes: &'a [Class],
    /// Whether each bot was withdrawn.
    pub withdrawn: &'a [bool],
    /// What separates equal bots.
    pub tie_breaks: &'static [TieBreak],
}

impl<'a, M, I> Table<'_, M>
where
    M: Fn() -> I,
    I: Iterator<Item = Recorded<'a>>,
{
    /// Makes the table.
    pub(crate) fn standings(&self) -> Standings {
        let mut rows = self.tally();
        rows.sort_by_key(|row| (self.key(row), row.entrant));
        let mut borders = vec![Border::Tied; rows.len()];
        for i in 1..rows.len() {
            if self.key(&rows[i - 1]) != self.key(&rows[i]) {
                borders[i] = Border::Points;
            }
        }
        let mut points = vec![0; rows.len()];
        for row in &rows {
            points[row.entrant.index()] = row.points;
        }
        for rule in self.tie_breaks {
            let values = self.values(*rule, &points, &rows, &borders);
            let by_points = |row: &Row| self.classes[row.entrant.index()].by_points;
            split(&mut rows, &mut borders, *rule, &values, by_points);
        }
        for i in 0..rows.len() {
            rows[i].place = match borders[i] {
                Border::Tied if i > 0 => rows[i - 1].place,
                _ => i as u32 + 1,
            };
            rows[i].decided_by = match borders[i] {
                Border::TieBreak(rule) => Some(rule),
                Border::Tied | Border::Points => None,
            };
        }
        Standings { tie_breaks: self.tie_breaks.to_vec(), rows }
    }

    /// What bots are ordered by before any tie-break.
    fn key(&self, row: &Row) -> (u32, bool, std::cmp::Reverse<i64>) {
        let Class { rank, by_points } = self.classes[row.entrant.index()];
        (rank, by_points && row.withdrawn, std::cmp::Reverse(if by_points { row.points } else { 0 }))
    }

    /// Counts the matches. The rows are in the order of the list of bots.
    fn tally(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..)
            .zip(self.withdrawn)
            .map(|(number, withdrawn)| Row {
                place: 0,
                entrant: Entrant(number),
                points: 0,
                played: 0,
                wins: 0,
                draws: 0,
                losses: 0,
                faults: 0,
                double_forfeits: 0,
                spoilt: 0,
                walkovers: 0,
                tie_breaks: Vec::new(),
                decided_by: None,
                rating: None,
                withdrawn: *withdrawn,
            })
            .collect();
        for played in (self.matches)() {
            let forfeited = u32::from(played.is_forfeited_by_all());
            for (seat, entrant) in played.seats.iter().enumerate() {
                let row = &mut rows[entrant.index()];
                row.double_forfeits += forfeited;
                row.points = row.points.saturating_add(played.points[seat]);
                row.played += 1;
                row.faults += u32::from(played.fault(seat));
                match played.share(seat) {
                    Share::Won => row.wins += 1,
                    Share::Drawn => row.draws += 1,
                    Share::Lost => row.losses += 1,
                }
            }
        }
        for (entrant, points) in self.walkovers {
            let row = &mut rows[entrant.index()];
            row.points = row.points.saturating_add(*points);
            row.walkovers += 1;
        }
        rows
    }

    /// Returns the values of a tie-break, in the order of the list of bots.
    fn values(&self, rule: TieBreak, points: &[i64], rows: &[Row], borders: &[Border]) -> Vec<Option<f64>> {
        match rule {
            TieBreak::Buchholz => {
                let values = tie_break::buchholz((self.matches)(), points, self.byes.iter().copied());
                values.into_iter().map(Some).collect()
            }
            TieBreak::SonnebornBerger => {
                tie_break::sonneborn_berger((self.matches)(), points).into_iter().map(Some).collect()
            }
            TieBreak::DirectEncounter => {
                let mut groups = vec![0; rows.len()];
                let mut group = 0;
                for (i, row) in rows.iter().enumerate() {
                    group += usize::from(borders[i] != Border::Tied);
                    groups[row.entrant.index()] = group;
                }
                tie_break::direct_encounter((self.matches)(), &groups)
            }
            TieBreak::Wins => {
                let mut values = vec![None; rows.len()];
                for row in rows {
                    values[row.entrant.index()] = Some(f64::from(row.wins));
                }
                values
            }
        }
    }
}

/// What separates a row from the one above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Border {
    Tied,
    Points,
    TieBreak(TieBreak),
}

/// Sorts the bots within each group of equal ones by the values of a tie-break, where points decide at all.
fn split(
    rows: &mut [Row],
    borders: &mut [Border],
    rule: TieBreak,
    values: &[Option<f64>],
    by_points: impl Fn(&Row) -> bool,
) {
    let value = |row: &Row| values[row.entrant.index()];
    // A bot for which the tie-break says nothing has the same value as all others of its group: none.
    let rank = |row: &Row| value(row).unwrap_or(f64::NEG_INFINITY);
    let mut first = 0;
    while first < rows.len() {
        let next = (first + 1..rows.len()).find(|i| borders[*i] != Border::Tied).unwrap_or(rows.len());
        if !by_points(&rows[first]) {
            first = next;
            continue;
        }
        rows[first..next].sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(a.entrant.cmp(&b.entrant)));
        for i in first + 1..next {
            if rank(&rows[i - 1]) != rank(&rows[i]) {
                borders[i] = Border::TieBreak(rule);
            }
        }
        first = next;
    }
    for row in rows {
        row.tie_breaks.push(values[row.entrant.index()]);
    }
}
