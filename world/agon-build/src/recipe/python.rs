//! Python.

use super::{Kitchen, argument, run_by};
use crate::{detect::is_in_root, plan::Plan};
use agon_core::Flaw;

pub(super) fn fill(plan: &mut Plan, kitchen: &Kitchen<'_>) -> Result<(), Flaw> {
    let python = kitchen.need(plan, "python3")?;
    if kitchen.manifest.main.is_none() && kitchen.found.file == "__main__.py" {
        plan.run = run_by(&python, &["."])?;
        return Ok(());
    }
    let author = kitchen.manifest.main.is_some();
    let sources: Vec<&str> = kitchen.sources(&[".py"]).into_iter().filter(|name| author || is_in_root(name)).collect();
    let start = kitchen.start(&sources, "could be the start")?;
    plan.run = run_by(&python, &[&argument(start)])?;
    Ok(())
}
