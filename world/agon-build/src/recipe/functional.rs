//! OCaml and Haskell.

use super::{PROGRAM, RecipeContext, argument, run_file};
use crate::{
    Language,
    detect::is_in_root,
    intake::shown,
    packages::listed,
    plan::{Plan, PlanError, Run, line},
    sources::is_of_tool,
    tools::missing,
};

pub(super) fn fill_ocaml(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    plan.run = Run::Made(vec!["main.exe".into(), "bot.exe".into(), "MyBot.exe".into()]);
    if context.manifest.build.is_some() {
        return Ok(());
    }
    if context.tree.has("dune-project") && context.manifest.main.is_none() {
        context.need(plan, "dune")?;
        plan.lines = vec![
            "dune build --root . --profile release --display short".into(),
            format!("mkdir {PROGRAM} && find _build/default -name '*.exe' -type f -exec cp {{}} {PROGRAM}/ ';'"),
            // These files are for the tool only and do not belong to the result.
            "rm -rf _build".into(),
        ];
        return Ok(());
    }
    // The compiler needs the files in the order of their dependencies, which `ocamldep` finds.
    let (sources, last) = match &context.manifest.main {
        Some(main) => (vec![argument(main)], Vec::new()),
        None => {
            let own: Vec<&str> = context.sources(&[".ml", ".mli"]).into_iter().filter(|n| is_in_root(n)).collect();
            let modules: Vec<&str> = own.iter().copied().filter(|name| name.ends_with(".ml")).collect();
            let start = context.start(plan, &modules, &[], "could be the start")?;
            let needed = context.needed(plan, start, &modules, &own);
            note_left_out(plan, context, start);
            // What registers itself must have done so when the start begins, which does not name it.
            let interface = format!("{start}i");
            let joined = needed.iter().any(|name| *name != start && context.graph().acts(name));
            let is_last = |name: &&str| joined && (*name == start || *name == interface);
            let (mut last, needed): (Vec<&str>, Vec<&str>) = needed.into_iter().partition(is_last);
            last.sort_by_key(|name| *name == start);
            (needed.into_iter().map(argument).collect(), last.into_iter().map(argument).collect())
        }
    };
    let sources = line(&sources)?;
    let last = if last.is_empty() { String::new() } else { format!(" {}", line(&last)?) };
    let compiler = if context.tools.find("ocamlfind")?.is_some() {
        context.need(plan, "ocamlfind")?;
        "ocamlfind ocamlopt -package unix,str -linkpkg"
    } else if context.tools.find("ocamlopt")?.is_some() {
        "ocamlopt -I +unix -I +str unix.cmxa str.cmxa"
    } else {
        return Err(missing(&["ocamlopt"], Language::OCaml).into());
    };
    context.need(plan, "ocamlopt")?;
    plan.lines = vec![format!("{compiler} -o {PROGRAM} $(ocamldep -sort {sources}){last}")];
    plan.run = run_file(PROGRAM);
    Ok(())
}

/// Notes the modules that were left out although they do something when their program starts. They may be other bots, which would
/// play in the place of this one.
fn note_left_out(plan: &mut Plan, context: &RecipeContext<'_>, start: &str) {
    let acts = |name: &&String| !is_of_tool(name) && context.graph().acts(name);
    let active: Vec<String> = plan.left_out.iter().filter(acts).cloned().collect();
    if !active.is_empty() {
        plan.notes.push(format!(
            "left out although a part of it runs when a program starts: {}; if the bot needs that, name the module in `{}`",
            listed(&active),
            shown(start.as_bytes())
        ));
    }
}

pub(super) fn fill_haskell(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    if context.manifest.build.is_some() {
        plan.run = Run::Made(Vec::new());
        return Ok(());
    }
    context.need(plan, "ghc")?;
    let author = context.manifest.main.is_some();
    let place = |name: &&str| author || is_in_root(name) || name.starts_with("src/") || name.starts_with("app/");
    let sources: Vec<&str> = context.sources(&[".hs"]).into_iter().filter(place).collect();
    let start = context.start(plan, &sources, &[], "could be the start")?;
    plan.lines = vec![format!(
        "ghc -O2 -threaded -i.:src:app -outputdir \"$TMPDIR/ghc\" -o {PROGRAM} {}",
        line(&[argument(start)])?
    )];
    plan.run = run_file(PROGRAM);
    Ok(())
}
