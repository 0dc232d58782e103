//! Promises about the fork server, of which every start is a copy.

use super::{Ground, PROBE, levels, none};
use agon_sandbox::{StartRequest, Step, start};
use agon_spec::Isolation;
use rustix::{
    process::{Pid, Signal, kill_process},
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
};
use std::{fs, io::Read, os::unix::process::CommandExt, process::Command, sync::mpsc};

/// The process IDs of this thread's children.
fn children() -> Vec<i32> {
    let own = fs::read_to_string("/proc/thread-self/children").expect("a kernel that lists children");
    own.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

#[test]
fn a_thread_has_one_server_and_another_one_if_it_is_killed() {
    let ground = Ground::new("server");
    for level in levels() {
        assert_eq!(ground.ask(level, &["print=one"], none).0, "print=one: one\n", "{level}");
        let [server] = children()[..] else { panic!("{level}: {:?}", children()) };
        assert_eq!(ground.ask(level, &["print=two"], none).0, "print=two: two\n", "{level}");
        assert_eq!(children(), [server], "{level}");
        kill_process(Pid::from_raw(server).expect("a number"), Signal::KILL).expect("it is ours");
        assert_eq!(ground.ask(level, &["print=three"], none).0, "print=three: three\n", "{level}");
        assert!(children().len() == 1 && children() != [server], "{level}");
    }
}

/// A start does not wait for ever for a server that somebody has stopped.
#[test]
fn a_server_that_does_not_answer_is_replaced() {
    let ground = Ground::new("stopped");
    for level in levels() {
        assert_eq!(ground.ask(level, &["print=one"], none).0, "print=one: one\n", "{level}");
        let [server] = children()[..] else { panic!("{level}: {:?}", children()) };
        kill_process(Pid::from_raw(server).expect("a number"), Signal::STOP).expect("it is ours");
        assert_eq!(ground.ask(level, &["print=two"], none).0, "print=two: two\n", "{level}");
        assert!(children().len() == 1 && children() != [server], "{level}");
    }
}

/// The output of a program that starts others itself. `forgetful` makes it ignore SIGCHLD.
fn starter(word: &str, forgetful: bool) -> String {
    let mut command = Command::new(PROBE);
    command.arg(word);
    if forgetful {
        // SAFETY: this call may be made in a process that has just been forked.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGCHLD, libc::SIG_IGN);
                Ok(())
            })
        };
    }
    let told = command.output().expect("it runs");
    String::from_utf8_lossy(&told.stdout).into_owned() + &String::from_utf8_lossy(&told.stderr)
}

/// A program inherits an ignored SIGCHLD after `trap '' CHLD` in a shell, and from some services.
#[test]
fn how_a_program_ended_is_known_also_if_children_were_to_be_forgotten() {
    for level in levels() {
        let word = format!("start={level}:crash");
        assert_eq!(starter(&word, true), format!("{word}: SIGABRT\n"));
    }
}

/// A copy of a process that has a server must not use the server of its parent.
#[test]
fn a_process_that_was_forked_has_a_server_of_its_own() {
    for level in levels() {
        let word = format!("start-in-a-fork={level}:exit=3");
        assert_eq!(starter(&word, false), format!("{word}: 3, and before and after it 3 and 3\n"));
    }
}

#[test]
fn a_program_runs_on_the_cores_of_the_thread_that_starts_it() {
    let ground = Ground::new("cores");
    for level in levels() {
        let all = sched_getaffinity(None).expect("it runs somewhere");
        let count = |told: (String, _)| told.0.trim().replace("cores: ", "").parse::<u32>().expect("a number");
        // The server has all cores by now.
        assert_eq!(count(ground.ask(level, &["cores"], none)), all.count(), "{level}");
        let mut one = CpuSet::new();
        one.set((0..CpuSet::MAX_CPU).find(|core| all.is_set(*core)).expect("a core"));
        sched_setaffinity(None, &one).expect("a core that it may use");
        let pinned = count(ground.ask(level, &["cores"], none));
        sched_setaffinity(None, &all).expect("as before");
        assert_eq!((pinned, count(ground.ask(level, &["cores"], none))), (1, all.count()), "{level}");
    }
}

#[test]
fn a_program_dies_with_the_thread_that_has_started_it() {
    let ground = Ground::new("thread");
    for level in levels() {
        let (send, receive) = mpsc::channel();
        let request = ground.request(level, &["print=here", "wait"]);
        let thread = std::thread::spawn(move || {
            let mut process = start(request).expect("started").confirm().expect("inside");
            let mut first = [0];
            process.child.stdout.as_mut().expect("a pipe").read_exact(&mut first).expect("it runs");
            send.send(process).expect("somebody listens");
        });
        let mut process = receive.recv().expect("it was started");
        thread.join().expect("it ends");
        let end = process.child.wait().expect("it ends");
        assert!(!end.success(), "{level}: {end}");
    }
}

#[test]
fn no_folder_leads_back_to_the_host() {
    let ground = Ground::new("host");
    for level in levels().into_iter().filter(|level| *level == Isolation::Full) {
        for dir in ["/.host", "/.host/usr", "/tmp/../.host"] {
            let request = StartRequest { dir: dir.into(), ..ground.request(level, &["cwd"]) };
            let refused = start(request).expect("started").confirm().expect_err("no way out");
            assert!(refused.step == Step::Folder && refused.to_string().contains("/.host"), "{refused:?}");
        }
    }
}
