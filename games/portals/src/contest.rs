//! The glue: what Agon asks of every game, answered with the parts of this one.

use crate::{
    Event, MAX_ACTIONS, MAX_SIDE, Map, Order, Position, ROUNDS, Refusal, Rules, Turn, View, client::BotClient,
    dialogue::RefereeDialogue, map, sample, turn,
};
use agon_core::{
    Bot, BotKind, Client, ClockPolicy, Contest, Dialogue, Ending, Flaw, Flawed, Frame, Game, Joint, MapKind, Penalty,
    Rng, Seat, Seats, Seed, Setup, Sink, Standing, Terms, geometry::pt,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{ops::RangeInclusive, time::Duration};

/// Working memory: a turn to try orders in.
#[derive(Default)]
pub struct Scratch {
    turn: Option<Turn>,
}

impl Scratch {
    fn turn(&mut self, position: &Position, seat: Seat) -> &mut Turn {
        match &mut self.turn {
            Some(turn) => turn.reopen(position, seat),
            None => self.turn = Some(Turn::open(position, seat)),
        }
        self.turn.as_mut().expect("it was just opened")
    }
}

impl Game for Position {
    const NAME: &'static str = "portals";

    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = Scratch;
    type View<'a> = View<'a>;

    fn seats(&self) -> usize {
        2
    }

    /// The player whose turn it is; nobody if its champion is dead: then an empty turn is resolved.
    fn awaiting(&self) -> Seats {
        let player = self.mover();
        if self.is_over() || !self.agents[player].alive { Seats::NONE } else { Seats::one(Seat::new(player)) }
    }

    fn over(&self) -> bool {
        self.is_over()
    }

    fn check(&self, seat: Seat, orders: &[Order], tmp: &mut Scratch) -> Result<(), (usize, Refusal)> {
        let turn = tmp.turn(self, seat);
        orders.iter().enumerate().try_for_each(|(i, action)| turn.act(*action).map_err(|why| (i, why)))
    }

    /// The referee's half of the protocol sends lawful actions only: anything else is a broken champion.
    fn penalty(&self, _why: &Refusal) -> Penalty {
        Penalty::Fail
    }

    fn resolve(&mut self, joint: Joint<'_, Order>, _tmp: &mut Scratch, out: &mut impl Sink<Event>) {
        turn::play(self, joint, out);
    }

    fn view(&self, seat: Seat) -> View<'_> {
        View::new(self, seat)
    }

    fn standing(&self) -> Standing {
        let ending = if self.is_over() { Ending::Limit } else { Ending::Unfinished };
        Standing::by_score(self.agents.iter().map(|a| a.score).collect(), ending)
    }

    fn fingerprint(&self) -> u64 {
        self.number()
    }
}

impl Setup for Position {
    type Rules = Rules;
    type Map = Map;

    /// The map, with the agents where they are now.
    fn to_map(&self) -> Map {
        Map {
            side: self.chart.side(),
            starts: [self.agents[0].at, self.agents[1].at],
            portals: self.chart.portals().to_vec(),
        }
    }

    fn from_map(map: Map, terms: &Terms<Rules>) -> Result<Self, Flawed<Map>> {
        map::build(map, terms)
    }
}

impl Contest for Position {
    const TITLE: &'static str = "Portals";
    const ABOUT: &'static str = "Capture portals, link them, and own the largest triangles (Prologin 2015).";
    const SEATS: RangeInclusive<usize> = 2..=2;
    const LIMIT: Option<(u32, &'static str)> = Some((ROUNDS, "rounds"));
    const MAP_KINDS: &'static [MapKind] = crate::mapgen::KINDS;
    const CHAMPIONS: bool = true;
    const BOTS: &'static [BotKind] = crate::bots::KINDS;
    const LINE_LIMIT: usize = crate::dialogue::LONGEST_LINE;

    /// 1500 ms for each call, `partie_init` (the greeting) included, as in the final.
    fn clock() -> ClockPolicy {
        let call = Some(Duration::from_millis(1500));
        ClockPolicy { greeting: call, hard: call, ..ClockPolicy::OFF }
    }

    fn parse_map(text: &[u8]) -> Result<Map, Flaw> {
        map::parse(text)
    }

    fn print_map(map: &Map) -> String {
        map::print(map)
    }

    fn generate(kind: &str, seed: Seed, seats: usize) -> Result<Map, Flaw> {
        crate::mapgen::generate(kind, seed, seats)
    }

    fn options(&self, seat: Seat, tmp: &mut Scratch, out: &mut Vec<Order>) -> bool {
        let turn = tmp.turn(self, seat);
        let mut offer = |action| {
            if turn.act(action).is_ok() {
                turn.undo();
                out.push(action);
            }
        };
        offer(Order::Turbo);
        offer(Order::Capture);
        offer(Order::Neutralise);
        offer(Order::Shield);
        let (at, reach) = (self.agents[seat.index() & 1].at, self.points(seat.index() & 1).1.min(MAX_SIDE));
        for dx in -reach..=reach {
            for dy in dx.abs() - reach..=reach - dx.abs() {
                offer(Order::Move(pt(at.x + dx, at.y + dy)));
            }
        }
        self.chart.portals().iter().for_each(|p| offer(Order::Link(*p)));
        true
    }

    fn sample(&self, seat: Seat, rng: &mut Rng, _tmp: &mut Scratch, out: &mut Vec<Order>) {
        sample::turn(self, seat.index() & 1, rng, out);
    }

    fn dialogue(&self, _seat: Seat, _dialect: &[(String, String)]) -> Box<dyn Dialogue<Self>> {
        Box::new(RefereeDialogue::default())
    }

    fn client(_name: &str) -> Box<dyn Client<Self>> {
        Box::new(BotClient::new())
    }

    fn bot(name: &str, seed: Seed) -> Option<Box<dyn Bot<Self>>> {
        crate::bots::bot(name, seed)
    }

    fn frame(&self) -> Frame {
        crate::frame::frame(self)
    }
}

const _: () = assert!(MAX_ACTIONS <= u32::MAX as usize, "an index of an order fits in a failure");
