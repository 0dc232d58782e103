//! Jobs, such as builds: what they change, and what is left of those that fail.

use super::{Ground, levels};
use agon_sandbox::{Confinement, Job, JobExit, Work, environment};
use agon_spec::Isolation;
use std::{ffi::OsString, time::Duration};

/// A job with these words that works on a copy of the bot's folder.
fn job(ground: &Ground, level: Isolation, words: &[&str]) -> Job {
    Job {
        words: words.iter().map(OsString::from).collect(),
        environment: environment(&Confinement::new(level)),
        confinement: Confinement {
            processes: 32,
            work: Some(Work { from: ground.top.join("bot"), at: "/work".into(), mib: 64 }),
            ..Confinement::new(level)
        },
        wall: Duration::from_secs(20),
        log_bytes: 1000,
        keep_mib: 32,
        keep_files: 10,
    }
}

#[test]
fn a_job_changes_a_copy_and_its_files_come_home() {
    let ground = Ground::new("job");
    for level in levels().into_iter().chain([Isolation::None]) {
        let into = ground.top.join(format!("made-{level}"));
        let words = "cat book.txt; mkdir out; cp book.txt out/copy; chmod +x out/copy; ln -s /etc/passwd link; rm book.txt; echo end >&2";
        let end = job(&ground, level, &["sh", "-c", words]).run(&into, &|| false, &mut |_| ()).expect("it runs");
        assert_eq!(end.how, JobExit::Code(0), "{level}: {}", String::from_utf8_lossy(&end.log));
        assert_eq!(String::from_utf8_lossy(&end.log), "e4end\n", "{level}");
        assert!(into.join("out/copy").exists() && !into.join("link").exists() && !into.join("book.txt").exists());
        assert!(ground.top.join("bot/book.txt").exists(), "{level}: what it was made from stays");
    }
}

#[test]
fn a_job_that_does_not_go_well_leaves_nothing() {
    let ground = Ground::new("bad-job");
    for level in levels() {
        let into = ground.top.join(format!("made-{level}"));
        let run = |words: &str, wall: u64, cancel: bool| {
            let job = Job { wall: Duration::from_millis(wall), ..job(&ground, level, &["sh", "-c", words]) };
            let end = job.run(&into, &|| cancel, &mut |_| ()).expect("it runs");
            assert!(!into.exists(), "{level}: {words}");
            end
        };
        assert_eq!(run("echo wrong; exit 3", 20_000, false).how, JobExit::Code(3), "{level}");
        assert_eq!(run("kill -9 $$", 20_000, false).how, JobExit::Signal(9), "{level}");
        assert_eq!(run("sleep 100 & sleep 100", 200, false).how, JobExit::TimedOut, "{level}");
        // This job has closed its log and still runs.
        assert_eq!(run("exec >&- 2>&-; sleep 100", 200, false).how, JobExit::TimedOut, "{level}");
        assert_eq!(run("sleep 100", 20_000, true).how, JobExit::Cancelled, "{level}");
        let flood = run("yes | head -c 3000000; exit 1", 20_000, false);
        assert!(flood.log.len() < 1100, "{level}: {}", flood.log.len());
        let large = run("for i in 1 2 3; do head -c 15000000 /dev/zero > f$i; done", 20_000, false);
        assert!(matches!(large.how, JobExit::NotKept(_)), "{level}: {large:?}");
    }
}
