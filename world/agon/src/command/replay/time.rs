//! `agon replay show FILE --time` shows where the time of every decision went, and why a bot was late.

use super::rounds::Rounds;
use crate::{
    clean::{clean, cut},
    error::{Error, Result},
    report::{Report, print_micros, turns},
    table::{Cell, Table, left, right},
};
use agon_core::{ClockPolicy, Seat, TimePolicy, clock::print_duration};
use agon_referee::{EntryRecord, Fault, FaultRecord, MatchEvent, TimeRecord};
use agon_replay::{Certificate, Line, Replay};
use agon_spec::{AnswerTime, MatchSpec, SeatSpec, SeatSum, TimeDocument};
use std::time::Duration;

/// What the sign behind a time of computing means.
const PARTIAL: &str = "+ or more: the bot could start children, and nothing here counts those that end unseen";

/// What is said below the tables if the replay has turns that they leave out.
const LEFT_OUT: &str = "turns that were taken back, or are before an edit of the position, are left out here";

/// Where the column of blocked time stands among those of answers. Among those of sums it is one place further to the left.
const BLOCKED: usize = 6;

/// A decision, or the answer to a greeting.
struct Answer<'a> {
    /// The turn; 0 is the greeting.
    ply: u32,
    seat: Seat,
    time: TimeRecord,
    soft_late: bool,
    /// The CPU time that the bot used between its turns while it was stopped, in microseconds.
    off_turn_us: Option<u64>,
    /// The limit in microseconds. `None` if there was no limit or it is unknown.
    limit_us: Option<u64>,
    late: bool,
    /// What the replay says of the decision. `None` for a greeting.
    entry: Option<&'a EntryRecord>,
}

/// The times of a recorded match.
pub struct Timing<'a> {
    spec: &'a MatchSpec,
    /// The answers in the turns that count.
    answers: Vec<Answer<'a>>,
    totals: Vec<Option<Certificate>>,
    /// Whether turns are left out, because others count in their place.
    leaves_out: bool,
    rounds: Rounds,
    /// The only turn to show. `None` shows all turns.
    ply: Option<u32>,
}

impl<'a> Timing<'a> {
    /// Collects the times of one turn, or of all turns.
    ///
    /// # Errors
    /// The replay has no such turn.
    pub fn of(replay: &'a Replay, rounds: Rounds, ply: Option<u32>) -> Result<Self> {
        let spec = &replay.header.spec;
        let mut answers: Vec<Answer<'_>> = Vec::new();
        let mut leaves_out = false;
        let mut faults: Vec<&FaultRecord> = Vec::new();
        let mut decided = vec![false; spec.seats.len()];
        for line in &replay.lines {
            match line {
                Line::Event(MatchEvent::Greeted { seat, wall_us, .. }) => answers.push(Answer {
                    limit_us: micros(Report::clock_of(spec, seat.index()).greeting),
                    ..Answer::greeting(*seat, TimeRecord { wall_us: *wall_us, ..TimeRecord::default() })
                }),
                Line::Event(MatchEvent::Fault(record)) => {
                    if let (0, Fault::Late { limit_us, time: Some(time), .. }) = (record.ply, &record.fault) {
                        let greeting = Answer::greeting(record.seat, *time);
                        answers.push(Answer { limit_us: Some(*limit_us), late: true, ..greeting });
                    }
                    faults.push(record);
                }
                Line::Ply(record) => {
                    for entry in &record.entries {
                        let seat = entry.seat.index();
                        // A seat that failed in an earlier turn was not asked.
                        let asked = !faults.iter().any(|fault| fault.seat == entry.seat && fault.ply < record.ply);
                        if let (true, Some(decided)) = (asked, decided.get_mut(seat)) {
                            let clock = Report::clock_of(spec, seat);
                            let first = !std::mem::replace(decided, true);
                            answers.push(Answer::decision(record.ply, entry, &clock, first, &faults));
                        }
                    }
                }
                // Turns that were taken back are not shown: turn 5 is the one that was kept.
                Line::Event(MatchEvent::Rewound { ply, .. }) => {
                    leaves_out |= answers.iter().any(|answer| answer.ply > *ply);
                    answers.retain(|answer| answer.ply <= *ply);
                    faults.retain(|fault| fault.ply <= *ply);
                    decided = have_decided(&answers, decided.len());
                }
                Line::Event(MatchEvent::Edited { .. }) => {
                    leaves_out |= answers.iter().any(|answer| answer.ply > 0);
                    answers.retain(|answer| answer.ply == 0);
                    faults.clear();
                    decided.fill(false);
                }
                _ => {}
            }
        }
        let sums = sums(&answers, spec.seats.len());
        if let Some(ply) = ply {
            answers.retain(|answer| answer.ply == ply);
            if answers.is_empty() {
                return Err(Error::user(format!("no seat was asked in turn {ply}"))
                    .hint(format!("the replay has {}; turn 0 is the greeting", turns(replay.line_of_play().plies()))));
            }
        }
        let certificates = replay.footer.as_ref().map(|footer| &footer.times);
        let totals = (0..spec.seats.len()).map(|i| match certificates {
            // The footer also has turns that the lines leave out, because the match was too long, and those that were taken back.
            Some(times) => times.get(i)?.certificate.map(|whole| if leaves_out { sums[i] } else { whole }),
            // The replay was cut off before its footer.
            None => (replay.header.agon > 1).then_some(sums[i]),
        });
        Ok(Self { spec, answers, totals: totals.collect(), leaves_out, rounds, ply })
    }

    /// Returns why the replay has no certificates, if it has none.
    fn uncertified(&self) -> Option<&'static str> {
        if self.totals.iter().any(Option::is_some) {
            return None;
        }
        Some(
            "this replay has no certificate of time, so only the wall time is known: an older version of Agon or \
             another program wrote it",
        )
    }

    /// Returns the table, the sums, and a sentence about each answer that was late.
    pub fn text(&self, colour: bool) -> String {
        // The system hardly ever blocks a bot, so most tables do without this column.
        let blocks = self.answers.iter().any(|answer| answer.time.blocked_us.is_some());
        let mut head = vec![
            right("turn"),
            left("bot"),
            right("wall"),
            right("limit"),
            right("computed"),
            right("no core"),
            right("lag"),
            right("idle"),
            right("given"),
            left(""),
        ];
        if blocks {
            head.insert(BLOCKED, right("blocked"));
        }
        let mut table = Table::new(head);
        let shown = |micros: Option<u64>| right(micros.map_or_else(|| "-".to_owned(), print_micros));
        for answer in &self.answers {
            let time = &answer.time;
            let mut row = vec![
                right(if answer.ply == 0 { "greeting".to_owned() } else { answer.ply.to_string() }),
                left(cut(&clean(self.name(answer.seat)), 24)),
                right(print_micros(time.wall_us)),
                right(answer.limit_us.map_or_else(|| "-".to_owned(), limit)),
                computed(time.cpu_us, time.partial),
                shown(time.runnable_us),
                shown(time.lag_us),
                shown(time.idle_us()),
                shown(time.given_us),
                left(answer.mark()),
            ];
            if blocks {
                row.insert(BLOCKED, shown(time.blocked_us));
            }
            table.row(row);
        }
        let mut out = table.render(colour);
        if let Some(why) = self.uncertified() {
            out.push_str(&format!("\n{why}\n"));
        } else if self.ply.is_none() {
            out.push_str(&format!("\n{}", self.sums(colour)));
        }
        if self.leaves_out {
            out.push_str(&format!("\n{LEFT_OUT}\n"));
        }
        if self.answers.iter().any(|answer| answer.time.partial) {
            out.push_str(&format!("\n{PARTIAL}\n"));
        }
        let told: Vec<String> =
            self.answers.iter().filter(|a| self.ply.is_some() || a.is_remarkable()).map(|a| self.words(a)).collect();
        if !told.is_empty() {
            out.push_str(&format!("\n{}\n", told.join("\n")));
        }
        out
    }

    /// Returns a table with one row for each seat.
    fn sums(&self, colour: bool) -> String {
        let blocks = self.totals.iter().flatten().any(|sum| sum.blocked_us > 0);
        let mut head = vec![
            left("bot"),
            left("policy"),
            right("measured"),
            right("computed"),
            right("no core"),
            right("lag"),
            right("given"),
            right("in turns"),
        ];
        if blocks {
            head.insert(BLOCKED - 1, right("blocked"));
        }
        let mut table = Table::new(head);
        for (i, sum) in self.totals.iter().enumerate() {
            let Some(sum) = sum else { continue };
            let micros = |micros: u64| right(print_micros(micros));
            let mut row = vec![
                left(cut(&clean(self.name(Seat::new(i))), 24)),
                left(self.policy(i).name()),
                right(sum.measured.to_string()),
                computed(Some(sum.cpu_us), sum.partial),
                micros(sum.runnable_us),
                micros(sum.lag_us),
                micros(sum.given_us),
                right(sum.given_turns.to_string()),
            ];
            if blocks {
                row.insert(BLOCKED - 1, micros(sum.blocked_us));
            }
            table.row(row);
        }
        table.render(colour)
    }

    /// Returns the sentence about an answer, for example: turn 57: bot `me` used 1.31s of 1s: it computed for 1.28s.
    fn words(&self, answer: &Answer<'_>) -> String {
        let turn = if answer.ply == 0 { "greeting".to_owned() } else { self.rounds.turn(answer.ply) };
        let time = &answer.time;
        let policy = self.policy(answer.seat.index());
        let (used, what) = match time.cpu_us {
            Some(cpu) if policy == TimePolicy::Cpu => (cpu, " of CPU time"),
            _ => (time.wall_us, ""),
        };
        let used = print_micros(used);
        let of = answer.limit_us.map_or_else(String::new, |micros| format!(" of {}{what}", limit(micros)));
        let mut out = format!("{turn}: bot `{}` used {used}{of}", clean(self.name(answer.seat)));
        if time.is_measured() {
            out.push_str(&format!(": {time}"));
        } else if self.uncertified().is_some() {
            out.push_str("; where the time went is not known");
        } else if self.is_builtin(answer.seat) {
            out.push_str("; built-in bots are not measured");
        } else {
            out.push_str("; what the bot did in that time was not measured");
        }
        if let Some(given) = time.given_us {
            let late = answer.limit_us.is_some_and(|limit| time.wall_us > limit);
            out.push_str(&format!("; {} of it was given back, because the host took it", print_micros(given)));
            if late && !answer.late {
                out.push_str(", so it was in time");
            }
        }
        if let Some(ponder) = answer.off_turn_us {
            out.push_str(&format!("; before its turn it used {} of CPU time", print_micros(ponder)));
        }
        if answer.late {
            out.push_str(if time.given_us.is_some() { "; it was still late" } else { "; late" });
        }
        out
    }

    /// Returns the same as one document.
    pub fn document(&self) -> TimeDocument {
        let seat = |(i, sum): (usize, &Option<Certificate>)| SeatSum {
            name: self.name(Seat::new(i)).to_owned(),
            policy: self.policy(i).name().to_owned(),
            certificate: *sum,
        };
        let answer = |answer: &Answer<'_>| {
            let time = &answer.time;
            AnswerTime {
                ply: answer.ply,
                seat: answer.seat,
                wall_us: time.wall_us,
                limit_us: answer.limit_us,
                cpu_us: time.cpu_us,
                busy_us: time.busy_us.or(time.cpu_us),
                runnable_us: time.runnable_us,
                blocked_us: time.blocked_us,
                lag_us: time.lag_us,
                idle_us: time.idle_us(),
                given_us: time.given_us,
                waiting: time.waiting,
                partial: time.partial,
                off_turn_us: answer.off_turn_us,
                late: answer.late,
                soft_late: answer.soft_late,
                text: self.words(answer),
            }
        };
        TimeDocument {
            certified: self.uncertified().is_none(),
            seats: self.totals.iter().enumerate().map(seat).collect(),
            answers: self.answers.iter().map(answer).collect(),
        }
    }

    fn name(&self, seat: Seat) -> &str {
        self.spec.seats.get(seat.index()).map_or("", |seat| &seat.name)
    }

    fn is_builtin(&self, seat: Seat) -> bool {
        self.spec.seats.get(seat.index()).is_some_and(SeatSpec::is_builtin)
    }

    fn policy(&self, seat: usize) -> TimePolicy {
        if self.is_builtin(Seat::new(seat)) { TimePolicy::Wall } else { Report::clock_of(self.spec, seat).policy }
    }
}

/// Sums the decisions of each seat.
fn sums(answers: &[Answer<'_>], seats: usize) -> Vec<Certificate> {
    let mut sums = vec![Certificate::default(); seats];
    for (seat, entry) in answers.iter().filter_map(|answer| Some((answer.seat, answer.entry?))) {
        sums[seat.index()].add(entry);
    }
    sums
}

/// Returns which of the seats have decided.
fn have_decided(answers: &[Answer<'_>], seats: usize) -> Vec<bool> {
    let decided = |seat| answers.iter().any(|answer| answer.ply > 0 && answer.seat.index() == seat);
    (0..seats).map(decided).collect()
}

impl<'a> Answer<'a> {
    fn greeting(seat: Seat, time: TimeRecord) -> Self {
        Self { ply: 0, seat, time, soft_late: false, off_turn_us: None, limit_us: None, late: false, entry: None }
    }

    fn decision(ply: u32, entry: &'a EntryRecord, clock: &ClockPolicy, first: bool, faults: &[&FaultRecord]) -> Self {
        let late = faults.iter().find_map(|fault| match fault.fault {
            Fault::Late { limit_us, .. } if fault.seat == entry.seat && fault.ply == ply => Some(limit_us),
            _ => None,
        });
        let hard = clock.hard.map(|hard| if first { hard.saturating_add(clock.first) } else { hard });
        Self {
            ply,
            seat: entry.seat,
            time: entry.time(),
            soft_late: entry.soft_late,
            off_turn_us: entry.off_turn_us,
            limit_us: late.or(micros(hard)),
            late: late.is_some(),
            entry: Some(entry),
        }
    }

    /// Returns whether the report needs a sentence about this answer.
    fn is_remarkable(&self) -> bool {
        let saved = self.time.given_us.is_some() && self.limit_us.is_some_and(|limit| self.time.wall_us > limit);
        self.late || saved || self.off_turn_us.is_some()
    }

    fn mark(&self) -> &'static str {
        match (self.late, self.soft_late) {
            (true, _) => "late",
            (false, true) => "soft limit",
            (false, false) => "",
        }
    }
}

/// Returns a cell with the CPU time of an answer.
fn computed(micros: Option<u64>, partial: bool) -> Cell {
    let sign = if partial { "+" } else { "" };
    right(micros.map_or_else(|| "-".to_owned(), |micros| print_micros(micros) + sign))
}

fn micros(time: Option<Duration>) -> Option<u64> {
    time.and_then(|time| u64::try_from(time.as_micros()).ok())
}

fn limit(micros: u64) -> String {
    print_duration(Duration::from_micros(micros))
}
