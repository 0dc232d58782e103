//! What a bot is, by its files.

use crate::{
    Language, Manifest,
    intake::{Tree, shown},
};
use agon_core::Flaw;

/// What a bot seems to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// What it is written in.
    pub language: Language,
    /// The file that says so.
    pub file: String,
    /// Why, in words.
    pub why: String,
    /// How much it says; the lowest wins.
    strength: Strength,
}

impl Found {
    /// The lowest is the best of a language: `main.py` says more than `bot.py`.
    fn rank(&self) -> (Strength, usize) {
        let stem = stem(&self.file);
        (self.strength, STARTS.iter().position(|start| *start == stem).unwrap_or(STARTS.len()))
    }
}

/// How much a file says about what a bot is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    /// The file of a build tool.
    Project,
    /// A name that the start of a bot has.
    Named,
    /// Sources.
    Sources,
    /// A program that was built elsewhere.
    Built,
}

/// What the file with the start of a bot is called, without its ending.
const STARTS: &[&str] = &["main", "bot", "mybot"];

/// Files of build tools.
const PROJECTS: &[(&str, Language)] = &[
    ("Cargo.toml", Language::Rust),
    ("go.mod", Language::Go),
    ("dune-project", Language::OCaml),
    ("tsconfig.json", Language::TypeScript),
];

/// Folders whose sources are no part of the program.
const ASIDE: &[&str] = &["test", "tests", "node_modules", "vendor", "examples", "benches", "docs"];

/// What the bot is. `language` and `main` of the manifest are the author's word.
pub(crate) fn detect(tree: &Tree, manifest: &Manifest) -> Result<Found, Flaw> {
    if let Some(main) = &manifest.main {
        return named_by_author(tree, manifest, main);
    }
    let mut found = all(tree);
    if let Some(language) = manifest.language {
        found.retain(|f| f.language == language);
        if found.is_empty() {
            return Err(Flaw::new(format!("`{}` says {language}, but there is no such source", Manifest::FILE))
                .hint(format!("the files are {}", listed(tree))));
        }
    }
    let Some(best) = found.iter().map(|f| f.strength).min() else {
        return Err(Flaw::new(format!("nothing says how it is played: the files are {}", listed(tree))).hint(format!(
            "name the start `main` or `bot`, as `main.py`, or write `run = [\"…\"]` into `{}` in its folder",
            Manifest::FILE
        )));
    };
    found.retain(|f| f.strength == best);
    // One folder holds TypeScript and the JavaScript that comes of it. What `package.json` names is played as it is,
    // else what was built may be older than its sources.
    if [Language::TypeScript, Language::JavaScript].iter().all(|l| found.iter().any(|f| f.language == *l)) {
        let older = if best == Strength::Project { Language::TypeScript } else { Language::JavaScript };
        found.retain(|f| f.language != older);
    }
    if let [only] = &found[..] {
        return Ok(only.clone());
    }
    let could: Vec<String> = found.iter().map(|f| format!("{} (`{}`)", f.language, shown(f.file.as_bytes()))).collect();
    Err(Flaw::new(format!("it could be {}", could.join(" or "))).hint(format!(
        "write `language = \"{}\"` into `{}` in its folder",
        found[0].language.name(),
        Manifest::FILE
    )))
}

/// What `main` in the manifest leads to.
fn named_by_author(tree: &Tree, manifest: &Manifest, main: &str) -> Result<Found, Flaw> {
    if !tree.has(main) {
        return Err(Flaw::new(format!("`{}` names the file `{main}`, which is not there", Manifest::FILE))
            .hint(format!("the files are {}", listed(tree))));
    }
    let language = manifest.language.or_else(|| Language::of(main)).ok_or_else(|| {
        Flaw::new(format!("the language of `{main}` cannot be told"))
            .hint(format!("write `language = \"…\"` into `{}`", Manifest::FILE))
    })?;
    let why = format!("`{}` names `{main}`", Manifest::FILE);
    Ok(Found { language, file: main.to_owned(), why, strength: Strength::Project })
}

/// At most one finding a language, its strongest.
fn all(tree: &Tree) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut add = |language: Language, file: &str, why: String, strength: Strength| {
        let new = Found { language, file: file.to_owned(), why, strength };
        match found.iter_mut().find(|f| f.language == language) {
            Some(known) if new.rank() < known.rank() => *known = new,
            Some(_) => {}
            None => found.push(new),
        }
    };
    for (file, language) in PROJECTS.iter().filter(|(file, _)| tree.has(file)) {
        add(*language, file, format!("`{file}` is there"), Strength::Project);
    }
    for (name, _) in tree.files() {
        let quoted = || format!("`{}` is there", shown(name.as_bytes()));
        if is_in_root(name) && name.ends_with(".csproj") {
            add(Language::CSharp, name, quoted(), Strength::Project);
        }
        let Some(language) = Language::of(name).filter(|_| !is_aside(name)) else { continue };
        if name.ends_with(".jar") {
            if is_in_root(name) {
                add(language, name, quoted(), Strength::Built);
            }
        } else if is_start(name, language) {
            add(language, name, quoted(), Strength::Named);
        } else if is_compiled(language) || is_in_root(name) {
            add(language, name, quoted(), Strength::Sources);
        }
    }
    if tree.has("package.json") && crate::recipe::script(tree, &["js", "mjs", "cjs"]).is_ok() {
        add(Language::JavaScript, "package.json", "`package.json` is there".into(), Strength::Project);
    }
    // With both the files in C belong to the program in C++.
    if found.iter().any(|f| f.language == Language::Cpp) {
        found.retain(|f| f.language != Language::C);
    }
    for (name, entry) in tree.files().filter(|(name, entry)| is_in_root(name) && entry.executable) {
        if is_program(&tree.head(name, 4)) {
            let why = format!("`{}` is a program", shown(name.as_bytes()));
            // Two programs: the recipe asks which one.
            if entry.size > 0 && !found.iter().any(|f| f.language == Language::Program) {
                found.push(Found {
                    language: Language::Program,
                    file: name.to_owned(),
                    why,
                    strength: Strength::Built,
                });
            }
        }
    }
    found
}

/// Whether a file begins as a program of this system or a script does.
pub(crate) fn is_program(head: &[u8]) -> bool {
    head.starts_with(b"\x7fELF") || head.starts_with(b"#!") || head.starts_with(b"\xcf\xfa\xed\xfe")
}

/// Whether the start of a bot is called like this. In these languages it may lie in a folder for sources.
fn is_start(name: &str, language: Language) -> bool {
    let (folder, stem) = (name.rsplit_once('/').map_or("", |(folder, _)| folder), stem(name));
    let usual = match language {
        Language::Python => stem == "__main__",
        Language::JavaScript | Language::TypeScript => stem == "index",
        Language::CSharp => stem == "program",
        _ => false,
    };
    let place = match language {
        Language::Java => true,
        Language::Python => folder.is_empty(),
        _ => ["", "src", "app"].contains(&folder),
    };
    place && (usual || STARTS.contains(&stem.as_str()))
}

/// The name of a file without its folder and its endings, in small letters.
pub(crate) fn stem(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or_default().to_lowercase()
}

/// Whether all sources make one program, wherever they lie.
fn is_compiled(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp | Language::Java | Language::CSharp)
}

pub(crate) fn is_in_root(name: &str) -> bool {
    !name.contains('/')
}

/// Whether a file lies in a folder for other things than the program.
pub(crate) fn is_aside(name: &str) -> bool {
    name.rsplit_once('/').is_some_and(|(folder, _)| folder.split('/').any(|part| ASIDE.contains(&part)))
}

/// Some of the files, for a message.
pub(crate) fn listed(tree: &Tree) -> String {
    const MOST: usize = 6;
    let mut names: Vec<String> =
        tree.files().take(MOST).map(|(name, _)| format!("`{}`", shown(name.as_bytes()))).collect();
    let more = tree.files().count().saturating_sub(MOST);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
