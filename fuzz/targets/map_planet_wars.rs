#![no_main]
//! Any bytes as a map of planet-wars: refused with a flaw, or reads back as it prints and can be played.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| agon_core::laws::hostile::map_bytes::<agon_planet_wars::Position>(bytes));
