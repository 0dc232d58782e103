//! A program that is run to its end inside, as a compiler.

use crate::{
    Capture, Confinement, ProgramError, Refused, SandboxedProcess, StartRequest, Step, child,
    start::{begin, script, timespec},
    tree::{self, TreeError},
    usage::resident_bytes,
};
use agon_spec::Isolation;
use rustix::{
    event::{PollFd, PollFlags, poll},
    fd::AsFd,
};
use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{self, BufReader, Read},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, PermissionsExt},
        process::ExitStatusExt,
    },
    path::{Path, PathBuf},
    process::ChildStdout,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// How long the files of a job may take to come home once it has ended. Some hundred MiB take a second; a process that
/// somebody has stopped takes for ever.
const RECEIVE: Duration = Duration::from_secs(60);

/// A program that is run to its end inside. What it writes to its stdout and its stderr together is its log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The program and its arguments. A first word without a slash is looked up in the `PATH` of `environment`.
    pub words: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// What it may see and use; its [`work`](Confinement::work) is where it runs.
    pub confinement: Confinement,
    /// How long it may take.
    pub wall: Duration,
    /// How much of its log is kept, in bytes, half of them from the end.
    pub log_bytes: usize,
    /// How much may be kept of its work, in MiB.
    pub keep_mib: u32,
    /// How many files may be kept of its work.
    pub keep_files: u32,
}

/// How a job ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobEnd {
    /// What ended it.
    pub how: JobExit,
    /// What is kept of its log.
    pub log: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

/// What ended a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobExit {
    /// It ended by itself with this exit code. With 0 its work was kept.
    Code(i32),
    /// It was killed by the signal of this number.
    Signal(i32),
    /// It took too long.
    TimedOut,
    /// All its processes together had more memory in use than allowed. One that asks for too much alone is refused it.
    TooMuchMemory,
    /// It was cancelled.
    Cancelled,
    /// It ended well, but its work cannot be kept, for this reason.
    NotKept(String),
}

/// Between two looks at the memory of a job.
const LOOK: Duration = Duration::from_millis(20);

impl Job {
    /// Runs it. After exit code 0 the regular files of its work are in the new folder `into`, with the modes 0755 or
    /// 0644; links and everything else are left out.
    ///
    /// At [`Isolation::Full`] it works at [`Work::at`](crate::Work::at). At the other levels that place is of no
    /// meaning: it works in a temporary folder, its `HOME` and `TMPDIR` are beside that, and only the size of single
    /// files is limited while it runs. So its words name what is in its work by paths from there.
    ///
    /// `cancel` is asked some fifty times a second; `log` gets every piece of the log as it arrives.
    ///
    /// # Errors
    /// If it cannot be started inside, or has no work.
    pub fn run(&self, into: &Path, cancel: &dyn Fn() -> bool, log: &mut dyn FnMut(&[u8])) -> Result<JobEnd, Refused> {
        let begun = Instant::now();
        let folder = if self.confinement.level == Isolation::Full { None } else { Some(HostFolder::new(self)?) };
        let mut script = script(&self.request()?, false);
        let Some(work) = &mut script.work else { return Err(no_work()) };
        (work.keep_mib, work.keep_files) = (self.keep_mib, self.keep_files);
        if let Some(folder) = &folder {
            work.at = folder.top.clone();
            script.dir = folder.work();
            for (name, place) in [("HOME", folder.top.join("home")), ("TMPDIR", folder.top.join("tmp"))] {
                script.environment.retain(|(other, _)| other != name);
                script.environment.push((name.into(), place.into()));
            }
        }
        let mut process = begin(&script)?.confirm()?;
        drop(process.child.stdin.take());
        let mut kept = Capture::new(self.log_bytes);
        let mut stopped = self.listen(&mut process, begun, cancel, &mut |piece| {
            kept.add(piece);
            log(piece);
        });
        if stopped.is_some() {
            process.kill();
        }
        // The files come after the end of the log, before the end of the process.
        let until = Instant::now() + RECEIVE;
        let files = match (&folder, stopped.is_none(), process.child.stdout.take()) {
            (None, true, Some(mut stdout)) => self.receive(&mut stdout, until, into),
            _ => Ok(()),
        };
        if files.is_err() && Instant::now() >= until {
            process.kill();
            stopped = Some(JobExit::TimedOut);
        }
        let status = process.reap().map_err(|e| Refused::io(Step::Wait, "", &e))?;
        // Who is left of its group must not change what is being copied.
        if folder.is_some() {
            process.kill();
        }
        let how = match (stopped, status.code(), status.signal()) {
            (Some(how), ..) => how,
            (None, Some(0), _) => {
                let files = folder.map_or(files, |folder| self.collect(&folder, into));
                files.map_or_else(|why| JobExit::NotKept(why.to_string()), |()| JobExit::Code(0))
            }
            (None, Some(code), _) => JobExit::Code(code),
            (None, None, signal) => JobExit::Signal(signal.unwrap_or(0)),
        };
        if how != JobExit::Code(0) {
            let _ = fs::remove_dir_all(into);
        }
        Ok(JobEnd { how, log: kept.bytes(), took: begun.elapsed() })
    }

    fn request(&self) -> Result<StartRequest, Refused> {
        let word = self.words.first().ok_or_else(|| Refused::other(Step::Program, "the command line is empty"))?;
        let path = self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
        let program = find(word, path).ok_or_else(|| Refused::of_program(ProgramError::NotInPath(word.clone())))?;
        let dir = self.confinement.work.as_ref().map_or_else(|| PathBuf::from("/"), |work| work.at.clone());
        Ok(StartRequest {
            program,
            words: self.words.clone(),
            environment: self.environment.clone(),
            dir,
            confinement: self.confinement.clone(),
        })
    }

    /// Reads the log to its end and waits for that of the job, which may come much later; what stops it before that.
    fn listen(
        &self,
        process: &mut SandboxedProcess,
        begun: Instant,
        cancel: &dyn Fn() -> bool,
        log: &mut dyn FnMut(&[u8]),
    ) -> Option<JobExit> {
        let mut stderr = process.child.stderr.take();
        let mut buffer = vec![0; 64 << 10];
        let look = timespec(LOOK);
        let mut watched = begun;
        loop {
            if cancel() {
                return Some(JobExit::Cancelled);
            }
            if begun.elapsed() >= self.wall {
                return Some(JobExit::TimedOut);
            }
            if watched.elapsed() >= LOOK {
                if self.takes_too_much(process) {
                    return Some(JobExit::TooMuchMemory);
                }
                watched = Instant::now();
            }
            let own_world = self.confinement.level == Isolation::Full;
            let Some(pipe) = &mut stderr else {
                let tells_end = if own_world {
                    // When it has ended its files come home, or at least the end of them.
                    process.child.stdout.as_ref().map(AsFd::as_fd)
                } else {
                    process.bot.as_ref().map(AsFd::as_fd)
                };
                let mut fds: Vec<_> = tells_end.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
                let told = poll(&mut fds, Some(&look)).is_ok_and(|ready| ready > 0);
                if (own_world && told) || has_ended(process) {
                    return None;
                }
                continue;
            };
            let mut fds = [PollFd::new(&*pipe, PollFlags::IN)];
            if !poll(&mut fds, Some(&look)).is_ok_and(|ready| ready > 0) {
                // Whom it has left behind keeps the log open. In a world of its own they die with it.
                if !own_world && has_ended(process) {
                    process.kill();
                }
                continue;
            }
            match pipe.read(&mut buffer) {
                Ok(0) => stderr = None,
                Ok(bytes) => log(&buffer[..bytes]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => stderr = None,
            }
        }
    }

    /// Whether all its processes together have more memory in use than one of them may ask for.
    fn takes_too_much(&self, process: &SandboxedProcess) -> bool {
        let (root, counts) = process.reaper.map_or((process.pid, true), |reaper| (reaper, false));
        let most = self.confinement.memory_mib.map_or(u64::MAX, |mib| u64::from(mib) << 20);
        resident_bytes(root, counts) > most
    }

    /// The files of a job in a world of its own. Nothing at all means that it did not go well.
    fn receive(&self, stdout: &mut ChildStdout, until: Instant, into: &Path) -> Result<(), TreeError> {
        fs::create_dir_all(into).map_err(|error| TreeError::File { name: into.display().to_string(), error })?;
        let stdout = Bounded { pipe: stdout, until };
        tree::receive(&mut BufReader::new(stdout), into, self.keep_mib, self.keep_files)
    }

    /// The files of a job in a folder of the host.
    fn collect(&self, folder: &HostFolder, into: &Path) -> Result<(), TreeError> {
        fs::create_dir_all(into).map_err(|error| TreeError::File { name: into.display().to_string(), error })?;
        tree::copy(&folder.work(), into, self.keep_mib, self.keep_files)
    }
}

/// A pipe that is read until an instant and no longer.
struct Bounded<'a> {
    pipe: &'a mut ChildStdout,
    until: Instant,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            match poll(&mut [PollFd::new(&*self.pipe, PollFlags::IN)], Some(&timespec(left))) {
                Ok(0) if left.is_zero() => return Err(io::ErrorKind::TimedOut.into()),
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return self.pipe.read(buffer),
                Err(e) => return Err(e.into()),
            }
        }
    }
}

/// A temporary folder of the host for a job that has no world of its own.
struct HostFolder {
    top: PathBuf,
}

impl HostFolder {
    fn new(job: &Job) -> Result<Self, Refused> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let work = job.confinement.work.as_ref().ok_or_else(no_work)?;
        let name = format!("agon-job-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = Self { top: std::env::temp_dir().join(name) };
        let failed = Refused::about(Step::Work, &folder.top);
        // Only one that was not there: a name in a folder of everybody's may be somebody else's trap.
        fs::DirBuilder::new().mode(0o755).create(&folder.top).map_err(&failed)?;
        for name in ["work", "home", "tmp"] {
            fs::create_dir(folder.top.join(name)).map_err(&failed)?;
        }
        tree::copy(&work.from, &folder.work(), work.mib, tree::MOST_FILES)
            .map_err(|e| Refused::new(Step::Work, format!("`{}`", work.from.display()), e.cause()))?;
        drop(failed);
        Ok(folder)
    }

    fn work(&self) -> PathBuf {
        self.top.join("work")
    }
}

impl Drop for HostFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}

fn no_work() -> Refused {
    Refused::other(Step::Work, "a job needs a folder to work in")
}

/// Whether the process that was started has ended. It is not waited for: its number stays that of its group.
fn has_ended(process: &SandboxedProcess) -> bool {
    child::has_ended(process.child.pid())
}

/// A program by name or path.
fn find(word: &OsStr, search: Option<&OsStr>) -> Option<PathBuf> {
    if word.as_bytes().contains(&b'/') {
        return Some(word.into());
    }
    let executable =
        |path: &PathBuf| path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0);
    std::env::split_paths(search?).map(|folder| folder.join(word)).find(executable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_pipe_that_stays_silent_is_given_up_at_its_instant() {
        let mut child =
            Command::new("sleep").arg("100").stdout(Stdio::piped()).spawn().expect("a program of every system");
        let pipe = child.stdout.as_mut().expect("it is piped");
        let mut silent = Bounded { pipe, until: Instant::now() };
        assert_eq!(silent.read(&mut [0; 8]).map_err(|e| e.kind()), Err(io::ErrorKind::TimedOut));
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }

    #[test]
    fn what_has_arrived_is_read() {
        let mut child =
            Command::new("echo").arg("here").stdout(Stdio::piped()).spawn().expect("a program of every system");
        child.wait().expect("it is ours");
        let pipe = child.stdout.as_mut().expect("it is piped");
        let mut text = String::new();
        let mut bounded = Bounded { pipe, until: Instant::now() + RECEIVE };
        bounded.read_to_string(&mut text).expect("it was written");
        assert_eq!(text, "here\n");
    }
}
