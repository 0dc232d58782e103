//! Champions in C or C++: a shared object that contains the glue of this crate, loaded into a process of its own.

use crate::{
    call::{self, Call},
    serve::{Champion, serve, take_stdio},
};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::{error::Error, path::Path};

/// Why a match with a champion in a shared object cannot be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The system does not load it, or it is no champion. Nothing of it was played.
    #[error("{0}")]
    NotLoaded(String),
    /// The referee cannot be talked to, or does not follow the protocol.
    #[error("{0}")]
    Broken(String),
}

/// The callbacks that the glue exports. If a C++ champion throws an exception, the glue ends the process.
struct Loaded {
    init: unsafe extern "C" fn(),
    turn: unsafe extern "C" fn(),
    end: unsafe extern "C" fn(),
}

impl Loaded {
    /// Loads a champion and gives its glue the function for calls.
    fn load(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        // The system would search for a path without a slash in the folders for libraries.
        let path = std::path::absolute(path).map_err(|why| format!("`{shown}`: {why}"))?;
        // SAFETY: loading runs whatever the library wants run. It is a bot, and this process is there for it alone.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|why| format!("`{shown}`: {}", reason(&path, &why)))?;
        let foreign = |_| format!("`{shown}` was not made by `agon champion build`: make it anew from its sources");
        // SAFETY: the glue defines these four with these types.
        let (connect, loaded) = unsafe {
            let connect = library.get::<unsafe extern "C" fn(Call)>(b"agon_champion_connect\0").map_err(foreign)?;
            let init = *library.get(b"agon_champion_init\0").map_err(foreign)?;
            let turn = *library.get(b"agon_champion_turn\0").map_err(foreign)?;
            let end = *library.get(b"agon_champion_end\0").map_err(foreign)?;
            (*connect, Self { init, turn, end })
        };
        // Threads of the champion may run code of the library until the end of the process.
        std::mem::forget(library);
        // SAFETY: the glue keeps the pointer to a function that is there for ever.
        unsafe { connect(call::call) };
        Ok(loaded)
    }
}

/// Returns why the system refuses to load a library, without the path before it.
fn reason(path: &Path, error: &dyn Error) -> String {
    let why = error.source().unwrap_or(error).to_string();
    why.strip_prefix(&format!("{}: ", path.display())).map_or_else(|| why.clone(), str::to_owned)
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

/// Plays one match with the champion in the shared object `path`. The referee is on stdin and stdout.
///
/// From here on the process belongs to the champion, which may print, start threads and end the process.
///
/// # Errors
/// If the champion cannot be loaded, or the referee does not follow the protocol.
pub fn play_library(path: &Path) -> Result<(), LibraryError> {
    let (input, output) =
        take_stdio().map_err(|why| LibraryError::Broken(format!("cannot take stdin and stdout: {why}")))?;
    let mut champion = Loaded::load(path).map_err(LibraryError::NotLoaded)?;
    serve(input, output, &mut champion).map_err(LibraryError::Broken)
}
