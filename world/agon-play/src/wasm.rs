//! Bots that are `.wasm` files. The helper program plays them, and instructions limit them instead of time.

use agon_core::ClockPolicy;
use agon_spec::Fuel;
use std::time::Duration;

/// The time allowed for each thousand million instructions. The slowest known program, which repeatedly asks for memory
/// that it does not get, needed a sixth of this time on a busy machine.
const BOUND: Duration = Duration::from_secs(60);

/// The maximum time that a clock can have.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Returns the clock of a seat that is limited by instructions. The clock is so generous that it affects no decision.
/// It only makes sure that the match ends, even if the bot waits for input that never comes.
pub(crate) fn clock(fuel: Fuel) -> ClockPolicy {
    let bound = |instructions: u64| {
        let units = u32::try_from(instructions.div_ceil(1_000_000_000)).unwrap_or(u32::MAX);
        BOUND.saturating_mul(units).min(LONGEST)
    };
    ClockPolicy {
        greeting: Some(bound(fuel.start)),
        hard: Some(bound(fuel.turn)),
        first: bound(fuel.start),
        ..ClockPolicy::OFF
    }
}

#[cfg(feature = "wasm")]
mod playing {
    use crate::{BuildError, ContentHash, hash};
    use agon_build::{
        Cache, OpenCache,
        intake::{self, Kind, Submission},
    };
    use agon_core::{Flaw, Seat, Seed};
    use agon_run::Program;
    use agon_spec::Limits;
    use agon_wasi::{Compiled, End, Host, Random};
    use std::path::{Path, PathBuf};

    /// The memory that the host needs in addition to the bot's own memory, in MiB: for the program itself, its stack
    /// and the compiled module.
    const HOST_MIB: u32 = 96;

    /// The address space that the host reserves for the memory of a module, in MiB: 4 GiB and guard pages around them, so
    /// that no access needs a check.
    const RESERVED_MIB: u32 = 4096 + 512;

    /// The maximum memory of a module in MiB.
    const MOST_MIB: u32 = 4096;

    /// A compiled module and the program that plays it.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct Module {
        host: PathBuf,
        compiled: Compiled,
        hash: Option<ContentHash>,
        /// The cache that has the compiled module. The file may be removed when it is dropped.
        _cache: OpenCache,
    }

    impl Module {
        /// Copies the module in a file, and compiles the copy unless the cache already has the result. `warn` is called if
        /// the cache or a result in it cannot be used.
        pub(crate) fn compile(host: PathBuf, module: &Path, warn: &mut dyn FnMut(String)) -> Result<Self, BuildError> {
            let refused = |flaw: Flaw| BuildError::Refused { bot: module.to_owned(), flaw };
            let cache = Cache::of_user_for("wasm").and_then(|cache| cache.open(warn)).map_err(BuildError::Cache)?;
            let part = cache.part().map_err(BuildError::Cache)?;
            let folder = part.folder("module").map_err(BuildError::Cache)?;
            let submission = Submission::open(module, Kind::File).map_err(refused)?;
            let tree = submission.take(&folder, intake::Limits::default()).map_err(refused)?;
            let copy = tree.root().join(module.file_name().unwrap_or_default());
            let hash = hash::module(&copy);
            let compiled = Host::compile(&host, &copy, cache.folder(), warn);
            let compiled = compiled.map_err(|source| BuildError::Module { module: module.to_owned(), source })?;
            Ok(Self { host, compiled, hash, _cache: cache })
        }

        /// Returns the hash of the module. `None` if it cannot be read.
        pub(crate) fn hash(&self) -> Option<ContentHash> {
            self.hash
        }

        /// Returns the program that plays the module in a seat of a match.
        pub(crate) fn program(&self, limits: &Limits, seed: Seed, seat: Seat) -> Program {
            let fuel = limits.fuel.unwrap_or_default();
            let memory_mib = limits.memory_mib.map_or(MOST_MIB, |mib| mib.min(MOST_MIB));
            let random = Random::new(seed.0, seat.index());
            let mut program = Program::new(Host::words(&self.host, &self.compiled, fuel, memory_mib, &random));
            program.host =
                Some(agon_run::Host { spare_mib: HOST_MIB, reserved_mib: RESERVED_MIB, stopped: End::STOPPED });
            program
        }

        /// Returns the files that this program reads.
        pub(crate) fn reads(&self) -> Vec<PathBuf> {
            vec![self.host.clone(), self.compiled.path().to_owned()]
        }
    }
}

#[cfg(not(feature = "wasm"))]
mod playing {
    use crate::{BuildError, ContentHash};
    use agon_core::{Seat, Seed};
    use agon_run::Program;
    use agon_spec::Limits;
    use std::{
        convert::Infallible,
        path::{Path, PathBuf},
    };

    /// A compiled module. This type has no values, because this build cannot play modules.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct Module(Infallible);

    impl Module {
        pub(crate) fn compile(_: PathBuf, module: &Path, _: &mut dyn FnMut(String)) -> Result<Self, BuildError> {
            Err(BuildError::NoWasm(module.to_owned()))
        }

        pub(crate) fn hash(&self) -> Option<ContentHash> {
            match self.0 {}
        }

        pub(crate) fn program(&self, _: &Limits, _: Seed, _: Seat) -> Program {
            match self.0 {}
        }

        pub(crate) fn reads(&self) -> Vec<PathBuf> {
            match self.0 {}
        }
    }
}

pub(crate) use playing::Module;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_a_bot_in_wasm_grows_with_its_instructions() {
        let usual = clock(Fuel::default());
        assert_eq!((usual.hard, usual.greeting), (Some(BOUND), Some(BOUND * 10)));
        let small = clock(Fuel { turn: 1, start: 1 });
        assert_eq!((small.hard, small.first), (Some(BOUND), BOUND));
        let large = clock(Fuel { turn: u64::MAX, start: u64::MAX });
        assert_eq!(large.to_string().parse(), Ok(large), "it can be written into a replay");
    }
}
