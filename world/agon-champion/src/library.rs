//! A champion in C or C++: a shared object with the glue of this crate in it, loaded into a process of its own.

use crate::{
    call::{self, Call},
    serve::{Champion, serve, take_stdio},
};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::path::Path;

/// The callbacks as the glue exports them: what a C++ champion throws ends the process there.
struct Loaded {
    init: unsafe extern "C" fn(),
    turn: unsafe extern "C" fn(),
    end: unsafe extern "C" fn(),
}

impl Loaded {
    /// Loads a champion and tells its glue where calls go.
    fn load(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        // A path without a slash would be looked up in the places for system libraries.
        let path = std::path::absolute(path).map_err(|why| format!("`{shown}`: {why}"))?;
        // SAFETY: loading runs whatever the library wants run. It is a bot, and this process is there for it alone.
        let library =
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|why| format!("`{shown}`: {why}"))?;
        let foreign = |_| format!("`{shown}` was not made by `agon champion build`: make it anew from its sources");
        // SAFETY: the glue defines these four with these types.
        let (connect, loaded) = unsafe {
            let connect = library.get::<unsafe extern "C" fn(Call)>(b"agon_champion_connect\0").map_err(foreign)?;
            let init = *library.get(b"agon_champion_init\0").map_err(foreign)?;
            let turn = *library.get(b"agon_champion_turn\0").map_err(foreign)?;
            let end = *library.get(b"agon_champion_end\0").map_err(foreign)?;
            (*connect, Self { init, turn, end })
        };
        // Threads that the champion has started may run in it to the end of the process.
        std::mem::forget(library);
        // SAFETY: the glue keeps the pointer to a function that is there for ever.
        unsafe { connect(call::call) };
        Ok(loaded)
    }
}

impl Champion for Loaded {
    fn init(&mut self) {
        // SAFETY: the library stays loaded, and nothing is thrown through its glue.
        unsafe { (self.init)() }
    }

    fn turn(&mut self) {
        // SAFETY: as above.
        unsafe { (self.turn)() }
    }

    fn end(&mut self) {
        // SAFETY: as above.
        unsafe { (self.end)() }
    }
}

/// Plays one match with the champion in the shared object `path`, with the referee on stdin and stdout.
///
/// The process is the champion's from here on: it may print, start threads, and end it.
///
/// # Errors
/// It cannot be loaded, or the referee does not speak the protocol.
pub fn play_library(path: &Path) -> Result<(), String> {
    let (input, output) = take_stdio().map_err(|why| format!("cannot take stdin and stdout: {why}"))?;
    let mut champion = Loaded::load(path)?;
    serve(input, output, &mut champion)
}
