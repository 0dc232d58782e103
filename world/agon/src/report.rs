//! The report of a finished match: a table for people, one document for programs.

mod document;

pub use document::{seat_fault, seat_kind};

use crate::{
    clean::{clean, clean_lines, cut},
    printer::Style,
    table::{Table, left, right},
};
use agon_core::{
    ClockPolicy, Seat, Standing,
    clock::{print_duration, print_rounded},
    text::counted,
};
use agon_referee::{Fault, FaultRecord, turn_name};
use agon_replay::{Footer, SeatTime};
use agon_spec::{MatchSpec, Refused, RefusedCount, RefusedKind, SpoiltRecord};
use std::{path::Path, time::Duration};

/// A match with its result.
pub struct Report<'a> {
    /// Everything that decides the match except the answers of the bots.
    pub spec: &'a MatchSpec,
    /// The result.
    pub standing: &'a Standing,
    /// The faults of the bots and their times.
    pub footer: &'a Footer,
    /// The refused commands of each seat.
    pub refused: &'a [RefusedCount],
    /// The name that each bot has given itself in its greeting.
    pub greeted_as: &'a [Option<String>],
    /// The path of the replay. `None` if there is no complete replay.
    pub replay: Option<&'a Path>,
}

impl Report<'_> {
    /// Returns the table, everything that is needed to play the match again, and the result as the last line.
    pub fn text(&self, colour: bool) -> String {
        let mut out = self.table(colour);
        for (i, fault) in self.footer.faults.iter().enumerate() {
            if i == 0 {
                out.push('\n');
            }
            out.push_str(&format!("{}: {}\n", clean(&self.name(fault.seat)), clean(&fault_line(fault))));
            if let Fault::Crashed { stderr, .. } = &fault.fault
                && !stderr.trim().is_empty()
            {
                for line in clean_lines(stderr).lines() {
                    out.push_str(&format!("  | {}\n", cut(line, 160)));
                }
            }
        }
        for (i, time) in self.footer.times.iter().enumerate() {
            // A decision that was too late has been told above. A greeting has no soft limit.
            let is_late = |fault: &FaultRecord| fault.ply > 0 && matches!(fault.fault, Fault::Late { .. });
            let is_told = self.footer.faults.iter().any(|fault| fault.seat.index() == i && is_late(fault));
            let soft_late = time.soft_late.saturating_sub(is_told.into());
            if soft_late > 0 {
                let name = clean(&self.name(Seat::new(i)));
                out.push_str(&format!("\n{name}: {soft_late} of {} decisions exceeded the soft limit\n", time.count));
            }
        }
        for i in 0..self.spec.seats.len() {
            if let Some(text) = refused_text(&self.refused(i)) {
                out.push_str(&format!("\n{}: {text}\n", clean(&self.name(Seat::new(i)))));
            }
        }
        out.push_str(&self.given_back());
        out.push_str(&format!("\nseed    {}\n", self.spec.seed));
        out.push_str(&format!("map     {}\n", clean(&self.spec.map_name)));
        out.push_str(&format!("rules   {}\n", clean(&self.spec.rules)));
        if let Some(level) = self.spec.limits.isolation {
            out.push_str(&format!("sandbox {level}\n"));
        }
        if let Some(path) = self.replay {
            out.push_str(&format!("replay  {}\n", clean(&path.display().to_string())));
        }
        out.push_str(&format!("\n{}\n", Style::Strong.paint(&self.result(), colour)));
        out
    }

    /// Says how much time the host took from bots and the referee gave back, and which bots computed outside their turns.
    fn given_back(&self) -> String {
        let mut out = String::new();
        let mut given_back = Vec::new();
        for (i, time) in self.footer.times.iter().enumerate() {
            let Some(sum) = &time.certificate else { continue };
            let name = clean(&self.name(Seat::new(i)));
            if sum.given_turns > 0 {
                let (given, count) =
                    (print_micros(sum.given_us), turns(u32::try_from(sum.given_turns).unwrap_or(u32::MAX)));
                given_back.push(format!("{given} to {name} in {count}"));
            }
            if sum.off_turn_us > 0 {
                let used = print_micros(sum.off_turn_us);
                out.push_str(&format!(
                    "\n{name}: used {used} of CPU time outside its turns, so it was stopped there\n"
                ));
            }
        }
        if !given_back.is_empty() {
            out.push_str(&format!("\ntime given back: {}, because the host was busy\n", given_back.join(", ")));
        }
        out
    }

    /// Returns the table. The best place comes first; seats that share a place keep their order.
    fn table(&self, colour: bool) -> String {
        let mut columns = vec![
            right("place"),
            right("seat"),
            left("name"),
            right("score"),
            right("p50"),
            right("p99"),
            right("max"),
            right("limit"),
            left("fault"),
        ];
        // Few bots are refused anything, and lines are short.
        let refusals = (0..self.spec.seats.len()).any(|i| self.refused(i).count > 0);
        if refusals {
            columns.insert(columns.len() - 1, right("refused"));
        }
        let mut table = Table::new(columns);
        let mut seats: Vec<usize> = (0..self.spec.seats.len()).collect();
        seats.sort_by_key(|i| self.place(*i).unwrap_or(u8::MAX));
        for i in seats {
            let time = self.time(i);
            let shown = |micros: u64| right(if time.count == 0 { "-".to_owned() } else { print_micros(micros) });
            let name = left(self.both_names(i));
            let mut row = vec![
                right(self.place(i).map_or_else(|| "-".to_owned(), |place| place.to_string())),
                right((i + 1).to_string()),
                if self.place(i) == Some(1) { name.style(Style::Good) } else { name },
                right(self.standing.scores.get(i).map_or_else(String::new, i64::to_string)),
                shown(time.p50_us),
                shown(time.p99_us),
                shown(time.max_us),
                right(limit_cell(self.clock(i))),
                left(self.fault(i).map_or_else(String::new, fault_cell)).style(Style::Bad),
            ];
            if refusals {
                let refused = self.refused(i);
                row.insert(row.len() - 1, right(format!("{}/{}", refused.count, refused.of)));
            }
            table.row(row);
        }
        table.render(colour)
    }

    /// Returns a sentence that says who won, after how many turns, and why the match ended.
    pub fn result(&self) -> String {
        if let Some(spoilt) = &self.footer.spoilt {
            return self.spoilt(spoilt);
        }
        let why = format!("after {} ({})", turns(self.footer.plies), self.standing.ending);
        let first: Vec<String> = (0..self.spec.seats.len())
            .filter(|i| self.standing.places.get(*i) == Some(&1))
            .map(|i| self.name(Seat::new(i)))
            .collect();
        match first.as_slice() {
            [] => format!("nobody wins {why}"),
            [one] => format!("{} wins {why}", clean(one)),
            several => format!("a draw between {} {why}", clean(&several.join(", "))),
        }
    }

    /// Why there is no result.
    fn spoilt(&self, spoilt: &SpoiltRecord) -> String {
        let when = if spoilt.ply == 0 { "the greeting".to_owned() } else { format!("turn {}", spoilt.ply) };
        format!(
            "no result: in {when} the host kept {} from a core for {}, and its limit is {}",
            clean(&self.name(spoilt.seat)),
            print_micros(spoilt.runnable_us.saturating_add(spoilt.lag_us)),
            print_micros(spoilt.limit_us),
        )
    }

    /// The place of a seat; `None` without a result.
    fn place(&self, seat: usize) -> Option<u8> {
        self.standing.places.get(seat).copied().filter(|_| self.footer.spoilt.is_none())
    }

    fn name(&self, seat: Seat) -> String {
        self.spec.seats.get(seat.index()).map_or_else(|| format!("seat {seat}"), |s| s.name.clone())
    }

    fn time(&self, seat: usize) -> SeatTime {
        self.footer.times.get(seat).copied().unwrap_or_default()
    }

    /// Returns the hard limit of a decision. Built-in bots have none unless `--seat` sets one.
    fn limit(&self, seat: usize) -> Option<Duration> {
        self.clock(seat).hard
    }

    fn clock(&self, seat: usize) -> ClockPolicy {
        Self::clock_of(self.spec, seat)
    }

    /// Returns the clock of a seat.
    pub fn clock_of(spec: &MatchSpec, seat: usize) -> ClockPolicy {
        let Some(place) = spec.seats.get(seat) else { return ClockPolicy::OFF };
        let base = if place.is_builtin() { ClockPolicy::OFF } else { spec.clock };
        place.clock.unwrap_or(base)
    }

    /// Returns our name of a bot, and behind it the one that the bot has given itself, if that is another one.
    fn both_names(&self, seat: usize) -> String {
        let ours = &self.spec.seats[seat].name;
        let own = self.greeted_as.get(seat).and_then(Option::as_ref).filter(|own| *own != ours && !own.is_empty());
        let own = own.map_or_else(String::new, |own| format!(" ({})", cut(&clean(own), 24)));
        cut(&clean(ours), 32) + &own
    }

    fn refused(&self, seat: usize) -> Refused {
        self.refused.get(seat).map_or_else(Refused::default, RefusedCount::summary)
    }

    fn fault(&self, seat: usize) -> Option<&FaultRecord> {
        self.footer.faults.iter().find(|f| f.seat.index() == seat)
    }
}

/// Returns the limit of a decision, or else of all decisions together.
fn limit_cell(clock: ClockPolicy) -> String {
    match (clock.hard, clock.bank) {
        (Some(hard), _) => print_duration(hard),
        (None, Some(bank)) => format!("{} in all", print_duration(bank)),
        (None, None) => "-".to_owned(),
    }
}

/// Returns the fault in the table, for example `unlawful, turn 7`.
fn fault_cell(fault: &FaultRecord) -> String {
    match fault.ply {
        0 => format!("{}, greeting", fault.fault.name()),
        ply => format!("{}, {}", fault.fault.name(), turn_name(ply, fault.round)),
    }
}

/// Returns the fault in full, for example `turn 7: unlawful: …`.
pub fn fault_line(fault: &FaultRecord) -> String {
    match fault.ply {
        0 => format!("greeting: {}", fault.fault),
        ply => format!("{}: {}", turn_name(ply, fault.round), fault.fault),
    }
}

/// Returns how many commands were refused and why, for example `98 of 100 commands refused; most often: an attack needs
/// `energy`, an integer`. `None` if none was.
pub fn refused_text(refused: &Refused) -> Option<String> {
    let all = if refused.of == 1 { "command" } else { "commands" };
    let reasons = match &refused.top[..] {
        [] => return None,
        [one] if refused.count == 1 => format!(": {}", clean(&one.text)),
        [one] => format!("; most often: {}", clean(&one.text)),
        several => {
            let kind = |kind: &RefusedKind| format!("{} ({})", clean(&kind.text), kind.count);
            format!("; most often: {}", several.iter().map(kind).collect::<Vec<_>>().join("; "))
        }
    };
    Some(format!("{} of {} {all} refused{reasons}", refused.count, refused.of))
}

/// Returns the names of the seats in their order.
pub fn seat_names(spec: &MatchSpec) -> Vec<&str> {
    spec.seats.iter().map(|seat| seat.name.as_str()).collect()
}

/// Returns a number of turns in words: `1 turn`, `2 turns`.
pub fn turns(count: u32) -> String {
    counted(count, "turn").to_string()
}

/// Returns a time for people, with three digits: `850us`, `12.3ms`, `1.25s`.
pub fn print_micros(micros: u64) -> String {
    print_rounded(Duration::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Ending, Seed};
    use agon_replay::End;
    use agon_spec::SeatSpec;

    fn spec(names: &[&str]) -> MatchSpec {
        let seat = |name: &&str| SeatSpec { name: (*name).into(), bot: "./x".into(), ..SeatSpec::default() };
        MatchSpec {
            map_name: "gen:10x10:7".into(),
            seed: Seed(7),
            clock: ClockPolicy { hard: Some(Duration::from_secs(1)), ..ClockPolicy::OFF },
            ..MatchSpec::new("grid", "spec", "", names.iter().map(seat))
        }
    }

    fn footer(standing: &Standing, faults: Vec<FaultRecord>) -> Footer {
        let times = vec![SeatTime { count: 3, p50_us: 40, p99_us: 12_345, max_us: 1_250_000, ..SeatTime::default() }];
        Footer { spoilt: None, end: End::Finished, standing: Some(standing.clone()), plies: 9, faults, times }
    }

    #[test]
    fn a_fault_stands_in_the_table_and_below_it() {
        let (spec, standing) = (
            spec(&["a", "evil\x1b[2J"]),
            Standing { scores: vec![5, -1], places: vec![1, 2], ending: Ending::Forfeit },
        );
        let fault = Fault::Nonsense { line: "\x1b]0;x\x07".into(), why: "not a number".into() };
        let footer = footer(&standing, vec![FaultRecord { seat: Seat::new(1), ply: 3, round: None, fault }]);
        let report =
            Report { spec: &spec, standing: &standing, footer: &footer, refused: &[], greeted_as: &[], replay: None };
        let text = report.text(false);
        assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text:?}");
        assert!(text.contains("nonsense, turn 3"), "{text}");
        assert!(text.contains("12.3ms") && text.contains("1.25s") && text.contains("40us"), "{text}");
        assert!(text.ends_with("\na wins after 9 turns (forfeit)\n"), "{text}");
        let json = serde_json::to_value(report.document(&[], None)).unwrap();
        assert_eq!(json["seats"][1]["fault"]["kind"], "nonsense");
        assert_eq!(json["seats"][1]["fault"]["ply"], 3);
        assert_eq!(json["seats"][0]["fault"], serde_json::Value::Null);
        assert_eq!(json["seats"][0]["time"]["limit_us"], 1_000_000);
        assert_eq!(json["reason"], "forfeit");
    }

    /// The decision that was too late has its own line already.
    #[test]
    fn the_soft_limit_is_told_of_other_decisions_alone() {
        let spec = spec(&["a", "b"]);
        let standing = Standing { scores: vec![0, 1], places: vec![2, 1], ending: Ending::Forfeit };
        let fault = Fault::Late { limit_us: 1_000_000, heard: 0, unread: false, time: None };
        for (ply, soft_late, said) in
            [(3, 1, None), (3, 2, Some("a: 1 of 3 decisions")), (0, 1, Some("a: 1 of 3 decisions"))]
        {
            let fault = FaultRecord { seat: Seat::new(0), ply, round: None, fault: fault.clone() };
            let mut footer = footer(&standing, vec![fault]);
            footer.times[0].soft_late = soft_late;
            let report = Report {
                spec: &spec,
                standing: &standing,
                footer: &footer,
                refused: &[],
                greeted_as: &[],
                replay: None,
            };
            let text = report.text(false);
            assert_eq!(text.contains("exceeded the soft limit"), said.is_some(), "{text}");
            assert!(said.is_none_or(|said| text.contains(said)), "{text}");
        }
    }

    #[test]
    fn results_without_one_winner() {
        let spec = spec(&["a", "b"]);
        for (places, said) in [([1, 1], "a draw between a, b after 9 turns"), ([2, 2], "nobody wins after 9 turns")] {
            let standing = Standing { scores: vec![0, 0], places: places.to_vec(), ending: Ending::Limit };
            let footer = footer(&standing, Vec::new());
            let report = Report {
                spec: &spec,
                standing: &standing,
                footer: &footer,
                refused: &[],
                greeted_as: &[],
                replay: None,
            };
            assert!(report.result().starts_with(said), "{}", report.result());
        }
    }
}
