//! The server of the tests.

use postgres::{Client, NoTls};
use std::{
    env,
    io::{Write, stderr},
    sync::{
        PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU32, Ordering},
    },
};

/// Held while a test uses the server: by many, or by one that crashes it.
static SERVER: RwLock<()> = RwLock::new(());

/// Use of the server.
pub struct Server {
    address: String,
    _held: Held,
}

#[expect(dead_code, reason = "it is only held")]
enum Held {
    WithOthers(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

impl Server {
    /// Returns the server, if there is one. That there is none is said; in CI there must be one.
    pub fn shared() -> Option<Self> {
        let held = Held::WithOthers(SERVER.read().unwrap_or_else(PoisonError::into_inner));
        address().map(|address| Self { address, _held: held })
    }

    /// Returns the server for a test that crashes it.
    pub fn alone() -> Option<Self> {
        let held = Held::Alone(SERVER.write().unwrap_or_else(PoisonError::into_inner));
        address().map(|address| Self { address, _held: held })
    }

    /// Returns the address of a new store, in a schema of its own.
    pub fn new_store(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = &self.address;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let start = if server.contains('?') { '&' } else { '?' };
        format!("{server}{start}schema=t{}_{count}", std::process::id())
    }
}

fn address() -> Option<String> {
    let server = env::var("AGON_POSTGRES").ok();
    if server.is_none() {
        let in_ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        assert!(!in_ci, "in CI there must be a server: `cargo xtask postgres` starts one");
        // Not captured, as what a test prints is.
        let _ = writeln!(stderr(), "SKIPPED: a test with PostgreSQL, because `AGON_POSTGRES` names no server");
    }
    server
}

/// Connects to the server of a store.
pub fn connect(store: &str) -> Client {
    let server = store.rsplit_once("schema=").expect("its schema comes last").0.trim_end_matches(['?', '&']);
    Client::connect(server, NoTls).expect("it runs")
}

/// Kills the server's process of whoever leads in this store, so that the server ends all others and starts from its log.
pub fn crash(store: &str) {
    // The process may end before the answer comes.
    let _ = connect(store).batch_execute(&format!(
        "DO $$ DECLARE process integer; BEGIN
             SELECT pid INTO STRICT process FROM pg_locks
             WHERE locktype = 'advisory' AND granted AND classid = '{}.tournaments'::regclass LIMIT 1;
             EXECUTE format('COPY (SELECT 1) TO PROGRAM %L', 'kill -9 ' || process);
         END $$",
        schema(store)
    ));
}

/// Ends the connections of whoever leads in this store. Returns after they have ended.
pub fn cut(store: &str) {
    let ended = connect(store).execute(
        &format!(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
             WHERE locktype = 'advisory' AND granted AND classid = '{}.tournaments'::regclass",
            schema(store)
        ),
        &[],
    );
    assert_eq!(ended.ok(), Some(1), "somebody leads");
}

fn schema(store: &str) -> &str {
    store.rsplit_once("schema=").expect("its schema comes last").1
}
