//! What `agon tournament run` shows while it plays.

use super::{away::Served, panel::Panel, table};
use crate::{clean::clean, dispatch::Desk, error::Error, printer::Printer};
use agon_dispatch::{Notice, WorkerPresence, WorkerState};
use agon_play::Cancel;
use agon_spec::Fault;
use agon_store::{Ending, Progress, RecordedResult};
use agon_tournament::{TournamentEvent, words};
use agon_tourney::Standings;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

/// The least time between two changes of the panel.
const REDRAWN: Duration = Duration::from_millis(100);

/// Shows the events of a run: on a terminal a bar with a panel, on stdout lines of JSON where they are wanted.
pub struct Live<'a> {
    printer: &'a Printer,
    names: &'a [String],
    bar: ProgressBar,
    lines: bool,
    cancel: &'a Cancel,
    faults: u64,
    panel: Panel,
    /// When the panel was drawn the last time.
    drawn: Option<Instant>,
    /// The bots that could not be started, with the reason.
    pub not_started: BTreeMap<String, String>,
    /// The bots that have changed.
    pub changed: BTreeSet<String>,
    /// The workers on other machines, and what everybody must know about the network.
    desk: Option<(Desk, Option<&'static str>)>,
    /// Whether the user was told that the running matches are played to their end.
    told: bool,
    /// Why stdout cannot be written.
    pub failed: Option<Error>,
}

impl<'a> Live<'a> {
    /// Shows a run of which `over` of `planned` matches are over. `lines` prints each event as a line of JSON.
    pub fn new(
        printer: &'a Printer,
        names: &'a [String],
        cancel: &'a Cancel,
        (over, planned): (u64, u64),
        lines: bool,
    ) -> Self {
        let bar = printer.bar_with_panel(planned);
        bar.set_position(over);
        bar.reset_eta();
        Self {
            printer,
            names,
            bar,
            lines,
            cancel,
            faults: 0,
            panel: Panel::default(),
            drawn: None,
            not_started: BTreeMap::new(),
            changed: BTreeSet::new(),
            desk: None,
            told: false,
            failed: None,
        }
    }

    /// Shows workers on other machines, too.
    pub fn serves(&mut self, served: Option<&Served>) {
        self.desk = served.map(|served| (served.desk(), served.openness()));
    }

    /// Removes the bar and the panel.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    pub fn event(&mut self, event: &TournamentEvent) {
        if self.lines && self.failed.is_none() {
            let line = crate::clean::clean_json(&self.json(event).to_string());
            if let Err(why) = self.printer.data(line + "\n") {
                self.failed = Some(why);
                self.cancel.finish();
            }
        }
        match event {
            TournamentEvent::Start { worker, id, bots } => self.panel.begins(*worker, *id, bots),
            TournamentEvent::Match { id, bots, result } => {
                self.bar.inc(1);
                self.panel.ends(*id);
                for (bot, seat) in bots.iter().zip(&result.seats) {
                    let Some(fault) = &seat.fault else { continue };
                    self.faults += 1;
                    self.panel.fault(*id, &self.name(*bot), &fault.text);
                    if fault.kind == Fault::NEVER_STARTED {
                        self.not_started.entry(self.name(*bot)).or_insert_with(|| fault.text.clone());
                    }
                }
                self.draw();
            }
            TournamentEvent::Standing { standings, .. } => {
                self.panel.standings = Some((**standings).clone());
                self.draw();
            }
            TournamentEvent::Spoilt { id, why, last } => {
                let when = if *last { "behind all others" } else { "again" };
                self.warn(format!("match {id} is played {when}: {}", clean(why)));
            }
            TournamentEvent::Withdrawn { bot, why } => {
                self.warn(format!("{} is withdrawn: {}", clean(&self.name(*bot)), clean(why)));
            }
            TournamentEvent::Changed { bot, why } => {
                self.changed.insert(self.name(*bot));
                self.warn(format!("{}; its matches wait for the next run", clean(why)));
            }
            TournamentEvent::Workers(notice) => self.notice(notice),
            _ => {}
        }
        if self.cancel.is_cancelled() && !self.told {
            self.told = true;
            self.warn("the running matches are played to their end; Ctrl-C again kills them".to_owned());
        }
    }

    fn draw(&mut self) {
        if self.bar.is_hidden() || self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAWN) {
            return;
        }
        self.drawn = Some(Instant::now());
        if self.faults > 0 {
            self.bar.set_prefix(format!("{} faults", self.faults));
        }
        if let Some((desk, openness)) = &self.desk {
            self.panel.workers = away_lines(&desk.workers(), *openness);
        }
        self.bar.set_message(self.panel.render(self.names, crate::live::room()));
    }

    /// Tells of workers on other machines.
    fn notice(&mut self, notice: &Notice) {
        let (text, is_warning) = away_words(notice, &|bot| self.name(bot));
        let text = clean(&text);
        self.bar.suspend(|| if is_warning { self.printer.warning(text) } else { self.printer.note(text) });
        self.draw();
    }

    fn warn(&self, text: String) {
        self.bar.suspend(|| self.printer.warning(text));
    }

    fn name(&self, bot: u32) -> String {
        self.names.get(bot as usize).cloned().unwrap_or_else(|| format!("bot {bot}"))
    }

    /// Returns an event as a line of `--format json-lines`.
    fn json(&self, event: &TournamentEvent) -> Value {
        let names = |bots: &[u32]| bots.iter().map(|bot| self.name(*bot)).collect::<Vec<_>>();
        let mut line = match event {
            TournamentEvent::Start { id, bots, .. } => json!({ "id": id, "bots": names(bots) }),
            TournamentEvent::Match { id, bots, result } => self.match_json(*id, bots, result),
            TournamentEvent::Standing { over, standings } => json!({ "over": over, "standings": self.rows(standings) }),
            TournamentEvent::Spoilt { id, why, last } => json!({ "id": id, "why": why, "last": last }),
            TournamentEvent::Withdrawn { bot, why } | TournamentEvent::Changed { bot, why } => {
                json!({ "bot": self.name(*bot), "why": why })
            }
            TournamentEvent::Workers(notice) => {
                json!({ "text": away_words(notice, &|bot| self.name(bot)).0 })
            }
            TournamentEvent::End { complete, progress, standings } => {
                let Progress { ready, finished, spoilt, void } = progress;
                json!({ "complete": complete, "ready": ready, "finished": finished, "spoilt": spoilt, "void": void,
                        "standings": self.rows(standings) })
            }
            _ => json!({}),
        };
        if let Some(object) = line.as_object_mut() {
            object.shift_insert(0, "event".to_owned(), event.name().into());
        }
        line
    }

    fn match_json(&self, id: u64, bots: &[u32], result: &RecordedResult) -> Value {
        let seat = |(bot, seat): (&u32, &agon_store::RecordedSeat)| {
            json!({ "bot": self.name(*bot), "place": seat.place, "score": seat.score,
                    "fault": seat.fault.as_ref().map(|fault| json!({ "kind": fault.kind, "ply": fault.ply, "text": fault.text })) })
        };
        let seats: Vec<Value> = if result.ending == Ending::Finished {
            bots.iter().zip(&result.seats).map(seat).collect()
        } else {
            bots.iter()
                .map(|bot| json!({ "bot": self.name(*bot), "place": null, "score": null, "fault": null }))
                .collect()
        };
        json!({ "id": id, "result": result.ending.name(), "reason": result.reason, "plies": result.plies, "seats": seats,
                "time_us": result.wall_us })
    }

    fn rows(&self, standings: &Standings) -> Vec<agon_spec::StandingRow> {
        table::rows(standings, self.names)
    }
}

/// How many workers have a line of their own.
const WORKERS: usize = 6;

/// Returns a line for each of the first workers, with what it plays.
fn away_lines(workers: &[WorkerState], openness: Option<&str>) -> Vec<String> {
    let mut lines: Vec<String> = openness.map(|openness| format!("net    {openness}")).into_iter().collect();
    let shown = workers.iter().filter(|worker| worker.presence != WorkerPresence::Left);
    let shown: Vec<&WorkerState> = shown.collect();
    for worker in shown.iter().take(WORKERS) {
        let name = clean(&worker.name);
        let begun = worker.held.iter().filter_map(|(id, ply)| ply.map(|ply| format!("{id} turn {ply}")));
        let begun: Vec<String> = begun.take(4).collect();
        let waits = worker.held.len() - worker.held.iter().filter(|(_, ply)| ply.is_some()).count();
        let what = match worker.presence {
            WorkerPresence::Here if worker.ready == 0 => "makes its bots ready".to_owned(),
            WorkerPresence::Here => {
                format!("{} played  {}  {waits} wait", worker.played, begun.join("  "))
            }
            presence => presence.name().to_owned(),
        };
        lines.push(format!("away   {name}: {what}"));
    }
    if shown.len() > WORKERS {
        lines.push(format!("away   and {} more workers", shown.len() - WORKERS));
    }
    lines
}

/// Returns a notice in words that are not clean, and whether it is a warning.
fn away_words(notice: &Notice, bot_name: &dyn Fn(u32) -> String) -> (String, bool) {
    match notice {
        Notice::Came { name, cores, .. } => (
            format!(
                "worker {name} is here, for {}",
                words::count(u64::from(*cores), "match at a time", "matches at a time")
            ),
            false,
        ),
        Notice::Gone { name, silent: true, .. } => {
            (format!("worker {name} is silent; its matches are played elsewhere"), true)
        }
        Notice::Gone { name, held, .. } => {
            (format!("worker {name} has left; it has given back {}", words::matches(*held as u64)), false)
        }
        Notice::Back { name } => (format!("worker {name} is there again"), false),
        Notice::BotFails { name, bot, why } => {
            (format!("{} does not start on worker {name}, so others play its matches: {why}", bot_name(*bot)), true)
        }
        Notice::Lost { id, why } => (format!("match {id} was not played to its end: {why}"), true),
        Notice::Nobody { id, bots } => {
            let bots: Vec<String> = bots.iter().map(|bot| bot_name(*bot)).collect();
            let why = "no worker that is here has all of its bots ready";
            (format!("nobody can play match {id} ({}): {why}", bots.join(", ")), true)
        }
        Notice::PutAside { name, why } => {
            (format!("worker {name} is put aside, and its matches are played again: {why}"), true)
        }
        Notice::StandsOut { name, why } => (format!("this machine, {name}, stands out: {why}"), true),
        Notice::Unchecked { id, why } => (format!("the result of match {id} could not be checked: {why}"), true),
        Notice::NoWorker => ("there is no worker, and nothing is played here".to_owned(), true),
    }
}
