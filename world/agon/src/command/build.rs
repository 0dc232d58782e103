//! `agon build DIR|ARCHIVE`.

use super::Format;
use crate::{
    chosen::listed,
    clean::{clean, clean_lines},
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::Printer,
    sandbox_options::levels,
};
use agon_build::{Cache, Prepared, intake::Kind};
use agon_play::{
    BotError, BuildError, BuildIsolation, Event, Helper, IsolationChoice, Preparer, SandboxOptions,
    is_unsupported_archive,
};
use agon_run::Capture;
use agon_spec::{BuildDocument, CleanDocument};
use clap::Args;
use std::{io::Write, path::PathBuf};

/// Build a bot from a folder or an archive, and show the build log.
///
/// Agon detects the language from the files; an `agon.toml` among them overrides that. The build runs in a sandbox
/// without a network. Agon keeps the result until the bot changes. `agon match` does the same with every BOT that is a
/// folder or an archive. docs/bots.md has the details.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon build my-bot
  agon build my-bot.tar.gz --format json
  agon match planet-wars my-bot.zip @random
  agon build --clean                            forget everything that was built")]
pub struct Build {
    /// A folder, a `.zip`, `.tar`, `.tar.gz`, `.tgz` or `.tar.zst`, or a `.jar`.
    #[arg(value_name = "DIR|ARCHIVE", required_unless_present = "clean")]
    path: Option<PathBuf>,

    /// First remove all kept results.
    #[arg(long)]
    clean: bool,

    /// The isolation of the build: `full`, `restricted`, `none`, or `auto` for the strongest level that works here.
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = levels(), hide_possible_values = true)]
    sandbox: IsolationChoice,

    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Build {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let cleaned = if self.clean { Some(Cache::of_user()?.clean()?) } else { None };
        if let Some(bots) = cleaned {
            printer.note(format!("kept bots removed from {}: {bots}", place()?));
        }
        let Some(path) = &self.path else {
            if self.format == Format::Json {
                printer.document(CleanDocument { removed: cleaned.map(|bots| bots as u64) })?;
            }
            return Ok(Exit::Done);
        };
        let named = clean(&path.display().to_string());
        if is_unsupported_archive(path) {
            let error = BotError::Unsupported(named);
            return Err(Error::user(error.to_string()).hint(error.hint().unwrap_or_default()));
        }
        if Kind::of(path).is_none() {
            let what = if path.exists() { "is neither a folder nor an archive" } else { "does not exist" };
            return Err(Error::user(format!("`{named}` {what}"))
                .hint("give a folder, a `.zip`, `.tar`, `.tar.gz` or `.tar.zst`, or a `.jar`"));
        }
        let sandbox = SandboxOptions { isolation: self.sandbox, ..SandboxOptions::default() };
        let mut preparer = Preparer::new(Helper::ThisProgram, sandbox, interrupt::armed()?);
        let isolation = preparer.build_isolation()?;
        let live = self.format == Format::Text && !printer.is_quiet();
        let mut lines = Lines::new();
        let bot = preparer.build(path, &mut |event| match event {
            Event::Building { language, .. } => {
                let language = language.map(|language| format!(" as {language}")).unwrap_or_default();
                let place = if isolation == BuildIsolation::Waived { "WITHOUT a sandbox" } else { "in a sandbox" };
                printer.note(format!("building {named}{language}, {place} ({})", isolation.level()));
            }
            Event::Warning { text, .. } => printer.warning(clean(text)),
            // Lines are shown as they come, because a build may take minutes.
            Event::BuildLog { bytes, .. } if live => lines.add(bytes),
            _ => {}
        });
        lines.end();
        if self.format == Format::Json
            && let Err(agon_play::Error::Build(BuildError::Ambiguous { flaw, candidates, .. })) = &bot
        {
            printer.document(ambiguous(flaw.to_string(), candidates))?;
        }
        let bot = bot.map_err(|error| match error {
            // The log has already been shown.
            agon_play::Error::Build(BuildError::Failed { bot, flaw, .. }) if live => {
                agon_play::Error::Build(BuildError::Failed { bot, flaw, log: Vec::new() })
            }
            other => other,
        })?;
        if self.format == Format::Json {
            printer.document(document(&bot, isolation))?;
            return Ok(Exit::Done);
        }
        if bot.kept && live {
            lines.add(&bot.log);
            lines.end();
        }
        printer.data(summary(&bot))?;
        Ok(Exit::Done)
    }
}

fn place() -> Result<String> {
    Ok(clean(&Cache::of_user()?.folder().display().to_string()))
}

/// Prints the output of a build on stderr while it runs. It prints whole lines, so that each can be cleaned as a whole,
/// and never more than Agon keeps.
struct Lines {
    unfinished: Vec<u8>,
    /// The number of bytes that were printed or wait for the end of their line.
    taken: usize,
    /// The output after the maximum of live output. Its end is shown when the build ends.
    rest: Capture,
}

impl Lines {
    /// The longest incomplete line that is kept back, in bytes.
    const LONGEST: usize = 8 << 10;
    /// How many bytes are printed while the build runs.
    const LIVE: usize = agon_build::LOG / 2;

    fn new() -> Self {
        Self { unfinished: Vec::new(), taken: 0, rest: Capture::new(agon_build::LOG - Self::LIVE) }
    }

    fn add(&mut self, bytes: &[u8]) {
        let (live, rest) = bytes.split_at(bytes.len().min(Self::LIVE - self.taken));
        self.taken += live.len();
        self.rest.add(rest);
        self.unfinished.extend_from_slice(live);
        let whole = self.unfinished.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let whole = if whole == 0 && self.unfinished.len() > Self::LONGEST { self.unfinished.len() } else { whole };
        let lines: Vec<u8> = self.unfinished.drain(..whole).collect();
        Self::print(&String::from_utf8_lossy(&lines));
    }

    fn end(&mut self) {
        let unfinished = std::mem::take(&mut self.unfinished);
        Self::print(&String::from_utf8_lossy(&unfinished));
        let rest = std::mem::replace(&mut self.rest, Capture::new(0)).text();
        Self::print(&rest);
    }

    fn print(text: &str) {
        // Errors of writing to stderr are ignored.
        let _ = std::io::stderr().lock().write_all(clean_lines(text).as_bytes());
    }
}

/// Returns the command that starts the bot, for people.
fn command(bot: &Prepared) -> String {
    let words: Vec<String> = bot.words.iter().map(|word| clean(&word.to_string_lossy())).collect();
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
}

fn summary(bot: &Prepared) -> String {
    let language = bot.plan.language.map_or_else(|| "by agon.toml".to_owned(), |language| language.to_string());
    let built = match (bot.kept, bot.plan.lines.is_empty()) {
        (true, _) => "kept from an earlier build".to_owned(),
        (false, true) => "nothing to build".to_owned(),
        (false, false) => format!("built in {:.1}s", bot.took.as_secs_f64()),
    };
    let folder = clean(&bot.folder.display().to_string());
    let others = bot.plan.candidates.get(1..).filter(|others| !others.is_empty());
    let others = others.map(|others| format!("others    {}\n", listed(others))).unwrap_or_default();
    let left_out = Some(&bot.plan.left_out).filter(|files| !files.is_empty());
    let left_out = left_out.map(|files| format!("left out  {}\n", listed(files))).unwrap_or_default();
    format!(
        "language  {language}, as {}\n{others}{left_out}result    {folder} ({built})\nruns      {}\n",
        clean(&bot.plan.why),
        command(bot)
    )
}

/// Returns the document for a bot of which nothing tells where it starts.
fn ambiguous(why: String, candidates: &[String]) -> BuildDocument {
    BuildDocument {
        language: None,
        why,
        start: None,
        candidates: candidates.to_vec(),
        left_out: Vec::new(),
        notes: Vec::new(),
        build: Vec::new(),
        sandbox: None,
        kept: false,
        took_ms: 0,
        folder: String::new(),
        run: Vec::new(),
        read: Vec::new(),
        log: String::new(),
    }
}

fn document(bot: &Prepared, isolation: BuildIsolation) -> BuildDocument {
    let built = !bot.plan.lines.is_empty();
    BuildDocument {
        language: bot.plan.language.map(|language| language.name().to_owned()),
        why: bot.plan.why.to_string(),
        start: bot.plan.start.clone(),
        candidates: bot.plan.candidates.clone(),
        left_out: bot.plan.left_out.clone(),
        notes: bot.plan.notes.clone(),
        build: bot.plan.lines.clone(),
        sandbox: built.then(|| isolation.level().name().to_owned()),
        kept: bot.kept,
        took_ms: u64::try_from(bot.took.as_millis()).unwrap_or(u64::MAX),
        folder: bot.folder.display().to_string(),
        run: bot.words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        read: bot.read.iter().map(|path| path.display().to_string()).collect(),
        log: clean_lines(&String::from_utf8_lossy(&bot.log)),
    }
}
