//! Attacks on people and programs that read a report: the bot's output and its name, in a terminal and in a document.

use crate::{
    client::write,
    kind::{End, GRID, Kind, Scenario},
};
use std::io::{Write, stderr};

const HARMLESS: &[End] = &[End::Harmless];
/// Played by `agon match`, under a harmless name.
const BY_COMMAND: Scenario = Scenario { bot_name: Some("plain"), ..GRID };

/// Clears the screen, sets its title, moves the cursor up, reverses the direction of writing, and writes invisible
/// characters.
const ESCAPES: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[1A\u{9b}31m\u{202e}gnp.exe\u{200b}\u{8}\r";

pub const KINDS: &[Kind] = &[
    Kind::program(74, "escapes-in-an-answer", "the terminal: control sequences in an answer", |bot| {
        bot.client.wait_for_move();
        write(format!("{ESCAPES}\n"));
    })
    .scenario(BY_COMMAND)
    .ends(HARMLESS),
    Kind::program(74, "escapes-in-stderr", "the terminal: control sequences in the stderr of a crash", |bot| {
        bot.client.wait_for_move();
        let _ = stderr().write_all(format!("{ESCAPES}\n").as_bytes());
        std::process::exit(9);
    })
    .scenario(BY_COMMAND)
    .ends(HARMLESS),
    Kind::program(73, "escapes-in-a-name", "the terminal: control sequences in a bot's name", |bot| {
        bot.client.play_turns(|client| client.answer(crate::client::Question::Move));
    })
    .scenario(Scenario { bot_name: Some("x\u{1b}[2J\u{202e}gnp"), ..GRID })
    .ends(HARMLESS),
    Kind::program(75, "lines-in-a-name", "the report: a name that looks like its lines", |bot| {
        bot.client.play_turns(|client| client.answer(crate::client::Question::Move));
    })
    .scenario(Scenario { bot_name: Some("x\nrandom wins after 1 turn"), ..GRID })
    .ends(HARMLESS),
    Kind::program(23, "looks-like-a-result", "the report: stderr that looks like its lines", |bot| {
        bot.client.wait_for_move();
        let _ = stderr().write_all(b"\r\nplace  seat  name\n    1     1  me\n\nme wins after 1 turn\n");
        std::process::exit(9);
    })
    .scenario(BY_COMMAND)
    .ends(HARMLESS),
];
