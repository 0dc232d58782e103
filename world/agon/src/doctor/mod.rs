//! The doctor finds out what protects this host from bots, and bots from each other, by attacking it.
//!
//! | module | what it defines |
//! | --- | --- |
//! | `protection` | [`Protection`]: one protection, its state, and how to improve it |
//! | `levels` | which levels of isolation work, and what they are based on |
//! | `canaries` | attacks inside the sandbox, and their results |
//! | `host` | the clock, the cores, and how exactly time can be accounted for |
//! | `languages` | compilers and interpreters |

#[cfg(target_os = "linux")]
mod canaries;
mod host;
mod languages;
mod levels;
mod protection;

use crate::{
    machine::Machine,
    printer::Style,
    table::{Table, left},
};
use agon_spec::{DoctorDocument, Isolation, LanguageTool};
use protection::{Protection, State, style};

/// Ends this process after its work if the doctor has started it to attack, or to be attacked.
pub fn become_canary(arguments: &[std::ffi::OsString]) {
    #[cfg(target_os = "linux")]
    canaries::become_canary(arguments);
    #[cfg(not(target_os = "linux"))]
    let _ = arguments;
}

/// Returns the interpreters and compilers on this host.
pub fn tools() -> Vec<LanguageTool> {
    languages::look().iter().map(languages::Tool::document).collect()
}

/// The findings of the doctor.
pub struct Report {
    level: Isolation,
    protections: Vec<Protection>,
    clocks: host::Clocks,
    tools: Vec<languages::Tool>,
    machine: Machine,
}

impl Report {
    /// Examines everything. This takes about a second.
    pub fn make() -> Self {
        let machine = Machine::look();
        // If the levels cannot be tried, nothing is contained. The protections say why.
        let level = agon_play::strongest().map_or(Isolation::None, |decision| decision.level);
        let mut protections = levels::protections();
        #[cfg(target_os = "linux")]
        protections.extend(canaries::protections(level));
        #[cfg(not(target_os = "linux"))]
        protections.push(Protection::new(
            "attacks",
            State::Missing,
            "not tried, because nothing contains attacks on this system",
        ));
        protections.extend(host::protections());
        Self { level, protections, clocks: host::Clocks::look(), tools: languages::look(), machine }
    }

    /// Whether an attack succeeded that the level should have stopped.
    pub fn is_broken(&self) -> bool {
        self.protections.iter().any(|protection| protection.state == State::Broken)
    }

    /// Returns the findings for programs.
    pub fn document(&self) -> DoctorDocument {
        DoctorDocument {
            level: self.level,
            protections: self.protections.iter().map(Protection::document).collect(),
            clocks: self.clocks.document(),
            tools: self.tools.iter().map(languages::Tool::document).collect(),
            machine: self.machine.document(),
        }
    }

    /// Returns the findings for people: a table of protections, ways to improve them, clocks, tools, and the verdict as
    /// the last line.
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
            (true, _) => "an attack got through: do not run strangers' bots here".to_owned(),
            (_, Isolation::Full) => "isolation: full; you can run strangers' bots here".to_owned(),
            (_, Isolation::Restricted) => {
                "isolation: restricted; `better with` lists what is missing for full".to_owned()
            }
            (_, Isolation::None) => "isolation: none; run only bots that you trust".to_owned(),
        };
        let style = if self.is_broken() { Style::Bad } else { Style::Strong };
        out.push_str(&format!("\n{}\n", style.paint(&verdict, colour)));
        out
    }
}
