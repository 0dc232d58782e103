//! Tests of the laws: each law fails on a game that breaks it, and no law fails on the same game unbroken.

use agon_core::{
    Bot, Client, Codes, Contest, Dialogue, Flaw, Flawed, Frame, Game, GameInfo, Grid, Incident, Joint, Key, LawHooks,
    Penalty, Rng, Seat, Seats, Seed, Setup, Shape, Sink, Standing, Terms,
    laws::{self, Case},
};
use agon_toy::{Event, Map, Order, Position, Refusal, Rules, View};

/// The game breaks no law.
const NOTHING: u8 = 0;
/// The generator makes no map.
const GENERATOR: u8 = 1;
/// Generated maps cannot be played.
const MAPS: u8 = 2;
/// A printed map differs from the map that was parsed.
const PRINT: u8 = 3;
/// Samples are unlawful decisions.
const SAMPLE: u8 = 4;
/// `clone_from` copies nothing.
const RESET: u8 = 5;
/// The fingerprint does not change with the position.
const FINGERPRINT: u8 = 6;
/// The rules treat the two seats differently.
const SEATS: u8 = 7;
/// A view shows a hidden fact.
const VIEW: u8 = 8;
/// The standing leaves a seat out.
const STANDING: u8 = 9;
/// A frame for a seat shows a hidden fact.
const FRAME: u8 = 10;
/// Two things on the board have the same key.
const KEYS: u8 = 11;
/// A fixed thing changes.
const FIXED: u8 = 12;
/// The numbers that a seat knows show a hidden fact.
const NUMBERS: u8 = 13;
/// A number of a seat has no name.
const SERIES: u8 = 14;
/// A number of a seat is not a number.
const UNKNOWN: u8 = 15;
/// An incident has no words.
const WORDS: u8 = 16;
/// An incident is of a seat that the match does not have.
const STRANGER: u8 = 17;
/// An incident is private, but belongs to no seat.
const PRIVATE: u8 = 18;
/// An incident is about an item that is not on the board.
const ITEM: u8 = 19;
/// An incident is about a cell that is not on the board.
const CELL: u8 = 20;
/// Nothing is told.
const SILENCE: u8 = 21;
/// A seat is told what another one has done, which it does not see.
const TOLD: u8 = 22;
/// A seat has no caption.
const CAPTIONS: u8 = 23;
/// The class of an item is not in the legend.
const CLASS: u8 = 24;
/// A number of an item has no name.
const VALUES: u8 = 25;
/// An item has a tooltip before the frame is spelled out.
const TIP: u8 = 26;
/// A layer has too few numbers.
const SHORT: u8 = 27;
/// A layer has another size than the first one.
const SIZE: u8 = 28;
/// Two layers have the same name.
const TWICE: u8 = 29;
/// A cell belongs to a seat that the match does not have.
const OWNER: u8 = 30;
/// A cell has no class.
const CODE: u8 = 31;
/// A cell has more than the most.
const AMOUNT: u8 = 32;
/// The class of a layer is not in the legend.
const LAYER: u8 = 33;

/// The faults with which the heap is a hidden fact.
const HIDING: [u8; 3] = [FRAME, NUMBERS, TOLD];

/// The toy game with the law `FAULT` broken.
struct Broken<const FAULT: u8>(Position);

impl<const FAULT: u8> Clone for Broken<FAULT> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        if FAULT != RESET {
            self.0.clone_from(&source.0);
        }
    }
}

impl<const FAULT: u8> Game for Broken<FAULT> {
    const NAME: &'static str = "broken";
    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = ();
    type View<'a> = View;

    fn seats(&self) -> usize {
        self.0.seats()
    }

    fn awaiting(&self) -> Seats {
        self.0.awaiting()
    }

    fn over(&self) -> bool {
        self.0.over()
    }

    fn check(&self, seat: Seat, orders: &[Order], tmp: &mut ()) -> Result<(), (usize, Refusal)> {
        self.0.check(seat, orders, tmp)
    }

    fn penalty(&self, why: &Refusal) -> Penalty {
        self.0.penalty(why)
    }

    fn resolve(&mut self, joint: Joint<'_, Order>, tmp: &mut (), out: &mut impl Sink<Event>) {
        let again = FAULT == SEATS && joint.of(Seat::new(1)).is_some();
        self.0.resolve(joint, tmp, out);
        if again && self.0.awaiting() == Seats::one(Seat::new(0)) && !self.0.over() {
            let skipped = [agon_core::Entry { seat: Seat::new(0), orders: &[Order(1)], failure: None }];
            self.0.resolve(Joint::new(&skipped), tmp, out);
        }
    }

    fn view(&self, seat: Seat) -> View {
        let stones = if HIDING.contains(&FAULT) { 0 } else { self.0.view(seat).stones };
        View { stones, ..self.0.view(seat) }
    }

    fn standing(&self) -> Standing {
        let mut standing = self.0.standing();
        if FAULT == STANDING {
            standing.places.pop();
        }
        standing
    }

    fn fingerprint(&self) -> u64 {
        if FAULT == FINGERPRINT { 7 } else { self.0.fingerprint() }
    }
}

impl<const FAULT: u8> Setup for Broken<FAULT> {
    type Rules = Rules;
    type Map = Map;

    fn to_map(&self) -> Map {
        self.0.to_map()
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        if FAULT == MAPS {
            Err(Flawed { map, flaw: Flaw::new("never") })
        } else {
            Position::from_map(map, terms).map(Self)
        }
    }
}

impl<const FAULT: u8> Contest for Broken<FAULT> {
    const SERIES: &'static [&'static str] = if FAULT == SERIES { &[] } else { Position::SERIES };
    const INFO: &'static GameInfo = Position::INFO;

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        Position::parse_map(text)
    }

    fn print_map(map: &Map) -> String {
        if FAULT == PRINT {
            return Position::print_map(&Map { stones: map.stones + 1, ..map.clone() });
        }
        Position::print_map(map)
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        if FAULT == GENERATOR { Err(Flaw::new("never")) } else { Position::generate(kind, seed, seats) }
    }

    fn options(&self, seat: Seat, tmp: &mut (), out: &mut Vec<Order>) -> bool {
        self.0.options(seat, tmp, out)
    }

    fn sample(&self, seat: Seat, rng: &mut Rng, tmp: &mut (), out: &mut Vec<Order>) {
        self.0.sample(seat, rng, tmp, out);
        if FAULT == SAMPLE {
            out.push(Order(u32::MAX));
        }
    }

    fn dialogue(&self, _: Seat, _: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        unreachable!("the laws of the wire are not tried here")
    }

    fn client(_: &str) -> Box<dyn Client<Self>> {
        unreachable!("the laws of the wire are not tried here")
    }

    fn bot(_: &str, _: Seed) -> Option<Box<dyn Bot<Self>>> {
        None
    }

    fn frame(&self) -> Frame {
        let mut frame = self.0.frame();
        let layer = |codes, cells: &[i16]| {
            let (width, cells) = (cells.len() as u32, cells.to_vec());
            Grid { name: "stones", width, height: 1, cells, codes, is_fixed: FAULT == FIXED }
        };
        let number = layer(Codes::Amounts(3), &[1]);
        match FAULT {
            KEYS => frame.items.extend(frame.items.first().cloned()),
            FIXED => frame.grids.push(layer(Codes::Amounts(i16::MAX), &[self.0.to_map().stones as i16])),
            CAPTIONS => frame.captions.truncate(1),
            CLASS => _ = frame.add("pebble", Key::new(2, 0), Shape::Disc([0.0; 2], 1.0)),
            VALUES => _ = frame.add("stone", Key::new(2, 0), Shape::Disc([0.0; 2], 1.0)).values(&[1.0]),
            TIP => _ = frame.add("stone", Key::new(2, 0), Shape::Disc([0.0; 2], 1.0)).tip("a stone"),
            SHORT => frame.grids.push(Grid { height: 2, ..number }),
            SIZE => frame.grids.extend([number, layer(Codes::Amounts(3), &[1, 2])]),
            TWICE => frame.grids.extend([number.clone(), number]),
            OWNER => frame.grids.push(layer(Codes::Owners("stone", "stone"), &[0, 1, 2, 3])),
            CODE => frame.grids.push(layer(Codes::Classes(&["stone"]), &[0, 1])),
            AMOUNT => frame.grids.push(layer(Codes::Amounts(3), &[-1, 3, 4])),
            LAYER => frame.grids.push(layer(Codes::Classes(&["stone", "pebble"]), &[0])),
            _ => {}
        }
        frame
    }

    fn frame_of(&self, _: Seat) -> Frame {
        if FAULT == NUMBERS || FAULT == TOLD {
            return Frame { captions: vec![String::new(); self.seats()], ..Frame::default() };
        }
        self.frame()
    }

    fn measure(&self, seat: Seat, out: &mut Vec<f64>) {
        match FAULT {
            NUMBERS => out.push(self.0.to_map().stones.into()),
            UNKNOWN => out.push(f64::NAN),
            TOLD => out.push(0.0),
            _ => self.0.measure(seat, out),
        }
    }

    fn tell(&self, event: &Event) -> Option<Incident> {
        let incident = self.0.tell(event)?;
        match FAULT {
            WORDS => Some(Incident { text: String::new(), ..incident }),
            STRANGER => Some(Incident { seat: Some(Seat::new(2)), ..incident }),
            PRIVATE => Some(Incident { seat: None, ..incident }.private()),
            ITEM => Some(incident.about([Key::new(1, 60)])),
            CELL => Some(incident.about([Key::cell(0)])),
            SILENCE => None,
            _ => Some(incident),
        }
    }
}

impl<const FAULT: u8> LawHooks for Broken<FAULT> {
    fn with_hidden_change(&self, _: Seat, rng: &mut Rng) -> Option<Self> {
        // The toy hides nothing, so this changes the heap, which every view shows.
        let map = Map { stones: 1 + rng.below(5), ..self.0.to_map() };
        let terms = Terms { rules: agon_core::rules::parse("spec").ok()?, seats: 2, limit: None };
        (FAULT == VIEW || HIDING.contains(&FAULT)).then(|| Position::from_map(map, &terms).ok().map(Self)).flatten()
    }

    fn with_seats_exchanged(&self, a: Seat, b: Seat) -> Option<Self> {
        self.0.with_seats_exchanged(a, b).map(Self)
    }
}

/// Runs the laws that need no dialogue.
fn laws_of<const FAULT: u8>() {
    let case = Case { map: laws::Map::Text("heap 60\nmost 3\n"), rules: "spec", seats: 2, limit: None, seed: 5 };
    laws::generators_make_maps_that_can_be_played::<Broken<FAULT>>(5);
    laws::maps_survive_print_and_parse::<Broken<FAULT>>(&case);
    laws::checks_agree_with_samples_and_options::<Broken<FAULT>>(&case);
    laws::clones_are_equal_and_independent::<Broken<FAULT>>(&case);
    laws::the_same_orders_give_the_same_fingerprints::<Broken<FAULT>>(&case);
    laws::hidden_facts_stay_hidden::<Broken<FAULT>>(&case);
    laws::frames_show_no_hidden_fact::<Broken<FAULT>>(&case);
    laws::every_position_can_be_drawn::<Broken<FAULT>>(&case);
    laws::incidents_name_things_on_the_board::<Broken<FAULT>>(&case);
    laws::incidents_tell_no_hidden_fact::<Broken<FAULT>>(&case);
    laws::exchanged_seats_play_the_exchanged_game::<Broken<FAULT>>(&case);
    laws::failures_never_break_a_position::<Broken<FAULT>>(&case);
}

#[test]
fn an_unbroken_game_keeps_the_laws() {
    laws_of::<NOTHING>();
}

macro_rules! broken {
    ($($name:ident: $fault:ident, $said:literal;)*) => {
        $(#[test]
        #[should_panic(expected = $said)]
        fn $name() {
            laws_of::<$fault>();
        })*
    };
}

broken! {
    a_generator_that_always_fails: GENERATOR, "is made for no number of seats";
    maps_that_cannot_be_played: MAPS, "cannot be played by";
    a_printed_map_that_is_another_one: PRINT, "printing a parsed map gives the same text";
    a_sampled_decision_that_is_unlawful: SAMPLE, "is refused";
    a_reset_that_forgets_to_copy: RESET, "clone_from gives the same position";
    a_fingerprint_that_never_changes: FINGERPRINT, "a fingerprint changes with the position";
    a_turn_that_prefers_a_seat: SEATS, "are not symmetric";
    a_view_that_shows_what_is_hidden: VIEW, "sees a hidden fact";
    a_frame_that_shows_what_is_hidden: FRAME, "shows a hidden fact";
    a_key_that_two_things_have: KEYS, "two things have the same key";
    a_fixed_thing_that_changes: FIXED, "a fixed thing changed";
    numbers_that_show_what_is_hidden: NUMBERS, "knows hidden numbers";
    a_number_without_a_name: SERIES, "each number has a name";
    a_number_that_is_none: UNKNOWN, "is unknown";
    an_incident_without_words: WORDS, "has no words";
    an_incident_of_a_seat_that_is_not_there: STRANGER, "is of a seat that nobody has";
    a_private_incident_of_nobody: PRIVATE, "is for nobody";
    an_incident_about_an_item_that_is_not_there: ITEM, "which is not on the board";
    an_incident_about_a_cell_that_is_not_there: CELL, "which is not on the board";
    a_game_that_tells_nothing: SILENCE, "nothing is told";
    a_game_that_tells_what_is_hidden: TOLD, "is told a hidden fact";
    a_seat_without_a_caption: CAPTIONS, "each seat has a caption";
    an_item_whose_class_is_unknown: CLASS, "the legend has no class pebble";
    an_item_with_a_number_too_many: VALUES, "each number of a stone has a name";
    an_item_with_a_tooltip: TIP, "items are not cells";
    a_layer_with_too_few_numbers: SHORT, "has a number for each cell";
    a_layer_of_another_size: SIZE, "layers lie on each other";
    two_layers_with_one_name: TWICE, "two layers have the same name";
    a_cell_of_a_seat_that_is_not_there: OWNER, "means nothing";
    a_cell_without_a_class: CODE, "means nothing";
    a_cell_with_more_than_the_most: AMOUNT, "means nothing";
    a_layer_whose_class_is_unknown: LAYER, "the legend has no class pebble of layer";
    a_standing_that_leaves_a_seat_out: STANDING, "assertion";
}
