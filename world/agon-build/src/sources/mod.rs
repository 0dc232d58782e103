//! Which sources of a bot need which others. That tells where the bot starts, and what of it has to be compiled.
//!
//! It is found out by reading, without a compiler: a name in one file, its definition in another. Where a name may mean
//! several files, all of them count as needed.

mod c;
mod components;
mod go;
mod named;
mod ocaml;
mod python;
mod script;
mod token;

use crate::{Language, detect::is_aside, intake::Tree};
use components::components;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of bytes that are read of a source file.
const LOOK: u64 = 1 << 20;

/// The largest number of files that a name may stand for. One that more files have tells nothing about any of them.
const MOST_MEANINGS: usize = 100;

/// The sources of a bot in one language, and which of them need which others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sources {
    links: Links,
    /// The files that another one needs which they do not need themselves. Tests do not count.
    needed: BTreeSet<String>,
    /// Those of them that only other programs need.
    of_programs: BTreeSet<String>,
}

/// What reading finds in the sources.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Links {
    /// Every file, and the files that it needs directly.
    needs: BTreeMap<String, BTreeSet<String>>,
    /// The sources in C and C++ that other files include.
    included: BTreeSet<String>,
    /// The sources in C, C++ and Go with a function `main`.
    programs: BTreeSet<String>,
    /// Those of them in C and C++ of which nothing tells whether their `main` is compiled, if that of others surely is.
    doubtful: BTreeSet<String>,
    /// The sources in C, C++ and Go that do something before `main`, although no other file may name them.
    active: BTreeSet<String>,
    /// The modules in OCaml that do something when their program starts.
    acting: ocaml::Acting,
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
        Self::new(Links::read(&sources, language))
    }

    fn new(links: Links) -> Self {
        let component = components(&links.needs);
        let (mut needed, mut by_others) = (BTreeSet::new(), BTreeSet::new());
        for (needer, needs) in links.needs.iter().filter(|(needer, _)| !is_of_tool(needer)) {
            let apart = |file: &&String| component.get(file.as_str()) != component.get(needer.as_str());
            for file in needs.iter().filter(apart) {
                needed.insert(file.clone());
                if !(links.programs.contains(file) && links.programs.contains(needer)) {
                    by_others.insert(file.clone());
                }
            }
        }
        drop(component);
        let of_programs = needed.difference(&by_others).cloned().collect();
        Self { links, needed, of_programs }
    }

    /// Returns whether a source in C or C++ is compiled as a part of another file.
    pub(crate) fn is_included(&self, file: &str) -> bool {
        self.links.included.contains(file)
    }

    /// Returns whether a source in C, C++ or Go has a function `main`.
    pub(crate) fn is_program(&self, file: &str) -> bool {
        self.links.programs.contains(file)
    }

    /// Returns whether a program may be no more than a part of another one, because of the condition around its `main`.
    pub(crate) fn is_doubtful(&self, file: &str) -> bool {
        self.links.doubtful.contains(file)
    }

    /// Returns the files of the program that starts in `start`: those that it needs, directly or not, and those that act by
    /// themselves. `starts` are the starts of all programs in the folder.
    pub(crate) fn program(&self, start: &str, starts: &[&str]) -> BTreeSet<&str> {
        let mut roots = vec![start];
        if !self.links.active.is_empty() {
            let others: Vec<&str> = starts.iter().copied().filter(|other| *other != start).collect();
            let (own, others) = (self.needing(&[start]), self.needing(&others));
            // A file that needs another program belongs to that one.
            let is_part = |file: &&str| own.contains(file) || !others.contains(file);
            roots.extend(self.links.active.iter().map(String::as_str).filter(is_part));
        }
        let mut program = self.closure(&roots);
        self.join(start, &mut program);
        program
    }

    /// Adds to a program the modules in OCaml that register themselves with it: no other file names them, and they act on a
    /// module that it needs. One that needs the start comes too late, and one that brings another program belongs to that.
    fn join<'s>(&'s self, start: &str, program: &mut BTreeSet<&'s str>) {
        let after = self.needing(&[start]);
        let named: BTreeSet<&String> = self.links.needs.values().flatten().collect();
        let is_alone = |file: &&String| !named.contains(file) && !is_of_tool(file) && !after.contains(file.as_str());
        let mut left: Vec<&String> = self.links.acting.registering.iter().filter(is_alone).collect();
        // They may register themselves with one another's modules.
        loop {
            let before = program.len();
            left.retain(|file| {
                let brought: Vec<&str> = self.closure(&[file]).into_iter().collect();
                let concerns = brought.iter().any(|needed| *needed != **file && program.contains(needed));
                let acts = |needed: &&str| {
                    **needed != **file && !program.contains(*needed) && self.links.acting.all.contains(*needed)
                };
                if !concerns || brought.iter().any(acts) {
                    return true;
                }
                program.extend(brought);
                false
            });
            if program.len() == before {
                return;
            }
        }
    }

    /// Returns whether a module in OCaml does something when its program starts.
    pub(crate) fn acts(&self, file: &str) -> bool {
        self.links.acting.all.contains(file)
    }

    /// Returns these files and all files that they need, directly or not.
    fn closure(&self, files: &[&str]) -> BTreeSet<&str> {
        let needs = &self.links.needs;
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> =
            files.iter().filter_map(|file| needs.get_key_value(*file)).map(|(name, _)| name.as_str()).collect();
        while let Some(name) = open.pop() {
            if found.insert(name) {
                open.extend(needs.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        found
    }

    /// Returns these files and all files that need them, directly or not.
    fn needing(&self, files: &[&str]) -> BTreeSet<&str> {
        let mut needers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (needer, needs) in &self.links.needs {
            for file in needs {
                needers.entry(file).or_default().push(needer);
            }
        }
        let known = files.iter().filter_map(|file| self.links.needs.get_key_value(*file));
        let mut open: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
        let mut found = BTreeSet::new();
        while let Some(name) = open.pop() {
            if found.insert(name) {
                open.extend(needers.get(name).into_iter().flatten());
            }
        }
        found
    }

    /// Returns whether another file needs this one and is not itself needed by it. Tests do not count.
    pub(crate) fn is_needed(&self, file: &str) -> bool {
        self.needed.contains(file)
    }

    /// Returns whether this is a program that others include, such as a tester of it, and that no file needs otherwise.
    pub(crate) fn is_of_programs(&self, file: &str) -> bool {
        self.of_programs.contains(file)
    }
}

impl Links {
    fn read(sources: &[Source<'_>], language: Language) -> Self {
        match language {
            Language::Python => Self { needs: python::needs(sources), ..Self::default() },
            Language::JavaScript | Language::TypeScript => {
                Self { needs: script::needs(sources, language), ..Self::default() }
            }
            Language::C | Language::Cpp => c::links(sources),
            _ => named::links(sources, language),
        }
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
        let needs = Links::read(&sources, language).needs;
        let line = |(name, needs): (&String, &BTreeSet<String>)| {
            format!("{name}: {}", needs.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
        };
        needs.iter().map(line).collect()
    }

    #[test]
    fn files_that_need_each_other_are_not_needed_by_others() {
        let links = |pairs: &[(&str, &str)]| {
            let mut links = Links::default();
            for (name, needs) in pairs {
                links.needs.insert((*name).to_owned(), needs.split_whitespace().map(str::to_owned).collect());
            }
            links
        };
        let pairs = [("main", "util"), ("util", "main"), ("part", ""), ("test_main", "main")];
        let sources = Sources::new(links(&pairs));
        assert!(!sources.is_needed("main") && !sources.is_needed("util"), "each needs the other");
        assert_eq!(sources.program("main", &["main"]), BTreeSet::from(["main", "util"]));
        assert_eq!(sources.program("none", &[]), BTreeSet::new());
        // A program that only its tester includes is still a start, and what acts by itself belongs to it.
        let pairs = [("bot", "part"), ("check", "bot"), ("part", ""), ("more", "deep"), ("deep", ""), ("aid", "check")];
        let mut links = links(&pairs);
        links.programs = ["bot", "check"].map(str::to_owned).into();
        links.active = ["more", "aid"].map(str::to_owned).into();
        let sources = Sources::new(links);
        assert!(sources.is_needed("bot") && sources.is_of_programs("bot"));
        assert!(sources.is_needed("part") && !sources.is_of_programs("part"));
        let all = BTreeSet::from(["aid", "bot", "check", "deep", "more", "part"]);
        assert_eq!(sources.program("bot", &["bot", "other"]), all);
        assert_eq!(sources.program("part", &["check", "part"]), all);
        assert_eq!(sources.program("deep", &["check", "deep"]), BTreeSet::from(["deep", "more"]));
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
