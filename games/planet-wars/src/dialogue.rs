//! The referee's half of the wire protocol (seed "Bot I/O"): the state of the game and `go` to the bot, its orders and
//! `go` back.

use crate::{
    order::{MAX_ORDERS, Order},
    position::PlanetWars,
    reading::{AfterGo, Lines, Rules},
    view::View,
};
use agon_core::{Dialogue, Nonsense, Remaining, Said};
use alloc::{format, vec::Vec};

/// The referee's half of the wire protocol for one seat.
#[derive(Clone, Copy, Debug)]
pub struct Referee {
    lines: Lines,
    after_go: AfterGo,
}

/// One line of a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spoken {
    Order(Order),
    Go,
    /// Nothing that counts.
    Blank,
    /// Why it forfeits.
    Nonsense(&'static str),
}

impl Referee {
    /// As this rule set reads lines.
    #[must_use]
    pub fn new(rules: &Rules) -> Self {
        Self { lines: rules.lines, after_go: rules.after_go }
    }

    fn read_line(self, line: &[u8]) -> Spoken {
        match self.lines {
            Lines::Lenient => lenient(line),
            Lines::Server => server(line),
            Lines::Playgame => playgame(line),
        }
    }
}

impl Dialogue<PlanetWars> for Referee {
    /// There is no greeting: the map is only known from the first turn on.
    fn greet(&mut self, _: View<'_>, _: Remaining, _: &mut Vec<u8>) -> Said {
        Said::Ready
    }

    fn prompt(&mut self, view: View<'_>, _: Remaining, out: &mut Vec<u8>) {
        write_state(view, out);
        out.extend_from_slice(b"go\n");
    }

    fn hear(
        &mut self,
        _: View<'_>,
        _: Remaining,
        input: &[u8],
        _end: bool,
        orders: &mut Vec<Order>,
        _: &mut Vec<u8>,
    ) -> (usize, Said) {
        let mut used = 0;
        let mut decided = false;
        // A `go` without a line end is no `go`: whatever stands behind the last LF is not looked at.
        while let Some(length) = input[used..].iter().position(|b| *b == b'\n') {
            let line = &input[used..used + length];
            used += length + 1;
            match self.read_line(line) {
                Spoken::Order(_) if orders.len() == MAX_ORDERS => {
                    return (used, nonsense(line, format!("more than {MAX_ORDERS} orders in one turn")));
                }
                Spoken::Order(order) => orders.push(order),
                Spoken::Blank => {}
                Spoken::Nonsense(why) => return (used, nonsense(line, why)),
                Spoken::Go if self.after_go == AfterGo::NextTurn => return (used, Said::Decision),
                Spoken::Go => decided = true,
            }
        }
        if decided {
            // The Java engine reads everything that has come and starts the next turn with an empty line.
            return (input.len(), Said::Decision);
        }
        (used, Said::More)
    }
}

fn nonsense(line: &[u8], why: impl Into<alloc::string::String>) -> Said {
    Said::Nonsense(Nonsense::new(line, why))
}

/// Writes the state text: `P` lines, then `F` lines (seed "File Format"), single blanks, no comments.
pub fn write_state(view: View<'_>, out: &mut Vec<u8>) {
    for planet in 0..view.planets() {
        out.extend_from_slice(b"P ");
        out.extend_from_slice(view.chart().text(planet).as_bytes());
        numbers(out, &[view.owner(planet).number().into(), view.ships(planet), view.growth(planet)]);
    }
    for fleet in view.fleets() {
        out.push(b'F');
        let ends = [i32::from(fleet.source), i32::from(fleet.destination)];
        numbers(out, &[fleet.owner.into(), fleet.ships, ends[0], ends[1], fleet.total, fleet.remaining]);
    }
}

/// Appends ` 1 2 3` and a line end.
fn numbers(out: &mut Vec<u8>, numbers: &[i32]) {
    for number in numbers {
        out.push(b' ');
        push_number(out, *number);
    }
    out.push(b'\n');
}

/// Appends a number in decimal.
pub(crate) fn push_number(out: &mut Vec<u8>, number: i32) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

const NOT_AN_ORDER: &str = "neither `<source> <destination> <ships>` nor `go`";
const NOT_A_NUMBER: &str = "not three whole numbers";

/// By the seed: `#` and what follows it is white space, blank lines count for nothing, and numbers stand between runs of
/// blanks, tabs or CR.
fn lenient(line: &[u8]) -> Spoken {
    let code = line.split(|b| *b == b'#').next().unwrap_or_default();
    let code = trim(code, is_python_space);
    let mut fields = code.split(|b| matches!(b, b' ' | b'\t' | b'\r')).filter(|f| !f.is_empty());
    let Some(first) = fields.next() else { return Spoken::Blank };
    match [fields.next(), fields.next(), fields.next()] {
        [None, ..] if first.eq_ignore_ascii_case(b"go") => Spoken::Go,
        [Some(second), Some(third), None] => order([first, second, third].map(whole_number)),
        _ => Spoken::Nonsense(NOT_AN_ORDER),
    }
}

/// As the official server: the line is trimmed and split at every single blank; Python's `int` trims each piece again.
fn server(line: &[u8]) -> Spoken {
    let line = trim(line, is_python_space);
    if line.eq_ignore_ascii_case(b"go") {
        return Spoken::Go;
    }
    match three_fields(line) {
        Some(fields) => order(fields.map(|f| whole_number(trim(f, is_python_space)))),
        None => Spoken::Nonsense(NOT_AN_ORDER),
    }
}

/// As the Java engine: what has not three fields is ignored, a field that is no 32-bit number makes the engine give up
/// on the bot.
fn playgame(line: &[u8]) -> Spoken {
    let line = trim(line, |b| b <= b' ');
    if line.eq_ignore_ascii_case(b"go") {
        return Spoken::Go;
    }
    match three_fields(line) {
        Some(fields) => order(fields.map(|f| match whole_number(f) {
            Some(number) if i32::try_from(number).is_ok() => Some(number),
            _ => None,
        })),
        None => Spoken::Blank,
    }
}

/// Java's and Python's trimming differ: NUL is white space for Java only.
fn trim(line: &[u8], space: impl Fn(u8) -> bool) -> &[u8] {
    let start = line.iter().position(|b| !space(*b)).unwrap_or(line.len());
    let end = line.iter().rposition(|b| !space(*b)).map_or(start, |last| last + 1);
    &line[start..end]
}

fn is_python_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Splits at every single blank. `None` unless there are three pieces.
fn three_fields(line: &[u8]) -> Option<[&[u8]; 3]> {
    let mut fields = line.split(|b| *b == b' ');
    let three = [fields.next()?, fields.next()?, fields.next()?];
    fields.next().is_none().then_some(three)
}

fn order(fields: [Option<i64>; 3]) -> Spoken {
    match fields {
        [Some(source), Some(destination), Some(ships)] => {
            let [source, destination, ships] =
                [source, destination, ships].map(|n| n.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
            Spoken::Order(Order { source, destination, ships })
        }
        _ => Spoken::Nonsense(NOT_A_NUMBER),
    }
}

/// A sign and digits, leading zeros allowed. What does not fit is the nearest number that does.
fn whole_number(field: &[u8]) -> Option<i64> {
    let (negative, digits) = match field {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits.iter().fold(0i64, |n, d| n.saturating_mul(10).saturating_add(i64::from(d - b'0')));
    Some(if negative { -size } else { size })
}
