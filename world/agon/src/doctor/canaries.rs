//! Makes harmless attacks inside the strongest level that works, and reports the result.
//!
//! The attacker is this program, started in the sandbox with hidden words. It tries to reach targets of the doctor: what it says
//! counts, and so does what the targets look like afterwards.

mod attacks;
mod targets;

use super::protection::{Protection, State};
use agon_sandbox::{Confinement, Job, JobExit, Work, environment};
use agon_spec::Isolation;
use attacks::ATTACKS;
use std::{ffi::OsString, io, path::Path, process::Command, time::Duration};
use targets::{Facts, Targets};

/// The first argument of a process of the doctor. It is no command, and no help mentions it.
const WORD: &str = "doctor-canary";
/// The second argument of the attacker, in front of what it knows about the targets.
const ATTACKER: &str = "attacks";
/// The second argument of the process that is a target.
const VICTIM: &str = "waits";
/// The folder in which the attacker works, where the level gives it a root of its own.
const PLACE: &str = "/agon-work";
/// How long all attacks may take. They take some milliseconds.
const WALL: Duration = Duration::from_secs(20);

/// The aims of attacks, in the order of the report.
pub const AIMS: [&str; 7] = [
    "clocks and cores",
    "memory and room",
    "files and secrets",
    "other processes",
    "descriptors",
    "network",
    "kernel and privileges",
];

/// Ends this process after its work if the doctor has started it to attack, or to be attacked.
pub fn become_canary(arguments: &[OsString]) {
    let [word, role, facts @ ..] = arguments else { return };
    if word != WORD {
        return;
    }
    if role == ATTACKER
        && let Some(facts) = Facts::read(facts)
    {
        for (name, attempt) in attacks::make(&facts) {
            eprintln!("{}", line(name, &attempt));
        }
    } else if role == VICTIM {
        // The doctor holds the other end.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
    }
    std::process::exit(0);
}

/// Returns one protection for each aim.
pub fn protections(level: Isolation) -> Vec<Protection> {
    if level == Isolation::None {
        let why = "no isolation works here, so no attacks were made";
        return AIMS.iter().map(|name| Protection::new(name, State::Missing, why)).collect();
    }
    match attack(level) {
        Ok((report, harm)) => judged(level, &report, &harm),
        Err(why) => vec![Protection::new("attacks", State::Missing, format!("the attacks could not be made: {why}"))],
    }
}

/// Lets the attacker attack. Returns what it said, and what was done to the targets.
fn attack(level: Isolation) -> Result<(String, Vec<String>), String> {
    let words = |why: io::Error| agon_play::system_words(&why);
    let program = std::env::current_exe().map_err(words)?;
    let mut victim = Command::new(&program);
    victim.args([WORD, VICTIM]);
    let mut targets = Targets::new(victim).map_err(words)?;
    let facts = targets.facts();
    let confinement = Confinement {
        read: vec![program.clone()],
        work: Some(Work { from: targets.own(), at: PLACE.into(), mib: 16 }),
        ..Confinement::new(level)
    };
    let job = Job {
        words: [program.into(), WORD.into(), ATTACKER.into()].into_iter().chain(facts.words()).collect(),
        environment: environment(&confinement),
        confinement,
        wall: WALL,
        log_bytes: 64 << 10,
        keep_mib: 1,
        keep_files: 10,
    };
    let end = job.run(&targets.unused(), &|| false, &mut |_| ()).map_err(|refused| refused.to_string())?;
    if !matches!(end.how, JobExit::Code(0)) {
        return Err(format!("the attacker ended early: {:?}", end.how));
    }
    Ok((String::from_utf8_lossy(&end.log).into_owned(), targets.harm()))
}

/// Returns what the attacker says about an attempt.
fn line(name: &str, attempt: &io::Result<()>) -> String {
    match attempt {
        Ok(()) => format!("{name}: through"),
        Err(why) => format!("{name}: refused: {why}"),
    }
}

/// Judges each aim by what the attacker said. An attack without a word about it, which may have ended the attacker, counts as one
/// that got through; and if a target was harmed, no aim is protected.
fn judged(level: Isolation, report: &str, harm: &[String]) -> Vec<Protection> {
    let was_refused = |name: &str| report.lines().any(|line| line.starts_with(&format!("{name}: refused: ")));
    let judge = |aim: &'static str| {
        let made = ATTACKS.iter().filter(|attack| attack.aim == aim);
        let through: Vec<&str> = made.clone().map(|attack| attack.name).filter(|name| !was_refused(name)).collect();
        let through: Vec<&str> = through.into_iter().chain(harm.iter().map(String::as_str)).collect();
        match (through.as_slice(), made.count()) {
            ([], count) => {
                Protection::new(aim, State::Active, format!("{count} attacks at level `{level}`, none got through"))
            }
            (through, _) => Protection::new(aim, State::Broken, through.join(", ")),
        }
    };
    AIMS.into_iter().map(judge).collect()
}

/// Returns the path of a file that was not there before, for attacks on folders.
fn marked(folder: &str, marker: &str) -> std::path::PathBuf {
    Path::new(folder).join(marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a sandbox, what looks for the targets finds them. An attack that cannot succeed would protect nobody.
    #[test]
    fn attacks_on_the_targets_succeed_without_a_sandbox() {
        let mut targets = Targets::new({
            let mut victim = Command::new("sh");
            victim.args(["-c", "read nothing", "a-secret-on-a-command-line"]);
            victim
        })
        .expect("targets can be made");
        let facts = targets.facts();
        let is_root = rustix::process::geteuid().is_root();
        for attack in ATTACKS.iter().filter(|attack| {
            ["files and secrets", "other processes", "descriptors", "network"].contains(&attack.aim)
                && (is_root || !attack.needs_root)
        }) {
            let attempt = (attack.make)(&facts);
            assert!(attempt.is_ok(), "{}: {attempt:?}", attack.name);
        }
        let harm = targets.harm();
        for expected in ["key", "TCP", "UDP", "stream socket", "abstract socket"] {
            assert!(harm.iter().any(|harm| harm.contains(expected)), "{expected}: {harm:?}");
        }
    }

    #[test]
    fn every_aim_has_attacks_and_no_name_is_used_twice() {
        for aim in AIMS {
            assert!(ATTACKS.iter().filter(|attack| attack.aim == aim).count() >= 1, "{aim}");
        }
        let names: std::collections::BTreeSet<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        assert_eq!(names.len(), ATTACKS.len());
        assert!(ATTACKS.iter().all(|attack| AIMS.contains(&attack.aim)));
    }

    #[test]
    fn silence_about_an_attack_and_harm_are_no_protection() {
        let refused = Err(io::Error::from_raw_os_error(1));
        let all: Vec<String> = ATTACKS.iter().map(|attack| line(attack.name, &refused)).collect();
        let states = |report: &[String], harm: &[String]| {
            let protections = judged(Isolation::Full, &report.join("\n"), harm);
            protections.iter().filter(|protection| protection.state == State::Broken).count()
        };
        assert_eq!(states(&all, &[]), 0);
        assert_eq!(states(&all[1..], &[]), 1, "the first attack was not reported");
        let through: Vec<String> =
            [line(ATTACKS[0].name, &Ok(()))].into_iter().chain(all[1..].iter().cloned()).collect();
        assert_eq!(states(&through, &[]), 1);
        assert_eq!(states(&all, &["the key was changed".to_owned()]), AIMS.len());
    }
}
