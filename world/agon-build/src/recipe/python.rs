//! Python.

use super::{RecipeContext, argument, in_folders, run_by};
use crate::{
    Tool,
    detect::is_in_root,
    intake::shown,
    packages::{self, ProjectScript, SOURCES},
    plan::{Plan, PlanError, Run},
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
        && let Some(ProjectScript { module, function, is_in_sources }) = packages::script_of_project(context.tree)
    {
        plan.packages.extend(is_in_sources.then(|| SOURCES.to_owned()));
        let code = format!("import sys; from {module} import {function}; sys.exit({function}())");
        plan.why = format!("`pyproject.toml` starts `{module}:{function}`");
        plan.set_start("pyproject.toml", &["pyproject.toml"]);
        plan.run = run_by(&python, &["-c", &code])?;
        return Ok(());
    }
    let all = context.sources(&[".py"]);
    let files: Vec<&str> = all.iter().copied().filter(|name| !name.ends_with("__init__.py")).collect();
    let own = in_folders(&files, FOLDERS);
    let is_program = |name: &&str| package_of(name).is_some();
    let package = all.iter().copied().find(is_program);
    let sources = match package {
        _ if context.manifest.main.is_some() => all.clone(),
        Some(start) if own.is_empty() => {
            plan.why = format!("`{}` makes the folder a program", shown(start.as_bytes()));
            plan.set_start(start, &[start]);
            plan.run = run_package(plan, &python, package_of(start).unwrap_or_default())?;
            return Ok(());
        }
        // Both may be the start: `train.py` beside a package.
        Some(start) if !own.contains(&start) => [&own[..], &[start]].concat(),
        // A file of a tool may be all that there is.
        None if own.is_empty() => files.into_iter().filter(|name| is_in_root(name)).collect(),
        _ => own,
    };
    let start = context.start(plan, &sources, "could be the start")?;
    // In a plain folder for sources, the start imports the files beside it.
    let is_package = |folder: &&str| {
        let has_init = context.tree.has(&format!("{folder}/__init__.py"));
        !folder.contains('/') && (has_init || (context.manifest.main.is_none() && !FOLDERS.contains(folder)))
    };
    let in_sources = package_of(start).filter(|(folder, _)| !folder.is_empty());
    plan.run = match in_sources.or(start.strip_suffix("/__main__.py").filter(is_package).map(|package| ("", package))) {
        Some(package) => run_package(plan, &python, package)?,
        None => run_by(&python, &[&argument(start)])?,
    };
    Ok(())
}

/// Splits the path of a `__main__.py` into the folder in which its package is, which is empty for the top one, and the package.
fn package_of(start: &str) -> Option<(&str, &str)> {
    let package = start.strip_suffix("/__main__.py")?;
    match package.split_once('/') {
        None => Some(("", package)),
        Some((SOURCES, package)) if !package.contains('/') => Some((SOURCES, package)),
        Some(_) => None,
    }
}

/// Runs a package, which Python finds in this folder of the bot.
fn run_package(plan: &mut Plan, python: &Tool, (folder, package): (&str, &str)) -> Result<Run, PlanError> {
    if !folder.is_empty() {
        plan.packages.push(folder.to_owned());
    }
    Ok(run_by(python, &["-m", package])?)
}
