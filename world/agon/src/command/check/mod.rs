//! `agon check GAME BOT`. The author of a bot runs this first.

mod steps;
mod trial;

use super::Format;
use crate::{
    cause::lines,
    clean::{clean, clean_lines, cut, escape_bytes, shell_word},
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    overwriting,
    printer::{Printer, Style},
    report::refused_text,
    table::{Table, left, right},
    terms::{Terms, prepare},
    values,
};
use agon_core::{Seat, Seed};
use agon_games::AnyGame;
use agon_play::{BotSpec, Cancel, MatchTerms, NamedBot, PreparedBot, ReplayFile, SeatOption};
use agon_spec::{CheckDocument, CheckFinding, CheckStep, StepResult};
use clap::Args;
use std::{
    cell::Cell,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
};
use steps::{Checked, Finding};
use trial::Ground;

/// The longest detail or line that is shown in a terminal, in characters.
const WIDTH: usize = 160;

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

    /// Write the replay of the first match in which the bot failed. Agon compresses it if FILE ends in .jsonl.zst.
    #[arg(long, value_name = "FILE.jsonl[.zst]", help_heading = "Results")]
    replay: Option<PathBuf>,

    /// Write every byte of that match, as JSON lines.
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    transcript: Option<PathBuf>,

    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = "Results")]
    format: Format,
}

impl Check {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        if game.info().bots.is_empty() {
            return Err(Error::user(format!("{} has no built-in bot to play against", game.info().title)));
        }
        self.refuse_files(game)?;
        let interrupt = Interrupt::new()?;
        let mut terms = self.terms.clone();
        // All steps use one seed, so that a second run plays the same matches.
        let seed = terms.seed.unwrap_or(1);
        terms.seed = Some(seed);
        let bot = NamedBot::parse(game, &self.bot).map_err(agon_play::Error::from)?;
        let terms = terms.terms();
        // Errors in the terms are reported before anything is built.
        terms.plan(
            game,
            &trial::seated(game, &bot, Seat::new(0), game.info().default_seats, game.info().bots[0].name)?,
        )?;
        let mut preparer = self.terms.preparer(&interrupt)?;
        // The bot is tried in every seat, and its variables are those of the first.
        let variables = SeatOption::variables(&self.terms.seats, 0);
        let prepared = prepare(&mut preparer, game, &bot, printer)?.with_variables(&variables);
        if let Some(warning) = preparer.warning() {
            printer.warning(clean(warning));
        }
        crate::names::warn_of_names([bot.name.as_str()], printer);
        let cancel = interrupt.cancel();
        let keeps = self.replay.is_some() || self.transcript.is_some();
        let ground =
            Ground { game, bot: &bot, prepared: &prepared, terms: &terms, cancel, stuck: Cell::new(false), keeps };
        let checked = steps::all(&ground, &mut |name| printer.progress(&format!("checking: {name}")))?;
        printer.progress("");
        match self.format {
            Format::Json => printer.document(self.document(&checked, seed))?,
            Format::Text => printer.data(self.text(&checked, seed, printer.colour))?,
        }
        for warning in checked.warnings() {
            printer.warning(warning);
        }
        if let Some(note) = hash_note(&prepared) {
            printer.note(note);
        }
        self.save(&checked, printer)?;
        if let Some(finding) =
            checked.steps.iter().find_map(|step| step.finding.as_ref().filter(|it| it.hint.is_some()))
        {
            match (&finding.cause, &finding.hint) {
                (Some(cause), _) => printer.hint(lines(&bot.name, cause)),
                (None, hint) => printer.hint(hint.as_deref().unwrap_or_default()),
            }
        }
        Ok(if checked.passed() { Exit::Done } else { Exit::User })
    }

    fn text(&self, checked: &Checked, seed: u64, colour: bool) -> String {
        let steps = &checked.steps;
        // What goes to a file or to another program is not cut.
        let width = if std::io::stdout().is_terminal() { WIDTH } else { usize::MAX };
        let mut table = Table::new(vec![right("step"), left("what"), left("result"), left("")]);
        for (i, step) in steps.iter().enumerate() {
            let (word, style) = match step.verdict {
                StepResult::Passed => ("ok", Style::Good),
                StepResult::Failed => ("FAILED", Style::Bad),
                StepResult::Skipped => ("skipped", Style::Faint),
            };
            let detail = cut(&step.detail, width);
            table.row(vec![right((i + 1).to_string()), left(step.name), left(word).style(style), left(detail)]);
        }
        let mut out = table.render(colour);
        for (step, finding) in steps.iter().filter_map(|s| Some((s, s.finding.as_ref()?))) {
            out.push_str(&finding_text(&step.detail, finding, width));
        }
        if let Some(text) = refused_text(&checked.refused) {
            out.push_str(&format!("\n{text}\n"));
        }
        let failed = steps.iter().filter(|s| s.verdict == StepResult::Failed).count();
        let verdict = if checked.passed() {
            format!("{} speaks the protocol of {}", cut(&clean(&self.bot), width), self.game)
        } else {
            format!("{failed} of {} steps failed", steps.len())
        };
        out.push_str(&format!("\nseed    {seed}\n\n{}\n", Style::Strong.paint(&verdict, colour)));
        out
    }

    /// Refuses files that could not be written later, or that would overwrite a file of another kind.
    fn refuse_files(&self, game: &dyn AnyGame) -> Result<()> {
        if let Some(path) = &self.replay {
            ReplayFile::is_compressed(path).map_err(agon_play::Error::from)?;
        }
        let bot = NamedBot::parse(game, &self.bot).map_err(agon_play::Error::from)?;
        let files = bot.files();
        let read: Vec<overwriting::Named<'_>> = files.iter().map(|file| ("a file of the bot", &**file)).collect();
        let replay = self.replay.as_deref().map(|path| ("--replay", path));
        let transcript = self.transcript.as_deref().map(|path| ("--transcript", path));
        let written: Vec<overwriting::Named<'_>> = replay.into_iter().chain(transcript).collect();
        overwriting::refuse(&written, &read)?;
        for (option, path) in &written {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                let (path, folder) = (clean(&path.display().to_string()), clean(&folder.display().to_string()));
                return Err(Error::user(format!("{option} `{path}`: there is no folder `{folder}`")));
            }
        }
        self.transcript.as_deref().map_or(Ok(()), overwriting::refuse_what_is_no_transcript)
    }

    /// Writes the files of the first match in which the bot failed.
    fn save(&self, checked: &Checked, printer: &Printer) -> Result<()> {
        let Some(finding) = checked.steps.iter().find_map(|step| step.finding.as_ref()) else { return Ok(()) };
        let [replay, transcript] = &finding.kept;
        if let Some(path) = self.replay.as_ref().filter(|_| !replay.is_empty()) {
            let failed = |why| Error::file("write the replay", path, &why);
            let mut file = ReplayFile::create(path).map_err(agon_play::Error::from)?;
            file.write_all(replay).map_err(failed)?;
            file.close().map_err(failed)?;
            printer.hint(format!("`agon replay show {}` shows the match in which it failed", shell_word(path)));
        }
        if let Some(path) = self.transcript.as_ref().filter(|_| !transcript.is_empty()) {
            std::fs::write(path, transcript).map_err(|why| Error::file("write the transcript", path, &why))?;
        }
        Ok(())
    }

    fn document(&self, checked: &Checked, seed: u64) -> CheckDocument {
        let finding = |finding: &Finding| CheckFinding {
            trial: finding.trial.clone(),
            told: escape_bytes(&finding.told),
            said: escape_bytes(&finding.said),
            stderr: clean_lines(&finding.stderr),
            hint: finding.hint.clone(),
            cause: finding.cause.as_ref().map(|cause| cause.code),
        };
        let warnings = checked.warnings().map(str::to_owned).collect();
        let steps = checked.steps.iter().enumerate().map(|(i, step)| CheckStep {
            step: i + 1,
            name: step.name.to_owned(),
            result: step.verdict,
            detail: step.detail.clone(),
            finding: step.finding.as_ref().map(finding),
        });
        CheckDocument {
            game: self.game.clone(),
            bot: self.bot.clone(),
            seed: Seed(seed),
            passed: checked.passed(),
            refused: checked.refused.clone(),
            warnings,
            steps: steps.collect(),
        }
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
    let ground = Ground { game, bot: prepared.bot(), prepared, terms, cancel, stuck: Cell::new(false), keeps: false };
    let steps = steps::all(&ground, &mut |_| ())?.steps;
    let failed = steps.into_iter().find(|step| step.verdict == StepResult::Failed);
    Ok(failed.map(|step| Failure {
        step: step.name,
        detail: step.detail,
        hint: step.finding.and_then(|finding| finding.hint),
    }))
}

/// Says what the hash of a command covers, and what it leaves out. `None` for a bot of which Agon plays a copy.
fn hash_note(bot: &PreparedBot) -> Option<String> {
    if !matches!(bot.spec(), BotSpec::Command(_)) {
        return None;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let shown = |path: &Path| clean(&path.strip_prefix(&here).unwrap_or(path).display().to_string());
    let hashed: Vec<String> = bot.hashed_files().iter().map(|file| shown(file)).collect();
    let beside: Vec<String> = bot
        .files_beside_hash()
        .iter()
        .map(|file| clean(&file.file_name().unwrap_or_default().to_string_lossy()))
        .collect();
    let covers = if hashed.is_empty() { "its words alone".to_owned() } else { some_of(&hashed) };
    Some(if beside.is_empty() {
        format!("its hash covers {covers}; the interpreter and what the system has are left out")
    } else {
        format!(
            "its hash covers {covers}, not {} beside it, nor the interpreter and what the system has: if those change, \
             Agon takes it for the same version; of a folder as the BOT all files count",
            some_of(&beside)
        )
    })
}

/// Returns the first names of a list, and how many follow.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 4;
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] if names.len() <= SHOWN => format!("{} and {last}", all.join(", ")),
        _ => format!("{} and {} more", names[..SHOWN - 1].join(", "), names.len() - (SHOWN - 1)),
    }
}

/// Returns what helps to find out why a step failed: the reason, which the table may have cut, and the last input and output of
/// the bot.
fn finding_text(reason: &str, finding: &Finding, width: usize) -> String {
    // Some reasons begin with the trial.
    let about = finding.trial.rsplit_once(" (").map_or("", |(about, _)| about);
    let reason = reason.strip_prefix(about).unwrap_or(reason).trim_start_matches([',', ':', ' ']);
    let mut out = format!("\nin {}: {reason}\n", finding.trial);
    let mut block = |title: &str, lines: Vec<String>| {
        out.push_str(&format!("  {title}\n"));
        if lines.is_empty() {
            out.push_str("  | (nothing)\n");
        }
        for line in lines {
            out.push_str(&format!("  | {}\n", cut(&line, width)));
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
