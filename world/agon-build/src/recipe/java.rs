//! Java.

use super::{LOOK, PROGRAM, RecipeContext, argument, run_by, source::defines_main};
use crate::{
    detect::{is_aside, is_in_root},
    intake::shown,
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
    let start = match named_by_build(context, &starts) {
        Some((start, why)) => {
            let others = names.iter().copied().filter(|name| *name != start);
            let all: Vec<&str> = std::iter::once(start).chain(others).collect();
            plan.set_start(start, &all);
            plan.why = why;
            start
        }
        None => context.start(plan, &names, &[], "has a method `main`")?,
    };
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

/// Files in which build tools and archives of Java name the class in which a program starts.
const BUILD_FILES: &[&str] = &["build.gradle", "build.gradle.kts", "pom.xml", "MANIFEST.MF", "manifest.txt"];

/// Returns the start that the file of a build tool names, with the reason. What the author or a run script names counts more.
fn named_by_build<'n>(context: &RecipeContext<'_>, starts: &[(&'n str, String)]) -> Option<(&'n str, String)> {
    if context.manifest.main.is_some() || context.found.is_of_script() {
        return None;
    }
    let is_of_build = |name: &&str| !is_aside(name) && BUILD_FILES.contains(&name.rsplit('/').next().unwrap_or(name));
    context.tree.files().map(|(name, _)| name).filter(is_of_build).find_map(|name| {
        let text = context.tree.head(name, LOOK);
        let class = class_of_build(&String::from_utf8_lossy(&text))?.to_owned();
        let (start, _) = starts.iter().find(|(_, own)| *own == class)?;
        Some((*start, format!("`{}` names the class `{class}`", shown(name.as_bytes()))))
    })
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
        let rest = line.split_once("mainClass")?.1;
        let quote = rest.find(['\'', '"'])?;
        rest[quote + 1..].split(['\'', '"']).next()
    })
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
    fn build_files_name_the_class() {
        for (text, class) in [
            ("plugins { id 'application' }\napplication {\n    mainClass = 'bot.App'\n}", Some("bot.App")),
            ("application { mainClass.set(\"bot.App\") }", Some("bot.App")),
            ("mainClassName = \"App\"", Some("App")),
            ("<manifest>\n  <mainClass>org.me.MyBot</mainClass>\n</manifest>", Some("org.me.MyBot")),
            ("Manifest-Version: 1.0\r\nMain-Class: MyBot\r\n", Some("MyBot")),
            ("rootProject.name = 'bot'", None),
            ("mainClass = provider", None),
        ] {
            assert_eq!(class_of_build(text), class, "{text}");
        }
    }

    #[test]
    fn a_main_class_has_its_package() {
        let main = "class A {\n  public static void main(String[] args) {}\n}";
        assert_eq!(main_class("src/A.java", main.as_bytes()), Some("A".into()));
        assert_eq!(main_class("A.java", format!("package a.b ;\n{main}").as_bytes()), Some("a.b.A".into()));
        assert_eq!(main_class("A.java", b"class A { void run() {} }"), None);
    }
}
