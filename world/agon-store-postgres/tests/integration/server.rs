//! The server of the tests.

use std::{
    env,
    io::{Write, stderr},
    sync::atomic::{AtomicU32, Ordering},
};

/// Returns the address of a new store, in a schema of its own. `None` if there is no server, which is said; in CI there must be
/// one.
pub fn new_store() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = env::var("AGON_POSTGRES") else {
        assert!(env::var_os("CI").is_none(), "in CI there must be a server: `cargo xtask postgres` starts one");
        // Not captured, as what a test prints is.
        let _ = writeln!(stderr(), "SKIPPED: tests with PostgreSQL, because `AGON_POSTGRES` names no server");
        return None;
    };
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let start = if server.contains('?') { '&' } else { '?' };
    Some(format!("{server}{start}schema=t{}_{count}", std::process::id()))
}
