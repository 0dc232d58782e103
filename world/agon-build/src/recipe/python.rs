//! Python.

use super::{RecipeContext, argument, run_by};
use crate::{detect::is_in_root, plan::Plan};
use agon_core::Flaw;

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), Flaw> {
    let python = context.need(plan, "python3")?;
    if context.manifest.main.is_none() && context.found.file == "__main__.py" {
        plan.run = run_by(&python, &["."])?;
        return Ok(());
    }
    let author = context.manifest.main.is_some();
    let sources: Vec<&str> = context.sources(&[".py"]).into_iter().filter(|name| author || is_in_root(name)).collect();
    let start = context.start(&sources, "could be the start")?;
    plan.run = run_by(&python, &[&argument(start)])?;
    Ok(())
}
