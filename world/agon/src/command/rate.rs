//! `agon rate FILE`.

use super::{
    Format,
    tournament::{frozen_reader, of_tournament},
};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    printer::{Printer, Style},
    stores::StoreArg,
    table::{Table, left, right},
};
use agon_spec::{RateDocument, RatedBot, TournamentDocument};
use agon_stats::Errors;
use agon_tournament::{
    RateFilter, RateModel, RateOptions, SeatAdvantage, rate,
    words::{self, Real},
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Rate the bots of a tournament.
///
/// All matches are explained at once, whatever the order of play. docs/ratings.md says what a rating means, and what it does not
/// say.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon rate cup.toml
  agon rate cup.agon --model pl --errors sandwich
  agon tournament export cup.toml > cup.json; agon rate cup.json --format json
  agon rate cup.toml --map gen:10x10 --seat me=1")]
pub struct Rate {
    /// A tournament's file, its store, or what `agon tournament export` has printed.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// How strengths follow from results. Without it: `bt` for matches of two, else `pl`.
    #[arg(long, value_enum, value_name = "MODEL")]
    model: Option<Model>,

    /// How standard errors are made.
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    errors: ErrorKind,

    /// What is fitted for the first seat, with the model `bt`.
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    advantage: FirstSeat,

    /// Only matches on this map; several are possible.
    #[arg(long, value_name = "MAP")]
    map: Vec<String>,

    /// Only matches in which this bot had seat N; several are possible, and all must hold.
    #[arg(long, value_name = "BOT=N", value_parser = seat)]
    seat: Vec<(String, usize)>,

    /// Only matches with this bot; several are possible.
    #[arg(long, value_name = "BOT")]
    opponent: Vec<String>,

    /// Only matches that began at this time (UTC) or later: 2026-11-23 or 2026-11-23T18:30:00.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    since: Option<i64>,

    /// Only matches that began before this time.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    until: Option<i64>,

    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

/// How strengths follow from results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Model {
    /// Bradley-Terry, for matches of two.
    Bt,
    /// Plackett-Luce, for any number.
    Pl,
    /// Elo, match by match.
    Elo,
    /// Glicko-2, round by round.
    #[value(name = "glicko2")]
    Glicko2,
    /// Weng and Lin, match by match.
    WengLin,
}

/// How standard errors are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum ErrorKind {
    /// The adjusted sandwich where matches were drawn, else the inverse; beyond 500 bots the diagonal.
    #[default]
    Automatic,
    /// From the diagonal of the Hessian.
    Diagonal,
    /// From the inverse of the Hessian.
    Inverse,
    /// From how much results have varied; 0 where all were draws.
    Sandwich,
    /// The sandwich, adjusted for few games: draws vary at least as much as 3.84 decided matches of each bot.
    AdjustedSandwich,
    /// From blocks of matches drawn anew, for matches on the same map that depend on each other; with the model `bt`.
    Bootstrap,
}

/// What is fitted for the first seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum FirstSeat {
    /// Nothing.
    None,
    /// One number.
    #[default]
    Seat,
    /// One number for each map.
    Map,
}

impl Rate {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let document = read(&self.file)?;
        let options = RateOptions {
            model: self.model.map(|model| match model {
                Model::Bt => RateModel::BradleyTerry,
                Model::Pl => RateModel::PlackettLuce,
                Model::Elo => RateModel::Elo,
                Model::Glicko2 => RateModel::Glicko2,
                Model::WengLin => RateModel::WengLin,
            }),
            bootstrap: self.errors == ErrorKind::Bootstrap,
            errors: match self.errors {
                ErrorKind::Automatic | ErrorKind::Bootstrap => Errors::Automatic,
                ErrorKind::Diagonal => Errors::Diagonal,
                ErrorKind::Inverse => Errors::Inverse,
                ErrorKind::Sandwich => Errors::Sandwich,
                ErrorKind::AdjustedSandwich => Errors::AdjustedSandwich,
            },
            advantage: match self.advantage {
                FirstSeat::None => SeatAdvantage::None,
                FirstSeat::Seat => SeatAdvantage::Seat,
                FirstSeat::Map => SeatAdvantage::Map,
            },
            filter: RateFilter {
                maps: self.map,
                seats: self.seat,
                opponents: self.opponent,
                since_ms: self.since,
                until_ms: self.until,
            },
        };
        let rated = rate(&document, &options).map_err(|why| Error::user(clean(&why)))?;
        match self.format {
            Format::Json => printer.document(rated)?,
            Format::Text => printer.data(text(&rated, printer.colour))?,
        }
        Ok(Exit::Done)
    }
}

/// Reads the matches of a tournament from whichever file the user has.
fn read(path: &Path) -> Result<TournamentDocument> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml" | "agon") => {
            agon_tournament::export(&frozen_reader(path, &StoreArg::default().of(path))?).map_err(of_tournament)
        }
        _ => exported(path),
    }
}

fn exported(path: &Path) -> Result<TournamentDocument> {
    let bytes = std::fs::read(path).map_err(|why| Error::file("read the tournament", path, &why))?;
    serde_json::from_slice(&bytes).map_err(|why| {
        let name = clean(&path.display().to_string());
        Error::user(format!("`{name}` is no export of a tournament: {}", clean(&why.to_string())))
            .hint("`agon tournament export FILE.toml` prints one; `agon rate` also reads FILE.toml and FILE.agon")
    })
}

fn text(rated: &RateDocument, colour: bool) -> String {
    let digits = if rated.model == "weng-lin" { 2 } else { 0 };
    let mut heading = vec![right("place"), left("bot"), right("rating"), right("95 %")];
    heading.extend([right("matches"), right("share"), right("better than next")]);
    if rated.groups > 1 {
        heading.push(right("group"));
    }
    let mut table = Table::new(heading);
    for bot in &rated.bots {
        let interval = match (bot.low, bot.high) {
            (Some(low), Some(high)) => format!("{low:.digits$} to {high:.digits$}"),
            _ => "-".to_owned(),
        };
        let percent =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{:.1} %", 100.0 * value));
        let mut row = vec![
            right(bot.place.to_string()),
            left(named(bot)),
            right(format!("{:.digits$}", Real(bot.rating))),
            right(interval),
            right(bot.matches.to_string()),
            right(percent(bot.share)),
            right(percent(bot.superiority)),
        ];
        if rated.groups > 1 {
            row.push(right(bot.group.to_string()));
        }
        table.row(row);
    }
    let mut out = table.render(colour);
    out.push('\n');
    for line in notes(rated) {
        out.push_str(&line);
        out.push('\n');
    }
    let marked = rated.order_counts.then(|| Style::Note.paint("the order of play changes these numbers\n", colour));
    out + marked.as_deref().unwrap_or_default()
}

fn named(bot: &RatedBot) -> String {
    let copies: String = bot.copies.iter().map(|copy| format!(" = {}", clean(copy))).collect();
    clean(&bot.bot) + &copies
}

/// Returns what a table cannot say, one thing a line.
fn notes(rated: &RateDocument) -> Vec<String> {
    let mut notes =
        vec![format!("model     {}, {}, errors: {}", rated.model, words::matches(rated.matches), rated.errors)];
    if rated.left_out > 0 {
        let parts =
            [(rated.double_forfeits, "because all bots failed"), (rated.between_copies, "between copies of one bot")];
        let of_them = |(count, why)| (count > 0).then(|| format!(", {count} {why}"));
        let why: String = parts.into_iter().filter_map(of_them).collect();
        notes.push(format!("left out  {}{why}", words::matches(rated.left_out)));
    }
    for bot in rated.bots.iter().filter(|bot| !bot.copies.is_empty()) {
        notes.push(format!("copies    {} have the same files: their matches count as those of one bot", named(bot)));
    }
    if rated.prior.is_some() {
        notes.push(
            "prior     some bots won or lost everything against the others: a small prior keeps strengths finite"
                .to_owned(),
        );
    }
    if rated.groups > 1 {
        notes.push(format!("groups    {}; nothing compares bots of different groups", rated.groups));
    }
    for advantage in &rated.advantages {
        let place = advantage.map.as_ref().map(|map| format!(" on {}", clean(map))).unwrap_or_default();
        notes.push(format!("seat 1    {:+.0} ± {:.0} Elo{place}", Real(advantage.value), 1.96 * advantage.error));
    }
    for cycle in rated.cycles.iter().take(5) {
        let mut names: Vec<String> = cycle.iter().map(|name| clean(name)).collect();
        names.extend(names.first().cloned());
        notes.push(format!("cycle     {}", names.join(" beats ")));
    }
    if let (Some(lottery), Some(true), false) = (&rated.lottery, rated.lottery_unique, rated.cycles.is_empty()) {
        let shares: Vec<String> =
            lottery.iter().map(|share| format!("{} {:.0} %", clean(&share.bot), 100.0 * share.probability)).collect();
        notes.push(format!("lottery   {}", shares.join(", ")));
    }
    notes.extend(first_place(rated).map(|text| format!("place 1   {text}")));
    for residual in rated.residuals.iter().take(5) {
        let (bot, opponent) = (clean(&residual.bot), clean(&residual.opponent));
        notes.push(format!(
            "surprise  {bot} has {:+.1} points more than expected against {opponent} ({:+.1} deviations)",
            Real(residual.surplus),
            Real(residual.deviations)
        ));
    }
    notes
}

/// Returns what the first place depends on. `None` if nothing was to be searched for.
fn first_place(rated: &RateDocument) -> Option<String> {
    if rated.model != "bt" || rated.groups != 1 {
        return None;
    }
    let first: Vec<String> = rated.bots.iter().filter(|bot| bot.place == 1).map(|bot| clean(&bot.bot)).collect();
    Some(match &rated.survival {
        _ if first.len() > 1 => format!("shared by {}", first.join(", ")),
        Some(fall) => {
            let (leader, rival) = (clean(&fall.leader), clean(&fall.rival));
            let without = words::matches(fall.matches);
            format!("{leader}. Without certain {without}, {rival} would be first (greedy search; fewer may do)")
        }
        None if rated.survival_searched => "no choice of matches was found without which it falls".to_owned(),
        None => "too many matches to search for those on which it depends".to_owned(),
    })
}

fn seat(text: &str) -> std::result::Result<(String, usize), String> {
    let (bot, seat) = text.rsplit_once('=').ok_or("expected BOT=N")?;
    let seat = seat.parse().ok().filter(|seat| *seat > 0).ok_or("seats are whole numbers from 1")?;
    Ok((bot.to_owned(), seat))
}

/// Parses an instant in UTC, as milliseconds since 1970.
fn instant(text: &str) -> std::result::Result<i64, String> {
    let wrong = || "expected a date as 2026-11-23, or with a time as 2026-11-23T18:30:00".to_owned();
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00"));
    let numbers = |text: &str, by: char| -> Option<Vec<i64>> { text.split(by).map(|part| part.parse().ok()).collect() };
    let date = numbers(date, '-').filter(|date| date.len() == 3).ok_or_else(wrong)?;
    let time =
        numbers(time.trim_end_matches('Z'), ':').filter(|time| (2..4).contains(&time.len())).ok_or_else(wrong)?;
    let (year, month, day) = (date[0], date[1], date[2]);
    let (hour, minute, second) = (time[0], time[1], time.get(2).copied().unwrap_or(0));
    let is_date = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_since_1970(year, month + 1, 1) - days_since_1970(year, month, 1)).contains(&day);
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    if !is_date || !is_time {
        return Err(wrong());
    }
    Ok(1_000 * (86_400 * days_since_1970(year, month, day) + 3_600 * hour + 60 * minute + second))
}

/// Returns the days from the first day of 1970 to a day. The month 13 is the first one of the next year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that a leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_utc() {
        assert_eq!(instant("1970-01-01"), Ok(0));
        assert_eq!(instant("2026-11-23T18:30:00"), Ok(1_795_458_600_000));
        assert_eq!(instant("2024-02-29T00:00:01Z"), Ok(1_709_164_801_000));
        for wrong in ["", "2026", "2026-13-01", "2026-01-01T25:00", "x-y-z", "2026-11-23T1"] {
            assert!(instant(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_days_that_a_month_has_are_dates() {
        for (year, days) in [
            (2026, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]),
            (2028, [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]),
            (2100, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]),
            (2000, [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]),
        ] {
            for (month, last) in (1..).zip(days) {
                let date = |day: i64| instant(&format!("{year}-{month:02}-{day:02}"));
                assert!(date(last).is_ok() && date(1).is_ok(), "{year}-{month}");
                assert!(date(last + 1).is_err() && date(0).is_err(), "{year}-{month}");
            }
        }
        let next = |day: &str| instant(day).map(|start| start + 86_400_000);
        assert_eq!(next("2026-12-31"), instant("2027-01-01"));
    }

    #[test]
    fn a_bot_may_have_an_equals_sign_in_its_name() {
        assert_eq!(seat("a=b=2"), Ok(("a=b".to_owned(), 2)));
        assert!(seat("a").is_err() && seat("a=0").is_err() && seat("a=x").is_err());
    }
}
