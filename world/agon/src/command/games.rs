//! `agon games`.

use super::Format;
use crate::{
    error::Result,
    exit::Exit,
    game::{list, print_clock, seat_range},
    printer::Printer,
    table::{Table, left},
    values,
};
use agon_games::AnyGame;
use agon_spec::{
    DialectDescription, FormatDescription, GameDocument, LimitDescription, NameDescription, PointDescription,
};
use clap::Args;

/// List the games with their rule sets, maps and built-in bots.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon games
  agon games planet-wars
  agon games --format json | jq -r '.[] | .name'")]
pub struct Games {
    /// Describe this game in full.
    #[arg(value_name = "GAME", value_parser = values::game(), hide_possible_values = true)]
    game: Option<String>,

    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Games {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let one = self.game.as_deref().map(crate::game::find).transpose()?;
        match (self.format, one) {
            (Format::Json, Some(game)) => printer.document(describe(game))?,
            (Format::Json, None) => {
                printer.json(&agon_games::all().iter().map(|game| describe(*game)).collect::<Vec<_>>())?;
            }
            (Format::Text, Some(game)) => printer.data(tell(game, printer.colour))?,
            (Format::Text, None) => printer.data(overview(printer.colour))?,
        }
        Ok(Exit::Done)
    }
}

/// Returns a table with one line for each game.
fn overview(colour: bool) -> String {
    let heading = ["game", "title", "seats", "rules", "bots, weakest first"];
    let mut table = Table::new(heading.map(left).to_vec());
    for game in agon_games::all() {
        table.row(vec![
            left(game.name()),
            left(game.info().title),
            left(seat_range(*game)),
            left(game.rule_sets().join(", ")),
            left(list(game.info().bots.iter().map(|b| format!("@{}", b.name)))),
        ]);
    }
    table.render(colour)
}

/// Returns everything about one game, for people.
fn tell(game: &dyn AnyGame, colour: bool) -> String {
    let mut out = format!("{}: {}\n\nseats   {}\n", game.info().title, game.info().about, seat_range(game));
    if let Some(limit) = game.info().limit {
        out.push_str(&format!("limit   {} {} (--rounds)\n", limit.default, limit.unit));
    }
    out.push_str(&format!("clock   {} (--time)\n", print_clock(&game.info().clock)));
    for (name, clock) in game.info().clocks {
        out.push_str(&format!("        {name}: {}\n", print_clock(clock)));
    }
    let mut section = |title: &str, rows: Vec<(String, String)>| {
        if !rows.is_empty() {
            let mut table = Table::new(vec![left(title), left("")]);
            for (name, about) in rows {
                table.row(vec![left(name), left(about)]);
            }
            out.push('\n');
            out.push_str(&table.render(colour));
        }
    };
    let bots = game.info().bots.iter().map(|b| (format!("@{}", b.name), b.about.to_owned())).collect();
    section("bots, weakest first", bots);
    section(
        "maps (--map)",
        game.info().map_kinds.iter().map(|k| (format!("gen:{}", k.name), k.about.to_owned())).collect(),
    );
    let options =
        game.info().dialect.iter().map(|d| (format!("{}={}", d.name, d.values.join("|")), d.about.to_owned()));
    section("options of a seat (--seat N:…)", options.collect());
    let formats = game.formats().iter().map(|f| (f.name.to_owned(), f.about.to_owned())).collect();
    section("formats (agon replay export, import)", formats);
    out.push_str(&format!("\nrule sets (--rules): {}\n", game.rule_sets().join(", ")));
    if game.rule_sets().iter().position(|set| *set == "original").is_some_and(|at| at > 0) {
        out.push_str("bots that were written for the contest want `--rules original`\n");
    }
    if !game.rule_points().is_empty() {
        let heading = ["point"].into_iter().chain(game.rule_sets().iter().copied());
        let mut table = Table::new(heading.map(left).chain([left("decides")]).collect());
        for point in game.rule_points() {
            let value = |set: &&str| left(game.rule(set, point.name).unwrap_or("-"));
            let cells = [left(point.name)].into_iter().chain(game.rule_sets().iter().map(value));
            table.row(cells.chain([left(point.about)]).collect());
        }
        out.push_str(&table.render(colour));
    }
    out
}

/// Returns everything about one game, for programs.
fn describe(game: &dyn AnyGame) -> GameDocument {
    let info = game.info();
    let (least, most) = info.seats.clone().into_inner();
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let about = |name: &str, about: &str| NameDescription { name: name.to_owned(), about: about.to_owned() };
    let value = |set: &str, point: &str| (set.to_owned(), game.rule(set, point).map(str::to_owned));
    let points = game.rule_points().iter().map(|point| PointDescription {
        name: point.name.to_owned(),
        about: point.about.to_owned(),
        values: owned(point.values),
        sets: game.rule_sets().iter().map(|set| value(set, point.name)).collect(),
    });
    let dialect = info.dialect.iter().map(|option| DialectDescription {
        name: option.name.to_owned(),
        about: option.about.to_owned(),
        values: owned(option.values),
    });
    let formats = game.formats().iter().map(|format| FormatDescription {
        name: format.name.to_owned(),
        about: format.about.to_owned(),
        ending: format.ending.to_owned(),
        import: format.import.is_some(),
    });
    GameDocument {
        name: game.name().to_owned(),
        title: info.title.to_owned(),
        about: info.about.to_owned(),
        seats: [least, most],
        default_seats: info.default_seats,
        limit: info.limit.map(|limit| LimitDescription { default: limit.default, unit: limit.unit.to_owned() }),
        rules: owned(game.rule_sets()),
        points: points.collect(),
        bots: info.bots.iter().map(|bot| bot.name.to_owned()).collect(),
        bots_about: info.bots.iter().map(|bot| about(bot.name, bot.about)).collect(),
        maps: info.map_kinds.iter().map(|kind| about(kind.name, kind.about)).collect(),
        dialect: dialect.collect(),
        clock: info.clock,
        clocks: info.clocks.iter().map(|(name, clock)| ((*name).to_owned(), *clock)).collect(),
        memory_mib: info.memory_mib,
        formats: formats.collect(),
    }
}
