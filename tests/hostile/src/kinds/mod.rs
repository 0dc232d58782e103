//! All kinds, with one file for each target of attacks. Programs and their models stand side by side.

mod clocks;
mod displays;
mod former_names;
pub(crate) mod limits;
mod protocol;
mod streams;
mod submissions;

#[cfg(target_os = "linux")]
mod channels;
#[cfg(target_os = "linux")]
mod cpu_clocks;
#[cfg(target_os = "linux")]
mod crashes;
#[cfg(target_os = "linux")]
mod endings;
#[cfg(target_os = "linux")]
mod exposures;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod kernel_memory;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod neighbours;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod options;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod other_architectures;
#[cfg(target_os = "linux")]
mod other_processes;
#[cfg(target_os = "linux")]
mod poisonings;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod secrets;
#[cfg(target_os = "linux")]
mod shared_user;
#[cfg(target_os = "linux")]
mod spoiling;
#[cfg(target_os = "linux")]
mod stopping;
#[cfg(target_os = "linux")]
mod storage;
#[cfg(target_os = "linux")]
mod used_memory;
#[cfg(target_os = "linux")]
mod watchers;

pub use former_names::FORMER_NAMES;

use crate::kind::Kind;

/// Returns every kind that this system can run, in the order of their numbers.
#[must_use]
pub fn all() -> Vec<&'static Kind> {
    let mut kinds: Vec<&'static Kind> =
        [streams::KINDS, protocol::KINDS, clocks::KINDS].into_iter().flatten().collect();
    #[cfg(target_os = "linux")]
    kinds.extend(
        [
            memory::KINDS,
            used_memory::KINDS,
            storage::KINDS,
            secrets::KINDS,
            other_processes::KINDS,
            network::KINDS,
            processes::KINDS,
            endings::KINDS,
            stopping::KINDS,
            neighbours::KINDS,
            watchers::KINDS,
            spoiling::KINDS,
            cpu_clocks::KINDS,
            kernel::KINDS,
            kernel_memory::KINDS,
            options::KINDS,
            crashes::KINDS,
            shared_user::KINDS,
            channels::KINDS,
            exposures::KINDS,
            files::KINDS,
            poisonings::KINDS,
        ]
        .into_iter()
        .flatten(),
    );
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    kinds.extend(other_architectures::KINDS);
    kinds.extend([displays::KINDS, submissions::KINDS].into_iter().flatten());
    // The sort is stable: kinds with the same number keep the order of their file.
    kinds.sort_by_key(|kind| kind.number);
    kinds
}

/// Returns the kind with this name or this former name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Kind> {
    let name = former_names::current(name);
    all().into_iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Behaviour;
    use agon_spec::Isolation;

    #[test]
    fn there_are_as_many_as_promised_and_no_name_is_used_twice() {
        let kinds = all();
        let names: std::collections::BTreeSet<&str> = kinds.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), kinds.len());
        assert!(
            names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
        );
        #[cfg(target_os = "linux")]
        assert!(kinds.len() >= 200, "{} kinds", kinds.len());
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn a_former_name_finds_its_kind_and_is_no_name_of_another() {
        let names: Vec<&str> = all().into_iter().map(|kind| kind.name).collect();
        for (former, current) in FORMER_NAMES {
            assert!(!names.contains(former), "{former}");
            assert_eq!(find(former).map(|kind| kind.name), Some(*current), "{former}");
        }
        assert_eq!(find("stderr-pricks").map(|kind| kind.name), Some("stderr-single-bytes"));
    }

    #[test]
    fn issues_are_those_of_the_document() {
        let text = include_str!("../../../../docs/hostile.md");
        let table = text.split_once("| issue | promise |").and_then(|(_, rest)| rest.split_once("\n\n"));
        let (table, _) = table.expect("a table ends with an empty line");
        for kind in all() {
            let is_listed = kind.issue.is_none_or(|issue| table.contains(&format!("\n| {issue} | ")));
            assert!(is_listed, "{}", kind.name);
        }
    }

    #[test]
    fn whoever_attacks_the_system_needs_a_sandbox_and_every_model_says_something() {
        for kind in all() {
            assert!(!kind.ends.is_empty() && !kind.ends_at(Isolation::Restricted).is_empty(), "{}", kind.name);
            if matches!(kind.behaviour, Behaviour::Attack(_)) {
                assert!(kind.needs > Isolation::None || kind.scenario.freeze, "{}", kind.name);
            }
        }
    }
}
