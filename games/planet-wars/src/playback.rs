//! The playback string, which every visualizer of the contest reads: one line of ASCII of the form `header
//! frame:frame:…`.
//!
//! * Header: the planets at the start, separated by `:`, each as `x,y,owner,ships,growth`. It does not hold the
//!   fleets of the map.
//! * Frame: the state after a turn. Its items are separated by `,`: one `owner.ships` for each planet, then one
//!   `owner.ships.source.destination.total.remaining` for each fleet, with the players' real numbers (1, 2) as owners.
//! * Java form: every frame ends with `:`. Server form: frames are separated by `:`, and a frame without fleets ends
//!   with a comma.

use crate::{
    coordinate::{Coordinate, digits12, shortest},
    map::{Fleet, MAX_FLEETS, MAX_PLANETS, MAX_SHIPS, Map, Planet},
    order::Order,
    position::Position,
    rules::{Coordinates, Forfeit, Limit, PlaybackForm, Rules},
};
use agon_core::{Entry, Flaw, Game, Joint, Seat, Setup, Terms, judge, text::counted};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::Write as _;

/// The largest number of frames that are read.
pub const MAX_FRAMES: usize = 100_000;

/// The state after one turn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Snapshot {
    /// The owner (0, 1, 2) and the number of ships of each planet.
    pub planets: Vec<(u8, i32)>,
    /// The fleets in flight.
    pub fleets: Vec<Fleet>,
}

/// A whole game as a playback string holds it. It has no orders, times or names. Of the map's fleets, it has only what
/// the first frame shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Playback {
    form: PlaybackForm,
    header: Vec<Planet>,
    frames: Vec<Snapshot>,
}

impl Playback {
    /// Begins with the position before the first turn, in the form of its rule set.
    #[must_use]
    pub fn begin(start: &Position) -> Self {
        let rules = start.rules();
        let mut header = start.to_map().planets;
        for planet in &mut header {
            planet.x = header_coordinate(&planet.x, rules.coordinates);
            planet.y = header_coordinate(&planet.y, rules.coordinates);
        }
        Self { form: rules.playback, header, frames: Vec::new() }
    }

    /// Adds the position after a turn. Adds nothing if a forfeit ended the game before the turn was played: there is
    /// no state after such a turn.
    pub fn push(&mut self, game: &Position) {
        if game.turn() as usize <= self.frames.len() {
            return;
        }
        let planets = (0..game.planet_count()).map(|id| (game.owner(id), game.ships(id))).collect();
        let fleets = game.fleets().map_or_else(|| game.to_map().fleets, <[Fleet]>::to_vec);
        self.frames.push(Snapshot { planets, fleets });
    }

    /// The same playback in this form.
    #[must_use]
    pub fn with_form(self, form: PlaybackForm) -> Self {
        Self { form, ..self }
    }

    /// The form in which it was read or will be printed.
    #[must_use]
    pub fn form(&self) -> PlaybackForm {
        self.form
    }

    /// The states after each turn.
    #[must_use]
    pub fn frames(&self) -> &[Snapshot] {
        &self.frames
    }

    /// The map at the start of the game. The header does not hold its fleets, but the first frame shows those that had
    /// left before the game and were still in flight after the first turn.
    #[must_use]
    pub fn map(&self) -> Map {
        let first = self.frames.first().map_or(&[][..], |frame| &frame.fleets);
        let older = first.iter().filter(|f| f.remaining < f.total.saturating_sub(1));
        Map {
            planets: self.header.clone(),
            fleets: older.map(|f| Fleet { remaining: f.remaining + 1, ..*f }).collect(),
        }
    }

    /// The turn limit with which `rules` play no more turns than there are frames. If the rule set plays one turn more
    /// than the limit, this is one less than the number of frames.
    #[must_use]
    pub fn limit(&self, rules: &Rules) -> u32 {
        let turns = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        turns.saturating_sub((rules.limit == Limit::OneMore).into()).max(1)
    }

    /// The state after `turn` turns, for display. Turn 0 is the map. `None` after the last turn.
    #[must_use]
    pub fn state(&self, turn: usize) -> Option<Map> {
        let Some(before) = turn.checked_sub(1) else { return Some(self.map()) };
        let frame = self.frames.get(before)?;
        let planets = self.header.iter().zip(&frame.planets);
        Some(Map {
            planets: planets.map(|(p, &(owner, ships))| Planet { owner, ships, ..p.clone() }).collect(),
            fleets: frame.fleets.clone(),
        })
    }

    /// The orders of a turn (counted from 0) as far as a playback shows them: one for each fleet that left in it. A
    /// playback does not show a fleet that arrives in the turn in which it is sent, nor which player forfeits.
    #[must_use]
    pub fn orders(&self, turn: usize) -> [Vec<Order>; 2] {
        let mut orders = [Vec::new(), Vec::new()];
        for fleet in self.frames.get(turn).map_or(&[][..], |f| &f.fleets) {
            if fleet.remaining == fleet.total - 1 {
                orders[usize::from(fleet.owner - 1)].push(Order {
                    source: fleet.source.into(),
                    destination: fleet.destination.into(),
                    ships: fleet.ships,
                });
            }
        }
        orders
    }

    /// Plays the game again by `rules` from the map and the orders that the frames show, and compares every planet.
    /// This suits games on maps where every trip takes two turns or more. If these rules play out the turn of a
    /// forfeit, a player that is gone in the last frame counts as having forfeited.
    ///
    /// # Errors
    /// The first turn that these rules do not explain or no longer play, or the reason why the map cannot be played.
    pub fn verify(&self, rules: Rules) -> Result<(), Flaw> {
        let terms = Terms { rules, seats: 2, limit: Some(self.limit(&rules)) };
        let mut game = Position::from_map(self.map(), &terms).map_err(|flawed| flawed.flaw)?;
        let mut tmp = <Position as Game>::Scratch::default();
        for (turn, frame) in self.frames.iter().enumerate() {
            if game.over() {
                return Err(Flaw::new(format!("turn {}: by these rules the game has already ended", turn + 1)));
            }
            let orders = self.orders(turn);
            let last = turn + 1 == self.frames.len();
            let entries = [0, 1].map(|side| judge(&game, Seat::new(side), &orders[side], None, &mut tmp).0);
            if let Some(entry) = entries.iter().find(|e: &&Entry<'_, Order>| e.failure.is_some()) {
                return Err(Flaw::new(format!("turn {}: the fleets of player {} are unlawful", turn + 1, entry.seat)));
            }
            game.resolve(Joint::new(&entries), &mut tmp, &mut ());
            let differs = |id: &usize| frame.planets[*id] != (game.owner(*id), game.ships(*id));
            match (0..game.planet_count()).find(differs) {
                Some(_) if last && rules.forfeit == Forfeit::PlaysOut && frame.lacks_a_player() => {}
                Some(id) => {
                    let (owner, ships) = frame.planets[id];
                    return Err(Flaw::new(format!(
                        "turn {}: planet {id} has {} of owner {owner}, but by these rules {} of owner {}",
                        turn + 1,
                        counted(ships, "ship"),
                        game.ships(id),
                        game.owner(id)
                    )));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Writes the string, without a line end.
    #[must_use]
    pub fn print(&self) -> String {
        let mut text = String::new();
        for (id, p) in self.header.iter().enumerate() {
            let colon = if id == 0 { "" } else { ":" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{colon}{},{},{},{},{}", p.x.text(), p.y.text(), p.owner, p.ships, p.growth);
        }
        text.push('|');
        for (index, frame) in self.frames.iter().enumerate() {
            if index > 0 && self.form == PlaybackForm::Server {
                text.push(':');
            }
            for (id, (owner, ships)) in frame.planets.iter().enumerate() {
                let comma = if id == 0 { "" } else { "," };
                let _ = write!(text, "{comma}{owner}.{ships}");
            }
            for f in &frame.fleets {
                let Fleet { owner, ships, source, destination, total, remaining } = f;
                let _ = write!(text, ",{owner}.{ships}.{source}.{destination}.{total}.{remaining}");
            }
            match self.form {
                PlaybackForm::Java => text.push(':'),
                PlaybackForm::Server if frame.fleets.is_empty() => text.push(','),
                PlaybackForm::Server => {}
            }
        }
        text
    }

    /// Reads a playback string of either form.
    ///
    /// # Errors
    /// The first flaw, with its column.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        match Self::parse_frames(text)? {
            (playback, None) => Ok(playback),
            (_, Some(cut)) => Err(cut),
        }
    }

    /// Reads the whole frames of a playback string of either form that may have been cut. Returns whether a part of a frame
    /// was left out at the end.
    ///
    /// # Errors
    /// The first flaw, with its column, if the text is no playback, or has no whole frame.
    pub fn parse_whole_frames(text: &str) -> Result<(Self, bool), Flaw> {
        match Self::parse_frames(text)? {
            (playback, Some(cut)) if playback.frames.is_empty() => Err(cut),
            (playback, cut) => Ok((playback, cut.is_some())),
        }
    }

    /// Removes the last frame, which may have been cut in a number: then it looks whole.
    #[must_use]
    pub fn without_last_frame(mut self) -> Self {
        self.frames.pop();
        self
    }

    /// Reads the whole frames, and says what is wrong with the last one if it could be the beginning of a frame.
    fn parse_frames(text: &str) -> Result<(Self, Option<Flaw>), Flaw> {
        let text = text.trim_end_matches(['\r', '\n']);
        let Some((header, body)) = text.split_once('|') else {
            return Err(Flaw::new("the playback string has no `|` after its header").at(1, 1));
        };
        let mut at = 1;
        let mut planets = Vec::new();
        for item in header.split(':') {
            if planets.len() == MAX_PLANETS {
                return Err(Flaw::new(format!("the header has more than {MAX_PLANETS} planets")).at(1, at));
            }
            planets.push(header_planet(item).ok_or_else(|| {
                flaw(item, at, "is not a planet").hint("write each planet of the header as `x,y,owner,ships,growth`")
            })?);
            at += item.chars().count() + 1;
        }
        let (form, body) = match body.strip_suffix(':') {
            Some(body) => (PlaybackForm::Java, body),
            None if body.is_empty() => (PlaybackForm::Java, body),
            None => (PlaybackForm::Server, body),
        };
        let mut playback = Self { form, header: planets, frames: Vec::new() };
        if body.is_empty() {
            return Ok((playback, None));
        }
        let mut frames = body.split(':').peekable();
        while let Some(frame) = frames.next() {
            if playback.frames.len() == MAX_FRAMES {
                return Err(Flaw::new(format!("the playback has more than {MAX_FRAMES} frames")).at(1, at));
            }
            let length = frame.chars().count();
            // Behind a colon, the last frame is whole.
            let may_be_cut = frames.peek().is_none() && form == PlaybackForm::Server && is_frame_text(frame);
            let frame = frame.strip_suffix(',').unwrap_or(frame);
            match snapshot(frame, playback.header.len(), at) {
                Ok(snapshot) => playback.frames.push(snapshot),
                Err(cut) if may_be_cut => return Ok((playback, Some(cut))),
                Err(flaw) => return Err(flaw),
            }
            at += length + 1;
        }
        Ok((playback, None))
    }
}

/// Returns whether a text has only what frames are made of.
fn is_frame_text(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',')
}

impl Snapshot {
    /// Whether a player has neither a planet nor a fleet.
    fn lacks_a_player(&self) -> bool {
        !(1..=2)
            .all(|player| self.planets.iter().any(|p| p.0 == player) || self.fleets.iter().any(|f| f.owner == player))
    }
}

/// The coordinate as the engines write it in the header. There the server keeps its `.0`.
fn header_coordinate(coordinate: &Coordinate, how: Coordinates) -> Coordinate {
    let text = match how {
        Coordinates::Written => coordinate.text().to_string(),
        Coordinates::Digits12 => digits12(coordinate.value()),
        Coordinates::Shortest => shortest(coordinate.value()),
    };
    Coordinate::read(&text).unwrap_or_else(|| coordinate.clone())
}

fn flaw(item: &str, at: usize, what: &str) -> Flaw {
    let excerpt: String = item.chars().take(40).collect();
    Flaw::new(format!("`{}` {what}", excerpt.escape_debug())).spanning(1, at, item.chars().count())
}

fn header_planet(item: &str) -> Option<Planet> {
    let mut fields = item.split(',');
    let x = Coordinate::read(fields.next()?)?;
    let y = Coordinate::read(fields.next()?)?;
    let owner = number(fields.next()?, 2)? as u8;
    let ships = number(fields.next()?, MAX_SHIPS)?;
    let growth = number(fields.next()?, MAX_SHIPS)?;
    fields.next().is_none().then_some(Planet { x, y, owner, ships, growth })
}

fn snapshot(frame: &str, planets: usize, mut at: usize) -> Result<Snapshot, Flaw> {
    let mut snapshot = Snapshot::default();
    for item in frame.split(',') {
        if snapshot.planets.len() < planets {
            let planet = frame_planet(item).ok_or_else(|| flaw(item, at, "is not `owner.ships` of a planet"))?;
            snapshot.planets.push(planet);
        } else if snapshot.fleets.len() == MAX_FLEETS {
            return Err(Flaw::new(format!("the frame has more than {MAX_FLEETS} fleets")).at(1, at));
        } else {
            snapshot.fleets.push(frame_fleet(item, planets).ok_or_else(|| {
                flaw(item, at, "is not a fleet")
                    .hint("write each fleet as `owner.ships.source.destination.total.remaining`")
            })?);
        }
        at += item.chars().count() + 1;
    }
    if snapshot.planets.len() < planets {
        let count = snapshot.planets.len();
        return Err(Flaw::new(format!("the frame has {}, but the header has {planets}", counted(count, "planet")))
            .at(1, at - 1));
    }
    Ok(snapshot)
}

fn frame_planet(item: &str) -> Option<(u8, i32)> {
    let (owner, ships) = item.split_once('.')?;
    Some((number(owner, 2)? as u8, number(ships, MAX_SHIPS)?))
}

fn frame_fleet(item: &str, planets: usize) -> Option<Fleet> {
    let last_planet = i32::try_from(planets).ok()? - 1;
    let mut fields = item.split('.');
    let owner = number(fields.next()?, 2)? as u8;
    let ships = number(fields.next()?, MAX_SHIPS)?;
    let source = number(fields.next()?, last_planet)? as u16;
    let destination = number(fields.next()?, last_planet)? as u16;
    let total = number(fields.next()?, i32::MAX)?;
    let remaining = number(fields.next()?, i32::MAX)?;
    let whole = fields.next().is_none() && owner > 0;
    whole.then_some(Fleet { owner, ships, source, destination, total, remaining })
}

/// Reads a number of digits only, from 0 to `most`.
fn number(field: &str, most: i32) -> Option<i32> {
    if !field.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    field.parse().ok().filter(|n| *n <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const JAVA: &str = "3.0,0.0,0,10,3:0.0,0.0,1,50,2:6.0,0.0,2,50,2|0.10,1.42,2.52,1.10.1.0.3.2:0.10,1.44,2.54,1.10.1.0.3.1:0.0,1.46,2.56:";
    const SERVER: &str = "3.0,0.0,0,10,3:0.0,0.0,1,50,2:6.0,0.0,2,50,2|0.10,1.42,2.52,1.10.1.0.3.2:0.10,1.44,2.54,1.10.1.0.3.1:0.0,1.46,2.56,";

    #[test]
    fn both_forms_are_read_and_printed_back() {
        let java = Playback::parse(JAVA).unwrap();
        let server = Playback::parse(SERVER).unwrap();
        assert_eq!((java.form(), server.form()), (PlaybackForm::Java, PlaybackForm::Server));
        assert_eq!((java.print(), server.print()), (JAVA.to_string(), SERVER.to_string()));
        assert_eq!(java.frames(), server.frames());
        assert_eq!(java.with_form(PlaybackForm::Server), server);
    }

    #[test]
    fn a_game_that_never_began_has_no_frame() {
        let playback = Playback::parse("0.0,0.0,1,3,2|").unwrap();
        assert_eq!(playback.frames(), []);
        assert_eq!(playback.map().planets.len(), 1);
    }

    #[test]
    fn the_rules_explain_a_true_playback_and_not_a_false_one() {
        for rules in [Rules::SPEC, Rules::ORIGINAL, Rules::PLAYGAME] {
            Playback::parse(JAVA).unwrap().verify(rules).unwrap();
            let flaw = Playback::parse(&JAVA.replace("0.0,1.46", "0.0,1.47")).unwrap().verify(rules).unwrap_err();
            assert!(flaw.what.contains("turn 3: planet 1 has 47 ships"), "{flaw}");
        }
    }

    /// Plays these orders of player 1 and records the game.
    fn played(map: &str, rules: Rules, limit: u32, orders: &[Order]) -> (Position, Playback) {
        let terms = Terms { rules, seats: 2, limit: Some(limit) };
        let mut game = Position::from_map(crate::map::parse(map.as_bytes()).unwrap(), &terms).unwrap();
        let mut playback = Playback::begin(&game);
        let mut orders = orders.chunks(1);
        while !game.over() {
            let (given, mut tmp) = ([orders.next().unwrap_or(&[]), &[]], Default::default());
            let entries = [0, 1].map(|side| judge(&game, Seat::new(side), given[side], None, &mut tmp).0);
            game.resolve(Joint::new(&entries), &mut tmp, &mut ());
            playback.push(&game);
        }
        (game, playback)
    }

    #[test]
    fn rules_by_which_the_game_had_ended_do_not_explain_it() {
        // Player 1 loses all ships at the neutral planet in turn 3 and keeps an empty planet that does not grow.
        let map = "P 0 0 1 10 0\nP 9 0 2 30 0\nP 0 3 0 10 0\n";
        let (game, playback) = played(map, Rules::PLAYGAME, 5, &[Order { source: 0, destination: 2, ships: 10 }]);
        assert_eq!(game.turn(), 6);
        let read = Playback::parse(&playback.print()).unwrap();
        assert!(
            read.verify(Rules::SPEC).unwrap_err().what.starts_with("turn 4: by these rules the game has already ended")
        );
        for (rules, limit) in [(Rules::PLAYGAME, 5), (Rules::ORIGINAL, 6)] {
            read.verify(rules).unwrap();
            assert_eq!(read.limit(&rules), limit, "as many turns as frames");
        }
        assert_eq!(Playback::parse("0,0,1,3,2|").unwrap().limit(&Rules::PLAYGAME), 1, "a limit is 1 at least");
    }

    #[test]
    fn a_forfeit_shows_only_where_its_turn_is_played_out() {
        let map = "P 0 0 1 50 2\nP 5 0 2 10 2\n";
        for (rules, frames) in [(Rules::SPEC, "1.52,2.12:"), (Rules::PLAYGAME, "1.52,2.12:0.52,2.14:")] {
            // The second order is for more ships than there are.
            let too_many = Order { source: 0, destination: 1, ships: 99 };
            let (game, playback) = played(map, rules, 9, &[Order { ships: 0, ..too_many }, too_many]);
            assert_eq!(game.standing().places, [2, 1]);
            let fleets = |text: &str| text.replace(",1.0.0.1.5.4", "");
            let text = playback.print();
            assert_eq!(fleets(text.split_once('|').unwrap().1), frames);
            let read = Playback::parse(&text).unwrap();
            read.verify(rules).unwrap();
            assert_eq!(read.verify(Rules::SPEC).is_ok(), rules == Rules::SPEC, "by `spec` there is no such frame");
        }
    }

    #[test]
    fn fleets_of_the_map_are_found_in_the_first_frame() {
        // The example of the specification.
        let map = "P 0 0 1 34 2\nP 7 9 2 34 2\nP 3.14 2.71 0 15 5\nF 1 15 0 1 12 2\nF 2 28 1 2 8 4\n";
        let orders = [Order { source: 0, destination: 2, ships: 9 }];
        let (game, playback) = played(map, Rules::SPEC, 6, &orders);
        let read = Playback::parse(&playback.print()).unwrap();
        assert_eq!(crate::map::print(&read.map()), map);
        assert_eq!(read.state(0), Some(read.map()));
        read.verify(Rules::SPEC).unwrap();
        let (frame, map) = (game.to_map(), read.state(6).unwrap());
        assert_eq!((frame.planets, frame.fleets), (map.planets, map.fleets));
    }

    #[test]
    fn whole_frames_are_read_wherever_a_string_is_cut() {
        let body = SERVER.find('|').unwrap() + 1;
        let whole = Playback::parse(SERVER).unwrap();
        let first = SERVER[body..].find(':').unwrap() + body;
        for end in first + 1..SERVER.len() {
            let text = &SERVER[..end];
            let (read, _) = Playback::parse_whole_frames(text).unwrap_or_else(|flaw| panic!("{text}: {flaw}"));
            // The last frame may be cut in a number.
            let kept = read.frames().len() - 1;
            assert_eq!(read.frames()[..kept], whole.frames()[..kept], "{text}");
            let passes = [read.clone(), read.without_last_frame()].iter().any(|it| it.verify(Rules::PLAYGAME).is_ok());
            assert!(passes, "{text}");
        }
        assert!(Playback::parse_whole_frames(&SERVER[..first - 3]).is_err(), "not even one frame");
        for wrong in ["0,0,1,5,5|1.5:1.x", "0,0,1,5,5|1.5:<html>", "0,0,1,5,5|1.5:1.:1.5", "0,0,1,5,5|1.5:1.:"] {
            assert!(Playback::parse_whole_frames(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_flaw_names_its_column() {
        for (text, column) in [
            ("0,0,1,5,5", 1),
            ("0,0,1,5,5:x|", 11),
            ("0,0,1,5,5|1.5:3.5:", 15),
            ("0,0,1,5,5|1.5,1.2.0.1.3.2:", 15),
            ("0,0,1,5,5:1,0,2,5,5|1.5:", 24),
        ] {
            assert_eq!(Playback::parse(text).unwrap_err().place.unwrap().column, column, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_text_is_read_or_refused(text in "([0-9]{1,2}|[.,:|\n-]){0,60}") {
            if let Ok(playback) = Playback::parse(&text) {
                let _ = playback.verify(Rules::PLAYGAME);
                prop_assert_eq!(Playback::parse(&playback.print()), Ok(playback));
            }
        }
    }
}
