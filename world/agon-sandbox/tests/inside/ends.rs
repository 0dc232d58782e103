//! Nothing in a sandbox outlives the process that has started it, however that process ends.

use super::{Ground, PROBE, levels, none};
use agon_sandbox::{Confinement, ProgramError, StartRequest, Step, start};
use agon_spec::Isolation;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};
use std::{
    ffi::OsString,
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitStatus, Stdio},
};

/// How long a process may take to end after it was killed, in seconds. It takes milliseconds.
const KILLED: i64 = 20;

/// A process that has started a program in a sandbox.
struct Holder {
    process: Child,
    /// The process that reaps.
    reaper: Pid,
    /// Handles of the program and of everything that it has started.
    below: Vec<OwnedFd>,
}

impl Holder {
    /// Waits until the processes below the one that reaps are those that `all` accepts, by their command lines.
    fn new(level: Isolation, word: &str, all: impl Fn(&[String]) -> bool) -> Self {
        let mut process = Command::new(PROBE)
            .arg(format!("hold={level}:{word}"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a program of ours");
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("text");
        let reaper: i32 = line.split_whitespace().last().and_then(|number| number.parse().ok()).expect("a number");
        let below = loop {
            let below = tree(reaper);
            if all(&below.iter().map(|process| command_line(*process)).collect::<Vec<_>>()) {
                break below;
            }
            assert!(process.try_wait().expect("it is ours").is_none(), "{level}, {word}: it has ended");
            std::thread::yield_now();
        };
        let handle = |process: i32| pidfd_open(Pid::from_raw(process)?, PidfdFlags::empty()).ok();
        Self {
            process,
            reaper: Pid::from_raw(reaper).expect("a number"),
            below: below.into_iter().filter_map(handle).collect(),
        }
    }

    /// Kills the process and asserts that nothing is left of what it has started.
    fn kill(mut self, what: &str) {
        self.process.kill().expect("it is ours");
        self.process.wait().expect("it is ours");
        assert!(!self.below.is_empty());
        let time = Timespec { tv_sec: KILLED, tv_nsec: 0 };
        for handle in &self.below {
            let ended = poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&time));
            let _ = rustix::process::pidfd_send_signal(handle, Signal::KILL);
            assert_eq!(ended, Ok(1), "{what}: a process is left");
        }
    }
}

/// All processes below one.
fn tree(process: i32) -> Vec<i32> {
    let mut tree = vec![process];
    let mut at = 0;
    while let Some(process) = tree.get(at) {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let below: String = lists.collect();
        tree.extend(below.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
        at += 1;
    }
    tree.split_off(1)
}

fn command_line(process: i32) -> String {
    let bytes = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// The levels that work on this host, and none at all.
fn all_levels() -> impl Iterator<Item = Isolation> {
    levels().into_iter().chain([Isolation::None])
}

#[test]
fn a_program_that_a_second_thread_has_executed_ends_with_its_starter() {
    for level in all_levels() {
        Holder::new(level, "execute-in-a-thread", |all| all == ["/bin/sleep 100 "]).kill(level.name());
    }
}

#[test]
fn a_program_ends_with_its_starter_even_if_it_is_stopped() {
    for level in all_levels() {
        let holder = Holder::new(level, "wait", |all| all.len() == 1);
        for handle in &holder.below {
            rustix::process::pidfd_send_signal(handle, Signal::STOP).expect("it is ours");
        }
        holder.kill(level.name());
    }
}

/// A process may belong to somebody who kills it. What it keeps must not go on.
#[test]
fn a_program_ends_with_the_process_that_reaps() {
    for level in all_levels() {
        let mut holder = Holder::new(level, "wait", |all| all.len() == 1);
        kill_process(holder.reaper, Signal::KILL).expect("it is ours");
        // Its starter sees the end of the output, and ends by itself.
        holder.process.wait().expect("it is ours");
        holder.kill(level.name());
    }
}

#[test]
fn leftovers_of_a_program_end_with_its_starter() {
    let all = |all: &[String]| all.len() == 2 && all.iter().any(|line| line == "sleep 100 ");
    Holder::new(Isolation::None, "leave-a-daemon,wait", all).kill("a daemon");
}

#[test]
fn leftovers_of_a_program_end_with_it() {
    let ground = Ground::new("daemon");
    let (told, _) = ground.ask(Isolation::None, &["leave-a-daemon"], none);
    let daemon: i32 = told.trim().rsplit(' ').next().and_then(|number| number.parse().ok()).expect(&told);
    assert_ne!(command_line(daemon), "sleep 100 ");
}

#[test]
fn without_a_sandbox_a_program_has_what_its_starter_has() {
    let ground = Ground::new("free");
    let (told, end) = ground.ask(Isolation::None, &["user", "cwd", "environment", "exit=3"], |request| {
        request.environment = vec![("ONLY".into(), "this".into())];
    });
    let user = rustix::process::getuid().as_raw();
    let here = ground.path("bot");
    assert_eq!(told, format!("user: {user}\ncwd: {here}\nenvironment: ONLY=this\n"));
    assert_eq!(end.code(), Some(3));
}

#[test]
fn without_a_sandbox_the_file_is_told_that_the_kernel_does_not_execute() {
    let ground = Ground::new("answers");
    fs::write(ground.top.join("bot/plain"), "x").expect("a file");
    fs::copy("/bin/true", ground.top.join("bot/text")).expect("a copy");
    fs::write(ground.top.join("bot/text"), "neither a program nor a script").expect("a file");
    for file in ["none", "plain", "text"] {
        let program = ground.top.join("bot").join(file);
        let request = StartRequest {
            program: program.clone(),
            words: vec![file.into()],
            environment: Vec::new(),
            dir: ground.top.join("bot"),
            confinement: Confinement::new(Isolation::None),
        };
        let refused = start(request).expect("started").confirm().expect_err("nothing to execute");
        let expected = match file {
            "none" => ProgramError::NotFound(program),
            "plain" => ProgramError::NotExecutable(program),
            _ => ProgramError::Format(program),
        };
        assert_eq!((refused.step, refused.program()), (Step::Program, Some(&expected)), "{file}: {refused}");
    }
}

/// Runs a program without a sandbox on this thread. Returns its output, and how it ended.
fn run_free(ground: &Ground, words: &[&str]) -> (String, ExitStatus) {
    let request = StartRequest {
        program: ground.top.join("bot/probe"),
        words: ["probe"].iter().chain(words).map(OsString::from).collect(),
        environment: Vec::new(),
        dir: ground.top.join("bot"),
        confinement: Confinement::new(Isolation::None),
    };
    let mut process = start(request).expect("started").confirm().expect("it runs");
    let mut told = String::new();
    process.child.stdout.take().expect("a pipe").read_to_string(&mut told).expect("text");
    (told, process.reap().expect("it ends"))
}

#[test]
fn a_program_without_a_sandbox_has_the_users_files_and_leaves_nothing() {
    let ground = Ground::new("keeper");
    let (told, _) = run_free(&ground, &["leave-a-daemon"]);
    let daemon: i32 = told.trim().rsplit(' ').next().and_then(|number| number.parse().ok()).expect(&told);
    assert_ne!(command_line(daemon), "sleep 100 ", "it ends with its program");
    // What this process leaves open to every program, and nothing of the keeper.
    let usual = Command::new(PROBE).arg("descriptors").stdin(Stdio::piped()).stderr(Stdio::piped()).output();
    let usual = String::from_utf8(usual.expect("a program of ours").stdout).expect("text");
    for _ in 0..3 {
        let (told, ended) = run_free(&ground, &["descriptors", "exit=3"]);
        assert_eq!((told, ended.code()), (usual.clone(), Some(3)));
    }
}

#[test]
fn a_program_without_a_sandbox_that_cannot_be_executed_is_in_nobodys_way() {
    let ground = Ground::new("missing");
    let mut ends = Vec::new();
    for file in ["none", "probe", "none", "probe"] {
        let request = StartRequest {
            program: ground.top.join("bot").join(file),
            words: ["probe", "exit=5"].map(OsString::from).to_vec(),
            environment: Vec::new(),
            dir: ground.top.join("bot"),
            confinement: Confinement::new(Isolation::None),
        };
        let started = start(request).expect("started").confirm();
        ends.push(started.ok().map(|mut process| process.reap().expect("it ends").code()));
    }
    assert_eq!(ends, [None, Some(Some(5)), None, Some(Some(5))]);
}
