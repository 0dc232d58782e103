//! What one seat may know: all of the board. Whose segment is whose and what the points are is never told (point
//! T28); a bot that wants to know keeps count itself.

use crate::segment::Segment;
use agon_core::geometry::Point;

/// The board as both programs see it. Both lists grow only at their ends during a match, except after an edit or an
/// undo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The points; the number of a point in the protocol is its index here plus one.
    pub points: &'a [Point],
    /// All segments on the board, in the order in which they were drawn.
    pub drawn: &'a [Segment],
}
