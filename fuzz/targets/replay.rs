#![no_main]
//! Any bytes as a replay: refused with a line, or played again to its end or to the first turn that differs.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = agon_replay::verify(bytes, |spec| match agon_games::find(&spec.game) {
        Some(game) => game.rerun(spec),
        None => Err(agon_core::Flaw::new("no such game")),
    });
});
