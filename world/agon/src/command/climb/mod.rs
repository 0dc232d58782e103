//! `agon climb GAME BOT`: how far does a bot come against ever stronger ones?

mod rungs;

use super::{
    Format,
    test::{ComparisonOptions, Contest, Ended, RunOptions, estimate, run},
};
use crate::{
    cause::check,
    clean::clean,
    copies::warn_of_copy,
    error::{Error, Result},
    exit::Exit,
    forecast::Games,
    interrupt::Interrupt,
    nothing_new::nothing_new,
    printer::{Printer, Style},
    table::{Table, left, right},
    values,
};
use agon_games::AnyGame;
use agon_play::{MatchTerms, NamedBot};
use agon_spec::{ClimbDocument, ClimbRung};
use agon_tournament::words;
use agon_tourney::{Comparison, ComparisonTerms, NEW, OLD, Reason, Verdict};
use clap::Args;
use std::path::PathBuf;

/// The most matches against one bot, unless the user says otherwise.
const MOST_MATCHES: u64 = 2000;

/// Find out which bots a bot beats, from the weakest up.
///
/// Tests the bot against one rung after the other, as `agon test GAME RUNG BOT` does. Each test stops as soon as it is
/// decided, either way, and the climb ends at the first rung that the bot does not beat.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon climb planet-wars 'python3 bot.py'      against the built-in bots
  agon climb grid ./bot --rungs old/           against every bot in a folder
  agon climb grid ./bot --rungs old/ --all     also those after the first defeat
  agon climb grid ./bot --bounds 0,20 --max-matches 10000")]
pub struct Climb {
    /// The game; `agon games` lists them.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// `@builtin` or a command, optionally with a name: `me='python3 bot.py'`.
    #[arg(value_name = "BOT")]
    bot: String,

    /// The bots to beat: a folder with one bot in each folder, archive, script or program, and in Portals also in each
    /// folder of a champion or `.so`. They are tried in the order of their names, `v2` before `v10`. The default is the
    /// built-in bots, weakest first.
    #[arg(long, value_name = "FOLDER")]
    rungs: Option<PathBuf>,

    /// Try every rung, also after one that the bot does not beat.
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    options: ComparisonOptions,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Results")]
    format: Format,
}

/// A rung that was tried.
struct Tried {
    name: String,
    words: String,
    terms: ComparisonTerms,
    ended: Ended,
}

impl Climb {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let bot = NamedBot::parse(game, &self.bot).map_err(agon_play::Error::from)?;
        let rungs = match &self.rungs {
            Some(folder) => rungs::of_folder(game, folder, printer)?,
            None => rungs::builtin(game)?,
        };
        let seeded = self.options.terms.terms();
        let interrupt = Interrupt::in_two_stages()?;
        let mut tried: Vec<Tried> = Vec::new();
        let mut names = None;
        let mut failed = None;
        for rung in rungs {
            let bots = [rung, bot.clone()];
            let (contest, one) = match self.climb_rung(game, bots, &seeded, (&interrupt, tried.is_empty()), printer) {
                Ok(climbed) => climbed,
                Err(why) if tried.is_empty() => return Err(why),
                // What was played until then is told all the same.
                Err(why) => {
                    failed = Some(why);
                    break;
                }
            };
            names.get_or_insert_with(|| (contest.name(NEW), contest.spec.rules.clone()));
            let (stops, interrupted) = (one.ended.findings.verdict != Verdict::Better, one.ended.interrupted);
            tried.push(one);
            if interrupted || (stops && !self.all) {
                break;
            }
        }
        let (name, rules) = names.unwrap_or_default();
        match self.format {
            Format::Json => printer.document(ClimbDocument {
                agon: env!("CARGO_PKG_VERSION").to_owned(),
                game: game.name().to_owned(),
                rules: rules.clone(),
                seed: seeded.seed,
                bot: bot.words.clone(),
                rungs: tried.iter().map(row).collect(),
            }),
            Format::Text => printer.data(text(&name, &tried, seeded.seed, printer.colour)),
        }
        .map_err(Error::after_play)?;
        if let Some(why) = failed {
            return Err(why.after_play());
        }
        let last = tried.last().map(|last| &last.ended.findings);
        if last.is_some_and(|last| last.reason == Reason::Spoilt) {
            printer.hint("play it again where there is less to do, or give more time (`--time`); nobody has lost");
            return Ok(Exit::Spoilt);
        }
        if last.is_some_and(|last| last.reason == Reason::Exhausted) {
            printer.hint(nothing_new(game, &self.options.terms.maps));
        }
        if last.is_some_and(|last| last.reason == Reason::Failing && last.failing()[1]) {
            printer.hint(check(game.name(), &rules, &bot.words, &name));
            return Ok(Exit::Forfeit);
        }
        if tried.last().is_some_and(|last| last.ended.interrupted) {
            printer.tell("interrupted; the last rung is not decided");
            return Ok(Exit::Interrupted);
        }
        Ok(Exit::Done)
    }

    /// Tests the bot against one rung.
    fn climb_rung(
        &self,
        game: &'static dyn AnyGame,
        [rung, bot]: [NamedBot; 2],
        seeded: &MatchTerms,
        (interrupt, first): (&Interrupt, bool),
        printer: &Printer,
    ) -> Result<(Contest, Tried)> {
        let terms = self.options.question.coarse_terms(seeded, MOST_MATCHES)?;
        let bots = vec![rung, bot];
        let contest = Contest::prepare(game, bots, (&self.options, seeded), interrupt, printer)?;
        if let Some(warning) = contest.warning.as_ref().filter(|_| first) {
            printer.warning(warning);
        }
        crate::names::warn_of_names_of(&contest.bots, printer);
        warn_of_copy(&contest.bots[OLD], &contest.bots[NEW], printer);
        let most = usize::try_from(terms.max_matches).unwrap_or(usize::MAX);
        let at_once = self.options.placement.at_once(self.options.at_once, &contest.bots, most, printer)?;
        let comparison = Comparison::new(terms.clone()).map_err(|flaw| Error::user(flaw.to_string()))?;
        let name = contest.name(OLD);
        let title = format!("{}: ", clean(&name));
        let games = Games::of_test(&terms);
        let options = RunOptions { at_once, cancel: interrupt.cancel(), store: None, printer, title: &title, games };
        let ended = run(&contest, comparison, &options)?;
        let words = contest.bots[OLD].bot().words.clone();
        Ok((contest, Tried { name, words, terms, ended }))
    }
}

fn row(tried: &Tried) -> ClimbRung {
    let findings = &tried.ended.findings;
    ClimbRung {
        name: tried.name.clone(),
        bot: tried.words.clone(),
        verdict: findings.verdict.name().to_owned(),
        reason: findings.reason.name().to_owned(),
        matches: findings.matches,
        blocks: findings.blocks,
        llr: findings.llr,
        elo: findings.elo.map(super::test::document_estimate),
        anytime: findings.anytime.map(super::test::document_estimate),
        faults: findings.faults.new,
        double_forfeits: findings.double_forfeits,
    }
}

/// Returns a row for each rung, and the answer as the last line.
fn text(name: &str, tried: &[Tried], seed: agon_core::Seed, colour: bool) -> String {
    let mut table =
        Table::new(vec![left("rung"), left("answer"), right("matches"), left("estimate, 95 %"), right("faults")]);
    for Tried { name, terms, ended, .. } in tried {
        let findings = &ended.findings;
        let (answer, style) = match findings.verdict {
            Verdict::Better => ("beaten", Style::Good),
            _ if findings.reason == Reason::Failing => match findings.failing() {
                [true, true] => ("both fail in every game", Style::Bad),
                [true, false] => ("it fails in every game", Style::Bad),
                [false, true] => ("not beaten, by failing in every game", Style::Bad),
                [false, false] => ("undecided: all fail again and again", Style::Strong),
            },
            Verdict::NotBetter => ("not beaten", Style::Bad),
            _ => ("undecided", Style::Strong),
        };
        table.row(vec![
            left(clean(name)),
            left(answer).style(style),
            right(findings.matches.to_string()),
            left(match findings.elo.or(findings.anytime) {
                // One map says nothing of others.
                _ if findings.reason == Reason::Exhausted => "too few different games".to_owned(),
                Some(at) => estimate(terms.measure, at),
                None => String::new(),
            }),
            right(findings.faults.new.to_string()),
        ]);
    }
    let each = |wanted: fn(Verdict) -> bool| {
        let those = tried.iter().filter(|one| wanted(one.ended.findings.verdict));
        those
            .map(|one| format!("{} ({})", clean(&one.name), words::matches(one.ended.findings.matches)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (beaten, not_beaten) =
        (each(|verdict| verdict == Verdict::Better), each(|verdict| verdict == Verdict::NotBetter));
    let undecided = each(|verdict| !matches!(verdict, Verdict::Better | Verdict::NotBetter));
    let mut parts = vec![if beaten.is_empty() { "beats nobody".to_owned() } else { format!("beats {beaten}") }];
    if !not_beaten.is_empty() {
        parts.push(format!("not {not_beaten}"));
    }
    if !undecided.is_empty() {
        parts.push(format!("undecided against {undecided}"));
    }
    let answer = format!("{} {}", clean(name), parts.join(", "));
    format!("{}\nseed    {seed}\n\n{}\n", table.render(colour), Style::Strong.paint(&answer, colour))
}
