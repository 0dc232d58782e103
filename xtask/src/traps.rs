//! Turns the panics of a module into traps.
//!
//! A module of Agon imports nothing, so nobody can read the text of its panics: each of them ends in a trap in any case. But the
//! compiler keeps all that makes the text, hands over what it needs at each place that may panic, and lists the places. That
//! is a twentieth of a module. A standard library that was built for it (`-C panic=immediate-abort`) would have none of that; the
//! stable compiler has no such library. So the functions of the standard library that begin a panic get the one
//! instruction in which they end, and the list is emptied. The optimiser then drops what only they needed.

use std::{borrow::Cow, ops::Range};
use wasm_encoder::{
    CodeSection, DataSection, Function, Instruction, Module,
    reencode::{self, Reencode},
};
use wasmparser::{BinaryReaderError, Data, DataKind, FunctionBody, KnownCustom, Name, Operator, Parser, Payload};

/// Parts of the names of these functions, as symbols have them: each part of a path with its length before it. If a compiler
/// names them otherwise, the module is only larger.
const PANICS: &[&str] = &[
    "4core9panicking",
    "4core6option13expect_failed",
    "4core6option13unwrap_failed",
    "4core6result13unwrap_failed",
    "4core5slice5index16slice_index_fail",
    "4core5slice20copy_from_slice_impl17len_mismatch_fail",
    "4core3str19slice_error_fail",
    "4core4cell22panic_already_borrowed",
    "4core4cell30panic_already_mutably_borrowed",
    "5alloc5alloc18handle_alloc_error",
    "5alloc7raw_vec12handle_error",
    "5alloc7raw_vec17capacity_overflow",
    "3std6thread5local18panic_access_error",
];

/// Returns the module with traps in place of panics. The names of its functions must not have been stripped.
///
/// # Errors
/// Says why the bytes are no module that this function knows.
pub fn trap_panics(module: &[u8]) -> Result<Vec<u8>, String> {
    let (mut panics, mut segments) = (None, Vec::new());
    for section in Parser::new(0).parse_all(module) {
        match section.map_err(unreadable)? {
            Payload::ImportSection(_) => {
                return Err("it imports something, but a module of Agon stands alone".into());
            }
            Payload::DataSection(data) => {
                for data in data {
                    segments.push(Segment::of(&data.map_err(unreadable)?)?);
                }
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    for part in names {
                        if let Name::Function(names) = part.map_err(unreadable)? {
                            panics = Some(beginning_panics(names).map_err(unreadable)?);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let panics = panics.ok_or("it has no names of functions")?;
    let mut trapping = Trapping { panics, functions: 0..u32::MAX, data: blank_places(&segments).into_iter() };
    let mut out = Module::new();
    trapping.parse_core_module(&mut out, Parser::new(0), module).map_err(|why| format!("{why}"))?;
    Ok(out.finish())
}

fn unreadable(why: BinaryReaderError) -> String {
    format!("it cannot be read: {why}")
}

/// Returns the numbers of the functions that begin a panic, in ascending order.
fn beginning_panics(names: wasmparser::NameMap<'_>) -> Result<Vec<u32>, BinaryReaderError> {
    let mut panics = Vec::new();
    for name in names {
        let name = name?;
        if PANICS.iter().any(|panic| name.name.contains(panic)) {
            panics.push(name.index);
        }
    }
    Ok(panics)
}

/// Writes a module anew with other bodies and other data.
struct Trapping<D> {
    /// The numbers of the functions that trap, in ascending order.
    panics: Vec<u32>,
    /// The numbers of the functions that come next. There are no imports, so each has a body.
    functions: Range<u32>,
    /// The bytes of the segments that come next.
    data: D,
}

impl<D: Iterator<Item = Vec<u8>>> Reencode for Trapping<D> {
    type Error = std::convert::Infallible;

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), reencode::Error<Self::Error>> {
        let traps = self.functions.next().is_some_and(|function| self.panics.binary_search(&function).is_ok());
        if traps {
            code.function(Function::new([]).instruction(&Instruction::Unreachable).instruction(&Instruction::End));
        } else {
            code.raw(body.as_bytes());
        }
        Ok(())
    }

    fn parse_data(&mut self, out: &mut DataSection, data: Data<'_>) -> Result<(), reencode::Error<Self::Error>> {
        let blank = self.data.next().map_or(Cow::Borrowed(data.data), Cow::Owned);
        reencode::utils::parse_data(self, out, Data { data: &blank, ..data })
    }
}

/// A piece of the memory as it is at the start.
struct Segment<'a> {
    address: usize,
    bytes: &'a [u8],
}

impl<'a> Segment<'a> {
    /// # Errors
    /// Fails if the segment does not lie at a constant address of the only memory.
    fn of(data: &Data<'a>) -> Result<Self, String> {
        let unknown = || "its data are of a kind that is not known here".to_owned();
        let DataKind::Active { memory_index: 0, offset_expr } = &data.kind else { return Err(unknown()) };
        let mut address = offset_expr.get_operators_reader();
        let Operator::I32Const { value } = address.read().map_err(unreadable)? else { return Err(unknown()) };
        let Operator::End = address.read().map_err(unreadable)? else { return Err(unknown()) };
        Ok(Self { address: value as u32 as usize, bytes: data.data })
    }
}

/// Returns the bytes of each segment with zeros for the places of panics (`core::panic::Location`): the address and the length
/// of the name of a source file, a line and a column. Only panics read them.
fn blank_places(segments: &[Segment<'_>]) -> Vec<Vec<u8>> {
    let find = |address: usize, length: usize| -> Option<(usize, Range<usize>)> {
        let around =
            |segment: &Segment<'_>| (segment.address..segment.address + segment.bytes.len()).contains(&address);
        let number = segments.iter().position(around)?;
        let begin = address - segments[number].address;
        (begin + length <= segments[number].bytes.len()).then_some((number, begin..begin + length))
    };
    let mut blank: Vec<Vec<u8>> = segments.iter().map(|segment| segment.bytes.to_vec()).collect();
    for (number, Segment { address, bytes }) in segments.iter().enumerate() {
        let aligned = address.next_multiple_of(4) - address;
        for at in (aligned..bytes.len().saturating_sub(15)).step_by(4) {
            let word = |index: usize| {
                let bytes = &bytes[at + 4 * index..at + 4 * index + 4];
                bytes.iter().rev().fold(0, |word, byte| word << 8 | usize::from(*byte))
            };
            let [address, length, line, column] = [0, 1, 2, 3].map(word);
            if !(1..1 << 20).contains(&line) || !(1..1 << 12).contains(&column) || !(4..256).contains(&length) {
                continue;
            }
            if let Some((within, file)) = find(address, length)
                && segments[within].bytes[file.clone()].ends_with(b".rs")
            {
                blank[number][at..at + 16].fill(0);
                blank[within][file].fill(0);
            }
        }
    }
    blank
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Vec<u8> {
        wat::parse_str(text).expect("a module")
    }

    /// A function with this body between others, and these data.
    fn text(panic: &str, data: &str) -> String {
        format!(
            r#"(module
                (memory 1)
                (func $work (export "work") (param i32) (result i32) (local i64) local.get 0 i32.const 300 i32.add)
                (func $_ZN4core9panicking9panic_fmt17h0123456789abcdefE (param i32 i32) {panic})
                (func $_RNvNtCs1234_4core9panicking5panic (param i32) {panic})
                (func $_ZN4core3fmt5write17h0123456789abcdefE (param i32) i32.const 0 local.get 0 i32.store)
                (data (i32.const 1024) "{data}"))"#
        )
    }

    #[test]
    fn only_panics_become_traps() {
        let before = module(&text("i32.const 0 local.get 0 i32.store loop br 0 end", "words"));
        let after = trap_panics(&before).expect("a module with names");
        assert_ne!(after, before);
        assert_eq!(after, module(&text("unreachable", "words")));
    }

    #[test]
    fn only_places_are_blanked() {
        let places = |name: &str, place: &str| text("unreachable", &format!("{name}three words{place}{NUMBERS}"));
        /// An address and a length of another text, and numbers.
        const NUMBERS: &str = r"\08\04\00\00\05\00\00\00\07\00\00\00\09\00\00\00";
        let before = module(&places("a/b.rs\\00\\00", r"!\00\04\00\00\06\00\00\00\07\00\00\00\09\00\00\00"));
        let after = trap_panics(&before).expect("a module with names");
        let zeros = |count: usize| r"\00".repeat(count);
        assert_eq!(after, module(&places(&zeros(8), &format!("!{}", zeros(16)))));
    }

    #[test]
    fn unreadable_bytes_are_refused() {
        let bare = module("(module (func))");
        assert!(trap_panics(&bare).is_err_and(|why| why.contains("no names")));
        assert!(trap_panics(&bare[..bare.len() - 1]).is_err_and(|why| why.contains("unexpected end")));
        let importing = module(r#"(module (import "env" "print" (func $print)))"#);
        assert!(trap_panics(&importing).is_err_and(|why| why.contains("imports")));
        let computed =
            module(&text("unreachable", "words").replace("i32.const 1024", "i32.add (i32.const 1024) (i32.const 8)"));
        assert!(trap_panics(&computed).is_err_and(|why| why.contains("a kind that is not known")));
    }
}
