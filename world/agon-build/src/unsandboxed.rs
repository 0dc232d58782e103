//! Builds without a sandbox, for trusted bots.

use crate::build_environment::{
    BuildEnd, BuildEnvironment, BuildError, BuildExit, BuildRequest, FILE_MIB, KEEP_FILES, KEEP_MIB, LOG,
};
use agon_core::Flaw;
use agon_run::{Capture, Environment, Program};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, Permissions},
    io::{self, Read},
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{ChildStdout, ExitStatus},
    time::{Duration, Instant},
};

/// Runs builds with all rights of the user. The time, the memory of all processes together and the size of files are limited.
/// Access to the file system and the network is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unsandboxed;

/// The interval at which the build is checked.
const PAUSE: Duration = Duration::from_millis(20);
/// How much more address space than memory each process of a build may have, in MiB, as in a sandbox.
const RESERVED_MIB: u64 = 4096;
/// How long to wait for the remaining output after all processes were killed.
const REST: Duration = Duration::from_millis(500);

impl BuildEnvironment for Unsandboxed {
    fn name(&self) -> String {
        "none".into()
    }

    fn run(
        &self,
        request: &BuildRequest<'_>,
        cancel: &dyn Fn() -> bool,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<BuildEnd, BuildError> {
        let failed = |why: &dyn std::fmt::Display| Flaw::new(format!("the build cannot be started: {why}"));
        let [home, tmp] = ["home", "tmp"].map(|name| request.scratch.join(name));
        fs::create_dir(&home).and_then(|()| fs::create_dir(&tmp)).map_err(|why| failed(&why))?;
        // The shell sets its own limits. We cannot set them between `fork` and `exec` without a fork of this whole
        // process.
        let limits = format!(
            "ulimit -c 0; ulimit -f {}; ulimit -v {}; exec /bin/sh -c \"$1\" 2>&1",
            u64::from(FILE_MIB) * 2048,
            (u64::from(request.plan.memory_mib) + RESERVED_MIB) * 1024
        );
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), request.search_path()),
            ("LANG".into(), "C.UTF-8".into()),
            ("HOME".into(), home.into()),
            ("TMPDIR".into(), tmp.into()),
        ];
        for (name, value) in &request.plan.environment {
            environment.retain(|(other, _)| other.as_os_str() != OsStr::new(name));
            environment.push((name.into(), value.into()));
        }
        let program = Program {
            dir: Some(request.from.to_owned()),
            environment: Environment::Only(environment),
            ..Program::new(["/bin/sh", "-c", &limits, "sh", &request.plan.script()])
        };
        let start = Instant::now();
        let mut running = program.run().map_err(|why| failed(&why))?;
        running.limit_memory(request.plan.memory_mib).map_err(|why| failed(&why))?;
        drop(running.stdin.take());
        let output = running.stdout.take();
        let mut output = output.ok_or_else(|| failed(&"its output cannot be read"))?;
        let mut capture = Capture::new(LOG);
        let mut hear = |bytes: &[u8]| {
            capture.add(bytes);
            log(bytes);
        };
        let mut open = true;
        let how = loop {
            if open {
                open = listen(&mut output, PAUSE, &mut hear).map_err(|why| failed(&why))?;
            } else {
                std::thread::sleep(PAUSE);
            }
            if let Some(status) = running.ended().map_err(|why| failed(&why))? {
                break ended(status);
            }
            if cancel() {
                break BuildExit::Cancelled;
            }
            if start.elapsed() >= request.plan.wall {
                break BuildExit::TimedOut;
            }
        };
        let how = if running.ran_out_of_memory() { BuildExit::TooMuchMemory } else { how };
        // Kills the processes that the build has left behind.
        drop(running);
        let rest = Instant::now();
        while open && rest.elapsed() < REST {
            open = listen(&mut output, PAUSE, &mut hear).map_err(|why| failed(&why))?;
        }
        let how = match how {
            BuildExit::Done => {
                collect(request.from, request.into).map_or_else(BuildExit::NotKept, |()| BuildExit::Done)
            }
            other => other,
        };
        Ok(BuildEnd { how, log: capture.text().into_bytes(), took: start.elapsed() })
    }
}

/// Reads once if output arrives within `time`. Returns `false` at the end of the output.
fn listen(pipe: &mut ChildStdout, time: Duration, hear: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
    let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    let mut polled = [PollFd::new(pipe, PollFlags::IN)];
    match poll(&mut polled, Some(&time)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(true),
        Ok(_) => {}
        Err(why) => return Err(why.into()),
    }
    let mut piece = [0; 16 << 10];
    let n = pipe.read(&mut piece)?;
    hear(&piece[..n]);
    Ok(n > 0)
}

fn ended(status: ExitStatus) -> BuildExit {
    match (status.code(), status.signal()) {
        (Some(0), _) => BuildExit::Done,
        (Some(code), _) => BuildExit::Code(code),
        (None, signal) => BuildExit::Signal(signal.unwrap_or_default()),
    }
}

/// Copies the regular files of `from` into the new folder `into`. Skips links and other kinds of files.
fn collect(from: &Path, into: &Path) -> Result<(), String> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |why: io::Error| format!("`{path}`: {why}")
    };
    fs::create_dir(into).map_err(failed(into))?;
    let (mut files, mut bytes) = (0, 0);
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        let here = from.join(&within);
        for entry in fs::read_dir(&here).map_err(failed(&here))? {
            let entry = entry.map_err(failed(&here))?;
            let (path, kind) = (within.join(entry.file_name()), entry.file_type().map_err(failed(&here))?);
            let (old, new) = (from.join(&path), into.join(&path));
            if kind.is_dir() {
                fs::create_dir(&new).map_err(failed(&new))?;
                folders.push(path);
            } else if kind.is_file() {
                let about = entry.metadata().map_err(failed(&old))?;
                (files, bytes) = (files + 1, bytes + about.len());
                if files > KEEP_FILES || bytes > u64::from(KEEP_MIB) << 20 {
                    return Err(format!("there are more than {KEEP_FILES} files or {KEEP_MIB} MiB"));
                }
                fs::copy(&old, &new).map_err(failed(&old))?;
                let mode = if about.permissions().mode() & 0o111 != 0 { 0o755 } else { 0o644 };
                fs::set_permissions(&new, Permissions::from_mode(mode)).map_err(failed(&new))?;
            }
        }
    }
    Ok(())
}
