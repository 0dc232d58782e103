//! Rust.

use super::{JOBS, LOOK, PROGRAM, RecipeContext, argument, run_file};
use crate::{
    detect::is_in_root,
    plan::{Plan, PlanError, Run, line},
};
use toml::de::{DeTable, DeValue};

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    context.need_to_build(plan, "rustc")?;
    // `rustc` calls `cc` as the linker.
    context.need_to_build(plan, "cc")?;
    if context.manifest.main.is_none() && context.tree.has("Cargo.toml") {
        context.need_to_build(plan, "cargo")?;
        plan.environment.push(("CARGO_TERM_COLOR".into(), "never".into()));
        plan.environment.push(("CARGO_BUILD_JOBS".into(), JOBS.into()));
        plan.lines = vec![
            "cargo build --release --offline --target-dir \"$TMPDIR/target\"".into(),
            // Only the programs are the result, not the hundreds of other files. Libraries have a dot in their names.
            format!(
                "mkdir {PROGRAM} && find \"$TMPDIR/target/release\" -maxdepth 1 -type f -perm -u+x ! -name '*.*' \
                 -exec cp {{}} {PROGRAM}/ ';'"
            ),
        ];
        plan.run = Run::Made(names(&context.tree.head("Cargo.toml", LOOK)));
        return Ok(());
    }
    if context.manifest.build.is_some() {
        plan.run = Run::Made(Vec::new());
        return Ok(());
    }
    let sources = context.sources(&[".rs"]);
    let own: Vec<&str> = sources.iter().copied().filter(|name| is_in_root(name) || name.starts_with("src/")).collect();
    let start = context.start(plan, &own, "has a function `main`")?;
    let words = ["rustc", "--edition", "2024", "-O", "-o", PROGRAM].map(str::to_owned);
    plan.lines = vec![line(&[&words[..], &[argument(start)]].concat())?];
    plan.run = run_file(PROGRAM);
    Ok(())
}

/// Returns the names that the program of a package or a workspace may have, the most likely first.
fn names(manifest: &[u8]) -> Vec<String> {
    let usual = || ["bot", "main", "MyBot"].into_iter().map(str::to_owned);
    let text = String::from_utf8_lossy(manifest);
    let Ok(table) = DeTable::parse(&text) else { return usual().collect() };
    let package = table.get_ref().get("package").and_then(|p| p.get_ref().as_table());
    let string =
        |table: &DeTable<'_>, key: &str| table.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
    let bins = table.get_ref().get("bin").and_then(|bins| bins.get_ref().as_array());
    let bins = bins.into_iter().flat_map(|bins| bins.iter()).filter_map(|bin| match bin.get_ref() {
        DeValue::Table(bin) => string(bin, "name"),
        _ => None,
    });
    let package = ["default-run", "name"].into_iter().filter_map(|key| string(package?, key));
    package.chain(usual()).chain(bins).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_names_its_programs() {
        let text = "[package]\nname = 'mine'\ndefault-run = 'bot'\n[[bin]]\nname = 'bot'\n[[bin]]\nname = 'trainer'\n";
        assert_eq!(names(text.as_bytes()), ["bot", "mine", "bot", "main", "MyBot", "bot", "trainer"]);
        for text in [&b"[workspace]\n"[..], b"broken ["] {
            assert_eq!(names(text), ["bot", "main", "MyBot"]);
        }
        let text = "[package]\nname = 'mine'\n[[bin]]\nname = 'trainer'\n[[bin]]\nname = 'bot'\n";
        let (names, made) = (names(text.as_bytes()), ["trainer", "bot"]);
        assert_eq!(names.iter().find(|name| made.contains(&name.as_str())).map(String::as_str), Some("bot"));
    }
}
