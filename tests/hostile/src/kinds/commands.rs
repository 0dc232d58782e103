//! Attacks on whoever looks at a match: what a bot says and how it is called, on a terminal and in a document.

use crate::{
    kind::{End, GRID, Kind, Stage},
    player::say,
};
use std::io::{Write, stderr};

const HARMLESS: &[End] = &[End::Harmless];
/// By `agon match`, under a name that nobody has to fear.
const SHOWN: Stage = Stage { called: Some("plain"), ..GRID };

/// Clears the screen, changes its title, moves the cursor up, turns the direction of writing, and hides.
const ESCAPES: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[1A\u{9b}31m\u{202e}gnp.exe\u{200b}\u{8}\r";

/// The kinds.
pub const KINDS: &[Kind] = &[
    Kind::program(74, "escapes-in-an-answer", "the terminal: control sequences in an answer", |bot| {
        bot.player.until_asked();
        say(format!("{ESCAPES}\n"));
    })
    .on(SHOWN)
    .ends(HARMLESS),
    Kind::program(74, "escapes-in-stderr", "the terminal: control sequences in the last words of a crash", |bot| {
        bot.player.until_asked();
        let _ = stderr().write_all(format!("{ESCAPES}\n").as_bytes());
        std::process::exit(9);
    })
    .on(SHOWN)
    .ends(HARMLESS),
    Kind::program(73, "escapes-in-a-name", "the terminal: control sequences in a bot's name", |bot| {
        bot.player.turns(|player| player.answer(crate::player::Asked::Move));
    })
    .on(Stage { called: Some("x\u{1b}[2J\u{202e}gnp"), ..GRID })
    .ends(HARMLESS),
    Kind::program(75, "lines-in-a-name", "the report: a name that looks like lines of it", |bot| {
        bot.player.turns(|player| player.answer(crate::player::Asked::Move));
    })
    .on(Stage { called: Some("x\nrandom wins after 1 turn"), ..GRID })
    .ends(HARMLESS),
    Kind::program(23, "looks-like-a-result", "the report: stderr that looks like lines of it", |bot| {
        bot.player.until_asked();
        let _ = stderr().write_all(b"\r\nplace  seat  name\n    1     1  me\n\nme wins after 1 turn\n");
        std::process::exit(9);
    })
    .on(SHOWN)
    .ends(HARMLESS),
];
