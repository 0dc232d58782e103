//! Plans: how a bot is built and how it is run.

use crate::{
    Language, Manifest, Tool, Tools, detect,
    intake::{SourceTree, shown},
    packages, recipe,
    run_script::in_folder,
};
use agon_core::Flaw;
use agon_languages::{is_interpreter, is_shell};
use std::{cell::OnceCell, path::PathBuf, time::Duration};
use thiserror::Error;

/// How a bot is built and how it is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The language of the bot. `None` if `agon.toml` makes it unnecessary to know the language.
    pub language: Option<Language>,
    /// How the language was detected, for example `` `Cargo.toml` is there ``.
    pub why: String,
    /// The file in which the bot starts. `None` if a build tool or `agon.toml` decides that.
    pub start: Option<String>,
    /// The files in which it may start, the best first.
    pub candidates: Vec<String>,
    /// The sources that are not compiled, because the start does not need them.
    pub left_out: Vec<String>,
    /// What people should know about the bot, such as packages that are missing.
    pub notes: Vec<String>,
    /// Folders of the bot in which its packages are, for Python's search path.
    pub packages: Vec<String>,
    /// The shell commands of the build, in order. The first one that fails ends the build. Empty if the bot needs no
    /// build.
    pub lines: Vec<String>,
    /// How the bot is run.
    pub run: Run,
    /// The tools that build and run the bot.
    pub tools: Vec<Tool>,
    /// Environment variables of the build, in addition to the usual ones.
    pub environment: Vec<(String, String)>,
    /// The maximum duration of the build.
    pub wall: Duration,
    /// The memory limit for all processes of the build together, in MiB.
    pub memory_mib: u32,
}

/// How a bot is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// A command, run in the folder of the result. If the first word is a relative path, it names a file in this
    /// folder.
    Words(Vec<String>),
    /// The program that the build creates. If it creates several, the first of these names that exists counts.
    Made(Vec<String>),
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlanError {
    /// The files are no bot that this machine can build.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// Nothing tells in which of these files the bot starts. The best guess comes first.
    #[error("{0}")]
    Ambiguous(#[source] Flaw, Vec<String>),
}

impl From<PlanError> for Flaw {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Flaw(flaw) | PlanError::Ambiguous(flaw, _) => flaw,
        }
    }
}

/// The default maximum duration of a build.
const WALL: Duration = Duration::from_secs(60);
/// The default maximum duration for slow compilers.
const LONG_WALL: Duration = Duration::from_secs(180);
/// The default memory limit of a build in MiB.
const MEMORY_MIB: u32 = 1024;
/// The default memory limit for compilers that need much memory, in MiB.
const MUCH_MEMORY_MIB: u32 = 2048;
/// The maximum number of paths in a run script that are compared with those of a virtual environment.
const MOST_PATHS: usize = 100;
/// The maximum length of a build script in bytes. Linux accepts at most 128 KiB in one argument.
const SCRIPT: usize = 120_000;

impl Plan {
    /// Derives the plan of a bot from its files and its `agon.toml`.
    ///
    /// # Errors
    /// If the language cannot be detected or is ambiguous, the program to start is unclear, or a tool is missing.
    pub fn new(tree: &SourceTree, manifest: &Manifest, tools: &Tools) -> Result<Self, PlanError> {
        let mut plan = match (&manifest.run, manifest.language) {
            // The author says how the bot is run, so the language does not matter.
            (Some(_), None) => Self::empty(format!("`{}` says how it is played", Manifest::FILE)),
            _ => {
                let found = detect::detect(tree, manifest)?;
                let mut plan = Self::empty(found.why.clone());
                plan.language = Some(found.language);
                if matches!(found.language, Language::Rust | Language::Haskell) {
                    (plan.wall, plan.memory_mib) = (LONG_WALL, MUCH_MEMORY_MIB);
                }
                // A build command of the author needs none of our tools, but the program may need one to run.
                if let Some(words) = found.run.as_ref().filter(|_| manifest.run.is_none() && manifest.build.is_none()) {
                    plan.candidates = vec![found.file.clone()];
                    plan.start = Some(found.file.clone());
                    let words = plan.played_by(words, tree, tools)?;
                    plan.run = Run::Words(words);
                } else if !(manifest.build.is_some() && manifest.run.is_some()) {
                    recipe::fill(
                        &mut plan,
                        &recipe::RecipeContext { tree, manifest, tools, found: &found, read: OnceCell::new() },
                    )?;
                }
                plan
            }
        };
        if let Some(build) = &manifest.build {
            plan.lines = build.iter().map(|words| line(words)).collect::<Result<_, _>>()?;
            for words in build {
                plan.tool_of(words, tools)?;
            }
            // A build command of the author may create a program of any name.
            if manifest.run.is_none() && !build.is_empty() && matches!(plan.run, Run::Made(_)) {
                plan.run = Run::Made(vec!["bot".into(), "main".into(), "MyBot".into()]);
            }
        }
        if let Some(run) = &manifest.run {
            let words = plan.played_by(run, tree, tools)?;
            plan.run = Run::Words(words);
        }
        packages::check(&mut plan, tree);
        plan.wall = manifest.wall.unwrap_or(plan.wall);
        plan.memory_mib = manifest.memory_mib.unwrap_or(plan.memory_mib);
        if plan.script().len() > SCRIPT {
            return Err(Flaw::new("there are too many source files for one command")
                .hint(format!("write a Makefile, or `build` in `{}`", Manifest::FILE))
                .into());
        }
        Ok(plan)
    }

    /// Says in which file the bot starts, and in which it could start.
    pub(crate) fn set_start(&mut self, start: &str, candidates: &[&str]) {
        self.start = Some(start.to_owned());
        self.candidates = candidates.iter().map(|name| (*name).to_owned()).collect();
    }

    fn empty(why: String) -> Self {
        Self {
            language: None,
            why,
            start: None,
            candidates: Vec::new(),
            left_out: Vec::new(),
            notes: Vec::new(),
            packages: Vec::new(),
            lines: Vec::new(),
            run: Run::Made(Vec::new()),
            tools: Vec::new(),
            environment: Vec::new(),
            wall: WALL,
            memory_mib: MEMORY_MIB,
        }
    }

    /// Returns the command that plays, with the path of its tool. A virtual environment of the bot stands for its packages
    /// and for the installed Python. A shell script may need any interpreter.
    fn played_by(&mut self, words: &[String], tree: &SourceTree, tools: &Tools) -> Result<Vec<String>, Flaw> {
        if packages::is_python_of_environment(&words[0], tree) {
            let python = packages::python_name(tree, tools);
            let rest = words[1..].iter().cloned();
            return self.tool_of(&[python].into_iter().chain(rest).collect::<Vec<_>>(), tools);
        }
        let is_script = words.iter().take(2).any(|word| word.ends_with(".sh")) || words[0].starts_with("./");
        if is_script && let Some(file) = words.iter().take(2).find(|word| tree.has(word.trim_start_matches("./"))) {
            let text = String::from_utf8_lossy(&tree.head(file.trim_start_matches("./"), 16 << 10)).into_owned();
            let lines = text.lines().filter(|line| !line.starts_with("#!"));
            let words: Vec<&str> =
                lines.flat_map(|line| line.split(|c: char| c.is_whitespace() || ";&|()`\"'=".contains(c))).collect();
            let mut named: Vec<&str> =
                words.iter().copied().filter(|word| is_interpreter(word) && !is_shell(word)).collect();
            named.sort_unstable();
            named.dedup();
            for name in named.into_iter().filter(|name| !name.contains('/')) {
                // The script may mention what it does not start.
                if let Ok(Some(tool)) = tools.find(name) {
                    self.tools.push(tool);
                }
            }
            let mut paths = words.into_iter().map(in_folder).filter(|path| path.contains("/bin/")).take(MOST_PATHS);
            if let Some((folder, name)) = paths.find_map(|path| packages::program_of_environment(path, tree)) {
                self.notes.push(format!(
                    "`{}` names `{name}` in `{folder}/bin`, which is not there: of a virtual environment only the packages are \
                     copied; start the bot by `python3`",
                    shown(file.trim_start_matches("./").as_bytes()),
                    name = shown(name.as_bytes()),
                    folder = shown(folder.as_bytes())
                ));
            }
        }
        self.tool_of(words, tools)
    }

    /// Replaces the program of a command with its path if it is the name of a tool, or the path of an installed Python. Adds
    /// the tool to the plan.
    fn tool_of(&mut self, words: &[String], tools: &Tools) -> Result<Vec<String>, Flaw> {
        let mut words = words.to_vec();
        let find = |first: &str| if first.contains('/') { Ok(tools.python_at(first)) } else { tools.find(first) };
        if let Some(first) = words.first_mut()
            && let Some(tool) = find(first)?
        {
            *first = word(&tool)?;
            self.tools.push(tool);
        }
        Ok(words)
    }

    /// Returns all build commands as one script. The script prints each command before it runs it.
    #[must_use]
    pub fn script(&self) -> String {
        let mut script = String::from("set -e\n");
        for line in &self.lines {
            let said = shlex::try_quote(line).unwrap_or_default();
            script.push_str(&format!("printf '$ %s\\n' {said}\n{line}\n"));
        }
        script
    }

    /// Returns the paths that the programs of this plan see, in addition to the system and their own folder.
    #[must_use]
    pub fn read(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.tools.iter().flat_map(|tool| tool.read.clone()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Returns the folders of tools outside the system, for the search path.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        let outside = self.tools.iter().filter(|tool| !tool.read.is_empty());
        let mut folders: Vec<PathBuf> = outside.filter_map(|tool| Some(tool.program.parent()?.to_owned())).collect();
        folders.dedup();
        folders
    }
}

/// Returns the path of a tool as a word of a command.
pub(crate) fn word(tool: &Tool) -> Result<String, Flaw> {
    tool.program.to_str().map(str::to_owned).ok_or_else(|| {
        Flaw::new(format!("`{}` is not UTF-8", tool.program.display())).hint("install it in another folder")
    })
}

/// Quotes words for a shell and joins them into one command.
pub(crate) fn line<W: AsRef<str>>(words: &[W]) -> Result<String, Flaw> {
    // An option with a `=` needs no quotes, but a first word with one would set a variable.
    let is_plain =
        |word: &str| word.starts_with('-') && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_+=:,./".contains(c));
    let quoted = words.iter().map(|word| match word.as_ref() {
        word if is_plain(word) => Ok(word.into()),
        word => shlex::try_quote(word),
    });
    let quoted: Result<Vec<_>, _> = quoted.collect();
    quoted.map(|words| words.join(" ")).map_err(|_| Flaw::new("a word of a command holds a NUL byte"))
}
