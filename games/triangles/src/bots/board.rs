//! A bot's own board, updated from what the bot is shown.

use crate::{field::Field, map::Map, order::Order, position::Position, rules::Rules, view::View};
use alloc::{sync::Arc, vec::Vec};

/// Keeps the position of the last view, so that only the new segments have to be drawn.
#[derive(Default)]
pub(super) struct Board {
    position: Option<Position>,
}

impl Board {
    /// The position that `view` shows. Skips segments that the rules do not allow, because a view may have come over a
    /// wire.
    pub(super) fn follow(&mut self, view: View<'_>) -> &Position {
        let fits = |p: &Position| p.points() == view.points && view.drawn.starts_with(p.drawn());
        let position = match self.position.take() {
            Some(position) if fits(&position) => position,
            _ => {
                // Points that make no lawful board become an empty board here, which has no moves.
                let map = Map::of_points(view.points.to_vec());
                let points = if map.flaw().is_none() { map.points } else { Vec::new() };
                Position::new(Arc::new(Field::new(points)), Rules::default())
            }
        };
        let position = self.position.insert(position);
        for segment in &view.drawn[position.drawn().len()..] {
            if let Some(segment) = position.open_segment(Order::from(*segment)) {
                position.draw_segment(segment, None);
            }
        }
        position
    }
}
