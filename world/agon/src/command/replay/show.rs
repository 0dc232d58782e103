//! `agon replay show FILE`.

use super::{place, rounds::Rounds, time::Timing, watch::watch};
use crate::{
    board::{self, Room},
    clean::{clean, cut},
    command::Format,
    error::{Error, Result},
    exit::Exit,
    game::print_clock,
    picture::svg,
    printer::Printer,
    report::{Report, fault_line, print_micros, refused_text, seat_names, turns},
};
use agon_core::{Failure, Standing};
use agon_games::AnyGame;
use agon_play::load_replay;
use agon_referee::{EntryRecord, MatchEvent, PlyRecord, Rerun, SeekError};
use agon_replay::{End, Footer, Line, LineOfPlay, Replay};
use agon_spec::{FaultRecord, PlyDocument, RefusedRecord, ReplayDocument};
use clap::Args;
use std::path::PathBuf;

/// Show a recorded match: who played, what they decided, how it ended.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon replay show game.jsonl
  agon replay show game.jsonl --watch             play it on the terminal
  agon replay show game.jsonl --summary           only the result
  agon replay show game.jsonl --ply 40            the board after turn 40
  agon replay show game.jsonl --ply 40 --svg > 40.svg
  agon replay show game.jsonl --time              where the time went
  agon replay show game.jsonl --time --turn 57    why was my bot late?
  agon replay show game.jsonl --format json | jq '.plies[0]'")]
pub struct Show {
    /// The replay. `-` is stdin.
    file: PathBuf,
    /// Draw the board after this turn; 0 is the start. With --time: only this turn; 0 is the greeting.
    #[arg(long, visible_alias = "turn", value_name = "N", value_parser = place::ply(), allow_negative_numbers = true)]
    ply: Option<u32>,
    /// Print the board as an SVG picture; without --ply, after the last turn.
    #[arg(long, conflicts_with = "format")]
    svg: bool,
    /// Show only who played and how it ended, without the turns.
    #[arg(long, conflicts_with_all = ["ply", "svg", "time", "watch", "format"])]
    summary: bool,
    /// Play the match on the terminal, from turn --ply on: space plays and stops, left and right go by one turn, up and
    /// down by ten, home and end to the first and the last one, q quits.
    #[arg(long, conflicts_with_all = ["svg", "time", "format"])]
    watch: bool,
    /// Show where the time of every decision went: computing, waiting for a core, sleeping, and time given back.
    #[arg(long, conflicts_with = "svg")]
    time: bool,
    /// How to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
}

impl Show {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let (replay, game) = load_replay(&self.file)?;
        if self.time {
            let timing = Timing::of(&replay, Rounds::of(game, &replay), self.ply)?;
            match self.format {
                Format::Json => printer.document(timing.document())?,
                Format::Text => printer.data(timing.text(printer.colour))?,
            }
            return Ok(Exit::Done);
        }
        if self.watch {
            watch(game, &replay, self.ply.unwrap_or(0), printer.colour)?;
            return Ok(Exit::Done);
        }
        if self.svg {
            let play = replay.line_of_play();
            let rerun = at(game, &play, self.ply.unwrap_or(play.plies()))?;
            printer.data(svg(&rerun.board().picture(), &seat_names(&play.spec)))?;
            return Ok(Exit::Done);
        }
        match (self.ply, self.format) {
            (Some(ply), format) => {
                let play = replay.line_of_play();
                let rerun = at(game, &play, ply)?;
                let position = rerun.board();
                let record = play.turn(ply);
                match format {
                    Format::Text => {
                        if let Some(record) = record {
                            let rounds = Rounds::of(game, &replay);
                            let mut text = turn_text(&replay, record, &rounds, usize::MAX);
                            let faults = faults(&replay.lines).into_iter().filter(|fault| fault.ply == ply);
                            faults.for_each(|fault| text.push_str(&fault_text(&replay, fault, &rounds)));
                            printer.data(text + "\n")?;
                        }
                        let names = seat_names(&replay.header.spec);
                        printer.data(board::render(&position.picture(), &names, Room::default(), printer.colour))?;
                    }
                    Format::Json => printer.document(PlyDocument {
                        ply,
                        record: record.cloned(),
                        standing: position.standing(),
                        fingerprint: position.fingerprint(),
                        map: position.map(),
                        frame: position.picture(),
                    })?,
                }
            }
            (None, Format::Text) => printer.data(self.text(&replay, &Rounds::of(game, &replay), printer.colour))?,
            (None, Format::Json) => printer.document(document(replay))?,
        }
        Ok(Exit::Done)
    }

    /// Returns the header, the turns and the result.
    fn text(&self, replay: &Replay, rounds: &Rounds, colour: bool) -> String {
        let spec = &replay.header.spec;
        let mut out =
            format!("{}, format {}, written by agon {}\n", spec.game, replay.header.agon, clean(&replay.header.engine));
        for (i, seat) in spec.seats.iter().enumerate() {
            out.push_str(&format!("seat {}  {}  ({})\n", i + 1, clean(&seat.name), cut(&clean(&seat.bot), 100)));
        }
        out.push_str(&format!("clock   {}\n\n", print_clock(&spec.clock)));
        let lines = if self.summary { &[][..] } else { &replay.lines[..] };
        for line in lines {
            match line {
                Line::Ply(record) => out.push_str(&turn_text(replay, record, rounds, 100)),
                Line::Event(MatchEvent::Fault(fault)) => out.push_str(&fault_text(replay, fault, rounds)),
                Line::Event(MatchEvent::Rewound { ply, .. }) => out.push_str(&format!("  back to turn {ply}\n")),
                Line::Event(MatchEvent::Edited { .. }) => out.push_str("  the position was edited\n"),
                Line::Cut(cut) => {
                    out.push_str(&format!("  later turns are left out, because these take {} bytes\n", cut.bytes))
                }
                Line::Event(_) | Line::Footer(_) => {}
            }
        }
        if !lines.is_empty() {
            out.push('\n');
        }
        match &replay.footer {
            Some(footer) if footer.end == End::Finished || footer.spoilt.is_some() => {
                let none = Standing { scores: Vec::new(), places: Vec::new(), ending: agon_core::Ending::Unfinished };
                let standing = footer.standing.as_ref().unwrap_or(&none);
                let faults = footer.faults.iter().map(|fault| rounds.fault(fault)).collect();
                let footer = &Footer { faults, ..footer.clone() };
                let tally = replay.tally();
                let (refused, greeted_as) = (tally.refused(), tally.greeted_as());
                let report = Report { spec, standing, footer, refused, greeted_as, replay: Some(&self.file) };
                out.push_str(&report.text(colour));
            }
            Some(footer) => {
                out.push_str(&format!("{}broken off after {}, no result\n", refusals(replay), turns(footer.plies)))
            }
            None => {
                let there = turns(replay.line_of_play().plies());
                out.push_str(&format!("{}cut off after {there}, no result\n", refusals(replay)));
            }
        }
        out
    }
}

/// Returns the faults in the turns that count, without those that were taken back.
fn faults(lines: &[Line]) -> Vec<&FaultRecord> {
    let mut faults: Vec<&FaultRecord> = Vec::new();
    for line in lines {
        match line {
            Line::Event(MatchEvent::Fault(fault)) => faults.push(fault),
            Line::Event(MatchEvent::Rewound { ply, .. }) => faults.retain(|fault| fault.ply <= *ply),
            Line::Event(MatchEvent::Edited { .. }) => faults.clear(),
            _ => {}
        }
    }
    faults
}

/// Returns the line of a fault.
fn fault_text(replay: &Replay, fault: &FaultRecord, rounds: &Rounds) -> String {
    let name = replay.header.spec.seats.get(fault.seat.index()).map_or("", |seat| seat.name.as_str());
    format!("  fault of {}: {}\n", clean(name), clean(&fault_line(&rounds.fault(fault))))
}

/// Returns how a seat failed, in the words of a table.
pub(super) fn failure_word(failure: Failure) -> &'static str {
    match failure {
        Failure::Late => "late",
        Failure::Gone => "gone",
        Failure::Nonsense => "nonsense",
        Failure::Unlawful(_) => "unlawful",
    }
}

/// Returns a line for each seat that was refused commands.
fn refusals(replay: &Replay) -> String {
    let tally = replay.tally();
    let seats = replay.header.spec.seats.iter().zip(tally.refused());
    let lines = seats.filter_map(|(seat, refused)| {
        refused_text(&refused.summary()).map(|text| format!("{}: {text}\n\n", clean(&seat.name)))
    });
    lines.collect()
}

/// Returns `turn 12`, then one line for each seat that decided.
pub(super) fn turn_text(replay: &Replay, record: &PlyRecord, rounds: &Rounds, width: usize) -> String {
    let mut out = String::new();
    let turn_width = if rounds.is_empty() { 10 } else { 21 };
    for (i, entry) in record.entries.iter().enumerate() {
        let turn = if i == 0 { rounds.turn(record.ply) } else { String::new() };
        let name = replay.header.spec.seats.get(entry.seat.index()).map_or("", |s| s.name.as_str());
        let time = print_micros(entry.wall_us);
        let late = if entry.soft_late { " (soft limit)" } else { "" };
        let decided = decided(entry, width);
        out.push_str(&format!(
            "{turn:<turn_width$} {:<16} {time:>8}{late}  {}\n",
            cut(&clean(name), 16),
            cut(&decided, width)
        ));
    }
    if record.entries.is_empty() {
        out.push_str(&format!("{}  no seat was asked\n", rounds.turn(record.ply)));
    }
    out
}

/// Returns the first `width` characters of the decision.
fn decided(entry: &EntryRecord, width: usize) -> String {
    let mut text = String::new();
    for order in entry.orders.texts() {
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(&clean(order));
        // A character has at most four bytes.
        if text.len() / 4 > width {
            return text;
        }
    }
    if text.is_empty() {
        text.push('-');
    }
    if let Some(failure) = entry.failure {
        text.push_str(&format!("  failed: {}", failure_word(failure)));
    }
    if let Some(refusal) = &entry.refusal {
        text.push_str(&format!("  refused: {}", clean(refusal)));
    }
    for RefusedRecord { order, why, times, .. } in &entry.refused {
        let order = order.as_ref().map_or_else(|| "others".to_owned(), |order| clean(order.as_str()));
        let times = if *times == 1 { String::new() } else { format!(" ({times} times)") };
        text.push_str(&format!("  refused: {order}{times}: {}", clean(why)));
        if text.len() / 4 > width {
            break;
        }
    }
    text
}

/// Returns the whole replay as one document.
fn document(replay: Replay) -> ReplayDocument {
    let mut document = ReplayDocument {
        header: replay.header,
        plies: Vec::new(),
        events: Vec::new(),
        cut: None,
        cut_off: replay.footer.is_none(),
        footer: replay.footer,
    };
    for line in replay.lines {
        match line {
            Line::Ply(record) => document.plies.push(record),
            Line::Event(event) => document.events.push(event),
            Line::Cut(cut) => document.cut = document.cut.or(Some(cut)),
            Line::Footer(_) => {}
        }
    }
    document
}

/// Returns the match after turn `ply`.
pub fn at(game: &dyn AnyGame, play: &LineOfPlay<&PlyRecord>, ply: u32) -> Result<Rerun> {
    let mut rerun = game.rerun(&play.spec)?;
    rerun.seek(ply, &play.turns).map_err(|why| not_reached(&why))?;
    Ok(rerun)
}

/// Returns the error of a turn that a replay does not lead to.
pub fn not_reached(why: &SeekError) -> Error {
    match why {
        SeekError::NoTurn { .. } => Error::user(why.to_string()),
        SeekError::Mismatch(mismatch) => Error::user(clean(&mismatch.to_string()))
            .exit(Exit::Differs)
            .hint("the replay does not reproduce; `agon replay verify` says more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Seat;
    use agon_referee::Fault;

    #[test]
    fn faults_count_until_their_turns_are_taken_back() {
        let fault = |ply| FaultRecord { seat: Seat::new(0), ply, round: None, fault: Fault::ClosedOutput };
        let failed = |ply| Line::Event(MatchEvent::Fault(fault(ply)));
        let back_to = |ply| Line::Event(MatchEvent::Rewound { ply, fingerprint: Default::default() });
        let lines = [failed(2), failed(5), back_to(4), failed(6)];
        assert_eq!(faults(&lines), [&fault(2), &fault(6)]);
        assert_eq!(faults(&[&lines[..], &[back_to(0)]].concat()), Vec::<&FaultRecord>::new());
    }
}
