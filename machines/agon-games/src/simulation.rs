//! Random lawful play inside the process, without dialogue, clock or replay.

use agon_core::{Contest, Entry, Fingerprint, Joint, MAX_SEATS, Rng, Seat, Seed};

/// Plays whole matches on one map with random lawful decisions. After the first match a turn allocates nothing.
pub trait AnySimulation: Send {
    /// Plays one match from the start. The same seed gives the same match.
    fn play(&mut self, seed: Seed) -> Played;
}

/// The result of one simulated match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The number of turns.
    pub plies: u64,
    /// The number of orders in all turns.
    pub orders: u64,
    /// A hash of the last position's fingerprint.
    pub fingerprint: u64,
}

/// The simulation of one game, with its types.
pub(crate) struct TypedSimulation<C: Contest> {
    start: C,
    game: C,
    tmp: C::Scratch,
    orders: Vec<Vec<C::Order>>,
}

impl<C: Contest> TypedSimulation<C> {
    pub(crate) fn new(start: C) -> Self {
        let orders = (0..start.seats()).map(|_| Vec::new()).collect();
        Self { game: start.clone(), start, tmp: C::Scratch::default(), orders }
    }

    /// Plays one turn with random decisions. Returns the number of orders.
    #[inline]
    fn ply(&mut self, rng: &mut Rng) -> u64 {
        let awaited = self.game.awaiting();
        let mut count = 0;
        for seat in awaited.iter() {
            let orders = &mut self.orders[seat.index()];
            self.game.sample(seat, rng, &mut self.tmp, orders);
            count += orders.len() as u64;
        }
        let entry = |seat: Seat, orders| Entry { seat, orders, failure: None };
        let mut seats = awaited.iter();
        match (seats.next(), seats.next(), seats.next()) {
            (None, ..) => self.game.resolve(Joint::EMPTY, &mut self.tmp, &mut ()),
            (Some(a), None, _) => {
                self.game.resolve(Joint::new(&[entry(a, &self.orders[a.index()])]), &mut self.tmp, &mut ());
            }
            (Some(a), Some(b), None) => {
                let pair = [entry(a, &self.orders[a.index()]), entry(b, &self.orders[b.index()])];
                self.game.resolve(Joint::new(&pair), &mut self.tmp, &mut ());
            }
            _ => {
                let mut all = [Entry { seat: Seat::new(0), orders: &[][..], failure: None }; MAX_SEATS];
                for (entry, seat) in all.iter_mut().zip(awaited.iter()) {
                    *entry = Entry { seat, orders: &self.orders[seat.index()], failure: None };
                }
                self.game.resolve(Joint::new(&all[..awaited.len()]), &mut self.tmp, &mut ());
            }
        }
        count
    }
}

impl<C: Contest> AnySimulation for TypedSimulation<C> {
    fn play(&mut self, seed: Seed) -> Played {
        let mut rng = Rng::new(seed);
        self.game.clone_from(&self.start);
        let (mut plies, mut orders) = (0, 0);
        while !self.game.over() {
            orders += self.ply(&mut rng);
            plies += 1;
        }
        let fingerprint = Fingerprint::new().u64(self.game.fingerprint()).finish();
        Played { plies, orders, fingerprint }
    }
}
