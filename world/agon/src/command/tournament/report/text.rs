//! A report for the terminal.

use crate::{
    clean::clean,
    printer::Style,
    table::{self, Table, left, right},
};
use agon_spec::TournamentReportDocument;
use agon_tournament::{Cell, Section, sections};

/// Returns a report as text.
pub fn render(report: &TournamentReportDocument, colour: bool) -> String {
    let parts: Vec<String> = sections(report).iter().map(|section| part(section, colour)).collect();
    parts.join("\n")
}

fn part(section: &Section, colour: bool) -> String {
    let mut out = format!("{}\n", Style::Strong.paint(&clean(&section.title), colour));
    for note in &section.notes {
        out.push_str(&format!("{}\n", clean(note)));
    }
    if !section.heading.is_empty() {
        let mut table = Table::new(section.heading.iter().map(cell).collect());
        section.rows.iter().for_each(|row| table.row(row.iter().map(cell).collect()));
        out.push_str(&table.render(colour));
    }
    out.push_str(&section.drawing);
    for remark in &section.remarks {
        out.push_str(&format!("{}\n", clean(remark)));
    }
    out
}

fn cell(cell: &Cell) -> table::Cell {
    let text = clean(&cell.text);
    let shown = if cell.right { right(text) } else { left(text) };
    if cell.bad { shown.style(Style::Bad) } else { shown }
}
