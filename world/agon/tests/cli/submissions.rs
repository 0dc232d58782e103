//! What a contest's server does with the bots of teams, with the program itself: starter kits, broken bots and hostile ones.

use crate::agon::Place;
use agon_contest::{
    Asker, Membership, Scope, Standing, Viewer,
    submission::{Step, SubmissionState},
};
use agon_play::{Cancel, Helper, IsolationChoice, Preparer, SandboxOptions};
use agon_server::{
    SystemClock,
    database::Database,
    people::Ask,
    submissions::{
        AgonSteps, FolderWriter, Pipeline, PipelineOptions, StepLog, Version, logs, receive, replay, version_of_team,
    },
};
use std::{fs, path::Path, sync::Arc};

/// The files of a bot, each with its path.
type Files<'a> = &'a [(&'a str, &'a [u8])];

/// Sends files as a folder, and runs all steps. Returns what has become of it.
fn submitted(place: &Place, game: &'static str, files: Files<'_>) -> (Version, Vec<StepLog>, Database) {
    let program = env!("CARGO_BIN_EXE_agon");
    // Our own `main` belongs to the test harness.
    let cancel = Cancel::new().expect("descriptors");
    Preparer::new(Helper::Program(program.into()), SandboxOptions::default(), cancel).decide().expect("a level");
    let database = Database::memory().expect("there is memory");
    let pipeline = Pipeline::new(PipelineOptions {
        database: database.clone(),
        clock: Arc::new(SystemClock),
        steps: Arc::new(AgonSteps { program: program.into(), isolation: IsolationChoice::Auto }),
        game: Arc::new(move |_| Ok(Some(game.to_owned()))),
        folder: place.path("work"),
        kits: Default::default(),
    });
    let pipeline = pipeline.expect("a folder");
    let mut writer = FolderWriter::new(pipeline.folder()).expect("a file");
    for (path, bytes) in files {
        writer.begin(&format!("mine/{path}")).expect("there is room");
        writer.add(bytes).expect("there is room");
    }
    let upload = writer.finish(pipeline.folder()).expect("it has files");
    let people = [
        "INSERT INTO contest_accounts (id, name, name_key, standing, created_ms) VALUES (1, 'a', 'a', 'player', 0)",
        "INSERT INTO contest_teams (id, name, name_key, code, hidden, created_ms) VALUES (1, 'a', 'a', 'a', 0, 0)",
    ];
    let made = database.transact(move |sql| people.into_iter().try_for_each(|one| sql.run(one, &[]).map(drop)));
    made.expect("the database works");
    let member = Asker {
        account: 1,
        name: "a".to_owned(),
        standing: Standing::Player,
        team: Some(Membership { team: 1, captain: true }),
        session: 1,
        scope: Scope::All,
    };
    let ask = Ask { viewer: Viewer(Some(member)), address: None, now: 0 };
    receive(&database, &ask, 1, upload).expect("it is stored");
    while pipeline.turn().expect("the database works") {}
    let left = fs::read_dir(pipeline.folder()).expect("a folder").count();
    assert_eq!(left, 0, "nothing is left of its files");
    let (logs, version) = database
        .read(move |sql| version_of_team(sql, &ask, 1, 1).and_then(|version| Ok((logs(sql, &version)?, version))))
        .expect("it is there");
    (version, logs, database)
}

fn kit(game: &str, language: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(game).join(language);
    let entries = fs::read_dir(folder).expect("a kit").map(|entry| entry.expect("a file"));
    let files = entries.filter(|entry| entry.path().is_file());
    files
        .map(|entry| (entry.file_name().into_string().expect("a plain name"), fs::read(entry.path()).expect("a file")))
        .collect()
}

#[test]
fn starter_kits_are_accepted_and_their_match_is_kept() {
    for (game, language) in [("planet-wars", "python"), ("grid", "cpp")] {
        let place = Place::new();
        let files = kit(game, language);
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        let (version, logs, database) = submitted(&place, game, &files);
        assert_eq!(version.progress.state, SubmissionState::Accepted, "{game} {language}: {logs:#?}");
        assert!(version.is_chosen);
        assert_eq!(logs.iter().map(|log| log.step).collect::<Vec<_>>(), Step::ALL);
        assert!(logs[0].log.contains("README.md"), "{}", logs[0].log);
        assert!(logs[1].log.contains("language"), "{}", logs[1].log);
        assert!(logs[2].log.contains(&format!("speaks the protocol of {game}")), "{}", logs[2].log);
        for log in &logs {
            let work = place.path("work").display().to_string();
            assert!(!log.log.contains(&work), "the places of the server are its own: {}", log.log);
        }
        let replayed = database.read(move |sql| replay(sql, &version, 4)).expect("the match is kept");
        place.write("trial.jsonl.zst", replayed);
        assert_eq!(place.run(&["replay", "verify", "trial.jsonl.zst"]).code, 0);
    }
}

#[test]
fn what_is_wrong_with_a_bot_is_said_at_its_step() {
    let bots: [(Files<'_>, Step, &str); 4] = [
        (&[("a.cpp", b"int main( { }\n")], Step::Build, "error"),
        (&[("notes.md", b"# my plans\n")], Step::Build, "notes.md"),
        (&[("bot.py", b"raise SystemExit('no luck')\n")], Step::Check, "no luck"),
        (&[("agon.toml", b"run = [\"./bot\"]\nunknown = 1\n"), ("bot", b"x")], Step::Build, "unknown"),
    ];
    for (files, step, words) in bots {
        let place = Place::new();
        let (version, logs, _) = submitted(&place, "planet-wars", files);
        assert_eq!(version.progress.state, SubmissionState::Refused(step), "{words}: {logs:#?}");
        assert!(!version.progress.reason.is_empty() && !version.is_chosen);
        let log = &logs.last().expect("it has run").log;
        assert!(log.contains(words), "{words}: {log}");
    }
}
