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
    detect::{Found, is_aside, listed},
    intake::{Tree, shown},
    plan::{Plan, PlanError, Run, word},
    sources::Sources,
    start::choose,
};
use agon_core::Flaw;
use std::cell::OnceCell;

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
    /// The sources in that language, as soon as they are read.
    pub graph: OnceCell<Sources>,
}

/// Adds the build commands, the tools and the run command of a bot to its plan.
pub(crate) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
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

    /// Returns the sources of the bot's language, and which of them need which others.
    fn graph(&self) -> &Sources {
        self.graph.get_or_init(|| Sources::read(self.tree, self.found.language))
    }

    /// Chooses the file among `candidates` in which the program starts, and writes it into the plan: the one that
    /// `agon.toml` or a run script names, or the one that [`choose`] finds. `what` describes the candidates in messages, and
    /// `more` are usual names of starts in this language.
    fn start<'n>(
        &self,
        plan: &mut Plan,
        candidates: &[&'n str],
        more: &[&str],
        what: &str,
    ) -> Result<&'n str, PlanError> {
        if let Some(main) = &self.manifest.main {
            let named = candidates.iter().find(|name| *name == main).copied();
            let named = named.ok_or_else(|| {
                let those = candidates.iter().take(4).map(|n| format!("`{}`", shown(n.as_bytes())));
                let those: Vec<String> = those.collect();
                let but =
                    if those.is_empty() { format!("no file {what}") } else { format!("{} {what}", those.join(", ")) };
                Flaw::new(format!("`{}` names `{main}`, but {but}", Manifest::FILE))
                    .hint(format!("the files are {}", listed(self.tree)))
            })?;
            plan.set_start(named, &[named]);
            return Ok(named);
        }
        let of_script = self.found.is_of_script().then_some(self.found.file.as_str());
        if let Some(named) = candidates.iter().copied().find(|name| Some(*name) == of_script) {
            plan.set_start(named, &[named]);
            return Ok(named);
        }
        let choice = choose(candidates, self.graph(), more, self.tree.called());
        let quoted: Vec<String> =
            choice.candidates.iter().take(6).map(|n| format!("`{}`", shown(n.as_bytes()))).collect();
        let Some(first) = choice.candidates.first() else {
            return Err(Flaw::new(format!("no file {what}"))
                .hint(format!("the files are {}", listed(self.tree)))
                .into());
        };
        if let (Some(why), Some(start)) = (choice.why, candidates.iter().find(|name| *name == first)) {
            let all: Vec<&str> = choice.candidates.iter().map(String::as_str).collect();
            plan.set_start(start, &all);
            let why = format!("`{}` {why}", shown(start.as_bytes()));
            plan.why = if self.found.is_of_project() { format!("{}, and {why}", plan.why) } else { why };
            return Ok(start);
        }
        let flaw = Flaw::new(format!("{} files, {}, each {what}", choice.candidates.len(), quoted.join(", ")))
            .hint(format!("write `main = \"{first}\"` into `{}`, or rename one to `main`", Manifest::FILE));
        Err(PlanError::Ambiguous(flaw, choice.candidates))
    }

    /// Returns those of `sources` that the program with this start needs. The others are left out, which the plan says.
    /// `starts` are the starts of all programs.
    fn needed<'n>(&self, plan: &mut Plan, start: &str, starts: &[&str], sources: &[&'n str]) -> Vec<&'n str> {
        let program = self.graph().program(start, starts);
        let (needed, rest): (Vec<&str>, Vec<&str>) = sources.iter().partition(|name| program.contains(**name));
        plan.left_out = rest.into_iter().map(str::to_owned).collect();
        needed
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
