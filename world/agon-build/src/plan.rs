//! What is to be done with a bot: how it is built and how it is played.

use crate::{Language, Manifest, Tool, Tools, detect, intake::Tree, recipe};
use agon_core::Flaw;
use std::{path::PathBuf, time::Duration};

/// What is to be done with a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What it is written in; `None` if `agon.toml` says everything else.
    pub language: Option<Language>,
    /// Why we think so, as `` `Cargo.toml` is there ``.
    pub why: String,
    /// Lines for a shell, in order; the first one that fails ends the build. Empty if there is nothing to build.
    pub lines: Vec<String>,
    /// How it is played.
    pub run: Run,
    /// The tools that build it and play it.
    pub tools: Vec<Tool>,
    /// Variables of the build beside the usual ones.
    pub environment: Vec<(String, String)>,
    /// How long the build may take.
    pub wall: Duration,
    /// How much memory it may take, all its processes together, in MiB.
    pub memory_mib: u32,
}

/// How a bot is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// A command, in the folder of the result. A first word that is a relative path is a file there.
    Words(Vec<String>),
    /// The program that the build has made: the only one, or that of the first of these names that is there.
    Made(Vec<String>),
}

/// How long a build may take if nobody says otherwise.
const WALL: Duration = Duration::from_secs(60);
/// The same for compilers that take their time.
const LONG_WALL: Duration = Duration::from_secs(180);
/// How much memory a build may take if nobody says otherwise, in MiB.
const MEMORY_MIB: u32 = 1024;
/// The same for compilers that take much.
const MUCH_MEMORY_MIB: u32 = 2048;
/// The longest script that a shell is given: Linux takes 128 KiB for one argument.
const SCRIPT: usize = 120_000;

impl Plan {
    /// Finds out what is to be done with a bot, from its files and its `agon.toml`.
    ///
    /// # Errors
    /// It cannot be told what the bot is, or it is several things, or a tool is missing.
    pub fn new(tree: &Tree, manifest: &Manifest, tools: &Tools) -> Result<Self, Flaw> {
        let mut plan = match (&manifest.run, manifest.language) {
            // Who says how it is played needs no guess.
            (Some(_), None) => Self::empty(format!("`{}` says how it is played", Manifest::FILE)),
            _ => {
                let found = detect::detect(tree, manifest)?;
                let mut plan = Self::empty(found.why.clone());
                plan.language = Some(found.language);
                if matches!(found.language, Language::Rust | Language::Haskell) {
                    (plan.wall, plan.memory_mib) = (LONG_WALL, MUCH_MEMORY_MIB);
                }
                // A build of the author's own needs no tools of ours, but how it is played may.
                if !(manifest.build.is_some() && manifest.run.is_some()) {
                    recipe::fill(&mut plan, &recipe::RecipeContext { tree, manifest, tools, found: &found })?;
                }
                plan
            }
        };
        if let Some(build) = &manifest.build {
            plan.lines = build.iter().map(|words| line(words)).collect::<Result<_, _>>()?;
            for words in build {
                plan.tool_of(words, tools)?;
            }
            // The author's build may make anything.
            if manifest.run.is_none() && !build.is_empty() && matches!(plan.run, Run::Made(_)) {
                plan.run = Run::Made(vec!["bot".into(), "main".into(), "MyBot".into()]);
            }
        }
        if let Some(run) = &manifest.run {
            let words = plan.tool_of(run, tools)?;
            plan.run = Run::Words(words);
        }
        plan.wall = manifest.wall.unwrap_or(plan.wall);
        plan.memory_mib = manifest.memory_mib.unwrap_or(plan.memory_mib);
        if plan.script().len() > SCRIPT {
            return Err(Flaw::new("there are too many source files for one command")
                .hint(format!("write a Makefile, or `build` in `{}`", Manifest::FILE)));
        }
        Ok(plan)
    }

    fn empty(why: String) -> Self {
        Self {
            language: None,
            why,
            lines: Vec::new(),
            run: Run::Made(Vec::new()),
            tools: Vec::new(),
            environment: Vec::new(),
            wall: WALL,
            memory_mib: MEMORY_MIB,
        }
    }

    /// The program of a command is a tool if it is no path; what lies outside the system is written out.
    fn tool_of(&mut self, words: &[String], tools: &Tools) -> Result<Vec<String>, Flaw> {
        let mut words = words.to_vec();
        if let Some(first) = words.first_mut()
            && !first.contains('/')
            && let Some(tool) = tools.find(first)?
        {
            *first = word(&tool)?;
            self.tools.push(tool);
        }
        Ok(words)
    }

    /// All lines as one script. It says each line before it runs it.
    #[must_use]
    pub fn script(&self) -> String {
        let mut script = String::from("set -e\n");
        for line in &self.lines {
            let said = shlex::try_quote(line).unwrap_or_default();
            script.push_str(&format!("printf '$ %s\\n' {said}\n{line}\n"));
        }
        script
    }

    /// What a program of this plan sees beside the system and its own folder.
    #[must_use]
    pub fn read(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.tools.iter().flat_map(|tool| tool.read.clone()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// The folders of tools outside the system, for the search path.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        let outside = self.tools.iter().filter(|tool| !tool.read.is_empty());
        let mut folders: Vec<PathBuf> = outside.filter_map(|tool| Some(tool.program.parent()?.to_owned())).collect();
        folders.dedup();
        folders
    }
}

/// A tool as a word of a command.
pub(crate) fn word(tool: &Tool) -> Result<String, Flaw> {
    tool.program.to_str().map(str::to_owned).ok_or_else(|| {
        Flaw::new(format!("`{}` is not UTF-8", tool.program.display())).hint("install it at another place")
    })
}

/// Words as a line for a shell that takes them as they are.
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
