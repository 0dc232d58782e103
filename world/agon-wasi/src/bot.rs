//! Bots: one module from its start to its end.

use crate::{
    engine::{Engine, ModuleError, STACK},
    fuel_meter::FuelMeter,
    guest::{Guest, Stop},
    random::Random,
    streams::{Standard, Streams},
    wasi,
};
use agon_spec::{Fuel, fuel::print_count};
use std::{fmt, thread};
use wasmtime::{ExternType, Linker, Module, Store, Trap};

/// The stack for our functions that a bot calls, in bytes, in addition to the stack for its own calls.
const HOST_STACK: usize = 2 << 20;

/// The size of a page of WASM memory in bytes.
const PAGE: u64 = 64 << 10;

/// A module that can be played.
pub struct Bot<'a> {
    engine: &'a Engine,
    module: Module,
}

/// How a bot ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The bot ended by itself with this exit code, which is below 126.
    Done(u8),
    /// The bot used up its instructions.
    UsedUp {
        /// The number of instructions that it had.
        budget: u64,
        /// Whether this was the budget for the start rather than for a turn.
        start: bool,
    },
    /// The bot did something impossible, such as a division by zero. Contains a description.
    Trapped(String),
    /// The bot could not start.
    ModuleError(ModuleError),
}

impl fmt::Debug for Bot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bot")
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(code) => write!(f, "ended with exit code {code}"),
            Self::UsedUp { budget, start: false } => {
                write!(f, "used up its {} instructions of a turn", print_count(*budget))
            }
            Self::UsedUp { budget, start: true } => {
                write!(f, "used up its {} instructions of the start", print_count(*budget))
            }
            Self::Trapped(what) => f.write_str(what),
            Self::ModuleError(why) => why.fmt(f),
        }
    }
}

impl End {
    /// The first and the last exit code that do not come from the bot itself.
    pub const STOPPED: (i32, i32) = (200, 202);

    /// Returns the exit code of the process that plays the bot. Each kind of failure has a code of its own.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Self::Done(code) => *code,
            Self::UsedUp { .. } => 200,
            Self::Trapped(_) => 201,
            Self::ModuleError(_) => 202,
        }
    }
}

impl<'a> Bot<'a> {
    /// Compiles a module.
    ///
    /// # Errors
    /// If the bytes are not a WASM module, or the module cannot be played.
    pub fn compile(engine: &'a Engine, bytes: &[u8]) -> Result<Self, ModuleError> {
        let module = engine.compile(bytes)?;
        // Find imports that do not exist, or have other types, before the match.
        let mut linker = Linker::<Guest<Standard>>::new(&engine.0);
        wasi::link(&mut linker).and_then(|()| linker.instantiate_pre(&module)).map_err(|why| {
            ModuleError::new(format!("the module does not fit WASI preview 1: {why:#}"), "build it for `wasm32-wasip1`")
        })?;
        Ok(Self { engine, module })
    }

    pub(crate) fn of_module(engine: &'a Engine, module: Module) -> Self {
        Self { engine, module }
    }

    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Plays the bot to its end, with at most `memory_mib` MiB of memory.
    pub fn play<S: Streams>(&self, fuel: Fuel, memory_mib: u32, random: Random, streams: S) -> End {
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK + HOST_STACK);
            let playing = thread.spawn_scoped(scope, || self.play_here(fuel, memory_mib, random, streams));
            match playing.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(end)) => end,
                Ok(Err(_)) => End::Trapped("the host of the bot has failed; this is a bug of Agon".to_owned()),
                Err(why) => End::ModuleError(ModuleError::new(format!("there is no thread for the bot: {why}"), "")),
            }
        })
    }

    fn play_here<S: Streams>(&self, fuel: Fuel, memory_mib: u32, random: Random, streams: S) -> End {
        if let Some(ExternType::Memory(memory)) = self.module.get_export("memory")
            && memory.minimum().saturating_mul(PAGE) > u64::from(memory_mib) << 20
        {
            let asked = memory.minimum().saturating_mul(PAGE).div_ceil(1 << 20);
            let what = format!("the module begins with {asked} MiB of memory and may have {memory_mib}");
            return End::ModuleError(ModuleError::new(what, "give bots more with `--memory`"));
        }
        let limit = usize::try_from(u64::from(memory_mib) << 20).unwrap_or(usize::MAX);
        let mut store = Store::new(&self.engine.0, Guest::new(streams, FuelMeter::new(fuel), random, limit));
        store.limiter(|guest| guest);
        let ended = self.run(&mut store, fuel);
        let Err(error) = ended else { return End::Done(0) };
        let guest = store.data_mut();
        // Start a new line for the message about the bot's end.
        if std::mem::take(&mut guest.within_line) {
            let _ = guest.streams.write_stderr(b"\n");
        }
        let used_up = End::UsedUp { budget: guest.fuel_meter.budget(), start: guest.fuel_meter.is_start() };
        match (error.downcast_ref::<Stop>(), error.downcast_ref::<Trap>()) {
            (Some(Stop::Exit(code @ ..126)), _) => End::Done(*code as u8),
            (Some(Stop::Exit(code)), _) => End::Trapped(format!("its exit code {code} is not below 126")),
            (Some(Stop::UsedUp), _) | (_, Some(Trap::OutOfFuel)) => used_up,
            (None, Some(trap)) => {
                let text = trap.to_string();
                let what = text.strip_prefix("wasm trap: ").unwrap_or(&text);
                let refused = format!(" (it had been refused memory beyond {memory_mib} MiB)");
                End::Trapped(format!("trapped: {what}{}", if guest.refused { &refused } else { "" }))
            }
            (None, None) => End::ModuleError(ModuleError::new(format!("it cannot begin: {error:#}"), "")),
        }
    }

    fn run<S: Streams>(&self, store: &mut Store<Guest<S>>, fuel: Fuel) -> wasmtime::Result<()> {
        store.set_fuel(fuel.start)?;
        let mut linker = Linker::new(&self.engine.0);
        wasi::link(&mut linker)?;
        let instance = linker.instantiate(&mut *store, &self.module)?;
        instance.get_typed_func::<(), ()>(&mut *store, "_start")?.call(&mut *store, ())
    }
}
