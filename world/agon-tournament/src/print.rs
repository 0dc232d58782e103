//! Writes a tournament as a file with every default spelled out.

use crate::{TournamentBot, TournamentFile, file::WITHDRAWN, kind, text::quoted};
use agon_play::{IsolationChoice, MemoryLimit};
use agon_tourney::{Kind, Seeding};
use std::fmt::{self, Display, Write};

/// Lines of a file: keys with their values and what they mean.
struct Lines(String);

impl Lines {
    fn line(&mut self, key: &str, value: impl Display, meaning: &str) {
        let set = format!("{key} = {value}");
        let comment = if meaning.is_empty() { String::new() } else { format!("  # {meaning}") };
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{set:<32}{comment}");
        trim_end(&mut self.0);
    }

    /// Writes a key whose default is that it is missing.
    fn absent(&mut self, key: &str, example: &str, meaning: &str) {
        self.line(&format!("# {key}"), example, meaning);
    }
}

fn trim_end(text: &mut String) {
    let length = text.trim_end().len();
    text.truncate(length);
    text.push('\n');
}

impl fmt::Display for TournamentFile {
    /// Writes the file with every key. Parsing the text gives the same tournament.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Lines(String::new());
        let info = self.game().info();
        lines.line("name", quoted(&self.name), "");
        lines.line("game", quoted(self.game), "");
        if let Some(preset) = self.preset {
            lines.line("preset", quoted(preset), "`agon tournament check` says where this differs from the contest");
        }
        let kinds = Kind::ALL.map(Kind::name).join(" | ");
        lines.line("kind", quoted(self.kind.name()), &kinds);
        for (key, value, meaning) in kind::print(self.kind) {
            lines.line(key, value, meaning);
        }
        if let Some(seed) = self.seed {
            let text = i64::try_from(seed.0).map_or_else(|_| quoted(&seed.to_string()), |seed| seed.to_string());
            lines.line("seed", text, "every random choice follows from it, and everybody may know it");
        }
        lines.line("seats", self.seats, "in each match");
        lines.line("rounds", self.rounds, "");
        lines.line("seatings", quoted(self.seatings.name()), "all | balanced | one");
        let seeding = match &self.seeded_by {
            Some(path) => path.display().to_string(),
            None => (if self.seeding == Seeding::Drawn { "drawn" } else { "list" }).to_owned(),
        };
        lines.line(
            "seeding",
            quoted(&seeding),
            "list (the order of the bots below) | drawn | an earlier result, as cup.agon or cup.json",
        );
        lines.line("maps", list(&self.maps), "files, also with *, and generators; each round is on the next one");
        let sets = self.game().rule_sets().join(" | ");
        lines.line("rules", quoted(&self.rules), &format!("{sets}; \"\" is {}", self.game().rule_sets()[0]));
        if info.limit.is_some() || self.limit.is_some() {
            let unit = info.limit.as_ref().map_or("turns", |limit| limit.unit);
            match self.limit {
                Some(limit) => lines.line("limit", limit, &format!("{unit} of a match")),
                None => {
                    let default = info.limit.as_ref().map_or(0, |limit| limit.default);
                    lines.absent("limit", &default.to_string(), &format!("{unit} of a match"));
                }
            }
        }
        lines.line("clock", quoted(&self.clock), &format!("\"\" is {}", info.clock));
        lines.line("points", quoted(&self.points.to_string()), "win/draw/loss | score | places:10,6,3,1");
        lines.line("replays", quoted(self.replays.name()), "all | faults | none");
        match self.verify {
            Some(share) => lines.line("verify", share, "% of the results of other machines are checked"),
            None => lines.absent(
                "verify",
                &self.verified_share().to_string(),
                "% of the results of other machines are checked",
            ),
        }
        lines.line("ponder", self.ponder, "whether bots may compute outside their turn");
        match self.cores {
            Some(cores) => lines.line("cores", cores, "of each bot to itself"),
            None => lines.absent("cores", "1", "of each bot to itself; without it, the bots of a match share one"),
        }
        let sandbox = match self.sandbox {
            IsolationChoice::Auto => "auto",
            IsolationChoice::Exactly(level) => level.name(),
        };
        lines.line("sandbox", quoted(sandbox), "auto | full | restricted | none; full for bots of strangers");
        lines.line("machines", quoted(self.machines.name()), "any | alike (one model of processor)");
        if let Some(processes) = self.processes {
            lines.line("processes", processes, "of each bot at the same time");
        }
        let memory = match self.memory {
            MemoryLimit::Usual => quoted("usual"),
            MemoryLimit::Off => quoted("off"),
            MemoryLimit::Mib(mib) => mib.to_string(),
        };
        lines.line("memory", memory, "MiB of each bot | usual | off");
        match self.withdraw_after {
            Some(faults) => lines.line("withdraw-after", faults, "faults in a row"),
            None => lines.absent("withdraw-after", "20", "faults in a row; without it, nobody is withdrawn"),
        }
        let withdrawn = WITHDRAWN.iter().find(|(_, one)| *one == self.withdrawn).map_or("share", |(name, _)| name);
        lines.line(
            "withdrawn",
            quoted(withdrawn),
            "share (void if it played fewer than half, else lose) | void | lose",
        );
        for bot in &self.bots {
            bot.print(&mut lines);
        }
        f.write_str(&lines.0)
    }
}

impl TournamentBot {
    fn print(&self, lines: &mut Lines) {
        lines.0.push_str("\n[[bot]]\n");
        lines.line("name", quoted(&self.name), "");
        lines.line("run", quoted(&self.run), "");
        if let Some(main) = &self.main {
            lines.line("main", quoted(main), "");
        }
        if let Some(dir) = &self.dir {
            lines.line("dir", quoted(&dir.display().to_string()), "");
        }
        if let Some(memory) = self.memory {
            lines.line("memory", memory, "");
        }
        if !self.env.is_empty() {
            let variables = self.env.iter().map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)));
            lines.line("env", format!("{{ {} }}", variables.collect::<Vec<_>>().join(", ")), "");
        }
        if !self.clock.is_empty() {
            lines.line("clock", quoted(&self.clock), "");
        }
        if !self.read.is_empty() {
            let paths: Vec<String> = self.read.iter().map(|path| path.display().to_string()).collect();
            lines.line("read", list(&paths), "");
        }
    }
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}
