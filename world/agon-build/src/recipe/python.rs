//! Python.

use super::{RecipeContext, argument, run_by};
use crate::{
    packages,
    plan::{Plan, PlanError},
};

/// Folders for the start of a bot without sources in its top folder, the best first.
const FOLDERS: &[&str] = &["", "src", "app", "bot"];

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    let python = packages::python_name(context.tree, context.tools);
    let python = context.need(plan, &python)?;
    if context.manifest.main.is_none() && context.found.file == "__main__.py" {
        plan.set_start("__main__.py", &["__main__.py"]);
        plan.run = run_by(&python, &["."])?;
        return Ok(());
    }
    if context.manifest.main.is_none()
        && let Some((module, function)) = packages::script_of_project(context.tree)
    {
        let code = format!("import sys; from {module} import {function}; sys.exit({function}())");
        plan.why = format!("`pyproject.toml` starts `{module}:{function}`");
        plan.set_start("pyproject.toml", &["pyproject.toml"]);
        plan.run = run_by(&python, &["-c", &code])?;
        return Ok(());
    }
    let all = context.sources(&[".py"]);
    let within = |folder: &str| -> Vec<&str> {
        let is_there = |name: &&str| name.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
        all.iter().copied().filter(is_there).filter(|name| !name.ends_with("__init__.py")).collect()
    };
    let own = FOLDERS.iter().map(|folder| within(folder)).find(|files| !files.is_empty()).unwrap_or_default();
    let sources = if context.manifest.main.is_some() { all.clone() } else { own };
    let package = all.iter().filter_map(|name| name.strip_suffix("/__main__.py")).find(|folder| !folder.contains('/'));
    if sources.is_empty()
        && let Some(package) = package
    {
        let start = format!("{package}/__main__.py");
        plan.why = format!("`{start}` makes the folder a program");
        plan.set_start(&start, &[&start]);
        plan.run = run_by(&python, &["-m", package])?;
        return Ok(());
    }
    let start = context.start(plan, &sources, &[], "could be the start")?;
    plan.run = run_by(&python, &[&argument(start)])?;
    Ok(())
}
