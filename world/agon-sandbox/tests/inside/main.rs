//! What a program in a sandbox can see and do, at each level that works on this host.
#![cfg(target_os = "linux")]

use agon_sandbox::{Confinement, ProgramError, StartRequest, attempt, environment, start, start_by};
use agon_spec::Isolation;
use std::{
    ffi::OsString,
    fs,
    io::Read,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

mod cgroup;
mod ends;
mod execution;
mod jobs;
mod secrets;
mod serving;
mod system;

const PROBE: &str = env!("CARGO_BIN_EXE_agon-sandbox-probe");

/// The same program. Another user, who may not reach our files, names a copy.
fn probe() -> PathBuf {
    std::env::var_os("AGON_TEST_PROBE").map_or_else(|| PROBE.into(), PathBuf::from)
}

/// A bot's folder with the program in it, and another folder beside it that the bot must not see.
struct Ground {
    top: PathBuf,
}

impl Ground {
    fn new(name: &str) -> Self {
        Self::in_folder(&std::env::temp_dir(), name)
    }

    fn in_folder(folder: &Path, name: &str) -> Self {
        start_by(probe());
        let top = folder.join(format!("agon-inside-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&top);
        fs::create_dir_all(top.join("bot")).expect("a folder");
        fs::create_dir_all(top.join("other")).expect("a folder");
        fs::copy(probe(), top.join("bot/probe")).expect("a copy");
        fs::write(top.join("bot/book.txt"), "e4").expect("a file");
        fs::write(top.join("other/secret.txt"), "d4").expect("a file");
        Self { top }
    }

    fn path(&self, name: &str) -> String {
        self.top.join(name).display().to_string()
    }

    /// A request for a start of the program with these words and without variables.
    fn request(&self, level: Isolation, words: &[&str]) -> StartRequest {
        StartRequest {
            program: self.top.join("bot/probe"),
            words: ["probe"].iter().chain(words).map(OsString::from).collect(),
            environment: Vec::new(),
            dir: self.top.join("bot"),
            confinement: Confinement { read: vec![self.top.join("bot")], ..Confinement::new(level) },
        }
    }

    /// Runs the program with these words. Returns its output and how it ended.
    fn ask(&self, level: Isolation, words: &[&str], change: impl FnOnce(&mut StartRequest)) -> (String, ExitStatus) {
        let mut request = self.request(level, words);
        request.environment = environment(&request.confinement);
        change(&mut request);
        let mut process = start(request).expect("started").confirm().expect("inside");
        drop(process.child.stdin.take());
        let mut told = String::new();
        process.child.stdout.take().expect("a pipe").read_to_string(&mut told).expect("text");
        let mut errors = String::new();
        process.child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("text");
        (told + &errors, process.child.wait().expect("it ends"))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}

/// The levels that work on this host. A level that does not work is not tested. The test prints that, and in CI it
/// fails.
fn levels() -> Vec<Isolation> {
    start_by(PROBE.into());
    let tried = [Isolation::Full, Isolation::Restricted].map(|level| (level, attempt(level)));
    for (level, attempt) in &tried {
        if let Err(why) = attempt {
            assert!(std::env::var_os("CI").is_none(), "`{level}` does not work here: {why}");
            eprintln!("NOT TESTED: `{level}` does not work here: {why}");
        }
    }
    tried.into_iter().filter(|(_, attempt)| attempt.is_ok()).map(|(level, _)| level).collect()
}

fn none(_: &mut StartRequest) {}

#[test]
fn it_reads_its_own_folder_and_nobody_elses() {
    let ground = Ground::new("files");
    for level in levels() {
        let own = format!("read={}", ground.path("bot/book.txt"));
        let words = [
            own.clone(),
            format!("read={}", ground.path("other/secret.txt")),
            format!("write={}", ground.path("bot/new.txt")),
            format!("write={}", ground.path("bot/book.txt")),
            "read=/etc/shadow".into(),
            "read=/etc/hosts.allow".into(),
            "write=/usr/new".into(),
            "write=/new".into(),
            "write=/dev/shm/new".into(),
            "read=/proc/1/environ".into(),
        ];
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (told, _) = ground.ask(level, &words, none);
        for line in told.lines() {
            let end = if line.starts_with(&own) { ": done" } else { ": refused" };
            assert!(line.contains(end), "{level}: {line}");
        }
        assert_eq!(told.lines().count(), words.len(), "{level}: {told}");
    }
}

#[test]
fn it_has_the_same_variables_and_three_descriptors_everywhere() {
    let ground = Ground::new("same");
    for level in levels() {
        let (told, _) = ground.ask(level, &["environment", "cwd", "descriptors"], none);
        let home = if level == Isolation::Full {
            "/home/bot LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin TMPDIR=/tmp"
        } else {
            "/ LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin TMPDIR=/"
        };
        let (home, rest) = home.split_once(' ').expect("two words");
        let dotnet = "DOTNET_GCHeapHardLimit=0xc800000";
        let java = "JDK_JAVA_OPTIONS=-XX:+UseSerialGC -Xmx200m -XX:-UsePerfData -XX:+DisplayVMOutputToStderr";
        let all = format!("{dotnet} HOME={home} {java} {rest}");
        let expected = format!("environment: {all}\ncwd: {}\ndescriptors: 0 1 2 3\n", ground.path("bot"));
        // The fourth descriptor is the folder that is being listed.
        assert_eq!(told, expected, "{level}");
    }
}

#[test]
fn it_is_nobody_and_alone() {
    let ground = Ground::new("alone");
    for level in levels() {
        let us = std::process::id();
        let (told, _) =
            ground.ask(level, &["user", "child", "thread", "socket", &format!("signal={us}"), "signal=1"], none);
        assert!(!told.contains("user: 0\n"), "{level}: {told}");
        assert!(told.contains("thread: done"), "{level}: {told}");
        for refused in ["child: refused", "socket: refused (1)", "signal=1: refused"] {
            assert!(told.contains(refused), "{level}: {told}");
        }
        assert!(told.contains(&format!("signal={us}: refused")), "{level}: {told}");
    }
}

#[test]
fn it_has_a_session_of_its_own_in_which_its_children_stay() {
    let ground = Ground::new("session");
    for level in levels().into_iter().chain([Isolation::None]) {
        let (told, _) = ground.ask(level, &["session", "leave-session"], |request| request.confinement.processes = 8);
        let left = if level == Isolation::None { "done" } else { "refused" };
        assert_eq!(told, format!("session: its own\nleave-session: {left}\n"), "{level}");
    }
}

#[test]
fn in_a_world_of_its_own_it_has_a_little_room_and_sees_no_other_process() {
    let ground = Ground::new("world");
    if !levels().contains(&Isolation::Full) {
        return;
    }
    let words = ["pid", "write=/tmp/a", "write=/home/bot/a", "list=/home", "list=/tmp", "list=/etc", "list=/"];
    let (told, _) = ground.ask(Isolation::Full, &words, none);
    assert!(told.starts_with("pid: 2\nwrite=/tmp/a: done\nwrite=/home/bot/a: done\n"), "{told}");
    assert!(!told.contains("shadow") && !told.contains(".host"), "{told}");
    let (told, _) = ground.ask(Isolation::Full, &["list=/proc"], none);
    let numbers: Vec<&str> = told.split_whitespace().filter(|name| name.parse::<u32>().is_ok()).collect();
    assert_eq!(numbers, ["1", "2"], "{told}");
}

#[test]
fn shown_files_are_found_by_the_name_that_was_used() {
    let ground = Ground::new("names");
    std::os::unix::fs::symlink(ground.top.join("bot"), ground.top.join("linked")).expect("a link");
    for level in levels() {
        for folder in ["linked", "other/../bot", "other/../linked"] {
            let word = format!("read={}", ground.path(&format!("{folder}/book.txt")));
            let (told, _) =
                ground.ask(level, &[&word], |request| request.confinement.read.push(ground.top.join(folder)));
            assert!(told.ends_with(": done\n"), "{level}: {told}");
        }
    }
}

/// Without the filter, the kernel would accept each of these calls, or refuse it for another reason.
#[test]
fn calls_that_no_bot_needs_are_refused() {
    let ground = Ground::new("calls");
    let siblings = libc::CLONE_PARENT | libc::SIGCHLD;
    let not_there = 38;
    for level in levels() {
        for (call, arguments, errno) in [
            (libc::SYS_sync, vec![], 1),
            (libc::SYS_syncfs, vec![0], 1),
            (libc::SYS_io_setup, vec![1, 0], 1),
            (libc::SYS_inotify_init1, vec![0], 1),
            (libc::SYS_quotactl_fd, vec![0, 0, 0, 0], 1),
            (451, vec![0, 0, 0, 0], 1),
            (457, vec![0, 0, 0, 0], 1),
            (458, vec![0, 0, 0, 0], 1),
            (460, vec![0, 0, 0, 0], 1),
            (libc::SYS_prctl, vec![libc::PR_SCHED_CORE.into(), 0], 1),
            (libc::SYS_madvise, vec![0, 0, libc::MADV_MERGEABLE.into()], 1),
            (libc::SYS_clone, vec![siblings.into()], 1),
            (libc::SYS_setsockopt, vec![0, libc::SOL_SOCKET.into(), libc::SO_SNDBUF.into(), 0], 1),
            (libc::SYS_openat2, vec![0, 0, 0, 0], not_there),
            (libc::SYS_clone3, vec![0, 0], not_there),
            (463, vec![0, 0, 0, 0], not_there),
            (0x4000_0000, vec![0, 0, 0, 0], not_there),
        ] {
            let words: Vec<String> = [call].iter().chain(&arguments).map(ToString::to_string).collect();
            let (told, _) = ground.ask(level, &[&format!("call={}", words.join(":"))], |request| {
                request.confinement.processes = if level == Isolation::Full { 4 } else { 1 };
            });
            assert!(told.ends_with(&format!(": refused ({errno})\n")), "{level}: {told}");
        }
    }
}

/// At `restricted`, a bot opens its own files on the host for reading. It must not change their attributes in this
/// way.
#[test]
fn files_opened_for_reading_are_not_changed() {
    let ground = Ground::new("opened");
    let (set_flags, btrfs_snapshot) = (0x4008_6602, 0x5000_9401);
    for level in levels() {
        for request in [set_flags, btrfs_snapshot] {
            let (told, _) = ground.ask(level, &[&format!("call={}:0:{request}:0", libc::SYS_ioctl)], none);
            // At `full`, nothing can be changed in this way either, because the root is read-only.
            assert_eq!(told.ends_with(": refused (1)\n"), level == Isolation::Restricted, "{level}: {told}");
        }
        let empty = i64::from(libc::O_RDONLY | libc::O_TRUNC);
        let (told, _) = ground.ask(level, &[&format!("call={}:-100:0:{empty}", libc::SYS_openat)], none);
        assert_eq!(told.ends_with(": refused (1)\n"), level == Isolation::Restricted, "{level}: {told}");
    }
}

/// Descriptors in a message in transit do not count as open.
#[test]
fn a_single_process_sends_no_messages() {
    let ground = Ground::new("messages");
    for level in levels() {
        for call in [libc::SYS_sendmsg, libc::SYS_sendmmsg] {
            let (told, _) = ground.ask(level, &[&format!("call={call}:0:0:0:0")], none);
            assert!(told.ends_with(": refused (1)\n"), "{level}: {told}");
        }
    }
}

#[test]
fn a_pipe_that_has_a_name_is_no_program() {
    let ground = Ground::new("fifo");
    let made = std::process::Command::new("mkfifo").args(["-m", "755"]).arg(ground.top.join("bot/fifo")).status();
    assert!(made.expect("mkfifo").success());
    for level in levels() {
        let request = StartRequest {
            program: ground.top.join("bot/fifo"),
            words: vec!["x".into()],
            environment: Vec::new(),
            dir: ground.top.join("bot"),
            confinement: Confinement { read: vec![ground.top.join("bot")], ..Confinement::new(level) },
        };
        let refused = start(request).expect("started").confirm().expect_err("nothing to execute");
        assert!(matches!(refused.program(), Some(ProgramError::NotRegular(_))), "{level}: {refused:?}");
    }
}

#[test]
fn memory_ends_where_it_was_said_to_end() {
    let ground = Ground::new("memory");
    for level in levels() {
        let (told, end) = ground.ask(level, &["memory"], |request| request.confinement.memory_mib = Some(100));
        let mib: u32 = told.lines().last().and_then(|line| line.parse().ok()).unwrap_or(0);
        // It may exceed the limit by 32 MiB until it is killed.
        assert!((50..=132).contains(&mib) && end.signal() == Some(9), "{level}: {end}: {mib} MiB");
    }
}

#[test]
fn reserved_memory_is_not_used_memory() {
    let ground = Ground::new("reserved");
    for level in levels() {
        // The address space is bounded at 4 GiB beyond the limit.
        let reserve = |mib: u32| {
            let (told, end) = ground.ask(level, &[&format!("reserve={mib}")], |request| {
                request.confinement.memory_mib = Some(64);
            });
            assert!(end.success(), "{level}: {end}");
            told
        };
        assert_eq!(reserve(4000), "reserve=4000: done\n", "{level}");
        assert_eq!(reserve(4200), "reserve=4200: refused\n", "{level}");
        let (told, _) = ground.ask(level, &["huge-pages"], none);
        assert_eq!(told, "huge-pages: off\n", "{level}");
    }
}

#[test]
fn its_end_is_told_as_it_was() {
    let ground = Ground::new("end");
    for level in levels() {
        let (_, end) = ground.ask(level, &["exit=3"], none);
        assert_eq!(end.code(), Some(3), "{level}");
        let (_, end) = ground.ask(level, &["crash"], none);
        assert_eq!(end.signal(), Some(6), "{level}");
        assert!(!end.core_dumped() && !Path::new("core").exists(), "{level}");
    }
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let ground = Ground::new("named");
    fs::write(ground.top.join("bot/plain"), "x").expect("a file");
    for level in levels() {
        let path = |name: &str| ground.top.join(name);
        for (program, expected) in [
            ("bot/none", ProgramError::NotFound(path("bot/none"))),
            ("bot/plain", ProgramError::NotExecutable(path("bot/plain"))),
            ("bot", ProgramError::Folder(path("bot"))),
        ] {
            let request = StartRequest {
                program: ground.top.join(program),
                words: vec!["x".into()],
                environment: Vec::new(),
                dir: ground.top.join("bot"),
                confinement: Confinement { read: vec![ground.top.join("bot")], ..Confinement::new(level) },
            };
            let refused = start(request).expect("started").confirm().expect_err("nothing to execute");
            assert_eq!(refused.program(), Some(&expected), "{level}");
        }
    }
}

#[test]
fn whoever_kills_it_kills_all_of_it() {
    /// How long that may take. It takes milliseconds.
    const KILLED: Duration = Duration::from_secs(20);
    let ground = Ground::new("kill");
    // Several processes have a control group, which stops all of them, and those that watch over them.
    let kinds = levels().into_iter().flat_map(|level| [(level, 1, false), (level, 1, true), (level, 8, true)]);
    for (level, processes, stopped) in kinds {
        let mut confinement = Confinement { processes, ..Confinement::new(level) };
        confinement.read.push(ground.top.join("bot"));
        let request = StartRequest {
            program: "/bin/cat".into(),
            words: vec!["cat".into()],
            environment: environment(&Confinement::new(level)),
            dir: ground.top.join("bot"),
            confinement,
        };
        let mut process = start(request).expect("started").confirm().expect("inside");
        assert!(Path::new(&format!("/proc/{}", process.pid)).exists(), "{level}");
        if stopped {
            process.freezer().freeze(true);
        }
        process.kill();
        let end = process.child.wait_for(KILLED).expect("it is ours");
        assert_eq!(end.and_then(|end| end.signal()), Some(9), "{level}, {processes} processes, stopped: {stopped}");
        assert!(!Path::new(&format!("/proc/{}/exe", process.pid)).exists(), "{level}");
    }
}

#[test]
fn several_processes_have_their_memory_together() {
    let ground = Ground::new("together");
    if !levels().contains(&Isolation::Full) {
        return;
    }
    let mut confinement = Confinement { processes: 8, memory_mib: Some(64), ..Confinement::new(Isolation::Full) };
    confinement.read.push(ground.top.join("bot"));
    let probe = ground.path("bot/probe");
    let words = format!("{probe} memory & {probe} memory & {probe} memory & {probe} memory & wait; kill -9 $$");
    let request = StartRequest {
        program: "/bin/sh".into(),
        words: vec!["sh".into(), "-c".into(), words.into()],
        environment: environment(&confinement),
        dir: ground.top.join("bot"),
        confinement,
    };
    let mut process = start(request).expect("started").confirm().expect("inside");
    drop(process.child.stdin.take());
    // They reach the common limit. They never get four times 64 MiB.
    let end = process.child.wait().expect("it ends");
    assert_eq!(end.signal(), Some(9));
    assert!(process.ran_out_of_memory());
}
