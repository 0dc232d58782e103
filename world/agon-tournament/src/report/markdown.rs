//! A report as Markdown.

use super::{Cell, Section, sections};
use agon_core::text::clean;
use agon_spec::TournamentReportDocument;

/// Writes a report as Markdown with tables, as GitHub and most wikis read it. Text of bots is cleaned and escaped.
#[must_use]
pub fn report_markdown(report: &TournamentReportDocument) -> String {
    let mut out = String::new();
    for (number, section) in sections(report).iter().enumerate() {
        let level = if number == 0 { "#" } else { "\n##" };
        out.push_str(&format!("{level} {}\n", escape(&section.title)));
        body(section, &mut out);
    }
    out
}

fn body(section: &Section, out: &mut String) {
    paragraphs(&section.notes, out);
    if !section.heading.is_empty() {
        out.push('\n');
        line(&section.heading, out);
        let rules = section.heading.iter().map(|cell| if cell.right { " ---: |" } else { " --- |" });
        out.push_str(&format!("|{}\n", rules.collect::<String>()));
        section.rows.iter().for_each(|row| line(row, out));
    }
    if !section.drawing.is_empty() {
        // Indented lines are taken as they are, whatever is in them.
        out.push('\n');
        section.drawing.lines().for_each(|line| out.push_str(&format!("{}\n", format!("    {line}").trim_end())));
    }
    paragraphs(&section.remarks, out);
}

fn paragraphs(lines: &[String], out: &mut String) {
    if !lines.is_empty() {
        out.push('\n');
    }
    lines.iter().for_each(|line| out.push_str(&format!("* {}\n", escape(line))));
}

fn line(cells: &[Cell], out: &mut String) {
    let text = |cell: &Cell| format!(" {} |", if cell.bad { bold(&cell.text) } else { escape(&cell.text) });
    out.push_str(&format!("|{}\n", cells.iter().map(text).collect::<String>()));
}

fn bold(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("**{}**", escape(text)) }
}

/// Returns a text in which nothing is a sign of Markdown or HTML.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in clean(text).chars() {
        // `-`, `.` and `:` mean something only at the start of a line, or in an address.
        let plain = !c.is_ascii_punctuation() || " ,;'\"%/()?=.-".contains(c);
        match c {
            ':' if out.ends_with("http") || out.ends_with("https") || out.ends_with("mailto") => out.push_str("\\:"),
            ':' => out.push(c),
            _ if plain => out.push(c),
            _ => out.extend(['\\', c]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_bots_is_only_text() {
        for (text, expected) in [
            ("plain 1-0", "plain 1-0"),
            ("<b>x</b> | y", "\\<b\\>x\\</b\\> \\| y"),
            ("[a](http://b)", "\\[a\\](http\\://b)"),
            ("*`_\\", "\\*\\`\\_\\\\"),
            ("a\nb\u{202e}", "a\\\\nb\\\\u\\{202e\\}"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }
}
