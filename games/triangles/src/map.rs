//! A map: any board that can be written down, lawful or not, with the operations of an editor.
//!
//! Specification "Testowanie programu": the applet lets its user edit the points and the segments, and has an undo.
//! Each operation here either does what it says, or changes nothing and returns the reason.

use crate::{
    field::{LARGEST_COORDINATE, MOST_POINTS},
    order::Order,
    position::{Made, refusal},
    segment::Segment,
};
use agon_core::{Flaw, Seat, geometry::Point};
use alloc::{format, string::ToString, vec::Vec};

/// A segment of a map, with the player that drew it and what it paid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stroke {
    /// The two points, by their numbers counted from 1.
    pub segment: Segment,
    /// The player that drew it and what it paid. An edited segment has no player and paid nothing.
    pub made: Made,
}

impl Stroke {
    /// A segment that an editor put on the board.
    #[must_use]
    pub const fn edited(segment: Segment) -> Self {
        Self { segment, made: Made { by: None, gained: 0 } }
    }
}

/// The content of a map file: the points, and optionally a game in progress.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Map {
    /// The points. The first has number 1 in the protocol.
    pub points: Vec<Point>,
    /// The segments in the order in which they were drawn.
    pub strokes: Vec<Stroke>,
    /// The points that each seat has won.
    pub scores: [u32; 2],
    /// The index of the seat that moves next, 0 or 1.
    pub to_move: usize,
}

impl Map {
    /// An empty board with these points.
    #[must_use]
    pub fn of_points(points: Vec<Point>) -> Self {
        Self { points, ..Self::default() }
    }

    /// Adds a point, which gets the next number.
    ///
    /// # Errors
    /// If there are 100 points already, or the place is off the board, taken, or inside a drawn segment.
    pub fn add_point(&mut self, point: Point) -> Result<(), Flaw> {
        if self.points.len() >= MOST_POINTS {
            return Err(Flaw::new(format!("the board already has {MOST_POINTS} points, the largest number allowed")));
        }
        place_flaw(&self.points, point).map_or(Ok(()), Err)?;
        self.points.push(point);
        if let Some(flaw) = self.segment_flaw() {
            self.points.pop();
            return Err(flaw);
        }
        Ok(())
    }

    /// Moves the point with this number. Its segments move with it.
    ///
    /// # Errors
    /// If there is no such point, the place is off the board or taken, or a segment would then contain a point or
    /// cross another segment.
    pub fn move_point(&mut self, number: usize, to: Point) -> Result<(), Flaw> {
        let k = self.index(number)?;
        let from = self.points[k];
        if from == to {
            return Ok(());
        }
        place_flaw(&self.points, to).map_or(Ok(()), Err)?;
        self.points[k] = to;
        if let Some(flaw) = self.segment_flaw() {
            self.points[k] = from;
            return Err(flaw);
        }
        Ok(())
    }

    /// Removes a point and its segments. The numbers of the points after it decrease by one.
    ///
    /// # Errors
    /// If there is no such point, or it is the only one.
    pub fn remove_point(&mut self, number: usize) -> Result<(), Flaw> {
        let k = self.index(number)?;
        if self.points.len() == 1 {
            return Err(Flaw::new("the last point cannot be removed: a board needs at least one"));
        }
        self.points.remove(k);
        let touches = |s: Segment| usize::from(s.i) == number || usize::from(s.j) == number;
        self.strokes.retain(|stroke| !touches(stroke.segment));
        for Stroke { segment, .. } in &mut self.strokes {
            segment.i -= u8::from(usize::from(segment.i) > number);
            segment.j -= u8::from(usize::from(segment.j) > number);
        }
        Ok(())
    }

    /// Puts a segment on the board. It pays no player, and the side to move stays the same (point T27).
    ///
    /// # Errors
    /// If the rules do not allow the segment. The flaw gives the reason.
    pub fn draw_segment(&mut self, i: i32, j: i32) -> Result<(), Flaw> {
        if let Some(why) = refusal(&self.points, &self.segments(), Order(i, j)) {
            return Err(Flaw::new(why.to_string()));
        }
        // An order that is not refused names two points, so both numbers fit.
        self.strokes.push(Stroke::edited(Segment { i: i as u8, j: j as u8 }));
        Ok(())
    }

    /// Removes a segment from the board, whichever end is named first. What it paid stays paid.
    ///
    /// # Errors
    /// If the segment is not on the board.
    pub fn erase_segment(&mut self, i: i32, j: i32) -> Result<(), Flaw> {
        let is_it = |s: Segment| [Order(i, j), Order(j, i)].contains(&Order::from(s));
        let Some(k) = self.strokes.iter().position(|stroke| is_it(stroke.segment)) else {
            return Err(Flaw::new(format!("segment `{i} {j}` is not on the board")));
        };
        self.strokes.remove(k);
        Ok(())
    }

    /// Sets the points that each seat has won.
    pub fn set_scores(&mut self, scores: [u32; 2]) {
        self.scores = scores;
    }

    /// Sets the seat that moves next.
    ///
    /// # Errors
    /// If the seat is neither 1 nor 2.
    pub fn set_to_move(&mut self, seat: Seat) -> Result<(), Flaw> {
        if seat.index() > 1 {
            return Err(Flaw::new(format!("seat {seat} cannot move next")).hint("there are two seats, 1 and 2"));
        }
        self.to_move = seat.index();
        Ok(())
    }

    /// Removes the last segment. If a player drew it, its points and the turn are taken back as well (point T27).
    /// Returns the segment, or `None` if the board is empty.
    pub fn undo(&mut self) -> Option<Stroke> {
        let stroke = self.strokes.pop()?;
        if let Some(seat) = stroke.made.by.filter(|seat| seat.index() < 2) {
            let score = &mut self.scores[seat.index()];
            *score = score.saturating_sub(u32::from(stroke.made.gained));
            self.to_move = seat.index();
        }
        Some(stroke)
    }

    /// The segments without the players that drew them.
    #[must_use]
    pub fn segments(&self) -> Vec<Segment> {
        self.strokes.iter().map(|s| s.segment).collect()
    }

    /// Why this is not a lawful board, and the part of the map that is wrong. `None` if it is lawful.
    pub(crate) fn flaw(&self) -> Option<(Part, Flaw)> {
        if self.points.is_empty() {
            let hint = "a map has lines such as `point 4 8`, or one line `set_points 2 4 8 3 5`";
            return Some((Part::Whole, Flaw::new("a board needs at least one point").hint(hint)));
        }
        for (k, point) in self.points.iter().enumerate() {
            if k == MOST_POINTS {
                return Some((Part::Point(k), Flaw::new(format!("the board has more than {MOST_POINTS} points"))));
            }
            if let Some(flaw) = place_flaw(&self.points[..k], *point) {
                return Some((Part::Point(k), flaw));
            }
        }
        if self.to_move > 1 {
            return Some((Part::Whole, Flaw::new("the seat to move must be 1 or 2")));
        }
        let mut before = Vec::with_capacity(self.strokes.len());
        for (k, Stroke { segment, made }) in self.strokes.iter().enumerate() {
            if let Some(why) = refusal(&self.points, &before, Order::from(*segment)) {
                return Some((Part::Stroke(k), Flaw::new(why.to_string())));
            }
            if made.gained > 2 {
                let flaw = Flaw::new(format!("segment `{segment}` cannot have paid {}", made.gained));
                return Some((Part::Stroke(k), flaw.hint("a segment pays at most 2 points, one on each side")));
            }
            if made.by.is_some_and(|seat| seat.index() > 1) {
                let flaw = Flaw::new(format!("segment `{segment}` was drawn by a seat that does not exist"));
                return Some((Part::Stroke(k), flaw.hint("there are two seats, 1 and 2")));
            }
            before.push(*segment);
        }
        None
    }

    fn index(&self, number: usize) -> Result<usize, Flaw> {
        if (1..=self.points.len()).contains(&number) {
            return Ok(number - 1);
        }
        Err(Flaw::new(format!("there is no point {number}")).hint(format!("the points are 1 to {}", self.points.len())))
    }

    /// Finds a segment that contains a point or crosses another segment after a change of the points.
    fn segment_flaw(&self) -> Option<Flaw> {
        match self.flaw() {
            Some((Part::Stroke(_), flaw)) => Some(flaw.hint("erase the segment first")),
            _ => None,
        }
    }
}

/// The part of a map that a flaw is about, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Whole,
    Point(usize),
    Stroke(usize),
}

/// Why `point` cannot be added to `others`. `None` if it can.
fn place_flaw(others: &[Point], point: Point) -> Option<Flaw> {
    let on_board = |v: i32| (1..=LARGEST_COORDINATE).contains(&v);
    let text = format!("point `{} {}`", point.x, point.y);
    if !on_board(point.x) || !on_board(point.y) {
        let hint = format!("coordinates must be whole numbers from 1 to {LARGEST_COORDINATE}");
        return Some(Flaw::new(format!("{text} is off the board")).hint(hint));
    }
    let k = others.iter().position(|p| *p == point)?;
    Some(Flaw::new(format!("{text} is already point {}", k + 1)).hint("no two points may have the same place"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::geometry::pt;
    use alloc::vec;

    fn square() -> Map {
        Map::of_points(vec![pt(1, 1), pt(9, 1), pt(9, 9), pt(1, 9)])
    }

    #[test]
    fn segments_are_drawn_and_erased_by_the_rules() {
        let mut d = square();
        d.draw_segment(1, 3).unwrap();
        assert_eq!(d.draw_segment(2, 4).unwrap_err().what, "segment `2 4` crosses the drawn segment `1 3`");
        assert_eq!(d.draw_segment(3, 1).unwrap_err().what, "segment `1 3` is drawn already");
        assert_eq!(d.draw_segment(0, 5).unwrap_err().what, "`0` is not a point: the points are 1 to 4");
        assert_eq!(d.erase_segment(2, 4).unwrap_err().what, "segment `2 4` is not on the board");
        d.erase_segment(3, 1).unwrap();
        d.draw_segment(2, 4).unwrap();
        assert_eq!(d.segments(), [Segment { i: 2, j: 4 }]);
        assert_eq!((d.scores, d.to_move), ([0, 0], 0), "editing pays nobody and keeps the turn");
    }

    #[test]
    fn points_are_added_moved_and_removed_by_the_rules() {
        let mut d = square();
        d.draw_segment(1, 2).unwrap();
        d.draw_segment(4, 3).unwrap();
        let before = d.clone();
        assert_eq!(d.add_point(pt(5, 1)).unwrap_err().what, "point 5 lies inside segment `1 2`");
        assert_eq!(d.add_point(pt(9, 9)).unwrap_err().what, "point `9 9` is already point 3");
        assert_eq!(d.add_point(pt(0, 101)).unwrap_err().what, "point `0 101` is off the board");
        assert_eq!(d.move_point(4, pt(5, 1)).unwrap_err().what, "point 4 lies inside segment `1 2`");
        assert_eq!(d.move_point(5, pt(5, 1)).unwrap_err().what, "there is no point 5");
        assert_eq!(d, before, "what fails changes nothing");
        d.add_point(pt(5, 5)).unwrap();
        d.move_point(5, pt(5, 4)).unwrap();
        d.remove_point(1).unwrap();
        assert_eq!(d.points, [pt(9, 1), pt(9, 9), pt(1, 9), pt(5, 4)]);
        assert_eq!(d.segments(), [Segment { i: 3, j: 2 }], "segments keep their points");
    }

    #[test]
    fn a_move_that_would_make_segments_cross_is_refused() {
        let mut d = square();
        d.draw_segment(1, 2).unwrap();
        d.draw_segment(3, 4).unwrap();
        assert!(d.move_point(1, pt(5, 20)).unwrap_err().what.contains("crosses"));
    }

    #[test]
    fn undo_takes_back_points_and_turn() {
        let mut d = square();
        d.draw_segment(1, 2).unwrap();
        d.strokes.push(Stroke { segment: Segment { i: 2, j: 3 }, made: Made { by: Some(Seat::new(1)), gained: 2 } });
        d.set_scores([4, 5]);
        d.set_to_move(Seat::new(0)).unwrap();
        assert!(d.set_to_move(Seat::new(2)).is_err());
        d.undo();
        assert_eq!((d.scores, d.to_move, d.strokes.len()), ([4, 3], 1, 1));
        d.undo();
        assert_eq!((d.scores, d.to_move, d.strokes.len()), ([4, 3], 1, 0), "an edited segment has paid nobody");
        assert_eq!(d.undo(), None);
    }
}
