//! OCaml and Haskell.

use super::{LOOK, PROGRAM, RecipeContext, argument, run_file};
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
    let sources: Vec<String> = match &context.manifest.main {
        Some(main) => vec![argument(main)],
        None => {
            let own: Vec<&str> = context.sources(&[".ml", ".mli"]).into_iter().filter(|n| is_in_root(n)).collect();
            let modules: Vec<&str> = own.iter().copied().filter(|name| name.ends_with(".ml")).collect();
            let start = context.start(plan, &modules, &[], "could be the start")?;
            let needed = context.needed(plan, start, &modules, &own).into_iter().map(argument).collect();
            note_left_out(plan, context, start);
            needed
        }
    };
    let sources = line(&sources)?;
    let compiler = if context.tools.find("ocamlfind")?.is_some() {
        context.need(plan, "ocamlfind")?;
        "ocamlfind ocamlopt -package unix,str -linkpkg"
    } else if context.tools.find("ocamlopt")?.is_some() {
        "ocamlopt -I +unix -I +str unix.cmxa str.cmxa"
    } else {
        return Err(missing(&["ocamlopt"], Language::OCaml).into());
    };
    context.need(plan, "ocamlopt")?;
    plan.lines = vec![format!("{compiler} -o {PROGRAM} $(ocamldep -sort {sources})")];
    plan.run = run_file(PROGRAM);
    Ok(())
}

/// Notes the modules that were left out although they do something when their program starts. They may announce themselves to the
/// bot, but nothing tells them from another bot, which would play in its place.
fn note_left_out(plan: &mut Plan, context: &RecipeContext<'_>, start: &str) {
    let acts = |name: &&String| {
        let text = context.tree.head(name, LOOK);
        let mut lines = text.split(|byte| *byte == b'\n');
        !is_of_tool(name)
            && lines.any(|line| [&b"let () "[..], b"let ()=", b"let _ "].iter().any(|begin| line.starts_with(begin)))
    };
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
