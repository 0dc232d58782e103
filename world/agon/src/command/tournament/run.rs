//! `agon tournament run`: plays until every match is over.

use super::{Source, away::Away, live::Live, of_tournament, refuse_other_kind, table};
use crate::{
    clean::{clean, shell_word},
    core_placement::within_room,
    error::{Error, Result},
    exit::Exit,
    interrupt::{self, Interrupt},
    printer::Printer,
    stores::{StoreArg, StoreName},
    values,
};
use agon_play::{Cancel, CorePlacement, Exposure};
use agon_store::{OpenStore, StoreError, StoredBot, move_aside};
use agon_tournament::{
    BrokenBot, EarlierOrder, Field, Others, RunEnd, RunOptions, Seeds, Tournament, TournamentError, words,
};
use clap::{Args, ValueEnum};
use std::{
    collections::BTreeSet,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// How often a process that stands by looks whether it is its turn.
const STAND_BY_PAUSE: Duration = Duration::from_millis(250);

/// Play a tournament, or continue it.
///
/// The first Ctrl-C plays the running matches to their end, the second one kills them. Either way, and after any other
/// end of the program, `run` continues where it was. Every bot is built and started once before the first match. The
/// exit code is 20 if bots cannot be built or started, in which case all of them are listed and nothing is played; and
/// 22 if matches are left without a result because of this host.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament run cup.toml
  agon tournament run cup.toml --at-once 2 --quiet
  agon tournament run cup.toml --format json-lines > events.jsonl
  agon tournament run cup.toml --without-broken    withdraw what does not start
  agon tournament run cup.toml --restart           begin anew; keep cup.agon.1
  agon tournament run cup.toml --listen 7700       let `agon worker` play, too
  agon tournament run cup.toml --store postgres://cup@db/contest --stand-by")]
pub struct Run {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// How many matches run at the same time. The default is one for each core, on which its bots take turns; if the
    /// file has `cores` or `ponder`, as many as have a core for each bot.
    #[arg(long, value_name = "K", value_parser = values::at_once, allow_negative_numbers = true)]
    at_once: Option<NonZeroUsize>,

    /// Which cores to use: their numbers, joined by commas; `auto`, the default; or `off`.
    #[arg(long, value_name = "CORES", default_value = "auto", hide_default_value = true)]
    pin: CorePlacement,

    /// Begin anew. The old store moves to FILE.agon.1, or to the next number that is free.
    #[arg(long)]
    restart: bool,

    /// If another process plays this tournament, wait until it ends, and go on after it.
    #[arg(long, conflicts_with = "restart")]
    stand_by: bool,

    /// Withdraw the bots that cannot be built or started, and play without them. They stay withdrawn in later runs.
    #[arg(long)]
    without_broken: bool,

    #[command(flatten)]
    away: Away,

    /// What to print on stdout: the table at the end, or each event as a line of JSON.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: EventFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum EventFormat {
    /// The table at the end.
    #[default]
    Text,
    /// Each event as a line of JSON.
    JsonLines,
}

impl Run {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let interrupt = Interrupt::in_two_stages()?;
        interrupt.arm();
        let cancel = interrupt.cancel();
        let name = source.store.clone();
        let stood_by = self.stand_by.then(|| stand_by(&source, cancel, printer)).transpose()?;
        let listening = self.away.listen(&source, printer)?;
        let known = if self.restart { None } else { known(&name)? };
        let begins = known.is_none();
        let withdrawn = known.unwrap_or_default();
        let field = self.field(&source, &withdrawn, cancel, printer)?;
        let key = listening.as_ref().map(|listening| &listening.key_path);
        for file in [source.path.as_path()].into_iter().chain(name.file()).chain(key.map(PathBuf::as_path)) {
            refuse_exposure(&field, file, printer)?;
        }
        let plans = listening.as_ref().map(|_| super::away::plans(&source, &field, printer)).transpose()?;
        if self.format == EventFormat::JsonLines {
            refuse_exposed_events(&field)?;
        }
        // Before the store is moved, which may itself be the earlier result. A refusal leaves neither an empty store nor
        // a moved one.
        let earlier = if begins { EarlierOrder::read(&source.file).map_err(|why| source.error(why))? } else { None };
        if self.restart {
            begin_anew(&name, printer)?;
        }
        let store = stood_by.map_or_else(|| name.open(), Ok)?;
        let processes = field.processes(source.file.seats as usize);
        let Source { text, file, .. } = source;
        let usual = self.pin.matches_at_once(processes, file.cores, file.ponder).map_err(agon_play::Error::from)?;
        let at_once = within_room(self.at_once.unwrap_or(usual), processes, field.isolation(), printer);
        let placement = match self.pin {
            // Also if one match runs at once: how matches are played must not depend on their number.
            CorePlacement::Auto => CorePlacement::Dense,
            pin => pin,
        };
        let names: Vec<String> = file.bots.iter().map(|bot| bot.name.clone()).collect();
        let copies: Vec<(String, String)> =
            field.copies().into_iter().map(|(one, other)| (one.to_owned(), other.to_owned())).collect();
        let mut tournament = Tournament::open_seeded(store, &text, file, field, earlier).map_err(of_tournament)?;
        let over = tournament.progress().map_err(of_tournament)?.over();
        if over > 0 {
            printer.note(format!("continues after {}", words::matches(over)));
        }
        for (one, other) in &copies {
            crate::copies::warn(one, other, printer);
        }
        match tournament.seeds().map_err(of_tournament)? {
            Seeds::Secret { commitment, revealed: false, .. } => {
                printer.note(format!("secret seeds; publish the SHA-256 of their secret now: {commitment}"));
            }
            Seeds::Secret { revealed: true, .. } if !tournament.is_complete() => {
                printer.warning("the secret of the seeds is revealed, so everybody can compute the maps to come");
            }
            _ => {}
        }
        let planned = tournament.planned().unwrap_or(0);
        let mut live = Live::new(printer, &names, cancel, (over, planned), self.format == EventFormat::JsonLines);
        if self.without_broken {
            for event in tournament.withdraw_broken().map_err(of_tournament)? {
                live.event(&event);
            }
        }
        let options = RunOptions { at_once, cancel: cancel.clone(), placement };
        let served = match (listening, plans) {
            (Some(listening), Some(plans)) => Some(listening.serve(&tournament, &text, &plans, name.read()??)?),
            _ => None,
        };
        live.serves(served.as_ref());
        let others = served.as_ref().map(|served| served as &dyn Others);
        let ended = tournament.run_with(&options, others, &mut |event| live.event(&event));
        live.clear();
        if let Some(served) = &served {
            served.part(matches!(ended, Ok(RunEnd::Complete)));
        }
        let words = self.store.words();
        let resume = format!("`agon tournament run {}{words}` continues it", clean(&shell_word(&self.file)));
        let ended = match ended {
            Ok(ended) => ended,
            Err(why) => {
                // All that a run writes are results, once it is planned. The store can be read, whatever cannot be written.
                let played = matches!(why, TournamentError::Store(_))
                    || tournament.progress().map_or(over, |progress| progress.over()) > 0;
                let error = of_tournament(why).context("the run has ended early, and what was stored is kept");
                return Err(if played { error.after_play() } else { error });
            }
        };
        if let Some(why) = live.failed {
            return Err(why.after_play());
        }
        let standings = tournament.standings();
        let progress = tournament.progress().map_err(of_tournament)?;
        let bracket = tournament.bracket();
        let spoilt = spoilt(&tournament.spoilt(), &names);
        let published = tournament.seeds().map_err(of_tournament)?.published();
        tournament.into_store().close().map_err(|why| Error::from(why).after_play())?;
        if self.format == EventFormat::Text {
            let table = table::render(&standings, &names, printer.colour);
            let bracket = bracket.map_or_else(String::new, |bracket| table::bracket(&bracket, &names) + "\n");
            printer.data(bracket + &table).map_err(Error::after_play)?;
        }
        if let (RunEnd::Complete, Some(secret)) = (ended, &published.secret) {
            printer.note(format!("the seeds follow from the secret {secret}; `agon tournament verify` checks them"));
        }
        if !live.not_started.is_empty() && ended == RunEnd::Complete {
            let told = live.not_started.iter().map(|(bot, why)| format!("bot `{}`: {}", clean(bot), clean(why)));
            let error = Error::user(told.collect::<Vec<_>>().join("\nerror: ")).exit(Exit::NotStarted);
            return Err(
                error.hint("they have lost their matches; `agon tournament check` would have said so before the run")
            );
        }
        Ok(match ended {
            RunEnd::Interrupted => {
                printer.tell(format!("interrupted after {}; {resume}", words::matches(progress.over())));
                Exit::Interrupted
            }
            RunEnd::BotsChanged => {
                let bots: Vec<String> = live.changed.iter().map(|bot| clean(bot)).collect();
                let what = format!("bots have changed while they played: {}; their matches wait", bots.join(", "));
                return Err(Error::user(what).hint(format!("{resume}, with new versions")));
            }
            RunEnd::Complete if progress.spoilt > 0 => {
                let matches = words::count(progress.spoilt, "match has", "matches have");
                printer.tell(format!("{matches} no result, because the host spoilt them again and again: {spoilt}"));
                let file = clean(&shell_word(&self.file));
                printer.hint(format!(
                    "no bot has lost by that, and nobody knows whose work it was; `agon tournament report {file}` counts it by bot \
                     and cause; `agon tournament rerun` plays one again, or declare it void, or withdraw a bot"
                ));
                Exit::Spoilt
            }
            RunEnd::Complete => Exit::Done,
        })
    }

    /// Builds every bot and starts it once, before anything is stored.
    ///
    /// # Errors
    /// Bots cannot be built or started and are not to be withdrawn, or too few are left without them.
    fn field(
        &self,
        source: &Source,
        withdrawn: &BTreeSet<String>,
        cancel: &Cancel,
        printer: &Printer,
    ) -> Result<Field> {
        let mut field = super::prepare(source, cancel, printer)?;
        super::try_starts(&mut field, &|bot| withdrawn.contains(bot), cancel, printer)?;
        let broken: Vec<BrokenBot> =
            field.broken().filter(|broken| !withdrawn.contains(&broken.bot)).cloned().collect();
        let out: BTreeSet<&String> = withdrawn.iter().chain(broken.iter().map(|broken| &broken.bot)).collect();
        let enough = source.file.bots.iter().filter(|bot| !out.contains(&bot.name)).count() >= 2;
        if broken.is_empty() || (self.without_broken && enough && broken.iter().all(BrokenBot::is_of_bot)) {
            return Ok(field);
        }
        let offered = enough && !self.without_broken && broken.iter().all(BrokenBot::is_of_bot);
        let hint = broken.iter().find_map(|broken| broken.hint.as_ref()).map(|hint| clean(hint));
        let error = source.error(TournamentError::Bots(broken));
        if !offered {
            return Err(error);
        }
        let out = "`--without-broken` withdraws them and plays the others";
        Err(error.hint(hint.map_or_else(|| out.to_owned(), |hint| words::joined(&hint, out))))
    }
}

/// Waits until no other process plays the tournament. Bots are built before, so that playing goes on at once.
fn stand_by(source: &Source, cancel: &Cancel, printer: &Printer) -> Result<Box<dyn OpenStore>> {
    drop(super::prepare(source, cancel, printer)?);
    let mut told = None;
    let opened = source.store.open_after(&mut |why| {
        let why = clean(&why.to_string());
        if told.as_ref() != Some(&why) {
            printer.note(format!("stands by: {why}"));
            told = Some(why);
        }
        thread::sleep(STAND_BY_PAUSE);
        !cancel.is_cancelled()
    });
    if cancel.is_cancelled() { Err(interrupt::error()) } else { opened }
}

/// Moves the results of earlier runs out of the way.
fn begin_anew(name: &StoreName, printer: &Printer) -> Result<()> {
    let Some(path) = name.file() else {
        return Err(Error::user("`--restart` moves a file, and this store has none")
            .hint("begin another tournament in the same database: add `?tournament=NAME` to the address"));
    };
    if path.exists() {
        let kept = move_aside(path)?;
        printer.note(format!("the old results are in {}", clean(&kept.display().to_string())));
    }
    Ok(())
}

/// Returns the names of the bots that an earlier run has withdrawn. `None` if nothing has begun in the store.
fn known(name: &StoreName) -> Result<Option<BTreeSet<String>>> {
    let store = match name.read()? {
        Err(StoreError::Missing(_) | StoreError::Empty(_) | StoreError::NoTournament(_)) => return Ok(None),
        opened => opened?,
    };
    refuse_other_kind(&*store, name)?;
    let read = || {
        // The file comes last: before it, a run that was killed had not begun.
        let begun = !store.files()?.is_empty();
        begun.then(|| store.bots()).transpose()
    };
    let bots = read()?;
    let withdrawn = |bots: Vec<StoredBot>| bots.into_iter().filter(|bot| bot.withdrawn.is_some());
    Ok(bots.map(|bots| withdrawn(bots).map(|bot| bot.name).collect()))
}

/// Returns the first matches of a list, with their bots.
fn spoilt(matches: &[(u64, Vec<u32>)], names: &[String]) -> String {
    const SHOWN: usize = 5;
    let name = |bot: &u32| names.get(*bot as usize).map_or_else(String::new, |name| clean(name));
    let shown =
        |(id, bots): &(u64, Vec<u32>)| format!("{id} ({})", bots.iter().map(name).collect::<Vec<_>>().join(", "));
    let mut parts: Vec<String> = matches.iter().take(SHOWN).map(shown).collect();
    parts.extend((matches.len() > SHOWN).then(|| "…".to_owned()));
    parts.join(", ")
}

/// Refuses a tournament of which a bot could read a file: it has the seeds and the results of all matches. Warns if
/// bots can read everything.
pub(super) fn refuse_exposure(field: &Field, path: &Path, printer: &Printer) -> Result<()> {
    let shown = clean(&path.display().to_string());
    let mut unconfined = false;
    for (bot, exposure) in field.exposures(path) {
        match exposure {
            Exposure::Shown(folder) => {
                let folder = clean(&folder.display().to_string());
                let what = format!("{} could read `{shown}` while it plays, because it sees `{folder}`", clean(bot));
                let own = clean(&shell_word(&path.with_file_name(bot)));
                return Err(Error::user(what).hint(format!(
                    "keep each bot in a folder of its own, beside the tournament: move the files of `{}` to {own}, and \
                     name them there in the file",
                    clean(bot)
                )));
            }
            Exposure::Unconfined => unconfined = true,
            Exposure::Hidden => {}
        }
    }
    if unconfined {
        printer.warning(format!("bots without a sandbox can read `{shown}` while they play"));
    }
    Ok(())
}

/// Refuses to write events, which have the seeds and results of matches, to a file that a bot could read while it plays.
fn refuse_exposed_events(field: &Field) -> Result<()> {
    let stdout = Path::new("/dev/stdout").canonicalize().unwrap_or_default();
    for (bot, exposure) in field.exposures(&stdout) {
        if let Exposure::Shown(folder) = exposure {
            let (shown, folder) = (clean(&stdout.display().to_string()), clean(&folder.display().to_string()));
            let what =
                format!("stdout `{shown}`: {} could read it while it plays, because it sees `{folder}`", clean(bot));
            return Err(
                Error::user(what).hint("write the events where no bot sees them, as in the folder of the tournament")
            );
        }
    }
    Ok(())
}
