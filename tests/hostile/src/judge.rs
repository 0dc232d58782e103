//! Whether what was seen is what the model says.

use crate::{
    Kind,
    attempt::{Attempt, Came},
    kind::{End, Failing},
    referee::Told,
    tries::{ALIKE, UNLIKE},
};
use agon_referee::{Exit, Fault};
use agon_spec::Isolation;
use std::collections::BTreeMap;

/// By how much the memory of a referee may grow in a match, in KiB.
pub(crate) const GROWTH_KIB: u64 = 4096;

/// What was seen, and whether it is right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// In the words of a table.
    pub text: String,
    /// Whether it is as modelled.
    pub ok: bool,
}

impl Seen {
    pub(crate) fn wrong(text: impl Into<String>) -> Self {
        Self { text: text.into(), ok: false }
    }
}

/// Compares what a match has shown with the model of its kind.
pub(crate) fn judge(kind: &Kind, level: Isolation, told: &Told) -> Seen {
    if let Some(why) = &told.broken {
        return Seen::wrong(why.clone());
    }
    let ([fault, opponents], [_, place]) = (&told.faults[..], &told.places[..]) else {
        return Seen::wrong("the referee did not tell about two seats");
    };
    let attempts: Vec<Attempt> =
        told.lines.first().into_iter().flatten().filter_map(|line| line.parse().ok()).collect();
    if let Some(success) = success(&attempts) {
        return Seen::wrong(success);
    }
    if let Some(fault) = opponents {
        return Seen::wrong(format!("the honest opponent: {}", fault.name()));
    }
    if let Some(common) = disagreement(&told.lines) {
        return Seen::wrong(common);
    }
    let text = fault.as_ref().map_or_else(|| summary(&attempts), name);
    if *place != 1 {
        return Seen::wrong(format!("{text}, and the honest opponent came second"));
    }
    if told.growth_kib > GROWTH_KIB {
        return Seen::wrong(format!("{text}, and the referee grew by {} KiB", told.growth_kib));
    }
    let ok = kind.ends_at(level).iter().any(|end| is(end, fault.as_ref(), &attempts));
    Seen { text, ok }
}

/// Compares what came of an attack, made by a bot that has no fault, with the model of its kind.
pub(crate) fn judge_attempts(kind: &Kind, level: Isolation, attempts: &[Attempt]) -> Seen {
    match success(attempts) {
        Some(success) => Seen::wrong(success),
        None => {
            let ok = kind.ends_at(level).iter().any(|end| is(end, None, attempts));
            Seen { text: summary(attempts), ok }
        }
    }
}

fn success(attempts: &[Attempt]) -> Option<String> {
    attempts.iter().find(|attempt| matches!(attempt.came, Came::Succeeded(_))).map(Attempt::to_string)
}

/// Whether a match ended so.
fn is(end: &End, fault: Option<&Fault>, attempts: &[Attempt]) -> bool {
    match end {
        End::Plays => fault.is_none() && attempts.is_empty(),
        End::Refused(reasons) => {
            let refused = |attempt: &Attempt| matches!(attempt.came, Came::Refused(errno) if reasons.contains(&errno));
            fault.is_none() && !attempts.is_empty() && attempts.iter().all(refused)
        }
        End::Bounded(most, _) => {
            let bounded = |attempt: &Attempt| matches!(attempt.came, Came::Stopped { at, .. } if at <= *most);
            fault.is_none() && !attempts.is_empty() && attempts.iter().all(bounded)
        }
        End::Fails(failing) => fault.is_some_and(|fault| failing.is(fault)),
        // Judged by the driver, which alone can see it.
        End::Harmless | End::TurnedAway | End::NotBuilt | End::Built | End::DiesWithItsReferee => false,
    }
}

impl Failing {
    /// Whether it is this fault.
    fn is(self, fault: &Fault) -> bool {
        match (self, fault) {
            (Self::Silent, Fault::Late { heard, unread, .. }) => *heard == 0 && !unread,
            (Self::Late, Fault::Late { heard, .. }) => *heard > 0,
            (Self::Unread, Fault::Late { unread, .. }) => *unread,
            (Self::Exits(code), Fault::Crashed { exit: Exit::Code(seen), .. }) => code == *seen,
            (Self::Dies(signal), Fault::Crashed { exit: Exit::Signal(seen), .. }) => signal == seen,
            (Self::ClosedOutput, Fault::ClosedOutput)
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

/// A fault in the words of a model.
fn name(fault: &Fault) -> String {
    match fault {
        Fault::Late { unread: true, .. } => Failing::Unread.to_string(),
        Fault::Late { heard: 0, .. } => Failing::Silent.to_string(),
        Fault::Late { .. } => Failing::Late.to_string(),
        Fault::Crashed { exit, .. } => format!("crashed, {exit}"),
        other => other.name().to_owned(),
    }
}

/// What was tried, each reason once with how often it was given.
fn summary(attempts: &[Attempt]) -> String {
    if attempts.is_empty() {
        return End::Plays.to_string();
    }
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut parts = Vec::new();
    for attempt in attempts {
        match &attempt.came {
            Came::Refused(errno) => *reasons.entry(errno.to_string()).or_default() += 1,
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

/// What two seats have in common that they must not have, or the other way round.
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
    use crate::{errno::*, kind::Deed};

    const KIND: Kind = Kind::says(1, "x", "nothing", b"");

    fn told(lines: &[&str], fault: Option<Fault>) -> Told {
        Told {
            faults: vec![fault, None],
            places: vec![2, 1],
            lines: vec![lines.iter().map(|line| (*line).to_owned()).collect(), Vec::new()],
            ..Told::default()
        }
    }

    fn seen(ends: &'static [End], told: &Told) -> (bool, String) {
        let kind = Kind { deed: Deed::Says(b""), ..KIND }.ends(ends);
        let seen = judge(&kind, Isolation::Full, told);
        (seen.ok, seen.text)
    }

    #[test]
    fn a_refusal_counts_only_for_a_reason_of_the_model() {
        const ENDS: &[End] = &[End::Refused(&[EPERM])];
        let good = told(&["attack a: blocked (EPERM)", "attack b: blocked (EPERM)"], None);
        assert_eq!(seen(ENDS, &good), (true, "blocked (EPERM x2)".to_owned()));
        let other = told(&["attack a: blocked (EPERM)", "attack b: blocked (EINVAL)"], None);
        assert_eq!(seen(ENDS, &other), (false, "blocked (EINVAL, EPERM)".to_owned()));
        assert!(!seen(ENDS, &told(&[], None)).0, "who has tried nothing proves nothing");
        assert!(!seen(ENDS, &told(&["attack a: blocked (EPERM)"], Some(Fault::ClosedOutput))).0);
    }

    #[test]
    fn a_success_is_wrong_whatever_else_is_right() {
        let success = told(&["attack a: SUCCEEDED x"], Some(Fault::ClosedOutput));
        let ends: &'static [End] = &[End::Plays, End::Fails(Failing::ClosedOutput), End::Bounded(9, "things")];
        assert_eq!(seen(ends, &success), (false, "attack a: SUCCEEDED x".to_owned()));
        assert!(seen(ends, &told(&["attack a: stopped at 9 (EMFILE)"], None)).0);
        assert!(!seen(ends, &told(&["attack a: stopped at 10 (EMFILE)"], None)).0);
        assert!(seen(ends, &told(&[], Some(Fault::ClosedOutput))).0);
        assert!(!seen(ends, &told(&[], Some(Fault::ClosedInput))).0);
    }

    #[test]
    fn the_opponent_and_the_referee_must_be_well() {
        let ends: &'static [End] = &[End::Plays];
        assert!(seen(ends, &told(&[], None)).0);
        let mut harmed = told(&[], None);
        harmed.faults[1] = Some(Fault::ClosedOutput);
        assert_eq!(seen(ends, &harmed), (false, "the honest opponent: closed its output".to_owned()));
        assert!(!seen(ends, &Told { places: vec![1, 2], ..told(&[], None) }).0);
        assert!(!seen(ends, &Told { growth_kib: GROWTH_KIB + 1, ..told(&[], None) }).0);
        assert!(!seen(ends, &Told { broken: Some("no result".into()), ..told(&[], None) }).0);
        assert!(!seen(ends, &Told::default()).0);
    }

    #[test]
    fn lateness_is_told_apart() {
        let late = |heard, unread| Fault::Late { limit_us: 1, heard, unread, time: None };
        assert!(Failing::Silent.is(&late(0, false)) && !Failing::Silent.is(&late(1, false)));
        assert!(Failing::Late.is(&late(1, false)) && !Failing::Late.is(&late(0, false)));
        assert!(Failing::Unread.is(&late(0, true)) && !Failing::Silent.is(&late(0, true)));
        let died = Fault::Crashed { exit: Exit::Signal("SIGSYS".into()), stderr: String::new() };
        assert!(Failing::Dies("SIGSYS").is(&died) && !Failing::Dies("SIGSEGV").is(&died));
        assert_eq!(name(&died), Failing::Dies("SIGSYS").to_string());
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
