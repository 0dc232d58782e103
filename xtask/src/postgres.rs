//! `cargo xtask postgres` starts a server of PostgreSQL for tests: as an ordinary user, in a temporary folder, without a port. The
//! server of the system, if there is one, is left alone.

use crate::tools;
use std::{
    env,
    fs::{self, DirBuilder, File},
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, chown},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The variable that names the server to tests.
const VARIABLE: &str = "AGON_POSTGRES";
/// Where Debian puts the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The user `nobody` and its group, for a server that root starts: it refuses to run as root.
const NOBODY: u32 = 65_534;
/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two looks at it.
const PAUSE: Duration = Duration::from_millis(50);
/// Where the package says whether it makes a cluster of its own when it is installed.
const CLUSTERS: &str = "/etc/postgresql-common/createcluster.conf";

/// Runs the task. The words are `[--if-possible] [-- COMMAND]`.
pub fn run(words: &[&str]) -> Option<ExitCode> {
    let (is_needed, command) = match words {
        [] => (true, None),
        ["--", command @ ..] if !command.is_empty() => (true, Some(command)),
        ["--if-possible", "--", command @ ..] if !command.is_empty() => (tools::in_ci(), Some(command)),
        _ => return None,
    };
    let server = match Server::start() {
        Ok(server) => Some(server),
        Err(why) if is_needed => {
            eprintln!("error: {why}");
            return Some(ExitCode::FAILURE);
        }
        Err(why) => {
            println!("SKIPPED: tests with PostgreSQL: {why}");
            None
        }
    };
    let Some([program, words @ ..]) = command else {
        if let Some(server) = server {
            println!("{VARIABLE}={}", server.address());
            eprintln!("The server ends with this program: press Ctrl-D.");
            let _ = io::stdin().read_to_end(&mut Vec::new());
        }
        return Some(ExitCode::SUCCESS);
    };
    let mut command = Command::new(program);
    command.args(words).env_remove(VARIABLE);
    if let Some(server) = &server {
        command.env(VARIABLE, server.address());
    }
    Some(match command.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(why) => {
            eprintln!("error: {program}: {why}");
            ExitCode::FAILURE
        }
    })
}

/// Whether there is a server that could be started.
pub fn is_installed() -> bool {
    newest().is_some()
}

/// A server that runs, until it is dropped.
struct Server {
    folder: PathBuf,
    process: Child,
}

impl Server {
    fn start() -> Result<Self, String> {
        let programs = programs()?;
        let folder = new_folder()?;
        let owned = if tools::is_root() { chown(&folder, Some(NOBODY), Some(NOBODY)) } else { Ok(()) };
        let started = owned.map_err(|why| why.to_string()).and_then(|()| start(&programs, &folder));
        started.map(|process| Self { folder: folder.clone(), process }).map_err(|why| {
            let _ = fs::remove_dir_all(&folder);
            format!("PostgreSQL does not start: {why}")
        })
    }

    /// Returns where it is, for `--store`.
    fn address(&self) -> String {
        format!("postgres://agon@{}/postgres", self.folder.display().to_string().replace('/', "%2F"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends its own processes at once, without a last look at the disk: its folder goes, too.
        let asked = Command::new("kill").args(["-QUIT", &self.process.id().to_string()]).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Makes a folder that nobody else can read.
fn new_folder() -> Result<PathBuf, String> {
    // One that was left behind, or is of another container, may have the same number.
    let mut count = 0_u32;
    loop {
        let folder = env::temp_dir().join(format!("agon-postgres-{}-{count}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => count += 1,
            Err(why) => return Err(format!("{}: {why}", folder.display())),
        }
    }
}

fn start(programs: &Path, folder: &Path) -> Result<Child, String> {
    let (data, log) = (folder.join("data"), folder.join("log"));
    let mut make = as_ordinary_user(&programs.join("initdb"), folder);
    make.arg("-D").arg(&data).args(["-U", "agon", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]);
    let made = make.output().map_err(|why| format!("initdb: {why}"))?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned());
    }
    let log = File::create(&log).map_err(|why| format!("{}: {why}", log.display()))?;
    let mut server = as_ordinary_user(&programs.join("postgres"), folder);
    server.arg("-D").arg(&data).arg("-k").arg(folder).args(["-c", "listen_addresses="]);
    server.stdout(log.try_clone().map_err(|why| why.to_string())?).stderr(log).stdin(Stdio::null());
    let mut process = server.spawn().map_err(|why| format!("postgres: {why}"))?;
    let until = Instant::now() + PATIENCE;
    loop {
        let mut look = Command::new(programs.join("pg_isready"));
        look.arg("-q").arg("-h").arg(folder).args(["-U", "agon", "-d", "postgres"]);
        if look.status().is_ok_and(|status| status.success()) {
            return Ok(process);
        }
        let ended = process.try_wait().map_err(|why| why.to_string())?;
        if ended.is_some() || Instant::now() > until {
            let _ = process.kill();
            return Err(fs::read_to_string(folder.join("log")).unwrap_or_default());
        }
        thread::sleep(PAUSE);
    }
}

/// Returns a command that is executed by `nobody` if this is root, and ends with this program, however that ends.
fn as_ordinary_user(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "INT"]).current_dir(folder);
    if tools::is_root() {
        command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()]);
    }
    command.arg(program);
    command
}

/// Returns the folder of the newest server's programs. Installs one if there is none.
fn programs() -> Result<PathBuf, String> {
    if let Some(found) = newest() {
        return Ok(found);
    }
    if !tools::is_root() || tools::find("apt-get").is_none() {
        return Err(
            "there is no server of PostgreSQL; install it, for example with `apt-get install postgresql`".to_owned()
        );
    }
    eprintln!("installing postgresql");
    let install = |packages: &[&str]| apt(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat());
    apt(&["update", "-qq"]);
    install(&["postgresql-common"]);
    // The package would make a cluster and start it.
    let before = fs::read_to_string(CLUSTERS)
        .map_err(|why| format!("`apt-get install postgresql-common` failed: {CLUSTERS}: {why}"))?;
    fs::write(CLUSTERS, format!("{before}\ncreate_main_cluster = false\n"))
        .map_err(|why| format!("{CLUSTERS}: {why}"))?;
    install(&["postgresql"]);
    let _ = fs::write(CLUSTERS, before);
    newest().ok_or_else(|| "`apt-get install postgresql` failed".to_owned())
}

fn apt(words: &[&str]) {
    // Whether it helped is seen afterwards.
    let _ = Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive").stdout(io::stderr()).status();
}

fn newest() -> Option<PathBuf> {
    let versions = fs::read_dir(VERSIONS).ok()?.flatten().filter_map(|entry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((number, entry.path().join("bin")))
    });
    let complete = |bin: &Path| ["initdb", "postgres", "pg_isready"].iter().all(|name| bin.join(name).is_file());
    let in_path = tools::find("postgres").and_then(|found| Some(found.canonicalize().ok()?.parent()?.to_owned()));
    versions.filter(|(_, bin)| complete(bin)).max().map(|(_, bin)| bin).or(in_path.filter(|bin| complete(bin)))
}
