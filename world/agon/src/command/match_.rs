//! `agon match GAME BOT…`.

use super::Format;
use crate::{
    asides::Asides,
    bot_spec,
    clean::{clean, clean_lines, cut, shell_word},
    error::{Error, Result, reason},
    exit::Exit,
    history::History,
    interrupt,
    live::Live,
    map_source::MapSource,
    overwriting,
    placing::Placing,
    printer::Printer,
    replay_file::Output,
    report::{Report, turns},
    setup::{Setup, Terms},
    transcript::Transcript,
    values,
};
use agon_core::Seat;
use agon_referee::{Fault, FaultRecord, MatchEvent, Recording, Settings};
use agon_replay::{Cut, Footer, Tally, Writer};
use agon_run::{Chunk, Ended, Options, Outcome, StartError, play};
use clap::Args;
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Play one match between bots.
///
/// Every BOT takes one seat, in order. A BOT is `[NAME=]SPEC`, and SPEC is `@name` for a built-in bot,
/// `champion:PATH` for a champion of Portals, a folder or an archive, a module as `bot.wasm`, else a command line, which
/// is split into words like a shell does and started without one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon match planet-wars @random @random
  agon match planet-wars me='python3 bot.py' @random --seed 7 --replay game.jsonl.zst
  agon match lighthouses --map island.txt --rounds 200 ./a ./b ./c
  agon match grid ./bot @random --time move=250ms --seat 2:time=off
  agon match lighthouses ./a ./b --freeze --pin auto
  agon match grid 'python3 bot.py' @random --stderr     what does it print while it plays?
  agon match planet-wars ./bot @random --rules original --transcript talk.jsonl
  agon match lighthouses @random @random --watch --delay 50ms
  agon match grid ./bot @random --format json --fail-on-forfeit")]
pub struct Match {
    /// The game; `agon games` lists them.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,

    /// `@builtin` or a command, optionally with a name: `me='python3 bot.py'`.
    #[arg(value_name = "BOT")]
    bots: Vec<String>,

    #[command(flatten)]
    terms: Terms,

    #[command(flatten)]
    placing: Placing,

    /// Write a replay, compressed if FILE ends in .jsonl.zst.
    #[arg(long, value_name = "FILE.jsonl[.zst]")]
    replay: Option<PathBuf>,

    /// Write every byte that bots read and wrote, as JSON lines.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,

    /// Show what bots write to their stderr, line by line.
    #[arg(long, conflicts_with = "watch")]
    stderr: bool,

    /// Draw the board in the terminal as the match is played.
    #[arg(long)]
    watch: bool,

    /// How long each board is shown, with --watch.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = values::time, requires = "watch")]
    delay: Duration,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,

    /// Exit with code 21 if a bot forfeits.
    #[arg(long)]
    fail_on_forfeit: bool,
}

/// What is gathered while a match is played.
struct Record {
    tally: Tally,
    footer: Option<Footer>,
    history: History,
    writer: Option<Writer<Output>>,
    failed: Option<io::Error>,
    cut: Option<Cut>,
}

impl Match {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        self.refuse_overwriting()?;
        let cancel = interrupt::later()?;
        let setup = self.terms.setup(game, &self.bots, printer, &cancel)?;
        let freeze = self.placing.freeze;
        let settings = Settings { recording: Recording::Orders, freeze, ..Settings::default() };
        let mut machine = game.referee(&setup.spec, &setup.kinds, settings)?;
        if let Some(warning) = &setup.warning {
            printer.warning(warning);
        }
        let mut live = if self.watch {
            Live::board(printer, &cancel, game, &setup.spec, self.delay)?
        } else {
            Live::progress(printer, &cancel)
        };
        let mut record = Record::new(self.replay.as_deref().map(Output::create).transpose()?);
        let mut transcript = self.transcript.as_deref().map(Transcript::create).transpose()?;
        let mut asides = self.stderr.then(|| Asides::new(printer, &setup.spec));
        let listened = transcript.is_some() || asides.is_some();
        let mut write = |chunk: Chunk<'_>| {
            if let Some(asides) = &mut asides {
                asides.add(&chunk);
            }
            if let Some(transcript) = &mut transcript {
                transcript.add(chunk);
            }
        };
        let options = Options {
            transcript: listened.then_some(&mut write as &mut dyn FnMut(Chunk<'_>)),
            grace: setup.grace(),
            cores: self.placing.cores(game, &setup.spec)?,
        };
        let mut observe = |event: &MatchEvent| {
            record.add(event);
            live.show(event);
        };
        let outcome = play(&mut *machine, &setup.launches, &mut observe, &cancel, options)
            .map_err(|e| Error::user(format!("cannot run the match: {}", reason(&e))))?;
        if let Some(asides) = &mut asides {
            asides.end();
        }
        // On disk before anything is printed.
        let (replay, lost) = match record.finish(self.replay.as_deref()) {
            Ok(replay) => (replay, None),
            Err(error) => (None, Some(error)),
        };
        let (left_out, lost) = match transcript.map_or(Ok(Vec::new()), Transcript::finish) {
            Ok(left_out) => (left_out, lost),
            Err(error) => (Vec::new(), lost.or(Some(error))),
        };
        let exit = self.tell(&setup, &record, &outcome, replay, printer)?;
        if let Some(cut) = record.cut {
            let (there, bytes) = (turns(cut.plies), cut.bytes);
            printer
                .warning(format!("the replay was cut after {there}, which take {bytes} bytes: more is not read again"));
        }
        for (seat, stream, bytes) in left_out {
            printer.warning(format!("the transcript leaves out {bytes} bytes of `{stream}` of seat {seat}"));
        }
        lost.map_or(Ok(exit), Err)
    }

    /// A replay that is written over by a transcript, or a bot by either, is lost.
    fn refuse_overwriting(&self) -> Result<()> {
        let files: Vec<PathBuf> = self.bots.iter().flat_map(|bot| bot_spec::files(bot)).collect();
        let mut read: Vec<overwriting::Named<'_>> = files.iter().map(|file| ("a file of a bot", &**file)).collect();
        if let MapSource::File(map) = &self.terms.map {
            read.push(("the map", map));
        }
        let replay = self.replay.as_deref().map(|path| ("--replay", path));
        let transcript = self.transcript.as_deref().map(|path| ("--transcript", path));
        let written: Vec<overwriting::Named<'_>> = replay.into_iter().chain(transcript).collect();
        overwriting::refuse(&written, &read)
    }

    /// Tells how the match ended.
    fn tell(
        &self,
        setup: &Setup,
        record: &Record,
        outcome: &Outcome,
        replay: Option<&Path>,
        printer: &Printer,
    ) -> Result<Exit> {
        match &outcome.ended {
            Ended::NeverStarted(seats) => Err(never_started(setup, seats)),
            Ended::Interrupted => {
                printer.progress("");
                printer.tell(format!("interrupted after {}, no result", turns(outcome.plies)));
                if let Some(path) = replay {
                    printer.hint(format!("what was played is in {}", clean(&path.display().to_string())));
                }
                Ok(Exit::Interrupted)
            }
            Ended::Finished => self.finished(setup, record, outcome, replay, printer),
        }
    }

    fn finished(
        &self,
        setup: &Setup,
        record: &Record,
        outcome: &Outcome,
        replay: Option<&Path>,
        printer: &Printer,
    ) -> Result<Exit> {
        let Some(footer) = &record.footer else {
            return Err(Error::user("the match ended without a result").exit(Exit::Internal));
        };
        let Setup { spec, .. } = setup;
        let report = Report { spec, standing: &outcome.standing, footer, replay };
        match self.format {
            Format::Json => printer.json(&report.json())?,
            Format::Text => printer.data(report.text(printer.colour))?,
        }
        let late = footer.faults.iter().find(|record| matches!(record.fault, Fault::Late { .. }));
        if let Some(FaultRecord { fault: Fault::Late { limit_us, time: Some(time), .. }, .. }) = late
            && time.runnable_us.unwrap_or(0) + time.lag_us.unwrap_or(0) > *limit_us
        {
            let why = "the host kept it from a core for longer than its whole limit";
            printer.hint(format!("{why}: play where there is less to do, or give more time (`--time`)"));
        }
        if let (Some(record), Some(path)) = (late, replay) {
            let path = shell_word(path);
            printer.hint(format!("`agon replay show {path} --time --turn {}` tells where the time went", record.ply));
        }
        for hint in hints(setup, record, footer) {
            printer.hint(hint);
        }
        let forfeit = self.fail_on_forfeit && !footer.faults.is_empty();
        Ok(if forfeit { Exit::Forfeit } else { Exit::Done })
    }
}

impl Record {
    fn new(output: Option<Output>) -> Self {
        let writer = output.map(|output| Writer::new(output, env!("CARGO_PKG_VERSION")));
        Self { tally: Tally::default(), footer: None, history: History::default(), writer, failed: None, cut: None }
    }

    fn add(&mut self, event: &MatchEvent) {
        if let Some(writer) = &mut self.writer
            && let Err(why) = writer.write(event)
        {
            // The match goes on: its result is worth more than its replay. What is lost is told at the end.
            self.failed.get_or_insert(why);
            self.writer = None;
        }
        if let MatchEvent::Ply(record) = event {
            self.history.add(record);
        }
        if let Some(footer) = self.tally.add(event) {
            self.footer = Some(footer);
        }
    }

    /// Closes the replay.
    fn finish<'a>(&mut self, path: Option<&'a Path>) -> Result<Option<&'a Path>> {
        self.cut = self.writer.as_ref().and_then(Writer::cut);
        let written = self.writer.take().map_or(Ok(()), |writer| writer.finish().and_then(Output::close));
        match (path, self.failed.take().map_or(written, Err)) {
            (Some(path), Err(why)) => Err(Error::file("write the replay", path, &why)),
            (path, _) => Ok(path),
        }
    }
}

/// A loud error for every bot that could not be started.
fn never_started(setup: &Setup, seats: &[(Seat, StartError)]) -> Error {
    let told: Vec<String> = seats
        .iter()
        .map(|(seat, why)| {
            let place = &setup.spec.seats[seat.index()];
            let why = clean(&why.to_string());
            format!("bot `{}` (`{}`) could not be started: {why}", clean(&place.name), clean(&place.bot))
        })
        .collect();
    // No sandbox, no match: that is no fault of the bots.
    let no_sandbox = seats.iter().any(|(_, why)| why.refused().is_some());
    let exit = if no_sandbox { Exit::Sandbox } else { Exit::NotStarted };
    let error = Error::user(told.join("\nerror: ")).exit(exit);
    // A name of a built-in bot without its sign is the usual slip.
    let slip = seats.iter().find_map(|(seat, _)| {
        let word = &setup.spec.seats[seat.index()].bot;
        setup.game.bots().iter().find(|b| b.name == word).map(|b| b.name)
    });
    match slip {
        Some(name) => error.hint(format!("a built-in bot is written with its sign: `@{name}`")),
        #[cfg(target_os = "linux")]
        None if no_sandbox => error.hint(crate::sandbox::DISTURBED),
        None if seats.first().is_some_and(|(_, why)| why.is_not_executable()) => {
            error.hint("`chmod +x` makes it executable, or name its interpreter: 'python3 bot.py'")
        }
        None if seats.iter().any(|(seat, _)| bot_spec::needs_shell(&setup.spec.seats[seat.index()].bot)) => error.hint(
            "a BOT is started without a shell; with one it is `sh -c '…'`, and `--bot-dir DIR` shows it a folder",
        ),
        None => error.hint("there is no result; every BOT is a command line, or `@name` for a built-in bot"),
    }
}

/// What helps whoever owns a bot that failed.
fn hints(setup: &Setup, record: &Record, footer: &Footer) -> Vec<String> {
    let mut hints = Vec::new();
    for fault in &footer.faults {
        let name = setup.spec.seats.get(fault.seat.index()).map_or_else(String::new, |s| clean(&s.name));
        if matches!(fault.fault, Fault::Unlawful { .. }) {
            let turns = record.history.turns().unwrap_or_default();
            let upto = turns.iter().position(|t| t.ply == fault.ply).map_or(0, |i| i + 1);
            if let Some(set) = setup.game.forgiven_by(&setup.spec, &turns[..upto], fault.seat) {
                hints.push(format!("{name} lost by a rule that `--rules {set}` does not enforce"));
            }
        }
        hints.extend(setup.doubt(fault));
        if !matches!(fault.fault, Fault::NeverStarted { .. })
            && setup.spec.seats.get(fault.seat.index()).is_some_and(|s| !s.bot.starts_with('@'))
        {
            let bot = cut(&clean_lines(&setup.spec.seats[fault.seat.index()].bot).trim().replace('\'', "'\\''"), 80);
            hints.push(format!("`agon check {} '{bot}'` looks for what {name} does wrong", setup.spec.game));
        }
    }
    hints.dedup();
    hints
}
