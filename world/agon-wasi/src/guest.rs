//! The state of a bot for the functions that it calls: its streams, its instructions and its memory.

use crate::{fuel_meter::FuelMeter, input::Input, random::Random, streams::Streams};
use std::fmt;
use wasmtime::{Caller, Extern, Memory, ResourceLimiter};

/// The maximum number of elements in a table. In practice they are function pointers.
const TABLE_LIMIT: usize = 1 << 20;

/// The state of one bot.
pub(crate) struct Guest<S> {
    pub(crate) streams: S,
    pub(crate) input: Input,
    pub(crate) fuel_meter: FuelMeter,
    pub(crate) random: Random,
    /// Whether stdin, stdout and stderr are open.
    pub(crate) open: [bool; 3],
    /// Whether the output on stderr ends in the middle of a line.
    pub(crate) within_line: bool,
    /// A buffer for the bytes of one write.
    pub(crate) saying: Vec<u8>,
    /// The memory limit in bytes.
    pub(crate) memory_limit: usize,
    /// Whether the bot has asked for more memory than the limit.
    pub(crate) refused: bool,
    memory: Option<Memory>,
}

/// An error number of WASI preview 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Errno(pub(crate) i32);

impl Errno {
    pub(crate) const BADF: Self = Self(8);
    pub(crate) const FAULT: Self = Self(21);
    pub(crate) const INVAL: Self = Self(28);
    pub(crate) const IO: Self = Self(29);
    pub(crate) const NOSYS: Self = Self(52);
    pub(crate) const NOTDIR: Self = Self(54);
    pub(crate) const NOTSOCK: Self = Self(57);
    pub(crate) const NOTSUP: Self = Self(58);
    pub(crate) const PIPE: Self = Self(64);
    pub(crate) const SPIPE: Self = Self(70);
}

/// Why a call does not succeed.
#[derive(Debug)]
pub(crate) enum Fail {
    /// The call returns this error number to the bot.
    Told(Errno),
    /// The call ends the bot.
    Over(wasmtime::Error),
}

impl From<Errno> for Fail {
    fn from(errno: Errno) -> Self {
        Self::Told(errno)
    }
}

impl From<wasmtime::Error> for Fail {
    fn from(error: wasmtime::Error) -> Self {
        Self::Over(error)
    }
}

/// Why a call ends a bot without a trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The bot asked to exit with this code.
    Exit(u32),
    /// The bot has too few instructions left for this call.
    UsedUp,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Stop {}

impl<S> Guest<S> {
    pub(crate) fn new(streams: S, fuel_meter: FuelMeter, random: Random, memory_limit: usize) -> Self {
        Self {
            streams,
            input: Input::default(),
            fuel_meter,
            random,
            open: [true; 3],
            within_line: false,
            saying: Vec::new(),
            memory_limit,
            refused: false,
            memory: None,
        }
    }
}

impl<S: Send> ResourceLimiter for Guest<S> {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let refused = desired > self.memory_limit;
        self.refused |= refused;
        Ok(!refused)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= TABLE_LIMIT)
    }

    fn instances(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        16
    }
}

/// A call of a function by a bot.
pub(crate) struct Call<'a, S: 'static> {
    caller: Caller<'a, Guest<S>>,
    memory: Memory,
}

impl<'a, S: Streams> Call<'a, S> {
    pub(crate) fn new(mut caller: Caller<'a, Guest<S>>) -> wasmtime::Result<Self> {
        let memory = match caller.data().memory {
            Some(memory) => memory,
            None => match caller.get_export("memory") {
                Some(Extern::Memory(memory)) => *caller.data_mut().memory.insert(memory),
                _ => return Err(wasmtime::Error::msg("the module does not export its `memory`")),
            },
        };
        Ok(Self { caller, memory })
    }

    /// Returns the state of the bot.
    pub(crate) fn guest(&mut self) -> &mut Guest<S> {
        self.caller.data_mut()
    }

    /// Returns the number of instructions left in the current budget.
    pub(crate) fn left(&self) -> Result<u64, Fail> {
        Ok(self.caller.get_fuel()?)
    }

    /// Returns the number of instructions since the start.
    pub(crate) fn used(&self) -> Result<u64, Fail> {
        Ok(self.caller.data().fuel_meter.used(self.left()?))
    }

    /// Uses up `cost` instructions, or all that are left. The bot ends if they are too few.
    pub(crate) fn charge(&mut self, cost: u64) -> Result<(), Fail> {
        let left = self.left()?;
        self.caller.set_fuel(left.saturating_sub(cost))?;
        if cost > left { Err(Fail::Over(wasmtime::Error::new(Stop::UsedUp))) } else { Ok(()) }
    }

    /// Starts a new budget if a new turn begins with this read.
    pub(crate) fn refill(&mut self) -> Result<(), Fail> {
        let left = self.left()?;
        if let Some(budget) = self.guest().fuel_meter.refill(left) {
            self.caller.set_fuel(budget)?;
        }
        Ok(())
    }

    /// Returns a part of the bot's memory, together with its state.
    pub(crate) fn part(&mut self, at: u32, size: u32) -> Result<(&mut [u8], &mut Guest<S>), Errno> {
        let (bytes, guest) = self.memory.data_and_store_mut(&mut self.caller);
        let at = at as usize;
        let part = at.checked_add(size as usize).and_then(|end| bytes.get_mut(at..end));
        part.map(|part| (part, guest)).ok_or(Errno::FAULT)
    }

    pub(crate) fn read<const N: usize>(&mut self, at: u32) -> Result<[u8; N], Errno> {
        let (part, _) = self.part(at, N as u32)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(part);
        Ok(bytes)
    }

    pub(crate) fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), Errno> {
        let size = u32::try_from(bytes.len()).map_err(|_| Errno::FAULT)?;
        self.part(at, size)?.0.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn write_u32(&mut self, at: u32, number: u32) -> Result<(), Errno> {
        self.write(at, &number.to_le_bytes())
    }

    pub(crate) fn write_u64(&mut self, at: u32, number: u64) -> Result<(), Errno> {
        self.write(at, &number.to_le_bytes())
    }

    /// Reads an entry of a list of memory parts. Returns the address and the size of the part.
    pub(crate) fn vector(&mut self, list: u32, index: u32) -> Result<(u32, u32), Errno> {
        let at = index.checked_mul(8).and_then(|offset| list.checked_add(offset)).ok_or(Errno::FAULT)?;
        let [a, b, c, d, e, f, g, h] = self.read(at)?;
        Ok((u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])))
    }
}
