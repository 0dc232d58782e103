//! `agon tournament check`: what would go wrong, and what the tournament costs.

use super::{
    Source, of_tournament, prepare,
    run::refuse_exposure,
    travel::{bundles, needs},
};
use crate::{
    clean::clean,
    command::{Format, check::first_failure},
    error::{Error, Result},
    exit::Exit,
    interrupt,
    printer::Printer,
    stores::StoreArg,
};
use agon_core::{ClockPolicy, Seed};
use agon_play::{Cancel, CorePlacement, MatchTerms};
use agon_spec::{
    BrokenBotRow, BundleRow, CannotTravelRow, ContestDifferenceRow, FailedCheck, TournamentCheckDocument, TrialFault,
};
use agon_store::{Blob, BlobStore, Memory, RecordedFault};
use agon_tournament::{
    BrokenBot, ContestDifference, EarlierOrder, Field, Preset, Replays, RunOptions, Tournament, TournamentError,
    TournamentEvent, TournamentFile, words,
};
use clap::Args;
use indicatif::HumanDuration;
use std::{
    num::NonZeroUsize,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The most trial matches for each bot. Some schedules let a bot wait for long.
const TRIALS: usize = 4;
/// The most rounds of a match of the short check.
const ROUNDS: u32 = 50;

/// Build every bot, play each through a short `agon check` and a trial match, and say what the tournament costs:
/// matches, time, disk, cores.
///
/// Nothing is stored. All failures are listed together. The exit code is 20 if bots cannot be built or started, and 1
/// if a bot fails its check or its trial match, cannot play on other machines that are to play, or the tournament cannot be
/// played.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon tournament check cup.toml
  agon tournament check cup.toml --for-workers
  agon tournament check cup.toml --format json")]
pub struct Check {
    /// The tournament.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    store: StoreArg,

    /// Other machines are to play, too: say what each bot takes there, and which bot cannot go.
    #[arg(long)]
    for_workers: bool,

    /// How to print the result.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Check {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let source = Source::enter(&self.file, &self.store)?;
        let cancel = interrupt::armed()?;
        let mut field = prepare(&source, &cancel, printer)?;
        super::try_starts(&mut field, &|_| false, &cancel, printer)?;
        let broken: Vec<BrokenBot> = field.broken().cloned().collect();
        if field.sound().count() < 2 || !broken.iter().all(BrokenBot::is_of_bot) {
            return Err(source.error(TournamentError::Bots(broken)));
        }
        for path in [Some(source.path.as_path()), source.store.file()].into_iter().flatten() {
            refuse_exposure(&field, path, printer)?;
        }
        for (one, other) in field.copies() {
            crate::copies::warn(one, other, printer);
        }
        let earlier = EarlierOrder::read(&source.file).map_err(|why| source.error(why))?;
        let is_broken = |bot: &str| broken.iter().any(|broken| broken.bot == bot);
        let (bundles, cannot_travel) =
            if self.for_workers { bundles(&source, &is_broken, printer)? } else { Default::default() };
        let Source { name, text, file, .. } = source;
        let spec = file.spec(field.map_count());
        let count = spec.matches().map_err(Error::from)?;
        let processes = field.processes(file.seats as usize);
        let usual = CorePlacement::Auto.matches_at_once(processes, file.cores, file.ponder);
        let at_once = usual.map_err(agon_play::Error::from)?;
        let failed_checks = failed_checks(&file, &field, &cancel, printer)?;
        let trial = Trial::play(&text, &file, field, &cancel, printer)?;
        let broken = broken.iter().map(|broken| broken_row(broken, &text)).collect();
        let rounds = |matches: u64| matches.div_ceil(at_once.get() as u64) as f64;
        let apart = file.ponder || file.cores.is_some();
        let found = TournamentCheckDocument {
            name: file.name.clone(),
            game: file.game.to_owned(),
            kind: file.kind.name().to_owned(),
            matches_least: count.least,
            matches_most: count.most,
            at_once: at_once.get() as u64,
            cores_a_match: if apart { u64::from(file.cores.unwrap_or(1)) * processes.max(1) as u64 } else { 1 },
            trial_matches: trial.walls.len() as u64,
            seconds_expected: rounds(count.most) * (trial.mean_wall() + trial.mean_start()).as_secs_f64(),
            seconds_worst: trial.longest(&file).map(|wall| rounds(count.most) * wall.as_secs_f64()),
            replay_bytes_expected: match file.replays {
                Replays::All => count.most * trial.mean_replay(),
                Replays::Faults | Replays::None => 0,
            },
            longest_wait: spec.longest_wait(),
            faults: trial.faults.into_iter().map(|(_, fault)| fault).collect(),
            broken,
            failed_checks,
            contest_differences: contest_differences(&file),
            unseeded: earlier.map_or_else(Vec::new, |earlier| earlier.unknown),
            unplayed_maps: spec.unplayed_maps(),
            bundles,
            cannot_travel,
            worker_needs: needs(&file, processes),
        };
        match self.format {
            Format::Json => printer.document(&found)?,
            Format::Text => printer.data(report(&found, &name))?,
        }
        if found.unplayed_maps > 0 {
            let (count, rounds) = (spec.maps, words::count(u64::from(spec.rounds), "round", "rounds"));
            let unplayed = found.unplayed_maps;
            printer.warning(format!(
                "{unplayed} of {count} maps are never played: each round is on the next map of the list"
            ));
            printer.hint(format!("the file asks for {rounds}; `rounds = {count}` plays every map"));
        }
        Ok(if !found.broken.is_empty() {
            Exit::NotStarted
        } else if found.faults.is_empty() && found.failed_checks.is_empty() && found.cannot_travel.is_empty() {
            Exit::Done
        } else {
            Exit::User
        })
    }
}

/// Returns a bot that cannot play, with its place in the text of the file.
fn broken_row(broken: &BrokenBot, text: &str) -> BrokenBotRow {
    let place = broken.flaw_in(text).and_then(|flaw| flaw.place);
    BrokenBotRow {
        bot: broken.bot.clone(),
        line: place.map(|place| place.line),
        key: place.map(|_| broken.key.to_owned()),
        why: broken.why.clone(),
        hint: broken.hint.clone(),
    }
}

/// Returns the result for people. `file` is the name of the tournament's file.
fn report(found: &TournamentCheckDocument, file: &str) -> String {
    let matches = if found.matches_least == found.matches_most {
        words::matches(found.matches_most)
    } else {
        format!("{} to {} matches", found.matches_least, found.matches_most)
    };
    let time = |seconds: f64| HumanDuration(Duration::from_secs_f64(seconds.clamp(0.0, 1e12)));
    let TournamentCheckDocument { name, game, kind, at_once, trial_matches, seconds_expected, .. } = found;
    let mut out = format!("{}: {}, {kind}\n\n", clean(name), clean(game));
    out.push_str(&format!("matches   {matches}, {at_once} at once, {} each\n", cores(found.cores_a_match)));
    out.push_str(&format!(
        "expected  {} (from {} on trial)\n",
        time(*seconds_expected),
        words::matches(*trial_matches)
    ));
    match found.seconds_worst {
        Some(seconds) => {
            out.push_str(&format!("worst     {} (if every decision takes its whole limit)\n", time(seconds)))
        }
        None => out.push_str("worst     unknown, because decisions have no limit\n"),
    }
    for need in &found.worker_needs {
        out.push_str(&format!("machines  {need}\n"));
    }
    out.push_str(&format!("replays   {:.1} MB\n", found.replay_bytes_expected as f64 / 1e6));
    if let Some(wait) = found.longest_wait {
        out.push_str(&format!("waits     no bot for more than {}\n", words::matches(wait)));
    }
    if let Some(bots) = listed(&found.unseeded) {
        out.push_str(&format!("unseeded  {bots} (not in the earlier result, so last)\n"));
    }
    for BundleRow { bot, hash, bytes, files } in &found.bundles {
        let packed = match files {
            0 => "nothing, because it is built in".to_owned(),
            _ => format!("{} in {}, {hash}", size(*bytes), words::count(*files, "file", "files")),
        };
        out.push_str(&format!("travels   {}: {packed}\n", clean(bot)));
    }
    for ContestDifferenceRow { key, contest, file, source } in &found.contest_differences {
        let file = clean(file);
        out.push_str(&format!("\n`{key}` is {file} here, and {} in the contest ({})\n", clean(contest), clean(source)));
    }
    for BrokenBotRow { bot, line, key, why, hint } in &found.broken {
        let place = line.zip(key.as_ref()).map(|(line, key)| format!(" ({}:{line}, `{key}`)", clean(file)));
        out.push_str(&format!("\n{} cannot play{}: {}\n", clean(bot), place.unwrap_or_default(), clean(why)));
        out.extend(hint.iter().map(|hint| format!("  {}\n", clean(hint))));
    }
    for CannotTravelRow { bot, line, key, why, hint, .. } in &found.cannot_travel {
        let place = line.zip(key.as_ref()).map(|(line, key)| format!(" ({}:{line}, `{key}`)", clean(file)));
        let place = place.unwrap_or_default();
        out.push_str(&format!("\n{} cannot play on other machines{place}: {}\n", clean(bot), clean(why)));
        out.extend(hint.iter().map(|hint| format!("  {}\n", clean(hint))));
    }
    for FailedCheck { bot, step, detail, hint } in &found.failed_checks {
        out.push_str(&format!("\n{} fails `agon check` at \"{}\": {}\n", clean(bot), clean(step), clean(detail)));
        out.extend(hint.iter().map(|hint| format!("  {}\n", clean(hint))));
    }
    for TrialFault { bot, ply, text } in &found.faults {
        let shown = clean(text);
        // The same defect is told once.
        if found.failed_checks.iter().any(|failed| failed.bot == *bot && failed.detail.ends_with(&shown)) {
            continue;
        }
        out.push_str(&format!("\n{} fails in its trial match in turn {ply}: {shown}\n", clean(bot)));
    }
    out
}

fn listed(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| names.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", "))
}

/// Plays every bot that is a program through a short `agon check` with the rules and limits of the tournament.
fn failed_checks(file: &TournamentFile, field: &Field, cancel: &Cancel, printer: &Printer) -> Result<Vec<FailedCheck>> {
    let mut failed = Vec::new();
    if field.game().info().bots.is_empty() {
        return Ok(failed);
    }
    for (number, prepared) in field.sound().filter(|(_, prepared)| prepared.spec().is_process()) {
        let bot = &file.bots[number];
        printer.progress(&format!("checking {}", clean(&bot.name)));
        let clocks = [&file.clock, &bot.clock].map(String::as_str);
        let clock = clocks.into_iter().filter(|clock| !clock.is_empty()).collect::<Vec<_>>().join(",");
        let limited = field.game().info().limit.is_some();
        let terms = MatchTerms {
            rules: file.rules.clone(),
            seed: Seed(1),
            rounds: limited.then(|| file.limit.map_or(ROUNDS, |limit| limit.min(ROUNDS))),
            time: (!clock.is_empty()).then_some(clock),
            memory: file.memory,
            ..MatchTerms::default()
        };
        if let Some(failure) = first_failure(field.game(), prepared, &terms, cancel)? {
            let (bot, step) = (bot.name.clone(), failure.step.to_owned());
            failed.push(FailedCheck { bot, step, detail: failure.detail, hint: failure.hint });
        }
    }
    printer.progress("");
    Ok(failed)
}

fn contest_differences(file: &TournamentFile) -> Vec<ContestDifferenceRow> {
    let preset = file.preset.and_then(Preset::find);
    let found = preset.map_or_else(Vec::new, |preset| preset.differences(file));
    let row = |ContestDifference { key, contest, file, source }| ContestDifferenceRow {
        key: key.to_owned(),
        contest,
        file,
        source: source.to_owned(),
    };
    found.into_iter().map(row).collect()
}

fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 1e6 { format!("{:.1} kB", bytes / 1e3) } else { format!("{:.1} MB", bytes / 1e6) }
}

fn cores(count: u64) -> String {
    if count == 1 { "1 core".to_owned() } else { format!("{count} cores") }
}

/// A few matches that are played to see whether every bot can.
#[derive(Default)]
struct Trial {
    walls: Vec<Duration>,
    plies: Vec<u32>,
    replays: Vec<u64>,
    /// The first fault of each kind and bot, with its kind.
    faults: Vec<(String, TrialFault)>,
    /// How long all matches took, one after the other, from the first start of a bot to the last record.
    elapsed: Duration,
}

impl Trial {
    /// Plays the first matches of the tournament until each bot has taken part.
    fn play(text: &str, file: &TournamentFile, field: Field, cancel: &Cancel, printer: &Printer) -> Result<Self> {
        let mut left: Vec<bool> = vec![false; file.bots.len()];
        field.sound().for_each(|(number, _)| left[number] = true);
        let mut tournament = Tournament::open(Memory::new(), text, file.clone(), field).map_err(of_tournament)?;
        tournament.withdraw_broken().map_err(of_tournament)?;
        // It ends the trial after enough matches, and an interrupt still kills the running one.
        let stop = cancel.child();
        let options = RunOptions { at_once: NonZeroUsize::MIN, cancel: stop.clone(), placement: CorePlacement::Auto };
        let most = TRIALS * file.bots.len();
        let (mut trial, mut blobs) = (Self::default(), Vec::new());
        let began = Instant::now();
        tournament
            .run(&options, &mut |event| {
                if let TournamentEvent::Match { id, bots, result } = &event
                    && !result.seats.is_empty()
                {
                    printer.progress(&format!("trial match {id}"));
                    for (bot, seat) in bots.iter().zip(&result.seats) {
                        left[*bot as usize] = false;
                        if let Some(fault) = &seat.fault {
                            trial.add_fault(&file.bots[*bot as usize].name, fault);
                        }
                    }
                    trial.walls.push(Duration::from_micros(result.wall_us));
                    trial.plies.push(result.plies);
                    blobs.extend(result.replay);
                    if !left.contains(&true) || trial.walls.len() >= most {
                        stop.finish();
                    }
                }
            })
            .map_err(of_tournament)?;
        trial.elapsed = began.elapsed();
        printer.progress("");
        if cancel.is_cancelled() {
            return Err(interrupt::error());
        }
        for hash in blobs {
            let bytes = tournament.store().get(hash)?.unwrap_or_default();
            let packed = Blob::new(&bytes)?;
            trial.replays.push(packed.packed().len() as u64);
        }
        Ok(trial)
    }

    /// Adds a fault, unless the bot has failed in the same way before.
    fn add_fault(&mut self, bot: &str, fault: &RecordedFault) {
        if !self.faults.iter().any(|(kind, known)| *kind == fault.kind && known.bot == bot) {
            let told = TrialFault { bot: bot.to_owned(), ply: fault.ply, text: fault.text.clone() };
            self.faults.push((fault.kind.clone(), told));
        }
    }

    /// Returns how long a match takes beside its turns: its bots start and end, and its record is written.
    fn mean_start(&self) -> Duration {
        let each = self.elapsed / u32::try_from(self.walls.len().max(1)).unwrap_or(u32::MAX);
        each.saturating_sub(self.mean_wall())
    }

    fn mean_wall(&self) -> Duration {
        self.walls.iter().sum::<Duration>() / u32::try_from(self.walls.len().max(1)).unwrap_or(u32::MAX)
    }

    fn mean_replay(&self) -> u64 {
        self.replays.iter().sum::<u64>() / self.replays.len().max(1) as u64
    }

    /// Returns how long the longest trial match would take if the slowest bots played it and took their whole time.
    /// `None` if one of them has no limit.
    fn longest(&self, file: &TournamentFile) -> Option<Duration> {
        let game = file.game();
        let base = agon_play::parse_clock(game, game.info().clock, &file.clock).ok()?;
        let decisions = *self.plies.iter().max()?;
        let clocks = file.bots.iter().map(|bot| agon_play::parse_clock(game, base, &bot.clock));
        let mut walls = clocks.map(|clock| longest_wall(&clock.ok()?, decisions)).collect::<Option<Vec<_>>>()?;
        walls.sort_unstable_by(|one, other| other.cmp(one));
        // A bot may have several seats.
        Some(walls.iter().cycle().take(file.seats as usize).fold(Duration::ZERO, |sum, wall| sum.saturating_add(*wall)))
    }
}

/// Returns how long a bot may take for its greeting and this many decisions. `None` if nothing limits them.
fn longest_wall(clock: &ClockPolicy, decisions: u32) -> Option<Duration> {
    let each = clock.hard.map(|each| each.saturating_mul(decisions).saturating_add(clock.first));
    let bank = clock.bank.map(|bank| bank.saturating_add(clock.increment.saturating_mul(decisions)));
    let limit = match (each, bank) {
        (Some(each), Some(bank)) => each.min(bank),
        (each, bank) => each.or(bank)?,
    };
    Some(limit.saturating_add(clock.greeting.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starts_of_bots_take_the_time_that_their_turns_do_not() {
        let seconds = Duration::from_secs;
        let walls = vec![seconds(1), seconds(3)];
        let trial = Trial { walls, elapsed: seconds(10), ..Trial::default() };
        assert_eq!((trial.mean_wall(), trial.mean_start()), (seconds(2), seconds(3)));
        assert_eq!(Trial::default().mean_start(), Duration::ZERO);
    }

    #[test]
    fn a_defect_is_told_once() {
        let mut trial = Trial::default();
        let fault = |kind: &str, ply| RecordedFault { kind: kind.to_owned(), ply, ..RecordedFault::default() };
        for (bot, kind, ply) in [("a", "late", 3), ("a", "late", 1), ("b", "late", 2), ("a", "crashed", 4)] {
            trial.add_fault(bot, &fault(kind, ply));
        }
        let told: Vec<_> = trial.faults.iter().map(|(kind, told)| (&*told.bot, &**kind, told.ply)).collect();
        assert_eq!(told, [("a", "late", 3), ("b", "late", 2), ("a", "crashed", 4)]);
    }

    #[test]
    fn every_limit_of_a_clock_counts() {
        let wall = |clock: &str| longest_wall(&clock.parse().expect("a clock"), 10).map(|wall| wall.as_secs());
        assert_eq!(wall("move=2s"), Some(20));
        assert_eq!(wall("greeting=7s,move=2s,first=+5s"), Some(32));
        assert_eq!(wall("bank=9s,increment=1s"), Some(19));
        assert_eq!(wall("move=2s,bank=9s,greeting=1s"), Some(10));
        assert_eq!(wall("greeting=7s"), None);
    }
}
