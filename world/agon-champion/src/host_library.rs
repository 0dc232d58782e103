//! The library that the interpreter of a Python champion loads: this crate, as a shared object. It is found in a file, or
//! carried by the program and written to the cache.

use crate::taken::Taken;
use agon_build::{KeyHasher, Record};
use agon_core::Flaw;
use std::{
    env::{
        self,
        consts::{DLL_PREFIX, DLL_SUFFIX},
    },
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// The environment variable for another path of the library.
const VARIABLE: &str = "AGON_CHAMPION_LIBRARY";

/// The version of the library: that of Agon, and a number that grows with each change of what the library exports.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), ", interface 1");

/// The library that the running program carries.
static CARRIED: OnceLock<&[u8]> = OnceLock::new();

/// Says that the running program carries the library for champions in Python, as the bytes of a shared object. Only the
/// first call counts.
///
/// Without it the library has to be a file beside the program.
pub fn carry_library(bytes: &'static [u8]) {
    let _ = CARRIED.set(bytes);
}

/// Returns the file of the library: what the environment names; in cargo's output folder; what the program carries, from
/// the cache; beside the program, or in the `lib` folder beside the program's folder. `warn` is called if the copy in the
/// cache cannot be used.
///
/// # Errors
/// If there is none, or the cache cannot be written.
pub(crate) fn host_library(taken: &Taken, warn: &mut dyn FnMut(String)) -> Result<PathBuf, Flaw> {
    let name = format!("{DLL_PREFIX}agon_champion{DLL_SUFFIX}");
    if let Some(path) = env::var_os(VARIABLE).map(PathBuf::from) {
        return if path.is_file() {
            Ok(path)
        } else {
            Err(Flaw::new(format!("{VARIABLE} names `{}`, which is no file", path.display())))
        };
    }
    let program = env::current_exe().map_err(|why| Flaw::new(format!("cannot find the program that runs: {why}")))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    // Who develops Agon builds it often, and needs no copy of each library.
    if let Some(path) = Some(folder.join("deps").join(&name)).filter(|path| path.is_file()) {
        return Ok(path);
    }
    if let Some(bytes) = CARRIED.get() {
        return kept(bytes, &name, taken, warn);
    }
    let places = [folder.to_owned(), folder.join("../lib/agon"), folder.join("../lib")];
    places.iter().map(|place| place.join(&name)).find(|path| path.is_file()).ok_or_else(|| {
        Flaw::new(format!("champions in Python need `{name}`, which is not beside `{}`", program.display())).hint(format!(
            "`cargo build --release -p agon-champion` makes it; copy it beside the program, or name it in {VARIABLE}"
        ))
    })
}

/// Returns the file of the cache that has these bytes. Writes it if the cache does not have it.
fn kept(bytes: &[u8], name: &str, taken: &Taken, warn: &mut dyn FnMut(String)) -> Result<PathBuf, Flaw> {
    let mut key = KeyHasher::new("champion host");
    key.add(bytes);
    let key = key.finish();
    if let Some(kept) = taken.cache.find(&key, &|_| true, warn) {
        return Ok(kept.folder.join(name));
    }
    let part = taken.cache.part()?;
    let folder = part.folder("library")?;
    let path = folder.join(name);
    fs::write(&path, bytes).map_err(|why| Flaw::new(format!("cannot write `{}`: {why}", path.display())))?;
    Ok(taken.cache.keep(&key, &part, &folder, Record::default(), &[])?.folder.join(name))
}
