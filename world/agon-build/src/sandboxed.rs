//! Builds inside a sandbox.

use crate::build_environment::{
    BuildEnd, BuildEnvironment, BuildError, BuildExit, BuildRefused, BuildRequest, FILE_MIB, KEEP_FILES, KEEP_MIB, LOG,
    PROCESSES,
};
use agon_sandbox::{Confinement, Job, JobExit, Work, environment};
use agon_spec::Isolation;
use std::ffi::OsString;

/// Runs builds in a sandbox. The program that uses it needs a [helper program](agon_sandbox::helper()).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sandboxed {
    /// The level of isolation: [`Isolation::Restricted`] or [`Isolation::Full`].
    pub level: Isolation,
}

/// The folder in the sandbox in which a build runs. It hides a folder of the host with this name, and tools or packages in it.
const PLACE: &str = "/agon-work";
/// The size of this folder in MiB: enough for the imported files and those that the build may leave.
const ROOM_MIB: u32 = 768;
/// The maximum number of threads of all processes of a build together.
const THREADS: u32 = 256;

impl Sandboxed {
    fn confinement(self, request: &BuildRequest<'_>) -> Confinement {
        Confinement {
            read: request.plan.read(),
            memory_mib: Some(request.plan.memory_mib),
            processes: PROCESSES,
            threads: THREADS,
            open_files: 1024,
            file_mib: FILE_MIB,
            scratch_mib: request.plan.memory_mib / 2,
            work: Some(Work { from: request.from.to_owned(), at: PLACE.into(), mib: ROOM_MIB }),
            ..Confinement::new(self.level)
        }
    }
}

impl BuildEnvironment for Sandboxed {
    fn name(&self) -> String {
        self.level.to_string()
    }

    fn run(
        &self,
        request: &BuildRequest<'_>,
        cancel: &dyn Fn() -> bool,
        log: &mut dyn FnMut(&[u8]),
    ) -> Result<BuildEnd, BuildError> {
        let confinement = self.confinement(request);
        let mut variables = environment(&confinement);
        variables.retain(|(name, _)| name != "PATH");
        variables.push(("PATH".into(), request.search_path()));
        variables.extend(request.plan.environment.iter().map(|(name, value)| (name.into(), value.into())));
        let job = Job {
            words: ["/bin/sh", "-c", &request.plan.script()].map(OsString::from).to_vec(),
            environment: variables,
            confinement,
            wall: request.plan.wall,
            log_bytes: LOG,
            keep_mib: KEEP_MIB,
            keep_files: KEEP_FILES,
        };
        let end = job.run(request.into, cancel, log).map_err(BuildRefused)?;
        let how = match end.how {
            JobExit::Code(0) => BuildExit::Done,
            JobExit::Code(code) => BuildExit::Code(code),
            JobExit::Signal(signal) => BuildExit::Signal(signal),
            JobExit::TooMuchMemory => BuildExit::TooMuchMemory,
            JobExit::TimedOut => BuildExit::TimedOut,
            JobExit::Cancelled => BuildExit::Cancelled,
            JobExit::NotKept(why) => BuildExit::NotKept(why),
        };
        Ok(BuildEnd { how, log: end.log, took: end.took })
    }
}
