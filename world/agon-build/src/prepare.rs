//! Turns a folder or an archive into a bot that can be started.

use crate::{
    Cache, Language, Manifest, Plan, PlanError, Run, Tools,
    build_environment::{BuildEnvironment, BuildError, BuildExit, BuildRefused, BuildRequest},
    cache::{Kept, OpenCache, Record, key},
    detect::is_program,
    intake::{Limits, SourceTree, Submission, changed_by_windows, shown},
    packages::listed,
};
use agon_core::Flaw;
use std::{
    ffi::OsString,
    fs,
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// Everything that [`prepare`] needs.
pub struct Preparation<'a> {
    /// The cache of imported and built bots.
    pub cache: &'a Cache,
    /// The compilers and interpreters.
    pub tools: &'a Tools,
    /// The environment in which builds run. `None` refuses bots that need a build.
    pub environment: Option<&'a dyn BuildEnvironment>,
    /// Looks at the imported files, and says whether the bot is to be prepared.
    pub judge: &'a dyn Fn(&SourceTree) -> Verdict,
    /// Returns whether to cancel the build. It is called repeatedly.
    pub cancel: &'a dyn Fn() -> bool,
    /// Receives the progress of the build.
    pub news: &'a mut dyn FnMut(News<'_>),
}

/// What [`Preparation::judge`] says of a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The bot is to be prepared.
    Accepted,
    /// The bot is not to be prepared, for this reason.
    Refused(Flaw),
}

/// The progress of a build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News<'a> {
    /// What of the bot's files is built and played.
    Planned(&'a Plan),
    /// A build begins. Contains the language if it is known.
    Building(Option<Language>),
    /// The build has written this output.
    Log(&'a [u8]),
    /// A result in the cache is not used, for this reason; or the bot may miss something.
    Warning(&'a str),
}

/// A bot that can be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// The program and its arguments. The program is an absolute path or a name to look up in `PATH`.
    pub words: Vec<OsString>,
    /// The folder with the files of the bot. The bot starts in it. It may be removed when [`cache`](Self::cache) is dropped.
    pub folder: PathBuf,
    /// The cache that has the folder.
    pub cache: OpenCache,
    /// Other paths that the bot must see: the installations of tools outside the system.
    pub read: Vec<PathBuf>,
    /// Folders that are searched for programs before those of the system.
    pub search: Vec<PathBuf>,
    /// Environment variables of the bot, in addition to the usual ones.
    pub environment: Vec<(String, String)>,
    /// A BLAKE3 hash of the names and bytes of the imported files. It does not cover their permissions.
    pub content: [u8; 32],
    /// How the bot is built and run.
    pub plan: Plan,
    /// The memory limit in MiB that the bot asks for in its `agon.toml`. `None` if it asks for none.
    pub memory_mib: Option<u32>,
    /// Whether the bot comes from the cache.
    pub kept: bool,
    /// The output of the build, even if it ran earlier. Empty if the bot needed no build.
    pub log: Vec<u8>,
    /// The duration of the build, even if it ran earlier.
    pub took: Duration,
}

/// Why a bot cannot be started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PrepareError {
    /// The bot cannot be imported, or this machine cannot build it.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// [`Preparation::judge`] has refused it.
    #[error("{0}")]
    Refused(#[source] Flaw),
    /// Nothing tells in which of these files the bot starts. The best guess comes first.
    #[error("{0}")]
    Ambiguous(#[source] Flaw, Vec<String>),
    /// The bot's `agon.toml` has an error: the text of the file, and what is wrong in it.
    #[error("`{file}`: {1}", file = Manifest::FILE)]
    Manifest(Vec<u8>, #[source] Flaw),
    /// The build failed: the reason, and the output of the build.
    #[error("{0}")]
    Failed(#[source] Flaw, Vec<u8>),
    /// The sandbox for the build cannot be set up.
    #[error(transparent)]
    Sandbox(#[from] BuildRefused),
    /// The build was cancelled.
    #[error("the build was cancelled")]
    Cancelled,
}

impl From<PlanError> for PrepareError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Flaw(flaw) => Self::Flaw(flaw),
            PlanError::Ambiguous(flaw, candidates) => Self::Ambiguous(flaw, candidates),
        }
    }
}

impl From<BuildError> for PrepareError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Flaw(flaw) => Self::Flaw(flaw),
            BuildError::Sandbox(refused) => Self::Sandbox(refused),
        }
    }
}

/// Imports a bot and builds it, unless the cache already has the result.
///
/// # Errors
/// If the bot cannot be imported or built, a tool is missing, or the build was cancelled.
pub fn prepare(submission: &Submission, preparation: &mut Preparation<'_>) -> Result<Prepared, PrepareError> {
    let cache = preparation.cache.open(&mut |warning| (preparation.news)(News::Warning(&warning)))?;
    let part = cache.part()?;
    let tree = submission.take(&part.folder("source")?, Limits::default())?;
    if let Verdict::Refused(flaw) = (preparation.judge)(&tree) {
        return Err(PrepareError::Refused(flaw));
    }
    let mut manifest = Manifest::of(&tree)?;
    if let Some(main) = submission.main() {
        manifest.start_in(main)?;
    }
    let plan = Plan::new(&tree, &manifest, preparation.tools)?;
    let builds = !plan.lines.is_empty();
    let place = preparation.environment.filter(|_| builds).map(|environment| environment.name()).unwrap_or_default();
    let mut found = None;
    if !builds || preparation.environment.is_some() {
        let mut warn = |warning: String| (preparation.news)(News::Warning(&warning));
        found = cache.find(&key(&tree, &plan, &place), &|record| fits(record, &plan), &mut warn);
    }
    (preparation.news)(News::Planned(&plan));
    let own = submission.names();
    let own = own.iter().find_map(|name| changed_by_windows(name));
    let names = tree.files().filter_map(|(name, _)| changed_by_windows(name));
    for note in own.into_iter().chain(names.take(1)).chain(plan.notes.iter().cloned()) {
        (preparation.news)(News::Warning(&note));
    }
    if let Some(kept) = found {
        return Ok(prepared(cache, &tree, (plan, &manifest), kept, true));
    }
    if !builds {
        let run = command(&plan.run, tree.root(), &tree)?;
        let key = key(&tree, &plan, &place);
        let kept = cache.keep(&key, &part, tree.root(), Record { run, took_ms: 0 }, &[])?;
        return Ok(prepared(cache, &tree, (plan, &manifest), kept, false));
    }
    let Some(environment) = preparation.environment else {
        return Err(Flaw::new("it must be built, and there is no sandbox to build it in")
            .hint("build it yourself, or allow it with `--sandbox none` if you trust its author")
            .into());
    };
    (preparation.news)(News::Building(plan.language));
    let (into, scratch) = (part.path("result"), part.folder("scratch")?);
    let request = BuildRequest { plan: &plan, from: tree.root(), into: &into, scratch: &scratch };
    let end = environment.run(&request, preparation.cancel, &mut |bytes| (preparation.news)(News::Log(bytes)))?;
    let failed = |flaw: Flaw| PrepareError::Failed(flaw, end.log.clone());
    match &end.how {
        BuildExit::Done => {}
        BuildExit::Cancelled => return Err(PrepareError::Cancelled),
        other => return Err(failed(why_not(other, &plan, &end.log))),
    }
    let run = command(&plan.run, &into, &tree).map_err(failed)?;
    let took_ms = u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX);
    let kept = cache.keep(&key(&tree, &plan, &place), &part, &into, Record { run, took_ms }, &end.log)?;
    Ok(prepared(cache, &tree, (plan, &manifest), kept, false))
}

/// Returns whether a command in the cache is one that this plan can give.
fn fits(record: &Record, plan: &Plan) -> bool {
    match &plan.run {
        Run::Words(words) => record.run == *words,
        Run::Made(_) => matches!(&record.run[..], [only] if only.starts_with("./")),
    }
}

fn prepared(
    cache: OpenCache,
    tree: &SourceTree,
    (plan, manifest): (Plan, &Manifest),
    kept: Kept,
    before: bool,
) -> Prepared {
    let words = kept.record.run.iter().enumerate().map(|(i, word)| {
        // A file of the bot: the path must not be relative to our working directory.
        let own = i == 0 && word.contains('/') && !word.starts_with('/');
        if own { kept.folder.join(word.trim_start_matches("./")).into() } else { OsString::from(word) }
    });
    let packages: Vec<String> =
        plan.packages.iter().map(|folder| kept.folder.join(folder).display().to_string()).collect();
    let environment = if packages.is_empty() { None } else { Some(("PYTHONPATH".to_owned(), packages.join(":"))) };
    Prepared {
        cache,
        words: words.collect(),
        read: plan.read(),
        search: plan.folders(),
        environment: environment.into_iter().collect(),
        content: tree.content(),
        memory_mib: manifest.play_memory_mib,
        plan,
        kept: before,
        log: kept.log,
        took: Duration::from_millis(kept.record.took_ms),
        folder: kept.folder,
    }
}

/// Describes for people why a build did not succeed.
fn why_not(how: &BuildExit, plan: &Plan, log: &[u8]) -> Flaw {
    let limits = format!("`{}` can ask for more in its `[limits]`", Manifest::FILE);
    match how {
        BuildExit::Code(code) => {
            let flaw = Flaw::new(format!("the build failed with exit code {code}"));
            if let Some(command) = fetching(&String::from_utf8_lossy(log)) {
                return flaw.hint(format!(
                    "a build has no network, and the bot needs packages: `{command}` puts them into its folder"
                ));
            }
            if plan.left_out.is_empty() {
                return flaw.hint("its log has the reason");
            }
            flaw.hint(format!(
                "its log has the reason; not compiled: {}, and if one of them is needed, write `build` into `{}`",
                listed(&plan.left_out),
                Manifest::FILE
            ))
        }
        BuildExit::TooMuchMemory => {
            Flaw::new(format!("the build needs more than {} MiB of memory", plan.memory_mib)).hint(limits)
        }
        // A process that exceeds a limit typically ends by SIGKILL, SIGXFSZ or SIGABRT.
        BuildExit::Signal(signal) => Flaw::new(format!("the build was killed by signal {signal}"))
            .hint(format!("perhaps it needs more than {} MiB of memory; {limits}", plan.memory_mib)),
        BuildExit::TimedOut => Flaw::new(format!("the build takes longer than {} s", plan.wall.as_secs())).hint(limits),
        BuildExit::NotKept(why) => Flaw::new(format!("the result of the build cannot be kept: {why}"))
            .hint("a build may leave only regular files, and only those that the bot needs"),
        BuildExit::Done | BuildExit::Cancelled => Flaw::new("the build was cancelled"),
    }
}

/// What tools write if a package is neither in the folder nor installed, and the command that puts it there.
const FETCHING: &[(&str, &str)] = &[
    ("you're using offline mode (--offline)", "cargo vendor"),
    ("missing go.sum entry", "go mod tidy && go mod vendor"),
    ("no required module provides package", "go mod tidy && go mod vendor"),
    ("dial tcp: lookup proxy.golang.org", "go mod vendor"),
    ("Try `npm i", "npm install"),
];

/// Returns the command that a failed build misses.
fn fetching(log: &str) -> Option<&'static str> {
    FETCHING.iter().find(|(words, _)| log.contains(words)).map(|(_, command)| *command)
}

/// Returns the command that runs a bot whose files are in `folder`.
fn command(run: &Run, folder: &Path, source: &SourceTree) -> Result<Vec<String>, Flaw> {
    let names = match run {
        Run::Words(words) => {
            let first = words.first().map(String::as_str).unwrap_or_default();
            let file = folder.join(first);
            if first.contains('/') && !first.starts_with('/') && !is_regular(&file) {
                return Err(Flaw::new(format!("there is no file `{}` in the result", shown(first.as_bytes())))
                    .hint(format!("this file runs the bot: see `run` in `{}`", Manifest::FILE)));
            }
            return Ok(words.clone());
        }
        Run::Made(names) => names,
    };
    let all = programs(folder).map_err(|why| Flaw::new(format!("the result of the build cannot be read: {why}")))?;
    let is_new = |name: &&String| {
        let old = source.files().find(|(old, _)| old == name).map(|(_, entry)| entry.hash);
        let new = || fs::read(folder.join(name)).map(|bytes| *blake3::hash(&bytes).as_bytes()).ok();
        old.is_none_or(|old| new() != Some(old))
    };
    let made: Vec<&String> = all.iter().filter(is_new).collect();
    // `make` may have found that everything is up to date.
    let made = if made.is_empty() { all.iter().collect() } else { made };
    let of_name = |wanted: &&String| made.iter().find(|name| name.rsplit('/').next() == Some(wanted)).copied();
    let first = made.first().map_or_else(|| "NAME".to_owned(), |path| shown(path.as_bytes()));
    let hint = format!("name the bot in `{}` in its folder, as in `run = [\"./{first}\"]`", Manifest::FILE);
    match (&made[..], names.iter().find_map(|name| of_name(&name))) {
        ([only], _) => Ok(vec![format!("./{only}")]),
        (_, Some(named)) => Ok(vec![format!("./{named}")]),
        ([], _) => Err(Flaw::new("the build has made no program").hint(hint)),
        (several, _) => {
            let listed: Vec<String> = several.iter().take(5).map(|n| format!("`{}`", shown(n.as_bytes()))).collect();
            Err(Flaw::new(format!("the build has made several programs: {}", listed.join(", "))).hint(hint))
        }
    }
}

fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_file())
}

/// Returns the paths of all programs in a folder, in order. Libraries do not count.
fn programs(root: &Path) -> std::io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(root.join(&within))? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let (path, about) = (format!("{within}{name}"), entry.metadata()?);
            if about.is_dir() {
                folders.push(format!("{path}/"));
            } else if about.is_file() && about.permissions().mode() & 0o111 != 0 && !name.contains(".so") {
                let mut head = Vec::new();
                fs::File::open(entry.path())?.take(4).read_to_end(&mut head)?;
                // A script is a source file. The result of a build is a program in machine code.
                if is_program(&head) && !head.starts_with(b"#!") {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    Ok(found)
}
