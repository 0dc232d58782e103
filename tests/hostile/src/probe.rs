//! Every attack that leaves a process as it was, in a row, by one process: what a level contains on this host, in a
//! fraction of a second.

use crate::{
    Kind,
    attempt::Attempt,
    find,
    judge::judge_attempts,
    kind::{PATIENT, Stage},
    referee,
    role::{HONEST, KIND_LINE, PROBE},
    victims::Victims,
};
use agon_spec::Isolation;
use std::{io, path::Path};

/// What came of one attack.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The attack.
    pub kind: &'static Kind,
    /// Everything that it tried.
    pub attempts: Vec<Attempt>,
    /// What was seen, in a few words.
    pub seen: String,
    /// Whether that is as modelled: the attack is contained.
    pub contained: bool,
}

/// Makes all brief attacks at this level, by a bot of `program`, whose `main` begins with
/// [`Role::asked_for`](crate::Role::asked_for). At [`Isolation::None`] nothing is made.
///
/// The last finding is about the victims: an attack may have been quiet.
///
/// # Errors
/// If the victims cannot be set up, or the bot cannot be started at this level or does not live to the end.
pub fn probe(program: &Path, level: Isolation) -> io::Result<Vec<Finding>> {
    if level == Isolation::None {
        return Ok(Vec::new());
    }
    let mut victims = Victims::new(program)?;
    let facts = victims.facts(&format!("agon-probe-{}", std::process::id()));
    let stage = Stage { stones: 2, ..PATIENT };
    let (outcome, faults) = referee::one(&stage, level, &facts, [PROBE, HONEST[0].0], &mut |_| ())?;
    if let Some(Some(fault)) = faults.first() {
        return Err(io::Error::other(format!("the attacker did not live to the end: {fault}")));
    }
    if let agon_run::Ended::NeverStarted(seats) = &outcome.ended {
        return Err(io::Error::other(seats.first().map_or_else(String::new, |(_, why)| why.to_string())));
    }
    let mut findings = findings(&outcome.seats[0].stderr.text(), level);
    let harm = victims.harm();
    if !harm.is_empty() {
        for finding in &mut findings {
            finding.contained = false;
            finding.seen = format!("{}, but {}", finding.seen, harm.join(", "));
        }
    }
    Ok(findings)
}

/// From what the attacker has told.
fn findings(text: &str, level: Isolation) -> Vec<Finding> {
    let mut told: Vec<(&'static Kind, Vec<Attempt>)> = Vec::new();
    for line in text.lines() {
        if let Some(kind) = line.strip_prefix(KIND_LINE).and_then(find) {
            told.push((kind, Vec::new()));
        } else if let (Ok(attempt), Some((_, attempts))) = (line.parse(), told.last_mut()) {
            attempts.push(attempt);
        }
    }
    let found = told.into_iter().map(|(kind, attempts)| {
        let seen = judge_attempts(kind, level, &attempts);
        Finding { kind, attempts, seen: seen.text, contained: seen.ok }
    });
    found.collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_attributed() {
        let text = "kind tcp\nattack connect: blocked (EPERM)\nnoise\nkind bpf\nattack bpf: SUCCEEDED returned 3\n";
        let found = findings(text, Isolation::Full);
        let seen: Vec<_> = found.iter().map(|f| (f.kind.name, f.attempts.len(), f.contained)).collect();
        assert_eq!(seen, [("tcp", 1, true), ("bpf", 1, false)]);
        assert_eq!(found[1].seen, "attack bpf: SUCCEEDED returned 3");
    }

    #[test]
    fn without_a_sandbox_nothing_is_tried() {
        assert!(probe(Path::new("/nobody"), Isolation::None).unwrap().is_empty());
    }
}
