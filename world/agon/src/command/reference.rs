//! The options of a command in `docs/cli.md` are those of its `--help`.
//!
//! After a change of help texts, `AGON_UPDATE_DOCS=1 cargo test -p agon --lib reference` writes them.

use super::Cli;
use clap::{Arg, Command, CommandFactory};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The marks around the options of a command. The command's words follow the first one.
const BEGIN: &str = "<!-- options of ";
const END: &str = "<!-- end of options -->";
/// The command whose options others have, too.
const MATCH: &str = "agon match";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md")
}

/// Returns the table of a command's options, without those that every command has. Options of matches are told once.
fn table(words: &str) -> String {
    let mut agon = Cli::command();
    agon.build();
    let find = |words: &str| -> Vec<String> {
        let command = words.split(' ').skip(1).fold(&agon, |command, word| {
            command.find_subcommand(word).unwrap_or_else(|| panic!("docs/cli.md: there is no `{words}`"))
        });
        options(command).map(row).collect()
    };
    let of_matches = if words == MATCH { Vec::new() } else { find(MATCH) };
    let rows = find(words).into_iter().filter(|row| !of_matches.contains(row));
    format!("\n| option | |\n| --- | --- |\n{}\n", rows.collect::<String>())
}

fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    let everywhere = ["help", "version", "quiet", "color"];
    let is_shown =
        move |arg: &&Arg| arg.get_long().is_some_and(|long| !everywhere.contains(&long)) && !arg.is_hide_set();
    command.get_arguments().filter(is_shown)
}

fn row(arg: &Arg) -> String {
    let values = arg.get_value_names().filter(|_| arg.get_action().takes_values()).unwrap_or_default();
    let values: String = values.iter().map(|name| format!(" {name}")).collect();
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    format!("| `--{}{}` | {help} |\n", arg.get_long().unwrap_or_default(), values.replace('|', "\\|"))
}

#[test]
fn the_options_in_the_document_are_those_of_the_help() {
    let text = fs::read_to_string(path()).expect("docs/cli.md is there");
    let mut pieces = text.split(BEGIN);
    let mut renewed = pieces.next().unwrap_or_default().to_owned();
    let mut tables = 0;
    for piece in pieces {
        let (words, rest) = piece.split_once(" -->\n").expect("the mark ends");
        let (shown, rest) = rest.split_once(END).expect("the table ends with a mark");
        let table = table(words);
        if std::env::var_os("AGON_UPDATE_DOCS").is_none() {
            assert_eq!(shown, table, "the options of `{words}` in docs/cli.md: see the head of this file");
        }
        renewed += &format!("{BEGIN}{words} -->\n{table}{END}{rest}");
        tables += 1;
    }
    assert!(tables >= 3, "{tables} tables");
    if std::env::var_os("AGON_UPDATE_DOCS").is_some() {
        fs::write(path(), renewed).expect("docs/cli.md can be written to");
    }
}
