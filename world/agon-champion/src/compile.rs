//! Compiles the sources of a champion to a shared object that the host can load.

use crate::{
    ChampionError,
    caml::{Caml, INTERFACE},
    compiler_job::{self, Step},
    generate::{Flavour, c_glue, c_header, cpp_glue, cpp_header},
    source::{Language, Source, language_of},
    taken::{SOURCES, Taken},
};
use agon_build::{Kept, KeyHasher, OpenCache, Record, Tool, intake::SourceTree};
use agon_core::Flaw;
use agon_spec::Isolation;
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
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
    /// The cache that has the shared object. The file may be removed when it is dropped.
    pub cache: OpenCache,
}

/// Compiles a champion in C, C++ or OCaml, unless the cache already has the result for exactly these files.
///
/// Headers in the champion's own folder take precedence over ours. Ours exist with the names of both flavours. The
/// environment variables `CC` and `CXX` choose other compilers. `warn` is called if a result in the cache cannot be used.
///
/// The compilers run in a sandbox of this level if the system has one, because the champion decides which files they
/// include and what they print.
///
/// # Errors
/// If the sources do not compile, in which case the error contains the messages of the compiler; if a compiler is
/// missing; if the cache cannot be written; or if `cancel` returns true.
pub fn build(
    taken: &Taken,
    level: Isolation,
    cancel: &dyn Fn() -> bool,
    warn: &mut dyn FnMut(String),
) -> Result<Built, ChampionError> {
    let source = &taken.source;
    let tools = Tools::new();
    let glue = match source.language {
        Language::C => ("glue.c", c_glue()),
        Language::Cpp | Language::Caml => ("glue.cc", cpp_glue()),
        Language::Python => return Err(Flaw::new("a champion in Python needs no building").into()),
    };
    let caml = if source.language == Language::Caml { Some(Caml::find(taken)?) } else { None };
    let headers = [
        ("prologin.h", c_header(Flavour::Of2015)),
        ("api.h", c_header(Flavour::Of2020)),
        ("prologin.hh", cpp_header(Flavour::Of2015)),
        ("api.hh", cpp_header(Flavour::Of2020)),
    ];
    let folder = absolute(&source.named)?;
    let objects = objects(source, &tools, caml.as_ref(), glue.0, &folder)?;
    let mut steps = objects.steps;
    steps.push(match &caml {
        Some(caml) => caml.step(source, taken, &objects.names, format!("`{}` cannot be built", folder.display()))?,
        None => link(&tools, source.language, &objects.names, format!("`{}` cannot be linked", folder.display())),
    });
    let texts = headers.iter().flat_map(|(name, text)| [*name, text]).chain([&*glue.1]);
    let stamps = tools.stamps().into_iter().chain(caml.as_ref().map(Caml::stamp));
    let key = key(level, texts, stamps, &steps, &taken.tree);
    let library = |kept: Kept| kept.folder.join("champion.so");
    if let Some(kept) = taken.cache.find(&key, &|_| true, warn) {
        return Ok(Built { library: library(kept), remarks: String::new(), cache: taken.cache.clone() });
    }
    let work = taken.work();
    fs::create_dir(work.join("include")).map_err(|why| unwritable(&work, &why))?;
    write(&work.join(glue.0), &glue.1)?;
    for (name, text) in headers {
        // The champion's own copy wins, which may have been edited.
        if !taken.tree.has(name) {
            write(&work.join("include").join(name), &text)?;
        }
    }
    let begun = Instant::now();
    let (made, remarks) = compiler_job::work(&steps, taken, level, WALL, cancel)?;
    let result = taken.part.folder("result")?;
    fs::rename(made.join("champion.so"), result.join("champion.so")).map_err(|why| unwritable(&result, &why))?;
    let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let kept = taken.keep(&key, &result, Record { run: Vec::new(), took_ms }, remarks.as_bytes())?;
    Ok(Built { library: library(kept), remarks, cache: taken.cache.clone() })
}

/// The steps that make objects of sources, and the names of the objects.
struct Objects {
    steps: Vec<Step>,
    names: Vec<String>,
}

/// Returns the steps that compile a champion and the glue, without the last one, which links them.
fn objects(source: &Source, tools: &Tools, caml: Option<&Caml>, glue: &str, folder: &Path) -> Result<Objects, Flaw> {
    let (mut steps, mut names) = (Vec::new(), Vec::new());
    let units = if caml.is_some() { vec![INTERFACE.into()] } else { source.units()? };
    let units = units.into_iter().map(|unit| (Path::new(SOURCES).join(&unit), folder.join(unit)));
    for (unit, named) in units.chain([(PathBuf::from(glue), PathBuf::from(glue))]) {
        let object = format!("{}.o", names.len());
        let mut words = tools.words(language_of(&unit));
        words.extend([standard(language_of(&unit), source.flavour), "-O2", "-fPIC", "-pthread"].map(OsString::from));
        // For includes with angle brackets, the system's headers come first: a champion may have its own `queue.h`.
        words.extend(["-iquote", SOURCES, "-idirafter", SOURCES, "-I", "include"].map(OsString::from));
        words.extend(caml.iter().flat_map(|caml| caml.include()));
        if caml.is_some() && unit.ends_with(INTERFACE) {
            // The contest's file is older than the `const` in the headers of today's OCaml.
            words.push("-fpermissive".into());
        }
        words.extend(["-c".into(), unit.into(), "-o".into(), object.clone().into()]);
        let read = caml.iter().flat_map(|caml| caml.include());
        let read = read.filter(|path| Path::new(path).is_absolute()).map(PathBuf::from).collect();
        steps.push(Step { words, failing: format!("`{}` does not compile", named.display()), read });
        names.push(object);
    }
    Ok(Objects { steps, names })
}

/// Returns the step that makes a shared object of these objects.
fn link(tools: &Tools, language: Language, objects: &[String], failing: String) -> Step {
    let mut words = tools.words(Some(language));
    let how = ["-shared", "-pthread", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o", "champion.so"];
    words.extend(how.map(OsString::from));
    words.extend(objects.iter().map(OsString::from).chain(["-lm".into()]));
    Step { words, failing, read: Vec::new() }
}

/// Returns the key of a build: what its result depends on. `texts` are our own files, and `stamps` change with the compilers.
fn key<'t>(
    level: Isolation,
    texts: impl Iterator<Item = &'t str>,
    stamps: impl Iterator<Item = String>,
    steps: &[Step],
    tree: &SourceTree,
) -> String {
    let mut key = KeyHasher::new("champion");
    key.add(level.name().as_bytes());
    key.list(texts);
    key.list(stamps);
    // Compilers look there for the programs that they start.
    key.add(env::var_os("PATH").unwrap_or_default().as_encoded_bytes());
    // Their paths are relative, or those of compilers.
    for step in steps {
        key.list(step.words.iter().map(|word| word.as_encoded_bytes()));
    }
    key.tree(tree);
    key.finish()
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

    /// Returns the command lines, each with a text that changes with the compiler that it names.
    fn stamps(&self) -> Vec<String> {
        let program = |line: &str| compiler_job::found(Path::new(line.split_whitespace().next()?));
        let stamp = |line: &String| program(line).map(|path| Tool::at(path, Vec::new()).stamp()).unwrap_or_default();
        vec![self.c.clone(), stamp(&self.c), self.cpp.clone(), stamp(&self.cpp)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use agon_build::intake::{Kind, Limits, take};

    /// A champion that was linked in another way is another library.
    #[test]
    fn the_key_covers_every_word_of_the_build() {
        let tools = Tools { c: "gcc".into(), cpp: "g++".into() };
        let folder = env::temp_dir().join(format!("agon-champion-key-{}", std::process::id()));
        for folder in [&folder, &folder.with_extension("copy")] {
            fs::create_dir_all(folder).expect("the temporary folder can be written to");
        }
        fs::write(folder.join("prologin.c"), "").expect("the temporary folder can be written to");
        let source = Source::find(&folder).expect("it is a champion");
        let steps = || {
            let mut objects = objects(&source, &tools, None, "glue.c", &folder).expect("it can be read");
            objects.steps.push(link(&tools, source.language, &objects.names, String::new()));
            objects.steps
        };
        let taken = take(&folder, Kind::Folder, &folder.with_extension("copy"), Limits::default());
        let tree = taken.expect("it can be copied");
        let key = |steps: &[Step]| key(Isolation::Full, [].into_iter(), [].into_iter(), steps, &tree);
        let own = key(&steps());
        assert_eq!(key(&steps()), own);
        let count = steps().len();
        assert_eq!(count, 3, "two objects and the link");
        for at in 0..count {
            let mut changed = steps();
            changed[at].words.push("-s".into());
            assert_ne!(key(&changed), own, "{:?}", changed[at].words);
        }
        for folder in [&folder, &folder.with_extension("copy")] {
            let _ = fs::remove_dir_all(folder);
        }
    }
}
