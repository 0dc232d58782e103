//! A runner for tests. It writes the referee's messages and keeps all other instructions for the test.

use agon_core::{Seat, Seed};
use agon_referee::{
    AnyReferee, Do, Exit, Fault, In, MatchEvent, PlyRecord, Recording, SeatKind, Settings, TypedReferee, open,
};
use agon_spec::{MatchSpec, SeatSpec};
use agon_toy::Position as Toy;
use std::time::Duration;

/// A running match of the toy game. Its instants are in milliseconds.
pub struct Desk {
    pub referee: TypedReferee<Toy>,
    /// All instructions of the referee so far, in order.
    pub done: Vec<Do>,
    /// For each seat, the bytes that its pipe took.
    pub told: [String; 2],
    /// The seats whose pipe takes no bytes.
    pub stuck: Vec<usize>,
    now: u64,
}

/// Describes a match of the toy game.
pub fn spec(rules: &str, heap: u32, clock: &str) -> MatchSpec {
    let seats = ["a", "b"].map(SeatSpec::of_words);
    let map = format!("heap {heap}\nmost 3\n");
    MatchSpec { seed: Seed(1), clock: clock.parse().unwrap(), ..MatchSpec::new("toy", rules, map, seats) }
}

impl Desk {
    /// Starts a match of two processes that answer the greeting at 0 ms.
    pub fn greeted(rules: &str, heap: u32, clock: &str) -> Self {
        let mut desk = Self::begun(&spec(rules, heap, clock));
        desk.says(1, "ok\n");
        desk.says(0, "ok\n");
        desk
    }

    /// Starts a match of two processes that are greeted at 0 ms and have not answered.
    pub fn begun(spec: &MatchSpec) -> Self {
        Self::of(spec, [SeatKind::Process; 2], Settings { recording: Recording::Full, ..Settings::default() })
    }

    /// Starts any match at 0 ms.
    pub fn of(spec: &MatchSpec, kinds: [SeatKind; 2], settings: Settings) -> Self {
        let referee = open(spec, &kinds, settings).unwrap();
        let mut desk = Self { referee, done: vec![], told: Default::default(), stuck: vec![], now: 0 };
        desk.feed(In::Begin);
        desk
    }

    pub fn at(&mut self, ms: u64) -> &mut Self {
        self.now = ms;
        self
    }

    pub fn feed(&mut self, what: In<'_>) -> &mut Self {
        let at = Duration::from_millis(self.now);
        self.referee.feed(at, what);
        while let Some(order) = self.referee.next() {
            match &order {
                Do::Say { seat, .. } if !self.stuck.contains(&seat.index()) => self.write(seat.index()),
                Do::Think { seat } => {
                    self.referee.feed(at, In::Think { seat: *seat });
                    self.referee.feed(at, In::Thought { seat: *seat });
                }
                _ => {}
            }
            self.done.push(order);
        }
        self
    }

    fn write(&mut self, seat: usize) {
        let told = self.referee.outbox(Seat::new(seat)).to_vec();
        self.told[seat].push_str(&String::from_utf8(told.clone()).unwrap());
        let at = Duration::from_millis(self.now);
        self.referee.feed(at, In::Written { seat: Seat::new(seat), bytes: told.len() });
    }

    pub fn says(&mut self, seat: usize, text: &str) -> &mut Self {
        self.feed(In::Bytes { seat: Seat::new(seat), bytes: text.as_bytes() })
    }

    pub fn tick(&mut self) -> &mut Self {
        self.feed(In::Tick)
    }

    pub fn exits(&mut self, seat: usize, code: i32) -> &mut Self {
        self.feed(In::Exited { seat: Seat::new(seat), exit: &Exit::Code(code), stderr: "last words" })
    }

    pub fn fault(&self, seat: usize) -> Option<&Fault> {
        self.referee.fault(Seat::new(seat)).map(|record| &record.fault)
    }

    /// Checks that this seat exceeded this limit in microseconds, after it wrote this many bytes of an answer.
    pub fn assert_late(&self, seat: usize, limit: u64, bytes: u64, never_read: bool) {
        let Some(&Fault::Late { limit_us, heard, unread, .. }) = self.fault(seat) else {
            panic!("{:?}", self.fault(seat));
        };
        assert_eq!((limit_us, heard, unread), (limit, bytes, never_read));
    }

    pub fn fault_ply(&self, seat: usize) -> Option<u32> {
        self.referee.fault(Seat::new(seat)).map(|record| record.ply)
    }

    pub fn places(&self) -> Vec<u8> {
        assert!(self.referee.over());
        self.referee.standing().places
    }

    pub fn plies(&self) -> Vec<PlyRecord> {
        let ply = |order: &Do| match order {
            Do::Record(event) => match event.as_ref() {
                MatchEvent::Ply(record) => Some(record.clone()),
                _ => None,
            },
            _ => None,
        };
        self.done.iter().filter_map(ply).collect()
    }

    pub fn deadline_ms(&self) -> Option<u64> {
        self.referee.deadline().map(|at| at.as_millis() as u64)
    }
}
