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

    /// Opens an engine with the input, and writes what describes its match.
    fn open(&mut self, open: fn(&[u8]) -> Result<Engine, Failed>) -> i32 {
        self.output.clear();
        self.engine = None;
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

/// Reads the number of a seat, counted from 1. 0 means no seat.
fn seat(number: u32) -> Option<Seat> {
    u8::try_from(number).ok().and_then(Seat::from_number)
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

/// Goes on with the verification through at most `count` turns, and answers the verdict.
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
        engine.write_frame(seat(eyes), out);
        Ok(())
    })
}

/// Answers the facts about a thing.
#[unsafe(no_mangle)]
extern "C" fn agon_facts(key: f64, eyes: u32) -> i32 {
    answer(|engine, _, out| {
        engine.write_facts(Key::from_value(key as u64), seat(eyes), out);
        Ok(())
    })
}

/// Goes on through at most `count` turns with what is collected for charts and marks, and answers whether there is more.
#[unsafe(no_mangle)]
extern "C" fn agon_survey(eyes: u32, count: u32) -> i32 {
    answer(|engine, _, out| {
        let more = engine.survey(seat(eyes), count)?;
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
    answer(|engine, _, out| engine.write_events(ply, seat(eyes), out))
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
        let seat = seat(number).ok_or_else(|| Failed { why: "there is no such seat".into(), line: None })?;
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
        let seat = seat(number).ok_or_else(|| Failed { why: "there is no such seat".into(), line: None })?;
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

/// Plays the decisions in the input on the branch, and answers what came of them.
#[unsafe(no_mangle)]
extern "C" fn agon_apply() -> i32 {
    answer(|engine, input, out| engine.write_applied(input, out))
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
