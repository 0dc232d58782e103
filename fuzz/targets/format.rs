#![no_main]
//! Any bytes as a recorded match in any format of another program: refused with a flaw, or made a replay.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for format in agon_games::all().iter().flat_map(|game| game.formats()) {
        if let Some(import) = format.import {
            let _ = import(bytes, None);
        }
    }
});
