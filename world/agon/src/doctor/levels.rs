//! Which levels of isolation work, and what stands behind them.

use super::protection::{Protection, State};

/// The levels, each tried, and what limits memory and processes.
#[cfg(target_os = "linux")]
pub fn protections() -> Vec<Protection> {
    use agon_sandbox::{Cgroups, attempt, landlock_version};
    use agon_spec::Isolation;

    let level = |name, level: Isolation, holds: &str| match attempt(level) {
        Ok(()) => Protection::new(name, State::Active, format!("made and left again: {holds}")),
        Err(refused) => Protection::new(name, State::Missing, refused.to_string()).remedy(refused.remedy()),
    };
    let mut all = vec![
        level("full", Isolation::Full, "a root, processes, network and users of its own"),
        level("restricted", Isolation::Restricted, "Landlock, seccomp, limits, no capabilities"),
    ];
    all.push(match landlock_version() {
        Some(version @ 6..) => {
            Protection::new("landlock", State::Active, format!("version {version}: files, ports, sockets, signals"))
        }
        Some(version) => {
            let why = format!("version {version}: older than 6, so that seccomp alone keeps signals and sockets");
            Protection::new("landlock", State::Partial, why).remedy(Some("a kernel of 6.12 or later"))
        }
        None => Protection::new("landlock", State::Missing, "this kernel has none, or does not use it")
            .remedy(Some("a kernel of 5.13 or later with `landlock` in its list of security modules (lsm=)")),
    });
    let groups = Cgroups::here();
    all.push(if groups.limits_memory() {
        let version = if groups.counts { "version 2" } else { "version 1" };
        Protection::new("control groups", State::Active, format!("{version}: memory and threads of a tree are counted"))
    } else {
        let why = "none that this user may use: limits for each process, and a watch of the memory of a tree";
        Protection::new("control groups", State::Partial, why)
            .remedy(Some("systemd-run --user --scope -p Delegate=yes agon …"))
    });
    let full = attempt(Isolation::Full).is_ok();
    let root = rustix::process::geteuid().is_root();
    all.push(if full || groups.limits_memory() || root {
        Protection::new("threads", State::Active, "64 a bot, whatever other bots have")
    } else {
        Protection::new("threads", State::Missing, "the kernel counts them for a user as a whole, bots together")
            .remedy(Some("`full`, or control groups"))
    });
    all.push(if full {
        Protection::new("end of a bot", State::Active, "the kernel ends its whole world at once")
    } else if groups.unified.is_some() {
        Protection::new("end of a bot", State::Active, "its control group is killed as a whole")
    } else {
        Protection::new("end of a bot", State::Partial, "its process group is killed, which it cannot leave")
    });
    all
}

/// There are none.
#[cfg(not(target_os = "linux"))]
pub fn protections() -> Vec<Protection> {
    let missing = |name| {
        Protection::new(name, State::Missing, "isolation needs Linux")
            .remedy(Some("run agon in a virtual machine with Linux"))
    };
    vec![
        missing("full"),
        missing("restricted"),
        Protection::new("end of a bot", State::Partial, "its process group is killed; a bot can leave it"),
    ]
}
