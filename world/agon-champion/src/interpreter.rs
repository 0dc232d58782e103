//! The functions that the interpreter of a Python champion calls. It loads this crate as a library.

use crate::{
    call,
    host_library::VERSION,
    serve::{Champion, serve, take_stdio},
};
use std::{
    ffi::{CString, c_char},
    fs::File,
    io::Write,
    sync::{LazyLock, Mutex, PoisonError},
};

/// A callback of the champion. It never raises an exception.
type Callback = extern "C" fn();

struct Callbacks([Callback; 3]);

impl Champion for Callbacks {
    fn init(&mut self) {
        self.0[0]();
    }

    fn turn(&mut self) {
        self.0[1]();
    }

    fn end(&mut self) {
        self.0[2]();
    }
}

/// The connection to the referee, after a call of [`agon_champion_open`].
static REFEREE: Mutex<Option<(File, File)>> = Mutex::new(None);

/// Returns the version of this library, as a text that ends with a zero.
#[unsafe(no_mangle)]
pub extern "C" fn agon_champion_version() -> *const c_char {
    static TEXT: LazyLock<CString> = LazyLock::new(|| CString::new(VERSION).unwrap_or_default());
    TEXT.as_ptr()
}

/// Takes stdin and stdout for the connection to the referee. Returns 0, or 1 after an error message on stderr.
#[unsafe(no_mangle)]
pub extern "C" fn agon_champion_open() -> i32 {
    match take_stdio() {
        Ok(referee) => {
            *REFEREE.lock().unwrap_or_else(PoisonError::into_inner) = Some(referee);
            0
        }
        Err(why) => complain(&format!("cannot take stdin and stdout: {why}")),
    }
}

/// Calls a function of the API: see [`call::call`].
///
/// # Safety
/// `arguments` points to `count` integers and `out` to room for `capacity`; either may be null if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agon_champion_call(
    function: i32,
    arguments: *const i32,
    count: i32,
    out: *mut i32,
    capacity: i32,
) -> i32 {
    // SAFETY: the same contract.
    unsafe { call::call(function, arguments, count, out, capacity) }
}

/// Plays one match with these callbacks. Returns 0 at its end, or 1 after an error message on stderr.
#[unsafe(no_mangle)]
pub extern "C" fn agon_champion_serve(init: Callback, turn: Callback, end: Callback) -> i32 {
    let Some((input, output)) = REFEREE.lock().unwrap_or_else(PoisonError::into_inner).take() else {
        return complain("agon_champion_open was not called");
    };
    match serve(input, output, &mut Callbacks([init, turn, end])) {
        Ok(()) => 0,
        Err(why) => complain(&why),
    }
}

fn complain(why: &str) -> i32 {
    let _ = writeln!(std::io::stderr(), "error: {why}");
    1
}
