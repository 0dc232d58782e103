use crate::Position;
use agon_core::{Bot, BotKind, Seed};
use alloc::boxed::Box;
pub(crate) const KINDS: &[BotKind] = &[];
pub(crate) fn named(_name: &str, _seed: Seed) -> Option<Box<dyn Bot<Position>>> {
    None
}
