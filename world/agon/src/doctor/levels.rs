//! Reports which levels of isolation work, and what they are based on.

use super::protection::{Protection, State};

/// What `restricted` is, and what it cannot keep apart.
#[cfg(target_os = "linux")]
const NOT_APART: &str = "Landlock, seccomp, limits, no capabilities; a bot can still find out which files exist, how old and how large \
                         they are, and what its own entry in `/proc` says of mounts and connections: for strangers use `full`";

/// Tries each level, and looks at what limits memory and processes.
#[cfg(target_os = "linux")]
pub fn protections() -> Vec<Protection> {
    use agon_sandbox::{Cgroups, attempt, landlock_version, programs_have_own_users};
    use agon_spec::Isolation;

    let level = |name, level: Isolation, holds: &str| match attempt(level) {
        Ok(()) => Protection::new(name, State::Active, format!("it works: {holds}")),
        Err(refused) => Protection::new(name, State::Missing, refused.to_string()).remedy(refused.remedy()),
    };
    let mut all = vec![
        level("full", Isolation::Full, "each bot has its own root, processes, network and users"),
        level("restricted", Isolation::Restricted, NOT_APART),
    ];
    all.push(match landlock_version() {
        Some(version @ 6..) => {
            Protection::new("landlock", State::Active, format!("version {version}: files, ports, sockets, signals"))
        }
        Some(version) => {
            let why = format!("version {version} is older than 6, so only seccomp restricts signals and sockets");
            Protection::new("landlock", State::Partial, why).remedy(Some("a kernel of 6.12 or later"))
        }
        None => Protection::new("landlock", State::Missing, "this kernel does not have Landlock, or does not use it")
            .remedy(Some("a kernel of 5.13 or later with `landlock` in its list of security modules (lsm=)")),
    });
    let cgroups = Cgroups::here();
    all.push(if cgroups.limits_memory() {
        let version = if cgroups.counts { "version 2" } else { "version 1" };
        Protection::new(
            "control groups",
            State::Active,
            format!("{version}: they count the memory and the threads of all processes of a bot"),
        )
    } else {
        let why = "this user may not use any: Agon looks at the memory of all processes of a bot every 10 ms";
        Protection::new("control groups", State::Partial, why)
            .remedy(Some("systemd-run --user --scope -p Delegate=yes agon …"))
    });
    let full = attempt(Isolation::Full).is_ok();
    let have_users = programs_have_own_users();
    all.push(if full || cgroups.limits_memory() || have_users {
        Protection::new("threads", State::Active, "each bot may have 64, however many other bots have")
    } else {
        let why = "the kernel may count the threads of all bots of a user together; a bot with more than 64 is ended";
        Protection::new("threads", State::Partial, why).remedy(Some("`full`, or control groups"))
    });
    all.push(if have_users {
        Protection::new("shared user", State::Active, "each bot has a user of its own")
    } else if full {
        Protection::new("shared user", State::Active, "each bot has a user namespace of its own, at `restricted` too")
    } else {
        let why = "at `restricted`, bots may share your user here: then one can leave its opponent no threads, pending signals or memory of \
                   pipes, and is ended for the first two";
        Protection::new("shared user", State::Partial, why)
            .remedy(Some("user namespaces, or root; for strangers `sandbox = \"full\"` in the file of a tournament"))
    });
    all.push(match agon_sandbox::crash_handler() {
        None => Protection::new("crashes", State::Active, "no handler of the host is started for a bot that crashes"),
        Some(handler) => {
            Protection::new("crashes", State::Missing, handler.why()).remedy(Some(agon_sandbox::CrashHandler::REMEDY))
        }
    });
    all.push(if full {
        Protection::new("end of a bot", State::Active, "the kernel kills all of its processes together")
    } else if cgroups.unified.is_some() {
        Protection::new("end of a bot", State::Active, "its control group is killed as a whole")
    } else {
        Protection::new(
            "end of a bot",
            State::Partial,
            "its process group is killed, and the bot cannot leave that group",
        )
    });
    all
}

/// Reports that no level works on this system.
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
