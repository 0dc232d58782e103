//! What the laws in `agon_core::laws` need from the game: nothing.

use crate::position::Position;
use agon_core::LawHooks;

impl LawHooks for Position {}
