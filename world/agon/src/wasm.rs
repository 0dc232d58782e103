//! A `.wasm` file as a bot: played by this very program, started anew, with instructions as its limit.

use crate::{bot_spec::Program, error::Result};
use agon_core::{ClockPolicy, Seat, Seed};
use agon_spec::{Fuel, Limits};
use std::time::Duration;

/// Time for a thousand million instructions. The slowest program that was found, which asks again and again for memory
/// that it is refused, needed a sixth of it on a busy machine.
const BOUND: Duration = Duration::from_secs(60);

/// The longest that a clock can be set to.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// The clock of a seat that plays by instructions: so generous that it decides nothing but that a match ends, also where
/// a bot waits for what nobody will say.
pub fn clock(fuel: Fuel) -> ClockPolicy {
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

impl Program {
    /// A module becomes what plays it in this seat of a match; every other program stays what it is.
    ///
    /// # Errors
    /// It cannot be played.
    pub fn hosted(self, limits: &Limits, seed: Seed, seat: Seat) -> Result<Self> {
        match self {
            Self::Wasm(module) => {
                let (program, read) = program(&module, limits, seed, seat)?;
                Ok(Self::Ready { program, read })
            }
            other => Ok(other),
        }
    }
}

#[cfg(feature = "wasm")]
mod playing {
    use crate::{
        clean::clean,
        error::{Error, Result, reason},
    };
    use agon_core::{Seat, Seed};
    use agon_run::Program;
    use agon_spec::Limits;
    use agon_wasi::{End, Host, Random, Unplayable};
    use std::path::{Path, PathBuf};

    /// What the host of a bot takes beside the bot's own memory, in MiB: itself, its stack, the compiled module.
    const HOST_MIB: u32 = 96;

    /// The most memory that a module can have, in MiB.
    const MOST_MIB: u32 = 4096;

    /// The program that plays the module in a file, and what it reads. The module is compiled first, if that was not
    /// done before.
    ///
    /// # Errors
    /// It cannot be played.
    pub fn program(module: &Path, limits: &Limits, seed: Seed, seat: Seat) -> Result<(Program, Vec<PathBuf>)> {
        let ourselves = std::env::current_exe()
            .map_err(|why| Error::user(format!("cannot find the program that runs: {}", reason(&why))))?;
        let compiled = Host::compile(&ourselves, module).map_err(|why| refusal(module, &why))?;
        let fuel = limits.fuel.unwrap_or_default();
        let memory_mib = limits.memory_mib.map_or(MOST_MIB, |mib| mib.min(MOST_MIB));
        let random = Random::new(seed.0, seat.index());
        let mut program = Program::new(Host::words(&ourselves, &compiled, fuel, memory_mib, &random));
        program.host = Some(agon_run::Host { spare_mib: HOST_MIB, stopped: End::STOPPED });
        Ok((program, vec![ourselves, compiled.path().to_owned()]))
    }

    fn refusal(module: &Path, why: &Unplayable) -> Error {
        let error = Error::user(format!("`{}`: {}", clean(&module.display().to_string()), clean(&why.what)));
        if why.hint.is_empty() { error } else { error.hint(clean(&why.hint)) }
    }
}

#[cfg(not(feature = "wasm"))]
mod playing {
    use crate::{
        clean::clean,
        error::{Error, Result},
    };
    use agon_core::{Seat, Seed};
    use agon_run::Program;
    use agon_spec::Limits;
    use std::path::{Path, PathBuf};

    /// There is nothing here that could play a module.
    ///
    /// # Errors
    /// Always.
    pub fn program(module: &Path, _: &Limits, _: Seed, _: Seat) -> Result<(Program, Vec<PathBuf>)> {
        Err(Error::user(format!("`{}`: this build of agon plays no WASM", clean(&module.display().to_string())))
            .hint("the released one does, and so does `cargo install --path world/agon --features wasm`"))
    }
}

pub use playing::program;

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
