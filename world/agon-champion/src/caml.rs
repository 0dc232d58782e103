//! Champions in OCaml: the contest's `interface.cc` in the champion's folder makes values of OCaml of what our functions
//! return, and `ocamlopt` makes one shared object of everything.

use crate::{
    compiler_job::{Step, found, top},
    source::Source,
    taken::{SOURCES, Taken},
};
use agon_build::Tool;
use agon_core::Flaw;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// The compiler. Champions use nothing but the standard library, so `ocamlfind` is not needed.
const COMPILER: &str = "ocamlopt";

/// The tool beside it that finds the order of modules.
const SORTER: &str = "ocamldep";

/// A shell's program: runs the command behind the modules, and adds these to it in the order in which they need each other. Its
/// arguments are the tool for the order, the number of modules, the modules, and the command.
const SORTED: &str = r#"
sorter=$0 left=$1 modules=
shift
while [ "$left" -gt 0 ]; do
    modules="$modules $1" left=$((left - 1))
    shift
done
order=$("$sorter" -sort $modules) && exec "$@" $order
"#;

/// What to install, by the name in Debian and Ubuntu.
pub(crate) const HINT: &str =
    "champions in OCaml need `ocamlopt` (Debian and Ubuntu: `apt install ocaml-nox`) and `g++`";

/// The contest's glue, which each champion has in its folder.
pub(crate) const INTERFACE: &str = "interface.cc";

/// The compiler and its headers for C.
pub(crate) struct Caml {
    program: PathBuf,
    headers: PathBuf,
}

impl Caml {
    /// Finds the compiler, and asks it for its headers.
    ///
    /// # Errors
    /// If it is not installed, or the champion has no `interface.cc`.
    pub(crate) fn find(taken: &Taken) -> Result<Self, Flaw> {
        if !taken.tree.has(INTERFACE) {
            let named = taken.source.named.display();
            return Err(Flaw::new(format!("the champion in `{named}` has no `{INTERFACE}`"))
                .hint("take it from the contest's folder for OCaml: it makes OCaml's values of those of the API"));
        }
        let missing = || Flaw::new(format!("there is no compiler `{COMPILER}`")).hint(HINT);
        let program = found(Path::new(COMPILER)).ok_or_else(missing)?;
        let told =
            agon_sandbox::answer_of(Command::new(&program).arg("-where").current_dir("/")).map_err(|_| missing())?;
        let headers = PathBuf::from(String::from_utf8_lossy(&told.stdout).trim());
        if !told.status.success() || !headers.is_absolute() {
            return Err(missing());
        }
        Ok(Self { program, headers })
    }

    /// Returns a text that changes with the compiler.
    pub(crate) fn stamp(&self) -> String {
        format!("{} {}", Tool::at(self.program.clone(), Vec::new()).stamp(), self.headers.display())
    }

    /// Returns the folder with `caml/mlvalues.h`, as an argument for a compiler of C++.
    pub(crate) fn include(&self) -> [OsString; 2] {
        ["-I".into(), self.headers.clone().into()]
    }

    /// Returns the step that makes the shared object of the champion's modules and of these objects.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(crate) fn step(
        &self,
        source: &Source,
        taken: &Taken,
        objects: &[String],
        failing: String,
    ) -> Result<Step, Flaw> {
        let mut modules: Vec<OsString> = Vec::new();
        for unit in source.units()? {
            let interface = unit.with_extension("mli");
            if interface.to_str().is_some_and(|name| taken.tree.has(name)) {
                modules.push(Path::new(SOURCES).join(interface).into());
            }
            modules.push(Path::new(SOURCES).join(unit).into());
        }
        let mut words: Vec<OsString> = Vec::new();
        if !source.is_ordered() {
            let sort = self.program.with_file_name(SORTER).into();
            words.extend(["/bin/sh".into(), "-c".into(), SORTED.into(), sort, modules.len().to_string().into()]);
            words.append(&mut modules);
        }
        words.push(self.program.clone().into());
        words.extend(["-g", "-I", SOURCES, "-output-obj", "-runtime-variant", "_pic"].map(OsString::from));
        words.extend(["-o", "champion.so"].map(OsString::from));
        // The linker takes of a library what the objects before it lack.
        words.extend(objects.iter().map(OsString::from));
        words.extend(["-cclib", "-lstdc++", "-ccopt", "-Wl,-Bsymbolic"].map(OsString::from));
        words.extend(modules);
        let installation = self.program.canonicalize().map(|program| top(&program));
        Ok(Step { words, failing, read: [self.headers.clone()].into_iter().chain(installation).collect() })
    }
}
