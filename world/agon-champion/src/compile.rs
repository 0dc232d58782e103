//! Compiles the sources of a champion to a shared object that the host can load.

use crate::{
    ChampionError, cache,
    compiler_job::{self, Step},
    generate::{Flavour, c_glue, c_header, cpp_glue, cpp_header},
    source::{Language, Source, language_of},
};
use agon_core::Flaw;
use agon_spec::Isolation;
use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// The time limit of a build. No known champion needs that long.
const WALL: Duration = Duration::from_secs(120);

/// A built champion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// The shared object.
    pub library: PathBuf,
    /// The messages of the compilers, such as warnings. Empty if the champion comes from the cache.
    pub remarks: String,
}

/// Compiles a champion in C or C++, unless the cache already has the result for exactly these files.
///
/// Headers in the champion's own folder take precedence over ours. Ours exist with the names of both flavours. The
/// environment variables `CC` and `CXX` choose other compilers.
///
/// The compilers run in a sandbox of this level if the system has one, because the champion decides which files they
/// include and what they print.
///
/// # Errors
/// If the sources do not compile, in which case the error contains the messages of the compiler; if a compiler is
/// missing; if the cache cannot be written; or if `cancel` returns true.
pub fn build(source: &Source, level: Isolation, cancel: &dyn Fn() -> bool) -> Result<Built, ChampionError> {
    let tools = Tools::new();
    let glue = match source.language {
        Language::C => ("glue.c", c_glue()),
        Language::Cpp => ("glue.cc", cpp_glue()),
        Language::Python => return Err(Flaw::new("a champion in Python needs no building").into()),
    };
    let place = cache::place(source, &[&glue.1, &tools.c, &tools.cpp])?;
    let library = place.join("champion.so");
    if library.is_file() {
        return Ok(Built { library, remarks: String::new() });
    }
    // Build in another folder and move the complete result: another process may build the same champion.
    let scratch = Scratch::new(&place)?;
    let work = scratch.0.join("work");
    write(&work.join(glue.0), &glue.1)?;
    for (name, text) in [
        ("prologin.h", c_header(Flavour::Of2015)),
        ("api.h", c_header(Flavour::Of2020)),
        ("prologin.hh", cpp_header(Flavour::Of2015)),
        ("api.hh", cpp_header(Flavour::Of2020)),
    ] {
        // The champion's own copy takes precedence: the author may have edited it.
        if !source.folder.join(name).exists() {
            write(&work.join("include").join(name), &text)?;
        }
    }
    let folder = absolute(&source.folder)?;
    let mut steps = Vec::new();
    let mut objects = Vec::new();
    let units = source.units()?.into_iter().map(|unit| (folder.join(&unit), unit));
    for (path, unit) in units.chain([(PathBuf::from(glue.0), PathBuf::from(glue.0))]) {
        let object = format!("{}.o", objects.len());
        let mut words = tools.words(language_of(&unit));
        words.extend([standard(language_of(&unit), source.flavour), "-O2", "-fPIC", "-pthread"].map(OsString::from));
        // For includes with angle brackets, the system's headers come first: a champion may have its own `queue.h`.
        let folders = [OsStr::new("-iquote"), folder.as_os_str(), OsStr::new("-idirafter"), folder.as_os_str()];
        words.extend(folders.map(OsString::from));
        words.extend(["-I".into(), "include".into(), "-c".into(), path.clone().into()]);
        words.extend(["-o".into(), object.clone().into()]);
        steps.push(Step { words, failing: format!("`{}` does not compile", path.display()), read: Vec::new() });
        objects.push(object);
    }
    let mut words = tools.words(Some(source.language));
    words.extend(["-shared", "-pthread", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o", "champion.so"].map(OsString::from));
    words.extend(objects.into_iter().map(OsString::from).chain(["-lm".into()]));
    steps.push(Step { words, failing: format!("`{}` cannot be linked", folder.display()), read: Vec::new() });
    let (made, remarks) = compiler_job::work(&steps, &folder, &scratch.0, level, WALL, cancel)?;
    let failed = |why| unwritable(&library, &why);
    fs::create_dir_all(&place).map_err(failed)?;
    fs::rename(made.join("champion.so"), &library).map_err(failed)?;
    Ok(Built { library, remarks })
}

/// Returns the language standard that the makefiles of the contest set.
fn standard(language: Option<Language>, flavour: Flavour) -> &'static str {
    match (language, flavour) {
        (Some(Language::C), _) => "-std=gnu11",
        (_, Flavour::Of2015) => "-std=c++11",
        (_, Flavour::Of2020) => "-std=c++17",
    }
}

/// The command lines of the compilers, without quotes.
struct Tools {
    c: String,
    cpp: String,
}

impl Tools {
    fn new() -> Self {
        let tool = |name: &str, usual: &str| {
            env::var(name).ok().filter(|text| !text.trim().is_empty()).unwrap_or_else(|| usual.to_owned())
        };
        Self { c: tool("CC", "gcc"), cpp: tool("CXX", "g++") }
    }

    fn words(&self, language: Option<Language>) -> Vec<OsString> {
        let line = if language == Some(Language::C) { &self.c } else { &self.cpp };
        line.split_whitespace().map(OsString::from).collect()
    }
}

/// A temporary folder, removed on drop.
pub(crate) struct Scratch(pub PathBuf);

impl Scratch {
    pub(crate) fn new(place: &Path) -> Result<Self, Flaw> {
        let path = place.with_extension(cache::part());
        fs::create_dir_all(path.join("work/include")).map_err(|why| unwritable(&path, &why))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed stays in the cache.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(path: &Path, text: &str) -> Result<(), Flaw> {
    fs::write(path, text).map_err(|why| unwritable(path, &why))
}

fn unwritable(path: &Path, why: &std::io::Error) -> Flaw {
    Flaw::new(format!("cannot write `{}`: {why}", path.display()))
        .hint("built champions are kept in XDG_CACHE_HOME, else in ~/.cache: it must be possible to write there")
}

fn absolute(path: &Path) -> Result<PathBuf, Flaw> {
    std::path::absolute(path).map_err(|why| Flaw::new(format!("`{}`: {why}", path.display())))
}
