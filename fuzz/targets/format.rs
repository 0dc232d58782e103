#![no_main]
//! Fuzz target: arbitrary bytes as a recorded match in a format of another program. Agon must refuse them with a flaw or
//! turn them into a replay.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for format in agon_games::all().iter().flat_map(|game| game.formats()) {
        if let Some(import) = format.import {
            let _ = import(bytes, None);
        }
    }
});
