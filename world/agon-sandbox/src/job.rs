//! A program that runs to its end in a sandbox, such as a compiler.

use crate::{
    Capture, Confinement, ProgramError, Refused, SandboxedProcess, StartRequest, Step, TemporaryFolder, child,
    request::script,
    start::{begin, timespec},
    tree::{self, TreeError},
};
use agon_spec::Isolation;
use rustix::{
    event::{PollFd, PollFlags, poll},
    fd::AsFd,
    process::geteuid,
};
use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{self, BufReader, Read},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::ChildStdout,
    time::{Duration, Instant},
};

/// How long the files of a job may take to arrive after the job has ended. Some hundred MiB take a second, but if
/// somebody stops the process that sends them, they never arrive.
const RECEIVE: Duration = Duration::from_secs(60);

/// A program that runs to its end in a sandbox. Its log is everything that it writes to stdout and stderr.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The program and its arguments. If the first word has no slash, it is looked up in the `PATH` of `environment`.
    pub words: Vec<OsString>,
    /// All environment variables of the job.
    pub environment: Vec<(OsString, OsString)>,
    /// What the job may see and use. It runs in its [`work`](Confinement::work) folder, which must be set.
    pub confinement: Confinement,
    /// How long the job may take, in wall time.
    pub wall: Duration,
    /// How many bytes of the log are kept: half of them from its start, the other half from its end.
    pub log_bytes: usize,
    /// The largest total size of the files that the job may leave, in MiB.
    pub keep_mib: u32,
    /// How many files the job may leave.
    pub keep_files: u32,
}

/// How a job ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobEnd {
    /// What ended the job.
    pub how: JobExit,
    /// The part of its log that was kept.
    pub log: Vec<u8>,
    /// The wall time that the job took, including the start and the transfer of its files.
    pub took: Duration,
}

/// What ended a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobExit {
    /// The job exited with this code. If the code is 0, its files were kept.
    Code(i32),
    /// The job was killed by the signal with this number.
    Signal(i32),
    /// The job or the transfer of its files took too long.
    TimedOut,
    /// All processes of the job together used more memory than allowed.
    TooMuchMemory,
    /// The caller cancelled the job.
    Cancelled,
    /// The job exited with code 0, but its files cannot be kept for this reason.
    NotKept(String),
}

/// The time between two checks whether to stop a job.
const LOOK: Duration = Duration::from_millis(20);

impl Job {
    /// Runs the job and waits for its end. After exit code 0, the new folder `into` has the regular files of the job's
    /// working folder, with the modes 0755 or 0644. Links and all other entries are left out.
    ///
    /// At [`Isolation::Full`] the job works at [`Work::at`](crate::Work::at). At the other levels that path has no
    /// meaning: the job works in a temporary folder, with its `HOME` and `TMPDIR` beside that folder. There, only the
    /// size of single files is limited while the job runs. The words of the job should therefore use paths relative to
    /// the working folder.
    ///
    /// `cancel` is called about fifty times per second and stops the job when it returns `true`. `log` receives every
    /// piece of the log as it arrives.
    ///
    /// # Errors
    /// The job cannot be started in a sandbox, it has no [`work`](Confinement::work) folder, or the wait for its
    /// process fails.
    pub fn run(&self, into: &Path, cancel: &dyn Fn() -> bool, log: &mut dyn FnMut(&[u8])) -> Result<JobEnd, Refused> {
        let begun = Instant::now();
        let folder = if self.confinement.level == Isolation::Full { None } else { Some(HostFolder::new(self)?) };
        let mut script = script(self.request()?, false)?;
        let Some(work) = &mut script.work else { return Err(no_work()) };
        (work.keep_mib, work.keep_files) = (self.keep_mib, self.keep_files);
        if let Some(folder) = &folder {
            work.at = folder.top.path().to_owned();
            script.dir = folder.work();
            for (name, place) in [("HOME", folder.top.path().join("home")), ("TMPDIR", folder.top.path().join("tmp"))] {
                script.environment.retain(|(other, _)| other != name);
                script.environment.push((name.into(), place.into()));
            }
        }
        let mut process = begin(script)?.confirm()?;
        drop(process.child.stdin.take());
        let mut kept = Capture::new(self.log_bytes);
        let mut stopped = self.listen(&mut process, begun, cancel, &mut |piece| {
            kept.add(piece);
            log(piece);
        });
        if stopped.is_some() {
            process.kill();
        }
        // The files arrive after the end of the log and before the end of the process.
        let until = Instant::now() + RECEIVE;
        let files = match (&folder, stopped.is_none(), process.child.stdout.take()) {
            (None, true, Some(mut stdout)) => self.receive(&mut stdout, until, into),
            _ => Ok(()),
        };
        if files.is_err() && Instant::now() >= until {
            process.kill();
            stopped = Some(JobExit::TimedOut);
        }
        // From here on no process is left that could change the files while they are copied.
        let status = process.reap().map_err(|e| Refused::io(Step::Wait, "", &e))?;
        if process.ran_out_of_memory() {
            stopped = Some(JobExit::TooMuchMemory);
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

    /// Reads the log to its end, then waits for the end of the job, which may come much later. Returns the reason if
    /// the job must be stopped before that.
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
        loop {
            if cancel() {
                return Some(JobExit::Cancelled);
            }
            if begun.elapsed() >= self.wall {
                return Some(JobExit::TimedOut);
            }
            if process.ran_out_of_memory() {
                return Some(JobExit::TooMuchMemory);
            }
            let own_world = self.confinement.level == Isolation::Full;
            let Some(pipe) = &mut stderr else {
                let tells_end = if own_world {
                    // After the end of the job, its files or the end of the stream arrive here.
                    process.child.stdout.as_ref().map(AsFd::as_fd)
                } else {
                    process.first.as_ref().map(AsFd::as_fd)
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

    /// Receives the files of a job at full isolation. An empty stream means that the job failed.
    fn receive(&self, stdout: &mut ChildStdout, until: Instant, into: &Path) -> Result<(), TreeError> {
        fs::create_dir_all(into).map_err(|error| TreeError::File { name: into.display().to_string(), error })?;
        let stdout = Bounded { pipe: stdout, until };
        tree::receive(&mut BufReader::new(stdout), into, self.keep_mib, self.keep_files)
    }

    /// Copies the files of a job that worked in a folder of the host.
    fn collect(&self, folder: &HostFolder, into: &Path) -> Result<(), TreeError> {
        fs::create_dir_all(into).map_err(|error| TreeError::File { name: into.display().to_string(), error })?;
        tree::copy(&folder.work(), into, self.keep_mib, self.keep_files)
    }
}

/// A pipe whose reads fail after an instant.
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

/// A temporary folder of the host for a job that does not run at full isolation. Dropping this value deletes the
/// folder. If this process is killed, the keeper of the job deletes it, or else the next job.
struct HostFolder {
    top: TemporaryFolder,
}

impl HostFolder {
    fn new(job: &Job) -> Result<Self, Refused> {
        let work = job.confinement.work.as_ref().ok_or_else(no_work)?;
        let (place, prefix) = (std::env::temp_dir(), format!("agon-job-{}-", geteuid().as_raw()));
        TemporaryFolder::sweep(&place, &prefix);
        let top = TemporaryFolder::new(&place, &prefix, 0o755).map_err(Refused::about(Step::Work, &place))?;
        let failed = Refused::about(Step::Work, top.path());
        for name in ["work", "home", "tmp"] {
            fs::create_dir(top.path().join(name)).map_err(&failed)?;
        }
        drop(failed);
        let folder = Self { top };
        tree::copy(&work.from, &folder.work(), work.mib, tree::MOST_FILES)
            .map_err(|e| Refused::new(Step::Work, format!("`{}`", work.from.display()), e.cause()))?;
        Ok(folder)
    }

    fn work(&self) -> PathBuf {
        self.top.path().join("work")
    }
}

fn no_work() -> Refused {
    Refused::other(Step::Work, "a job needs a folder to work in")
}

/// Whether the process that was started has ended. Does not reap it, so that its group keeps its ID.
fn has_ended(process: &SandboxedProcess) -> bool {
    child::has_ended(process.child.pid())
}

/// Finds a program by its name or path. `None` if no folder of the search path has it.
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
    fn the_arrived_bytes_are_read() {
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
