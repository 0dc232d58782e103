//! The interpreter of a champion in Python: the one that the user names in `PYTHON`, the one that the champion's `agon.toml`
//! names, or the one of its virtual environment, else `python3`.

use crate::taken::Taken;
use agon_build::{Language, Manifest, Plan, Run, Tools};
use agon_core::Flaw;
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The environment variable in which the user names an interpreter.
const VARIABLE: &str = "PYTHON";

/// The letters of the options that an interpreter may be given in `agon.toml`. They take no value, and leave alone where it
/// looks for modules.
const OPTIONS: &str = "bBdOquv";

/// The interpreter that plays a champion, and what it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenPython {
    /// The absolute path of the interpreter.
    pub(crate) program: PathBuf,
    /// Its options.
    pub(crate) options: Vec<OsString>,
    /// The files and folders of its installation that are not part of the system.
    pub(crate) read: Vec<PathBuf>,
    /// Folders that are searched for programs before those of the system.
    pub(crate) search: Vec<PathBuf>,
    /// Folders of the champion that hold packages, relative to its own.
    pub(crate) packages: Vec<String>,
}

impl ChosenPython {
    /// Chooses the interpreter for a champion in Python. `warn` is told what the champion may miss.
    ///
    /// The user's own choice is shown as on a command line. What the champion names must be installed: an interpreter of
    /// the system, or one that the user has under that name. Any other could be a file that the champion shall not see.
    ///
    /// # Errors
    /// If the interpreter is not installed, or `agon.toml` names one that the champion may not use.
    pub fn of(taken: &Taken, tools: &Tools, warn: &mut dyn FnMut(String)) -> Result<Self, Flaw> {
        let main = taken.source.main;
        let of_user = of_user()?;
        let is_of_user = of_user.is_some();
        let named = match of_user {
            Some(name) => Some(vec![name]),
            None => named(&taken.manifest, main, warn)?,
        };
        let manifest = match &named {
            Some(words) => {
                let words = words.iter().cloned().chain([main.to_owned()]).collect();
                Manifest { run: Some(words), ..Manifest::default() }
            }
            None => {
                let main = Some(main.to_owned());
                Manifest { language: Some(Language::Python), main, ..Manifest::default() }
            }
        };
        let plan = Plan::new(&taken.tree, &manifest, tools).map_err(|why| not_planned(why.into(), tools))?;
        let Run::Words(words) = &plan.run else { return Err(missing("python3")) };
        let [program, options @ .., _] = &words[..] else { return Err(missing("python3")) };
        if plan.tools.is_empty() && !is_of_user {
            return Err(Flaw::new(format!("`{}`: `run` names `{program}`, which is no installed Python", Manifest::FILE))
                .hint(
                    "name it as `python3` or `python3.11`, by its path in the system, or as `.venv/bin/python`; you can name any \
                     other in PYTHON",
                ));
        }
        let program = Path::new(program);
        if !(program.is_absolute() && program.is_file()) {
            return Err(missing(&program.display().to_string()));
        }
        plan.notes.iter().cloned().for_each(warn);
        let mut chosen = Self {
            program: program.to_owned(),
            options: options.iter().map(OsString::from).collect(),
            read: plan.read(),
            search: plan.folders(),
            packages: plan.packages.clone(),
        };
        if plan.tools.is_empty() {
            chosen.packages = agon_build::packages_of_environment(&taken.tree).into_iter().collect();
            chosen.show_as_named()?;
        }
        Ok(chosen)
    }

    /// Shows an interpreter as a command line with this path does.
    #[cfg(target_os = "linux")]
    fn show_as_named(&mut self) -> Result<(), Flaw> {
        let words = [self.program.clone().into()];
        let line = agon_sandbox::CommandLine {
            words: &words,
            program: &self.program,
            starts: &[],
            dir: Path::new("/"),
            bot_dir: None,
        };
        let visible = agon_sandbox::visible_files(line).map_err(|why| Flaw::new(why.what).hint(why.hint))?;
        self.program = visible.program;
        self.read.extend(visible.read);
        self.search.extend(visible.search);
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn show_as_named(&mut self) -> Result<(), Flaw> {
        Ok(())
    }
}

/// Returns the interpreter that the user names. A path does not depend on the working directory.
fn of_user() -> Result<Option<String>, Flaw> {
    let Some(name) = env::var_os(VARIABLE).filter(|name| !name.is_empty()) else { return Ok(None) };
    let unusable = |name: &Path| Flaw::new(format!("{VARIABLE} names `{}`, which cannot be used", name.display()));
    let path = PathBuf::from(&name);
    let path =
        if path.components().count() > 1 { std::path::absolute(&path).map_err(|_| unusable(&path))? } else { path };
    path.to_str().map(|text| Some(text.to_owned())).ok_or_else(|| unusable(&path))
}

/// Returns the interpreter that `run` in `agon.toml` names, and its options. `None` if there is no `run`, or if it is about
/// something else than the champion.
fn named(manifest: &Manifest, main: &str, warn: &mut dyn FnMut(String)) -> Result<Option<Vec<String>>, Flaw> {
    let Some(run) = &manifest.run else { return Ok(None) };
    let Some(words) = interpreter_of(run, main) else {
        warn(format!("`{}`: `run` does not start `{main}`, so the champion is played without it", Manifest::FILE));
        return Ok(None);
    };
    let is_option = |word: &&String| {
        word.strip_prefix('-')
            .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| OPTIONS.contains(c)))
    };
    match words.iter().skip(1).find(|word| !is_option(word)) {
        Some(word) => Err(Flaw::new(format!("`{}`: a champion cannot be started with `{word}`", Manifest::FILE))
            .hint(format!("`run` may hold the interpreter, options such as `-O` or `-u`, and `{main}`"))),
        None => Ok(Some(words.to_vec())),
    }
}

/// Returns the interpreter and its options in a command for a champion's main file. `None` if the command starts another file.
pub(crate) fn interpreter_of<'w>(run: &'w [String], main: &str) -> Option<&'w [String]> {
    match run {
        [only] => only.rsplit('/').next().is_some_and(|name| name.starts_with("python")).then_some(run),
        [words @ .., last] => (last.strip_prefix("./").unwrap_or(last) == main).then_some(words),
        [] => None,
    }
}

/// Says that there is no interpreter if that is why there is no plan.
fn not_planned(flaw: Flaw, tools: &Tools) -> Flaw {
    match tools.find("python3") {
        Ok(None) => missing("python3"),
        _ => flaw,
    }
}

fn missing(name: &str) -> Flaw {
    Flaw::new(format!("there is no interpreter `{name}`"))
        .hint("champions in Python need python3: install it, or name another one in PYTHON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &str) -> Result<Option<String>, Flaw> {
        let manifest = Manifest::parse(&format!("run = [{words}]")).expect("it is one");
        named(&manifest, "prologin.py", &mut |_| ()).map(|words| words.map(|words| words.join(" ")))
    }

    #[test]
    fn a_command_for_the_main_file_names_the_interpreter() {
        for (words, expected) in [
            ("'python3.11', 'prologin.py'", Some("python3.11")),
            ("'.venv/bin/python', '-uO', './prologin.py'", Some(".venv/bin/python -uO")),
            ("'/usr/bin/python3'", Some("/usr/bin/python3")),
            ("'python3', 'bot.py'", None),
            ("'./start'", None),
        ] {
            assert_eq!(run(words), Ok(expected.map(str::to_owned)), "{words}");
        }
        for words in
            ["'python3', '-m', 'prologin.py'", "'python3', '-I', 'prologin.py'", "'python3', 'x', 'prologin.py'"]
        {
            assert!(run(words).is_err_and(|flaw| flaw.hint.is_some()), "{words}");
        }
    }
}
