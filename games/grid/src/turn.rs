//! A turn, stage by stage, in the order of the judge.

use crate::{
    board::Board,
    order::{Event, Order},
    pair::{self, Pair},
    planes::{self, Layout},
    position::{End, Position},
};
use agon_core::{Failure, Joint, Seat, Seats, Sink};
use alloc::vec::Vec;
use multiversion::multiversion;

/// Working memory of a turn: planes with the layout of the board's planes.
#[derive(Default)]
pub struct Scratch {
    layout: Option<Layout>,
    /// The tiles with air.
    air: Vec<u64>,
    /// The empty tiles and their neighbours in the row.
    rows: Vec<u64>,
    /// The tiles that each player wants to capture. They are empty between turns.
    wants: [Vec<u64>; 2],
    /// The words of a random draw that still have bits, with their indices; see `sample`.
    pub(crate) drawn: Vec<(u64, u32)>,
}

impl Scratch {
    /// Makes all planes fit the board. This costs more than a comparison only for the first board or one of another
    /// size.
    #[inline]
    fn fit(&mut self, board: &Board) {
        let layout = board.layout();
        if self.layout == Some(layout) {
            return;
        }
        self.grow(layout);
    }

    #[cold]
    fn grow(&mut self, layout: Layout) {
        self.layout = Some(layout);
        let [one, two] = &mut self.wants;
        for plane in [&mut self.air, &mut self.rows, one, two] {
            plane.clear();
            plane.resize(layout.plane(), 0);
        }
    }
}

/// Plays one turn of a match that is not over.
pub(crate) fn play(game: &mut Position, joint: &Joint<'_, Order>, tmp: &mut Scratch, out: &mut impl Sink<Event>) {
    // In nearly every turn no bot fails, so one look is enough.
    let failures = joint.entries().iter().any(|entry| entry.failure.is_some());
    // Two stages (G18): if a bot breaks down, it loses, and the other's orders are not looked at.
    if failures && let Some(out) = failed(joint, Failure::is_breakdown) {
        game.end = Some(End::Forfeit(out));
        return;
    }
    // Only if the rule set waits for one more exchange: a player owned no tile in the map just sent (G20).
    if game.somebody_is_gone() {
        game.end = Some(End::Elimination);
        return;
    }
    if failures && let Some(out) = failed(joint, |failure| !failure.is_breakdown()) {
        game.end = Some(End::Forfeit(out));
        return;
    }
    let layout = game.board.layout();
    if let Some(before) = game.board.pairs() {
        let [_, one, two] = before.map(Pair::words);
        let [air, first, second] = advance_pair(game, before, joint).map(Pair::words);
        tell(layout, [&one, &two], &air, [&first, &second], out);
    } else {
        prepare(game, joint, tmp);
        let own = [Seat::new(0), Seat::new(1)].map(|seat| game.board.words(seat));
        let [first, second] = &tmp.wants;
        tell(layout, own, layout.core(&tmp.air), [layout.core(first), layout.core(second)], out);
        settle(game, tmp);
    }
    game.turn += 1;
    for seat in [Seat::new(0), Seat::new(1)] {
        if !game.survey.alive[seat.index()] {
            out.put(Event::Eliminated { seat });
        }
    }
    game.close();
}

/// The players that failed in this way. `None` if there are none.
fn failed(joint: &Joint<'_, Order>, kind: impl Fn(Failure) -> bool) -> Option<Seats> {
    let seats: Seats = joint.entries().iter().filter(|e| e.failure.is_some_and(&kind)).map(|e| e.seat).collect();
    (!seats.is_empty()).then_some(seats)
}

// The functions below exist twice: for any processor, and for those of the last ten years, which have instructions for
// shifting and counting bits that make a simulated turn a fifth faster. Both versions do the same.

/// Finds the tiles with air and the tiles that each player wants, on a board of any size.
#[multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn prepare(game: &Position, joint: &Joint<'_, Order>, tmp: &mut Scratch) {
    portable_prepare(game, joint, tmp);
}

#[inline(always)]
fn portable_prepare(game: &Position, joint: &Joint<'_, Order>, tmp: &mut Scratch) {
    let layout = game.board.layout();
    tmp.fit(&game.board);
    for (i, wants) in tmp.wants.iter_mut().enumerate() {
        wanted(layout, joint.orders(Seat::new(i)), |index| {
            let (word, bit) = layout.word(index);
            wants[word] |= 1 << bit;
        });
    }
    planes::breathe(layout, game.board.planes(), &mut tmp.rows, &mut tmp.air);
}

/// Applies what [`prepare`] has found.
#[multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn settle(game: &mut Position, tmp: &mut Scratch) {
    portable_settle(game, tmp);
}

#[inline(always)]
fn portable_settle(game: &mut Position, tmp: &mut Scratch) {
    let [first, second] = &mut tmp.wants;
    planes::suffocate_and_capture(game.board.layout(), game.board.planes_mut(), &tmp.air, [first, second]);
    game.survey = game.board.survey(&mut game.reach);
}

/// Does both on a board of two words, which is `before`. Returns the tiles that had air, and those that each player
/// wanted.
#[multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn advance_pair(game: &mut Position, before: [Pair; 3], joint: &Joint<'_, Order>) -> [Pair; 3] {
    portable_advance_pair(game, before, joint)
}

#[inline(always)]
fn portable_advance_pair(game: &mut Position, before: [Pair; 3], joint: &Joint<'_, Order>) -> [Pair; 3] {
    let layout = game.board.layout();
    let (mut first, mut second) = (Pair::default(), Pair::default());
    wanted(layout, joint.orders(Seat::new(0)), |index| first.insert(index));
    wanted(layout, joint.orders(Seat::new(1)), |index| second.insert(index));
    let air = pair::air(before, layout.stride());
    let [one, two] = pair::after(before, air, [first, second]);
    game.board.set_pairs([one, two]);
    let (survey, [reach_one, reach_two]) = pair::survey([before[0], one, two], layout.stride());
    game.survey = survey;
    game.reach.copy_from_slice(&[reach_one.low, reach_one.high, reach_two.low, reach_two.high]);
    [air, first, second]
}

/// Calls `mark` with the bit index of each tile that is ordered.
#[inline(always)]
fn wanted(layout: Layout, orders: &[Order], mut mark: impl FnMut(u32)) {
    for order in orders {
        // `check` refuses orders outside the map, so none gets here; such a tile would have no bit.
        if let Order::Capture { x, y } = *order
            && let Some(index) = layout.index(x, y)
        {
            mark(index);
        }
    }
}

/// Reports what is about to happen to the tiles `own` of both players, given the tiles with air and the wanted tiles.
fn tell(layout: Layout, own: [&[u64]; 2], air: &[u64], wants: [&[u64]; 2], out: &mut impl Sink<Event>) {
    for seat in [Seat::new(0), Seat::new(1)] {
        let own = own[seat.index()];
        for i in 0..air.len() {
            layout.each(i, own[i] & !air[i], |x, y| out.put(Event::Suffocated { seat, x, y }));
        }
    }
    for seat in [Seat::new(0), Seat::new(1)] {
        let (mine, theirs) = (wants[seat.index()], wants[1 - seat.index()]);
        for i in 0..air.len() {
            layout.each(i, mine[i] & !theirs[i], |x, y| out.put(Event::Captured { seat, x, y }));
        }
    }
    for (i, (first, second)) in wants[0].iter().zip(wants[1]).enumerate() {
        layout.each(i, first & second, |x, y| out.put(Event::Contested { x, y }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mapgen, rules::Rules, sample};
    use agon_core::{Entry, Rng, Seed};

    /// Plays a turn by one of the ways that [`play`] chooses from.
    fn play_by(game: &mut Position, with: impl FnOnce(&mut Position)) {
        with(game);
        game.turn += 1;
        game.close();
    }

    /// Compares this processor's version with the portable one, and the version for two words with the one for any
    /// number.
    #[test]
    fn every_way_to_play_a_turn_leads_to_the_same_position() {
        for kind in ["10x10", "mingled-9x9", "63x2", "31x4", "2x40", "7x7", "64x2", "70x12", "clusters-40x40"] {
            let map = mapgen::generate(kind, Seed(3)).unwrap();
            let mut game = Position::resume(&map, Rules::SPEC, 0, 60);
            let (mut rng, mut tmp, mut general) = (Rng::new(Seed(4)), Scratch::default(), Scratch::default());
            while game.end.is_none() {
                let orders = [Seat::new(0), Seat::new(1)].map(|seat| {
                    let (mut here, mut anywhere, mut other) = (Vec::new(), Vec::new(), rng.clone());
                    sample::captures(&game, seat, &mut rng, &mut tmp, &mut here);
                    sample::portable_captures(&game, seat, &mut other, &mut tmp, &mut anywhere);
                    assert_eq!((&here, &rng), (&anywhere, &other), "{kind}");
                    here
                });
                let entry = |i: usize| Entry { seat: Seat::new(i), orders: &orders[i][..], failure: None };
                let entries = [entry(0), entry(1)];
                let joint = Joint::new(&entries);
                let (mut any_size, mut two_words) = (game.clone(), game.clone());
                play(&mut game, &joint, &mut tmp, &mut ());
                play_by(&mut any_size, |game| {
                    portable_prepare(game, &joint, &mut general);
                    portable_settle(game, &mut general);
                });
                assert_eq!(any_size, game, "{kind}");
                if let Some(before) = two_words.board.pairs() {
                    play_by(&mut two_words, |game| _ = portable_advance_pair(game, before, &joint));
                    assert_eq!(two_words, game, "{kind}");
                }
            }
        }
    }
}
