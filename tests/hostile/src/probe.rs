//! Makes every attack that leaves its process unchanged, all in one process. This shows in a fraction of a second what
//! a level of isolation contains on this host.

use crate::{
    Kind,
    attempt::Attempt,
    comparison::compare_attempts,
    find,
    kind::{Scenario, TOY},
    referee,
    role::{HONEST, KIND_LINE, PROBE},
    victims::Victims,
};
use agon_spec::Isolation;
use std::{io, path::Path};

/// The result of one attack.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The attack.
    pub kind: &'static Kind,
    /// The operations that it attempted.
    pub attempts: Vec<Attempt>,
    /// The results, in a few words.
    pub seen: String,
    /// Whether the model allows them: the attack is contained.
    pub contained: bool,
}

/// Makes all brief attacks at this level. `program` becomes the bot; its `main` must begin with
/// [`Role::asked_for`](crate::Role::asked_for). At [`Isolation::None`] no attack is made.
///
/// If a victim was harmed, no attack counts as contained.
///
/// # Errors
/// If the victims cannot be created, the bot cannot be started at this level, or it fails before the end.
pub fn probe(program: &Path, level: Isolation) -> io::Result<Vec<Finding>> {
    if level == Isolation::None {
        return Ok(Vec::new());
    }
    let mut victims = Victims::new(program)?;
    let facts = victims.facts(&format!("agon-probe-{}", std::process::id()));
    let scenario = Scenario { stones: 2, ..TOY };
    let (outcome, faults) = referee::play_match(&scenario, level, &facts, [PROBE, HONEST[0].0], &mut |_| ())?;
    if let Some(Some(fault)) = faults.first() {
        return Err(io::Error::other(format!("the attacking bot failed: {fault}")));
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

/// Reads the findings from the attacker's reports.
fn findings(text: &str, level: Isolation) -> Vec<Finding> {
    let mut reported: Vec<(&'static Kind, Vec<Attempt>)> = Vec::new();
    for line in text.lines() {
        if let Some(kind) = line.strip_prefix(KIND_LINE).and_then(find) {
            reported.push((kind, Vec::new()));
        } else if let (Ok(attempt), Some((_, attempts))) = (line.parse(), reported.last_mut()) {
            attempts.push(attempt);
        }
    }
    let found = reported.into_iter().map(|(kind, attempts)| {
        let comparison = compare_attempts(kind, level, &attempts);
        Finding { kind, attempts, seen: comparison.seen, contained: comparison.ok }
    });
    found.collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn reports_are_attributed_to_their_kinds() {
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
