//! Programs for the machine in the kernel that filters system calls.

use seccompiler::{BpfProgram, sock_filter};

/// Loads a word of the filter's input. The first one is the number of the call, the second one its architecture.
pub(super) const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
pub(super) const IS: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
/// Whether any of these bits is set.
pub(super) const HAS: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
pub(super) const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
const FROM: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const GO: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;

pub(super) const fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// Loads the lower half of an argument. The arguments follow the number of the call, the architecture and the address
/// of the instruction.
pub(super) const fn argument(index: u8) -> sock_filter {
    let low = if cfg!(target_endian = "big") { 4 } else { 0 };
    step(LOAD, 0, 0, 16 + 8 * index as u32 + low)
}

/// A condition on one argument of a call. Only its lower 32 bits count: the kernel ignores the others, or they have no
/// meaning yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    pub argument: u8,
    /// The bits that are compared.
    pub mask: u32,
    pub value: u32,
    /// Whether it holds if the bits are equal to the value, or if they are not.
    pub equal: bool,
}

impl Condition {
    pub const fn is(argument: u8, value: i32) -> Self {
        Self::masked(argument, -1, value)
    }

    pub const fn is_not(argument: u8, value: i32) -> Self {
        Self { equal: false, ..Self::is(argument, value) }
    }

    /// All of these bits are set in the argument.
    pub const fn has(argument: u8, bits: i32) -> Self {
        Self::masked(argument, bits, bits)
    }

    /// The argument has exactly this value under the mask.
    pub const fn masked(argument: u8, mask: i32, value: i32) -> Self {
        Self { argument, mask: mask.cast_unsigned(), value: value.cast_unsigned(), equal: true }
    }

    /// None of these bits is set in the argument.
    pub const fn lacks(argument: u8, bits: i32) -> Self {
        Self::masked(argument, bits, 0)
    }
}

/// Returns the steps that answer a call if all of these conditions hold. Execution continues behind them if not.
pub(super) fn answer_if(conditions: &[Condition], answer: sock_filter) -> BpfProgram {
    let mut steps = vec![answer];
    for condition in conditions.iter().rev() {
        let behind = steps.len() as u8;
        let (equal, other) = if condition.equal { (0, behind) } else { (behind, 0) };
        let mut test = vec![argument(condition.argument)];
        if condition.mask != u32::MAX {
            test.push(step(AND, 0, 0, condition.mask));
        }
        test.push(step(IS, equal, other, condition.value));
        steps.splice(0..0, test);
    }
    steps
}

/// Makes one program of the programs for ranges of numbers, each from its number to the one before the next. It expects
/// the number in the accumulator, and finds the range in as few steps as a binary search.
pub(super) fn by_number(ranges: impl IntoIterator<Item = (u32, BpfProgram)>) -> BpfProgram {
    let mut ranges: Vec<_> = ranges.into_iter().collect();
    ranges.dedup_by(|(_, later), (_, earlier)| later == earlier);
    choose(&ranges)
}

fn choose(ranges: &[(u32, BpfProgram)]) -> BpfProgram {
    let (low, high) = ranges.split_at(ranges.len() / 2);
    let (Some((from, _)), false) = (high.first(), low.is_empty()) else {
        return high.first().map(|(_, program)| program.clone()).unwrap_or_default();
    };
    let (below, above) = (choose(low), choose(high));
    let mut program = match u8::try_from(below.len()) {
        Ok(length) => vec![step(FROM, length, 0, *from)],
        // A conditional jump passes at most 255 steps.
        Err(_) => vec![step(FROM, 0, 1, *from), step(GO, 0, 0, below.len() as u32)],
    };
    program.extend(below);
    program.extend(above);
    program
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Executes a program for a call with these arguments, and returns its result.
    pub(in super::super) fn run(program: &BpfProgram, number: u32, arch: u32, arguments: [u64; 6]) -> u32 {
        let mut seen = [number.to_le_bytes(), arch.to_le_bytes(), [0; 4], [0; 4]].concat();
        seen.extend(arguments.iter().flat_map(|argument| argument.to_le_bytes()));
        let (mut at, mut word) = (0usize, 0u32);
        loop {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            at += 1;
            let jump = |taken: bool| usize::from(if taken { jt } else { jf });
            match code {
                LOAD => word = u32::from_le_bytes(seen[k as usize..k as usize + 4].try_into().expect("four bytes")),
                GO => at += k as usize,
                FROM => at += jump(word >= k),
                IS => at += jump(word == k),
                HAS => at += jump(word & k != 0),
                AND => word &= k,
                RETURN => return k,
                other => panic!("an instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn each_number_finds_its_range_however_long_the_programs_are() {
        for (ranges, length) in [(1, 1), (2, 1), (7, 3), (40, 30), (300, 2), (5, 400)] {
            let range = |i: u32| {
                let mut program = vec![step(AND, 0, 0, u32::MAX); length];
                program.push(step(RETURN, 0, 0, i));
                (i * 10, program)
            };
            let program = [vec![step(LOAD, 0, 0, 0)], by_number((0..ranges).map(range))].concat();
            for number in (0..ranges * 10 + 20).chain([u32::MAX]) {
                let expected = (number / 10).min(ranges - 1);
                assert_eq!(run(&program, number, 0, [0; 6]), expected, "{ranges} ranges, call {number}");
            }
        }
    }

    #[test]
    fn neighbours_with_one_answer_are_one_range() {
        let answers = [7, 7, 8, 8, 8, 7].map(|answer| vec![step(RETURN, 0, 0, answer)]);
        assert_eq!(by_number((0..).zip(answers)).len(), 3 + 2);
    }
}
