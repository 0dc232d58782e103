//! The report of a series: a table for people, one document for programs.

use super::last_line;
use crate::{
    clean::{clean, cut},
    printer::Style,
    report::{print_micros, refused_text, seat_kind},
    table::{Table, left, right},
};
use agon_play::{BotTally, PreparedBot, SeriesSums, SeriesTally};
use agon_spec::{MatchSpec, SeatTime, SeriesBot, SeriesDocument, SeriesFault};
use agon_stats::{Interval, mean_interval};
use agon_tournament::words;

/// The most faults that are shown to a person.
const SHOWN_FAULTS: usize = 5;

/// The longest text about the cause of a fault, in characters.
const HINT: usize = 240;
/// The longest line of a bot's stderr, in characters.
const STDERR: usize = 160;

/// A series with its results.
pub struct SeriesReport<'a> {
    /// The description of the first game.
    pub spec: &'a MatchSpec,
    /// The bots, in the order of the command line.
    pub bots: &'a [PreparedBot],
    /// The number of games that were to be played.
    pub planned: u32,
    /// The results.
    pub tally: &'a SeriesTally,
    /// What counts of them.
    pub sums: &'a SeriesSums,
    /// The first faults.
    pub faults: &'a [SeriesFault],
    /// The number of all faults.
    pub fault_count: u64,
}

impl SeriesReport<'_> {
    /// Returns the document of `--format json`.
    pub fn document(&self) -> SeriesDocument {
        let bots = self.sums.bots.iter().zip(self.bots).enumerate();
        SeriesDocument {
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            game: self.spec.game.clone(),
            rules: self.spec.rules.clone(),
            seed: self.spec.seed,
            games: self.tally.games,
            repeats: self.sums.repeats,
            planned: self.planned,
            spoilt: self.tally.spoilt,
            double_forfeits: self.tally.double_forfeits,
            bots: bots.map(|(i, (tally, bot))| self.bot(i, tally, bot)).collect(),
            fault_count: self.fault_count,
            faults: self.faults.to_vec(),
        }
    }

    fn bot(&self, index: usize, tally: &BotTally, bot: &PreparedBot) -> SeriesBot {
        let Interval { low, high } = self.interval(index);
        SeriesBot {
            name: bot.bot().name.clone(),
            bot: bot.bot().words.clone(),
            kind: seat_kind(bot.spec()),
            hash: bot.hash().map(|hash| hash.to_string()),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            points: tally.points,
            low,
            high,
            faults: tally.faults,
            refused: tally.refused.summary(),
            time: SeatTime::from(&tally.times),
        }
    }

    /// Returns the interval for the points of a bot in the number of games that count.
    fn interval(&self, bot: usize) -> Interval {
        let games = f64::from(self.sums.games);
        let blocks: Vec<f64> = self.sums.block_means(bot).collect();
        let Interval { low, high } = mean_interval(&blocks, self.sums.games);
        Interval { low: low * games, high: high * games }
    }

    /// Returns the table, the first faults, what is needed to play the series again, and the result as the last line.
    pub fn text(&self, colour: bool) -> String {
        let order = self.order();
        // Few bots are refused anything, and lines are short.
        let with_refused = self.sums.bots.iter().any(|tally| tally.refused.summary().count > 0);
        let mut columns = vec![
            right("place"),
            left("name"),
            right("points"),
            right("95 %"),
            right("wins"),
            right("draws"),
            right("losses"),
            right("p50"),
            right("p99"),
            right("max"),
            right("faults"),
        ];
        if with_refused {
            columns.push(right("refused"));
        }
        let mut table = Table::new(columns);
        for (bot, place) in order.iter().zip(self.places(&order)) {
            let (tally, Interval { low, high }) = (&self.sums.bots[*bot], self.interval(*bot));
            let time = SeatTime::from(&tally.times);
            let shown = |micros| right(if time.count == 0 { "-".to_owned() } else { print_micros(micros) });
            let faults = right(tally.faults.to_string());
            let mut row = vec![
                right(place.to_string()),
                left(clean(&self.bots[*bot].bot().name)).style(if place == 1 { Style::Good } else { Style::Faint }),
                right(words::number(tally.points)),
                right(format!("{low:.1} to {high:.1}")),
                right(tally.wins.to_string()),
                right(tally.draws.to_string()),
                right(tally.losses.to_string()),
                shown(time.p50_us),
                shown(time.p99_us),
                shown(time.max_us),
                if tally.faults > 0 { faults.style(Style::Bad) } else { faults },
            ];
            if with_refused {
                let refused = tally.refused.summary();
                row.push(right(format!("{}/{}", refused.count, refused.of)));
            }
            table.row(row);
        }
        let mut out = table.render(colour);
        self.add_refused(&mut out, &order);
        self.add_faults(&mut out);
        out.push_str(&format!("\nseed    {}\n", self.spec.seed));
        out.push_str(&format!("rules   {}\n", clean(&self.spec.rules)));
        if let Some(level) = self.spec.limits.isolation {
            out.push_str(&format!("sandbox {level}\n"));
        }
        if self.sums.repeats > 0 {
            let (played, different) = (games(self.tally.games), self.sums.games);
            out.push_str(&format!("played  {played}, {different} of them different; copies count once\n"));
        }
        if self.tally.double_forfeits > 0 {
            let forfeited = games(self.tally.double_forfeits);
            out.push_str(&format!("forfeits {forfeited} in which all bots failed: each has lost\n"));
        }
        if self.tally.spoilt > 0 {
            out.push_str(&format!("spoilt  {}\n", games(self.tally.spoilt)));
        }
        out.push_str(&format!("\n{}\n", Style::Strong.paint(&self.result(&order), colour)));
        out
    }

    /// Adds what was refused to each bot most often.
    fn add_refused(&self, out: &mut String, order: &[usize]) {
        let text = |bot: &usize| {
            let text = refused_text(&self.sums.bots[*bot].refused.summary())?;
            Some(format!("{}: {text}\n", clean(&self.bots[*bot].bot().name)))
        };
        let lines: Vec<String> = order.iter().filter_map(text).collect();
        if !lines.is_empty() {
            out.push('\n');
            out.extend(lines);
        }
    }

    fn add_faults(&self, out: &mut String) {
        for (i, SeriesFault { game, seed, seating, bot, fault }) in self.faults.iter().take(SHOWN_FAULTS).enumerate() {
            if i == 0 {
                out.push('\n');
            }
            let seating = clean(&seating.join(", "));
            let when = if fault.ply == 0 { "the greeting".to_owned() } else { format!("turn {}", fault.ply) };
            let (bot, text) = (clean(bot), clean(&fault.text));
            out.push_str(&format!("game {game} (seed {seed}: {seating}): {bot} in {when}: {text}\n"));
            if let Some(line) = fault.stderr.as_deref().and_then(last_line) {
                out.push_str(&format!("    on stderr it wrote last: {}\n", cut(&clean(&line), STDERR)));
            }
            if let Some(hint) = &fault.hint {
                out.push_str(&format!("    {}\n", cut(&clean(hint), HINT)));
            }
        }
        out.push_str(&more_faults(self.fault_count, self.faults.len()));
    }

    /// Returns the bots in the order of their points. Bots with the same points keep their order.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by(|a, b| self.sums.bots[*b].points.total_cmp(&self.sums.bots[*a].points));
        order
    }

    /// Returns the place of each bot in this order. Bots with the same points share the better place.
    fn places(&self, order: &[usize]) -> Vec<usize> {
        let points = |bot: &usize| self.sums.bots[*bot].points;
        order.iter().map(|bot| 1 + order.iter().filter(|other| points(other) > points(bot)).count()).collect()
    }

    fn result(&self, order: &[usize]) -> String {
        let played = self.sums.games;
        let places = self.places(order);
        let first: Vec<String> = order
            .iter()
            .zip(places)
            .filter(|(_, place)| *place == 1)
            .map(|(bot, _)| clean(&self.bots[*bot].bot().name))
            .collect();
        let [name] = &first[..] else {
            return format!("{} have equal points after {}", first.join(", "), games(played));
        };
        let points = self.sums.bots[order[0]].points;
        format!("{name} has {} of {}", words::number(points), words::count(u64::from(played), "point", "points"))
    }
}

/// Returns the line about the faults that are not shown, of which the document lists the first `listed`. Empty if all are shown.
fn more_faults(count: u64, listed: usize) -> String {
    let more = count.saturating_sub(SHOWN_FAULTS as u64);
    let those = if count > listed as u64 { format!("the first {listed}") } else { "them".to_owned() };
    if more > 0 { format!("and {more} more; `--format json` lists {those}\n") } else { String::new() }
}

fn games(count: u32) -> String {
    words::count(u64::from(count), "game", "games")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_about_more_faults_promises_what_the_document_has() {
        assert_eq!(more_faults(5, 5), "");
        assert_eq!(more_faults(6, 6), "and 1 more; `--format json` lists them\n");
        assert_eq!(more_faults(1100, 1000), "and 1095 more; `--format json` lists the first 1000\n");
    }
}
