//! What protects this host from bots and bots from each other: found out by attacking it.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `protection` | [`Protection`]: one thing that is kept, how well, and the way out |
//! | `levels` | which levels of isolation work, and what stands behind them |
//! | `canaries` | attacks that are made inside, and what came of them |
//! | `host` | clocks, cores, and how exactly time can be accounted for |
//! | `languages` | compilers and interpreters |

mod canaries;
mod host;
mod languages;
mod levels;
mod protection;

use crate::{
    bench::MachineLook,
    printer::Style,
    table::{Table, left},
};
use agon_spec::{DoctorDocument, Isolation};
use protection::{Protection, State, style};

/// Everything that was found.
pub struct Report {
    level: Isolation,
    protections: Vec<Protection>,
    clocks: host::Clocks,
    tools: Vec<languages::Tool>,
    machine: MachineLook,
}

impl Report {
    /// Looks at everything. It takes about a second.
    pub fn make() -> Self {
        let machine = MachineLook::look();
        // One that cannot be tried out contains nothing; why is among the protections.
        let level = agon_play::strongest().map_or(Isolation::None, |decision| decision.level);
        let mut protections = levels::protections();
        protections.extend(canaries::protections(level));
        protections.extend(host::protections());
        Self { level, protections, clocks: host::Clocks::look(), tools: languages::look(), machine }
    }

    /// Whether an attack got through that the level should have held.
    pub fn is_broken(&self) -> bool {
        self.protections.iter().any(|protection| protection.state == State::Broken)
    }

    /// For programs.
    pub fn document(&self) -> DoctorDocument {
        DoctorDocument {
            level: self.level,
            protections: self.protections.iter().map(Protection::document).collect(),
            clocks: self.clocks.document(),
            tools: self.tools.iter().map(languages::Tool::document).collect(),
            machine: self.machine.document(),
        }
    }

    /// For people: a table of protections, what would make it better, clocks, tools, and the verdict as the last line.
    pub fn text(&self, colour: bool) -> String {
        let mut table = Table::new(vec![left("protection"), left("state"), left("why")]);
        for protection in &self.protections {
            let state = left(protection.state.name()).style(style(protection.state));
            table.row(vec![left(protection.name), state, left(protection.why.as_str())]);
        }
        let mut out = table.render(colour);
        let remedies: Vec<&Protection> = self.protections.iter().filter(|p| p.remedy.is_some()).collect();
        if !remedies.is_empty() {
            let mut table = Table::new(vec![left("better with"), left("")]);
            for protection in remedies {
                table.row(vec![left(protection.name), left(protection.remedy.clone().unwrap_or_default())]);
            }
            out.push('\n');
            out.push_str(&table.render(colour));
        }
        out.push_str(&format!("\n{}", self.clocks.text()));
        let mut table = Table::new(vec![left("language tool"), left("version"), left("path")]);
        for tool in &self.tools {
            table.row(vec![left(tool.name), left(tool.version_text()), left(tool.path_text())]);
        }
        out.push_str(&format!("\n{}", table.render(colour)));
        let verdict = match (self.is_broken(), self.level) {
            (true, _) => "an attack got through: do not run bots of strangers here".to_owned(),
            (_, Isolation::Full) => "isolation: full; bots of strangers can be run here".to_owned(),
            (_, Isolation::Restricted) => "isolation: restricted; see `better with` for the way to full".to_owned(),
            (_, Isolation::None) => "isolation: none; run only bots that you trust".to_owned(),
        };
        let style = if self.is_broken() { Style::Bad } else { Style::Strong };
        out.push_str(&format!("\n{}\n", style.paint(&verdict, colour)));
        out
    }
}
