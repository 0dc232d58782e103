//! Compares what a match has shown with the model of its kind.

use crate::{
    Kind,
    attack::{ALIKE, UNLIKE},
    attempt::{Attempt, AttemptResult},
    kind::{End, ExpectedFault},
    referee::MatchReport,
};
use agon_referee::{Exit, Fault};
use agon_spec::Isolation;
use std::collections::BTreeMap;

/// The maximum growth of a referee's memory in a match, in KiB.
pub(crate) const MAX_GROWTH_KIB: u64 = 4096;

/// The most CPU time that a bot may have used while it was stopped, in microseconds. Signals of the system take a while.
pub(crate) const MAX_OFF_TURN_US: u64 = 10_000;

/// The most CPU time that a bot may use in a turn of its opponent, in microseconds. It is stopped after some milliseconds,
/// later on a busy machine. A bot that is not stopped uses at least the 30 ms that its opponent needs.
pub(crate) const MAX_FOREIGN_US: u64 = 15_000;
/// The maximum mean CPU time that the referee uses in each turn of the opponent, in microseconds, because it has to watch the bot.
/// The opponent computes for 30 ms.
pub(crate) const MAX_WATCHING_US: u64 = 8_000;
/// On a slow or busy machine, the referee may use the time in which it reads this number of small files of the system: 16 for each
/// thread of a bot.
const MAX_WATCHING_READS: u64 = 1_000;

/// What was seen, and whether the model allows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Comparison {
    /// What was seen, in a few words.
    pub seen: String,
    /// Whether the model allows it.
    pub ok: bool,
}

impl Comparison {
    pub(crate) fn wrong(seen: impl Into<String>) -> Self {
        Self { seen: seen.into(), ok: false }
    }
}

/// Compares what a match has shown with the model of its kind.
pub(crate) fn compare(kind: &Kind, level: Isolation, report: &MatchReport) -> Comparison {
    if let Some(why) = &report.error {
        return Comparison::wrong(why.clone());
    }
    if let Some(spoilt) = report.spoilt {
        return Comparison::wrong(format!(
            "spoilt in turn {} of seat {}: {} us of {} us computed, {} us without a core",
            spoilt.ply, spoilt.seat, spoilt.busy_us, spoilt.wall_us, spoilt.runnable_us
        ));
    }
    let ([fault, opponents], [_, place]) = (&report.faults[..], &report.places[..]) else {
        return Comparison::wrong("the referee did not report two seats");
    };
    let attempts: Vec<Attempt> =
        report.lines.first().into_iter().flatten().filter_map(|line| line.parse().ok()).collect();
    if let Some(success) = success(&attempts) {
        return Comparison::wrong(success);
    }
    if let Some(fault) = opponents {
        return Comparison::wrong(format!("the honest opponent: {}", fault.name()));
    }
    if let Some(common) = disagreement(&report.lines) {
        return Comparison::wrong(common);
    }
    let text = fault.as_ref().map_or_else(|| summary(&attempts), name);
    if *place != 1 {
        return Comparison::wrong(format!("{text}, and the honest opponent came second"));
    }
    if report.off_turn_us > MAX_OFF_TURN_US {
        return Comparison::wrong(format!(
            "{text}, and it computed for {} us while it was stopped",
            report.off_turn_us
        ));
    }
    if report.foreign_us > MAX_FOREIGN_US {
        return Comparison::wrong(format!(
            "{text}, and it computed for {} us in each turn of its opponent",
            report.foreign_us
        ));
    }
    if report.watching_us > MAX_WATCHING_US.max(MAX_WATCHING_READS * report.read_ns / 1000) {
        return Comparison::wrong(format!(
            "{text}, and the referee computed for {} us in each turn of its opponent, and for {} us to read a file",
            report.watching_us,
            report.read_ns / 1000
        ));
    }
    if report.growth_kib > MAX_GROWTH_KIB {
        return Comparison::wrong(format!("{text}, and the referee grew by {} KiB", report.growth_kib));
    }
    let ok = kind.ends_at(level).iter().any(|end| matches(end, fault.as_ref(), &attempts));
    Comparison { seen: text, ok }
}

fn success(attempts: &[Attempt]) -> Option<String> {
    attempts.iter().find(|attempt| matches!(attempt.result, AttemptResult::Succeeded(_))).map(Attempt::to_string)
}

/// Whether a match ended in this way.
fn matches(end: &End, fault: Option<&Fault>, attempts: &[Attempt]) -> bool {
    match end {
        End::Plays => fault.is_none() && attempts.is_empty(),
        End::Refused(reasons) => {
            let refused =
                |attempt: &Attempt| matches!(attempt.result, AttemptResult::Refused(errno) if reasons.contains(&errno));
            fault.is_none() && !attempts.is_empty() && attempts.iter().all(refused)
        }
        End::Bounded(most, _) => {
            let bounded =
                |attempt: &Attempt| matches!(attempt.result, AttemptResult::Stopped { at, .. } if at <= *most);
            fault.is_none() && !attempts.is_empty() && attempts.iter().all(bounded)
        }
        End::Fails(expected) => fault.is_some_and(|fault| expected.matches(fault)),
        // The driver checks these ends; the match does not show them.
        End::Harmless | End::Rejected | End::NotBuilt | End::Built | End::Unpoisoned | End::EndsWithReferee => false,
    }
}

impl ExpectedFault {
    /// Whether the fault is the expected one.
    fn matches(self, fault: &Fault) -> bool {
        match (self, fault) {
            (Self::Silent, Fault::Late { heard, unread, .. }) => *heard == 0 && !unread,
            (Self::Late, Fault::Late { heard, .. }) => *heard > 0,
            (Self::Unread, Fault::Late { unread, .. }) => *unread,
            (Self::Exits(code), Fault::Crashed { exit: Exit::Code(seen), .. }) => code == *seen,
            (Self::Dies(signal), Fault::Crashed { exit: Exit::Signal(seen), .. }) => signal == seen,
            (Self::Stopped, Fault::Crashed { exit: Exit::Stopped(_), .. })
            | (Self::ClosedOutput, Fault::ClosedOutput)
            | (Self::ClosedInput, Fault::ClosedInput)
            | (Self::Nonsense, Fault::Nonsense { .. })
            | (Self::Unlawful, Fault::Unlawful { .. })
            | (Self::LongLine, Fault::LongLine { .. })
            | (Self::Flood, Fault::Flood { .. })
            | (Self::OutOfMemory, Fault::OutOfMemory { .. }) => true,
            _ => false,
        }
    }
}

/// Returns the name of a fault in the words of the models.
pub(crate) fn name(fault: &Fault) -> String {
    match fault {
        Fault::Late { unread: true, .. } => ExpectedFault::Unread.to_string(),
        Fault::Late { heard: 0, .. } => ExpectedFault::Silent.to_string(),
        Fault::Late { .. } => ExpectedFault::Late.to_string(),
        Fault::Crashed { exit, .. } => format!("crashed, {exit}"),
        other => other.name().to_owned(),
    }
}

/// Returns the results of all attempts. Each error appears once, with its count.
fn summary(attempts: &[Attempt]) -> String {
    if attempts.is_empty() {
        return End::Plays.to_string();
    }
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut parts = Vec::new();
    for attempt in attempts {
        match &attempt.result {
            AttemptResult::Refused(errno) => *reasons.entry(errno.to_string()).or_default() += 1,
            other => parts.push(other.to_string()),
        }
    }
    if !reasons.is_empty() {
        let reasons: Vec<String> = reasons
            .into_iter()
            .map(|(reason, count)| if count == 1 { reason } else { format!("{reason} x{count}") })
            .collect();
        parts.insert(0, format!("blocked ({})", reasons.join(", ")));
    }
    parts.join(", ")
}

/// Returns a disagreement of the seats: a value that must be equal but is not, or a value that must differ but does
/// not.
fn disagreement(lines: &[Vec<String>]) -> Option<String> {
    let [first, second] = lines else { return None };
    let of = |seat: &[String], word: &str| -> Vec<String> {
        seat.iter().filter_map(|line| line.strip_prefix(word)).map(str::to_owned).collect()
    };
    if of(second, ALIKE) != of(first, ALIKE) && !of(second, ALIKE).is_empty() {
        return Some(format!("the seats differ: {:?} and {:?}", of(first, ALIKE), of(second, ALIKE)));
    }
    let theirs = of(second, UNLIKE);
    of(first, UNLIKE).into_iter().find(|one| theirs.contains(one)).map(|one| format!("both seats have {one}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{errno::*, kind::Behaviour};

    const KIND: Kind = Kind::answer(1, "x", "nothing", b"");

    fn report(lines: &[&str], fault: Option<Fault>) -> MatchReport {
        MatchReport {
            faults: vec![fault, None],
            places: vec![2, 1],
            lines: vec![lines.iter().map(|line| (*line).to_owned()).collect(), Vec::new()],
            ..MatchReport::default()
        }
    }

    fn compared(ends: &'static [End], report: &MatchReport) -> (bool, String) {
        let kind = Kind { behaviour: Behaviour::Answer(b""), ..KIND }.ends(ends);
        let comparison = compare(&kind, Isolation::Full, report);
        (comparison.ok, comparison.seen)
    }

    #[test]
    fn a_refusal_counts_only_for_a_reason_of_the_model() {
        const ENDS: &[End] = &[End::Refused(&[EPERM])];
        let good = report(&["attack a: blocked (EPERM)", "attack b: blocked (EPERM)"], None);
        assert_eq!(compared(ENDS, &good), (true, "blocked (EPERM x2)".to_owned()));
        let other = report(&["attack a: blocked (EPERM)", "attack b: blocked (EINVAL)"], None);
        assert_eq!(compared(ENDS, &other), (false, "blocked (EINVAL, EPERM)".to_owned()));
        assert!(!compared(ENDS, &report(&[], None)).0, "a bot that attempts nothing proves nothing");
        assert!(!compared(ENDS, &report(&["attack a: blocked (EPERM)"], Some(Fault::ClosedOutput))).0);
    }

    #[test]
    fn a_success_is_wrong_whatever_else_is_right() {
        let success = report(&["attack a: SUCCEEDED x"], Some(Fault::ClosedOutput));
        let ends: &'static [End] = &[End::Plays, End::Fails(ExpectedFault::ClosedOutput), End::Bounded(9, "things")];
        assert_eq!(compared(ends, &success), (false, "attack a: SUCCEEDED x".to_owned()));
        assert!(compared(ends, &report(&["attack a: stopped at 9 (EMFILE)"], None)).0);
        assert!(!compared(ends, &report(&["attack a: stopped at 10 (EMFILE)"], None)).0);
        assert!(compared(ends, &report(&[], Some(Fault::ClosedOutput))).0);
        assert!(!compared(ends, &report(&[], Some(Fault::ClosedInput))).0);
    }

    #[test]
    fn the_opponent_and_the_referee_must_be_unharmed() {
        let ends: &'static [End] = &[End::Plays];
        assert!(compared(ends, &report(&[], None)).0);
        let mut harmed = report(&[], None);
        harmed.faults[1] = Some(Fault::ClosedOutput);
        assert_eq!(compared(ends, &harmed), (false, "the honest opponent: closed its output".to_owned()));
        assert!(!compared(ends, &MatchReport { places: vec![1, 2], ..report(&[], None) }).0);
        assert!(!compared(ends, &MatchReport { growth_kib: MAX_GROWTH_KIB + 1, ..report(&[], None) }).0);
        assert!(!compared(ends, &MatchReport { off_turn_us: MAX_OFF_TURN_US + 1, ..report(&[], None) }).0);
        assert!(!compared(ends, &MatchReport { foreign_us: MAX_FOREIGN_US + 1, ..report(&[], None) }).0);
        let watched = |watching_us, read_ns| MatchReport { watching_us, read_ns, ..report(&[], None) };
        assert!(!compared(ends, &watched(MAX_WATCHING_US + 1, 2_000)).0);
        assert!(compared(ends, &watched(MAX_WATCHING_US + 1, 20_000)).0 && !compared(ends, &watched(20_001, 20_000)).0);
        assert!(!compared(ends, &MatchReport { error: Some("no result".into()), ..report(&[], None) }).0);
        assert!(!compared(ends, &MatchReport::default()).0);
    }

    #[test]
    fn kinds_of_lateness_are_distinguished() {
        let late = |heard, unread| Fault::Late { limit_us: 1, heard, unread, time: None };
        assert!(ExpectedFault::Silent.matches(&late(0, false)) && !ExpectedFault::Silent.matches(&late(1, false)));
        assert!(ExpectedFault::Late.matches(&late(1, false)) && !ExpectedFault::Late.matches(&late(0, false)));
        assert!(ExpectedFault::Unread.matches(&late(0, true)) && !ExpectedFault::Silent.matches(&late(0, true)));
        let died = Fault::Crashed { exit: Exit::Signal("SIGSYS".into()), stderr: String::new(), memory_mib: None };
        assert!(ExpectedFault::Dies("SIGSYS").matches(&died) && !ExpectedFault::Dies("SIGSEGV").matches(&died));
        assert_eq!(name(&died), ExpectedFault::Dies("SIGSYS").to_string());
    }

    #[test]
    fn seats_are_compared() {
        let seats = |a: &str, b: &str| disagreement(&[vec![a.to_owned()], vec![b.to_owned()]]);
        assert_eq!(seats("alike 1", "alike 1"), None);
        assert!(seats("alike 1", "alike 2").is_some());
        assert!(seats("unlike 1", "unlike 1").is_some());
        assert_eq!(seats("unlike 1", "unlike 2"), None);
    }
}
