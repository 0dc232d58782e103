//! The machines that have played, if there is more than one.

use super::section::{Cell, Section, left, right};
use crate::facts_text;
use agon_spec::TournamentReportDocument;

/// Returns the table of the machines.
pub(super) fn section(report: &TournamentReportDocument) -> Section {
    let rows = report.workers.iter().map(|worker| {
        let machine = worker.machines.last().map(facts_text).unwrap_or_default();
        let aside = worker.put_aside.as_ref().map_or_else(String::new, |why| format!("put aside: {why}"));
        let aside = Cell { bad: worker.put_aside.is_some(), ..left(aside) };
        vec![left(worker.name.clone()), right(worker.matches), left(machine), aside]
    });
    Section {
        title: "Machines".to_owned(),
        heading: vec![left("worker"), right("matches"), left("machine"), left("")],
        rows: rows.collect(),
        ..Section::default()
    }
}
