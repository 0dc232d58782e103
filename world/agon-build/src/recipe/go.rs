//! Go.

use super::{JOBS, PROGRAM, RecipeContext, argument, run_file};
use crate::{
    detect::is_in_root,
    plan::{Plan, Run, line},
};
use agon_core::Flaw;

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), Flaw> {
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
        words.push(".".into());
    } else {
        set("GO111MODULE", "off");
        let own: Vec<&str> = match &context.manifest.main {
            Some(main) => vec![main],
            None => {
                context.sources(&[".go"]).into_iter().filter(|n| is_in_root(n) && !n.ends_with("_test.go")).collect()
            }
        };
        words.extend(own.into_iter().map(argument));
    }
    plan.lines = vec![line(&words)?];
    plan.run = run_file(PROGRAM);
    Ok(())
}
