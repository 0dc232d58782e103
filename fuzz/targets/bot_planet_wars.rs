#![no_main]
//! Fuzz target: a Planet Wars bot that writes arbitrary bytes in arbitrary portions.

use agon_core::{
    Contest,
    laws::{Case, Map, hostile::dialogue_bytes},
};

type Game = agon_planet_wars::Position;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let map = Map::Generated(Game::INFO.map_kinds[0].name, 3);
    let limit = Game::INFO.limit.map(|_| 20);
    dialogue_bytes::<Game>(&Case { map, rules: "", seats: Game::INFO.default_seats, limit, seed: 5 }, bytes);
});
