//! Passes what a kind has made to `agon build` or `agon replay verify`, and compares the result with its model.

use crate::{
    AGON, Facts, Kind,
    comparison::Comparison,
    kind::{Behaviour, End},
    leftovers,
    victims::KEY,
};
use agon_spec::Isolation;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The exit code of Agon for a submission that it refuses before it starts anything of it.
const REFUSED: i32 = 1;
/// The exit code of Agon for a submission whose build was started and failed.
const NOT_STARTED: i32 = 20;
/// The maximum duration of a submission.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The maximum memory that Agon may use for a submission, in KiB. The processes of a build are not counted.
const MAX_MEMORY_KIB: u64 = 256 << 10;
/// The maximum that Agon may print about a submission, in bytes.
const MAX_OUTPUT: usize = 512 << 10;

/// Whether a program of this name can be found and started.
pub(crate) fn is_installed(tool: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(folder.join(tool)).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    })
}

/// Submits what a kind has made, and compares the result with its model.
pub(crate) fn submit(program: &Path, level: Isolation, kind: &Kind, facts: &Facts) -> io::Result<Comparison> {
    let Behaviour::Submission(make) = kind.behaviour else {
        return Ok(Comparison::wrong("the kind has no submission"));
    };
    let folder = Folder::new(&facts.row)?;
    let submitted = make(&folder.made("in")?, facts)?;
    let mut command = Command::new(program);
    command.arg(AGON);
    if submitted.extension().is_some_and(|extension| extension == "jsonl") {
        command.args(["replay", "verify"]).arg(&submitted);
    } else {
        command.arg("build").arg(&submitted).args(["--sandbox", level.name(), "--format", "json"]);
    }
    let (out, err) = (folder.0.join("stdout"), folder.0.join("stderr"));
    let cache = folder.made("cache")?;
    command.env("XDG_CACHE_HOME", &cache).env("TMPDIR", folder.made("tmp")?).stdin(Stdio::null());
    if kind.ends_at(level) == [End::EndsWithReferee] {
        let honest = folder.made("honest")?;
        fs::write(honest.join("bot.sh"), "#!/bin/sh\n")?;
        fs::write(honest.join("agon.toml"), "build = [[\"true\"]]\nrun = [\"sh\", \"./bot.sh\"]\n")?;
        let mut next = Command::new(program);
        next.args([AGON, "build"]).arg(honest).args(["--sandbox", level.name()]);
        next.env("XDG_CACHE_HOME", &cache).env("TMPDIR", folder.0.join("tmp"));
        return kill(command, next, &folder, &facts.row);
    }
    command.stdout(File::create(&out)?).stderr(File::create(&err)?);
    let Some((status, peak)) = run(command)? else { return Ok(Comparison::wrong("it did not end by itself")) };

    let (stdout, stderr) = (fs::read(out)?, fs::read(err)?);
    let stderr_text = String::from_utf8_lossy(&stderr);
    let end = match status.code() {
        Some(0) => End::Built,
        Some(NOT_STARTED) => End::NotBuilt,
        Some(REFUSED) => End::Rejected,
        _ => return Ok(Comparison::wrong(format!("{status}: {}", stderr_text.trim()))),
    };
    let text = end.to_string();
    if stdout.len() + stderr.len() > MAX_OUTPUT {
        return Ok(Comparison::wrong(format!("{text}, with {} bytes printed about it", stdout.len() + stderr.len())));
    }
    if has_key(&stdout) || has_key(&stderr) {
        return Ok(Comparison::wrong(format!("{text}, and printed the key")));
    }
    if let Some(path) = forbidden_file(&folder.0.join("cache"))? {
        return Ok(Comparison::wrong(format!("{text}, and kept `{}`", path.display())));
    }
    if peak > MAX_MEMORY_KIB {
        return Ok(Comparison::wrong(format!("{text}, with {peak} KiB of memory")));
    }
    Ok(Comparison { ok: kind.ends_at(level).contains(&end), seen: text })
}

/// Kills a build as soon as a process with this marker runs. Then does another build, after which nothing of the first
/// one may be left in the cache and in the folder for temporary files. The caller looks for processes that are left.
fn kill(mut command: Command, mut next: Command, folder: &Folder, marker: &str) -> io::Result<Comparison> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let start = Instant::now();
    while leftovers::marked(marker).is_empty() {
        if start.elapsed() > TIMEOUT || child.try_wait()?.is_some() {
            child.kill()?;
            child.wait()?;
            return Ok(Comparison::wrong("the build did not begin"));
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    // A process that is left at the end of this time is a failure of the row.
    wait_until(|| leftovers::marked(marker).is_empty());
    let built = next.stdin(Stdio::null()).output()?;
    if !built.status.success() {
        let why = String::from_utf8_lossy(&built.stderr).into_owned();
        return Ok(Comparison::wrong(format!("the next build failed: {}", why.trim())));
    }
    let left = || -> io::Result<Option<PathBuf>> {
        let entries = |name: &str| -> io::Result<Vec<PathBuf>> {
            fs::read_dir(folder.0.join(name))?.map(|entry| entry.map(|entry| entry.path())).collect()
        };
        let mut parts = entries("cache/agon/bots")?;
        parts.retain(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".part-")));
        Ok(parts.into_iter().chain(entries("tmp")?).next())
    };
    wait_until(|| left().is_ok_and(|left| left.is_none()));
    if let Some(left) = left()? {
        return Ok(Comparison::wrong(format!("`{}` was left behind", left.display())));
    }
    Ok(Comparison { seen: End::EndsWithReferee.to_string(), ok: true })
}

/// Waits until a condition holds, for at most the time that something killed may take to go.
fn wait_until(holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() && start.elapsed() < leftovers::TIMEOUT {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a command. Returns its status and the peak of its observed resident memory in KiB. Returns `None` if the
/// command did not end in time and was killed.
fn run(mut command: Command) -> io::Result<Option<(ExitStatus, u64)>> {
    let mut child = command.spawn()?;
    let start = Instant::now();
    let mut peak = 0;
    loop {
        peak = peak.max(highest_memory(child.id()));
        if let Some(status) = child.try_wait()? {
            return Ok(Some((status, peak)));
        }
        if start.elapsed() > TIMEOUT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn highest_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn has_key(bytes: &[u8]) -> bool {
    bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes())
}

/// Returns the first thing below a folder that Agon must not keep: a file that contains the key, or anything that is
/// neither file nor folder.
pub(crate) fn forbidden_file(folder: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let found = if kind.is_dir() {
            forbidden_file(&path)?
        } else {
            (!kind.is_file() || has_key(&fs::read(&path)?)).then_some(path)
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// A temporary folder, removed on drop.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("{name}submission"));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn made(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        fs::create_dir(&path)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_files_are_found() {
        let folder = Folder::new(&format!("agon-key-{}.", std::process::id())).unwrap();
        let inner = folder.made("a").unwrap();
        fs::write(inner.join("x"), "nothing").unwrap();
        assert_eq!(forbidden_file(&folder.0).unwrap(), None);
        std::os::unix::fs::symlink("/etc/passwd", inner.join("y")).unwrap();
        assert_eq!(forbidden_file(&folder.0).unwrap(), Some(inner.join("y")));
        fs::remove_file(inner.join("y")).unwrap();
        fs::write(inner.join("z"), format!("..{KEY}..")).unwrap();
        assert_eq!(forbidden_file(&folder.0).unwrap(), Some(inner.join("z")));
    }

    #[test]
    fn tools_are_looked_up() {
        assert!(is_installed("sh") && !is_installed("agon-no-such-tool"));
    }
}
