//! `agon test GAME OLD NEW`: is a new version of a bot better than the old one?

mod contest;
mod description;
mod live;
mod null;
mod options;
mod question;
mod report;
mod run;
mod store;

use super::Format;
use crate::{
    cause::check,
    clean::clean,
    copies::warn_of_copy,
    error::{Error, Result},
    exit::Exit,
    forecast::Games,
    interrupt::Interrupt,
    nothing_new::nothing_new,
    overwriting,
    printer::Printer,
    values,
};
use agon_play::{Exposure, MatchFile, NamedBot};
use agon_store::files_of_store;
use agon_tournament::{test_html, words};
use agon_tourney::{Comparison, Findings, NEW, OLD, Reason, Verdict};
use clap::Args;
pub use contest::{Arena, Attempt, Contest, Played};
pub use description::{Description, Kind};
pub use options::ComparisonOptions;
pub use question::{Bounds, Empty, Model, Question, bounds};
pub use report::{TestReport, document_estimate, estimate};
pub use run::{Ended, RunOptions, run};
use std::path::{Path, PathBuf};
use store::seed_of;
pub use store::{TestStore, described, spoilt};

/// The most matches of a test, unless the user says otherwise.
pub const MOST_MATCHES: u64 = 20_000;
/// The most matches with `--null`.
const MOST_NULL_MATCHES: u64 = 2000;

/// Find out whether a new version of a bot is better than the old one.
///
/// Plays blocks until the question is answered. In a block, every bot plays in every seat once, on the same map and with
/// the same seed. The exit code is the answer: 0 better, 10 not better (which does not mean worse), 11 undecided, 12
/// equivalent. docs/testing.md explains what that means, for people who do not know statistics.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon test planet-wars 'python3 old/bot.py' 'python3 new/bot.py'
  agon test grid @greedy ./bot --max-matches 2000 --seed 7
  agon test grid old/bot new/bot --store new.agon   can be continued
  agon test grid ./old ./new --bounds -5,5          is it not much worse?
  agon test grid ./old ./new --equivalent 20        are both as good, in Elo?
  agon test lighthouses ./old ./new --seats 3 --field @strategist
  agon test planet-wars ./old ./new --margin 500    scores instead of wins
  agon test grid ./bot --null                       how often does the test err?
  agon test grid ./old ./new --html test.html       the course as a page
  agon test grid ./old ./new --format json")]
pub struct Test {
    /// The game; `agon games` lists them.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// The old version: `@builtin` or a command, optionally with a name, as `old='python3 bot.py'`. With `--null`, the bot.
    #[arg(value_name = "OLD")]
    old: String,

    /// The new version.
    #[arg(value_name = "NEW", required_unless_present = "null", conflicts_with = "null")]
    new: Option<String>,

    /// How many bots play in a match. Those of `--field` take the seats beside OLD and NEW, one after the other and again
    /// from the first one; without it, copies of OLD. The default is as many as are named.
    #[arg(long = "seats", value_name = "N", value_parser = values::whole(2..=64_u32), allow_negative_numbers = true)]
    players: Option<u32>,

    /// The bots in the other seats, joined by commas. May be repeated.
    #[arg(long, value_name = "BOT,…", value_delimiter = ',')]
    field: Vec<String>,

    #[command(flatten)]
    options: ComparisonOptions,

    /// Play a bot against its own copy, then draw at random who is called new, 1000 times: how often would the test say
    /// `better`?
    #[arg(long, help_heading = "The question")]
    null: bool,

    /// Keep every match in FILE. The same command continues the test, whatever ended it.
    #[arg(long, value_name = "FILE.agon", help_heading = "Results")]
    store: Option<PathBuf>,

    /// Write a report as one page that needs nothing else: the course of the evidence and of the estimate, scores by seat
    /// and map.
    #[arg(long, value_name = "PAGE", help_heading = "Results")]
    html: Option<PathBuf>,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Results")]
    format: Format,
}

impl Test {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let bots = self.bots(game)?;
        let described = self.store.as_deref().map(|path| described(path, Kind::Test)).transpose()?.flatten();
        let seeded = self.options.seeded(described.as_ref());
        let usual = if self.null { MOST_NULL_MATCHES } else { MOST_MATCHES };
        let terms = self.options.question.terms(bots.len(), &seeded, usual)?;
        self.refuse_overwriting(&bots)?;
        let interrupt = Interrupt::in_two_stages()?;
        let contest = Contest::prepare(game, bots, (&self.options, &seeded), &interrupt, printer)?;
        if let Some(warning) = &contest.warning {
            printer.warning(warning);
        }
        crate::names::warn_of_names_of(&contest.bots, printer);
        if !self.null {
            warn_of_copy(&contest.bots[OLD], &contest.bots[NEW], printer);
        }
        let most = usize::try_from(terms.max_matches).unwrap_or(usize::MAX);
        let at_once = self.options.placement.at_once(self.options.at_once, &contest.bots, most, printer)?;
        let description = Description::of(&contest, &terms, self.null);
        if let (Some(path), Some(described)) = (&self.store, &described) {
            described.refuse_other(&description, path)?;
        }
        let store = self.store.as_deref().map(|path| open(path, &contest, &description, printer)).transpose()?;
        let begin = if self.null { Comparison::recording } else { Comparison::new };
        let comparison = begin(terms.clone()).map_err(|flaw| Error::user(flaw.to_string()))?;
        let games = if self.null { Games::exactly(terms.max_matches) } else { Games::of_test(&terms) };
        let options =
            RunOptions { at_once, cancel: interrupt.cancel(), store: store.as_ref(), printer, title: "", games };
        let ended = run(&contest, comparison, &options)?;
        if let Some(store) = store {
            store.close().map_err(Error::after_play)?;
        }
        let null = if self.null && !ended.interrupted { null::null(&terms, &ended.findings, at_once) } else { None };
        let report = TestReport { contest: &contest, terms: &terms, ended: &ended, null, is_null: self.null };
        if ended.interrupted && ended.findings.matches == 0 {
            return Err(crate::interrupt::error());
        }
        match self.format {
            Format::Json => printer.document(report.document()),
            Format::Text => printer.data(report.text(printer.colour)),
        }
        .map_err(Error::after_play)?;
        if let Some(path) = &self.html {
            // After the result, which matters more.
            let page = test_html(&report.document(), &terms, &ended.findings, &report.answer());
            let lost = |why| Error::file("write the page", path, &why).after_play();
            overwriting::replace(path, page.as_bytes()).map_err(lost)?;
            printer.note(format!("wrote {}", clean(&path.display().to_string())));
        }
        Ok(self.tell(&contest, &ended, null.is_some(), printer))
    }

    /// Returns the bots: the old version, the new one, and those in the other seats.
    fn bots(&self, game: &'static dyn agon_games::AnyGame) -> Result<Vec<NamedBot>> {
        let parse = |text: &String| NamedBot::parse(game, text).map_err(agon_play::Error::from);
        let old = parse(&self.old)?;
        let new = self.new.as_ref().map_or_else(|| Ok(old.clone()), parse)?;
        let named = self.field.iter().map(parse).collect::<std::result::Result<Vec<_>, _>>()?;
        let seats = self.players.map_or(2 + named.len(), |seats| seats as usize);
        if seats < 2 + named.len() {
            let given = named.len();
            return Err(Error::user(format!("--field names {given} bots, but {} seats are left", seats - 2))
                .hint("give more `--seats`, or leave `--seats` out"));
        }
        let filling = if named.is_empty() { vec![old.clone()] } else { named };
        let field = filling.iter().cycle().take(seats - 2).cloned();
        Ok([old, new].into_iter().chain(field).collect())
    }

    /// Refuses a store or a page that is a file of a bot, or the map.
    fn refuse_overwriting(&self, bots: &[NamedBot]) -> Result<()> {
        let files: Vec<PathBuf> = bots.iter().flat_map(NamedBot::files).collect();
        let mut read: Vec<overwriting::Named<'_>> = files.iter().map(|file| ("a file of a bot", &**file)).collect();
        read.extend(self.options.terms.map_files());
        // The page must not replace the store, nor what lies beside it.
        let beside = self.store.as_deref().map(files_of_store).unwrap_or_default();
        let store = self.store.as_deref().map(|path| ("--store", path));
        let stores: Vec<overwriting::Named<'_>> = store.into_iter().collect();
        overwriting::refuse(&stores, &read)?;
        read.extend(beside.iter().map(|file| ("the store", &**file)));
        let pages: Vec<overwriting::Named<'_>> =
            self.html.as_deref().map(|path| ("--html", path)).into_iter().collect();
        overwriting::refuse(&pages, &read)
    }

    /// Says on stderr what to do next. Returns the exit code.
    fn tell(&self, contest: &Contest, ended: &Ended, learnt: bool, printer: &Printer) -> Exit {
        let findings = &ended.findings;
        if ended.interrupted {
            let how = match &self.store {
                Some(_) => "the same command continues the test".to_owned(),
                None => "nothing is kept; with `--store FILE.agon`, the same command continues a test".to_owned(),
            };
            printer.tell(format!("interrupted after {}; {how}", words::matches(findings.matches)));
            return Exit::Interrupted;
        }
        for (bot, faults) in [(OLD, findings.faults.old), (NEW, findings.faults.new)] {
            let bot = contest.bots[bot].bot();
            if faults > 0 && bot.spec.is_process() {
                printer.hint(check(&contest.spec.game, &contest.spec.rules, &bot.words, &bot.name));
            }
        }
        match (findings.verdict, findings.reason) {
            (_, Reason::Failing) => exit_of(findings),
            (_, Reason::Spoilt) => {
                printer.hint("play it again where there is less to do, or give more time (`--time`); nobody has lost");
                Exit::Spoilt
            }
            _ if learnt => Exit::Done,
            (_, reason) => {
                match reason {
                    Reason::Exhausted => printer.hint(nothing_new(contest.game, &self.options.terms.maps)),
                    Reason::Limit if self.store.is_some() && !self.null => {
                        printer.hint("a larger `--max-matches` continues this test");
                    }
                    _ => {}
                }
                exit_of(findings)
            }
        }
    }
}

/// Returns the exit code of an answer.
pub fn exit_of(findings: &Findings) -> Exit {
    match findings.verdict {
        _ if findings.reason == Reason::Spoilt => Exit::Spoilt,
        Verdict::Undecided if findings.reason == Reason::Failing => Exit::Forfeit,
        Verdict::Better => Exit::Done,
        Verdict::NotBetter => Exit::NotBetter,
        Verdict::Equivalent => Exit::Equivalent,
        Verdict::Undecided => Exit::Undecided,
    }
}

/// Opens the store. Refuses one that a bot could read: it has the seeds and the results of all matches.
pub fn open(path: &Path, contest: &Contest, description: &Description, printer: &Printer) -> Result<TestStore> {
    MatchFile::Store.check(path, &contest.bots).map_err(agon_play::Error::from)?;
    if contest.bots.iter().any(|bot| bot.exposure(path) == Exposure::Unconfined) {
        let shown = clean(&path.display().to_string());
        printer.warning(format!("bots without a sandbox can read `{shown}` while they play"));
    }
    TestStore::open(path, contest, description)
}
