//! What only the laws ask of the game.

use crate::position::Position;
use agon_core::LawHooks;

impl LawHooks for Position {}
