//! C and C++.

use super::{PROGRAM, RecipeContext, argument, run_file};
use crate::{
    Language,
    detect::is_aside,
    intake::Tree,
    packages::listed,
    plan::{Plan, PlanError, Run, line},
};

const CPP: &[&str] = &[".cpp", ".cc", ".cxx", ".c++", ".C"];
const C: &[&str] = &[".c"];
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    plan.run = run_file(PROGRAM);
    let is_cpp = context.found.language == Language::Cpp;
    if context.manifest.main.is_none()
        && let Some(makefile) = MAKEFILES.iter().find(|name| context.tree.has(name))
    {
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
    let (c, cpp) = (context.sources(C), if is_cpp { context.sources(CPP) } else { Vec::new() });
    let graph = context.graph();
    // `main` in `agon.toml` takes precedence over the content of the source.
    let is_start = |name: &&str| context.manifest.main.as_deref() == Some(name) || graph.is_program(name);
    let starts: Vec<&str> = c.iter().chain(&cpp).copied().filter(is_start).collect();
    let start = context.start(plan, &starts, &[], "has a function `main`")?;
    // A source whose `main` may not be compiled is still a part of a program that needs it.
    let is_other = |name: &&str| *name != start && !graph.is_doubtful(name);
    let others: Vec<&str> = starts.iter().copied().filter(is_other).collect();
    // A tester may include the bot, which is a start nevertheless.
    let is_own = |name: &&str| !graph.is_included(name) || *name == start || others.contains(name);
    let all: Vec<&str> = c.iter().chain(&cpp).copied().filter(is_own).collect();
    // Other programs may be beside the bot, such as a tester, and files that nobody needs any more.
    let needed = context.needed(plan, start, &others, &all);
    let part = |name: &&str| *name == start || (needed.contains(name) && !others.contains(name));
    let is_compiled = |name: &&str| part(name) || (needed.contains(name) && graph.is_included(name));
    plan.left_out = all.iter().filter(|name| !is_compiled(name)).map(|name| (*name).to_owned()).collect();
    let makefiles: Vec<String> = makefiles_aside(context.tree).map(str::to_owned).collect();
    if !makefiles.is_empty() {
        let are = if makefiles.len() == 1 { "is" } else { "are" };
        plan.notes.push(format!("{} {are} not used: only a makefile in the top folder is", listed(&makefiles)));
    }
    if is_cpp && !c.is_empty() {
        context.need_to_build(plan, "gcc")?;
    }
    context.need_to_build(plan, if is_cpp { "g++" } else { "gcc" })?;
    plan.lines = lines(context.tree, is_cpp, (&c, &cpp), &part)?;
    // Reading may have missed what the start needs.
    let may_be_part = |name: &&str| is_own(name) && !others.contains(name);
    if all.iter().any(|name| may_be_part(name) && !part(name)) {
        let (lines, left_out) = (lines(context.tree, is_cpp, (&c, &cpp), &may_be_part)?, plan.left_out.clone());
        let left_out = left_out.into_iter().filter(|name| others.contains(&name.as_str())).collect();
        plan.wider = Some(Box::new(Plan { lines, left_out, ..plan.clone() }));
    }
    Ok(())
}

/// Returns the commands that compile those of the sources in C and in C++ that are a part of the program.
fn lines(
    tree: &Tree,
    is_cpp: bool,
    (c, cpp): (&[&str], &[&str]),
    part: &dyn Fn(&&str) -> bool,
) -> Result<Vec<String>, PlanError> {
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
        for (i, name) in c.iter().copied().filter(|name| part(name)).enumerate() {
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
    command.extend(own.iter().filter(|name| part(name)).map(|name| argument(name)));
    command.extend(objects);
    command.push("-lm".into());
    lines.push(line(&command)?);
    Ok(lines)
}

/// Returns the makefiles in other folders than the bot's own, which are not used.
fn makefiles_aside(tree: &Tree) -> impl Iterator<Item = &str> {
    let is_one =
        |name: &&str| name.rsplit_once('/').is_some_and(|(_, file)| MAKEFILES.contains(&file)) && !is_aside(name);
    tree.files().map(|(name, _)| name).filter(is_one)
}
