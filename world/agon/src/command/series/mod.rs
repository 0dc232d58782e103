//! `agon match … --games N`: many games between the same bots.

mod report;

use super::{Format, start_error::never_started};
use crate::{
    cause::short,
    clean::clean,
    copies::warn_of_copies,
    core_placement::PlacementOptions,
    error::{Error, Result},
    exit::Exit,
    forecast::{Forecast, Games},
    interrupt::{self, Interrupt},
    nothing_new::nothing_new,
    printer::Printer,
    report::seat_fault,
    terms::Terms,
    values,
};
use agon_games::AnyGame;
use agon_play::{
    Cancel, Cause, CorePlacement, Course, HostHistory, MatchFile, MatchResult, NamedBot, PlayOptions, PreparedBot,
    ReplaySink, Series, SeriesGame, SeriesTally, Settled, Withheld, Workload, cause, play, work_at_once,
};
use agon_referee::Recording;
use agon_spec::{SeatFault, SeriesFault};
use clap::Args;
use indicatif::ProgressBar;
use report::SeriesReport;
use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// The most faults that are kept with their reasons.
const KEPT_FAULTS: usize = 1000;
/// How many lines of stderr are searched for one that is not empty.
const LAST_LINES: usize = 5;

/// The arguments of a series.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Many games")]
pub struct SeriesOptions {
    /// Play N games and end in one table. Bots exchange their seats; after every bot has played in every seat, the next
    /// map and seed follow.
    #[arg(long, value_name = "N", value_parser = values::whole(1..=u32::MAX), allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["transcript", "stderr", "watch"])]
    pub games: Option<u32>,

    /// How many games run at the same time. The default is one for each core, on which its bots take turns; with
    /// `--cores` or `--ponder` as many as have a core for each bot.
    #[arg(long, value_name = "K", requires = "games", value_parser = values::at_once, allow_negative_numbers = true)]
    pub at_once: Option<NonZeroUsize>,

    /// Write the replay of each game to DIR, as `1.jsonl.zst` and so on.
    #[arg(long, value_name = "DIR", requires = "games")]
    pub replays: Option<PathBuf>,
}

/// A series to be played.
#[derive(Clone, Copy)]
pub struct SeriesCommand<'a> {
    pub game: &'static dyn AnyGame,
    pub bots: &'a [NamedBot],
    pub terms: &'a Terms,
    pub placement: &'a PlacementOptions,
    pub options: &'a SeriesOptions,
    pub games: u32,
    pub format: Format,
    pub fail_on_forfeit: bool,
}

impl SeriesCommand<'_> {
    /// Plays all games and prints the table.
    ///
    /// # Errors
    /// A term or a bot cannot be used, a bot does not start, or the user interrupted before the first result.
    pub fn run(&self, printer: &Printer) -> Result<Exit> {
        let interrupt = Interrupt::in_two_stages()?;
        let cancel = interrupt.cancel();
        let terms = self.terms.terms();
        // Everything that can be checked before a bot is built.
        let plan = self.terms.plans(&terms, self.game, self.bots)?.swap_remove(0);
        let mut preparer = self.terms.preparer(&interrupt)?;
        let bots = self.terms.prepare_all(&mut preparer, self.game, self.bots, printer)?;
        if let Some(warning) = preparer.warning() {
            printer.warning(clean(warning));
        }
        warn_of_copies(&bots, printer);
        crate::names::warn_of_names_of(&bots, printer);
        let at_once = self.placement.at_once(self.options.at_once, &bots, self.games as usize, printer)?;
        let withheld = match &self.options.replays {
            Some(folder) => withheld_replays(folder, self.games, &bots)?,
            None => None,
        };
        let replays = withheld.as_ref().map(Withheld::path).or(self.options.replays.as_deref());
        let series = Series::new(terms, bots.len()).on(&self.terms.maps);
        let arena = Arena {
            command: self,
            bots: &bots,
            cancel,
            replays,
            host: HostHistory::default(),
            places: self.placement.of_workers(at_once),
        };
        let mut progress = Progress {
            command: self,
            series: &series,
            bots: &bots,
            cancel,
            bar: printer.bar(u64::from(self.games)),
            printer,
            forecast: Forecast::new(at_once.get()),
            next: 1,
            tally: SeriesTally::new(bots.len()),
            faults: Vec::new(),
            fault_count: 0,
            failure: None,
            told: false,
        };
        let worked = work_at_once(at_once, &mut progress, |worker, game: SeriesGame| {
            let played = arena.play(worker, &game);
            (game, played)
        });
        progress.bar.finish_and_clear();
        worked?;
        let Progress { tally, mut faults, fault_count, failure, .. } = progress;
        faults.sort_by_key(|fault| fault.game);
        let sums = tally.sums();
        let played = tally.games + tally.spoilt;
        if played > 0 {
            let spec = &plan.spec(&bots);
            let report = SeriesReport {
                spec,
                bots: &bots,
                planned: self.games,
                tally: &tally,
                sums: &sums,
                faults: &faults,
                fault_count,
            };
            match self.format {
                Format::Json => printer.document(report.document()),
                Format::Text => printer.data(report.text(printer.colour)),
            }
            .map_err(Error::after_play)?;
        }
        if let (Some(withheld), Some(folder)) = (withheld, &self.options.replays) {
            withheld.release().map_err(|why| Error::file("write the replays", folder, &why).after_play())?;
        }
        if let Some(error) = failure {
            return Err(if played > 0 { error.after_play() } else { error });
        }
        if cancel.is_cancelled() && played < self.games {
            if played == 0 {
                return Err(interrupt::error());
            }
            printer.tell(format!("interrupted: {} of {} games were not played", self.games - played, self.games));
            return Ok(Exit::Interrupted);
        }
        if sums.repeats > tally.games / 2 {
            printer.hint(nothing_new(self.game, &self.terms.maps));
        }
        if tally.spoilt > 0 {
            printer.hint("games without a result count for nobody; play them again where there is less to do");
            return Ok(Exit::Spoilt);
        }
        Ok(if self.fail_on_forfeit && fault_count > 0 { Exit::Forfeit } else { Exit::Done })
    }
}

/// What is known of a game beside its result.
#[derive(Default)]
struct Looked {
    course: Course,
    /// The likely cause of the fault in each seat.
    causes: Vec<Option<Cause>>,
}

/// What every worker needs to play a game.
struct Arena<'a> {
    command: &'a SeriesCommand<'a>,
    bots: &'a [PreparedBot],
    cancel: &'a Cancel,
    /// The folder in which replays are written.
    replays: Option<&'a Path>,
    host: HostHistory,
    /// Where the games of each worker run.
    places: Vec<CorePlacement>,
}

impl Arena<'_> {
    /// Plays a game. Returns what became of it, and more that is known of it.
    fn play(&self, worker: usize, game: &SeriesGame) -> agon_play::Result<(Settled, Looked)> {
        let bots: Vec<PreparedBot> = game.seating.iter().map(|bot| self.bots[*bot].clone()).collect();
        let named: Vec<NamedBot> = bots.iter().map(|bot| bot.bot().clone()).collect();
        let SeriesCommand { game: rules, placement, .. } = self.command;
        let spec = game.terms.plan(*rules, &named)?.spec(&bots);
        let settled = self.host.play_until_decided(self.cancel, || {
            let replay = self.replays.map(|folder| ReplaySink::File(replay_path(folder, game.number)));
            let options = PlayOptions {
                cancel: Some(self.cancel.clone()),
                recording: if replay.is_some() { Recording::Orders } else { Recording::Result },
                replay,
                ponder: placement.ponder,
                cores: self.places[worker].clone(),
                cores_of_bot: placement.cores,
                ..PlayOptions::default()
            };
            play(*rules, &spec, &bots, options, &mut |_| ())
        })?;
        let looked = match &settled {
            Settled::Decided(result) => {
                let seats = result.seats.iter().zip(&bots);
                let causes = seats.map(|(seat, bot)| cause(*rules, &spec, bot, seat, None)).collect();
                Looked { course: Course::of(result, &spec.map), causes }
            }
            _ => Looked::default(),
        };
        Ok((settled, looked))
    }
}

/// The games that are left, and what is known of the others.
struct Progress<'a> {
    command: &'a SeriesCommand<'a>,
    series: &'a Series,
    bots: &'a [PreparedBot],
    cancel: &'a Cancel,
    bar: ProgressBar,
    printer: &'a Printer,
    forecast: Forecast,
    /// The number of the next game.
    next: u32,
    tally: SeriesTally,
    /// The first faults.
    faults: Vec<SeriesFault>,
    fault_count: u64,
    /// Why no more games can be played.
    failure: Option<Error>,
    /// Whether the user was told that the running games are played to their end.
    told: bool,
}

impl Workload for Progress<'_> {
    type Job = SeriesGame;
    type Done = (SeriesGame, agon_play::Result<(Settled, Looked)>);

    fn next(&mut self) -> Option<SeriesGame> {
        if self.next > self.command.games || self.failure.is_some() || self.cancel.is_cancelled() {
            return None;
        }
        self.next += 1;
        Some(self.series.game(self.next - 1))
    }

    fn done(&mut self, (game, played): Self::Done) {
        let (settled, looked) = match played {
            Ok((settled, looked)) => (Ok(settled), looked),
            Err(error) => (Err(error), Looked::default()),
        };
        match settled {
            Ok(Settled::Decided(result)) => self.add(&game, &result, &looked),
            Ok(Settled::Undecided { why, .. }) => {
                self.tally.add_spoilt();
                let seed = game.terms.seed;
                self.warn(format!("game {} (seed {seed}) has no result: {}", game.number, clean(&why)));
            }
            Ok(Settled::NotStarted(seats)) => {
                let bots: Vec<PreparedBot> = game.seating.iter().map(|bot| self.bots[*bot].clone()).collect();
                self.fail(never_started(self.command.game, &bots, &seats));
            }
            Ok(Settled::Cancelled) => return,
            Err(error) => self.fail(error.into()),
        }
        self.bar.inc(1);
        let ended = u64::from(self.tally.games + self.tally.spoilt);
        let games = Games::exactly(self.command.games.into());
        if let Some(told) = self.forecast.rate(ended).and_then(|rate| games.sentence(rate)) {
            self.bar.suspend(|| self.printer.note(told));
        }
        match self.fault_count {
            0 => {}
            1 => self.bar.set_message("1 fault"),
            more => self.bar.set_message(format!("{more} faults")),
        }
    }

    fn tick(&mut self) {
        if self.cancel.is_cancelled() && !self.told {
            self.told = true;
            self.warn("the running games are played to their end; Ctrl-C again ends them now".to_owned());
        }
        self.bar.tick();
    }
}

impl Progress<'_> {
    fn add(&mut self, game: &SeriesGame, result: &MatchResult, Looked { course, causes }: &Looked) {
        if let Some(Err(why)) = result.replay.as_ref().map(|report| &report.written) {
            // The replay that is withheld from the bots will lie there, too.
            let folder = self.command.options.replays.as_deref().unwrap_or(Path::new(""));
            let path = replay_path(folder, game.number);
            self.fail(Error::file("write the replay", &path, why).context("no further game begins"));
        }
        let seats = result.seats.iter().map(|seat| (seat.fault.is_some(), &seat.times));
        self.tally.add(game, &result.standing, *course, seats);
        self.tally.add_refused(game, &result.refused);
        let name = |bot: &usize| self.bots[*bot].bot().name.clone();
        for (seat, fault) in result.seats.iter().filter_map(|seat| Some((seat, seat.fault.as_ref()?))) {
            self.fault_count += 1;
            if self.faults.len() < KEPT_FAULTS {
                let cause = causes.get(fault.seat.index()).and_then(Option::as_ref);
                let plain = seat_fault(fault);
                self.faults.push(SeriesFault {
                    game: game.number,
                    seed: game.terms.seed,
                    seating: game.seating.iter().map(name).collect(),
                    bot: name(&game.seating[fault.seat.index()]),
                    fault: SeatFault {
                        cause: cause.map(|cause| cause.code),
                        hint: cause.map(short),
                        stderr: plain.stderr.or_else(|| last_line(&seat.stderr.last_lines(LAST_LINES))),
                        ..plain
                    },
                });
            }
        }
    }

    /// Plays no more games after those that run.
    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    /// Prints a warning above the bar.
    fn warn(&self, text: String) {
        self.bar.suspend(|| self.printer.warning(text));
    }
}

/// Returns the last line that is not empty.
pub fn last_line(text: &str) -> Option<String> {
    text.lines().rev().map(str::trim_end).find(|line| !line.is_empty()).map(str::to_owned)
}

/// Returns where the replay of a game is written.
fn replay_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number}.jsonl.zst"))
}

/// Makes the folder of the replays, unless it exists. If a bot could read it, replays are written elsewhere until the last
/// game is over, because games share maps and seeds.
fn withheld_replays(folder: &Path, games: u32, bots: &[PreparedBot]) -> Result<Option<Withheld>> {
    make_folder(folder, games)?;
    let withheld = MatchFile::Replays.withhold(folder, bots)?;
    if let Some(withheld) = &withheld {
        let path = withheld.path();
        fs::create_dir(path).map_err(|why| Error::file("make the folder", path, &why))?;
    }
    Ok(withheld)
}

/// Makes the folder of the replays, unless it exists.
///
/// # Errors
/// The folder cannot be made, or a replay of this series is already there.
fn make_folder(folder: &Path, games: u32) -> Result<()> {
    fs::create_dir_all(folder).map_err(|why| Error::file("make the folder", folder, &why))?;
    let entries = fs::read_dir(folder).map_err(|why| Error::file("read the folder", folder, &why))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".jsonl.zst")).and_then(|name| name.parse().ok());
        if number.is_some_and(|number: u32| (1..=games).contains(&number)) {
            let path = clean(&entry.path().display().to_string());
            return Err(Error::user(format!("--replays would overwrite `{path}`")).hint("name a new folder"));
        }
    }
    Ok(())
}
