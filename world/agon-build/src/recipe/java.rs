//! Java.

use super::{LOOK, PROGRAM, RecipeContext, argument, run_by};
use crate::{
    Manifest,
    detect::{is_aside, is_in_root},
    intake::shown,
    packages::listed,
    plan::{Plan, PlanError, Run, line},
    sources::{Scope, is_of_tool},
    start::{USUAL, stem},
};
use agon_core::Flaw;

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    let sources = context.sources(&[".java"]);
    let jars = context.sources(&[".jar"]);
    let java = context.need(plan, "java")?;
    let jar = context.manifest.main.as_ref().is_some_and(|main| main.ends_with(".jar"));
    if jar || sources.is_empty() {
        let own: Vec<&str> = jars.into_iter().filter(|name| jar || is_in_root(name)).collect();
        let start = context.start(plan, &own, "has a program")?;
        plan.run = run_by(&java, &["-jar", &argument(start)])?;
        return Ok(());
    }
    if context.manifest.build.is_some() {
        plan.run = Run::Made(Vec::new());
        return Ok(());
    }
    context.need(plan, "javac")?;
    let start = match named_by_build(context, &sources)? {
        Some((start, why)) => {
            let others = sources.iter().copied().filter(|name| *name != start && has_main(context, name));
            let all: Vec<&str> = std::iter::once(start).chain(others).collect();
            plan.set_start(start, &all);
            plan.why = why;
            start
        }
        None => context.start(plan, &sources, "has a method `main`")?,
    };
    let place = |name: &str| Place::of(name, &context.tree.head(name, LOOK));
    let own = place(start);
    // The compiler itself finds classes by the folders of their packages. Of the start's folder it is given all that is no other
    // program, because a file there may have classes of other names.
    let is_beside = |name: &str| {
        let is_in = match &own.root {
            Some(_) => folder(name) == folder(start),
            None => name.starts_with(folder(start)),
        };
        name == start || (is_in && !has_main(context, name) && !is_of_tool(name))
    };
    let given: Vec<&str> = sources.iter().copied().filter(|name| is_beside(name)).collect();
    let is_found = |name: &str| own.root.is_some() && place(name).root == own.root;
    plan.left_out =
        sources.iter().filter(|name| !given.contains(name) && !is_found(name)).map(|it| (*it).to_owned()).collect();
    // Half of the build's memory: the rest is for code, threads and the memory of the compiler outside its heap.
    let heap = format!("-J-Xmx{}m", context.manifest.memory_mib.unwrap_or(plan.memory_mib) / 2);
    let mut path = vec![PROGRAM.to_owned(), ".".to_owned()];
    path.extend(jars.iter().map(|jar| (*jar).to_owned()));
    let path = path.join(":");
    let root = own.root.as_deref().filter(|root| !root.is_empty()).unwrap_or(".");
    let fixed =
        ["javac", &heap, "-J-XX:+UseSerialGC", "-encoding", "UTF-8", "-cp", &path, "-sourcepath", root, "-d", PROGRAM];
    let words: Vec<String> =
        fixed.iter().map(|word| (*word).to_owned()).chain(given.into_iter().map(argument)).collect();
    plan.lines = vec![line(&words)?];
    plan.run = run_by(&java, &["-cp", &path, &own.class])?;
    Ok(())
}

fn has_main(context: &RecipeContext<'_>, name: &str) -> bool {
    context.sources_read().has_main(name, Scope::Code)
}

fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Where a source stands among the packages.
struct Place {
    /// The class with the name of the file, with its package.
    class: String,
    /// The folder in which the packages begin. `None` if the file is not in the folder of its package.
    root: Option<String>,
}

impl Place {
    fn of(name: &str, source: &[u8]) -> Self {
        let text = String::from_utf8_lossy(source);
        let stem = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".java");
        let package = text.lines().find_map(|line| {
            let package = line.trim().strip_prefix("package ")?.split(';').next()?.trim();
            package.chars().all(|c| c.is_alphanumeric() || "._$".contains(c)).then(|| package.to_owned())
        });
        let Some(package) = package else {
            return Self { class: stem.to_owned(), root: Some(folder(name).to_owned()) };
        };
        let inner = format!("/{}", package.replace('.', "/"));
        let root =
            format!("/{}", folder(name)).strip_suffix(&inner).map(|root| root.trim_start_matches('/').to_owned());
        Self { class: format!("{package}.{stem}"), root }
    }
}

/// Files in which build tools name the class in which a program starts.
const BUILD_FILES: &[&str] = &["build.gradle", "build.gradle.kts", "pom.xml", "nbproject/project.properties"];
/// Manifests of archives. They may be as old as the archive.
const MANIFESTS: &[&str] = &["MANIFEST.MF", "manifest.txt", "manifest.mf"];

/// Returns the start that the file of a build tool names, with the reason. What the author or a run script names counts more.
/// A file of the top folder has the last word. Any other may be about another program, so it counts only if nothing says
/// otherwise: no further such file, and no usual name.
fn named_by_build<'n>(
    context: &RecipeContext<'_>,
    sources: &[&'n str],
) -> Result<Option<(&'n str, String)>, PlanError> {
    if context.manifest.main.is_some() || context.found.is_of_script() {
        return Ok(None);
    }
    let starts: Vec<(&str, String)> = sources
        .iter()
        .filter(|name| has_main(context, name))
        .map(|name| (*name, Place::of(name, &context.tree.head(name, LOOK)).class))
        .collect();
    let named = |file: &str| {
        let text = context.tree.head(file, LOOK);
        let class = class_of_build(&String::from_utf8_lossy(&text))?.to_owned();
        let (start, _) = starts.iter().find(|(_, own)| *own == class)?;
        Some((*start, format!("`{}` names the class `{class}`", shown(file.as_bytes()))))
    };
    if let Some(found) = BUILD_FILES.iter().filter(|file| context.tree.has(file)).find_map(|file| named(file)) {
        return Ok(Some(found));
    }
    let is_called = |file: &&str| {
        BUILD_FILES.iter().chain(MANIFESTS).any(|name| file.rsplit('/').next() == name.rsplit('/').next())
    };
    let files = context.tree.files().map(|(name, _)| name).filter(|name| is_called(name) && !is_aside(name));
    let found: Vec<(&str, String)> = files.filter_map(named).collect();
    let Some((first, why)) = found.first().cloned() else { return Ok(None) };
    let is_usual = |(name, _): &&(&'n str, String)| USUAL.contains(&stem(name).as_str());
    let mut others: Vec<&str> = starts.iter().filter(is_usual).chain(&found).map(|(name, _)| *name).collect();
    others.retain(|name| *name != first);
    if others.is_empty() {
        return Ok(Some((first, why)));
    }
    others.dedup();
    let candidates: Vec<String> = others.iter().chain([&first]).map(|name| (*name).to_owned()).collect();
    let flaw = Flaw::new(format!("{why}, but it could also start in {}", listed(&candidates[..others.len()])))
        .hint(format!("write `main = \"{}\"` into `{}`, or another one of them", candidates[0], Manifest::FILE));
    Err(PlanError::Ambiguous(flaw, candidates))
}

/// Returns the class that a file of Gradle or Maven, or the manifest of an archive, names as the start.
fn class_of_build(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find_map(|line| {
        if let Some(rest) = line.strip_prefix("Main-Class:") {
            return Some(rest.trim());
        }
        if let Some((_, rest)) = line.split_once("<mainClass>") {
            return Some(rest.split_once("</mainClass>")?.0.trim());
        }
        if let Some(class) = line.strip_prefix("main.class=") {
            return Some(class.trim());
        }
        let rest = line.split_once("mainClass")?.1;
        let quote = rest.find(['\'', '"'])?;
        rest[quote + 1..].split(['\'', '"']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_files_name_the_class() {
        for (text, class) in [
            ("plugins { id 'application' }\napplication {\n    mainClass = 'bot.App'\n}", Some("bot.App")),
            ("application { mainClass.set(\"bot.App\") }", Some("bot.App")),
            ("mainClassName = \"App\"", Some("App")),
            ("<manifest>\n  <mainClass>org.me.MyBot</mainClass>\n</manifest>", Some("org.me.MyBot")),
            ("Manifest-Version: 1.0\r\nMain-Class: MyBot\r\n", Some("MyBot")),
            ("main.class=bot.MyBot\n", Some("bot.MyBot")),
            ("rootProject.name = 'bot'", None),
            ("mainClass = provider", None),
        ] {
            assert_eq!(class_of_build(text), class, "{text}");
        }
    }

    #[test]
    fn a_class_has_its_package_and_a_root() {
        for (name, text, class, root) in [
            ("src/A.java", "class A {}", "A", Some("src")),
            ("src/a/b/A.java", "// x\npackage a.b ;\nclass A {}", "a.b.A", Some("src")),
            ("a/A.java", "package a; // first", "a.A", Some("")),
            ("A.java", "package a.b;", "a.b.A", None),
            ("xa/A.java", "package a;", "a.A", None),
        ] {
            let place = Place::of(name, text.as_bytes());
            assert_eq!((place.class.as_str(), place.root.as_deref()), (class, root), "{name}: {text}");
        }
    }
}
