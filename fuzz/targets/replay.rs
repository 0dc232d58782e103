#![no_main]
//! Fuzz target: arbitrary bytes as a replay. Agon must refuse them with the number of a line, or play them again to the end
//! or to the first turn that differs.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = agon_replay::verify(bytes, |spec| match agon_games::find(&spec.game) {
        Some(game) => game.rerun(spec),
        None => Err(agon_core::Flaw::new("no such game")),
    });
});
