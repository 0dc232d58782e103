//! `agon check GAME BOT`. The author of a bot runs this first.

mod steps;
mod trial;

use super::Format;
use crate::{
    cause::lines,
    clean::{clean, clean_lines, cut, escape_bytes},
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    printer::{Printer, Style},
    report::refused_text,
    table::{Table, left, right},
    terms::{Terms, prepare},
    values,
};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{Cancel, MatchTerms, NamedBot, PreparedBot};
use agon_spec::{CheckDocument, CheckFinding, CheckStep, Refused, StepResult};
use clap::Args;
use std::cell::Cell;
use steps::{Checked, Finding, Step};
use trial::Ground;

/// Check that a bot speaks the protocol of a game, in numbered steps.
///
/// The bot plays short matches against built-in bots: in every seat, on every kind of map, to the end of a match, with
/// every option of the protocol. The check says nothing about how well the bot plays.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon check planet-wars 'python3 bot.py'
  agon check grid ./bot --time move=250ms
  agon check lighthouses ./bot --rules original --format json")]
pub struct Check {
    /// The game.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// The bot, as in `agon match`.
    #[arg(value_name = "BOT")]
    bot: String,

    #[command(flatten)]
    terms: Terms,

    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Check {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        if game.info().bots.is_empty() {
            return Err(Error::user(format!("{} has no built-in bot to play against", game.info().title)));
        }
        let interrupt = Interrupt::new()?;
        let mut terms = self.terms.clone();
        // All steps use one seed, so that a second run plays the same matches.
        terms.seed = Some(terms.seed.unwrap_or(1));
        let bot = NamedBot::parse(game, &self.bot).map_err(agon_play::Error::from)?;
        let terms = terms.terms();
        // Errors in the terms are reported before anything is built.
        terms.plan(
            game,
            &trial::seated(game, &bot, Seat::new(0), game.info().default_seats, game.info().bots[0].name)?,
        )?;
        let mut preparer = self.terms.preparer(&interrupt)?;
        let prepared = prepare(&mut preparer, game, &bot, printer)?;
        if let Some(warning) = preparer.warning() {
            printer.warning(clean(warning));
        }
        let cancel = interrupt.cancel();
        let ground = Ground { game, bot: &bot, prepared: &prepared, terms: &terms, cancel, stuck: Cell::new(false) };
        let Checked { steps, refused } =
            steps::all(&ground, &mut |name| printer.progress(&format!("checking: {name}")))?;
        printer.progress("");
        let passed = steps.iter().all(|s| s.verdict != StepResult::Failed);
        match self.format {
            Format::Json => printer.document(self.document(&steps, passed, refused))?,
            Format::Text => printer.data(self.text(&steps, passed, &refused, printer.colour))?,
        }
        if let Some(finding) = steps.iter().find_map(|step| step.finding.as_ref().filter(|it| it.hint.is_some())) {
            match (&finding.cause, &finding.hint) {
                (Some(cause), _) => printer.hint(lines(&bot.name, cause)),
                (None, hint) => printer.hint(hint.as_deref().unwrap_or_default()),
            }
        }
        Ok(if passed { Exit::Done } else { Exit::User })
    }

    fn text(&self, steps: &[Step], passed: bool, refused: &Refused, colour: bool) -> String {
        let mut table = Table::new(vec![right("step"), left("what"), left("result"), left("")]);
        for (i, step) in steps.iter().enumerate() {
            let (word, style) = match step.verdict {
                StepResult::Passed => ("ok", Style::Good),
                StepResult::Failed => ("FAILED", Style::Bad),
                StepResult::Skipped => ("skipped", Style::Faint),
            };
            let detail = cut(&step.detail, 160);
            table.row(vec![right((i + 1).to_string()), left(step.name), left(word).style(style), left(detail)]);
        }
        let mut out = table.render(colour);
        for finding in steps.iter().filter_map(|s| s.finding.as_ref()) {
            out.push_str(&finding_text(finding));
        }
        if let Some(text) = refused_text(refused) {
            out.push_str(&format!("\n{text}\n"));
        }
        let failed = steps.iter().filter(|s| s.verdict == StepResult::Failed).count();
        let verdict = if passed {
            format!("{} speaks the protocol of {}", cut(&clean(&self.bot), 80), self.game)
        } else {
            format!("{failed} of {} steps failed", steps.len())
        };
        out.push_str(&format!("\n{}\n", Style::Strong.paint(&verdict, colour)));
        out
    }

    fn document(&self, steps: &[Step], passed: bool, refused: Refused) -> CheckDocument {
        let finding = |finding: &Finding| CheckFinding {
            trial: finding.trial.clone(),
            told: escape_bytes(&finding.told),
            said: escape_bytes(&finding.said),
            stderr: clean_lines(&finding.stderr),
            hint: finding.hint.clone(),
            cause: finding.cause.as_ref().map(|cause| cause.code),
        };
        let steps = steps.iter().enumerate().map(|(i, step)| CheckStep {
            step: i + 1,
            name: step.name.to_owned(),
            result: step.verdict,
            detail: step.detail.clone(),
            finding: step.finding.as_ref().map(finding),
        });
        CheckDocument { game: self.game.clone(), bot: self.bot.clone(), passed, refused, steps: steps.collect() }
    }
}

/// A failed step, without what the bot read and wrote.
pub struct Failure {
    /// The name of the step.
    pub step: &'static str,
    /// What happened. It is already clean.
    pub detail: String,
    /// The likely reason.
    pub hint: Option<String>,
}

/// Plays the same steps for a bot that is ready to start. Returns the first one that failed.
///
/// # Errors
/// The terms cannot be used, the host spoils every attempt, or the user interrupts the check.
pub fn first_failure(
    game: &'static dyn AnyGame,
    prepared: &PreparedBot,
    terms: &MatchTerms,
    cancel: &Cancel,
) -> Result<Option<Failure>> {
    let ground = Ground { game, bot: prepared.bot(), prepared, terms, cancel, stuck: Cell::new(false) };
    let steps = steps::all(&ground, &mut |_| ())?.steps;
    let failed = steps.into_iter().find(|step| step.verdict == StepResult::Failed);
    Ok(failed.map(|step| Failure {
        step: step.name,
        detail: step.detail,
        hint: step.finding.and_then(|finding| finding.hint),
    }))
}

/// Returns what helps to find out why a step failed: the last input and output of the bot.
fn finding_text(finding: &Finding) -> String {
    let mut out = format!("\nin {}:\n", finding.trial);
    let mut block = |title: &str, lines: Vec<String>| {
        out.push_str(&format!("  {title}\n"));
        if lines.is_empty() {
            out.push_str("  | (nothing)\n");
        }
        for line in lines {
            out.push_str(&format!("  | {}\n", cut(&line, 160)));
        }
    };
    block("its last input, byte for byte:", escaped_lines(&finding.told));
    block("its last output:", escaped_lines(&finding.said));
    block("its stderr:", clean_lines(&finding.stderr).lines().map(str::to_owned).collect());
    out
}

/// Returns bytes as lines in which the line ends are visible.
fn escaped_lines(bytes: &[u8]) -> Vec<String> {
    bytes.split_inclusive(|b| *b == b'\n').map(escape_bytes).collect()
}
