//! Packages of Python and JavaScript: a virtual environment in the bot's folder, and lists of what a bot needs.

use crate::{
    Language, Plan, Tool, Tools,
    intake::{SourceTree, shown},
    start::plain,
    tools::{answer, is_python},
};
use agon_core::Flaw;
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashSet},
    path::{Component, Path},
};
use toml::de::DeTable;

/// The longest list of packages that is read, in bytes.
const LOOK: u64 = 256 << 10;
/// The maximum number of packages that a list is checked for.
const MOST: usize = 200;

/// Prints those of its arguments that are not installed.
const MISSING: &str = "import sys\nfrom importlib.metadata import version\nfor name in sys.argv[1:]:\n    try: version(name)\n    \
                       except Exception: print('agon:' + name)";

/// The virtual environment of a bot.
struct VirtualEnvironment {
    /// Its folder in that of the bot.
    folder: String,
    /// The version of its Python, such as `3.11`.
    version: String,
    /// The folder with its packages.
    packages: String,
}

fn environment(tree: &SourceTree) -> Option<VirtualEnvironment> {
    tree.files().find_map(|(name, _)| {
        let (front, _) = name.split_once("/site-packages/")?;
        let (folder, python) = front.rsplit_once("/lib/")?;
        let version = python.strip_prefix("python")?.to_owned();
        let packages = format!("{front}/site-packages");
        Some(VirtualEnvironment { folder: folder.to_owned(), version, packages })
    })
}

/// What a bot in Python brings for its interpreter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PythonPackages {
    /// Folders of the bot in which its packages are, for Python's search path.
    pub folders: Vec<String>,
    /// What people should know about them, such as packages that are missing.
    pub notes: Vec<String>,
}

impl PythonPackages {
    /// Finds the packages of the bot. `program` is its interpreter, which is asked for its version and its own packages.
    #[must_use]
    pub fn of(tree: &SourceTree, program: &Path) -> Self {
        let mut found = Self::default();
        if let Some(own) = environment(tree) {
            let name = format!("python{}", own.version);
            let is_same = program.file_name().is_some_and(|file| file == name.as_str());
            let version = if is_same { own.version.clone() } else { version_of(program) };
            if version != own.version {
                found.notes.push(format!(
                    "the packages in `{}` are for Python {}, and it is played with Python {version}: packages with \
                     compiled parts may fail",
                    shown(own.folder.as_bytes()),
                    shown(own.version.as_bytes())
                ));
            }
            found.folders.push(own.packages);
        }
        if let Some(elsewhere) = tree.environments().elsewhere() {
            found.notes.push(format!(
                "`{elsewhere}` is no folder but stands for one elsewhere, so its packages are not there: put a virtual \
                 environment into the bot's folder if the bot needs them"
            ));
        }
        let wanted = required(tree);
        let brought = if wanted.is_empty() { HashSet::new() } else { brought(tree) };
        let absent: Vec<String> =
            wanted.into_iter().take(MOST).filter(|name| !brought.contains(&plain(name))).collect();
        let missing = if absent.is_empty() { Vec::new() } else { not_installed(program, &absent) };
        if !missing.is_empty() {
            found.notes.push(format!(
                "`requirements.txt` asks for {}, which {} not there: `python3 -m pip install --target . -r requirements.txt` \
                 in its folder helps",
                listed(&missing),
                if missing.len() == 1 { "is" } else { "are" }
            ));
        }
        found
    }
}

/// Finds the Python that a bot names as the first word of a command: by its name, by its path in its own virtual environment,
/// or by a path that the system or the user has for it. `None` for any other program, and if it is not installed.
///
/// # Errors
/// If [`Tools::find`] fails.
pub fn named_python(word: &str, tree: &SourceTree, tools: &Tools) -> Result<Option<Tool>, Flaw> {
    match word {
        _ if is_python_of_environment(word, tree) => own_python(tree, tools),
        _ if word.contains('/') => Ok(tools.python_at(word)),
        _ if is_python(word) => tools.find(word),
        _ => Ok(None),
    }
}

/// Finds the Python of a bot that names none: that of the version of its virtual environment, else `python3`. `None` if neither is
/// installed.
///
/// # Errors
/// If [`Tools::find`] fails.
pub fn own_python(tree: &SourceTree, tools: &Tools) -> Result<Option<Tool>, Flaw> {
    tools.find(&python_name(tree, tools))
}

/// Returns the Python of the bot: that of its virtual environment if it is installed, else `python3`.
pub(crate) fn python_name(tree: &SourceTree, tools: &Tools) -> String {
    let of_environment = environment(tree).map(|it| format!("python{}", it.version));
    // The name comes from the bot: only one that is a Python's is looked up.
    match of_environment {
        // A version manager may have a shim for a version that is not installed or not active. It fails.
        Some(name) if is_python(&name) && tools.find(&name).is_ok_and(|tool| tool.is_some()) => name,
        _ => "python3".to_owned(),
    }
}

/// Returns whether a path such as `.venv/bin/python` stands for the Python of the bot's virtual environment.
pub(crate) fn is_python_of_environment(program: &str, tree: &SourceTree) -> bool {
    program_of_environment(program, tree).is_some_and(|(_, name)| name.starts_with("python"))
}

/// Splits the path of a program in the bot's virtual environment, which is not copied, into the folder and the name. `None` if it
/// is another path: an absolute one, or one that leads out of the bot's folder, names the environment of somebody else.
pub(crate) fn program_of_environment<'p>(program: &'p str, tree: &SourceTree) -> Option<(&'p str, &'p str)> {
    let path = program.strip_prefix("./").unwrap_or(program);
    if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let (folder, name) = path.split_once("/bin/")?;
    let named = tree.environments().linked(folder).unwrap_or(folder);
    // One without packages of its own is not imported at all.
    let known = environment(tree).map_or_else(|| folder.ends_with("venv"), |own| own.folder == named);
    (known && !tree.has(path)).then_some((folder, name))
}

/// The folder for packages in the layout that `uv` and `poetry` make.
pub(crate) const SOURCES: &str = "src";

/// The program that a `pyproject.toml` names.
pub(crate) struct ProjectScript {
    pub module: String,
    pub function: String,
    /// Whether the module is in [`SOURCES`].
    pub is_in_sources: bool,
}

/// Returns the program in `[project.scripts]` or `[tool.poetry.scripts]` of `pyproject.toml`, if there is only one.
pub(crate) fn script_of_project(tree: &SourceTree) -> Option<ProjectScript> {
    let text = String::from_utf8_lossy(&tree.head("pyproject.toml", LOOK)).into_owned();
    let table = DeTable::parse(&text).ok()?;
    let within = |path: &[&str]| {
        let mut table = table.get_ref();
        for name in path {
            table = table.get(*name)?.get_ref().as_table()?;
        }
        Some(table)
    };
    let scripts = within(&["project", "scripts"]).or_else(|| within(&["tool", "poetry", "scripts"]))?;
    let mut scripts = scripts.iter();
    let (Some((_, target)), None) = (scripts.next(), scripts.next()) else { return None };
    let (module, function) = target.get_ref().as_str()?.split_once(':')?;
    let is_name = |name: &str| {
        name.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    let path = module.replace('.', "/");
    let is_in = |folder: &str| [".py", "/__init__.py"].iter().any(|end| tree.has(&format!("{folder}{path}{end}")));
    let is_in_sources = !is_in("") && is_in(&format!("{SOURCES}/"));
    (is_name(module) && is_name(function) && !function.contains('.') && (is_in("") || is_in_sources))
        .then(|| ProjectScript { module: module.to_owned(), function: function.to_owned(), is_in_sources })
}

/// Adds the packages of the bot to its plan, and notes about those that are missing.
pub(crate) fn check(plan: &mut Plan, tree: &SourceTree) {
    let python = plan.tools.iter().find(|tool| is_program_python(&tool.program)).cloned();
    if let Some(python) = &python {
        let own = PythonPackages::of(tree, &python.program);
        plan.packages.extend(own.folders);
        plan.notes.extend(own.notes);
    }
    if plan.language.is_some_and(|it| matches!(it, Language::JavaScript | Language::TypeScript)) {
        let package: Value = serde_json::from_slice(&tree.head("package.json", LOOK)).unwrap_or_default();
        let names = package["dependencies"].as_object().into_iter().flat_map(|all| all.keys());
        let is_there = |name: &str| tree.has(&format!("node_modules/{name}/package.json"));
        let missing: Vec<String> = names.filter(|name| !is_there(name)).take(MOST).cloned().collect();
        if !missing.is_empty() {
            plan.notes.push(format!(
                "`package.json` asks for {}, which {} not there: `npm install --omit=dev` in its folder helps",
                listed(&missing),
                if missing.len() == 1 { "is" } else { "are" }
            ));
        }
    }
}

fn is_program_python(program: &Path) -> bool {
    program.file_name().and_then(|name| name.to_str()).is_some_and(is_python)
}

fn version_of(python: &Path) -> String {
    let code = "import sys; print('%d.%d' % sys.version_info[:2])";
    answer(python, &["-I", "-S", "-c", code]).map(|said| said.trim().to_owned()).unwrap_or_default()
}

/// Returns the names in `requirements.txt`.
fn required(tree: &SourceTree) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(&tree.head("requirements.txt", LOOK)).into_owned();
    let name = |line: &str| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).unwrap_or(line.len());
        let (name, rest) = line.split_at(end);
        // A condition such as `; sys_platform == "win32"` may not hold here.
        let is_name =
            name.starts_with(|c: char| c.is_ascii_alphanumeric()) && !rest.contains(';') && !rest.starts_with(':');
        is_name.then(|| name.to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// Returns the packages in the bot's folder, by [`plain`] names: their records, and modules and packages.
fn brought(tree: &SourceTree) -> HashSet<String> {
    let mut found = HashSet::new();
    for (name, _) in tree.files() {
        for part in name.split('/') {
            let record = part.strip_suffix(".dist-info").or_else(|| part.strip_suffix(".egg-info"));
            let module = record.and_then(|record| record.split('-').next()).or_else(|| part.strip_suffix(".py"));
            if module.is_some() || !name.ends_with(part) {
                found.insert(plain(module.unwrap_or(part)));
            }
        }
    }
    found
}

/// Returns those of the packages that are not installed with this Python. What only the user has does not count.
fn not_installed(python: &Path, packages: &[String]) -> Vec<String> {
    let arguments: Vec<&str> = ["-I", "-c", MISSING].into_iter().chain(packages.iter().map(String::as_str)).collect();
    let Ok(said) = answer(python, &arguments) else { return Vec::new() };
    said.lines().filter_map(|line| line.strip_prefix("agon:")).map(str::to_owned).collect()
}

pub(crate) fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("`{}`", shown(name.as_bytes()))).collect();
    let more = names.len().saturating_sub(5);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
