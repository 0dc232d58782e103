//! Programs that were built elsewhere, and scripts with a `#!` line.

use super::{RecipeContext, run_file};
use crate::{
    detect::{is_in_root, is_program},
    plan::{Plan, PlanError},
};

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    let author = context.manifest.main.is_some();
    let programs: Vec<&str> = context
        .tree
        .files()
        .filter(|(name, entry)| (author || is_in_root(name)) && entry.executable)
        .map(|(name, _)| name)
        .filter(|name| is_program(&context.tree.head(name, 4)))
        .collect();
    plan.run = run_file(context.start(plan, &programs, "is a program")?);
    Ok(())
}
