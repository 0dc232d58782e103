//! From a champion's sources to a shared object that the host can load.

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

/// Longer than any champion takes to be built.
const WALL: Duration = Duration::from_secs(120);

/// A built champion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// The shared object.
    pub library: PathBuf,
    /// What compilers had to say, as warnings; empty if it was built before.
    pub remarks: String,
}

/// Compiles a champion in C or C++, unless it was compiled before and no byte of it has changed since.
///
/// Headers in the champion's own folder win over ours; ours have both flavours of names. `CC` and `CXX` choose other
/// compilers.
///
/// Compilers are kept in a sandbox of this level, where there is one: what they include and what they say is the
/// champion's doing.
///
/// # Errors
/// What the compiler says; or there is no compiler, or no room in the cache; or `cancel` has said so.
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
    // Built beside its place and moved there when complete: another process may be building the same.
    let scratch = Scratch::new(&place)?;
    let work = scratch.0.join("work");
    write(&work.join(glue.0), &glue.1)?;
    for (name, text) in [
        ("prologin.h", c_header(Flavour::Of2015)),
        ("api.h", c_header(Flavour::Of2020)),
        ("prologin.hh", cpp_header(Flavour::Of2015)),
        ("api.hh", cpp_header(Flavour::Of2020)),
    ] {
        // The champion's own copy wins, which may have been edited.
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
        // Behind the system's headers if asked for with angle brackets: a champion may have a `queue.h` of its own.
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

/// The standards that the contest's own makefiles asked for.
fn standard(language: Option<Language>, flavour: Flavour) -> &'static str {
    match (language, flavour) {
        (Some(Language::C), _) => "-std=gnu11",
        (_, Flavour::Of2015) => "-std=c++11",
        (_, Flavour::Of2020) => "-std=c++17",
    }
}

/// The compilers, as command lines without quotes.
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

/// A folder that is gone when it is no longer needed.
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
        // What cannot be removed lies in a cache.
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
