//! Random system calls. Most have a known number and plausible arguments, and some are nonsense.

use super::{
    memory::Memory,
    signatures::{Argument, FATAL, SIGNATURES},
};
use agon_core::{Rng, Seed};

/// The first number that no kernel uses so far.
const NUMBERS: u32 = 471;
/// A bit that selects the calls of x32 on x86-64.
const X32: i64 = 0x4000_0000;

/// A system call with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Call {
    pub number: i64,
    pub arguments: [i64; 6],
}

/// What calls can name.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub processes: Vec<i64>,
    /// A number above all open files.
    pub files: u32,
}

/// The random calls of one thread.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    rng: Rng,
    names: &'a Names,
    memory: &'a Memory,
}

impl<'a> Calls<'a> {
    /// The calls that follow from a seed.
    pub(super) fn new(seed: Seed, names: &'a Names, memory: &'a Memory) -> Self {
        Self { rng: Rng::new(seed), names, memory }
    }

    /// Returns the next call.
    pub(super) fn next(&mut self) -> Call {
        loop {
            let call = self.draw();
            // The kernel looks at the lower half of a number.
            if !FATAL.contains(&i64::from(call.number as u32)) || self.rng.one_in(32) {
                return call;
            }
        }
    }

    /// Writes new numbers into a part of the memory to which arguments point.
    pub(super) fn refill(&mut self) {
        self.memory.refill(&mut self.rng);
    }

    fn draw(&mut self) -> Call {
        let mut kinds: [Argument; 6] = std::array::from_fn(|_| self.any_kind());
        let number = match self.rng.below(100) {
            0..60 => {
                let (number, known) = SIGNATURES[self.rng.index(SIGNATURES.len())];
                kinds[..known.len()].copy_from_slice(known);
                number
            }
            60..84 => i64::from(self.rng.below(NUMBERS)),
            84..90 => i64::from(self.rng.below(601)),
            90..96 => X32 + i64::from(self.rng.below(601)),
            // A filter that looked at the whole number would miss the call.
            96..99 => i64::from(self.rng.below(NUMBERS)) | (1 << (32 + self.rng.below(31))),
            _ => self.rng.bits() as i64,
        };
        Call { number, arguments: kinds.map(|kind| self.argument(kind)) }
    }

    fn any_kind(&mut self) -> Argument {
        use Argument::{
            Buffers, File, Flags, Folder, Length, Memory, Number, Page, Path, Process, Signal, Small, SocketAddress,
            Time, User,
        };
        const KINDS: [Argument; 15] = [
            File,
            Folder,
            Path,
            Memory,
            Page,
            Time,
            Buffers,
            SocketAddress,
            Length,
            Flags,
            Small,
            Signal,
            Process,
            User,
            Number,
        ];
        KINDS[self.rng.index(KINDS.len())]
    }

    fn argument(&mut self, kind: Argument) -> i64 {
        // Any argument may be of a wrong kind.
        let kind = if self.rng.one_in(16) { self.any_kind() } else { kind };
        match kind {
            // The streams of the referee are hit rarely, because the match ends then.
            Argument::File if self.rng.one_in(64) => self.rng.below(3).into(),
            Argument::File => i64::from(3 + self.rng.below(self.names.files)),
            Argument::Folder if self.rng.one_in(4) => i64::from(3 + self.rng.below(self.names.files)),
            Argument::Folder => libc::AT_FDCWD.into(),
            Argument::Path => self.memory.path(&mut self.rng),
            Argument::Memory => self.memory.somewhere(&mut self.rng),
            Argument::Page => self.memory.page(&mut self.rng),
            Argument::Time => self.memory.time(&mut self.rng),
            Argument::Buffers => self.memory.buffers(&mut self.rng),
            Argument::SocketAddress => self.memory.socket_address(&mut self.rng),
            Argument::Length => match self.rng.below(8) {
                0 => self.number(),
                1 => 16,
                2 => 0,
                _ => i64::from(self.rng.below(9)) << self.rng.below(13),
            },
            Argument::Flags => self.flags(),
            Argument::Small => self.rng.below(64).into(),
            Argument::Signal => self.rng.below(66).into(),
            Argument::Process => self.names.processes[self.rng.index(self.names.processes.len())],
            Argument::User => [0, -1, 1000, 65534][self.rng.index(4)],
            Argument::Number => self.number(),
        }
    }

    /// A set of a few flags.
    fn flags(&mut self) -> i64 {
        let count = self.rng.below(4);
        (0..count).fold(0, |flags, _| flags | 1 << self.rng.below(32))
    }

    /// A number, mostly one at which programs go wrong.
    fn number(&mut self) -> i64 {
        match self.rng.below(8) {
            0 => 0,
            1 => -1,
            2 => i64::from(self.rng.below(600)),
            3 => 1 << self.rng.below(64),
            4 => (1i64 << self.rng.below(63)) - 1,
            5 => -i64::from(self.rng.below(4096)),
            6 => i64::from(self.rng.bits() as u32),
            _ => self.rng.bits() as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Facts;
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_repeats_its_calls_and_covers_what_is_known() {
        let names = Names { processes: vec![0, -1], files: 8 };
        let memory = Memory::new(&Facts::default(), &[b"/tmp".to_vec()]).unwrap();
        let calls = |seed| {
            let mut calls = Calls::new(Seed(seed), &names, &memory);
            (0..30_000).map(|_| calls.next()).collect::<Vec<_>>()
        };
        let first = calls(1);
        assert_eq!(first, calls(1));
        assert_ne!(first, calls(2));
        let numbers: BTreeSet<i64> = first.iter().map(|call| call.number).collect();
        assert!(SIGNATURES.iter().all(|(number, _)| numbers.contains(number)));
        assert!((0..=600).filter(|number| numbers.contains(number)).count() > 560, "numbers without a signature");
        assert!((0..=600).any(|number| numbers.contains(&(X32 + number))));
        assert!(numbers.iter().any(|number| *number > i64::from(u32::MAX)));
    }
}
