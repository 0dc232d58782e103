//! The whole way of versions on each database: what the statements say must be the same on both.

use super::{
    FileChange, Pipeline, PipelineOptions, RunSteps, StepReport, StepRun, Taken, UploadForm, UploadWriter, VersionFile,
    choose, compare, copies, files, held, logs, position, receipt, receive, replay, run_again, take_back, versions,
    whole,
};
use crate::{Clock, Refusal, database::Database, people::Ask};
use agon_contest::{
    Asker, Membership, Scope, Standing, Viewer,
    submission::{MOST_ATTEMPTS, Step, StepEnd, SubmissionState},
};
use std::{env, fs, process, sync::Arc};

/// A clock that stands still.
#[derive(Debug)]
struct Still(i64);

impl Clock for Still {
    fn now_ms(&self) -> i64 {
        self.0
    }
}

/// Steps that pass, but those of the second version, which the machine cannot check.
struct Steps;

impl RunSteps for Steps {
    fn run(&self, run: &StepRun<'_>) -> StepReport {
        if run.seed == 2 && run.step == Step::Check {
            return StepReport::host_trouble("no memory\0");
        }
        let file = VersionFile { path: "bot.py".to_owned(), size: 3, executable: false, hash: [run.seed as u8; 32] };
        let taken = Taken { bot: "./a".to_owned(), content: [1; 32], files: vec![file], prints: Default::default() };
        StepReport {
            taken: (run.step == Step::Intake).then_some(taken),
            replay: (run.step == Step::Trial).then(|| b"replay".to_vec()),
            ..StepReport::new(StepEnd::Passed, "fine\n")
        }
    }
}

fn ask(standing: Standing, team: Option<i64>) -> Ask {
    let account = team.unwrap_or(3) * 10;
    let team = team.map(|team| Membership { team, captain: true });
    let asker = Asker { account, name: "ana".to_owned(), standing, team, session: 1, scope: Scope::All };
    Ask { viewer: Viewer(Some(asker)), address: None, now: 7 }
}

fn member(team: i64) -> Ask {
    ask(Standing::Player, Some(team))
}

fn whole_way(database: &Database, name: &str) {
    let people = database.transact(|sql| {
        for number in 1..=3i64 {
            let account = "INSERT INTO contest_accounts (id, name, name_key, standing, created_ms) VALUES ($1, $2, $2, 'player', 0)";
            sql.run(account, &[(number * 10).into(), format!("n{number}").into()])?;
            let team = "INSERT INTO contest_teams (id, name, name_key, code, hidden, created_ms) VALUES ($1, $2, $2, $2, 0, 0)";
            sql.run(team, &[number.into(), format!("n{number}").into()])?;
        }
        Ok(())
    });
    people.expect("they are new");
    let folder = env::temp_dir().join(format!("agon-submissions-{}-{name}", process::id()));
    let pipeline = |now| {
        Pipeline::new(PipelineOptions {
            database: database.clone(),
            clock: Arc::new(Still(now)),
            steps: Arc::new(Steps),
            game: Arc::new(|_| Ok(Some("grid".to_owned()))),
            folder: folder.clone(),
            kits: Default::default(),
        })
        .expect("a folder")
    };
    let first = pipeline(10);
    let send = |team: i64, bytes: &[u8]| {
        let mut writer = UploadWriter::new(first.folder()).expect("a file");
        writer.add(bytes).expect("there is room");
        let upload = writer.finish(UploadForm::Zip, "a.zip").expect("it has bytes");
        receive(database, &member(team), team, upload).expect("it is stored")
    };
    let large = vec![1; (1 << 20) + 1];
    let receipts = [send(1, &large), send(1, b"b"), send(2, b"b")];
    assert_eq!(send(1, &large), receipts[0]);
    let known = receipts[1].clone();
    let found = database.read(move |sql| receipt(sql, 1, known.hash, UploadForm::Zip)).expect("it is read");
    assert_eq!(found.as_ref(), Some(&receipts[1]));
    let of_team = |team| database.read(move |sql| versions(sql, &member(team), team)).expect("they are read");
    let second = of_team(1)[0].clone();
    assert_eq!(database.read(move |sql| position(sql, &second)), Ok(Some(3)), "the teams take turns");
    for attempt in 0..i64::from(MOST_ATTEMPTS) {
        let pipeline = pipeline(attempt * 100_000 + 10);
        while pipeline.turn().expect("the database works") {}
    }
    let [second, first] = &of_team(1)[..] else { panic!("there are two") };
    assert_eq!(second.progress.state, SubmissionState::Held(Step::Check));
    assert!(first.is_chosen && first.progress.state == SubmissionState::Accepted, "{first:?}");
    let one = first.clone();
    let (steps, listed, kept, document) = database
        .read(move |sql| Ok((logs(sql, &one)?, files(sql, &one)?, replay(sql, &one, 4)?, whole(sql, &one)?)))
        .expect("it is read");
    assert_eq!(steps.iter().map(|log| (log.step, log.has_replay)).collect::<Vec<_>>()[3], (Step::Trial, true));
    assert_eq!((kept, document.files.len()), (b"replay".to_vec(), 1));
    let other = second.clone();
    let others = database.read(move |sql| files(sql, &other)).expect("they are read");
    assert_eq!(compare(&listed, &others), [("bot.py".to_owned(), FileChange::Changed)]);
    let organiser = || ask(Standing::Organiser, None);
    let found = database.read(move |sql| Ok((held(sql, &organiser())?, copies(sql, &organiser())?)));
    let (waiting, alike) = found.expect("they are read");
    assert_eq!(waiting.iter().map(|version| version.id).collect::<Vec<_>>(), [receipts[1].id]);
    // The third one is from another team, and has the same files as the first two, of which the later one counts.
    assert!(alike.iter().any(|copy| copy.is_same && copy.version.1 != copy.other.1), "{alike:?}");
    let [one, other] = [first.clone(), second.clone()];
    let acted = database.transact(move |sql| {
        take_back(sql, &member(1), &one)?;
        run_again(sql, &organiser(), &other)?;
        choose(sql, &member(1), &one)
    });
    assert_eq!(acted, Ok(()));
    let other = second.clone();
    let refused = database.transact(move |sql| choose(sql, &member(1), &other));
    assert!(matches!(refused, Err(crate::Error::Refused(Refusal::Conflict(_)))), "{refused:?}");
    assert_eq!(of_team(1)[0].progress.state, SubmissionState::Waiting(Step::Check));
    fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn versions_go_their_way_in_a_file() {
    whole_way(&Database::memory().expect("there is memory"), "memory");
}

#[cfg(feature = "postgres")]
#[test]
fn versions_go_their_way_on_a_server() {
    let Some(address) = crate::database::new_postgres_store() else { return };
    whole_way(&Database::postgres(&address).expect("nobody else serves it"), "postgres");
}
