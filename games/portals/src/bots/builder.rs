//! `builder`: takes near portals and links each to the portals it has.

use super::stops::{Here, approach, fortify, take, weave};
use crate::{Order, Position, Turn, View};
use agon_core::Bot;
use alloc::vec::Vec;

#[derive(Default)]
pub(crate) struct Builder {
    turn: Option<Turn>,
}

impl Bot<Position> for Builder {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let turn = super::open(&mut self.turn, view);
        let portals = view.portals().len();
        loop {
            let here = Here::of(turn);
            let nearest = (0..portals).filter(|p| !here.is_mine(*p)).min_by_key(|p| {
                // Prices and distances are added up: two action points count as much as one step.
                (here.steps_to(*p) * 2 + here.price(*p), *p)
            });
            let taken = nearest.is_some_and(|p| take(turn, p));
            if !taken {
                fortify(turn, 6);
                if let Some(p) = nearest {
                    approach(turn, p);
                }
                break;
            }
            weave(turn, 2);
        }
        orders.extend_from_slice(turn.actions());
    }
}
