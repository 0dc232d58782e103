//! Go.

use super::{JOBS, PROGRAM, RecipeContext, argument, run_file};
use crate::{
    detect::is_in_root,
    plan::{Plan, PlanError, Run, line},
};

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    context.need_to_build(plan, "go")?;
    if context.manifest.build.is_some() {
        plan.run = Run::Made(Vec::new());
        return Ok(());
    }
    // Go must not download anything, not even another version of itself.
    let mut set = |name: &str, value: &str| plan.environment.push((name.to_owned(), value.to_owned()));
    set("GOPROXY", "off");
    set("GOTOOLCHAIN", "local");
    set("GOMAXPROCS", JOBS);
    if context.tree.has("vendor/modules.txt") {
        set("GOFLAGS", "-mod=vendor");
    }
    let mut words: Vec<String> = ["go", "build", "-o", PROGRAM].map(str::to_owned).to_vec();
    if context.tree.has("go.mod") && context.manifest.main.is_none() {
        // Programs are often in folders of their own, below `cmd`.
        let all: Vec<&str> = context.sources(&[".go"]).into_iter().filter(|name| !name.ends_with("_test.go")).collect();
        let starts: Vec<&str> = all.iter().copied().filter(|name| context.graph().is_program(name)).collect();
        let in_folders = !all.iter().any(|name| is_in_root(name)) && !starts.is_empty();
        let start = if in_folders { Some(context.start(plan, &starts, &[], "has a function `main`")?) } else { None };
        let package = start.and_then(|start| start.rsplit_once('/')).map(|(folder, _)| folder);
        words.push(package.map_or_else(|| ".".to_owned(), |folder| format!("./{folder}")));
    } else {
        set("GO111MODULE", "off");
        let own: Vec<&str> = match &context.manifest.main {
            Some(main) => vec![main],
            None => {
                let is_own = |name: &&str| is_in_root(name) && !name.ends_with("_test.go");
                let own: Vec<&str> = context.sources(&[".go"]).into_iter().filter(is_own).collect();
                let starts: Vec<&str> = own.iter().copied().filter(|name| context.graph().is_program(name)).collect();
                if starts.is_empty() {
                    own
                } else {
                    let start = context.start(plan, &starts, &[], "has a function `main`")?;
                    let needed = context.needed(plan, start, &starts, &own);
                    let part = |name: &&str| *name == start || (needed.contains(name) && !starts.contains(name));
                    plan.left_out = own.iter().filter(|name| !part(name)).map(|name| (*name).to_owned()).collect();
                    own.into_iter().filter(part).collect()
                }
            }
        };
        words.extend(own.into_iter().map(argument));
    }
    plan.lines = vec![line(&words)?];
    plan.run = run_file(PROGRAM);
    Ok(())
}
