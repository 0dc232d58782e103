//! Map files (specification "File Format"): how they are read and printed, and what can be wrong with them.
//!
//! This reads every layout that one of the contest's engines could read, and the specification's own aligned example,
//! which neither could read: runs of blanks and tabs, comments, LF or CRLF, fleets, `p` and `f` in lower case. Like
//! the official server it ignores fields after the last one of a line, and lines that begin with another word.

use crate::coordinate::{Coordinate, MAX_COORDINATE, MAX_NUMBER_LENGTH};
use agon_core::Flaw;
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::Write as _;

/// The largest number of planets of a map (official maps have 15 to 30).
pub const MAX_PLANETS: usize = 1_000;

/// The largest number of fleets of a map file.
pub const MAX_FLEETS: usize = 1_000_000;

/// The largest number of ships that a planet, or all planets and fleets of one player, may hold at any time. It
/// includes what a player may grow to within the turn limit, so that no sum leaves 32 bits.
pub const MAX_SHIPS: i32 = i32::MAX - 1;

/// One planet of a map. Its ID is its index (specification "Planets").
#[derive(Clone, PartialEq, Debug)]
pub struct Planet {
    /// The first coordinate.
    pub x: Coordinate,
    /// The second coordinate.
    pub y: Coordinate,
    /// The owner: 0 for neutral, 1 or 2 for a player.
    pub owner: u8,
    /// The number of ships, from 0 to [`MAX_SHIPS`].
    pub ships: i32,
    /// The number of ships that the planet gains in each turn while a player owns it.
    pub growth: i32,
}

/// One fleet in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fleet {
    /// The owner: player 1 or 2. In a view, 1 is the seat itself.
    pub owner: u8,
    /// The number of ships.
    pub ships: i32,
    /// The ID of the planet that it has left.
    pub source: u16,
    /// The ID of the planet that it flies to.
    pub destination: u16,
    /// The length of the whole trip, in turns.
    pub total: i32,
    /// The number of turns to the arrival. A fleet with 1 arrives at the end of this turn.
    pub remaining: i32,
}

/// The content of a map file: any position, without the number of the turn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Map {
    /// The planets, in the order of their IDs.
    pub planets: Vec<Planet>,
    /// The fleets, in the order in which they are sent to bots.
    pub fleets: Vec<Fleet>,
}

/// One line of a map file or of a state text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Line {
    Planet(Planet),
    Fleet(Fleet),
    Go,
    Other,
}

/// Reads a map file.
///
/// # Errors
/// The first flaw with its line and column.
pub fn parse(text: &[u8]) -> Result<Map, Flaw> {
    let mut map = Map::default();
    let mut fleet_lines = Vec::new();
    for (index, line) in text.split(|b| *b == b'\n').enumerate() {
        let number = index + 1;
        check_line_end(line, number)?;
        match parse_line(line, number)? {
            Line::Planet(planet) => {
                if map.planets.len() == MAX_PLANETS {
                    return Err(Flaw::new(format!("the map has more than {MAX_PLANETS} planets")).at(number, 1));
                }
                map.planets.push(planet);
            }
            Line::Fleet(fleet) => {
                if map.fleets.len() == MAX_FLEETS {
                    return Err(Flaw::new(format!("the map has more than {MAX_FLEETS} fleets")).at(number, 1));
                }
                map.fleets.push(fleet);
                fleet_lines.push(number);
            }
            Line::Go | Line::Other => {}
        }
    }
    if map.planets.is_empty() {
        return Err(Flaw::new("the map has no planet")
            .at(1, 1)
            .hint("write a planet as `P <x> <y> <owner> <ships> <growth>`"));
    }
    for (fleet, number) in map.fleets.iter().zip(fleet_lines) {
        if let Err(what) = fleet_ends(fleet, map.planets.len()) {
            return Err(Flaw::new(what).at(number, 1));
        }
    }
    Ok(map)
}

/// Checks the end of a line. Specification "File Format": lines are separated by LF. A CR before the LF is accepted.
/// After a lone CR, the rest of the text would be taken for surplus fields or a comment and silently ignored, so a
/// lone CR is a flaw.
fn check_line_end(line: &[u8], number: usize) -> Result<(), Flaw> {
    match line.trim_ascii_end().iter().position(|b| *b == b'\r') {
        None => Ok(()),
        Some(at) => {
            let column = String::from_utf8_lossy(&line[..at]).chars().count() + 1;
            Err(Flaw::new("the line contains a carriage return")
                .at(number, column)
                .hint("end each line with LF or CRLF"))
        }
    }
}

/// Checks that the planets of a fleet exist.
fn fleet_ends(fleet: &Fleet, planets: usize) -> Result<(), String> {
    for (name, id) in [("source", fleet.source), ("destination", fleet.destination)] {
        if usize::from(id) >= planets {
            return Err(format!("the fleet's {name} is planet {id}, but the last planet is {}", planets - 1));
        }
    }
    Ok(())
}

/// Checks what the types leave open, for maps that do not come from [`parse`].
///
/// # Errors
/// The first flaw. It names the planet or the fleet.
pub fn validate(map: &Map) -> Result<(), Flaw> {
    let planets = map.planets.len();
    if planets == 0 || planets > MAX_PLANETS {
        return Err(Flaw::new(format!("a map has 1 to {MAX_PLANETS} planets, not {planets}")));
    }
    if map.fleets.len() > MAX_FLEETS {
        return Err(Flaw::new(format!("the map has more than {MAX_FLEETS} fleets")));
    }
    for (id, planet) in map.planets.iter().enumerate() {
        if planet.owner > 2 || !(0..=MAX_SHIPS).contains(&planet.ships) || planet.growth < 0 {
            return Err(Flaw::new(format!("planet {id} has an impossible owner, number of ships or growth")));
        }
    }
    for (index, fleet) in map.fleets.iter().enumerate() {
        let owner = (1..=2).contains(&fleet.owner);
        if !owner || !(0..=MAX_SHIPS).contains(&fleet.ships) || fleet.total < 0 || fleet.remaining < 0 {
            return Err(Flaw::new(format!(
                "fleet {index} has an impossible owner, number of ships or number of turns"
            )));
        }
        fleet_ends(fleet, planets).map_err(Flaw::new)?;
    }
    Ok(())
}

/// Writes a map file. [`parse`] reads it back as the same map. Fields are separated by single blanks, and coordinates
/// keep their text.
#[must_use]
pub fn print(map: &Map) -> String {
    let mut text = String::new();
    for p in &map.planets {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "P {} {} {} {} {}", p.x.text(), p.y.text(), p.owner, p.ships, p.growth);
    }
    for f in &map.fleets {
        let _ = writeln!(text, "F {} {} {} {} {} {}", f.owner, f.ships, f.source, f.destination, f.total, f.remaining);
    }
    text
}

/// Reads one line without its LF. Fleets may name planets that do not exist.
pub(crate) fn parse_line(line: &[u8], number: usize) -> Result<Line, Flaw> {
    // Specification "File Format": `#` and the text after it are white space.
    let code = line.split(|b| *b == b'#').next().unwrap_or_default();
    let mut fields = Fields { line: code, at: 0, number };
    let Some((keyword, _)) = fields.next() else { return Ok(Line::Other) };
    match keyword {
        b"P" | b"p" => Ok(Line::Planet(Planet {
            x: fields.coordinate("x")?,
            y: fields.coordinate("y")?,
            owner: fields.integer("owner", 0, 2)? as u8,
            ships: fields.integer("number of ships", 0, MAX_SHIPS)?,
            growth: fields.integer("growth rate", 0, MAX_SHIPS)?,
        })),
        b"F" | b"f" => Ok(Line::Fleet(Fleet {
            owner: fields.integer("owner", 1, 2)? as u8,
            ships: fields.integer("number of ships", 0, MAX_SHIPS)?,
            source: fields.integer("source planet", 0, MAX_PLANETS as i32 - 1)? as u16,
            destination: fields.integer("destination planet", 0, MAX_PLANETS as i32 - 1)? as u16,
            total: fields.integer("trip length", 0, i32::MAX)?,
            remaining: fields.integer("turns remaining", 0, i32::MAX)?,
        })),
        b"go" => Ok(Line::Go),
        _ => Ok(Line::Other),
    }
}

/// The fields of one line, which runs of white space separate.
struct Fields<'a> {
    line: &'a [u8],
    at: usize,
    number: usize,
}

impl<'a> Fields<'a> {
    /// The next field and the index of its first character.
    fn next(&mut self) -> Option<(&'a [u8], usize)> {
        let rest = &self.line[self.at..];
        let start = self.at + rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let field = self.line[start..].split(u8::is_ascii_whitespace).next().unwrap_or_default();
        self.at = start + field.len();
        Some((field, start))
    }

    fn expect(&mut self, name: &str) -> Result<(&'a str, usize), Flaw> {
        let end = self.at;
        let Some((field, start)) = self.next() else {
            return Err(Flaw::new(format!("the {name} is missing"))
                .at(self.number, end + 1)
                .hint("write `P <x> <y> <owner> <ships> <growth>` or `F <owner> <ships> <source> <destination> <total> <remaining>`"));
        };
        // Only ASCII comes before this field, so bytes are characters.
        core::str::from_utf8(field)
            .map(|field| (field, start))
            .map_err(|_| Flaw::new(format!("the {name} is not a number")).spanning(self.number, start + 1, field.len()))
    }

    fn coordinate(&mut self, name: &str) -> Result<Coordinate, Flaw> {
        let (field, start) = self.expect(name)?;
        Coordinate::read(field).ok_or_else(|| {
            Flaw::new(format!("{name} cannot be `{}`", excerpt(field)))
                .spanning(self.number, start + 1, field.chars().count())
                .hint(format!(
                    "a coordinate is a decimal number of at most {MAX_NUMBER_LENGTH} characters, from -{MAX_COORDINATE:e} to {MAX_COORDINATE:e}"
                ))
        })
    }

    fn integer(&mut self, name: &str, low: i32, high: i32) -> Result<i32, Flaw> {
        let (field, start) = self.expect(name)?;
        match field.parse::<i32>() {
            Ok(value) if (low..=high).contains(&value) => Ok(value),
            _ => Err(Flaw::new(format!("the {name} cannot be `{}`", excerpt(field)))
                .spanning(self.number, start + 1, field.chars().count())
                .hint(format!("it is a whole number from {low} to {high}"))),
        }
    }
}

fn excerpt(field: &str) -> String {
    field.chars().take(MAX_NUMBER_LENGTH).collect::<String>().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Place;
    use proptest::prelude::*;

    const EXAMPLE: &str = "\
# Example map

P 0    0    1 34 2  # BotClient one's home planet.
P 7    9    2 34 2  # BotClient two's home planet.
P 3.14 2.71 0 15 5  # A neutral planet with real-number coordinates.

F 1 15 0 1 12 2     # BotClient one has sent some ships to attack player two.
F 2 28 1 2  8 4     # BotClient two has sent some ships to take over the neutral planet.
";

    #[test]
    fn reads_the_example_of_the_specification() {
        let map = parse(EXAMPLE.as_bytes()).unwrap();
        assert_eq!(map.planets.len(), 3);
        assert_eq!(map.planets[2].y.value(), 2.71);
        assert_eq!(
            map.fleets,
            [
                Fleet { owner: 1, ships: 15, source: 0, destination: 1, total: 12, remaining: 2 },
                Fleet { owner: 2, ships: 28, source: 1, destination: 2, total: 8, remaining: 4 },
            ]
        );
        let single = "P 0 0 1 34 2\nP 7 9 2 34 2\nP 3.14 2.71 0 15 5\nF 1 15 0 1 12 2\nF 2 28 1 2 8 4\n";
        assert_eq!(print(&map), single);
        assert_eq!(parse(single.as_bytes()), Ok(map));
    }

    #[test]
    fn reads_what_one_of_the_engines_could_read() {
        let plain = parse(b"P 0 0 1 5 1\nP 1 1 2 5 1\n").unwrap();
        for text in [
            "p 0 0 1 5 1\r\np 1 1 2 5 1\r\n",
            "P 0 0 1 5 1 \r\r\n\r\nP 1 1 2 5 1",
            "P 0 0 1 5 1 surplus\nM something\n\nP 1 1 2 5 1",
            "\tP\t0\t0 1 5 1# c\n# P 9 9 9 9 9\nP 1 1 2 5 1\ngo\n",
        ] {
            assert_eq!(parse(text.as_bytes()).as_ref(), Ok(&plain), "{text:?}");
        }
    }

    #[test]
    fn a_flaw_names_its_place() {
        let place = |text: &str| parse(text.as_bytes()).unwrap_err().place.unwrap();
        assert_eq!(place("P 0 0 1 5 1\nP 0  x 1 5 1\n"), Place { line: 2, column: 6, length: 1 });
        assert_eq!(place("P 0 0 3 5 1\n"), Place { line: 1, column: 7, length: 1 });
        assert_eq!(place("P 0 0 1 -50 1\n"), Place { line: 1, column: 9, length: 3 });
        assert_eq!(place("P 0 0 1 5\n"), Place { line: 1, column: 10, length: 1 });
        assert_eq!(place("F 0 5 0 0 1 1\n"), Place { line: 1, column: 3, length: 1 });
        assert_eq!(place("P 0 0 1 5 1\nF 1 5 0 1 1 1\n"), Place { line: 2, column: 1, length: 1 });
        assert_eq!(place("P 0 0 1 2147483647 1\n").column, 9);
        assert_eq!(place("P 0 0 1 5 1\rP 1 1 2 5 1\r"), Place { line: 1, column: 12, length: 1 });
        assert_eq!(place("P 0 0 1 5 1\n# é\rP 1 1 2 5 1\r"), Place { line: 2, column: 4, length: 1 });
        assert_eq!(place(""), Place { line: 1, column: 1, length: 1 });
    }

    #[test]
    fn too_many_planets_are_refused_at_the_first_surplus_one() {
        let text = "P 0 0 1 5 1\n".repeat(MAX_PLANETS + 1);
        assert_eq!(parse(text.as_bytes()).unwrap_err().place.unwrap().line as usize, MAX_PLANETS + 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn any_bytes_are_read_or_refused(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&text);
        }

        #[test]
        fn words_of_maps_are_read_or_refused_and_survive_printing(text in "([PFpf#]|[ \t\r\n]|-?[0-9]{1,3}|[.eE]){0,60}") {
            if let Ok(map) = parse(text.as_bytes()) {
                prop_assert!(validate(&map).is_ok());
                prop_assert_eq!(parse(print(&map).as_bytes()), Ok(map));
            }
        }
    }
}
