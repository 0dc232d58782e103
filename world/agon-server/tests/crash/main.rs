//! A contest whose server is killed has everything that was acknowledged, and nothing by halves.

use agon_server::database::Database;
use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// How many transactions there are in the end.
const TRANSACTIONS: i64 = 400;

fn writer(store: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-contest-writer"));
    command.arg(store).arg(TRANSACTIONS.to_string()).stdout(Stdio::piped()).spawn().expect("it starts")
}

/// Reads the numbers that the writer says, and kills it after `most` of them. Returns whether it was killed.
fn run(store: &str, most: usize, kept: &mut BTreeSet<i64>) -> bool {
    let mut child = writer(store);
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map(|line| line.expect("text"));
    assert_eq!(lines.next().as_deref(), Some("open"), "it goes on after a kill");
    let number = |line: String| line.parse::<i64>().expect("whole lines only");
    let mut new: Vec<i64> = lines.by_ref().take(most).map(number).collect();
    let is_killed = new.len() == most;
    // `kill -9`, in the middle of whatever the writer does now.
    child.kill().expect("it is ours");
    // What it had said before it died counts as well.
    new.extend(lines.map(number));
    child.wait().expect("it ends");
    for number in new {
        assert!(kept.insert(number), "{number} was given twice");
    }
    is_killed
}

/// Kills the writer again and again, until it has done everything.
fn kill_until_done(store: &str, open: &dyn Fn() -> Database) {
    let (mut kept, mut kills) = (BTreeSet::new(), 0);
    for most in (0..).map(|n: usize| n * 7 % 41) {
        if !run(store, most, &mut kept) {
            break;
        }
        kills += 1;
        check(&open(), &kept);
    }
    assert!(kills >= 10, "it was killed {kills} times");
    let last = open().read(|sql| sql.int("SELECT count(*) FROM contest_settings", &[])).expect("it can be read");
    assert_eq!(last, 2 * TRANSACTIONS);
}

/// Checks that everything is there that was acknowledged, and that what else is there is whole.
fn check(db: &Database, kept: &BTreeSet<i64>) {
    let select = "SELECT at_ms, count(*) FROM contest_settings GROUP BY at_ms";
    let found = db.read(|sql| sql.rows(select, &[])).expect("it can be read");
    let whole = |row: &agon_server::database::Row| {
        assert_eq!(row.int(1), Ok(2), "a transaction is there by half");
        row.int(0).expect("a number")
    };
    let found: BTreeSet<i64> = found.iter().map(whole).collect();
    assert!(kept.is_subset(&found), "lost: {:?}", kept.difference(&found));
    // At most one was kept without an answer.
    let last = db.read(|sql| sql.int("SELECT coalesce(max(last), 0) FROM contest_series WHERE name = 'crash'", &[]));
    assert_eq!(last.map(usize::try_from), Ok(Ok(found.len())));
}

#[test]
fn nothing_that_was_acknowledged_is_lost_in_a_file() {
    let folder = std::env::temp_dir().join(format!("agon-contest-crash-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("cup.agon");
    let open = || {
        let store = agon_store::Sqlite::open(&path).expect("its lock is free");
        assert_eq!(store.flaws(), Ok(Vec::new()));
        store.close().expect("it can be closed");
        Database::sqlite(&path).expect("it is a store")
    };
    kill_until_done(&path.display().to_string(), &open);
    fs::remove_dir_all(&folder).expect("it is ours");
}

#[cfg(feature = "postgres")]
#[test]
fn nothing_that_was_acknowledged_is_lost_on_a_server() {
    use std::io::Write;
    let Ok(server) = std::env::var("AGON_POSTGRES") else {
        let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        assert!(!in_ci, "in CI there must be a server: `cargo xtask postgres` starts one");
        let _ = writeln!(std::io::stderr(), "SKIPPED: a test with PostgreSQL, because `AGON_POSTGRES` names no server");
        return;
    };
    let start = if server.contains('?') { '&' } else { '?' };
    let address = format!("{server}{start}schema=k{}", std::process::id());
    kill_until_done(&address, &|| Database::postgres(&address).expect("its lock is free"));
}
