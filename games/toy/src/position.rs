//! A position: the heap, the seat to move, and the result.

use crate::{Event, LastStone, Order, Refusal, Rules, Turns, Unlawful, View, turn};
use agon_core::{Ending, Fingerprint, Game, Joint, Penalty, Seat, Seats, Sink, Standing};
use alloc::borrow::Cow;

/// A position of the toy game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub(crate) rules: Rules,
    pub(crate) stones: u32,
    pub(crate) most: u32,
    pub(crate) limit: u32,
    pub(crate) turns: u32,
    /// The seat to move with [`Turns::Alternate`].
    pub(crate) mover: Seat,
    /// The seat that took the last stone. `None` while stones are left, and if equal numbers took the last stone.
    pub(crate) last: Option<Seat>,
    /// The seats that have lost by a failure.
    pub(crate) failed: Seats,
}

impl Position {
    /// The largest number that may be taken now. It is 0 only when the heap is empty.
    #[must_use]
    pub fn allowed(&self) -> u32 {
        self.most.min(self.stones)
    }

    fn ending(&self) -> Ending {
        if !self.failed.is_empty() {
            Ending::Forfeit
        } else if self.stones == 0 {
            Ending::Complete
        } else if self.turns >= self.limit {
            Ending::Limit
        } else {
            Ending::Unfinished
        }
    }
}

impl Game for Position {
    const NAME: &'static str = "toy";
    type Order = Order;
    type Event = Event;
    type Refusal = Refusal;
    type Scratch = ();
    type View<'a> = View;

    fn seats(&self) -> usize {
        2
    }

    fn awaiting(&self) -> Seats {
        match self.rules.turns {
            _ if self.over() => Seats::NONE,
            Turns::Alternate => Seats::one(self.mover),
            Turns::Together => Seats::first(2),
        }
    }

    fn over(&self) -> bool {
        self.ending() != Ending::Unfinished
    }

    fn check(&self, _seat: Seat, orders: &[Order], _tmp: &mut ()) -> Result<(), (usize, Refusal)> {
        match orders {
            [Order(0), ..] => Err((0, Refusal::None)),
            [Order(n), ..] if *n > self.allowed() => Err((0, Refusal::TooMany(self.allowed()))),
            [_] => Ok(()),
            [] => Err((0, Refusal::NotOne)),
            [_, _, ..] => Err((1, Refusal::NotOne)),
        }
    }

    fn penalty(&self, _why: &Refusal) -> Penalty {
        match self.rules.unlawful {
            Unlawful::Forfeit => Penalty::Fail,
            Unlawful::Pass => Penalty::Pass,
        }
    }

    fn mistake(why: &Refusal) -> Cow<'static, str> {
        Cow::Borrowed(match why {
            Refusal::NotOne => "exactly one number must be named",
            Refusal::None => "at least one stone must be taken",
            Refusal::TooMany(_) => "more stones than allowed",
        })
    }

    fn resolve(&mut self, joint: Joint<'_, Order>, _tmp: &mut (), out: &mut impl Sink<Event>) {
        turn::judge_failures(self, joint);
        if self.failed.is_empty() {
            turn::take(self, joint, out);
        }
        turn::pass_on(self);
    }

    fn view(&self, _seat: Seat) -> View {
        View { stones: self.stones, most: self.most, last_wins: self.rules.last == LastStone::Wins }
    }

    fn standing(&self) -> Standing {
        if !self.failed.is_empty() {
            // If both have failed, both are at place 2.
            let places = Seats::first(2).iter().map(|seat| if self.failed.contains(seat) { 2 } else { 1 }).collect();
            return Standing { scores: alloc::vec![0, 0], places, ending: Ending::Forfeit };
        }
        let won = self.last.map(|seat| match self.rules.last {
            LastStone::Wins => seat.index(),
            LastStone::Loses => 1 - seat.index(),
        });
        Standing::by_score((0..2).map(|i| i64::from(won == Some(i))).collect(), self.ending())
    }

    fn fingerprint(&self) -> u64 {
        let mut f = Fingerprint::new();
        f.u32(self.stones).u32(self.most).u32(self.limit).u32(self.turns);
        f.u32(u32::from(self.mover.number())).u32(self.last.map_or(0, |seat| u32::from(seat.number())));
        f.u32(self.failed.bits());
        f.u32(self.rules.turns as u32).u32(self.rules.last as u32).u32(self.rules.unlawful as u32);
        f.finish()
    }
}
