//! All kinds, by what they attack. Each file has programs and their models side by side.

mod clocks;
mod commands;
pub(crate) mod limits;
mod protocol;
mod streams;
mod submissions;

#[cfg(target_os = "linux")]
mod files;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod foreign;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod room;
#[cfg(target_os = "linux")]
mod secrets;
#[cfg(target_os = "linux")]
mod strangers;

use crate::kind::Kind;

/// Every kind that this system can show, in the order of the attacks.
#[must_use]
pub fn all() -> Vec<&'static Kind> {
    let mut kinds: Vec<&'static Kind> =
        [streams::KINDS, protocol::KINDS, clocks::KINDS].into_iter().flatten().collect();
    #[cfg(target_os = "linux")]
    kinds.extend(
        [
            memory::KINDS,
            room::KINDS,
            secrets::KINDS,
            strangers::KINDS,
            network::KINDS,
            processes::KINDS,
            kernel::KINDS,
            files::KINDS,
        ]
        .into_iter()
        .flatten(),
    );
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    kinds.extend(foreign::KINDS);
    kinds.extend([commands::KINDS, submissions::KINDS].into_iter().flatten());
    // Stable: kinds of one attack keep the order of their file.
    kinds.sort_by_key(|kind| kind.number);
    kinds
}

/// The kind of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Kind> {
    all().into_iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Deed;
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
    fn whoever_attacks_the_system_needs_a_sandbox_and_every_model_says_something() {
        for kind in all() {
            assert!(!kind.ends.is_empty() && !kind.ends_at(Isolation::Restricted).is_empty(), "{}", kind.name);
            if matches!(kind.deed, Deed::Tries(_)) {
                assert!(kind.needs > Isolation::None || kind.stage.freeze, "{}", kind.name);
            }
            assert!(!kind.brief || matches!(kind.deed, Deed::Tries(_)), "{}", kind.name);
        }
    }
}
