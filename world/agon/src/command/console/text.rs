//! The answers of a console for people.

use crate::{
    board,
    clean::{clean, clean_lines},
    error::Error,
    live,
    report::print_micros,
};
use agon_core::{Failure, Flaw, Place};
use agon_referee::{PlyRecord, turn_name};
use agon_spec::{ConsoleAnswer, ConsoleClock, ConsoleDocument, ConsoleError, ConsoleSeatState};
use std::fmt::Write;

/// Returns the turns of an answer as lines.
pub fn turns(document: &ConsoleDocument) -> String {
    let mut out = String::new();
    for record in &document.turns {
        turn(record, &mut out);
    }
    out
}

/// Returns an answer to a command as lines.
pub fn text(document: &ConsoleDocument, colour: bool) -> String {
    let mut out = turns(document);
    if let Some(given) = &document.answer {
        answer(given, &mut out);
    }
    for branch in &document.branches {
        let mark = if branch.current { '*' } else { ' ' };
        let _ = writeln!(out, "{mark} branch {}: turn {}, {}", branch.branch, branch.ply, branch.fingerprint);
    }
    if let Some(map) = &document.map {
        for (i, line) in map.lines().enumerate() {
            let _ = writeln!(out, "{:>4}  {}", i + 1, clean(line));
        }
    }
    if let Some(frame) = &document.frame {
        let names: Vec<&str> = document.seats.iter().map(|seat| &*seat.name).collect();
        out.push_str(&board::render(frame, &names, live::room(), colour));
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    if document.command == "status" {
        seats(document, &mut out);
    }
    if let Some(state) = &document.state {
        for (name, value) in state.items() {
            let _ = writeln!(out, "{}: {}", clean(name), clean(&serde_json::to_string(value).unwrap_or_default()));
        }
    }
    for begun_anew in &document.begun_anew {
        let _ = writeln!(out, "begins anew: {}", clean(begun_anew));
    }
    for left_out in &document.left_out {
        let _ = writeln!(out, "left out: {}", clean(left_out));
    }
    for line in &document.help {
        let _ = writeln!(out, "{line}");
    }
    if !matches!(&*document.command, "quit" | "exit" | "show" | "help") {
        out.push_str(&state(document));
    }
    out
}

/// Returns the error of a refused command, with its place.
pub fn error(line: &str, error: &ConsoleError) -> Error {
    let place = match (error.line, error.column, error.length) {
        (Some(line), Some(column), Some(length)) => Some(Place { line, column, length }),
        _ => None,
    };
    let flaw = Flaw {
        what: clean(&error.text),
        place,
        item: None,
        hint: error.hint.as_deref().map(|hint| clean(hint).into()),
    };
    match (error.text_of, place) {
        (_, None) | (agon_spec::ConsoleText::State, _) => Error::from(flaw),
        (agon_spec::ConsoleText::Command, _) => Error::in_text("the command", line.as_bytes(), flaw),
        (agon_spec::ConsoleText::Map, Some(place)) => Error::from(Flaw {
            what: format!("line {}, column {} of the map: {}", place.line, place.column, flaw.what),
            place: None,
            ..flaw
        }),
    }
}

fn turn(record: &PlyRecord, out: &mut String) {
    let decisions = record.entries.iter().map(|entry| {
        let orders: Vec<&str> = entry.orders.texts().collect();
        let failure = entry.failure.map(|failure| format!(" ({})", failure_name(failure))).unwrap_or_default();
        format!("seat {} {}{failure}", entry.seat, clean(&format!("[{}]", orders.join(","))))
    });
    let _ = writeln!(out, "{}: {}", turn_name(record.ply, record.round), decisions.collect::<Vec<_>>().join(", "));
}

fn failure_name(failure: Failure) -> &'static str {
    match failure {
        Failure::Late => "late",
        Failure::Gone => "gone",
        Failure::Nonsense => "nonsense",
        Failure::Unlawful(_) => "unlawful",
    }
}

fn answer(answer: &ConsoleAnswer, out: &mut String) {
    let time = print_micros(answer.wall_us);
    if let Some(text) = &answer.text {
        let kept = clean_lines(text);
        out.push_str(&kept);
        if !kept.is_empty() && !kept.ends_with('\n') {
            out.push('\n');
        }
        let end = if answer.complete { "" } else { "; no whole line has come" };
        let _ = writeln!(out, "({time}{end})");
        return;
    }
    match &answer.orders {
        Some(orders) => {
            let orders: Vec<&str> = orders.texts().collect();
            let _ =
                writeln!(out, "seat {} would play {} ({time})", answer.seat, clean(&format!("[{}]", orders.join(","))));
        }
        None => {
            let _ = writeln!(out, "seat {} has not answered ({time})", answer.seat);
        }
    }
    if let Some(why) = &answer.refusal {
        let _ = writeln!(out, "the rules refuse that: {}", clean(why));
    }
}

fn seats(document: &ConsoleDocument, out: &mut String) {
    for (i, seat) in document.seats.iter().enumerate() {
        let state = state_name(seat.state);
        let _ = write!(out, "seat {}: {} ({}), {state}", i + 1, clean(&seat.name), clean(&seat.bot));
        if let Some(why) = &seat.why {
            let _ = write!(out, ": {}", clean(why));
        }
        let clock = seat.clock.as_ref().map(|clock| format!(", {}", clock_text(clock))).unwrap_or_default();
        let _ = writeln!(out, "{}{clock}", if seat.decided { ", has decided" } else { "" });
    }
}

/// Returns what is left on a clock.
fn clock_text(clock: &ConsoleClock) -> String {
    let left = clock.left_us.map_or_else(|| "no limit".to_owned(), |left| format!("{} left", print_micros(left)));
    let bank = clock.bank_us.filter(|bank| Some(*bank) != clock.left_us);
    let bank = bank.map(|bank| format!(", {} in the bank", print_micros(bank))).unwrap_or_default();
    format!("{left}{bank}{}", if clock.runs { ", running" } else { "" })
}

fn state_name(state: ConsoleSeatState) -> &'static str {
    match state {
        ConsoleSeatState::Ready => "ready",
        ConsoleSeatState::Thinking => "thinking",
        ConsoleSeatState::OutOfStep => "out of step",
        ConsoleSeatState::Dead => "dead",
        ConsoleSeatState::Human => "a person",
    }
}

fn state(document: &ConsoleDocument) -> String {
    let turns = match document.ply {
        0 => "at the start".to_owned(),
        ply => format!("after turn {ply}"),
    };
    let next: Vec<String> = document.awaiting.iter().map(ToString::to_string).collect();
    let next = match (document.over, next.as_slice()) {
        (true, _) => "the match is over".to_owned(),
        (_, []) => "nobody decides in this turn".to_owned(),
        (_, [one]) => format!("seat {one} decides"),
        (_, several) => format!("seats {} decide", several.join(", ")),
    };
    let thinking: Vec<String> = (1..)
        .zip(&document.seats)
        .filter(|(_, seat)| seat.state == ConsoleSeatState::Thinking)
        .map(|(i, _)| i.to_string())
        .collect();
    let thinking =
        if thinking.is_empty() { String::new() } else { format!("; thinking: seat {}", thinking.join(", ")) };
    let clocks = document.seats.iter().zip(1..).filter_map(|(seat, i)| Some((i, seat.clock.as_ref()?)));
    let clocks: String = clocks.map(|(i, clock)| format!("; seat {i}: {}", clock_text(clock))).collect();
    format!("branch {}, {turns}: {next}{thinking}{clocks}\n", document.branch)
}
