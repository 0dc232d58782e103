//! A `.wasm` file as a bot: played by the helper program, with instructions as its limit.

use agon_core::ClockPolicy;
use agon_spec::Fuel;
use std::time::Duration;

/// Time for a thousand million instructions. The slowest program that was found, which asks again and again for memory
/// that it is refused, needed a sixth of it on a busy machine.
const BOUND: Duration = Duration::from_secs(60);

/// The longest that a clock can be set to.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The clock of a seat that plays by instructions: so generous that it decides nothing but that a match ends, also where
/// a bot waits for what nobody will say.
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
    use crate::BuildError;
    use agon_core::{Seat, Seed};
    use agon_run::Program;
    use agon_spec::Limits;
    use agon_wasi::{Compiled, End, Host, Random};
    use std::path::{Path, PathBuf};

    /// What the host of a bot takes beside the bot's own memory, in MiB: itself, its stack, the compiled module.
    const HOST_MIB: u32 = 96;

    /// The most memory that a module can have, in MiB.
    const MOST_MIB: u32 = 4096;

    /// A compiled module, and the program that plays it.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct Module {
        host: PathBuf,
        compiled: Compiled,
    }

    impl Module {
        /// Compiles the module in a file, unless that was done before.
        pub(crate) fn compile(host: PathBuf, module: &Path) -> Result<Self, BuildError> {
            let compiled = Host::compile(&host, module);
            let compiled = compiled.map_err(|source| BuildError::Module { module: module.to_owned(), source })?;
            Ok(Self { host, compiled })
        }

        /// What plays it in a seat of a match.
        pub(crate) fn program(&self, limits: &Limits, seed: Seed, seat: Seat) -> Program {
            let fuel = limits.fuel.unwrap_or_default();
            let memory_mib = limits.memory_mib.map_or(MOST_MIB, |mib| mib.min(MOST_MIB));
            let random = Random::new(seed.0, seat.index());
            let mut program = Program::new(Host::words(&self.host, &self.compiled, fuel, memory_mib, &random));
            program.host = Some(agon_run::Host { spare_mib: HOST_MIB, stopped: End::STOPPED });
            program
        }

        /// What that program reads.
        pub(crate) fn reads(&self) -> Vec<PathBuf> {
            vec![self.host.clone(), self.compiled.path().to_owned()]
        }
    }
}

#[cfg(not(feature = "wasm"))]
mod playing {
    use crate::BuildError;
    use agon_core::{Seat, Seed};
    use agon_run::Program;
    use agon_spec::Limits;
    use std::{
        convert::Infallible,
        path::{Path, PathBuf},
    };

    /// A compiled module, of which there are none: nothing here could play one.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct Module(Infallible);

    impl Module {
        pub(crate) fn compile(_: PathBuf, module: &Path) -> Result<Self, BuildError> {
            Err(BuildError::NoWasm(module.to_owned()))
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
