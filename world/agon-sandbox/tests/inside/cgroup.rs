//! The control groups of a program, where the host offers some.

use super::{Ground, levels};
use agon_sandbox::{Cgroups, StartRequest, start};
use agon_spec::Isolation;
use std::{fs, io::Write};

/// The hierarchies in which a program has a group of its own, by their names in `/proc/PID/cgroup`.
fn hierarchies() -> Vec<&'static str> {
    let here = Cgroups::here();
    let second = here.unified.as_ref().map(|_| "");
    let first = [here.memory.as_ref().map(|_| "memory"), here.pids.as_ref().map(|_| "pids")];
    second.into_iter().chain(first.into_iter().flatten().filter(|_| !here.counts)).collect()
}

/// The paths of a process in these hierarchies, from the text of `/proc/PID/cgroup`.
fn paths<'a>(text: &'a str, hierarchies: &[&str]) -> Vec<&'a str> {
    let path = |line: &'a str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        hierarchies.contains(&controllers).then_some(path)
    };
    text.lines().filter_map(path).collect()
}

#[test]
fn a_program_is_in_groups_of_its_own_and_sees_no_name_of_them() {
    let hierarchies = hierarchies();
    if hierarchies.is_empty() {
        // Not by a macro, whose output the runner of tests would hide.
        writeln!(std::io::stderr(), "SKIPPED: groups of bots, because this host offers no control groups")
            .expect("a stream");
        return;
    }
    let ground = Ground::new("groups");
    let several = |request: &mut StartRequest| request.confinement.processes = 4;
    for level in levels() {
        // Two starts by one fork server, which itself stays outside.
        for _ in 0..2 {
            let (told, _) = ground.ask(level, &["text=/proc/self/cgroup"], several);
            let told = told.split_once(": ").map_or("", |(_, text)| text);
            if level == Isolation::Full {
                assert_eq!(paths(told, &hierarchies), vec!["/"; hierarchies.len()], "{level}: {told}");
            }
        }
        let mut request = ground.request(level, &["wait"]);
        several(&mut request);
        let mut process = start(request).expect("started").confirm().expect("inside");
        let text = fs::read_to_string(format!("/proc/{}/cgroup", process.pid)).expect("it runs");
        let own = format!("/agon-{}-", std::process::id());
        let paths = paths(&text, &hierarchies);
        assert!(paths.len() == hierarchies.len() && paths.iter().all(|path| path.contains(&own)), "{level}: {text}");
        process.kill();
        process.reap().expect("it ends");
    }
}
