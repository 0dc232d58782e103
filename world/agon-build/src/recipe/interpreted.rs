//! Languages that are played as they are, by one command: Ruby, Perl, Lua and PHP.

use super::{RecipeContext, argument, in_folders, run_by};
use crate::plan::{Plan, PlanError};

/// Folders for the start of a bot without sources in its top folder, the best first.
const FOLDERS: &[&str] = &["", "src", "app", "bot", "bin"];

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    let entry = context.found.language.entry();
    let mut words = entry.start.split(' ');
    let tool = context.need(plan, words.next().unwrap_or_default())?;
    let all = context.sources(entry.sources);
    let author = context.manifest.main.is_some() || context.found.is_of_script();
    let own = in_folders(&all, FOLDERS);
    let own = if author || own.is_empty() { all } else { own };
    let start = argument(context.start(plan, &own, "could be the start")?);
    let arguments: Vec<&str> = words.chain([start.as_str()]).collect();
    plan.run = run_by(&tool, &arguments)?;
    Ok(())
}
