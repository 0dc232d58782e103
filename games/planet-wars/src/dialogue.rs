//! The referee's half of the wire protocol (specification "Bot I/O"): the state of the game and `go` to the bot, its
//! orders and `go` back.

use crate::{
    order::{MAX_ORDERS, Order},
    position::Position,
    rules::{AfterGo, LineFormat, Rules},
    view::View,
};
use agon_core::{Dialogue, Line, Lines, Nonsense, Remaining, Said};
use alloc::{format, vec::Vec};

/// Writes the state texts to one seat and reads its orders.
#[derive(Clone, Copy, Debug)]
pub struct RefereeDialogue {
    lines: LineFormat,
    after_go: AfterGo,
}

/// One line of a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spoken {
    Order(Order),
    Go,
    /// A line without any effect.
    Blank,
    /// A line that forfeits the game, with the reason.
    Nonsense(&'static str),
}

impl RefereeDialogue {
    /// Makes a dialogue that reads lines as this rule set says.
    #[must_use]
    pub fn new(rules: &Rules) -> Self {
        Self { lines: rules.lines, after_go: rules.after_go }
    }

    fn read_line(self, line: &[u8]) -> Spoken {
        match self.lines {
            LineFormat::Lenient => lenient(line),
            LineFormat::Server => server(line),
            LineFormat::Playgame => playgame(line),
        }
    }
}

impl Dialogue<Position> for RefereeDialogue {
    /// Sends nothing: the protocol has no greeting, and the bot gets the map with the first turn.
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
        let mut lines = Lines::new(input, usize::MAX);
        let mut decided = false;
        // A `go` without a line end does not count (W26): the bytes after the last LF are ignored.
        while let Some(Line::Complete(line)) = lines.next() {
            match self.read_line(line) {
                Spoken::Order(_) if orders.len() == MAX_ORDERS => {
                    return (lines.used(), nonsense(line, format!("more than {MAX_ORDERS} orders in one turn")));
                }
                Spoken::Order(order) => orders.push(order),
                Spoken::Blank => {}
                Spoken::Nonsense(why) => return (lines.used(), nonsense(line, why)),
                Spoken::Go if self.after_go == AfterGo::NextTurn => return (lines.used(), Said::Decision),
                Spoken::Go => decided = true,
            }
        }
        if decided {
            // The Java engine reads everything that has arrived and starts the next turn with an empty line.
            return (input.len(), Said::Decision);
        }
        (lines.used(), Said::More)
    }
}

fn nonsense(line: &[u8], why: impl Into<alloc::string::String>) -> Said {
    Said::Nonsense(Nonsense::new(line, why))
}

/// Writes the state text: `P` lines, then `F` lines (specification "File Format"), with single blanks and without
/// comments.
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

/// Appends numbers and a line end in the form ` 1 2 3`.
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

/// Reads a line by the specification: `#` and the text after it are white space, blank lines have no effect, and
/// numbers are separated by runs of blanks, tabs or CR.
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

/// Reads a line as the official server does: it trims the line and splits it at every single blank; Python's `int`
/// trims each piece again.
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

/// Reads a line as the Java engine does: it ignores a line without exactly three fields, and a field that is not a
/// 32-bit number makes the bot forfeit.
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

/// Removes white space at both ends. Java and Python differ in what it is: NUL is white space only for Java.
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

/// Reads a sign and digits, where leading zeros are allowed. A number that does not fit becomes the nearest one that
/// does.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{client::BotClient, map};
    use agon_core::{Asked, Client, Game, Seat, Setup, Terms};
    use alloc::{
        string::{String, ToString},
        vec,
    };

    const MAP: &str =
        "P 0    0    1 34 2 # one\nP 7.0 9e0    2 34 2\nP 3.14 2.71 0 15 5\nF 1 15 0 1 12 2\nF 2 28 1 2  8 4\n";

    fn start(rules: Rules) -> Position {
        let terms = Terms { rules, seats: 2, limit: None };
        Position::from_map(map::parse(MAP.as_bytes()).unwrap(), &terms).unwrap()
    }

    fn prompt(rules: Rules, seat: usize) -> String {
        let game = start(rules);
        let mut out = Vec::new();
        RefereeDialogue::new(&rules).prompt(game.view(Seat::new(seat)), Remaining::default(), &mut out);
        String::from_utf8(out).unwrap()
    }

    fn hear(rules: Rules, text: &[u8]) -> (Vec<[i32; 3]>, Said, usize) {
        let game = start(rules);
        let mut orders = Vec::new();
        let (used, said) = RefereeDialogue::new(&rules).hear(
            game.view(Seat::new(0)),
            Remaining::default(),
            text,
            false,
            &mut orders,
            &mut Vec::new(),
        );
        (orders.iter().map(|o| [o.source, o.destination, o.ships]).collect(), said, text.len() - used)
    }

    #[test]
    fn the_state_is_the_map_format_and_go_from_the_bots_own_point_of_view() {
        assert_eq!(
            prompt(Rules::SPEC, 0),
            "P 0 0 1 34 2\nP 7.0 9e0 2 34 2\nP 3.14 2.71 0 15 5\nF 1 15 0 1 12 2\nF 2 28 1 2 8 4\ngo\n"
        );
        assert_eq!(
            prompt(Rules::SPEC, 1),
            "P 0 0 2 34 2\nP 7.0 9e0 1 34 2\nP 3.14 2.71 0 15 5\nF 2 15 0 1 12 2\nF 1 28 1 2 8 4\ngo\n"
        );
    }

    #[test]
    fn coordinates_are_sent_as_each_engine_wrote_them() {
        assert!(prompt(Rules::ORIGINAL, 0).starts_with("P 0 0 1 34 2\nP 7 9 2 34 2\nP 3.14 2.71"));
        assert!(prompt(Rules::PLAYGAME, 0).starts_with("P 0.0 0.0 1 34 2\nP 7.0 9.0 2 34 2\nP 3.14 2.71"));
    }

    #[test]
    fn the_orders_of_the_specifications_example() {
        for rules in [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME] {
            let (orders, said, left) = hear(rules, b"1 17 50\n4 17 50\ngo\n");
            assert_eq!((orders, said, left), (vec![[1, 17, 50], [4, 17, 50]], Said::Decision, 0));
        }
    }

    /// Tests point W4 row by row: a line before `go`, and whether it is an order, ignored or a forfeit.
    #[test]
    fn lines_are_read_as_the_table_has_it() {
        const ORDER: &str = "order";
        const NONE: &str = "ignored";
        const OUT: &str = "forfeit";
        let table: &[(&[u8], [&str; 3])] = &[
            (b"1 17 50", [ORDER; 3]),
            (b"  1 17 50 \t\r", [ORDER; 3]),
            (b"1 17 50\x0c", [ORDER; 3]),
            (b"+1 017 +50", [ORDER; 3]),
            (b"1  17 50", [ORDER, OUT, NONE]),
            (b"1\t17\t50", [ORDER, OUT, NONE]),
            (b"1 17", [OUT, OUT, NONE]),
            (b"1 17 50 4", [OUT, OUT, NONE]),
            (b"1 17 50 # go", [ORDER, OUT, NONE]),
            (b"go now", [OUT, OUT, NONE]),
            (b"going", [OUT, OUT, NONE]),
            (b"", [NONE, OUT, NONE]),
            (b"   ", [NONE, OUT, NONE]),
            (b"1 17 50.0", [OUT; 3]),
            (b"1 17 0x3", [OUT; 3]),
            (b"1 17 3L", [OUT; 3]),
            (b"1 17 1_0", [OUT; 3]),
            (b"send all ships", [OUT; 3]),
            (b"# hi", [NONE, OUT, NONE]),
            (b"# hi there", [NONE, OUT, OUT]),
            (b"1 17 50\rgo", [OUT; 3]),
            (b"1 17 50\0", [OUT, OUT, ORDER]),
            (b"1 17 4294967297", [ORDER, ORDER, OUT]),
            (b"1\xa017\xa050", [OUT, OUT, NONE]),
            ("é 17 50".as_bytes(), [OUT; 3]),
        ];
        for (line, expected) in table {
            for (rules, expected) in [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME].into_iter().zip(expected) {
                let (orders, said, _) = hear(rules, &[line, &b"\ngo\n"[..]].concat());
                let outcome = match (orders.len(), said) {
                    (1, Said::Decision) => ORDER,
                    (0, Said::Decision) => NONE,
                    (0, Said::Nonsense(_)) => OUT,
                    other => panic!("{other:?}"),
                };
                assert_eq!(outcome, *expected, "{:?} by {:?}", String::from_utf8_lossy(line), rules.lines);
            }
        }
    }

    #[test]
    fn lines_behind_go_belong_to_the_next_turn_or_to_the_same_read() {
        let text = b"0 1 1\ngo\n0 2 2\ngo\n0 3";
        for rules in [Rules::SPEC, Rules::ORIGINAL] {
            assert_eq!(hear(rules, text), (vec![[0, 1, 1]], Said::Decision, 12));
        }
        assert_eq!(hear(Rules::PLAYGAME, text), (vec![[0, 1, 1], [0, 2, 2]], Said::Decision, 0));
    }

    #[test]
    fn go_without_a_line_end_is_no_go() {
        for rules in [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME] {
            assert_eq!(hear(rules, b"0 1 1\ngo"), (vec![[0, 1, 1]], Said::More, 2));
        }
    }

    #[test]
    fn a_flood_of_orders_is_nonsense() {
        let text = "0 1 1\n".repeat(MAX_ORDERS + 1);
        let (orders, said, _) = hear(Rules::SPEC, text.as_bytes());
        assert_eq!(orders.len(), MAX_ORDERS);
        assert!(matches!(said, Said::Nonsense(n) if n.why.contains("orders in one turn")));
    }

    #[test]
    fn a_client_reads_comments_and_writes_what_the_referee_reads() {
        let mut player = BotClient::default();
        assert_eq!(player.read(MAP.as_bytes(), &mut Vec::new()), (MAP.len(), Asked::More));
        assert_eq!(player.read(b"go\n", &mut Vec::new()), (3, Asked::Decide));
        assert_eq!(player.view(), start(Rules::SPEC).view(Seat::new(0)));
        let mut out = Vec::new();
        player.write(&[Order { source: 0, destination: 2, ships: 7 }], &mut out);
        assert_eq!(out, b"0 2 7\ngo\n");
        let confused = player.read(b"P 0 0 1 x 2\n", &mut Vec::new()).1;
        assert_eq!(confused, Asked::Confused("line 1, column 9: the number of ships cannot be `x`".to_string()));
    }
}
