//! From a folder or an archive to a bot that can be started.

use crate::{
    Cache, Language, Manifest, Plan, Run, Tools,
    build_environment::{BuildEnvironment, BuildError, BuildExit, BuildRefused, BuildRequest},
    cache::{Kept, Record, key},
    detect::is_program,
    intake::{Limits, Submission, Tree, shown},
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

/// What there is to prepare bots with.
pub struct Preparation<'a> {
    /// Where they are kept.
    pub cache: &'a Cache,
    /// Compilers and interpreters.
    pub tools: &'a Tools,
    /// Where builds run; without one only bots that need no build can be prepared.
    pub environment: Option<&'a dyn BuildEnvironment>,
    /// Whether to stop.
    pub cancel: &'a dyn Fn() -> bool,
    /// Hears what is about to happen.
    pub news: &'a mut dyn FnMut(News<'_>),
}

/// What is about to happen, or happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News<'a> {
    /// A build begins, in this language if that is known.
    Building(Option<Language>),
    /// It writes this.
    Log(&'a [u8]),
}

/// A bot that can be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared {
    /// The program and its arguments; the program is absolute, or is looked up in `PATH`.
    pub words: Vec<OsString>,
    /// The folder with its files, in which it is started.
    pub folder: PathBuf,
    /// What else it must see: the installations of tools that lie outside the system.
    pub read: Vec<PathBuf>,
    /// Of the names and bytes of its files as they were taken in, whatever their rights.
    pub content: [u8; 32],
    /// What it was found to be.
    pub plan: Plan,
    /// Whether it was kept from before.
    pub kept: bool,
    /// What its build wrote, now or then; empty if there was nothing to build.
    pub log: Vec<u8>,
    /// How long the build took, now or then.
    pub took: Duration,
}

/// Why a bot cannot be started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PrepareError {
    /// The bot or this machine: what is wrong and the way out.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// Its `agon.toml`: the text, and what is wrong with it and where.
    #[error("`{file}`: {1}", file = Manifest::FILE)]
    Manifest(Vec<u8>, #[source] Flaw),
    /// Its build has failed: what ended it, and what it wrote.
    #[error("{0}")]
    Failed(#[source] Flaw, Vec<u8>),
    /// The sandbox of its build cannot be made.
    #[error(transparent)]
    Sandbox(#[from] BuildRefused),
    /// Somebody has cancelled.
    #[error("the build was cancelled")]
    Cancelled,
}

impl From<BuildError> for PrepareError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Flaw(flaw) => Self::Flaw(flaw),
            BuildError::Sandbox(refused) => Self::Sandbox(refused),
        }
    }
}

/// Takes a bot in, and builds it unless that was done before.
///
/// # Errors
/// Why it cannot be started.
pub fn prepare(submission: &Submission, preparation: &mut Preparation<'_>) -> Result<Prepared, PrepareError> {
    let cache = preparation.cache;
    let part = cache.part()?;
    let tree = submission.take(&part.folder("source")?, Limits::default())?;
    let manifest = manifest(&tree)?;
    let plan = Plan::new(&tree, &manifest, preparation.tools)?;
    let builds = !plan.lines.is_empty();
    let place = preparation.environment.filter(|_| builds).map(|environment| environment.name()).unwrap_or_default();
    let key = key(&tree, &plan, &place);
    if let Some(kept) = cache.find(&key).filter(|_| !builds || preparation.environment.is_some()) {
        return Ok(prepared(&tree, plan, kept, true));
    }
    if !builds {
        let run = command(&plan.run, tree.root(), &tree)?;
        let kept = cache.keep(&key, &part, tree.root(), Record { run, took_ms: 0 }, &[])?;
        return Ok(prepared(&tree, plan, kept, false));
    }
    let Some(environment) = preparation.environment else {
        return Err(Flaw::new("it must be built, and there is no sandbox to build it in")
            .hint("build it yourself, or allow it with `--sandbox none` if you trust its author")
            .into());
    };
    (preparation.news)(News::Building(plan.language));
    let into = part.path("result");
    let scratch = part.folder("scratch")?;
    let request = BuildRequest { plan: &plan, from: tree.root(), into: &into, scratch: &scratch };
    let end = environment.run(&request, preparation.cancel, &mut |bytes| (preparation.news)(News::Log(bytes)))?;
    let failed = |flaw: Flaw| PrepareError::Failed(flaw, end.log.clone());
    match &end.how {
        BuildExit::Done => {}
        BuildExit::Cancelled => return Err(PrepareError::Cancelled),
        other => return Err(failed(why_not(other, &plan))),
    }
    let run = command(&plan.run, &into, &tree).map_err(failed)?;
    let took_ms = u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX);
    let kept = cache.keep(&key, &part, &into, Record { run, took_ms }, &end.log)?;
    Ok(prepared(&tree, plan, kept, false))
}

/// What the bot's `agon.toml` says, if it has one.
fn manifest(tree: &Tree) -> Result<Manifest, PrepareError> {
    if !tree.has(Manifest::FILE) {
        return Ok(Manifest::default());
    }
    let bytes = tree.head(Manifest::FILE, Manifest::MOST + 1);
    if bytes.len() as u64 > Manifest::MOST {
        return Err(Flaw::new(format!("`{}` is larger than {} KiB", Manifest::FILE, Manifest::MOST >> 10))
            .hint("it holds a few lines")
            .into());
    }
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(_) => return Err(Flaw::new(format!("`{}` is not UTF-8", Manifest::FILE)).hint("save it as UTF-8").into()),
    };
    Manifest::parse(text).map_err(|flaw| PrepareError::Manifest(bytes.clone(), flaw))
}

fn prepared(tree: &Tree, plan: Plan, kept: Kept, before: bool) -> Prepared {
    let words = kept.record.run.iter().enumerate().map(|(i, word)| {
        // A path of the bot itself: it must not be looked for where we are.
        let own = i == 0 && word.contains('/') && !word.starts_with('/');
        if own { kept.folder.join(word.trim_start_matches("./")).into() } else { OsString::from(word) }
    });
    Prepared {
        words: words.collect(),
        read: plan.read(),
        content: tree.content(),
        plan,
        kept: before,
        log: kept.log,
        took: Duration::from_millis(kept.record.took_ms),
        folder: kept.folder,
    }
}

/// Why a build did not end well, for people.
fn why_not(how: &BuildExit, plan: &Plan) -> Flaw {
    let limits = format!("`{}` can ask for more in its `[limits]`", Manifest::FILE);
    match how {
        BuildExit::Code(code) => {
            Flaw::new(format!("the build has failed with exit code {code}")).hint("its log has the reason")
        }
        BuildExit::TooMuchMemory => {
            Flaw::new(format!("the build takes more than {} MiB of memory", plan.memory_mib)).hint(limits)
        }
        // SIGKILL, SIGXFSZ and SIGABRT are what limits look like.
        BuildExit::Signal(signal) => Flaw::new(format!("the build was killed by signal {signal}"))
            .hint(format!("perhaps {} MiB of memory are too little; {limits}", plan.memory_mib)),
        BuildExit::TimedOut => Flaw::new(format!("the build takes longer than {} s", plan.wall.as_secs())).hint(limits),
        BuildExit::NotKept(why) => Flaw::new(format!("what the build has made cannot be kept: {why}"))
            .hint("a build leaves regular files, and no more than the bot needs"),
        BuildExit::Done | BuildExit::Cancelled => Flaw::new("the build was cancelled"),
    }
}

/// The words that play a bot whose files lie in `folder`.
fn command(run: &Run, folder: &Path, source: &Tree) -> Result<Vec<String>, Flaw> {
    let names = match run {
        Run::Words(words) => {
            let first = words.first().map(String::as_str).unwrap_or_default();
            let file = folder.join(first);
            if first.contains('/') && !first.starts_with('/') && !is_regular(&file) {
                return Err(Flaw::new(format!("there is no file `{}` in the result", shown(first.as_bytes())))
                    .hint(format!("it is what plays the bot: see `run` in `{}`", Manifest::FILE)));
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
    // A Makefile may have found that everything is there.
    let made = if made.is_empty() { all.iter().collect() } else { made };
    let of_name = |wanted: &&String| made.iter().find(|name| name.rsplit('/').next() == Some(wanted)).copied();
    let hint = format!("write `run = [\"./NAME\"]` into `{}` in its folder", Manifest::FILE);
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

/// Every program in a folder, in the order of their paths. Libraries are none.
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
                // Scripts come with the sources: what a build makes is a program of this machine.
                if is_program(&head) && !head.starts_with(b"#!") {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    Ok(found)
}
