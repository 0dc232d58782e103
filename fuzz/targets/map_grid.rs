#![no_main]
//! Fuzz target: arbitrary bytes as a map of Grid. The game must refuse them with a flaw, or print and play the map.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| agon_core::laws::hostile::map_bytes::<agon_grid::Position>(bytes));
