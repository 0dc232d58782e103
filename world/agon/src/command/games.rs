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
use clap::Args;
use serde_json::{Value, json};

/// List the games with their rule sets, maps and built-in bots.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon games
  agon games planet-wars
  agon games --format json | jq -r '.[] | .name'")]
pub struct Games {
    /// Tell everything about one game.
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
            (Format::Json, Some(game)) => printer.json(&describe(game))?,
            (Format::Json, None) => {
                printer.json(&agon_games::all().iter().map(|game| describe(*game)).collect::<Vec<_>>())?;
            }
            (Format::Text, Some(game)) => printer.data(tell(game, printer.colour))?,
            (Format::Text, None) => printer.data(overview(printer.colour))?,
        }
        Ok(Exit::Done)
    }
}

/// One line a game.
fn overview(colour: bool) -> String {
    let heading = ["game", "title", "seats", "rules", "bots, weakest first"];
    let mut table = Table::new(heading.map(left).to_vec());
    for game in agon_games::all() {
        table.row(vec![
            left(game.name()),
            left(game.title()),
            left(seat_range(*game)),
            left(game.rule_sets().join(", ")),
            left(list(game.bots().iter().map(|b| format!("@{}", b.name)))),
        ]);
    }
    table.render(colour)
}

/// Everything about one game, for people.
fn tell(game: &dyn AnyGame, colour: bool) -> String {
    let mut out = format!("{}: {}\n\nseats   {}\n", game.title(), game.about(), seat_range(game));
    if let Some((limit, unit)) = game.limit() {
        out.push_str(&format!("limit   {limit} {unit} (--rounds)\n"));
    }
    out.push_str(&format!("clock   {} (--time)\n", print_clock(&game.clock())));
    for (name, clock) in game.clocks() {
        out.push_str(&format!("        {name}: {}\n", print_clock(&clock)));
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
    let bots = game.bots().iter().map(|b| (format!("@{}", b.name), b.about.to_owned())).collect();
    section("bots, weakest first", bots);
    section("maps (--map)", game.map_kinds().iter().map(|k| (format!("gen:{}", k.name), k.about.to_owned())).collect());
    let options = game.dialect().iter().map(|d| (format!("{}={}", d.name, d.values.join("|")), d.about.to_owned()));
    section("options of a seat (--seat N:…)", options.collect());
    let formats = game.formats().iter().map(|f| (f.name.to_owned(), f.about.to_owned())).collect();
    section("formats (agon replay export, import)", formats);
    out.push_str(&format!("\nrule sets (--rules): {}\n", game.rule_sets().join(", ")));
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

/// Everything about one game, for programs.
fn describe(game: &dyn AnyGame) -> Value {
    let (least, most) = game.seats().into_inner();
    let about = |names: &mut dyn Iterator<Item = (&str, &str)>| -> Value {
        names.map(|(name, about)| json!({ "name": name, "about": about })).collect()
    };
    let points: Vec<Value> = game
        .rule_points()
        .iter()
        .map(|p| {
            let sets: serde_json::Map<String, Value> =
                game.rule_sets().iter().map(|s| ((*s).to_owned(), json!(game.rule(s, p.name)))).collect();
            json!({ "name": p.name, "about": p.about, "values": p.values, "sets": sets })
        })
        .collect();
    let formats: Vec<Value> = game
        .formats()
        .iter()
        .map(|f| json!({ "name": f.name, "about": f.about, "ending": f.ending, "import": f.import.is_some() }))
        .collect();
    json!({
        "name": game.name(),
        "title": game.title(),
        "about": game.about(),
        "seats": [least, most],
        "default_seats": game.default_seats(),
        "limit": game.limit().map(|(limit, unit)| json!({ "default": limit, "unit": unit })),
        "rules": game.rule_sets(),
        "points": points,
        "bots": game.bots().iter().map(|b| b.name).collect::<Vec<_>>(),
        "bots_about": about(&mut game.bots().iter().map(|b| (b.name, b.about))),
        "maps": about(&mut game.map_kinds().iter().map(|k| (k.name, k.about))),
        "dialect": game.dialect().iter()
            .map(|d| json!({ "name": d.name, "about": d.about, "values": d.values })).collect::<Vec<_>>(),
        "clock": game.clock(),
        "clocks": game.clocks().into_iter()
            .map(|(name, clock)| (name.to_owned(), json!(clock))).collect::<serde_json::Map<_, _>>(),
        "memory_mib": game.memory_mib(),
        "formats": formats,
    })
}
