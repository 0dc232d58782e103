//! The exports of the module. `docs/viewer.md` describes them for programs in other languages.
//!
//! The caller asks for room with `agon_input`, writes its bytes there, and calls a function. A function that answers returns
//! the length of its answer, which lies at `agon_output`, or a negative number if it failed; then the answer is the line of
//! the replay (0 for none) and the reason.

use crate::{Encoder, Engine, Failed};
use agon_core::{Key, Seat};
use std::cell::RefCell;

#[cfg(feature = "play")]
mod play;

/// The version of these exports and of what they write. The page refuses another one.
const VERSION: u32 = 2;

#[derive(Default)]
struct Module {
    engine: Option<Engine>,
    input: Vec<u8>,
    output: Encoder,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

impl Module {
    /// Calls `work` with the engine and an empty output.
    fn answer(&mut self, work: impl FnOnce(&mut Engine, &[u8], &mut Encoder) -> Result<(), Failed>) -> i32 {
        self.output.clear();
        let done = match &mut self.engine {
            Some(engine) => work(engine, &self.input, &mut self.output),
            None => Err(Failed { why: "no replay is open".into(), line: None }),
        };
        self.input = Vec::new();
        self.finish(done)
    }

    /// Opens an engine with the input, and writes what describes its match. If that fails, the engine before it stays.
    fn open(&mut self, open: fn(&[u8]) -> Result<Engine, Failed>) -> i32 {
        self.output.clear();
        let opened = open(&self.input);
        self.input = Vec::new();
        let done = opened.map(|engine| {
            engine.write_match(&mut self.output);
            self.engine = Some(engine);
        });
        self.finish(done)
    }

    fn finish(&mut self, done: Result<(), Failed>) -> i32 {
        let length = |output: &Encoder| i32::try_from(output.bytes().len()).unwrap_or(i32::MAX);
        match done {
            Ok(()) => length(&self.output),
            Err(Failed { why, line }) => {
                self.output.clear();
                self.output.number(line.unwrap_or(0)).text(&why);
                -length(&self.output)
            }
        }
    }
}

fn answer(work: impl FnOnce(&mut Engine, &[u8], &mut Encoder) -> Result<(), Failed>) -> i32 {
    MODULE.with_borrow_mut(|module| module.answer(work))
}

/// Reads whose eyes look: the number of a seat, counted from 1, or 0 for all that there is.
fn eyes_of(engine: &Engine, number: u32) -> Result<Option<Seat>, Failed> {
    if number == 0 { Ok(None) } else { engine.seat(number).map(Some) }
}

// SAFETY: the name is that of no other function of the module. The same holds for all exports.
#[unsafe(no_mangle)]
extern "C" fn agon_version() -> u32 {
    VERSION
}

/// Makes room for the bytes of the next call, and returns where it is.
#[unsafe(no_mangle)]
extern "C" fn agon_input(length: u32) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input = vec![0; length as usize];
        module.input.as_mut_ptr()
    })
}

/// Returns where the last answer is.
#[unsafe(no_mangle)]
extern "C" fn agon_output() -> *const u8 {
    MODULE.with_borrow(|module| module.output.bytes().as_ptr())
}

/// Opens the replay in the input, and answers what describes the match.
#[unsafe(no_mangle)]
extern "C" fn agon_open() -> i32 {
    MODULE.with_borrow_mut(|module| module.open(Engine::open))
}

/// Adds the lines in the input, and answers what describes the match.
#[unsafe(no_mangle)]
extern "C" fn agon_append() -> i32 {
    answer(|engine, input, out| {
        engine.append(input)?;
        engine.write_match(out);
        Ok(())
    })
}

/// Goes on with the verification through at most `count` lines, and answers the verdict.
#[unsafe(no_mangle)]
extern "C" fn agon_verify(count: u32) -> i32 {
    answer(|engine, _, out| {
        engine.write_verdict(count, out);
        Ok(())
    })
}

/// Shows the position after `ply` turns.
#[unsafe(no_mangle)]
extern "C" fn agon_seek(ply: u32) -> i32 {
    answer(|engine, _, _| engine.seek(ply))
}

/// Shows the position within turn `ply` after so many of its parts.
#[unsafe(no_mangle)]
extern "C" fn agon_seek_step(ply: u32, parts: u32) -> i32 {
    answer(|engine, _, _| engine.seek_part(ply, parts))
}

/// Answers the number of parts of turn `ply`.
#[unsafe(no_mangle)]
extern "C" fn agon_steps(ply: u32) -> i32 {
    answer(|engine, _, out| {
        let parts = engine.parts(ply)?;
        out.number(parts);
        Ok(())
    })
}

/// Answers the fingerprint of the shown position as a text.
#[unsafe(no_mangle)]
extern "C" fn agon_fingerprint() -> i32 {
    answer(|engine, _, out| {
        let fingerprint = engine.fingerprint();
        out.text(&fingerprint);
        Ok(())
    })
}

/// Answers what is the same in all positions.
#[unsafe(no_mangle)]
extern "C" fn agon_scene() -> i32 {
    answer(|engine, _, out| {
        engine.write_scene(out);
        Ok(())
    })
}

/// Answers what is drawn of the shown position, with the eyes of a seat or with all of them (0).
#[unsafe(no_mangle)]
extern "C" fn agon_frame(eyes: u32) -> i32 {
    answer(|engine, _, out| {
        engine.write_frame(eyes_of(engine, eyes)?, out);
        Ok(())
    })
}

/// Answers the facts about a thing.
#[unsafe(no_mangle)]
extern "C" fn agon_facts(key: f64, eyes: u32) -> i32 {
    answer(|engine, _, out| {
        engine.write_facts(Key::from_value(key as u64), eyes_of(engine, eyes)?, out);
        Ok(())
    })
}

/// Goes on through at most `count` turns with what is collected for charts and marks, and answers whether there is more.
#[unsafe(no_mangle)]
extern "C" fn agon_survey(eyes: u32, count: u32) -> i32 {
    answer(|engine, _, out| {
        let more = engine.survey(eyes_of(engine, eyes)?, count)?;
        out.flag(more);
        Ok(())
    })
}

/// Answers the numbers for charts and the marks that have been collected.
#[unsafe(no_mangle)]
extern "C" fn agon_series() -> i32 {
    answer(|engine, _, out| {
        engine.write_series(out);
        Ok(())
    })
}

/// Answers what happened in turn `ply`.
#[unsafe(no_mangle)]
extern "C" fn agon_events(ply: u32, eyes: u32) -> i32 {
    answer(|engine, _, out| engine.write_events(ply, eyes_of(engine, eyes)?, out))
}

/// Answers the decisions of turn `ply`.
#[unsafe(no_mangle)]
extern "C" fn agon_turn(ply: u32) -> i32 {
    answer(|engine, _, out| engine.write_turn(ply, out))
}

/// Answers the lawful first orders of a seat in the shown position.
#[unsafe(no_mangle)]
extern "C" fn agon_legal(number: u32) -> i32 {
    answer(|engine, _, out| {
        let seat = engine.seat(number)?;
        engine.write_legal(seat, out);
        Ok(())
    })
}

/// Answers the seats that decide in the shown position.
#[unsafe(no_mangle)]
extern "C" fn agon_awaited() -> i32 {
    answer(|engine, _, out| {
        engine.write_awaited(out);
        Ok(())
    })
}

/// Answers why the rules refuse the orders in the input, or an empty text, and the index of the refused order.
#[unsafe(no_mangle)]
extern "C" fn agon_check(number: u32) -> i32 {
    answer(|engine, input, out| {
        let seat = engine.seat(number)?;
        engine.write_checked(seat, input, out)
    })
}

/// Begins a branch at the shown position.
#[unsafe(no_mangle)]
extern "C" fn agon_branch() -> i32 {
    answer(|engine, _, _| {
        engine.branch();
        Ok(())
    })
}

/// Plays the decisions in the input on the branch, and answers what came of them, with the eyes of a seat or with all of them (0).
#[unsafe(no_mangle)]
extern "C" fn agon_apply(eyes: u32) -> i32 {
    answer(|engine, input, out| engine.write_applied(input, eyes_of(engine, eyes)?, out))
}

/// Takes the last turn of the branch back, and answers whether there was one.
#[unsafe(no_mangle)]
extern "C" fn agon_undo() -> i32 {
    answer(|engine, _, out| {
        let undone = engine.undo();
        out.flag(undone);
        Ok(())
    })
}

/// Returns to the recorded position at which the branch began.
#[unsafe(no_mangle)]
extern "C" fn agon_leave() -> i32 {
    answer(|engine, _, _| {
        engine.leave();
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls an export with this input. Returns its answer, or why it fails.
    pub(super) fn call(input: &[u8], export: impl FnOnce() -> i32) -> Result<Vec<u8>, String> {
        MODULE.with_borrow_mut(|module| module.input = input.to_vec());
        let length = export();
        MODULE.with_borrow(|module| {
            let answer = module.output.bytes();
            assert_eq!(answer.len(), length.unsigned_abs() as usize);
            // Behind the number of the line and the length of the text.
            if length < 0 { Err(String::from_utf8_lossy(&answer[8..]).into_owned()) } else { Ok(answer.to_vec()) }
        })
    }

    const REPLAY: &[u8] = include_bytes!("../../../fixtures/replays/v2/lighthouses-spec.jsonl");

    #[test]
    fn a_number_that_is_no_seat_has_no_eyes() {
        call(REPLAY, || agon_open()).expect("a replay");
        for eyes in [33, 255, 256, 257, u32::MAX] {
            for answer in [
                call(b"", || agon_frame(eyes)),
                call(b"", || agon_facts(1.0, eyes)),
                call(b"", || agon_survey(eyes, 1)),
                call(b"", || agon_events(1, eyes)),
                call(b"[]", || agon_apply(eyes)),
                call(b"", || agon_legal(eyes)),
                call(b"[]", || agon_check(eyes)),
            ] {
                let why = answer.expect_err("it is no seat");
                assert!(why.contains(&format!("there is no seat {eyes}: the match has ")), "{why}");
            }
        }
        assert!(call(b"", || agon_legal(0)).is_err());
        for eyes in [0, 1] {
            assert!(call(b"", || agon_frame(eyes)).is_ok());
        }
    }

    #[test]
    fn a_replay_that_cannot_be_opened_leaves_the_one_before_it() {
        call(REPLAY, || agon_open()).expect("a replay");
        call(b"", || agon_seek(3)).expect("a turn");
        let before = call(b"", || agon_fingerprint());
        assert!(call(b"{}", || agon_open()).is_err());
        assert_eq!(call(b"", || agon_fingerprint()), before);
        assert!(call(b"", || agon_seek(4)).is_ok());
    }
}
