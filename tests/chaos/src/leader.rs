//! The tournament: the real program, with a real store, and with no core of its own for matches.

use crate::store::Store;
use std::{
    fs::{self, OpenOptions},
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

/// The bots of the tournament, each against each other in both seats.
pub const MATCHES_A_ROUND: u64 = 20;

/// The first argument with which this program is `agon`.
pub const AGON: &str = "agon";

/// A tournament in a folder, and the process that leads it.
pub struct Leader {
    folder: PathBuf,
    pub address: SocketAddr,
    lease_s: u64,
    pub store: Store,
    child: Option<Child>,
}

impl Leader {
    /// Makes the file of a tournament of this many matches, which is a multiple of [`MATCHES_A_ROUND`].
    ///
    /// # Errors
    /// The system refuses it.
    pub fn new(folder: &Path, matches: u64, lease_s: u64, store: Store) -> io::Result<Self> {
        let rounds = matches / MATCHES_A_ROUND;
        let mut text = format!(
            "name = \"Chaos\"\ngame = \"grid\"\nseed = 7\nmaps = [\"gen:10x10\"]\nreplays = \"none\"\nverify = 0\nrounds = {rounds}\n"
        );
        for bot in ["one", "two", "three", "four", "five"] {
            text += &format!("[[bot]]\nname = \"{bot}\"\nrun = \"@random\"\n");
        }
        fs::write(folder.join("cup.toml"), text)?;
        // Its next process has the same address. Until then nobody else is likely to be given it.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        Ok(Self { folder: folder.to_owned(), address, lease_s, store, child: None })
    }

    /// Starts the process, or starts it again.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn start(&mut self) -> io::Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args([AGON, "tournament", "run", "cup.toml", "--cores", "0", "--quiet"]);
        command.args(["--store", &self.store.name()]);
        command.args(["--listen", &self.address.to_string(), "--lease", &self.lease_s.to_string()]);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.child = Some(command.spawn()?);
        Ok(())
    }

    /// Kills the process.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn kill(&mut self) -> io::Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        child.kill()?;
        child.wait().map(drop)
    }

    /// Returns how the process has ended by itself. `None` if it runs, or was killed.
    ///
    /// # Errors
    /// The system does not know.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.as_mut().map_or(Ok(None), Child::try_wait)
    }

    pub fn key(&self) -> PathBuf {
        self.folder.join("cup.key")
    }

    pub fn log(&self) -> PathBuf {
        self.folder.join("leader.log")
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        // A failed run leaves no process behind.
        let _ = self.kill();
    }
}
