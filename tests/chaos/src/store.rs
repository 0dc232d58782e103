//! Where a tournament's results are, and what becomes of a server that is killed.

use agon_store::{Records, SqliteReader, StoreReader};
use agon_store_postgres::PostgresReader;
use postgres::{Client, NoTls};
use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// How long a server may take to recover, and the time between two tries to reach it.
const RECOVERY: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(100);

/// The store of one run.
pub struct Store {
    place: Place,
    /// A connection that stays, so that looking at the store costs little.
    reader: Option<Box<dyn StoreReader>>,
    /// How many matches were over when it was last seen.
    over: u64,
}

enum Place {
    File(PathBuf),
    /// A schema of its own on a server.
    Schema {
        server: String,
        name: String,
    },
}

impl Store {
    /// Returns the store of a run in this folder: a file in it, or a schema on a server with this address.
    pub fn new(folder: &Path, server: Option<&str>) -> Self {
        let place = match server {
            None => Place::File(folder.join("cup.agon")),
            Some(server) => {
                let run = folder.file_name().unwrap_or_default().to_string_lossy();
                let name = run.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '_' }).collect();
                Place::Schema { server: server.to_owned(), name }
            }
        };
        Self { place, reader: None, over: 0 }
    }

    /// Returns its name for `--store`.
    pub fn name(&self) -> String {
        match &self.place {
            Place::File(path) => path.display().to_string(),
            Place::Schema { server, name } => format!("{server}?schema={name}"),
        }
    }

    /// Whether it is on a server that can be killed.
    pub fn has_server(&self) -> bool {
        matches!(self.place, Place::Schema { .. })
    }

    /// Opens it to read it.
    ///
    /// # Errors
    /// There is none yet, or the server does not answer.
    pub fn open(&self) -> agon_store::Result<Box<dyn StoreReader>> {
        Ok(match &self.place {
            Place::File(path) => Box::new(SqliteReader::open(path)?),
            Place::Schema { .. } => Box::new(PostgresReader::open(&self.name())?),
        })
    }

    /// Returns how many matches are over, as far as that can be seen now.
    pub fn over(&mut self) -> u64 {
        if self.reader.is_none() {
            self.reader = self.open().ok();
        }
        match self.reader.as_deref().map(Records::progress) {
            Some(Ok(progress)) => self.over = progress.over(),
            Some(Err(_)) => self.reader = None,
            None => {}
        }
        self.over
    }

    /// Returns how many transactions the process that leads has committed since it opened the store.
    ///
    /// # Errors
    /// There is no store yet, or the server does not answer.
    pub fn commits(&self) -> Result<u32, String> {
        match &self.place {
            Place::File(path) => commits_of_file(path).map_err(|why| why.to_string()),
            Place::Schema { server, name } => {
                let sql = format!("SELECT commits FROM \"{name}\".tournaments");
                let row = connect(server)?.query_one(&sql, &[]).map_err(|why| why.to_string())?;
                Ok(u32::try_from(row.get::<_, i64>(0)).unwrap_or(u32::MAX))
            }
        }
    }

    /// Kills a process of the server. The server takes its memory for damaged then, ends all its other processes, and recovers from
    /// its log.
    ///
    /// # Errors
    /// The server does not answer for longer than it takes to recover, or is on another machine.
    pub fn kill_server(&self) -> Result<(), String> {
        let Place::Schema { server, .. } = &self.place else { return Ok(()) };
        // It lives as long as the connection does.
        let mut client = connect(server)?;
        let row = client.query_one("SELECT pg_backend_pid()", &[]).map_err(|why| why.to_string())?;
        let process = row.get::<_, i32>(0).to_string();
        let killed = Command::new("kill").args(["-KILL", &process]).status().map_err(|why| why.to_string())?;
        if killed.success() { Ok(()) } else { Err(format!("kill -KILL {process}: {killed}")) }
    }

    /// Removes what is not in the folder.
    ///
    /// # Errors
    /// The server refuses it.
    pub fn remove(&mut self) -> Result<(), String> {
        self.reader = None;
        let Place::Schema { server, name } = &self.place else { return Ok(()) };
        connect(server)?.batch_execute(&format!("DROP SCHEMA \"{name}\" CASCADE")).map_err(|why| why.to_string())
    }
}

/// Connects as soon as the server has recovered from what was killed before.
fn connect(server: &str) -> Result<Client, String> {
    let until = Instant::now() + RECOVERY;
    loop {
        match Client::connect(server, NoTls) {
            Err(_) if Instant::now() < until => thread::sleep(PAUSE),
            connected => return connected.map_err(|why| format!("{why:?}")),
        }
    }
}

/// SQLite counts commits for all readers in the file beside the store (`iChange` in
/// <https://www.sqlite.org/walformat.html>).
fn commits_of_file(path: &Path) -> std::io::Result<u32> {
    let mut file = File::open(path.with_extension("agon-shm"))?;
    let mut count = [0; 4];
    file.seek(SeekFrom::Start(8))?;
    file.read_exact(&mut count)?;
    Ok(u32::from_ne_bytes(count))
}
