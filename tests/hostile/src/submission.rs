//! What is given to `agon build` and to `agon replay verify`, and what came of it.

use crate::{
    Facts, Kind,
    judge::Seen,
    kind::{Deed, End},
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

/// Longer than any of them may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most memory that reading a submission may take, in KiB; that of a build is not ours.
const PEAK_KIB: u64 = 256 << 10;
/// The most that may be told about one.
const MOST_TOLD: usize = 512 << 10;

/// Whether a program of this name can be found and started.
pub(crate) fn is_installed(tool: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(folder.join(tool)).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    })
}

/// Submits what a kind has made, and compares what comes of it with its model.
pub(crate) fn submit(program: &Path, level: Isolation, kind: &Kind, facts: &Facts) -> io::Result<Seen> {
    let Deed::Submits(make) = kind.deed else { return Ok(Seen::wrong("it submits nothing")) };
    let folder = Folder::new(&facts.row)?;
    let submitted = make(&folder.made("in")?, facts)?;
    let mut command = Command::new(program);
    if submitted.extension().is_some_and(|extension| extension == "jsonl") {
        command.args(["replay", "verify"]).arg(&submitted);
    } else {
        command.arg("build").arg(&submitted).args(["--sandbox", level.name(), "--format", "json"]);
    }
    let (out, err) = (folder.0.join("stdout"), folder.0.join("stderr"));
    command.env("XDG_CACHE_HOME", folder.made("cache")?).stdin(Stdio::null());
    command.stdout(File::create(&out)?).stderr(File::create(&err)?);
    let Some((status, peak)) = run(command)? else { return Ok(Seen::wrong("it did not end by itself")) };

    let (told, said) = (fs::read(out)?, fs::read(err)?);
    let said_text = String::from_utf8_lossy(&said);
    let end = match status.code() {
        Some(0) => End::Built,
        Some(1 | 20) if said_text.contains("building ") => End::NotBuilt,
        Some(1 | 20) => End::TurnedAway,
        _ => return Ok(Seen::wrong(format!("{status}: {}", said_text.trim()))),
    };
    let text = end.to_string();
    if told.len() + said.len() > MOST_TOLD {
        return Ok(Seen::wrong(format!("{text}, with {} bytes told about it", told.len() + said.len())));
    }
    if has_key(&told) || has_key(&said) {
        return Ok(Seen::wrong(format!("{text}, and it told the key")));
    }
    if let Some(path) = offence(&folder.0.join("cache"))? {
        return Ok(Seen::wrong(format!("{text}, and kept `{}`", path.display())));
    }
    if peak > PEAK_KIB {
        return Ok(Seen::wrong(format!("{text}, with {peak} KiB of memory")));
    }
    Ok(Seen { ok: kind.ends_at(level).contains(&end), text })
}

/// Runs a command to its end. `None` if it had to be killed; else its status and its highest resident memory in KiB, as
/// far as that was seen.
fn run(mut command: Command) -> io::Result<Option<(ExitStatus, u64)>> {
    let mut child = command.spawn()?;
    let start = Instant::now();
    let mut peak = 0;
    loop {
        peak = peak.max(highest_memory(child.id()));
        if let Some(status) = child.try_wait()? {
            return Ok(Some((status, peak)));
        }
        if start.elapsed() > PATIENCE {
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

/// Something below a folder that must not be kept: a file with the key in it, or what is neither file nor folder.
fn offence(folder: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let found = if kind.is_dir() {
            offence(&path)?
        } else {
            (!kind.is_file() || has_key(&fs::read(&path)?)).then_some(path)
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("{name}submission"));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    fn made(&self, name: &str) -> io::Result<PathBuf> {
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
    fn what_must_not_be_kept_is_found() {
        let folder = Folder::new(&format!("agon-key-{}.", std::process::id())).unwrap();
        let inner = folder.made("a").unwrap();
        fs::write(inner.join("x"), "nothing").unwrap();
        assert_eq!(offence(&folder.0).unwrap(), None);
        std::os::unix::fs::symlink("/etc/passwd", inner.join("y")).unwrap();
        assert_eq!(offence(&folder.0).unwrap(), Some(inner.join("y")));
        fs::remove_file(inner.join("y")).unwrap();
        fs::write(inner.join("z"), format!("..{KEY}..")).unwrap();
        assert_eq!(offence(&folder.0).unwrap(), Some(inner.join("z")));
    }

    #[test]
    fn tools_are_looked_up() {
        assert!(is_installed("sh") && !is_installed("agon-no-such-tool"));
    }
}
