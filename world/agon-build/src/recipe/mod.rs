//! How bots are built and run, with one file for each family of languages.

mod c;
mod csharp;
mod functional;
mod go;
mod interpreted;
mod java;
mod makefile;
mod program;
mod python;
mod rust;
mod script;

pub(crate) use script::entry as script;

use crate::{
    Language, Manifest, Tool, Tools,
    detect::{Found, is_aside, listed},
    intake::{SourceTree, shown},
    plan::{Plan, PlanError, Run, word},
    sources::{Scope, Sources, is_no_start, is_of_tool},
    start::{Choice, USUAL, choose, stem},
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
    pub tree: &'a SourceTree,
    /// The bot's `agon.toml`.
    pub manifest: &'a Manifest,
    /// The tools of this machine.
    pub tools: &'a Tools,
    /// The detected language.
    pub found: &'a Found,
    /// The sources in that language, as soon as they are read.
    pub read: OnceCell<Sources>,
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
        Language::Ruby | Language::Perl | Language::Lua | Language::Php => interpreted::fill(plan, context),
        // Bots in the others need a command.
        _ => program::fill(plan, context),
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

    /// Returns what a plain search of the sources in the bot's language finds.
    fn sources_read(&self) -> &Sources {
        self.read.get_or_init(|| Sources::read(self.tree, self.found.language))
    }

    /// Chooses the file among `files` in which the program starts, and writes it into the plan: the one that `agon.toml` or a
    /// run script names, or the one that [`choose`] finds among those that have a `main`, if the language has that. `what`
    /// describes the candidates in messages.
    fn start<'n>(&self, plan: &mut Plan, files: &[&'n str], what: &str) -> Result<&'n str, PlanError> {
        let quoted = |names: &[&str], most: usize| {
            names.iter().take(most).map(|n| format!("`{}`", shown(n.as_bytes()))).collect::<Vec<_>>().join(", ")
        };
        if let Some(main) = &self.manifest.main {
            let named = files.iter().find(|name| *name == main).copied();
            let named = named.ok_or_else(|| {
                let but = if files.is_empty() { "no file".to_owned() } else { quoted(files, 4) };
                Flaw::new(format!("{} names `{main}`, but {but} {what}", self.manifest.names_main()))
                    .hint(format!("the files are {}", listed(self.tree)))
            })?;
            plan.set_start(named, &[named]);
            return Ok(named);
        }
        let of_script = self.found.is_of_script().then_some(self.found.file.as_str());
        if let Some(named) = files.iter().copied().find(|name| Some(*name) == of_script) {
            plan.set_start(named, &[named]);
            return Ok(named);
        }
        // What only one of both searches says may come from a comment or a text.
        let [code, text] = Scope::BOTH.map(|scope| self.choice(files, scope));
        let Some(first) = code.candidates.first() else {
            let commented =
                text.candidates.first().map(|name| format!("; write `main = \"{name}\"` into `{}`", Manifest::FILE));
            return Err(Flaw::new(format!("no file {what}"))
                .hint(format!("the files are {}{}", listed(self.tree), commented.unwrap_or_default()))
                .into());
        };
        let is_sure = text.why.is_some() && text.candidates.first() == code.candidates.first();
        if let (Some(why), Some(start)) = (code.why.filter(|_| is_sure), files.iter().find(|name| *name == first)) {
            let all: Vec<&str> = code.candidates.iter().map(String::as_str).collect();
            plan.set_start(start, &all);
            let why = format!("`{}` {why}", shown(start.as_bytes()));
            plan.why = if self.found.is_of_project() { format!("{}, and {why}", plan.why) } else { why };
            return Ok(start);
        }
        let mut candidates = code.candidates.clone();
        candidates.extend(text.candidates.iter().filter(|name| !code.candidates.contains(name)).cloned());
        let names: Vec<&str> = candidates.iter().map(String::as_str).collect();
        let flaw = Flaw::new(format!("{} files, {}, each {what}", names.len(), quoted(&names, 6)))
            .hint(format!("write `main = \"{first}\"` into `{}`, or rename one to `main`", Manifest::FILE));
        Err(PlanError::Ambiguous(flaw, candidates))
    }

    fn choice(&self, files: &[&str], scope: Scope) -> Choice {
        let (sources, entry) = (self.sources_read(), self.found.language.entry());
        let has_main = !entry.main.is_empty();
        // Archives and project files are no sources.
        let starts = files
            .iter()
            .copied()
            .filter(|name| !has_main || !entry.is_source(name) || entry.is_made(name) || sources.has_main(name, scope));
        let is_imported = |file: &str| !has_main && sources.is_imported(file, scope);
        // A package beside other files may be one that they use.
        let usual: Vec<&str> = entry.starts.iter().copied().filter(|name| *name != "__main__").collect();
        choose(&starts.collect::<Vec<_>>(), is_imported, &usual, self.tree.called())
    }

    /// Returns those of `files` that belong to the program with this start: all but other programs, tests, and what another
    /// part includes. The plan says which are left out.
    fn parts<'n>(&self, plan: &mut Plan, start: &str, files: &[&'n str]) -> Vec<&'n str> {
        let sources = self.sources_read();
        let is_part = |name: &str| name == start || !(sources.has_main(name, Scope::Code) || is_of_tool(name));
        let (parts, others): (Vec<&str>, Vec<&str>) = files.iter().partition(|name| is_part(name));
        plan.left_out = others.into_iter().map(str::to_owned).collect();
        parts.into_iter().filter(|name| *name == start || !sources.is_imported_by(name, is_part)).collect()
    }
}

/// Returns those of `files` among which the start is: those of the first of these folders that has any, and if none of
/// them has a usual name, those of the other folders that have. Tests and files of tools are none.
fn in_folders<'n>(files: &[&'n str], folders: &[&str]) -> Vec<&'n str> {
    let within = |folder: &&str| -> Vec<&'n str> {
        let is_there = |name: &str| name.rsplit_once('/').map_or("", |(its, _)| its) == *folder;
        files.iter().copied().filter(|name| is_there(name) && !is_no_start(name)).collect()
    };
    let mut found = folders.iter().map(within).filter(|files| !files.is_empty());
    let mut own = found.next().unwrap_or_default();
    let is_usual = |name: &&str| USUAL.contains(&stem(name).as_str());
    if !own.iter().any(is_usual) {
        own.extend(found.flatten().filter(is_usual));
    }
    own
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
