//! Java.

use super::{LOOK, PROGRAM, RecipeContext, argument, run_by, source::defines_main};
use crate::{
    detect::is_in_root,
    plan::{Plan, PlanError, Run, line},
};

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    let sources = context.sources(&[".java"]);
    let jars = context.sources(&[".jar"]);
    let java = context.need(plan, "java")?;
    let jar = context.manifest.main.as_ref().is_some_and(|main| main.ends_with(".jar"));
    if jar || sources.is_empty() {
        let own: Vec<&str> = jars.into_iter().filter(|name| jar || is_in_root(name)).collect();
        let start = context.start(plan, &own, &[], "has a program")?;
        plan.run = run_by(&java, &["-jar", &argument(start)])?;
        return Ok(());
    }
    if context.manifest.build.is_some() {
        plan.run = Run::Made(Vec::new());
        return Ok(());
    }
    context.need(plan, "javac")?;
    let starts: Vec<(&str, String)> =
        sources.iter().filter_map(|name| Some((*name, main_class(name, &context.tree.head(name, LOOK))?))).collect();
    let names: Vec<&str> = starts.iter().map(|(name, _)| *name).collect();
    let start = context.start(plan, &names, &[], "has a method `main`")?;
    let class = starts.iter().find(|(name, _)| *name == start).map(|(_, class)| class.as_str()).unwrap_or_default();
    // Half of the build's memory: the rest is for code, threads and the memory of the compiler outside its heap.
    let heap = format!("-J-Xmx{}m", context.manifest.memory_mib.unwrap_or(plan.memory_mib) / 2);
    let mut path = vec![PROGRAM.to_owned(), ".".to_owned()];
    path.extend(jars.iter().map(|jar| (*jar).to_owned()));
    let path = path.join(":");
    let fixed = ["javac", &heap, "-J-XX:+UseSerialGC", "-encoding", "UTF-8", "-cp", &path, "-d", PROGRAM];
    let needed = context.needed(plan, start, &names, &sources);
    let words: Vec<String> =
        fixed.iter().map(|word| (*word).to_owned()).chain(needed.into_iter().map(argument)).collect();
    plan.lines = vec![line(&words)?];
    plan.run = run_by(&java, &["-cp", &path, class])?;
    Ok(())
}

/// Returns the class of a source that has a `main` method, with its package. The class has the name of the file.
fn main_class(name: &str, source: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(source);
    let stem = name.rsplit('/').next()?.strip_suffix(".java")?;
    let package = text.lines().find_map(|line| {
        let package = line.trim().strip_prefix("package")?.trim().strip_suffix(';')?.trim();
        package.chars().all(|c| c.is_alphanumeric() || "._$".contains(c)).then(|| package.to_owned())
    });
    defines_main(source).then(|| package.map_or_else(|| stem.to_owned(), |package| format!("{package}.{stem}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_class_has_its_package() {
        let main = "class A {\n  public static void main(String[] args) {}\n}";
        assert_eq!(main_class("src/A.java", main.as_bytes()), Some("A".into()));
        assert_eq!(main_class("A.java", format!("package a.b ;\n{main}").as_bytes()), Some("a.b.A".into()));
        assert_eq!(main_class("A.java", b"class A { void run() {} }"), None);
    }
}
