//! How bots are built and run, with one file for each family of languages.

mod c;
mod csharp;
mod functional;
mod go;
mod java;
mod program;
mod python;
mod rust;
mod script;
mod source;

pub(crate) use script::entry as script;

use crate::{
    Language, Manifest, Tool, Tools,
    detect::{Found, is_aside, listed, stem},
    intake::{Tree, shown},
    plan::{Plan, Run, word},
};
use agon_core::Flaw;

/// The name of the program that our build commands create.
const PROGRAM: &str = "agon-bot";
/// The number of parallel jobs of a build tool. It does not depend on the number of cores, because the limits of a
/// build do not either.
const JOBS: &str = "4";
/// The maximum number of bytes that are read of a source file.
const LOOK: u64 = 1 << 20;

/// The data that a recipe uses.
pub(crate) struct RecipeContext<'a> {
    /// The files of the bot.
    pub tree: &'a Tree,
    /// The bot's `agon.toml`.
    pub manifest: &'a Manifest,
    /// The tools of this machine.
    pub tools: &'a Tools,
    /// The detected language.
    pub found: &'a Found,
}

/// Adds the build commands, the tools and the run command of a bot to its plan.
pub(crate) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), Flaw> {
    match context.found.language {
        Language::C | Language::Cpp => c::fill(plan, context),
        Language::Rust => rust::fill(plan, context),
        Language::Java => java::fill(plan, context),
        Language::Python => python::fill(plan, context),
        Language::JavaScript => script::fill(plan, context),
        Language::TypeScript => script::fill_typed(plan, context),
        Language::CSharp => csharp::fill(plan, context),
        Language::Go => go::fill(plan, context),
        Language::OCaml => functional::fill_ocaml(plan, context),
        Language::Haskell => functional::fill_haskell(plan, context),
        Language::Program => program::fill(plan, context),
    }
}

impl RecipeContext<'_> {
    /// Finds a tool that the bot needs and adds it to the plan.
    fn need(&self, plan: &mut Plan, name: &str) -> Result<Tool, Flaw> {
        let tool = self.tools.need(name, self.found.language)?;
        plan.tools.push(tool.clone());
        Ok(tool)
    }

    /// Finds a tool that only our build commands need. The author's own build commands may use other tools.
    fn need_to_build(&self, plan: &mut Plan, name: &str) -> Result<(), Flaw> {
        if self.manifest.build.is_none() {
            self.need(plan, name)?;
        }
        Ok(())
    }

    /// Returns the files with one of these endings that belong to the program.
    fn sources(&self, endings: &[&str]) -> Vec<&str> {
        let ends = |name: &str| endings.iter().any(|end| name.ends_with(end));
        let part = |name: &str| !is_aside(name) || self.manifest.main.as_deref() == Some(name);
        self.tree.files().map(|(name, _)| name).filter(|name| ends(name) && part(name)).collect()
    }

    /// Chooses the file among `candidates` in which the program starts: the one that `agon.toml` names, the only one,
    /// or the one with a usual name. `what` describes the candidates in messages.
    fn start<'n>(&self, candidates: &[&'n str], what: &str) -> Result<&'n str, Flaw> {
        if let Some(main) = &self.manifest.main {
            let named = candidates.iter().find(|name| *name == main);
            return named.copied().ok_or_else(|| {
                let those = candidates.iter().take(4).map(|n| format!("`{}`", shown(n.as_bytes())));
                let those: Vec<String> = those.collect();
                let but =
                    if those.is_empty() { format!("no file {what}") } else { format!("{} {what}", those.join(", ")) };
                Flaw::new(format!("`{}` names `{main}`, but {but}", Manifest::FILE))
                    .hint(format!("the files are {}", listed(self.tree)))
            });
        }
        if let [only] = candidates {
            return Ok(only);
        }
        for usual in ["main", "bot", "mybot", "program", "index"] {
            let named: Vec<_> = candidates.iter().filter(|name| stem(name) == usual).collect();
            if let [only] = named[..] {
                return Ok(only);
            }
        }
        let quoted: Vec<String> = candidates.iter().take(4).map(|n| format!("`{}`", shown(n.as_bytes()))).collect();
        let Some(first) = candidates.first() else {
            return Err(Flaw::new(format!("no file {what}")).hint(format!("the files are {}", listed(self.tree))));
        };
        Err(Flaw::new(format!("{} files, {}, each {what}", candidates.len(), quoted.join(", ")))
            .hint(format!("write `main = \"{first}\"` into `{}`, or rename one to `main`", Manifest::FILE)))
    }
}

/// Runs the bot by this tool with these arguments.
fn run_by(tool: &Tool, arguments: &[&str]) -> Result<Run, Flaw> {
    let words = arguments.iter().map(|argument| (*argument).to_owned());
    Ok(Run::Words([word(tool)?].into_iter().chain(words).collect()))
}

/// Runs the bot by the program at this path in the result.
fn run_file(path: &str) -> Run {
    Run::Words(vec![format!("./{path}")])
}

/// Writes a source file as an argument that cannot be taken for an option.
fn argument(name: &str) -> String {
    if name.starts_with('-') { format!("./{name}") } else { name.to_owned() }
}
