//! Turns the panics of a module into traps.
//!
//! A module of Agon imports nothing, so nobody can read the text of its panics: each of them ends in a trap in any case. But the
//! compiler keeps all that makes the text, hands over what it needs at each place that may panic, and lists the places. That
//! is a twentieth of a module. A standard library that was built for it (`-C panic=immediate-abort`) would have none of that; the
//! stable compiler has no such library. So the functions of the standard library that begin a panic get the one
//! instruction in which they end, and the list is emptied. The optimiser then drops what only they needed.

use std::ops::Range;

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

/// The body of a function without local variables that traps: its length, no variables, `unreachable`, `end`.
const TRAP: [u8; 4] = [3, 0, 0x00, 0x0b];

const CUSTOM: u8 = 0;
const IMPORTS: u8 = 2;
const CODE: u8 = 10;
const DATA: u8 = 11;
/// The part of the section `name` that has the names of functions.
const FUNCTION_NAMES: u8 = 1;

/// Returns the module with traps in place of panics. The names of its functions must not have been stripped.
///
/// # Errors
/// Says why the bytes are no module that this function knows.
pub fn trap_panics(module: &[u8]) -> Result<Vec<u8>, String> {
    let mut reader = Reader { bytes: module };
    let mut trapping = reader.take(8).ok_or("it has no header")?.to_vec();
    let mut sections = Vec::new();
    while !reader.bytes.is_empty() {
        sections.push(reader.section().ok_or("a section is cut off")?);
    }
    if sections.iter().any(|(kind, _)| *kind == IMPORTS) {
        return Err("it imports something, but a module of Agon stands alone".into());
    }
    let panics =
        sections.iter().find_map(|(kind, content)| panics(*kind, content)).ok_or("it has no names of functions")?;
    for (kind, content) in sections {
        let changed = match kind {
            CODE => Some(trap(content, &panics).ok_or("its code is cut off")?),
            DATA => Some(blank_places(content).ok_or("its data are of a kind that is not known here")?),
            _ => None,
        };
        let content = changed.as_deref().unwrap_or(content);
        trapping.push(kind);
        write_number(content.len(), &mut trapping);
        trapping.extend(content);
    }
    Ok(trapping)
}

/// Returns the numbers of the functions that begin a panic, in ascending order, if this section has the names of functions.
fn panics(kind: u8, content: &[u8]) -> Option<Vec<usize>> {
    let mut reader = Reader { bytes: content };
    if kind != CUSTOM || reader.block()? != b"name" {
        return None;
    }
    let names = std::iter::from_fn(|| reader.section()).find(|(kind, _)| *kind == FUNCTION_NAMES)?.1;
    let mut reader = Reader { bytes: names };
    let mut panics = Vec::new();
    for _ in 0..reader.number()? {
        let (function, name) = (reader.number()?, String::from_utf8_lossy(reader.block()?));
        if PANICS.iter().any(|panic| name.contains(panic)) {
            panics.push(function);
        }
    }
    Some(panics)
}

/// Returns the section of code with other bodies for these functions.
fn trap(code: &[u8], panics: &[usize]) -> Option<Vec<u8>> {
    let mut reader = Reader { bytes: code };
    let (count, mut trapping) = (reader.number()?, Vec::new());
    write_number(count, &mut trapping);
    for function in 0..count {
        let body = reader.block()?;
        if panics.binary_search(&function).is_ok() {
            trapping.extend(TRAP);
        } else {
            write_number(body.len(), &mut trapping);
            trapping.extend(body);
        }
    }
    Some(trapping)
}

/// Returns the section of data with zeros for the places of panics (`core::panic::Location`): the address and the length of
/// the name of a source file, a line and a column. Only panics read them.
fn blank_places(data: &[u8]) -> Option<Vec<u8>> {
    let segments = segments(data)?;
    let find = |address: usize, length: usize| -> Option<Range<usize>> {
        let around = segments.iter().find(|(start, range)| (*start..start + range.len()).contains(&address));
        let (start, range) = around?;
        let begin = range.start + (address - start);
        (begin + length <= range.end).then_some(begin..begin + length)
    };
    let mut blank = data.to_vec();
    for (start, range) in &segments {
        let aligned = start.next_multiple_of(4) - start;
        for at in (range.start + aligned..range.end.saturating_sub(15)).step_by(4) {
            let word = |index: usize| {
                let bytes = &data[at + 4 * index..at + 4 * index + 4];
                bytes.iter().rev().fold(0, |word, byte| word << 8 | usize::from(*byte))
            };
            let [address, length, line, column] = [0, 1, 2, 3].map(word);
            if !(1..1 << 20).contains(&line) || !(1..1 << 12).contains(&column) || !(4..256).contains(&length) {
                continue;
            }
            if let Some(file) = find(address, length).filter(|file| data[file.clone()].ends_with(b".rs")) {
                blank[at..at + 16].fill(0);
                blank[file].fill(0);
            }
        }
    }
    Some(blank)
}

/// Returns where each segment of the data lies in the memory and in the section.
fn segments(data: &[u8]) -> Option<Vec<(usize, Range<usize>)>> {
    /// A segment that lies at a constant address of the only memory: the kind, `i32.const`.
    const AT: [u8; 2] = [0, 0x41];
    let mut reader = Reader { bytes: data };
    let mut segments = Vec::new();
    for _ in 0..reader.number()? {
        let is_known = reader.take(2)? == AT;
        let address = reader.number()?;
        let ends = reader.take(1)? == [0x0b];
        let bytes = reader.block()?;
        let end = data.len() - reader.bytes.len();
        if !is_known || !ends {
            return None;
        }
        segments.push((address, end - bytes.len()..end));
    }
    Some(segments)
}

/// What is left to read.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Reads a number of at most 32 bits: seven bits a byte, the lowest ones first.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads bytes with their length before them.
    fn block(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(length)
    }

    fn section(&mut self) -> Option<(u8, &'a [u8])> {
        let kind = self.take(1)?[0];
        Some((kind, self.block()?))
    }
}

fn write_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
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
    fn what_cannot_be_read_is_refused() {
        let bare = module("(module (func))");
        assert!(trap_panics(&bare).is_err_and(|why| why.contains("no names")));
        assert!(trap_panics(&bare[..bare.len() - 1]).is_err_and(|why| why.contains("cut off")));
        let importing = module(r#"(module (import "env" "print" (func $print)))"#);
        assert!(trap_panics(&importing).is_err_and(|why| why.contains("imports")));
    }
}
