//! From a champion's sources to a shared object that the host can load.

use crate::{
    cache,
    generate::{Flavour, c_glue, c_header, cpp_glue, cpp_header},
    source::{Language, Source, language_of},
};
use agon_core::Flaw;
use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
};

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
/// # Errors
/// What the compiler says, in full; or there is no compiler, or no room in the cache.
pub fn build(source: &Source) -> Result<Built, Flaw> {
    let tools = Tools::new();
    let glue = match source.language {
        Language::C => ("glue.c", c_glue()),
        Language::Cpp => ("glue.cc", cpp_glue()),
        Language::Python => return Err(Flaw::new("a champion in Python needs no building")),
    };
    let place = cache::place(source, &[&glue.1, &tools.c, &tools.cpp])?;
    let library = place.join("champion.so");
    if library.is_file() {
        return Ok(Built { library, remarks: String::new() });
    }
    // Built beside its place and moved there when complete: another process may be building the same.
    let scratch = Scratch::new(&place)?;
    let ours = scratch.0.join("include");
    write(&scratch.0.join(glue.0), &glue.1)?;
    for (name, text) in [
        ("prologin.h", c_header(Flavour::Of2015)),
        ("api.h", c_header(Flavour::Of2020)),
        ("prologin.hh", cpp_header(Flavour::Of2015)),
        ("api.hh", cpp_header(Flavour::Of2020)),
    ] {
        // The champion's own copy wins, which may have been edited.
        if !source.folder.join(name).exists() {
            write(&ours.join(name), &text)?;
        }
    }
    let mut remarks = String::new();
    let mut objects = Vec::new();
    let units = source.units()?.into_iter().map(|unit| (source.folder.join(&unit), unit));
    for (path, unit) in units.chain([(scratch.0.join(glue.0), PathBuf::from(glue.0))]) {
        let object = scratch.0.join(format!("{}.o", objects.len()));
        let standard = standard(language_of(&unit), source.flavour);
        let mut command = tools.command(language_of(&unit));
        command.args([standard, "-O2", "-fPIC", "-pthread"]);
        // Behind the system's headers if asked for with angle brackets: a champion may have a `queue.h` of its own.
        command.arg("-iquote").arg(&source.folder).arg("-idirafter").arg(&source.folder).arg("-I").arg(&ours);
        command.arg("-c").arg(absolute(&path)?).arg("-o").arg(&object);
        remarks += &run(command, &format!("`{}` does not compile", path.display()))?;
        objects.push(object);
    }
    let linked = scratch.0.join("champion.so");
    let mut command = tools.command(Some(source.language));
    command.args(["-shared", "-pthread", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o"]).arg(&linked).args(objects).arg("-lm");
    remarks += &run(command, &format!("`{}` cannot be linked", source.folder.display()))?;
    let failed = |why| unwritable(&library, &why);
    fs::create_dir_all(&place).map_err(failed)?;
    fs::rename(&linked, &library).map_err(failed)?;
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

    fn command(&self, language: Option<Language>) -> Command {
        let line = if language == Some(Language::C) { &self.c } else { &self.cpp };
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        // Diagnostics in English are what people search for; also they are printed by whoever asked, not here.
        command.args(words).env("LC_ALL", "C");
        command
    }
}

/// Runs a compiler; returns its remarks.
fn run(mut command: Command, failing: &str) -> Result<String, Flaw> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|why| match why.kind() {
        ErrorKind::NotFound => Flaw::new(format!("there is no compiler `{name}`"))
            .hint("champions in C and C++ need gcc and g++: install them, or name others in CC and CXX"),
        _ => Flaw::new(format!("cannot start the compiler `{name}`: {why}")),
    })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let said = if said.is_empty() { format!("{name}: {}", output.status) } else { said };
    Err(Flaw::new(format!("{failing}:\n{}", said.trim_end())))
}

/// A folder that is gone when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn new(place: &Path) -> Result<Self, Flaw> {
        let path = place.with_extension(format!("{}.part", std::process::id()));
        fs::create_dir_all(path.join("include")).map_err(|why| unwritable(&path, &why))?;
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
