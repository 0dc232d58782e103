//! What a person sees below the bar while a tournament is played: the table, the running matches and the last faults.

use super::table;
use crate::{
    board::Room,
    clean::{clean, cut},
};
use agon_tourney::Standings;
use std::collections::{BTreeMap, VecDeque};

/// At most this many bots are shown.
const BOTS: usize = 12;
/// At most this many running matches are shown.
const RUNNING: usize = 4;
/// At most this many faults are shown.
const FAULTS: usize = 3;
/// The lines that are neither bots nor faults: the heading, the bots that are left out, and the running matches.
const OTHERS: usize = 3;

/// The state of a run.
#[derive(Debug, Default)]
pub struct Panel {
    pub standings: Option<Standings>,
    /// The match of each worker, with its bots.
    running: BTreeMap<usize, (u64, Vec<u32>)>,
    /// Lines about workers on other machines.
    pub workers: Vec<String>,
    /// The last faults, the newest first.
    faults: VecDeque<String>,
}

impl Panel {
    /// Notes that a worker has begun a match.
    pub fn begins(&mut self, worker: usize, id: u64, bots: &[u32]) {
        self.running.insert(worker, (id, bots.to_vec()));
    }

    pub fn ends(&mut self, id: u64) {
        self.running.retain(|_, (running, _)| *running != id);
    }

    /// Notes a fault in a match. `text` says what the bot did; it may quote the bot.
    pub fn fault(&mut self, id: u64, bot: &str, text: &str) {
        self.faults.push_front(format!("match {id}, {}: {}", clean(bot), clean(text)));
        self.faults.truncate(FAULTS);
    }

    /// Draws the panel for a terminal of this size. `names` has the name of every bot.
    pub fn render(&self, names: &[String], room: Room) -> String {
        let mut lines = Vec::new();
        if let Some(standings) = &self.standings {
            let most = room.rows.saturating_sub(OTHERS + self.faults.len() + self.workers.len()).min(BOTS);
            let all = standings.rows.len();
            let top = Standings { rows: standings.rows.iter().take(most).cloned().collect(), ..standings.clone() };
            lines.extend(table::render(&top, names, false).lines().map(str::to_owned));
            if all > most {
                lines.push(format!("… and {} more", all - most));
            }
        }
        let name = |bot: &u32| names.get(*bot as usize).map_or_else(String::new, |name| cut(&clean(name), 24));
        let one =
            |(id, bots): &(u64, Vec<u32>)| format!("{id} {}", bots.iter().map(name).collect::<Vec<_>>().join(" – "));
        let mut running: Vec<&(u64, Vec<u32>)> = self.running.values().collect();
        running.sort_unstable();
        let shown: Vec<String> = running.into_iter().take(RUNNING).map(one).collect();
        if !shown.is_empty() {
            let more = self.running.len() - shown.len();
            let more = if more > 0 { format!("  and {more} more") } else { String::new() };
            lines.push(format!("runs   {}{more}", shown.join("  ")));
        }
        lines.extend(self.workers.iter().cloned());
        lines.extend(self.faults.iter().map(|fault| format!("fault  {fault}")));
        let lines: Vec<String> = lines.iter().map(|line| cut(line, room.columns)).collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_tourney::{Schedule, Spec};

    fn names() -> Vec<String> {
        (0..40).map(|bot| format!("bot\u{1b}[2J{bot}")).collect()
    }

    fn full() -> Panel {
        let schedule = Schedule::new(Spec::round_robin(40)).expect("it can be drawn");
        let mut panel = Panel { standings: Some(schedule.standings()), ..Panel::default() };
        for (worker, id) in (0..9).zip(1..) {
            panel.begins(worker, id, &[0, 39]);
        }
        for id in 1..=9 {
            panel.fault(id, "bot", "said \u{1b}[31m");
        }
        panel
    }

    #[test]
    fn it_fits_into_every_terminal() {
        for (columns, rows) in [(80, 20), (20, 6), (200, 60), (1, 0)] {
            let text = full().render(&names(), Room { columns, rows });
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
            assert!(text.lines().count() <= rows.max(OTHERS + FAULTS), "{text}");
            assert!(!text.contains('\u{1b}'), "{text}");
        }
    }

    #[test]
    fn it_shows_what_runs_and_what_failed_last() {
        let mut panel = full();
        panel.ends(1);
        let text = panel.render(&names(), Room { columns: 200, rows: 60 });
        assert!(text.contains("… and 28 more\n"), "{text}");
        assert!(text.contains("runs   2 bot") && text.contains("and 4 more"), "{text}");
        // Its result is on the way to the disk.
        panel.begins(1, 10, &[0, 39]);
        let text = panel.render(&names(), Room { columns: 200, rows: 60 });
        assert!(text.contains("runs   3 bot") && text.contains("and 4 more"), "{text}");
        assert!(text.contains("fault  match 9, bot: said") && !text.contains("match 6,"), "{text}");
        assert_eq!(Panel::default().render(&names(), Room { columns: 80, rows: 20 }), "");
    }
}
