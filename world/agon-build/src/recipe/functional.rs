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
    let all = context.sources(&[".ml", ".mli"]);
    let author = context.manifest.main.as_deref();
    let folder = author.and_then(|main| main.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let is_own = |name: &&str| name.rsplit_once('/').map_or("", |(its, _)| its) == folder;
    let own: Vec<&str> = all.into_iter().filter(is_own).collect();
    let modules: Vec<&str> = own.iter().copied().filter(|name| name.ends_with(".ml")).collect();
    let start = context.start(plan, &modules, "could be the start")?;
    // Modules act when their program starts. Of a library the linker takes only those that the start needs, so that no other bot
    // in the folder plays in its place.
    let sources = context.sources_read();
    let is_part =
        |name: &str| sources.is_imported_by(name, |_| true) && !sources.imports(name, start) && !is_of_tool(name);
    let parts: Vec<&str> = modules.iter().copied().filter(|name| *name != start && is_part(name)).collect();
    plan.left_out =
        modules.iter().filter(|name| **name != start && !parts.contains(name)).map(|it| (*it).to_owned()).collect();
    let untold: Vec<String> = plan.left_out.iter().filter(|name| !is_of_tool(name)).cloned().collect();
    if !untold.is_empty() {
        plan.notes.push(format!(
            "left out, because nothing names it: {}; if the bot needs that, name the module in `{}`",
            listed(&untold),
            shown(start.as_bytes())
        ));
    }
    let with_interfaces = |modules: &[&str]| {
        let is_of = |name: &&str| modules.contains(&name.strip_suffix('i').unwrap_or(name)) || modules.contains(name);
        line(&own.iter().copied().filter(is_of).map(argument).collect::<Vec<_>>())
    };
    let (compiler, packages, link) = if context.tools.find("ocamlfind")?.is_some() {
        context.need(plan, "ocamlfind")?;
        ("ocamlfind ocamlopt -package unix,str", "", " -linkpkg")
    } else if context.tools.find("ocamlopt")?.is_some() {
        ("ocamlopt -I +unix -I +str", "unix.cmxa str.cmxa ", "")
    } else {
        return Err(missing(&["ocamlopt"], Language::OCaml).into());
    };
    context.need(plan, "ocamlopt")?;
    let folder = if folder.is_empty() { String::new() } else { format!(" -I {}", line(&[folder])?) };
    let start = with_interfaces(&[start])?;
    // The compiler needs the files in the order of their dependencies, which `ocamldep` finds.
    let sorted = |sources: &str| format!("$(ocamldep -sort{folder} {sources})");
    let program = format!("{compiler}{folder}{link} -o {PROGRAM} {packages}");
    plan.lines = if parts.is_empty() {
        vec![format!("{program}{}", sorted(&start))]
    } else {
        let parts = sorted(&with_interfaces(&parts)?);
        vec![
            format!("{compiler}{folder} -a -o {PROGRAM}.cmxa {parts}"),
            format!("{program}{PROGRAM}.cmxa {}", sorted(&start)),
        ]
    };
    plan.run = run_file(PROGRAM);
    Ok(())
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
    let start = context.start(plan, &sources, "could be the start")?;
    plan.lines = vec![format!(
        "ghc -O2 -threaded -i.:src:app -outputdir \"$TMPDIR/ghc\" -o {PROGRAM} {}",
        line(&[argument(start)])?
    )];
    plan.run = run_file(PROGRAM);
    Ok(())
}
