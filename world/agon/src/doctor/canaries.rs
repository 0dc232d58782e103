//! Makes attacks inside the strongest level that works, and reports the result.

use super::protection::{Protection, State};
use agon_spec::Isolation;

/// The aims of attacks: a name, and the numbers in `docs/hostile.md` that belong to it.
#[cfg(target_os = "linux")]
const AIMS: &[(&str, std::ops::RangeInclusive<u8>)] = &[
    ("clocks and cores", 24..=33),
    ("memory and room", 34..=44),
    ("files and secrets", 45..=47),
    ("other processes", 48..=49),
    ("descriptors", 50..=51),
    ("network", 52..=53),
    ("kernel and privileges", 54..=64),
];

/// Returns one protection for each aim. An aim without attacks is reported as not tried.
#[cfg(target_os = "linux")]
pub fn protections(level: Isolation) -> Vec<Protection> {
    if level == Isolation::None {
        return AIMS
            .iter()
            .map(|(name, _)| Protection::new(name, State::Missing, "no isolation works here, so no attacks were made"))
            .collect();
    }
    let found = std::env::current_exe().and_then(|program| agon_hostile::probe(&program, level));
    let findings = match found {
        Ok(findings) => findings,
        Err(why) => {
            return vec![Protection::new("attacks", State::Missing, format!("the attacks could not be made: {why}"))];
        }
    };
    let mut all = Vec::new();
    for (name, numbers) in AIMS {
        let made: Vec<_> = findings.iter().filter(|finding| numbers.contains(&finding.kind.number)).collect();
        let through: Vec<String> = made
            .iter()
            .filter(|finding| !finding.contained)
            .map(|finding| format!("{} ({})", finding.kind.name, finding.seen))
            .collect();
        all.push(match (made.len(), through.as_slice()) {
            (0, _) => Protection::new(
                name,
                State::Partial,
                "not tried, because each of these attacks changes its process for good",
            )
            .remedy(Some("agon selftest hostile")),
            (count, []) => {
                Protection::new(name, State::Active, format!("{count} attacks at level `{level}`, none got through"))
            }
            (_, through) => Protection::new(name, State::Broken, through.join(", ")),
        });
    }
    all
}

/// Makes no attacks, because nothing would contain them.
#[cfg(not(target_os = "linux"))]
pub fn protections(_: Isolation) -> Vec<Protection> {
    vec![Protection::new("attacks", State::Missing, "not tried, because nothing contains attacks on this system")]
}
