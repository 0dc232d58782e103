//! What one seat may know: the whole board. The protocol never says which player drew a segment, nor the score (point
//! T28). A bot that needs these must keep count itself.

use crate::segment::Segment;
use agon_core::geometry::Point;

/// The board as both programs see it. During a match both lists grow only at their ends, except after an edit or an
/// undo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The points. The number of a point in the protocol is its index here plus one.
    pub points: &'a [Point],
    /// All segments on the board, in the order in which they were drawn.
    pub drawn: &'a [Segment],
}
