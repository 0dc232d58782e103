//! Which sources of a bot need which others. That tells where the bot starts, and what of it has to be compiled.
//!
//! It is found out by reading, without a compiler: a name in one file, its definition in another. Where a name may mean
//! several files, all of them count as needed.

mod c;
mod named;
mod python;
mod script;
mod token;

use crate::{Language, detect::is_aside, intake::Tree};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of bytes that are read of a source file.
const LOOK: u64 = 1 << 20;

/// The sources of a bot in one language, and which of them need which others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sources {
    needs: BTreeMap<String, BTreeSet<String>>,
    /// The sources in C and C++ that other files include.
    included: BTreeSet<String>,
}

/// A source file that was read.
struct Source<'t> {
    name: &'t str,
    text: String,
}

impl Sources {
    /// Reads the sources of a bot in this language. Sources in folders such as `tests` do not belong to it.
    pub(crate) fn read(tree: &Tree, language: Language) -> Self {
        let sources: Vec<Source<'_>> = tree
            .files()
            .map(|(name, _)| name)
            .filter(|name| is_source(name, language) && !is_aside(name))
            .map(|name| Source { name, text: String::from_utf8_lossy(&tree.head(name, LOOK)).into_owned() })
            .collect();
        let needs = match language {
            Language::Python => python::needs(&sources),
            Language::JavaScript | Language::TypeScript => script::needs(&sources, language),
            Language::C | Language::Cpp => c::needs(&sources),
            _ => named::needs(&sources, language),
        };
        let is_c = matches!(language, Language::C | Language::Cpp);
        let included = if is_c { c::included_sources(&sources) } else { BTreeSet::new() };
        Self { needs, included }
    }

    /// Returns whether a source in C or C++ is compiled as a part of another file.
    pub(crate) fn is_included(&self, file: &str) -> bool {
        self.included.contains(file)
    }

    /// Returns the file itself and all files that it needs, directly or not.
    pub(crate) fn closure(&self, file: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = self.needs.get_key_value(file).map(|(name, _)| name.as_str()).into_iter().collect();
        while let Some(name) = open.pop() {
            if found.insert(name) {
                open.extend(self.needs.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        found
    }

    /// Returns whether another file needs this one and is not itself needed by it. Tests do not count.
    pub(crate) fn is_needed(&self, file: &str) -> bool {
        let own = self.closure(file);
        self.needs
            .iter()
            .any(|(other, needs)| needs.contains(file) && !own.contains(other.as_str()) && !is_of_tool(other))
    }
}

/// Returns whether a file is a test, or configures a tool.
pub(crate) fn is_of_tool(name: &str) -> bool {
    const TOOLS: &[&str] = &["setup.py", "conftest.py", "noxfile.py", "fabfile.py"];
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file).to_lowercase();
    TOOLS.contains(&file)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || file.contains(".test.")
        || file.contains(".spec.")
        || file.contains(".config.")
        || file.ends_with(".d.ts")
}

fn is_source(name: &str, language: Language) -> bool {
    const HEADERS: &[&str] = &[".h", ".hh", ".hpp", ".hxx", ".inl", ".inc"];
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    match language {
        Language::C | Language::Cpp => matches!(Language::of(name), Some(Language::C | Language::Cpp)) || ends(HEADERS),
        Language::OCaml => ends(&[".ml", ".mli"]),
        Language::Java => name.ends_with(".java"),
        _ => Language::of(name) == Some(language),
    }
}

/// Returns the folder of a file, without a slash at the end.
fn folder(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder and a relative path. `None` if the path leads out of the bot.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what each file needs, as `file: needed needed`.
    pub(super) fn lines(language: Language, files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source<'_>> =
            files.iter().map(|(name, text)| Source { name, text: (*text).to_owned() }).collect();
        let needs = match language {
            Language::Python => python::needs(&sources),
            Language::JavaScript | Language::TypeScript => script::needs(&sources, language),
            Language::C | Language::Cpp => c::needs(&sources),
            _ => named::needs(&sources, language),
        };
        let line = |(name, needs): (&String, &BTreeSet<String>)| {
            format!("{name}: {}", needs.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
        };
        needs.iter().map(line).collect()
    }

    #[test]
    fn files_that_need_each_other_are_not_needed_by_others() {
        let sources = Sources {
            needs: [("main", "util"), ("util", "main"), ("part", ""), ("test_main", "main")]
                .map(|(name, needs)| (name.to_owned(), BTreeSet::from([needs.to_owned()])))
                .into(),
            included: BTreeSet::new(),
        };
        assert!(!sources.is_needed("main") && !sources.is_needed("util"), "each needs the other");
        assert_eq!(sources.closure("main"), BTreeSet::from(["main", "util"]));
        assert_eq!(sources.closure("none"), BTreeSet::new());
    }

    #[test]
    fn paths_are_joined_inside_the_bot() {
        for (folder, path, expected) in [
            ("", "./a", Some("a")),
            ("x/y", "../a/b", Some("x/a/b")),
            ("x", "../../a", None),
            ("", "a//b/.", Some("a/b")),
        ] {
            assert_eq!(join(folder, path).as_deref(), expected, "{folder} {path}");
        }
    }
}
