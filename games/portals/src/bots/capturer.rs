//! `capturer`: takes the nearest portals, and closes the fields that it can.

use super::stops::{Here, approach, take, weave};
use crate::{Order, Position, Turn, View};
use agon_core::Bot;
use alloc::vec::Vec;

#[derive(Default)]
pub(crate) struct Capturer {
    turn: Option<Turn>,
}

impl Bot<Position> for Capturer {
    fn decide(&mut self, view: View<'_>, orders: &mut Vec<Order>) {
        let turn = super::open(&mut self.turn, view);
        let portals = view.portals().len();
        // Each pass takes a portal, so there are only a few passes.
        loop {
            let here = Here::of(turn);
            let nearest = (0..portals).filter(|p| !here.is_mine(*p)).min_by_key(|p| (here.steps_to(*p), *p));
            let Some(nearest) = nearest else { break };
            if !take(turn, nearest) {
                approach(turn, nearest);
                break;
            }
            weave(turn, 1);
        }
        orders.extend_from_slice(turn.actions());
    }
}
