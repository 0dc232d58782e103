//! JavaScript and TypeScript.

use super::{LOOK, RecipeContext, argument, run_by};
use crate::{
    Language, Tool,
    detect::{is_aside, is_in_root},
    intake::{SourceTree, shown},
    plan::{Plan, PlanError, line},
    sources::is_no_start,
    tools::{answer, missing},
};
use agon_core::Flaw;
use serde_json::Value;

/// The folder for the JavaScript that is compiled from TypeScript.
const OUT: &str = "agon-bot";

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    let node = context.need(plan, "node")?;
    let start = start(plan, context, &["js", "mjs", "cjs"])?;
    plan.run = run_by(&node, &[&argument(&start)])?;
    Ok(())
}

pub(super) fn fill_typed(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    let node = context.need(plan, "node")?;
    let start = start(plan, context, &["ts", "mts", "cts"])?;
    // Newer versions of node can run TypeScript.
    match version(&node) {
        Some((22, 18..) | (23, 6..) | (24.., _)) => {
            plan.run = run_by(&node, &[&argument(&start)])?;
            return Ok(());
        }
        Some((22, 6..) | (23, _)) => {
            plan.run = run_by(&node, &["--experimental-strip-types", &argument(&start)])?;
            return Ok(());
        }
        _ => {}
    }
    if context.tools.find("tsc")?.is_none() {
        return Err(missing(&["tsc"], Language::TypeScript)
            .hint(
                "install the package `node-typescript` (the name in Debian and Ubuntu), or node 22.18 or later, which \
                 needs none",
            )
            .into());
    }
    context.need(plan, "tsc")?;
    let stem = start.rsplit_once('.').map_or(start.as_str(), |(stem, _)| stem);
    let ending = match start.rsplit('.').next() {
        Some("mts") => "mjs",
        Some("cts") => "cjs",
        _ => "js",
    };
    // The author's project file has the options. We only set the folder of the result.
    let words: Vec<String> = if context.tree.has("tsconfig.json") {
        ["tsc", "-p", ".", "--outDir", OUT, "--rootDir", ".", "--noEmit", "false"].map(str::to_owned).to_vec()
    } else {
        let fixed = ["tsc", "--outDir", OUT, "--rootDir", ".", "--target", "es2022"];
        // Node decides in this way what a file is, and what is compiled must be the same.
        let is_module = ending == "mjs" || (ending == "js" && is_of_modules(context.tree));
        let module: &[&str] =
            if is_module { &["--module", "es2022", "--moduleResolution", "node"] } else { &["--module", "commonjs"] };
        fixed.iter().chain(module).map(|word| (*word).to_owned()).chain([argument(&start)]).collect()
    };
    plan.lines = vec![line(&words)?];
    plan.run = run_by(&node, &[&format!("{OUT}/{stem}.{ending}")])?;
    Ok(())
}

/// Finds the file that node runs.
fn start(plan: &mut Plan, context: &RecipeContext<'_>, endings: &[&str]) -> Result<String, PlanError> {
    if context.manifest.main.is_none()
        && !context.found.is_of_script()
        && let Ok(file) = entry(context.tree, endings)
    {
        plan.why = format!("`package.json` is there, and names `{}`", shown(file.as_bytes()));
        plan.set_start(&file, &[&file]);
        return Ok(file);
    }
    let dotted: Vec<String> = endings.iter().map(|end| format!(".{end}")).collect();
    let dotted: Vec<&str> = dotted.iter().map(String::as_str).collect();
    let author = context.manifest.main.is_some();
    let place = |name: &&str| author || is_in_root(name) || name.starts_with("src/");
    let types = |name: &&str| !name.ends_with(".d.ts");
    let all: Vec<&str> = context.sources(&dotted).into_iter().filter(types).collect();
    let own: Vec<&str> = all.iter().copied().filter(place).collect();
    // Beside a test, the bot is elsewhere.
    let sources = if own.iter().all(|name| is_no_start(name)) { all } else { own };
    // Files such as `x.config.js` configure tools.
    let sources: Vec<&str> = sources.into_iter().filter(|name| !name.contains(".config.")).collect();
    context.start(plan, &sources, "could be the start").map(str::to_owned)
}

/// Finds the file that `package.json` names as the start, if it exists and has one of these endings.
///
/// # Errors
/// If `package.json` names no such file.
pub(crate) fn entry(tree: &SourceTree, endings: &[&str]) -> Result<String, Flaw> {
    let nothing = || Flaw::new("`package.json` names no file that is there");
    let package: Value = serde_json::from_slice(&tree.head("package.json", LOOK)).map_err(|_| nothing())?;
    let bin = match &package["bin"] {
        Value::Object(bins) if bins.len() == 1 => bins.values().next(),
        other => Some(other),
    };
    // `"start": "node src/bot.js"`
    let started = package["scripts"]["start"].as_str().and_then(|line| match &shlex::split(line)?[..] {
        [node, file] if node == "node" => Some(file.clone()),
        _ => None,
    });
    let named = [bin, Some(&package["main"])].into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    for name in started.into_iter().chain(named) {
        let name = name.strip_prefix("./").unwrap_or(&name);
        let tries = [name.to_owned(), format!("{name}.js"), format!("{name}/index.js")];
        let fits = |name: &String| {
            tree.has(name) && !is_aside(name) && endings.iter().any(|end| name.ends_with(&format!(".{end}")))
        };
        if let Some(found) = tries.into_iter().find(fits) {
            return Ok(found);
        }
    }
    Err(nothing())
}

/// Returns whether the files of a package are modules (`"type": "module"`), and not scripts of CommonJS.
fn is_of_modules(tree: &SourceTree) -> bool {
    let package: Value = serde_json::from_slice(&tree.head("package.json", LOOK)).unwrap_or_default();
    package["type"] == "module"
}

/// Returns the first two numbers of node's version.
fn version(node: &Tool) -> Option<(u32, u32)> {
    let text = answer(&node.program, &["--version"]).ok()?;
    let mut numbers = text.trim().strip_prefix('v')?.split('.').map(|n| n.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}
