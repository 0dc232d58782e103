//! A server that is killed at each step goes on there, and every receipt stays.

use crate::{
    archives::{file, packed},
    ground::{Ground, member, people},
};
use agon_contest::submission::{MOST_ATTEMPTS, Step, SubmissionState};
use agon_server::{
    database::Database,
    submissions::{Receipt, logs, versions},
};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
};

struct Server {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Server {
    fn start(ground: &Ground, hangs: Option<Step>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon-server-submissions"));
        command.arg(ground.path("cup.agon")).arg(ground.path("work")).args(hangs.map(Step::name));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it is built");
        let lines = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, lines }
    }

    /// Waits until this step runs.
    fn wait_for(&mut self, step: Step) {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).expect("text") > 0, "it has ended before {}", step.name());
            assert!(!line.starts_with("trouble"), "{line}");
            if line.trim() == step.name() {
                return;
            }
        }
    }

    fn kill(mut self) {
        self.child.kill().expect("it is ours");
        self.child.wait().expect("it is ours");
    }

    /// Ends it as an organiser does.
    fn stop(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("it is ours").success());
    }
}

/// Uses the store while no server does.
fn with<T>(ground: &Ground, job: impl FnOnce(&Database) -> T) -> T {
    let _store = agon_store::Sqlite::open(&ground.path("cup.agon")).expect("nobody else uses it");
    job(&Database::sqlite(&ground.path("cup.agon")).expect("a store"))
}

fn send(ground: &Ground, number: u8) -> Receipt {
    let bytes = packed(&[file("me/bot.py", format!("print({number})\n").as_bytes())]);
    with(ground, |database| ground.send(database, 1, &bytes, 1_000 + i64::from(number)))
}

#[test]
fn a_server_that_is_killed_at_any_step_goes_on_there() {
    let ground = Ground::new();
    with(&ground, people);
    let receipts: Vec<Receipt> = (0..3).map(|number| send(&ground, number)).collect();
    for step in Step::ALL {
        let mut server = Server::start(&ground, Some(step));
        server.wait_for(step);
        server.kill();
        let state = with(&ground, |database| database.read(|sql| versions(sql, &member(1, 0), 1)).expect("it is read"));
        assert_eq!(state[2].progress.state, SubmissionState::Running(step), "as it was left");
    }
    let again: Vec<Receipt> = (0..3).map(|number| send(&ground, number)).collect();
    assert_eq!(again, receipts);
    let mut server = Server::start(&ground, None);
    for _ in 0..3 {
        server.wait_for(Step::Trial);
    }
    server.stop();
    with(&ground, |database| {
        let versions = database.read(|sql| versions(sql, &member(1, 0), 1)).expect("they are read");
        assert_eq!(versions.len(), 3);
        for version in &versions {
            assert_eq!(version.progress.state, SubmissionState::Accepted, "{version:?}");
        }
        let first = versions[2].clone();
        assert_eq!(first.id, receipts[0].id);
        let logs = database.read(move |sql| logs(sql, &first)).expect("they are read");
        let found: Vec<_> = logs.iter().map(|log| (log.step, log.result.as_deref().unwrap_or("none"))).collect();
        let expected: Vec<_> =
            Step::ALL.into_iter().flat_map(|step| [(step, "host-trouble"), (step, "passed")]).collect();
        assert_eq!(found, expected);
        assert!(logs[0].log.contains("died"), "{}", logs[0].log);
    });
    let left = fs::read_dir(ground.path("work")).expect("a folder").count();
    assert_eq!(left, 0, "what killed servers have left is swept away");
}

#[test]
fn a_step_that_kills_the_server_again_and_again_is_held() {
    let ground = Ground::new();
    with(&ground, people);
    let receipt = send(&ground, 0);
    for _ in 0..MOST_ATTEMPTS {
        let mut server = Server::start(&ground, Some(Step::Build));
        server.wait_for(Step::Build);
        server.kill();
    }
    let other = send(&ground, 1);
    let mut server = Server::start(&ground, None);
    server.wait_for(Step::Trial);
    server.stop();
    let versions =
        with(&ground, |database| database.read(|sql| versions(sql, &member(1, 0), 1)).expect("they are read"));
    let states: Vec<_> = versions.iter().map(|version| (version.id, version.progress.state)).collect();
    assert_eq!(states, [(other.id, SubmissionState::Accepted), (receipt.id, SubmissionState::Held(Step::Build))]);
}
