//! The processes of workers.

use crate::crowd::Crowd;
use std::{
    io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

/// The most workers of a process.
const WORKERS: u32 = 250;

/// The processes of workers.
pub struct Crowds {
    folder: PathBuf,
    processes: Vec<Process>,
    starts: u64,
    /// Where they have written what they were told.
    pub acknowledged: Vec<PathBuf>,
}

struct Process {
    crowd: Crowd,
    child: Option<Child>,
}

impl Crowds {
    /// Divides so many workers among processes, at least `least` of them. They do not run yet.
    pub fn new(folder: &Path, crowd: &Crowd, least: u32) -> Self {
        let count = crowd.workers.div_ceil(WORKERS).max(least.min(crowd.workers));
        let mut processes = Vec::new();
        let mut first = 0;
        for number in 0..count {
            let workers = (crowd.workers - first).div_ceil(count - number);
            processes.push(Process { crowd: Crowd { first, workers, ..crowd.clone() }, child: None });
            first += workers;
        }
        Self { folder: folder.to_owned(), processes, starts: 0, acknowledged: Vec::new() }
    }

    /// Returns the number of processes.
    pub fn len(&self) -> usize {
        self.processes.len()
    }

    /// Returns how many workers a process has.
    pub fn workers_of(&self, number: usize) -> u32 {
        self.processes[number].crowd.workers
    }

    /// Returns whether all processes have ended.
    ///
    /// # Errors
    /// One has failed.
    pub fn have_ended(&mut self) -> Result<bool, String> {
        for number in 0..self.len() {
            if self.runs(number)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Starts a process, or starts it again.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn start(&mut self, number: usize) -> io::Result<()> {
        self.starts += 1;
        let Process { crowd, child } = &mut self.processes[number];
        let acknowledged = self.folder.join(format!("acknowledged-{}-{}", crowd.first, self.starts));
        let own = Crowd { acknowledged: acknowledged.clone(), seed: crowd.seed ^ (self.starts << 32), ..crowd.clone() };
        let mut command = Command::new(std::env::current_exe()?);
        *child = Some(command.args(own.words()).stdin(Stdio::piped()).spawn()?);
        self.acknowledged.push(acknowledged);
        Ok(())
    }

    /// Kills a process.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn kill(&mut self, number: usize) -> io::Result<()> {
        let Some(mut child) = self.processes[number].child.take() else { return Ok(()) };
        child.kill()?;
        child.wait().map(drop)
    }

    /// Returns whether a process still runs.
    ///
    /// # Errors
    /// It has failed, and has said why.
    pub fn runs(&mut self, number: usize) -> Result<bool, String> {
        let Some(child) = &mut self.processes[number].child else { return Ok(false) };
        match child.try_wait().map_err(|why| why.to_string())? {
            Some(status) if !status.success() => Err(format!("process {number} of workers has failed: {status}")),
            status => Ok(status.is_none()),
        }
    }

    /// Lets all workers leave, and waits for that.
    ///
    /// # Errors
    /// A process has failed.
    pub fn leave(&mut self) -> Result<(), String> {
        let wait = |process: &mut Process| {
            process.child.take().map(|mut child| {
                drop(child.stdin.take());
                child.wait()
            })
        };
        // All of them first.
        for process in &mut self.processes {
            if let Some(child) = &mut process.child {
                drop(child.stdin.take());
            }
        }
        let ended: Vec<Option<io::Result<ExitStatus>>> = self.processes.iter_mut().map(wait).collect();
        for status in ended.into_iter().flatten() {
            let status = status.map_err(|why| why.to_string())?;
            if !status.success() {
                return Err(format!("a process of workers has failed: {status}"));
            }
        }
        Ok(())
    }
}

impl Drop for Crowds {
    fn drop(&mut self) {
        for number in 0..self.processes.len() {
            let _ = self.kill(number);
        }
    }
}
