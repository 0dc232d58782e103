//! Detects the language of a bot by its files.

use crate::{
    Language, Manifest,
    intake::{Tree, shown},
    packages,
    plan::PlanError,
    run_script::{self, RunScript},
    start::{USUAL, plain, stem},
    undetected,
};
use agon_core::Flaw;

/// A language that a bot may have, and the file that indicates it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The language.
    pub language: Language,
    /// The file that indicates the language.
    pub file: String,
    /// The reason in words.
    pub why: String,
    /// The command of the folder's own run script, if nothing has to be built for it.
    pub run: Option<Vec<String>>,
    /// How strongly the file indicates the language. The lowest value wins.
    strength: Strength,
}

impl Found {
    /// Returns whether the project file of a build tool indicates the language.
    pub(crate) fn is_of_project(&self) -> bool {
        self.strength == Strength::Project
    }

    /// Returns whether the folder's own run script starts the file.
    pub(crate) fn is_of_script(&self) -> bool {
        self.strength == Strength::Script
    }

    /// Ranks the findings of one language. The lowest is the best: `main.py` is better than `bot.py`.
    fn rank(&self) -> (Strength, usize) {
        let stem = stem(&self.file);
        (self.strength, USUAL.iter().position(|start| *start == stem).unwrap_or(USUAL.len()))
    }
}

/// How strongly a file indicates the language of a bot, strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    /// The project file of a build tool.
    Project,
    /// The file that the folder's own run script starts.
    Script,
    /// A source file with a name that is usual for the start of a bot.
    Named,
    /// A source file that is named like the folder.
    Folder,
    /// Any other source file.
    Sources,
    /// A program that was built elsewhere.
    Built,
}

/// The project files of build tools.
const PROJECTS: &[(&str, Language)] = &[
    ("Cargo.toml", Language::Rust),
    ("go.mod", Language::Go),
    ("dune-project", Language::OCaml),
    ("tsconfig.json", Language::TypeScript),
];

/// Folders whose sources do not belong to the program.
const ASIDE: &[&str] = &["test", "tests", "node_modules", "vendor", "examples", "benches", "docs"];

/// Detects the language of the bot. `language` and `main` in the manifest take precedence.
pub(crate) fn detect(tree: &Tree, manifest: &Manifest) -> Result<Found, PlanError> {
    if let Some(main) = &manifest.main {
        return Ok(named_by_author(tree, manifest, main)?);
    }
    let mut found = all(tree);
    if let Some(language) = manifest.language {
        found.retain(|f| f.language == language);
        if found.is_empty() {
            return Err(Flaw::new(format!("`{}` says {language}, but there is no such source", Manifest::FILE))
                .hint(format!("the files are {}", listed(tree)))
                .into());
        }
    }
    let Some(best) = found.iter().map(|f| f.strength).min() else {
        return Err(Flaw::new(format!("nothing says how it is played: the files are {}", listed(tree)))
            .hint(undetected::way_out(tree))
            .into());
    };
    found.retain(|f| f.strength == best);
    // The folder may contain TypeScript and the JavaScript that was compiled from it. A file that `package.json` names
    // is run as it is. Any other JavaScript may be older than its sources.
    if [Language::TypeScript, Language::JavaScript].iter().all(|l| found.iter().any(|f| f.language == *l)) {
        let older = if best == Strength::Project { Language::TypeScript } else { Language::JavaScript };
        found.retain(|f| f.language != older);
    }
    if let [only] = &found[..] {
        return Ok(only.clone());
    }
    let could: Vec<String> = found.iter().map(|f| format!("{} (`{}`)", f.language, shown(f.file.as_bytes()))).collect();
    let flaw = Flaw::new(format!("it could be {}", could.join(" or "))).hint(format!(
        "write `language = \"{}\"` into `{}` in its folder",
        found[0].language.name(),
        Manifest::FILE
    ));
    Err(PlanError::Ambiguous(flaw, found.into_iter().map(|found| found.file).collect()))
}

/// Returns the language of the file that `main` in the manifest names.
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
    Ok(Found { language, file: main.to_owned(), why, run: None, strength: Strength::Project })
}

/// Returns the strongest finding of each language.
fn all(tree: &Tree) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut add = |language: Language, file: &str, why: String, strength: Strength| {
        let new = Found { language, file: file.to_owned(), why, run: None, strength };
        match found.iter_mut().find(|f| f.language == language) {
            Some(known) if new.rank() < known.rank() => *known = new,
            Some(_) => {}
            None => found.push(new),
        }
    };
    for (file, language) in PROJECTS.iter().filter(|(file, _)| tree.has(file)) {
        add(*language, file, format!("`{file}` is there"), Strength::Project);
    }
    let is_of_folder = |name: &str| tree.called().iter().any(|folder| plain(folder) == plain(&stem(name)));
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
        } else if is_in_root(name) && is_of_folder(name) {
            add(language, name, quoted(), Strength::Folder);
        } else if is_compiled(language) || is_in_root(name) || name.ends_with("/__main__.py") {
            add(language, name, quoted(), Strength::Sources);
        }
    }
    if tree.has("package.json") && crate::recipe::script(tree, &["js", "mjs", "cjs"]).is_ok() {
        add(Language::JavaScript, "package.json", "`package.json` is there".into(), Strength::Project);
    }
    if packages::script_of_project(tree).is_some() {
        add(Language::Python, "pyproject.toml", "`pyproject.toml` is there".into(), Strength::Project);
    }
    // If there are both, the C files belong to the C++ program.
    if found.iter().any(|f| f.language == Language::Cpp) {
        found.retain(|f| f.language != Language::C);
    }
    for (name, entry) in tree.files().filter(|(name, entry)| is_in_root(name) && entry.executable) {
        if is_program(&tree.head(name, 4)) {
            let why = format!("`{}` is a program", shown(name.as_bytes()));
            // If there are several programs, the recipe decides which one counts.
            if entry.size > 0 && !found.iter().any(|f| f.language == Language::Program) {
                found.push(Found {
                    language: Language::Program,
                    file: name.to_owned(),
                    why,
                    run: None,
                    strength: Strength::Built,
                });
            }
        }
    }
    if let Some(script) = run_script::find(tree) {
        let (file, run, strength) = match script.runs {
            RunScript::Words(file, words) => (file, Some(words), Strength::Script),
            RunScript::Source(file) => (file, None, Strength::Script),
            RunScript::Itself { interprets } => {
                let strength = if interprets { Strength::Script } else { Strength::Built };
                (script.name.clone(), Some(script.words()), strength)
            }
        };
        let language = Language::of(&file).unwrap_or(Language::Program);
        let why = format!("`{}` starts `{}`", shown(script.name.as_bytes()), shown(file.as_bytes()));
        let why = if file == script.name { format!("`{}` is a program", shown(file.as_bytes())) } else { why };
        found.retain(|f| f.language != language || f.strength < strength);
        if !found.iter().any(|f| f.language == language) {
            found.push(Found { language, file, why, run, strength });
        }
    }
    found
}

/// Returns whether a file that begins with these bytes is a program of this system or a script.
pub(crate) fn is_program(head: &[u8]) -> bool {
    head.starts_with(b"\x7fELF") || head.starts_with(b"#!") || head.starts_with(b"\xcf\xfa\xed\xfe")
}

/// Returns whether this is a usual path of the file in which a bot starts. In some languages it may be in a folder for
/// sources.
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
        _ => ["", "src", "app"].contains(&folder),
    };
    place && (usual || USUAL.contains(&stem.as_str()))
}

/// Returns whether all sources form one program, in whatever folders they are.
fn is_compiled(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp | Language::Java | Language::CSharp)
}

pub(crate) fn is_in_root(name: &str) -> bool {
    !name.contains('/')
}

/// Returns whether a file is in a folder that does not belong to the program, such as `tests`.
pub(crate) fn is_aside(name: &str) -> bool {
    name.rsplit_once('/').is_some_and(|(folder, _)| folder.split('/').any(|part| ASIDE.contains(&part)))
}

/// Lists some of the files for a message.
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
