//! Go.

use super::{JOBS, PROGRAM, RecipeContext, argument, run_file};
use crate::{
    detect::is_in_root,
    plan::{Plan, PlanError, Run, line},
    sources::Scope,
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
        let is_of_folders = !all.iter().any(|name| is_in_root(name)) && all.iter().any(|name| has_main(context, name));
        let start = if is_of_folders { Some(context.start(plan, &all, WHAT)?) } else { None };
        let package = start.and_then(|start| start.rsplit_once('/')).map(|(folder, _)| folder);
        words.push(package.map_or_else(|| ".".to_owned(), |folder| format!("./{folder}")));
    } else {
        set("GO111MODULE", "off");
        let own: Vec<&str> = match &context.manifest.main {
            Some(main) => vec![main],
            None => {
                let is_own = |name: &&str| is_in_root(name) && !name.ends_with("_test.go");
                let own: Vec<&str> = context.sources(&[".go"]).into_iter().filter(is_own).collect();
                if own.iter().any(|name| has_main(context, name)) {
                    let start = context.start(plan, &own, WHAT)?;
                    context.parts(plan, start, &own)
                } else {
                    own
                }
            }
        };
        words.extend(own.into_iter().map(argument));
    }
    plan.lines = vec![line(&words)?];
    plan.run = run_file(PROGRAM);
    Ok(())
}

const WHAT: &str = "has a function `main`";

fn has_main(context: &RecipeContext<'_>, name: &str) -> bool {
    context.sources_read().has_main(name, Scope::Code)
}
