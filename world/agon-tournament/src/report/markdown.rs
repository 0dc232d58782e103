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
    lines.iter().for_each(|line| out.push_str(&format!("* {}\n", escape_line(line))));
}

fn line(cells: &[Cell], out: &mut String) {
    let text = |cell: &Cell| format!(" {} |", if cell.bad { bold(&cell.text) } else { escape(&cell.text) });
    out.push_str(&format!("|{}\n", cells.iter().map(text).collect::<String>()));
}

fn bold(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("**{}**", escape(text)) }
}

/// Returns a text in which nothing is a sign of Markdown or HTML, also at the start of a line.
fn escape_line(text: &str) -> String {
    let mut out = escape(text);
    let start = out.len() - out.trim_start().len();
    let number = out[start..].bytes().take_while(u8::is_ascii_digit).count();
    // `-`, or a number with `.` or `)`, begins a list.
    let mark = match out[start + number..].chars().next() {
        Some('-') if number == 0 => true,
        Some('.' | ')') => number > 0,
        _ => false,
    };
    if mark {
        out.insert(start + number, '\\');
    }
    out
}

/// Returns a text in which nothing is a sign of Markdown or HTML, and nothing becomes a link by itself.
fn escape(text: &str) -> String {
    let text = clean(text);
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '@' {
            // GitHub makes links of `a@b.c` and `@a` even with a `\`, but not in code.
            let more = std::iter::from_fn(|| rest.next_if_eq(&'@')).count();
            out.push_str(&format!("`{}`", "@".repeat(1 + more)));
            continue;
        }
        // `-`, `.`, `)` and `:` mean something only at the start of a line, or in an address.
        let plain = !c.is_ascii_punctuation() || " ,;'\"%/()?=.-:".contains(c);
        let address = match c {
            ':' => out.ends_with(|c: char| c.is_ascii_alphanumeric()) && rest.peek().is_some_and(|c| *c != ' '),
            '.' => out.get(out.len().saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case("www")),
            _ => false,
        };
        if address || !plain {
            out.push('\\');
        }
        out.push(c);
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

    #[test]
    fn no_address_becomes_a_link() {
        for (text, expected) in [
            ("see HTTP://b.c", "see HTTP\\://b.c"),
            ("ftp://b", "ftp\\://b"),
            ("mailto:a@b.c", "mailto\\:a`@`b.c"),
            ("@@a `@`", "`@@`a \\``@`\\`"),
            ("(www.b.c) WwW.b", "(www\\.b.c) WwW\\.b"),
            ("é.b ww.b", "é.b ww.b"),
            ("bot 2 is withdrawn: late", "bot 2 is withdrawn: late"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }

    #[test]
    fn no_line_begins_a_list() {
        for (text, expected) in [
            ("- x", "\\- x"),
            ("1. x", "1\\. x"),
            (" 23) x", " 23\\) x"),
            ("+ x", "\\+ x"),
            ("---", "\\---"),
            ("2 of 3 - 1.5", "2 of 3 - 1.5"),
            (".5", ".5"),
            ("", ""),
        ] {
            assert_eq!(escape_line(text), expected);
        }
    }
}
