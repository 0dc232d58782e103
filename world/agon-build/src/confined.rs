//! Builds inside a sandbox.

use crate::workshop::{End, FILE_MIB, How, KEEP_FILES, KEEP_MIB, LOG, Order, PROCESSES, Workshop};
use agon_core::Flaw;
use agon_sandbox::{Confinement, Job, JobExit, Work, environment};
use agon_spec::Isolation;
use std::{ffi::OsString, path::Path};

/// Runs builds in a sandbox. Whoever uses it has a [helper program](agon_sandbox::helper()).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Confined {
    /// How a build is kept inside: [`Isolation::Restricted`] or [`Isolation::Full`].
    pub level: Isolation,
}

/// Where a build works.
const PLACE: &str = "/work";
/// How much fits there, in MiB: what came in and what may be kept.
const ROOM_MIB: u32 = 768;
/// All processes of a build together.
const THREADS: u32 = 256;

impl Confined {
    fn confinement(self, order: &Order<'_>) -> Confinement {
        Confinement {
            read: order.plan.read(),
            memory_mib: Some(order.plan.memory_mib),
            processes: PROCESSES,
            threads: THREADS,
            open_files: 1024,
            file_mib: FILE_MIB,
            scratch_mib: order.plan.memory_mib / 2,
            work: Some(Work { from: order.from.to_owned(), at: PLACE.into(), mib: ROOM_MIB }),
            ..Confinement::new(self.level)
        }
    }
}

impl Workshop for Confined {
    fn name(&self) -> String {
        self.level.to_string()
    }

    fn run(&self, order: &Order<'_>, cancel: &dyn Fn() -> bool, log: &mut dyn FnMut(&[u8])) -> Result<End, Flaw> {
        let confinement = self.confinement(order);
        let mut variables = environment(&confinement, Path::new("/bin/sh"));
        variables.retain(|(name, _)| name != "PATH");
        variables.push(("PATH".into(), order.search_path()));
        variables.extend(order.plan.environment.iter().map(|(name, value)| (name.into(), value.into())));
        let job = Job {
            words: ["/bin/sh", "-c", &order.plan.script()].map(OsString::from).to_vec(),
            environment: variables,
            confinement,
            wall: order.plan.wall,
            log_bytes: LOG,
            keep_mib: KEEP_MIB,
            keep_files: KEEP_FILES,
        };
        let end = job.run(order.into, cancel, log).map_err(|refused| {
            let flaw = Flaw::new(format!("the sandbox for the build cannot be made: {refused}"));
            match refused.remedy() {
                Some(remedy) => flaw.hint(remedy),
                None => flaw.hint("`--sandbox none` builds without one, if you trust the author of the bot"),
            }
        })?;
        let how = match end.how {
            JobExit::Code(0) => How::Done,
            JobExit::Code(code) => How::Code(code),
            JobExit::Signal(signal) => How::Signal(signal),
            JobExit::TooMuchMemory => How::TooMuchMemory,
            JobExit::TimedOut => How::TimedOut,
            JobExit::Cancelled => How::Cancelled,
            JobExit::NotKept(why) => How::NotKept(why),
        };
        Ok(End { how, log: end.log, took: end.took })
    }
}
