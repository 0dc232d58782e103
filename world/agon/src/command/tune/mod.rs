//! `agon tune GAME COMMAND --param …`: which values make a bot stronger?

mod parameter;
mod run;

use super::{
    Format,
    test::{
        ComparisonOptions, Contest, Description, Ended, Kind, MOST_MATCHES, RunOptions, TestReport, described, exit_of,
        open,
    },
};
use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    forecast::Games,
    interrupt::Interrupt,
    printer::{Printer, Style},
    table::{Table, left, right},
    values,
};
use agon_games::AnyGame;
use agon_play::{MatchTerms, NamedBot, SeatOption};
use agon_spec::{TestDocument, TuneDocument, TunedParameter};
use agon_tournament::words;
use agon_tourney::{Comparison, Parameter, Tuning, TuningTerms};
use clap::Args;
use parameter::{Template, print};
use run::{Faults, TuneOptions};
use std::{num::NonZeroUsize, path::PathBuf};

/// Find values for the parameters of a bot that make it stronger.
///
/// Plays the bot against itself with slightly different values, again and again, and moves the values towards the side that
/// wins (SPSA). Prints the command with the values found, and then tests it against the one with the values at the start, as
/// `agon test` does. The exit code is that of the test; 11 without a test if the values found are those of the start; and 22 if the
/// host has spoilt so many matches that the run stops.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tune grid './bot {aggr}' --param aggr=0.1..2.0@0.5 --games 2000
  agon tune grid './bot {a} {b}' --param a=1..9@4 --param b=0..3@1 --games 900
  agon tune grid 'mine/bot {a}' --param a=1..9@4 --games 900 --store a.agon")]
pub struct Tune {
    /// The game; `agon games` lists them.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// The command of the bot, with the name of each parameter in braces where its value belongs.
    #[arg(value_name = "COMMAND")]
    command: String,

    /// A parameter, as NAME=LOW..HIGH@START or with :STEP behind it: its least and greatest value, and the one to start with.
    /// STEP is by how much it is varied at the end; the default is a twentieth of its range. Without a point in its numbers,
    /// only whole numbers are tried. May be repeated.
    #[arg(long = "param", value_name = "NAME=LOW..HIGH", value_parser = parameter::parse, required = true)]
    parameters: Vec<Parameter>,

    /// How many games to play before the test, at least 2. With few games, the values hardly get anywhere: some thousand
    /// are usual.
    #[arg(long, value_name = "N", value_parser = values::whole(2..=u32::MAX), allow_negative_numbers = true)]
    games: u32,

    /// Keep every game in FILE, and those of the test beside it, in FILE with the ending `.test.agon`. The same command
    /// continues, whatever ended it.
    #[arg(long, value_name = "FILE.agon")]
    store: Option<PathBuf>,

    #[command(flatten)]
    options: ComparisonOptions,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Results")]
    format: Format,
}

/// What a run has found.
struct Found<'a> {
    command: &'a str,
    tuning: &'a Tuning,
    /// The command with the values found.
    tuned: String,
    faults: Faults,
}

impl Tune {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let template = Template::new(&self.command, &self.parameters)?;
        if self.options.terms.seats.iter().any(|option| option.key == SeatOption::ENV) {
            let text = "both seats have the same bot with other values, so a seat has no environment of its own";
            return Err(Error::user(text).hint("`--env KEY=VALUE` is for both"));
        }
        let before = self.store.as_deref().map(|path| described(path, Kind::Tuning)).transpose()?.flatten();
        let seeded = self.options.seeded(before.as_ref());
        let MatchTerms { seed, seeds, .. } = seeded;
        let terms = TuningTerms { parameters: self.parameters.clone(), iterations: self.games / 2, seed, seeds };
        let mut tuning =
            Tuning::new(terms.clone()).map_err(|flaw| Error::user(format!("--param: {}", clean(&flaw.to_string()))))?;
        // What is wrong with the question is said before hours of play.
        self.options.question.terms(2, &seeded, MOST_MATCHES)?;
        let start = template.with(&self.parameters.iter().map(|parameter| parameter.start).collect::<Vec<_>>());
        let interrupt = Interrupt::in_two_stages()?;
        let contest = self.contest(game, [("plus", &start), ("minus", &start)], &seeded, &interrupt, printer)?;
        if let Some(warning) = &contest.warning {
            printer.warning(warning);
        }
        let at_once =
            self.options.placement.at_once(self.options.at_once, &contest.bots, self.games as usize, printer)?;
        let description = Description::of_tuning(&contest, &terms, template.words());
        if let (Some(path), Some(before)) = (&self.store, &before) {
            before.refuse_other(&description, path)?;
        }
        let store = self.store.as_deref().map(|path| open(path, &contest, &description, printer)).transpose()?;
        let mut preparer = self.options.terms.preparer(&interrupt)?;
        let options = TuneOptions { at_once, cancel: interrupt.cancel(), store: store.as_ref(), printer };
        let faults = run::run(&contest, &mut tuning, &template, &mut preparer, &options)?;
        if let Some(store) = store {
            store.close().map_err(Error::after_play)?;
        }
        let tuned = template.with(&tuning.values());
        let found = Found { command: template.words(), tuning: &tuning, tuned, faults };
        if tuning.is_stuck() {
            self.tell(&contest, &found, None, printer)?;
            let left = words::count(u64::from(tuning.left_out()), "iteration", "iterations");
            let then = if self.store.is_some() { "; the same command tries again" } else { "" };
            printer.tell(format!("the host spoils too many matches: {left} left out{then}"));
            printer.hint("play it where there is less to do, or give more time (`--time`)");
            return Ok(Exit::Spoilt);
        }
        if !tuning.is_over() {
            self.tell(&contest, &found, None, printer)?;
            let how = match &self.store {
                Some(_) => "the same command continues",
                None => "nothing is kept; with `--store FILE.agon`, the same command continues",
            };
            printer.tell(format!("interrupted after {}; {how}", words::matches(2 * u64::from(tuning.played()))));
            return Ok(Exit::Interrupted);
        }
        if found.tuned == start {
            self.tell(&contest, &found, None, printer)?;
            printer.note("the values are those of the start, so there is nothing to test");
            return Ok(Exit::Undecided);
        }
        printer.note("the tuned bot is now tested against the one of the start");
        let bots = [&*start, &*found.tuned];
        let tested = self.test(game, bots, &seeded, (&interrupt, at_once), printer, |contest, report| {
            self.tell(contest, &found, Some(report), printer)
        });
        // The values were found, whatever became of the test.
        if tested.is_err() {
            self.tell(&contest, &found, None, printer)?;
        }
        tested
    }

    fn contest(
        &self,
        game: &'static dyn AnyGame,
        bots: [(&str, &str); 2],
        seeded: &MatchTerms,
        interrupt: &Interrupt,
        printer: &Printer,
    ) -> Result<Contest> {
        let parse = |(name, words): (&str, &str)| {
            let parsed = NamedBot::parse(game, words).map_err(agon_play::Error::from)?;
            Ok(NamedBot { name: name.to_owned(), is_named: true, ..parsed })
        };
        let bots = bots.into_iter().map(parse).collect::<Result<Vec<_>>>()?;
        Contest::prepare(game, bots, (&self.options, seeded), interrupt, printer)
    }

    /// Tests the tuned bot against that of the start. `tell` prints what came of it.
    fn test(
        &self,
        game: &'static dyn AnyGame,
        [start, tuned]: [&str; 2],
        seeded: &MatchTerms,
        (interrupt, at_once): (&Interrupt, NonZeroUsize),
        printer: &Printer,
        tell: impl FnOnce(&Contest, &TestReport<'_>) -> Result<()>,
    ) -> Result<Exit> {
        // Other maps than those on which the values were found.
        let seeded = MatchTerms { seed: seeded.seeds.seed(seeded.seed, "test", 0), ..seeded.clone() };
        let terms = self.options.question.terms(2, &seeded, MOST_MATCHES)?;
        let contest = self.contest(game, [("start", start), ("tuned", tuned)], &seeded, interrupt, printer)?;
        let path = self.store.as_ref().map(|path| path.with_extension("test.agon"));
        let description = Description::of(&contest, &terms, false);
        let store = path.as_deref().map(|path| open(path, &contest, &description, printer)).transpose()?;
        let comparison = Comparison::new(terms.clone()).map_err(|flaw| Error::user(flaw.to_string()))?;
        let (cancel, games) = (interrupt.cancel(), Games::of_test(&terms));
        let options = RunOptions { at_once, cancel, store: store.as_ref(), printer, title: "test: ", games };
        let ended: Ended = super::test::run(&contest, comparison, &options)?;
        if let Some(store) = store {
            store.close()?;
        }
        let report = TestReport { contest: &contest, terms: &terms, ended: &ended, null: None, is_null: false };
        tell(&contest, &report)?;
        if ended.interrupted {
            printer.tell("interrupted; the test of the tuned bot is not decided");
            return Ok(Exit::Interrupted);
        }
        Ok(exit_of(&ended.findings))
    }

    /// Prints what was found, and the test if there was one.
    fn tell(
        &self,
        contest: &Contest,
        found: &Found<'_>,
        report: Option<&TestReport<'_>>,
        printer: &Printer,
    ) -> Result<()> {
        match self.format {
            Format::Json => printer.document(document(contest, found, report.map(TestReport::document))),
            Format::Text => {
                let test = report.map(|report| format!("\n{}", report.text(printer.colour))).unwrap_or_default();
                printer.data(text(found, printer.colour) + &test)
            }
        }
        .map_err(Error::after_play)
    }
}

fn document(contest: &Contest, found: &Found<'_>, test: Option<TestDocument>) -> TuneDocument {
    let terms = found.tuning.terms();
    let row = |(parameter, value): (&Parameter, f64)| TunedParameter {
        name: parameter.name.clone(),
        low: parameter.low,
        high: parameter.high,
        start: parameter.start,
        value,
    };
    TuneDocument {
        agon: env!("CARGO_PKG_VERSION").to_owned(),
        game: contest.spec.game.clone(),
        rules: contest.spec.rules.clone(),
        seed: terms.seed,
        command: found.command.to_owned(),
        games: 2 * found.tuning.played(),
        planned: 2 * terms.iterations,
        left_out: found.tuning.left_out(),
        faults: found.faults.all,
        double_forfeits: found.faults.double_forfeits,
        parameters: terms.parameters.iter().zip(found.tuning.values()).map(row).collect(),
        tuned: found.tuned.clone(),
        test,
    }
}

fn text(found: &Found<'_>, colour: bool) -> String {
    let terms = found.tuning.terms();
    let mut table = Table::new(vec![left("parameter"), right("start"), right("tuned"), left("range")]);
    for (parameter, value) in terms.parameters.iter().zip(found.tuning.values()) {
        table.row(vec![
            left(clean(&parameter.name)),
            right(print(parameter, parameter.start)),
            right(print(parameter, value)),
            left(format!("{} to {}", print(parameter, parameter.low), print(parameter, parameter.high))),
        ]);
    }
    let Faults { all, double_forfeits } = found.faults;
    let mut more = if all > 0 { format!("faults    {all}\n") } else { String::new() };
    if double_forfeits > 0 {
        let forfeited = words::matches(double_forfeits);
        more.push_str(&format!("forfeits  both bots failed in {forfeited}, which move no value\n"));
    }
    if found.tuning.left_out() > 0 {
        let left = words::count(u64::from(found.tuning.left_out()), "iteration", "iterations");
        more.push_str(&format!("left out  {left}, because of the host\n"));
    }
    let played = words::matches(2 * u64::from(found.tuning.played()));
    let tuned = Style::Strong.paint(&clean(&found.tuned), colour);
    format!("{}\nplayed    {played}\nseed      {}\n{more}\n{tuned}\n", table.render(colour), terms.seed)
}
