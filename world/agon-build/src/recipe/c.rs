//! C and C++.

use super::{PROGRAM, RecipeContext, argument, makefile::may_build, run_file};
use crate::{
    Language,
    detect::is_aside,
    intake::SourceTree,
    packages::listed,
    plan::{Plan, PlanError, Run, line},
};

const C: &[&str] = &[".c"];
const BOTH: &[&str] = &[".c", ".cpp", ".cc", ".cxx", ".c++", ".C"];
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    plan.run = run_file(PROGRAM);
    let is_cpp = context.found.language == Language::Cpp;
    let all = context.sources(if is_cpp { BOTH } else { C });
    let makefile = MAKEFILES.iter().find(|name| context.tree.has(name));
    let makefile = makefile.filter(|_| context.manifest.main.is_none());
    let builds = |makefile: &&&str| may_build(context.tree, makefile, &all);
    if let Some(makefile) = makefile.filter(builds) {
        context.need_to_build(plan, "make")?;
        context.need_to_build(plan, if is_cpp { "g++" } else { "gcc" })?;
        plan.why = format!("`{makefile}` is there, which builds it");
        plan.set_start(makefile, &[makefile]);
        plan.lines = vec!["make".into()];
        plan.run = Run::Made(vec!["MyBot".into(), "bot".into(), "main".into()]);
        return Ok(());
    }
    if context.manifest.build.is_some() {
        plan.run = Run::Made(Vec::new());
        return Ok(());
    }
    if let Some(makefile) = makefile {
        plan.notes.push(format!("`{makefile}` is not used: none of its commands compiles anything"));
    }
    let start = context.start(plan, &all, "has a function `main`")?;
    let (c, cpp): (Vec<&str>, Vec<&str>) =
        context.parts(plan, start, &all).into_iter().partition(|name| name.ends_with(".c"));
    let makefiles: Vec<String> = makefiles_aside(context.tree).map(str::to_owned).collect();
    if !makefiles.is_empty() {
        let are = if makefiles.len() == 1 { "is" } else { "are" };
        plan.notes.push(format!("{} {are} not used: only a makefile in the top folder is", listed(&makefiles)));
    }
    if is_cpp && !c.is_empty() {
        context.need_to_build(plan, "gcc")?;
    }
    context.need_to_build(plan, if is_cpp { "g++" } else { "gcc" })?;
    plan.lines = lines(context.tree, is_cpp, &c, &cpp)?;
    Ok(())
}

/// Returns the commands that compile these sources in C and in C++.
fn lines(tree: &SourceTree, is_cpp: bool, c: &[&str], cpp: &[&str]) -> Result<Vec<String>, PlanError> {
    let mut lines = Vec::new();
    let include: Vec<String> = ["include", "src"]
        .iter()
        .filter(|folder| tree.files().any(|(name, _)| name.starts_with(&format!("{folder}/"))))
        .map(|folder| format!("-I{folder}"))
        .collect();
    let words = |compiler: &str, standard: &str| -> Vec<String> {
        let fixed = [compiler, standard, "-O2", "-pthread", "-I."].map(str::to_owned);
        fixed.into_iter().chain(include.iter().cloned()).collect()
    };
    let mut objects = Vec::new();
    if is_cpp {
        // The C compiler builds them, because they may mean something else in C++ or not compile.
        for (i, name) in c.iter().enumerate() {
            let object = format!("{PROGRAM}-{i}.o");
            let mut command = words("gcc", "-std=gnu17");
            command.extend(["-c".into(), argument(name), "-o".into(), object.clone()]);
            lines.push(line(&command)?);
            objects.push(object);
        }
    }
    let mut command = if is_cpp { words("g++", "-std=gnu++20") } else { words("gcc", "-std=gnu17") };
    command.extend(["-o".into(), PROGRAM.into()]);
    let own = if is_cpp { cpp } else { c };
    command.extend(own.iter().map(|name| argument(name)));
    command.extend(objects);
    command.push("-lm".into());
    lines.push(line(&command)?);
    Ok(lines)
}

/// Returns the makefiles in other folders than the bot's own, which are not used.
fn makefiles_aside(tree: &SourceTree) -> impl Iterator<Item = &str> {
    let is_one =
        |name: &&str| name.rsplit_once('/').is_some_and(|(_, file)| MAKEFILES.contains(&file)) && !is_aside(name);
    tree.files().map(|(name, _)| name).filter(is_one)
}
