//! Programs for the machine in the kernel that filters system calls.
//!
//! The kernel translates the program of a bot at its start, which takes as long as the program is. So no instruction is
//! written twice where one jump more leads to the first.

use seccompiler::{BpfProgram, sock_filter};
use std::collections::BTreeMap;

/// Loads a word of the filter's input. The first one is the number of the call, the second one its architecture.
const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
const IS: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
/// Whether any of these bits is set.
const HAS: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
const FROM: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const GO: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;

/// The most instructions that a conditional jump passes.
const REACH: usize = u8::MAX as usize;

const fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// A condition on one half of an argument of a call. Except for pointers, only the lower 32 bits count: the kernel ignores the
/// others, or they have no meaning yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Condition {
    /// The number of the half. Each argument has two, of which the lower one comes first.
    pub half: u8,
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

    /// The pointer in this argument is not null. One of two conditions, of which either may hold.
    pub const fn points(argument: u8) -> [Self; 2] {
        let low = Self::is_not(argument, 0);
        [low, Self { half: low.half + 1, ..low }]
    }

    /// All of these bits are set in the argument.
    pub const fn has(argument: u8, bits: i32) -> Self {
        Self::masked(argument, bits, bits)
    }

    /// Any of these bits is set in the argument.
    pub const fn has_any(argument: u8, bits: i32) -> Self {
        Self { equal: false, ..Self::lacks(argument, bits) }
    }

    /// The argument has exactly this value under the mask.
    pub const fn masked(argument: u8, mask: i32, value: i32) -> Self {
        Self { half: 2 * argument, mask: mask.cast_unsigned(), value: value.cast_unsigned(), equal: true }
    }

    /// None of these bits is set in the argument.
    pub const fn lacks(argument: u8, bits: i32) -> Self {
        Self::masked(argument, bits, 0)
    }

    /// Whether the argument has to be masked, and is lost by that.
    const fn needs_mask(self) -> bool {
        self.mask != u32::MAX && self.value != 0
    }
}

/// A check of the arguments of a call. What no check answers is permitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Check {
    /// The answer if all of these conditions hold.
    If(Vec<Condition>, u32),
    /// The answer if the argument is none of these numbers, which are in order.
    Unless(u8, Vec<u32>, u32),
}

impl Check {
    /// The answer to any arguments.
    pub const fn always(answer: u32) -> Self {
        Self::If(Vec::new(), answer)
    }

    /// The half of an argument that is loaded when this check has not answered, if there is one, whichever way it went.
    fn leaves_loaded(&self) -> Option<u8> {
        match self {
            Self::Unless(argument, ..) => Some(2 * argument),
            Self::If(conditions, _) => {
                let first = conditions.first()?.half;
                conditions.iter().all(|one| one.half == first && !one.needs_mask()).then_some(first)
            }
        }
    }
}

/// Where execution continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The call is answered.
    Answer(u32),
    /// At an instruction. They are counted from the end of the program.
    At(usize),
}

/// Writes a program from its end to its beginning, because all jumps lead forward.
#[derive(Default, Debug)]
pub(super) struct Writer {
    steps: BpfProgram,
    /// The last instruction that was written for each answer.
    answers: BTreeMap<u32, usize>,
}

impl Writer {
    /// The program that begins with what was written last.
    pub fn finish(mut self) -> BpfProgram {
        self.steps.reverse();
        self.steps
    }

    /// Loads the number of the call.
    pub fn load_number(&mut self, next: Place) -> Place {
        self.run(step(LOAD, 0, 0, 0), next)
    }

    /// Answers calls by the numbers of other architectures.
    pub fn check_architecture(&mut self, native: u32, otherwise: u32, next: Place) -> Place {
        let test = self.test(IS, native, next, Place::Answer(otherwise));
        self.run(step(LOAD, 0, 0, 4), test)
    }

    /// Finds the range of the number that is loaded, in as few steps as a binary search, and makes its checks. Each range goes to
    /// the number before the next.
    pub fn by_number(&mut self, ranges: &[(u32, Vec<Check>)], permitted: u32) -> Place {
        let (low, high) = ranges.split_at(ranges.len() / 2);
        let Some((from, checks)) = high.first() else { return Place::Answer(permitted) };
        if low.is_empty() {
            return self.checks(checks, Place::Answer(permitted));
        }
        let above = self.by_number(high, permitted);
        let below = self.by_number(low, permitted);
        self.test(FROM, *from, above, below)
    }

    /// Makes the checks one after the other, and continues if none has answered.
    fn checks(&mut self, checks: &[Check], next: Place) -> Place {
        let loaded = std::iter::once(None).chain(checks.iter().map(Check::leaves_loaded));
        let checks: Vec<_> = checks.iter().zip(loaded).collect();
        checks.into_iter().rev().fold(next, |next, (check, loaded)| match check {
            Check::If(conditions, answer) => self.answer_if(conditions, loaded, *answer, next),
            Check::Unless(argument, numbers, answer) => self.answer_unless(*argument, numbers, loaded, *answer, next),
        })
    }

    fn answer_if(&mut self, conditions: &[Condition], loaded: Option<u8>, answer: u32, next: Place) -> Place {
        let left = conditions.iter().map(|one| (!one.needs_mask()).then_some(one.half));
        let before: Vec<_> = std::iter::once(loaded).chain(left).collect();
        conditions.iter().zip(before).rev().fold(Place::Answer(answer), |then, (condition, loaded)| {
            let test = self.condition(*condition, then, next);
            self.load(condition.half, loaded, test)
        })
    }

    fn condition(&mut self, Condition { mask, value, equal, .. }: Condition, then: Place, next: Place) -> Place {
        let (same, other) = if equal { (then, next) } else { (next, then) };
        match (mask, value) {
            (u32::MAX, value) => self.test(IS, value, same, other),
            (mask, 0) => self.test(HAS, mask, other, same),
            (mask, value) => {
                let test = self.test(IS, value, same, other);
                self.run(step(AND, 0, 0, mask), test)
            }
        }
    }

    fn answer_unless(&mut self, argument: u8, numbers: &[u32], loaded: Option<u8>, answer: u32, next: Place) -> Place {
        let test = numbers.chunk_by(|one, other| one + 1 == *other).rev().fold(Place::Answer(answer), |above, run| {
            match (run.first(), run.last()) {
                (Some(first), Some(last)) if first < last => {
                    let inside = self.test(FROM, last + 1, above, next);
                    self.test(FROM, *first, inside, Place::Answer(answer))
                }
                (Some(only), _) => self.test(IS, *only, next, above),
                _ => above,
            }
        });
        self.load(2 * argument, loaded, test)
    }

    /// Loads a half of an argument, unless it is loaded. The arguments follow the number of the call, the architecture and the
    /// address of the instruction.
    fn load(&mut self, half: u8, loaded: Option<u8>, next: Place) -> Place {
        let word = if cfg!(target_endian = "big") { half ^ 1 } else { half };
        if loaded == Some(half) { next } else { self.run(step(LOAD, 0, 0, 16 + 4 * u32::from(word)), next) }
    }

    /// Writes an instruction after which execution continues at `next`.
    fn run(&mut self, instruction: sock_filter, next: Place) -> Place {
        if next != Place::At(self.steps.len().wrapping_sub(1)) {
            self.go(next);
        }
        self.push(instruction)
    }

    /// Writes a conditional jump.
    fn test(&mut self, code: u16, value: u32, yes: Place, no: Place) -> Place {
        if yes == no {
            return yes;
        }
        let (yes, no) = (self.near(yes), self.near(no));
        let passes = |at: usize| (self.steps.len() - 1 - at) as u8;
        self.push(step(code, passes(yes), passes(no), value))
    }

    /// An instruction at which execution continues at a place, so near that the conditional jump that is written next reaches it, and
    /// also the one after one more instruction.
    fn near(&mut self, place: Place) -> usize {
        let known = match place {
            Place::At(at) => Some(at),
            Place::Answer(answer) => self.answers.get(&answer).copied(),
        };
        known.filter(|at| self.steps.len() - at <= REACH).unwrap_or_else(|| self.go(place))
    }

    /// Writes an instruction that leads to a place, and returns its number.
    fn go(&mut self, place: Place) -> usize {
        let here = self.steps.len();
        match place {
            Place::Answer(answer) => {
                self.push(step(RETURN, 0, 0, answer));
                self.answers.insert(answer, here);
            }
            Place::At(at) => drop(self.push(step(GO, 0, 0, (here - 1 - at) as u32))),
        }
        here
    }

    fn push(&mut self, instruction: sock_filter) -> Place {
        self.steps.push(instruction);
        Place::At(self.steps.len() - 1)
    }
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

    /// The program that makes these checks for calls of all numbers from each one to the one before the next.
    fn program(ranges: &[(u32, Vec<Check>)]) -> BpfProgram {
        let mut writer = Writer::default();
        let begin = writer.by_number(ranges, u32::MAX);
        writer.load_number(begin);
        writer.finish()
    }

    #[test]
    fn each_number_finds_its_range_however_long_the_checks_are() {
        for (ranges, length) in [(1, 0), (2, 1), (7, 3), (40, 30), (300, 2), (5, 400)] {
            let checks = |i: u32| {
                let other = |n: u32| Check::If(vec![Condition::is(0, 7 + n as i32)], n % 5);
                let checks = (0..length).map(other).chain([Check::Unless(1, vec![3], 1000 + i), Check::always(i)]);
                (i * 10, checks.collect())
            };
            let program = program(&(0..ranges).map(checks).collect::<Vec<_>>());
            for number in (0..ranges * 10 + 20).chain([u32::MAX]) {
                let expected = (number / 10).min(ranges - 1);
                let answers = [[0, 3], [0, 4], [7, 3]].map(|[a, b]| run(&program, number, 0, [a, b, 0, 0, 0, 0]));
                let first = if length > 0 { 0 } else { expected };
                assert_eq!(answers, [expected, 1000 + expected, first], "{ranges} ranges, call {number}");
            }
        }
    }

    #[test]
    fn a_check_of_numbers_knows_each_of_them() {
        for numbers in [vec![], vec![0], vec![5, 7], vec![0, 1, 2, 9], vec![3, 4, 8, 9, 10, u32::MAX]] {
            let program = program(&[(0, vec![Check::Unless(2, numbers.clone(), 1), Check::always(2)])]);
            for value in (0..12).chain([u32::MAX - 1, u32::MAX]) {
                let answer = run(&program, 0, 0, [0, 0, value.into(), 0, 0, 0]);
                assert_eq!(answer == 2, numbers.contains(&value), "{value} in {numbers:?}");
            }
        }
    }

    #[test]
    fn a_check_of_conditions_answers_only_if_all_of_them_hold() {
        type Holds = fn(u32) -> bool;
        let kinds: [(Condition, Holds); 6] = [
            (Condition::is(0, 5), |a| a == 5),
            (Condition::is_not(0, 5), |a| a != 5),
            (Condition::has(0, 6), |a| a & 6 == 6),
            (Condition::has_any(0, 6), |a| a & 6 > 0),
            (Condition::lacks(0, 6), |a| a & 6 == 0),
            (Condition::masked(0, 6, 4), |a| a & 6 == 4),
        ];
        for (first, holds) in kinds {
            for (other, also) in kinds {
                let second = Condition { half: 2, ..other };
                let one_by_one = vec![Check::If(vec![first], 1), Check::If(vec![other], 2), Check::always(3)];
                let both = vec![Check::If(vec![first, other], 1), Check::If(vec![first, second], 2)];
                let [one_by_one, both] = [one_by_one, both].map(|checks| program(&[(0, checks)]));
                for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
                    let arguments = [a.into(), b.into(), 0, 0, 0, 0];
                    let expected = if holds(a) {
                        1
                    } else if also(a) {
                        2
                    } else {
                        3
                    };
                    assert_eq!(run(&one_by_one, 0, 0, arguments), expected, "{first:?}, {other:?}: {a}");
                    let expected = match holds(a) {
                        true if also(a) => 1,
                        true if also(b) => 2,
                        _ => u32::MAX,
                    };
                    assert_eq!(run(&both, 0, 0, arguments), expected, "{first:?}, {second:?}: {a}, {b}");
                }
            }
        }
    }

    #[test]
    fn a_pointer_is_null_only_if_both_halves_are() {
        let checks = Condition::points(1).map(|half| Check::If(vec![half], 1));
        let program = program(&[(0, [checks.to_vec(), vec![Check::always(2)]].concat())]);
        for (value, expected) in [(0, 2), (1, 1), (1 << 32, 1), (u64::MAX, 1), (1 << 63, 1)] {
            assert_eq!(run(&program, 0, 0, [7, value, 7, 7, 7, 7]), expected, "{value:#x}");
        }
    }

    #[test]
    fn an_argument_is_loaded_once_and_an_answer_is_written_once() {
        let is = |value| Check::If(vec![Condition::is(1, value)], 7);
        let program = program(&[(0, vec![is(3), is(4), Check::Unless(1, vec![8, 9], 7)]), (9, vec![Check::always(7)])]);
        // Two loads, the search, two values, a range of two, two answers.
        assert_eq!(program.len(), 2 + 1 + 2 + 2 + 2);
    }
}
