//! The sources of a champion: their language, the flavour of their names, and the files to compile.

use crate::{
    generate::Flavour,
    main_file::{MAINS, none_in},
};
use agon_core::Flaw;
use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

/// A language of champions that Agon can play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
    /// OCaml.
    Caml,
    /// Python 3.
    Python,
}

impl Language {
    /// Returns the name that this language has for bots.
    pub(crate) fn of_bots(self) -> agon_build::Language {
        match self {
            Self::C => agon_build::Language::C,
            Self::Cpp => agon_build::Language::Cpp,
            Self::Caml => agon_build::Language::OCaml,
            Self::Python => agon_build::Language::Python,
        }
    }
}

/// The sources of a champion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The folder with the sources.
    pub folder: PathBuf,
    /// The path of the folder that the user knows: `folder` may be a copy.
    pub named: PathBuf,
    /// The language of the champion.
    pub language: Language,
    /// The contest whose file names the champion uses.
    pub flavour: Flavour,
    /// The name of the file with the callbacks.
    pub main: &'static str,
}

/// The maximum size in bytes of a `Makefile` or `_lang` file that is read.
const NOTE_LIMIT: u64 = 64 * 1024;

impl Source {
    /// Examines a champion's folder. If there is more than one main file, the language in the file `_lang` decides, as
    /// it did on the servers of the contest.
    ///
    /// # Errors
    /// If there is no champion, there is more than one, or Agon cannot play its language.
    pub fn find(folder: &Path) -> Result<Self, Flaw> {
        Self::find_in(folder, folder)
    }

    /// The same in a copy of the folder that the user knows as `named`.
    pub(crate) fn find_in(folder: &Path, named: &Path) -> Result<Self, Flaw> {
        let shown = named.display();
        if !folder.is_dir() {
            return Err(Flaw::new(format!("there is no folder `{shown}`"))
                .hint("name the folder that holds the champion's sources"));
        }
        let mut found: Vec<_> = MAINS.iter().filter(|(name, ..)| folder.join(name).is_file()).collect();
        if found.len() > 1
            && let Some(language) = note(&folder.join("_lang")).as_deref().and_then(|text| language_named(text.trim()))
        {
            found.retain(|(_, other, _)| *other == language);
        }
        match found[..] {
            [(main, language, flavour)] => {
                let (folder, named) = (folder.to_owned(), named.to_owned());
                Ok(Self { folder, named, language: *language, flavour: *flavour, main })
            }
            [] => Err(none_in(folder, named)),
            _ => {
                let names = found.iter().map(|m| m.0).collect::<Vec<_>>().join(", ");
                Err(Flaw::new(format!("there is more than one champion in `{shown}`: {names}"))
                    .hint("give each a folder of its own, or write `c`, `cxx`, `caml` or `python` into a file `_lang`"))
            }
        }
    }

    /// Returns the files to compile, relative to the folder: those that the champion's makefile lists, or else all
    /// files beside the main file. Skips the contest's own glue, because ours replaces it.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn units(&self) -> Result<Vec<PathBuf>, Flaw> {
        let listed = self.of_makefile();
        let is_listed = listed.is_some();
        let mut units = match listed {
            Some(units) => units,
            None => self.beside(Path::new(""))?,
        };
        // A makefile may name files elsewhere, of which there is no copy.
        let lies_here = |unit: &Path| unit.components().all(|step| matches!(step, Component::Normal(_)));
        units.retain(|unit| {
            self.compiles(unit) && lies_here(unit) && self.folder.join(unit).is_file() && !is_interface(unit)
        });
        // OCaml compiles modules in the order of the list.
        if !(is_listed && self.language == Language::Caml) {
            units.sort_by_key(|unit| (self.place(unit), unit.clone()));
        }
        let mut known = BTreeSet::new();
        units.retain(|unit| known.insert(unit.clone()));
        Ok(units)
    }

    /// Returns whether the champion's makefile lists its files, in the order in which OCaml compiles them.
    pub(crate) fn is_ordered(&self) -> bool {
        self.of_makefile().is_some()
    }

    /// Returns the files that the champion's makefile lists, if the main file is among them.
    fn of_makefile(&self) -> Option<Vec<PathBuf>> {
        let units = self.listed(&note(&self.folder.join("Makefile"))?);
        units.iter().any(|unit| unit == Path::new(self.main)).then_some(units)
    }

    /// Returns the files that `champion-srcs = ...` lists in a makefile. Supports `$(wildcard FOLDER/*.END)`.
    fn listed(&self, makefile: &str) -> Vec<PathBuf> {
        let makefile = makefile.replace("\\\r\n", " ").replace("\\\n", " ");
        let lists = makefile.lines().filter_map(|line| {
            let (name, list) = line.split('#').next()?.split_once('=')?;
            (name.trim_end_matches([' ', '\t', ':', '+']).trim() == "champion-srcs").then_some(list)
        });
        let mut units = Vec::new();
        for word in lists.flat_map(|list| list.split([' ', '\t', '(', ')', ','])) {
            match word.rsplit_once('*') {
                Some((folder, end)) => {
                    let beside = self.beside(Path::new(folder)).unwrap_or_default();
                    units.extend(beside.into_iter().filter(|unit| unit.to_string_lossy().ends_with(end)));
                }
                None => units.push(word.trim_start_matches("./").into()),
            }
        }
        units
    }

    /// Returns the place of a file among those that no makefile lists. In OCaml all others need the API, and the main
    /// file needs all others; the order of those is found out when they are compiled.
    fn place(&self, unit: &Path) -> u8 {
        match unit.to_str() {
            _ if self.language != Language::Caml => 0,
            Some("api.ml") => 0,
            Some(name) if name == self.main => 2,
            _ => 1,
        }
    }

    /// Returns all files in a folder of the champion.
    fn beside(&self, folder: &Path) -> Result<Vec<PathBuf>, Flaw> {
        let path = self.folder.join(folder);
        let failed = |why: std::io::Error| Flaw::new(format!("cannot read the folder `{}`: {why}", path.display()));
        let mut units = Vec::new();
        for entry in fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let folder = folder.strip_prefix("./").unwrap_or(folder);
            units.push(folder.join(name));
        }
        Ok(units)
    }

    /// Returns whether this file can belong to the champion. C files may belong to C++ champions, but not the reverse.
    fn compiles(&self, unit: &Path) -> bool {
        match language_of(unit) {
            Some(Language::C) => matches!(self.language, Language::C | Language::Cpp),
            Some(language) => language == self.language,
            None => false,
        }
    }
}

/// Returns the language of a file to compile, by the ending of its name.
pub(crate) fn language_of(unit: &Path) -> Option<Language> {
    match unit.extension()?.to_str()? {
        "c" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "C" | "c++" => Some(Language::Cpp),
        "ml" => Some(Language::Caml),
        _ => None,
    }
}

/// Returns whether a file is the contest's own glue, such as `interface.cc`.
fn is_interface(unit: &Path) -> bool {
    unit.file_stem()
        .and_then(|s| s.to_str())
        .is_some_and(|s| matches!(s, "interface" | "interface_cxx" | "interface_c"))
}

/// Returns the language that the text of a `_lang` file names.
fn language_named(text: &str) -> Option<Language> {
    match text {
        "c" => Some(Language::C),
        "cxx" => Some(Language::Cpp),
        "caml" => Some(Language::Caml),
        "python" => Some(Language::Python),
        _ => None,
    }
}

/// Reads a small text file. `None` if it does not exist or is too large.
pub(crate) fn note(path: &Path) -> Option<String> {
    let about = path.metadata().ok()?;
    (about.is_file() && about.len() <= NOTE_LIMIT)
        .then(|| fs::read(path).ok())
        .flatten()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Makes a folder with these files.
    pub(crate) fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("agon-champion-source-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the temporary folder can be written to");
            fs::write(path, text).expect("the temporary folder can be written to");
        }
        folder
    }

    fn units(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let folder = folder(name, files);
        let units = Source::find(&folder).expect("it is a champion").units().expect("it can be read");
        let _ = fs::remove_dir_all(&folder);
        units.iter().map(|u| u.display().to_string()).collect()
    }

    #[test]
    fn the_main_file_tells_language_and_flavour() {
        for (main, language, flavour) in MAINS {
            let folder = folder(&format!("main-{main}"), &[(main, ""), ("other.txt", "")]);
            let source = Source::find(&folder).expect("it is a champion");
            assert_eq!((source.main, source.language, source.flavour), (*main, *language, *flavour));
            let _ = fs::remove_dir_all(&folder);
        }
    }

    #[test]
    fn a_folder_that_is_no_champion_is_named() {
        for (name, files, what) in [
            ("none", &[("readme", "")][..], "there is no champion"),
            ("java", &[("Prologin.java", "")], "Java"),
            ("two", &[("prologin.c", ""), ("prologin.cc", "")], "more than one"),
        ] {
            let folder = folder(name, files);
            let flaw = Source::find(&folder).expect_err("it is none");
            assert!(flaw.what.contains(what) && flaw.hint.is_some(), "{flaw:?}");
            let _ = fs::remove_dir_all(&folder);
        }
        assert!(Source::find(Path::new("/nowhere/at/all")).is_err());
    }

    #[test]
    fn lang_decides_between_two() {
        let folder = folder("lang", &[("prologin.c", ""), ("prologin.py", ""), ("_lang", "python\n")]);
        assert_eq!(Source::find(&folder).map(|s| s.main), Ok("prologin.py"));
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn everything_beside_the_main_file_is_compiled_but_the_contests_glue() {
        let files =
            [("prologin.cc", ""), ("a.cpp", ""), ("b.c", ""), ("interface.cc", ""), ("notes", ""), ("x/y.cc", "")];
        assert_eq!(units("beside", &files), ["a.cpp", "b.c", "prologin.cc"]);
        assert_eq!(units("c", &[("prologin.c", ""), ("interface.cc", ""), ("b.c", "")]), ["b.c", "prologin.c"]);
    }

    #[test]
    fn modules_of_ocaml_keep_the_order_of_their_makefile() {
        let makefile = "champion-srcs = api.ml zone.ml geometry.ml prologin.ml\nchampion-srcs += interface.cc\n";
        let names = ["prologin.ml", "geometry.ml", "zone.ml", "api.ml", "interface.cc", "prologin.mli"];
        let files = names.map(|name| (name, ""));
        assert_eq!(units("caml-beside", &files), ["api.ml", "geometry.ml", "zone.ml", "prologin.ml"]);
        let listed = [&files[..], &[("Makefile", makefile)]].concat();
        assert_eq!(units("caml-make", &listed), ["api.ml", "zone.ml", "geometry.ml", "prologin.ml"]);
    }

    #[test]
    fn a_makefile_lists_what_is_compiled() {
        let makefile = "# x\nlib_TARGETS = champion\nchampion-srcs = prologin.cc \\\n  deep/a.cpp # b.cc\n\
                        champion-dists = b.cc\nchampion-srcs += interface.cc\n";
        let files = [("Makefile", makefile), ("prologin.cc", ""), ("deep/a.cpp", ""), ("b.cc", "")];
        assert_eq!(units("make", &files), ["deep/a.cpp", "prologin.cc"]);
        let makefile = "champion-srcs = prologin.c $(wildcard src/*.c)\n";
        let files = [("Makefile", makefile), ("prologin.c", ""), ("src/a.c", ""), ("src/b.h", ""), ("c.c", "")];
        assert_eq!(units("wildcard", &files), ["prologin.c", "src/a.c"]);
        let files = [("Makefile", "all:\n\tcc $(SOURCES)\n"), ("prologin.c", ""), ("c.c", "")];
        assert_eq!(units("other", &files), ["c.c", "prologin.c"]);
    }
}
