//! `agon match GAME BOT…`.

use super::{
    Format,
    series::{SeriesCommand, SeriesOptions},
    start_error::never_started,
};
use crate::{
    cause::{check, lines, short},
    clean::{clean, shell_word},
    copies::warn_of_copies,
    core_placement::PlacementOptions,
    error::{Error, Result},
    exit::Exit,
    interrupt::Interrupt,
    live::Live,
    live_page::LivePage,
    overwriting,
    printer::Printer,
    report::{Report, turns},
    stderr_lines::StderrLines,
    terms::{self, Terms, parse_bots},
    values,
};
use agon_core::Seat;
use agon_games::AnyGame;
use agon_play::{
    Cause, ContentHash, Event, Exposure, History, Listen, MatchFile, MatchResult, NamedBot, NotStarted, Outcome,
    PlayOptions, PreparedBot, ReplaySink, Shortage, TranscriptSink, cause, play, shortage_hint,
};
use agon_referee::{Fault, FaultRecord, MatchEvent};
use agon_replay::Footer;
use clap::Args;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The group of the options that say what is shown and written.
const RESULTS: &str = "Results";

/// Play one match between bots.
///
/// Each BOT takes one seat, in order. A BOT is `[NAME=]SPEC`. SPEC is `@name` for a built-in bot, `champion:PATH` for a
/// champion of Portals, a folder, an archive, a WASM module, or else a command line. Agon splits a command line into
/// words as a shell would, and starts it without a shell.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon match planet-wars @random @random
  agon match grid me='python3 mine/bot.py' @random --seed 7 --replay game.jsonl
  agon match lighthouses --map island.txt --rounds 200 ./a ./b ./c
  agon match grid ./bot @random --time move=250ms --seat 2:time=off
  agon match lighthouses ./a ./b --freeze --pin auto
  agon match grid 'python3 bot.py' @random --stderr    what does it print?
  agon match grid mine/bot @random --rules original --transcript talk.jsonl
  agon match lighthouses @random @random --watch --delay 50ms
  agon match grid @warden @frontier --open             in the browser
  agon match grid ./new ./old --games 200              who wins more often?
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
    placement: PlacementOptions,

    /// Write a replay. Agon compresses it if FILE ends in .jsonl.zst.
    #[arg(long, value_name = "FILE.jsonl[.zst]", help_heading = RESULTS)]
    replay: Option<PathBuf>,

    /// Write every byte that bots read and wrote, as JSON lines.
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    transcript: Option<PathBuf>,

    /// Show what bots write to their stderr, line by line.
    #[arg(long, conflicts_with = "watch", help_heading = RESULTS)]
    stderr: bool,

    /// Show the board in the terminal while the match is played.
    #[arg(long, help_heading = RESULTS)]
    watch: bool,

    /// How long --watch shows each board.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = values::time, requires = "watch")]
    #[arg(help_heading = RESULTS)]
    delay: Duration,

    /// Show the match in the browser while it is played, and stay until Ctrl-C.
    #[arg(long, conflicts_with = "games", help_heading = RESULTS)]
    open: bool,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, help_heading = RESULTS)]
    format: Format,

    /// Exit with code 21 if a bot forfeits.
    #[arg(long, help_heading = RESULTS)]
    fail_on_forfeit: bool,

    #[command(flatten)]
    series: SeriesOptions,
}

/// A match that was played, with everything that the report needs.
struct Played<'a> {
    game: &'static dyn AnyGame,
    prepared: &'a terms::Match,
    result: &'a MatchResult,
    history: &'a History,
    /// The path of the replay. `None` if the replay is not complete.
    replay: Option<&'a Path>,
}

impl Match {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = crate::game::find(&self.game)?;
        let bots = parse_bots(game, &self.bots)?;
        if let Some(games) = self.series.games {
            if self.replay.is_some() {
                return Err(Error::user("`--replay` is for one match, but `--games` plays many")
                    .hint("`--replays DIR` writes the replay of each game")
                    .exit(Exit::Usage));
            }
            let series = SeriesCommand {
                game,
                bots: &bots,
                terms: &self.terms,
                placement: &self.placement,
                options: &self.series,
                games,
                format: self.format,
                fail_on_forfeit: self.fail_on_forfeit,
            };
            return series.run(printer);
        }
        self.refuse_overwriting(&bots)?;
        let interrupt = Interrupt::new()?;
        let prepared = self.terms.prepare(game, &bots, printer, &interrupt)?;
        if let Some(warning) = &prepared.warning {
            printer.warning(warning);
        }
        warn_of_copies(&prepared.bots, printer);
        crate::names::warn_of_names_of(&prepared.bots, printer);
        let stderr_is_shown = self.look_at_exposure(&prepared.bots, printer)?;
        let flag = interrupt.cancel().flag();
        let mut live = if self.watch {
            Live::board(printer, flag, game, &prepared.spec, self.delay)?
        } else {
            Live::progress(printer, flag)
        };
        let mut page = self.open.then(|| LivePage::open(printer)).transpose()?;
        let mut stderr = StderrLines::new(printer, &prepared.spec, stderr_is_shown);
        let mut history = History::default();
        let options = PlayOptions {
            cancel: Some(interrupt.cancel().clone()),
            replay: self.replay.clone().map(ReplaySink::File),
            transcript: self.transcript.clone().map(TranscriptSink::File),
            listen: if self.stderr { Listen::Stderr } else { Listen::Nothing },
            ponder: self.placement.ponder,
            cores: self.placement.pin.clone(),
            cores_of_bot: self.placement.cores,
            ..PlayOptions::default()
        };
        let result = play(game, &prepared.spec, &prepared.bots, options, &mut |event| match event {
            Event::Match(event) => {
                if let MatchEvent::Ply(record) = event {
                    history.add(record);
                }
                if let Some(page) = &mut page {
                    page.add(event);
                }
                live.show(event);
            }
            Event::Chunk(chunk) => stderr.add(chunk),
            _ => {}
        })?;
        stderr.end();
        let replay = result.replay.as_ref().filter(|report| report.written.is_ok());
        let replay = replay.and_then(|report| report.path.as_deref());
        let exit =
            self.tell(&Played { game, prepared: &prepared, result: &result, history: &history, replay }, printer)?;
        if let Some(cut) = result.replay.as_ref().and_then(|report| report.cut) {
            let (there, bytes) = (turns(cut.plies), cut.bytes);
            printer
                .warning(format!("the replay ends after {there} ({bytes} bytes), because Agon reads no longer replay"));
        }
        if let Some(changed) = &result.changed {
            let (bot, file) = (clean(&changed.bot), clean(&changed.file.display().to_string()));
            printer.warning(format!(
                "`{file}` was written or replaced while {bot} played: which version did is not known"
            ));
        }
        for (seat, stream, bytes) in result.transcript.iter().flat_map(|report| &report.left_out) {
            let stream = stream.name();
            printer.warning(format!("the transcript leaves out {bytes} bytes of `{stream}` of seat {seat}"));
        }
        if let Some(error) = self.lost(&result) {
            return Err(error);
        }
        if let Some(page) = page {
            page.stay(interrupt.cancel(), printer);
        }
        Ok(exit)
    }

    /// Refuses a match whose transcript would overwrite its replay, or whose files would overwrite the map or a file of
    /// a bot.
    fn refuse_overwriting(&self, bots: &[NamedBot]) -> Result<()> {
        let files: Vec<PathBuf> = bots.iter().flat_map(NamedBot::files).collect();
        let mut read: Vec<overwriting::Named<'_>> = files.iter().map(|file| ("a file of a bot", &**file)).collect();
        read.extend(self.terms.map_files());
        let replay = self.replay.as_deref().map(|path| ("--replay", path));
        let transcript = self.transcript.as_deref().map(|path| ("--transcript", path));
        let written: Vec<overwriting::Named<'_>> = replay.into_iter().chain(transcript).collect();
        overwriting::refuse(&written, &read)?;
        self.transcript.as_deref().map_or(Ok(()), overwriting::refuse_what_is_no_transcript)
    }

    /// Warns of bots that can read everything. Returns whether bots could read what stderr leads to.
    ///
    /// # Errors
    /// A bot could read the boards of `--watch`.
    fn look_at_exposure(&self, bots: &[PreparedBot], printer: &Printer) -> Result<bool> {
        // The message has the path that the shell has opened. What goes to stdout is printed when no bot runs any more.
        let stderr = Path::new("/dev/stderr").canonicalize().unwrap_or_default();
        let files = [
            (MatchFile::Replay, self.replay.as_deref()),
            (MatchFile::Transcript, self.transcript.as_deref()),
            (MatchFile::Stderr, (self.stderr || self.watch).then_some(&*stderr)),
        ];
        let files = files.into_iter().filter_map(|(file, path)| Some((file, path?)));
        let unconfined = files.filter(|(_, path)| bots.iter().any(|bot| bot.exposure(path) == Exposure::Unconfined));
        let exposed: Vec<String> = unconfined.map(|(file, _)| file.to_string()).collect();
        if !exposed.is_empty() {
            let files = exposed.join(", ");
            printer.warning(format!("bots without a sandbox can read this while they play: {files}"));
        }
        let shown = MatchFile::Stderr.check(&stderr, bots);
        if self.watch {
            shown.map_err(agon_play::Error::from)?;
            return Ok(false);
        }
        Ok(shown.is_err())
    }

    /// Returns an error if the replay or the transcript is not complete. It is printed after the result, which matters
    /// more.
    fn lost(&self, result: &MatchResult) -> Option<Error> {
        let replay = result.replay.as_ref().and_then(|report| report.written.as_ref().err());
        if let (Some(why), Some(path)) = (replay, &self.replay) {
            return Some(Error::file("write the replay", path, why).after_play());
        }
        let transcript = result.transcript.as_ref().and_then(|report| report.written.as_ref().err());
        let (why, path) = transcript.zip(self.transcript.as_ref())?;
        Some(Error::file("write the transcript", path, why).after_play())
    }

    /// Reports how the match ended.
    fn tell(&self, played: &Played<'_>, printer: &Printer) -> Result<Exit> {
        match &played.result.outcome {
            Outcome::NotStarted(NotStarted::Bots(seats)) => {
                Err(never_started(played.game, &played.prepared.bots, seats))
            }
            Outcome::NotStarted(_) => Err(crate::interrupt::error()),
            Outcome::Short(shortage) => Err(short_of(*shortage, played.result.plies)),
            Outcome::Aborted => {
                printer.progress("");
                printer.tell(format!("interrupted after {}, no result", turns(played.result.plies)));
                if let Some(path) = played.replay {
                    printer.hint(format!("the turns that were played are in {}", clean(&path.display().to_string())));
                }
                Ok(Exit::Interrupted)
            }
            Outcome::Finished(_) | Outcome::Spoilt(_) => self.finished(played, printer),
        }
    }

    fn finished(&self, played: &Played<'_>, printer: &Printer) -> Result<Exit> {
        let Some(footer) = &played.result.footer else {
            return Err(Error::user("the match ended without a result").exit(Exit::Internal));
        };
        let (spec, replay) = (&played.prepared.spec, played.replay);
        let MatchResult { standing, refused, greeted_as, .. } = played.result;
        let report = Report { spec, standing, footer, refused, greeted_as, replay };
        let causes = played.causes();
        match self.format {
            Format::Json => {
                let mut document = report.document(&played.prepared.bots, played.replay_hash());
                for (seat, cause) in &causes {
                    if let Some(fault) = document.seats.get_mut(seat.index()).and_then(|seat| seat.fault.as_mut()) {
                        (fault.cause, fault.hint) = (Some(cause.code), Some(short(cause)));
                    }
                }
                printer.document(document)
            }
            Format::Text => printer.data(report.text(printer.colour)),
        }
        .map_err(Error::after_play)?;
        let late = footer.faults.iter().find(|record| matches!(record.fault, Fault::Late { .. }));
        if let (Some(record), Some(path)) = (late, replay) {
            let path = shell_word(path);
            printer.hint(format!("`agon replay show {path} --time --turn {}` shows where the time went", record.ply));
        }
        for hint in played.hints(footer, &causes) {
            printer.hint(hint);
        }
        if footer.spoilt.is_some() {
            printer.hint("play it again where there is less to do, or give more time (`--time`); nobody has lost");
            return Ok(Exit::Spoilt);
        }
        let forfeit = self.fail_on_forfeit && !footer.faults.is_empty();
        Ok(if forfeit { Exit::Forfeit } else { Exit::Done })
    }
}

impl Played<'_> {
    /// Returns the hash of the whole replay file.
    fn replay_hash(&self) -> Option<ContentHash> {
        self.replay?;
        Some(*self.result.replay.as_ref()?.written.as_ref().ok()?)
    }

    fn bot(&self, seat: Seat) -> &PreparedBot {
        &self.prepared.bots[seat.index()]
    }

    /// Returns the likely causes of the faults.
    fn causes(&self) -> Vec<(Seat, Cause)> {
        let turns = self.history.turns();
        let seats = self.result.seats.iter().zip(&self.prepared.bots).enumerate();
        let of_seat = |(i, (seat, bot))| {
            cause(self.game, &self.prepared.spec, bot, seat, turns).map(|cause| (Seat::new(i), cause))
        };
        seats.filter_map(of_seat).collect()
    }

    /// Returns hints for the authors of bots that failed. `causes` are the likely causes of the faults.
    fn hints(&self, footer: &Footer, causes: &[(Seat, Cause)]) -> Vec<String> {
        let mut hints = Vec::new();
        let spec = &self.prepared.spec;
        for fault in &footer.faults {
            let NamedBot { name, words, spec: bot, .. } = self.bot(fault.seat).bot();
            let name = clean(name);
            match causes.iter().find(|(seat, _)| *seat == fault.seat) {
                Some((_, cause)) => hints.push(lines(&name, cause)),
                None => hints.extend(doubt(self.bot(fault.seat), fault)),
            }
            if !matches!(fault.fault, Fault::NeverStarted { .. }) && bot.is_process() {
                hints.push(check(&spec.game, &spec.rules, words, &name));
            }
        }
        hints.dedup();
        hints
    }
}

/// Returns the error of a match that the host broke off because it was short of something.
fn short_of(shortage: Shortage, plies: u32) -> Error {
    let exit = if plies == 0 { Exit::Sandbox } else { Exit::Spoilt };
    let what = format!("the host ran short of {shortage} after {}, no result", turns(plies));
    Error::user(what).exit(exit).hint(shortage_hint(shortage))
}

/// Returns the likely reason why a bot failed at its start.
pub fn doubt(bot: &PreparedBot, fault: &FaultRecord) -> Option<String> {
    let early = fault.ply <= 1 && matches!(fault.fault, Fault::Crashed { .. } | Fault::ClosedOutput);
    let name = clean(&bot.bot().name);
    if let Some(file) = bot.spec().missing_file().filter(|_| early) {
        return Some(format!("the command of {name} names the file `{}`, which does not exist", clean(file)));
    }
    if let Some(module) = bot.spec().missing_module().filter(|_| early) {
        return Some(format!(
            "the command of {name} names the module `{}`, which is not in the folder in which you typed it: start Agon where \
             the module is, or give its folder as the BOT",
            clean(&module)
        ));
    }
    (early && bot.sees_nothing()).then(|| {
        format!(
            "{name} can read no file of yours, because its command names none: `--bot-dir DIR` lets it read a folder"
        )
    })
}
