//! Cores that several processes of one user share.

use agon_play::CorePool;
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

/// Another process, which has claimed a core and started a child.
struct Other {
    process: Child,
    core: usize,
    started: String,
}

impl Other {
    fn claim(folder: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_agon-play-claim"))
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says what it has");
        let (core, started) = line.trim().split_once(' ').expect("two numbers");
        Self { process, core: core.parse().expect("a number"), started: started.to_owned() }
    }
}

#[test]
fn a_claim_is_seen_by_other_processes_and_ends_with_its_owner() {
    let folder = std::env::temp_dir().join(format!("agon-play-cores-{}", std::process::id()));
    let pool = CorePool::at(&folder, vec![0, 1]).expect("a folder of our own");
    let mut other = Other::claim(&folder);
    let ours = pool.claim(1).expect("locks work").expect("one is left");
    assert_eq!((other.core, ours.cores()), (1, &[0][..]), "the last one is taken first");
    assert!(pool.claim(1).expect("locks work").is_none());
    // A killed process does not release its claim itself, and its child lives on.
    other.process.kill().expect("it is ours");
    other.process.wait().expect("it is ours");
    let theirs = pool.claim(1).expect("locks work");
    let ended = Command::new("kill").arg(&other.started).status().expect("a program of every system");
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert_eq!(theirs.map(|claim| claim.cores().to_vec()), Some(vec![1]));
    assert!(ended.success(), "it had lived on");
}
