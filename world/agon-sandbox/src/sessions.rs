//! Whether the scheduler divides a core between sessions before it divides what each has between its threads. Then a bot, which
//! leads a session of its own, gets no more of a core than the referee, however many threads it has.

use std::{fs, path::Path};

/// Whether it does so for this process, as far as the system tells. Linux calls it `autogroup`, and does it only for processes that
/// no control group gives a share of the cores.
#[must_use]
pub fn sessions_share_cores() -> bool {
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let is_on = read("/proc/sys/kernel/sched_autogroup_enabled").trim() == "1";
    is_on && !has_a_cgroup_of_cores(&read("/proc/self/cgroup"), &Unified::of(Path::new("/sys/fs/cgroup")))
}

/// What the topmost group of version 2 that this process sees says.
#[derive(Clone, Default, Debug)]
struct Unified {
    /// Whether it is below the host's first group, as in a container.
    is_below: bool,
    /// What divides its own resources if it is below, and otherwise those of its groups.
    controllers: String,
}

impl Unified {
    fn of(folder: &Path) -> Self {
        // The host's first group has no type.
        let is_below = folder.join("cgroup.type").exists();
        let file = if is_below { "cgroup.controllers" } else { "cgroup.subtree_control" };
        Self { is_below, controllers: fs::read_to_string(folder.join(file)).unwrap_or_default() }
    }
}

/// Whether a control group below the first gives a process its share of the cores. `places` is `/proc/PID/cgroup`, where version
/// 2 has no controllers in its line.
fn has_a_cgroup_of_cores(places: &str, unified: &Unified) -> bool {
    let divides_cores = |names: &str| names.split([',', ' ', '\n']).any(|name| name == "cpu");
    places.lines().any(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(names), Some(path)) = (parts.next(), parts.next()) else { return false };
        match names {
            "" => divides_cores(&unified.controllers) && (unified.is_below || path != "/"),
            names => divides_cores(names) && path != "/",
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgroup_comes_before_a_session() {
        for (places, is_below, controllers, has) in [
            ("8:pids:/\n2:cpuacct:/\n1:cpu:/\n0::/\n", false, "", false),
            ("4:memory:/user\n2:cpu,cpuacct:/\n", false, "", false),
            ("2:cpu,cpuacct:/user.slice\n", false, "", true),
            ("4:cpuset:/machine\n0::/\n", false, "cpuset", false),
            ("0::/\n", false, "cpuset cpu io memory pids\n", false),
            ("0::/\n", true, "cpuset cpu io memory pids\n", true),
            ("0::/user.slice/user-1000.slice/session-1.scope\n", false, "cpu memory pids\n", true),
            ("0::/user.slice/user-1000.slice/session-1.scope\n", false, "memory pids\n", false),
            ("", false, "", false),
        ] {
            let unified = Unified { is_below, controllers: controllers.into() };
            assert_eq!(has_a_cgroup_of_cores(places, &unified), has, "{places}{controllers}");
        }
    }
}
