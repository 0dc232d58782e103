//! Detects the language of a bot by its files.

use crate::{
    Language, Manifest,
    intake::{SourceTree, shown},
    packages,
    plan::PlanError,
    run_script::{self, RunScript},
    sources::Sources,
    start::{USUAL, plain, stem},
    undetected,
};
use agon_core::Flaw;
use agon_languages::{Form, TABLE, file_name, of_first_line};

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

/// The maximum length of the first line of a script, as in the Linux kernel.
const FIRST_LINE: u64 = 256;

/// Folders whose sources do not belong to the program.
const ASIDE: &[&str] = &["test", "tests", "node_modules", "vendor", "examples", "benches", "docs"];

/// Detects the language of the bot. `language` and `main` in the manifest take precedence.
pub(crate) fn detect(tree: &SourceTree, manifest: &Manifest) -> Result<Found, PlanError> {
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
    // Without a `main` they are parts of something: code in C for a bot in Python.
    let has_no_main = |found: &Found| {
        let sources = found.strength == Strength::Sources && !found.language.entry().main.is_empty();
        sources && !Sources::read(tree, found.language).has_programs()
    };
    if found.len() > 1 && !found.iter().all(has_no_main) {
        found.retain(|f| !has_no_main(f));
    }
    found.sort_by_key(Found::rank);
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
fn named_by_author(tree: &SourceTree, manifest: &Manifest, main: &str) -> Result<Found, Flaw> {
    if !tree.has(main) {
        return Err(Flaw::new(format!("{} names the file `{main}`, which is not there", manifest.names_main()))
            .hint(format!("the files are {}", listed(tree))));
    }
    let is_program = || is_program(&tree.head(main, 4)).then_some(Language::Program);
    let language = manifest.language.or_else(|| Language::of(main)).or_else(is_program).ok_or_else(|| {
        Flaw::new(format!("the language of `{main}` cannot be told"))
            .hint(format!("write `language = \"…\"` into `{}`", Manifest::FILE))
    })?;
    let why = format!("{} names `{main}`", manifest.names_main());
    Ok(Found { language, file: main.to_owned(), why, run: None, strength: Strength::Project })
}

/// Returns the strongest finding of each language.
fn all(tree: &SourceTree) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut add = |language: Language, file: &str, why: String, run: Option<Vec<String>>, strength: Strength| {
        let new = Found { language, file: file.to_owned(), why, run, strength };
        match found.iter_mut().find(|f| f.language == language) {
            Some(known) if new.rank() < known.rank() => *known = new,
            // If there are several programs, the recipe decides which one counts.
            Some(known) if new.rank() == known.rank() && new.run.is_some() => known.run = None,
            Some(_) => {}
            None => found.push(new),
        }
    };
    let is_of_folder = |name: &str| tree.called().iter().any(|folder| plain(folder) == plain(&stem(name)));
    for (name, file) in tree.files().filter(|(name, _)| !is_aside(name)) {
        let quoted = || format!("`{}` is there", shown(name.as_bytes()));
        if let Some(language) = of_project(name, tree) {
            add(language, name, quoted(), None, Strength::Project);
        }
        let strength = |language: Language| {
            if is_start(name, language) {
                Strength::Named
            } else if is_in_root(name) && is_of_folder(name) {
                Strength::Folder
            } else {
                Strength::Sources
            }
        };
        if let Some(language) = Language::of(name) {
            let is_made = language.entry().is_made(name);
            let strength = if is_made { Strength::Built } else { strength(language) };
            let is_anywhere = language.entry().form == Form::Joined && !is_made;
            if strength < Strength::Sources || is_anywhere || is_in_root(name) || name.ends_with("/__main__.py") {
                add(language, name, quoted(), None, strength);
            }
        } else if (is_in_root(name) || is_command(name)) && file.size > 0 {
            let head = tree.head(name, FIRST_LINE);
            let line = head.strip_prefix(b"#!").and_then(|line| line.split(|byte| *byte == b'\n').next());
            let line = line.map(|line| String::from_utf8_lossy(line).into_owned());
            // Shells mostly start something else.
            let script = line.filter(|line| of_first_line(line).is_some_and(|entry| entry.form != Form::Shell));
            let why = || format!("`{}` is a program", shown(name.as_bytes()));
            match script {
                // Archives from other systems have no modes.
                Some(line) => {
                    let run =
                        if file.executable { vec![format!("./{name}")] } else { words_of_first_line(&line, name) };
                    let strength = if is_in_root(name) { strength(Language::Program) } else { Strength::Folder };
                    add(Language::Program, name, why(), Some(run), strength);
                }
                None if file.executable && is_program(&head) && is_in_root(name) => {
                    add(Language::Program, name, why(), None, Strength::Built);
                }
                None => {}
            }
        }
    }
    // If there are both, the C files belong to the C++ program.
    if found.iter().any(|f| f.language == Language::Cpp) {
        found.retain(|f| f.language != Language::C);
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

/// Returns whether this is where packages have a script that starts them, with the usual name of a bot.
fn is_command(name: &str) -> bool {
    let is_there = |folder: &str| name.strip_prefix(folder).is_some_and(|file| USUAL.contains(&&*file.to_lowercase()));
    ["bin/", "exe/"].into_iter().any(is_there)
}

/// Returns whether this is a usual path of the file in which a bot starts. In some languages it may be in a folder for
/// sources.
fn is_start(name: &str, language: Language) -> bool {
    let (folder, stem) = (name.rsplit_once('/').map_or("", |(folder, _)| folder), stem(name));
    let place = match language {
        Language::Java => true,
        Language::Ruby | Language::Perl | Language::Lua | Language::Php => {
            ["", "src", "app", "bot", "bin"].contains(&folder)
        }
        _ => ["", "src", "app"].contains(&folder),
    };
    place && USUAL.iter().chain(language.entry().starts).any(|usual| *usual == stem)
}

/// Returns the language of a project file of a build tool. Some say only by their content that they are about a bot.
fn of_project(name: &str, tree: &SourceTree) -> Option<Language> {
    let is_called = |pattern: &&str| match pattern.strip_prefix('*') {
        Some(end) => is_in_root(name) && name.ends_with(end),
        None => name == *pattern,
    };
    let entry = TABLE.iter().find(|entry| entry.projects.iter().any(is_called))?;
    let tells = match name {
        "package.json" => crate::recipe::script(tree, &["js", "mjs", "cjs"]).is_ok(),
        "pyproject.toml" => packages::script_of_project(tree).is_some(),
        _ => true,
    };
    tells.then_some(entry.language)
}

/// Returns the command that starts a script as its first line says: `/usr/bin/env ruby -w` for `MyBot`.
fn words_of_first_line(line: &str, name: &str) -> Vec<String> {
    let mut words = line.split_whitespace().map(str::to_owned).peekable();
    let _ = words.next_if(|word| file_name(word) == "env");
    let _ = words.next_if(|word| word == "-S");
    let program = words.next().map(|program| file_name(&program).to_owned());
    program.into_iter().chain(words).chain([name.to_owned()]).collect()
}

pub(crate) fn is_in_root(name: &str) -> bool {
    !name.contains('/')
}

/// Returns whether a file does not belong to the program: it is in a folder such as `tests`, or plays matches.
pub(crate) fn is_aside(name: &str) -> bool {
    let is_in = name.rsplit_once('/').is_some_and(|(folder, _)| folder.split('/').any(|part| ASIDE.contains(&part)));
    is_in || run_script::MATCHES.contains(&stem(name).as_str())
}

/// Lists some of the files for a message.
pub(crate) fn listed(tree: &SourceTree) -> String {
    const MOST: usize = 6;
    let mut names: Vec<String> =
        tree.files().take(MOST).map(|(name, _)| format!("`{}`", shown(name.as_bytes()))).collect();
    let more = tree.files().count().saturating_sub(MOST);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
