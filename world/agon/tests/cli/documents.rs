//! Runs every `console` block in `docs/cli.md` and compares its output, and its tables of options with `--help`.
//!
//! After a change of messages, `AGON_UPDATE_DOCS=1 cargo test -p agon --test cli documents` writes the new outputs.
//! Read the difference before you commit it.

use crate::agon::Place;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder in which the commands of the document seem to run.
const HOME: &str = "/home/me";
/// The line that stands for lines that are left out.
const GAP: &str = "...";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md")
}

fn document() -> String {
    fs::read_to_string(path()).unwrap_or_else(|e| panic!("docs/cli.md: {e}"))
}

/// A piece of the document.
enum Piece {
    /// Lines that are not the output of a command.
    Text(String),
    /// A command and its output.
    Run(String, Vec<String>),
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line.strip_prefix("$ "), pieces.last_mut()) {
            (true, Some(command), _) => pieces.push(Piece::Run(command.to_owned(), Vec::new())),
            (true, None, Some(Piece::Run(_, shown))) if line != "```" => shown.push(line.to_owned()),
            _ => {
                inside = line == "```console" || inside && line != "```";
                pieces.push(Piece::Text(line.to_owned()));
            }
        }
    }
    pieces
}

/// Returns what a command of the document prints: stdout, then stderr. With `> FILE`, stdout goes to the file.
fn run(place: &Place, command: &str) -> Vec<String> {
    let mut words = shlex::split(command).expect("quotes match");
    assert_eq!(words.remove(0), "agon", "{command}");
    let file = words.iter().position(|w| w == ">").map(|at| words.split_off(at).pop().expect("a file"));
    let done = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let mut printed = done.err;
    match file {
        Some(file) => drop(place.write(&file, done.out)),
        None => printed.insert_str(0, &done.out),
    }
    let here = fs::canonicalize(place.path(".")).expect("it is there").display().to_string();
    without_the_host(printed.replace(&here, HOME).lines().map(str::to_owned))
}

/// Removes what depends on the host: a paragraph of one line that says how much time was given back, the warning of a check,
/// and how long a test may take.
fn without_the_host(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for line in lines {
        if line.ends_with(", because the host was busy") {
            kept.pop_if(|before| before.is_empty());
        } else if !line.starts_with("warning: the host was busy: ") && !line.contains(" games a second: ") {
            kept.push(line);
        }
    }
    kept
}

/// Masks times, which differ from run to run, and the widths of columns, which differ with them.
fn masked(line: &str) -> String {
    let is_time = |word: &str| {
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        matches!(&word[number.len()..], "us" | "ms" | "s") && !number.is_empty() && number.parse::<f64>().is_ok()
    };
    if let Some((key, _)) = line.split_once("_us\": ") {
        return format!("{key}_us\": TIME");
    }
    let words = line.split_whitespace().map(|word| {
        let (open, rest) = word.split_at(usize::from(word.starts_with('(')));
        let (inner, close) = rest.split_at(rest.trim_end_matches([')', ',']).len());
        if is_time(inner) { format!("{open}TIME{close}") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns what is before the gap and after it, if there is one.
fn around_gap(lines: &[String]) -> Option<(&[String], &[String])> {
    let gap = lines.iter().position(|line| line == GAP)?;
    Some((&lines[..gap], &lines[gap + 1..]))
}

#[test]
fn the_outputs_in_the_document_are_real() {
    let text = document();
    let pieces = pieces(&text);
    let place = Place::new();
    let update = std::env::var_os("AGON_UPDATE_DOCS").is_some();
    let mut renewed = String::new();
    let mut runs = 0;
    for piece in &pieces {
        match piece {
            Piece::Text(line) => renewed.push_str(&format!("{line}\n")),
            Piece::Run(command, shown) => {
                runs += 1;
                let printed = run(&place, command);
                let part = match around_gap(shown) {
                    Some((head, tail)) => {
                        let middle = [GAP.to_owned()];
                        let (start, end) = (head.len().min(printed.len()), printed.len().saturating_sub(tail.len()));
                        [&printed[..start], &middle, &printed[end.max(start)..]].concat()
                    }
                    None => printed,
                };
                let masked = |lines: &[String]| lines.iter().map(|l| masked(l)).collect::<Vec<_>>().join("\n");
                if !update {
                    assert_eq!(masked(&part), masked(shown), "`{command}`: see the head of this file");
                }
                // Times alone do not change the document.
                let part = if masked(&part) == masked(shown) { shown } else { &part };
                renewed.push_str(&format!("$ {command}\n"));
                part.iter().for_each(|line| renewed.push_str(&format!("{line}\n")));
            }
        }
    }
    assert!(runs >= 12, "{runs} commands");
    if update {
        fs::write(path(), renewed).expect("docs/cli.md can be written to");
    }
}

#[test]
fn the_exit_codes_in_the_document_are_those_of_the_binary() {
    let text = document();
    let table: Vec<(String, String)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .filter(|(code, _)| code.parse::<u8>().is_ok())
        .map(|(code, about)| (code.to_owned(), about.to_owned()))
        .collect();
    let printed: Vec<(String, String)> = Place::new()
        .run(&["exit-codes"])
        .out
        .lines()
        .filter_map(|line| line.trim_start().split_once("  "))
        .map(|(code, about)| (code.to_owned(), about.to_owned()))
        .collect();
    assert_eq!(table, printed);
}

/// The marks around the options of a command. The command's words follow the first one.
const OPTIONS: &str = "<!-- options of ";
const END: &str = "<!-- end of options -->";
/// The command whose options others have, too. They are told once.
const MATCH: &str = "agon match";

/// Returns a row for each option in the help of a command, without those that every command has.
fn options(place: &Place, words: &str) -> Vec<String> {
    let words: Vec<&str> = words.split(' ').skip(1).chain(["--help"]).collect();
    let help = place.run(&words).out;
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in help.lines().skip_while(|line| *line != "Options:") {
        let text = line.trim();
        let depth = line.len() - line.trim_start().len();
        match rows.last_mut() {
            _ if depth < 10 && text.starts_with('-') => {
                let option = text.find("--").map_or(text, |at| &text[at..]);
                rows.push((option.replace(['<', '>'], ""), String::new()));
            }
            Some((_, about)) if depth >= 10 && !text.is_empty() && !text.starts_with('[') => {
                match text.strip_prefix("- ").and_then(|value| value.split_once(':')) {
                    Some((value, meaning)) => {
                        about.push_str(if about.ends_with("One of") { "" } else { ";" });
                        about.push_str(&format!(" `{value}`: {}", meaning.trim()));
                    }
                    None if text == "Possible values:" => about.push_str(". One of"),
                    None => {
                        about.push_str(if about.is_empty() { "" } else { " " });
                        about.push_str(text);
                    }
                }
            }
            _ => {}
        }
    }
    let everywhere = ["--help", "--quiet", "--color"];
    rows.retain(|(option, _)| !everywhere.contains(&option.split(' ').next().unwrap_or_default()));
    let cell = |text: String| text.replace('|', "\\|");
    rows.into_iter().map(|(option, about)| format!("| `{}` | {} |\n", cell(option), cell(about))).collect()
}

#[test]
fn the_options_in_the_document_are_those_of_the_help() {
    let (text, place) = (document(), Place::new());
    let of_matches = options(&place, MATCH);
    let mut pieces = text.split(OPTIONS);
    let mut renewed = pieces.next().unwrap_or_default().to_owned();
    let mut tables = 0;
    let update = std::env::var_os("AGON_UPDATE_DOCS").is_some();
    for piece in pieces {
        let (words, rest) = piece.split_once(" -->\n").expect("the mark ends");
        let (shown, rest) = rest.split_once(END).expect("the table ends with a mark");
        let rows = options(&place, words).into_iter().filter(|row| words == MATCH || !of_matches.contains(row));
        let table = format!("\n| option | |\n| --- | --- |\n{}\n", rows.collect::<String>());
        assert!(update || shown == table, "the options of `{words}`: see the head of this file\n{table}");
        renewed += &format!("{OPTIONS}{words} -->\n{table}{END}{rest}");
        tables += 1;
    }
    assert!(tables >= 3, "{tables} tables");
    if update {
        fs::write(path(), renewed).expect("docs/cli.md can be written to");
    }
}
