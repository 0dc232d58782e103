//! What `agon worker` shows while it works.

use crate::{
    chosen::chosen,
    clean::{clean, clean_json},
    error::Error,
    printer::Printer,
};
use agon_play::{Cancel, Event};
use agon_spec::WorkerOutcome;
use agon_store::{Ending, RecordedResult};
use agon_tournament::words;
use agon_worker::{WorkerCounts, WorkerEnd, WorkerEvent, WorkerFailure};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// The least time between two changes of the line.
const REDRAWN: Duration = Duration::from_millis(250);
/// The time over which the rate of matches is taken.
const RATED: Duration = Duration::from_secs(30);

/// Shows the events of a worker: on a terminal a line that changes, on stdout lines of JSON where they are wanted.
pub struct Live<'a> {
    printer: &'a Printer,
    cancel: &'a Cancel,
    lines: bool,
    bar: ProgressBar,
    drawn: Option<Instant>,
    /// Counts of the last half minute, for the rate.
    earlier: VecDeque<(Instant, u64)>,
    away: bool,
    finished: bool,
    /// Whether the user was told that the running matches are played to their end.
    told: bool,
    /// The last counts.
    pub counts: WorkerCounts,
    /// Why stdout cannot be written.
    pub failed: Option<Error>,
}

impl<'a> Live<'a> {
    /// Shows a worker. `lines` prints each event as a line of JSON.
    pub fn new(printer: &'a Printer, cancel: &'a Cancel, lines: bool) -> Self {
        Self {
            printer,
            cancel,
            lines,
            bar: printer.status_line(),
            drawn: None,
            earlier: VecDeque::new(),
            away: false,
            finished: false,
            told: false,
            counts: WorkerCounts::default(),
            failed: None,
        }
    }

    pub fn event(&mut self, event: WorkerEvent<'_>) {
        if let Some(line) = json_of(&event) {
            self.line(&line);
        }
        match event {
            WorkerEvent::Tick(counts) => self.tick(counts),
            WorkerEvent::Away { why } => {
                self.away = true;
                self.warn(format!("the server is away ({}); it is asked again until it answers", clean(&why)));
            }
            WorkerEvent::Back => {
                self.away = false;
                self.note("the server answers again".to_owned());
            }
            WorkerEvent::Registered { worker, tournament } => {
                let (name, game) = (clean(&tournament.name), clean(&tournament.game));
                self.note(format!("worker {worker} of `{name}` ({game})"));
            }
            WorkerEvent::Fetching { bot, there, size } => {
                let percent = there.saturating_mul(100).checked_div(size).unwrap_or(100);
                self.show(format!("fetching {}: {percent} % of {} KiB", clean(&bot), size.div_ceil(1024)));
            }
            WorkerEvent::Preparing(event) => self.prepare(event),
            WorkerEvent::Room { wanted, room } => {
                let fits = words::matches(room.matches.get() as u64);
                self.note(format!("{fits} at once instead of {wanted}: {room}"));
            }
            WorkerEvent::Starting { bot } => self.show(format!("starting {}", clean(&bot))),
            WorkerEvent::Ready { bots, broken, warning, at_once } => {
                warning.into_iter().for_each(|warning| self.warn(clean(&warning)));
                for (bot, why) in broken {
                    self.warn(format!("{} does not play here, but perhaps elsewhere: {}", clean(&bot), clean(&why)));
                }
                let ready = words::count(bots as u64, "bot is ready", "bots are ready");
                self.note(format!("{ready}; {} at once", words::matches(at_once as u64)));
                (self.finished, self.drawn) = (false, None);
            }
            WorkerEvent::Match { .. } => self.finished = false,
            WorkerEvent::Answered { id, outcome } => match outcome {
                WorkerOutcome::Late => self.note(format!("match {id} has another result by now, which counts")),
                WorkerOutcome::Unknown => {
                    self.warn(format!("the server does not know match {id}; its result is dropped"))
                }
                _ => {}
            },
            WorkerEvent::GivenBack { id: Some(id), why } => {
                self.warn(format!("match {id} is given back: {}", clean(&why)));
            }
            WorkerEvent::GivenBack { id: None, why } => self.warn(format!("a match is given back: {}", clean(&why))),
            WorkerEvent::Lost { matches } => {
                let lost = words::count(matches as u64, "match", "matches");
                self.warn(format!("the server has taken {lost} back"));
            }
            WorkerEvent::Broken { bot, why } => {
                self.warn(format!("{} cannot be started here any more: {}", clean(&bot), clean(&why)));
            }
            WorkerEvent::TooLarge { id } => {
                self.warn(format!(
                    "the replay or the log of match {id} is too large to be sent; the result counts without it"
                ));
            }
            WorkerEvent::Unkept { why } => {
                self.warn(format!(
                    "results cannot be written ({}); no match is claimed until they can be",
                    clean(&why)
                ));
            }
            WorkerEvent::Damaged { path } => {
                let path = clean(&path.display().to_string());
                self.warn(format!("results in `{path}` cannot be reported; the file stays there"));
            }
            WorkerEvent::Edition => self.note("the tournament has changed: its bots are fetched again".to_owned()),
            WorkerEvent::Finished => {
                self.finished = true;
                self.note("the tournament has no more matches".to_owned());
            }
            _ => {}
        }
    }

    fn prepare(&mut self, event: Event<'_>) {
        match event {
            Event::Planned { bot, plan } => self.note(chosen(bot, plan)),
            Event::Building { bot, .. } => self.show(format!("building {}", clean(&bot.display().to_string()))),
            Event::Warning { text, .. } => self.warn(clean(text)),
            _ => {}
        }
    }

    fn tick(&mut self, counts: WorkerCounts) {
        self.counts = counts;
        if self.cancel.is_cancelled() && !self.told {
            self.told = true;
            if counts.running > 0 {
                self.warn("the running matches are played to their end; Ctrl-C again gives them back".to_owned());
            } else if counts.unreported > 0 {
                self.warn("the last results are reported; Ctrl-C again leaves them for the next start".to_owned());
            }
        }
        if self.bar.is_hidden() || self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAWN) {
            return;
        }
        let now = Instant::now();
        self.drawn = Some(now);
        self.earlier.push_back((now, counts.played));
        while self.earlier.front().is_some_and(|(at, _)| now.duration_since(*at) > RATED) {
            self.earlier.pop_front();
        }
        let begun = self.counts != WorkerCounts::default();
        if begun || self.away || self.finished {
            self.show(self.words(now));
        }
    }

    /// Returns the line that changes.
    fn words(&self, now: Instant) -> String {
        let WorkerCounts { played, running, waiting, unreported } = self.counts;
        let rate = self.earlier.front().map_or(0.0, |(at, before)| {
            let seconds = now.duration_since(*at).as_secs_f64();
            if seconds > 0.0 { played.saturating_sub(*before) as f64 / seconds } else { 0.0 }
        });
        let mut line = format!("{} played, {running} running, {waiting} waiting, {rate:.1}/s", words::matches(played));
        if unreported > 0 {
            line.push_str(&format!(", {} to report", words::count(unreported as u64, "result", "results")));
        }
        match (self.away, self.finished) {
            (true, _) => line.push_str("; the server is away"),
            (false, true) => line.push_str("; waiting for the next tournament"),
            _ => {}
        }
        line
    }

    /// Removes the line, and prints the last event.
    pub fn end(&mut self, end: &Result<WorkerEnd, WorkerFailure>) {
        self.bar.finish_and_clear();
        let why = match end {
            Ok(WorkerEnd::Finished) => json!("finished"),
            Ok(WorkerEnd::Interrupted { .. }) => json!("interrupted"),
            Err(_) => json!("failed"),
        };
        let WorkerCounts { played, unreported, .. } = self.counts;
        self.line(&json!({ "event": "end", "why": why, "played": played, "unreported": unreported }));
    }

    fn line(&mut self, line: &Value) {
        if !self.lines || self.failed.is_some() {
            return;
        }
        if let Err(why) = self.printer.data(clean_json(&line.to_string()) + "\n") {
            self.failed = Some(why);
            self.cancel.finish();
        }
    }

    fn show(&self, text: String) {
        self.bar.set_message(crate::clean::cut(&text, crate::live::room().columns));
    }

    fn warn(&self, text: String) {
        self.bar.suspend(|| self.printer.warning(text));
    }

    fn note(&self, text: String) {
        self.bar.suspend(|| self.printer.note(text));
    }
}

/// Returns an event as a line of `--format json-lines`. `None` for those that only show that time passes.
fn json_of(event: &WorkerEvent<'_>) -> Option<Value> {
    let mut line = match event {
        WorkerEvent::Tick(_) | WorkerEvent::Preparing(_) => return None,
        WorkerEvent::Fetching { there, size, .. } if there < size => return None,
        WorkerEvent::Away { why } | WorkerEvent::Unkept { why } => json!({ "why": why }),
        WorkerEvent::Registered { worker, tournament } => {
            json!({ "worker": worker, "tournament": tournament.name, "game": tournament.game })
        }
        WorkerEvent::Fetching { bot, size, .. } => json!({ "bot": bot, "size": size }),
        WorkerEvent::Room { wanted, room } => {
            json!({ "wanted": wanted, "matches": room.matches, "why": room.to_string() })
        }
        WorkerEvent::Starting { bot } => json!({ "bot": bot }),
        WorkerEvent::Ready { bots, broken, warning, at_once } => {
            let broken: Vec<Value> = broken.iter().map(|(bot, why)| json!({ "bot": bot, "why": why })).collect();
            json!({ "bots": bots, "broken": broken, "warning": warning, "at_once": at_once })
        }
        WorkerEvent::Start { thread, id, bots } => json!({ "id": id, "bots": bots, "thread": thread }),
        WorkerEvent::Match { id, bots, result } => of_match(*id, bots, result),
        WorkerEvent::Answered { id, outcome } => json!({ "id": id, "outcome": outcome }),
        WorkerEvent::Checked { id } => json!({ "id": id }),
        WorkerEvent::GivenBack { id, why } => json!({ "id": id, "why": why }),
        WorkerEvent::Lost { matches } => json!({ "matches": matches }),
        WorkerEvent::Broken { bot, why } => json!({ "bot": bot, "why": why }),
        WorkerEvent::TooLarge { id } => json!({ "id": id }),
        WorkerEvent::Damaged { path } => json!({ "path": path.display().to_string() }),
        _ => json!({}),
    };
    if let Some(object) = line.as_object_mut() {
        object.shift_insert(0, "event".to_owned(), event.name().into());
    }
    Some(line)
}

fn of_match(id: u64, bots: &[u32], result: &RecordedResult) -> Value {
    let ending = if result.ending == Ending::Finished { "finished" } else { "spoilt" };
    json!({ "id": id, "bots": bots, "result": ending, "reason": result.reason, "plies": result.plies, "time_us": result.wall_us })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printer::When;

    #[test]
    fn the_line_says_where_the_matches_are() {
        let (printer, cancel) = (Printer::new(true, When::Never), Cancel::new().expect("a flag"));
        let mut live = Live::new(&printer, &cancel, false);
        let begun = Instant::now();
        live.earlier.push_back((begun, 2));
        live.counts = WorkerCounts { played: 12, running: 2, waiting: 1, unreported: 0 };
        let after = |seconds| begun + Duration::from_secs(seconds);
        assert_eq!(live.words(after(5)), "12 matches played, 2 running, 1 waiting, 2.0/s");
        (live.counts.unreported, live.away) = (1, true);
        assert!(live.words(after(5)).ends_with(", 1 result to report; the server is away"), "{}", live.words(after(5)));
        assert!(live.words(begun).contains("0.0/s"), "no time has passed");
    }

    #[test]
    fn each_line_begins_with_the_name_of_its_event() {
        let line = json_of(&WorkerEvent::GivenBack { id: Some(4), why: "it is full".to_owned() }).expect("a line");
        assert_eq!(line.to_string(), r#"{"event":"given_back","id":4,"why":"it is full"}"#);
        assert!(json_of(&WorkerEvent::Tick(WorkerCounts::default())).is_none());
        let outcome = json_of(&WorkerEvent::Answered { id: 4, outcome: WorkerOutcome::Stored }).expect("a line");
        assert_eq!(outcome["outcome"], "stored");
    }
}
