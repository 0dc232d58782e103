//! The interpreter of a champion in Python: the one that the user names in `PYTHON`, the one that the champion's `agon.toml`
//! names, or the one of its virtual environment, else `python3`.

use crate::{source::Language, taken::Taken};
use agon_build::{Manifest, PythonPackages, Tool, Tools, is_python, named_python, own_python};
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
        let mut chosen = match of_user()? {
            Some(name) => Self::of_user(&name, tools)?,
            None => match named(&taken.manifest, taken.source.main)? {
                Some(words) => Self::of_manifest(words, taken, tools)?,
                None => Self::with(own_python(&taken.tree, tools)?.ok_or_else(|| missing("python3"))?),
            },
        };
        let own = PythonPackages::of(&taken.tree, &chosen.program);
        own.notes.into_iter().for_each(warn);
        chosen.packages = own.folders;
        Ok(chosen)
    }

    /// Returns the interpreter that the user names, by its name or by its absolute path.
    fn of_user(name: &str, tools: &Tools) -> Result<Self, Flaw> {
        if !name.contains('/') {
            return Ok(Self::with(tools.find(name)?.ok_or_else(|| missing(name))?));
        }
        if !Path::new(name).is_file() {
            return Err(missing(name));
        }
        let mut chosen = Self::with(Tool::at(name.into(), Vec::new()));
        chosen.show_as_named()?;
        Ok(chosen)
    }

    /// Returns the interpreter that `run` names, with its options.
    fn of_manifest(words: &[String], taken: &Taken, tools: &Tools) -> Result<Self, Flaw> {
        let Some((program, options)) = words.split_first() else { return Err(missing("python3")) };
        let Some(tool) = named_python(program, &taken.tree, tools)? else {
            return Err(Flaw::new(format!("`{}`: `run` names `{program}`, which is no installed Python", Manifest::FILE))
                .hint(
                    "name it as `python3` or `python3.11`, by its path in the system, or as `.venv/bin/python`; you can name any \
                     other in PYTHON",
                ));
        };
        Ok(Self { options: options.iter().map(OsString::from).collect(), ..Self::with(tool) })
    }

    fn with(tool: Tool) -> Self {
        // One outside of the system brings the programs beside it.
        let beside = tool.program.parent().filter(|_| !tool.read.is_empty());
        Self {
            search: beside.into_iter().map(Path::to_owned).collect(),
            program: tool.program,
            options: Vec::new(),
            read: tool.read,
            packages: Vec::new(),
        }
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
fn named<'m>(manifest: &'m Manifest, main: &str) -> Result<Option<&'m [String]>, Flaw> {
    let Some(words) = manifest.run.as_deref().and_then(|run| interpreter_of(run, Language::Python, main)) else {
        return Ok(None);
    };
    let is_known = |word: &&String| {
        word.strip_prefix('-')
            .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| OPTIONS.contains(c)))
    };
    match words.iter().skip(1).find(|word| !is_known(word)) {
        Some(word) => Err(Flaw::new(format!("`{}`: a champion cannot be started with `{word}`", Manifest::FILE))
            .hint(format!("`run` may hold the interpreter, options such as `-O` or `-u`, and `{main}`"))),
        None => Ok(Some(words)),
    }
}

/// Returns the interpreter and its options in the command of a champion. `None` if the command starts something else: only a
/// Python starts a champion, and behind its options there is nothing but the main file.
pub(crate) fn interpreter_of<'w>(run: &'w [String], language: Language, main: &str) -> Option<&'w [String]> {
    let words = match run {
        [_] => run,
        [words @ .., last] => (last.strip_prefix("./").unwrap_or(last) == main).then_some(words)?,
        [] => return None,
    };
    let (program, options) = words.split_first()?;
    // An option with a value is refused later, with its name.
    let is_value = |i: usize| i > 0 && matches!(options[i - 1].as_str(), "-X" | "-W");
    let has_options_only = options.iter().enumerate().all(|(i, word)| word.starts_with('-') || is_value(i));
    let starts = is_python(program.rsplit('/').next()?) && has_options_only;
    (language == Language::Python && starts).then_some(words)
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
        named(&manifest, "prologin.py").map(|words| words.map(|words| words.join(" ")))
    }

    #[test]
    fn a_command_for_the_main_file_names_the_interpreter() {
        for (words, expected) in [
            ("'python3.11', 'prologin.py'", Some("python3.11")),
            ("'.venv/bin/python', '-uO', './prologin.py'", Some(".venv/bin/python -uO")),
            ("'/usr/bin/python3'", Some("/usr/bin/python3")),
            ("'python3', 'bot.py'", None),
            ("'python3', 'adapter.py', 'prologin.py'", None),
            ("'bash', 'prologin.py'", None),
            ("'./python-host', 'prologin.py'", None),
            ("'./pythonic'", None),
            ("'./start'", None),
        ] {
            assert_eq!(run(words), Ok(expected.map(str::to_owned)), "{words}");
        }
        for words in [
            "'python3', '-m', 'prologin.py'",
            "'python3', '-I', 'prologin.py'",
            "'python3.11', '-X', 'utf8', 'prologin.py'",
            "'python3', '-u', '-W', 'ignore', 'prologin.py'",
        ] {
            assert!(run(words).is_err_and(|flaw| flaw.hint.is_some()), "{words}");
        }
        let words = ["python3".to_owned(), "prologin.c".to_owned()];
        assert_eq!(interpreter_of(&words, Language::C, "prologin.c"), None);
    }
}
