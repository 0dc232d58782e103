//! Champions of the Prologin 2015 final as bots.

use crate::{
    BuildError, BuildIsolation, Cancel, ContentHash, Error, Helper, Result, build::may_be_taken, hash, helper,
    interpreted, sandbox::strongest, visible::commands,
};
use agon_build::{
    OpenCache, Tools,
    intake::{Kind, SourceTree, Submission},
};
use agon_champion::{ChampionError, ChosenPython, Language, Library, Taken};
use agon_core::Flaw;
use agon_run::Program;
use std::{
    ffi::OsString,
    io::Read,
    path::{Path, PathBuf},
    sync::mpsc,
    time::{Duration, Instant},
};

/// A champion that can be started.
pub(crate) struct Champion {
    /// The program that plays it.
    pub program: Program,
    /// The files that this program reads.
    pub read: Vec<PathBuf>,
    /// Folders that it searches for programs before those of the system.
    pub search: Vec<PathBuf>,
    /// Environment variables in addition to the usual ones.
    pub environment: Vec<(String, String)>,
    /// The memory limit in MiB for which it asks. `None` if it asks for none.
    pub asks_mib: Option<u32>,
    /// The hash of its sources, or of its shared object. `None` if a file cannot be read.
    pub hash: Option<ContentHash>,
    /// The cache that has its files.
    pub cache: OpenCache,
}

impl Champion {
    /// Prepares the champion at `path`: a folder, an archive or a shared object. Copies it first: only the copy is
    /// hashed, built and played. Sources that need a compiler are built unless the cache already has the result.
    ///
    /// # Errors
    /// If there is no champion at `path`, its sources do not compile, its interpreter is missing, or `cancel` was used.
    pub(crate) fn prepare(
        path: &Path,
        isolation: BuildIsolation,
        (helper, tools): (&Helper, &Tools),
        cancel: &Cancel,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self> {
        let is_archive = matches!(Kind::of(path), Some(Kind::Archive(_)));
        if !path.is_dir() && !is_archive {
            let submission = Submission::open(path, Kind::File).map_err(BuildError::Champion)?;
            let library = Library::of(&submission, warn).map_err(BuildError::Champion)?;
            let hash = hash::library(&library.path);
            return Self::library(library.path, hash, library.cache, helper);
        }
        let submission = agon_champion::open_folder(path).map_err(BuildError::Champion)?;
        if isolation != BuildIsolation::Waived {
            may_be_taken(&submission)?;
        }
        let taken = Taken::of(&submission, warn).map_err(BuildError::Champion)?;
        let hash = hash::champion(&taken.source().folder, taken.files());
        // The compiler or interpreter runs at the strongest level that works here, whatever level the match has.
        helper.appoint()?;
        let level = strongest()?.level;
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if taken.source().language != Language::Python {
            may_be_loaded()?;
        }
        let cancelled = || cancel.is_cancelled();
        match taken.source().language {
            Language::C | Language::Cpp | Language::Caml => {
                let built = agon_champion::build(&taken, level, &cancelled, warn)?;
                let champion = Self::library(built.library, hash, built.cache, helper)?;
                Ok(Self { asks_mib: taken.play_memory_mib(), ..champion })
            }
            Language::Python => {
                let chosen = ChosenPython::of(&taken, tools, warn).map_err(ChampionError::Flaw)?;
                agon_champion::check_python(&taken, &chosen, level, &cancelled, warn)?;
                let python = agon_champion::python_command(&taken, &chosen, warn).map_err(BuildError::Champion)?;
                Ok(Self {
                    program: Program { file: Some(python.file), ..Program::new(python.words) },
                    read: python.read,
                    search: python.search,
                    environment: python.environment,
                    asks_mib: taken.play_memory_mib(),
                    hash,
                    cache: python.cache,
                })
            }
        }
    }

    /// Returns the champion in a shared object.
    fn library(library: PathBuf, hash: Option<ContentHash>, cache: OpenCache, helper: &Helper) -> Result<Self> {
        may_be_loaded()?;
        let host = helper.file()?;
        let words = [host.clone(), helper::CHAMPION.into(), library.clone()];
        let (program, read) = (Program::new(words), vec![host, library]);
        Ok(Self { program, read, search: Vec::new(), environment: Vec::new(), asks_mib: None, hash, cache })
    }
}

/// Checks that this program can load shared objects, which a static program cannot.
///
/// # Errors
/// If it is static.
fn may_be_loaded() -> Result<()> {
    if cfg!(target_feature = "crt-static") {
        let flaw = Flaw::new("this program is static, so it can play champions in Python only");
        let hint = "`cargo install --path world/agon --locked` makes one that loads champions in C, C++ and OCaml";
        return Err(BuildError::Champion(flaw.hint(hint)).into());
    }
    Ok(())
}

/// Refuses a command that starts the main file of a champion. Such a program would end at once.
///
/// # Errors
/// If it does.
pub(crate) fn refuse_as_program(words: &[String], here: &Path) -> Result<()> {
    let os_words: Vec<OsString> = words.iter().map(OsString::from).collect();
    // It may be behind a wrapper, or in the text of a shell.
    let mut files = commands(&os_words, here).into_iter().filter_map(|(words, here)| {
        let program = || words.first().map(|program| here.join(program));
        interpreted::file(&words, &here).or_else(program)
    });
    let Some(file) = files.find(|file| agon_champion::is_main_file(file)) else { return Ok(()) };
    let folder = file.parent().unwrap_or(here);
    let folder = folder.strip_prefix(here).unwrap_or(folder);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Err(BuildError::ChampionFailed(no_program(file.strip_prefix(here).unwrap_or(&file), folder)).into())
}

/// Returns the flaw of an archive at `path` that has the sources of a champion, and was named as if it were another bot.
pub(crate) fn flaw_of_archive(path: &Path, tree: &SourceTree) -> Option<Flaw> {
    agon_champion::is_champion(tree.root()).then(|| no_program(path, path))
}

fn no_program(named: &Path, whole: &Path) -> Flaw {
    Flaw::new(format!("`{}` is a champion, and not a program of its own", named.display()))
        .hint(format!("name it with the prefix for champions: `champion:{}`", whole.display()))
}

/// Loads a champion in a shared object once, in the sandbox in which it will play, and ends it again.
///
/// # Errors
/// If the system refuses to load it, with its reason, or `cancel` was used.
pub(crate) fn try_to_load(program: &Program, path: &Path, cancel: &Cancel) -> Result<()> {
    /// How long the champion may take to be loaded. One that takes longer fails in its match.
    const WALL: Duration = Duration::from_secs(5);
    /// How long its last words may take to arrive after its end.
    const LAST_WORDS: Duration = Duration::from_secs(1);
    /// How much memory it may use meanwhile, in MiB. The limit of its match is not known yet.
    const MEMORY_MIB: u32 = 1024;
    /// The beginning of the line in which the host says why it ends.
    const ERROR: &str = "error: ";
    let [_, word, library] = &program.words[..] else { return Ok(()) };
    if word != helper::CHAMPION {
        return Ok(());
    }
    let mut program = program.clone();
    if let Some(confinement) = &mut program.sandbox {
        confinement.memory_mib = Some(MEMORY_MIB);
    }
    // A host that cannot be started is reported by the match.
    let Ok(mut running) = program.run() else { return Ok(()) };
    let Some(stderr) = running.stderr.take() else { return Ok(()) };
    // Without a watch it is as in a match without a limit.
    let _ = running.limit_memory(MEMORY_MIB);
    // The host finds that its input has ended, and ends too.
    drop((running.stdin.take(), running.stdout.take()));
    let (log, last_words) = mpsc::channel();
    std::thread::Builder::new().spawn(move || log.send(last_bytes(stderr))).map_err(Error::Run)?;
    let until = Instant::now() + WALL;
    let ended = loop {
        match running.ended() {
            Ok(None) if cancel.is_cancelled() => return Err(Error::Cancelled),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            Ok(ended) => break ended,
            Err(_) => break None,
        }
    };
    // With the last of its processes the pipe ends.
    drop(running);
    if ended.is_none_or(|status| status.code() != Some(helper::NOT_LOADED)) {
        return Ok(());
    }
    let log = last_words.recv_timeout(LAST_WORDS).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let why = log.lines().rev().find_map(|line| line.strip_prefix(ERROR)).unwrap_or("the system gives no reason");
    let why = why.replace(&*library.to_string_lossy(), &path.display().to_string());
    let hint = "make it anew from its sources, with `agon champion build` of this version";
    let flaw = Flaw::new(format!("the champion cannot be loaded: {why}")).hint(hint);
    Err(BuildError::ChampionFailed(flaw).into())
}

/// Reads a stream to its end and returns its last bytes.
fn last_bytes(mut stream: impl Read) -> Vec<u8> {
    const MOST: usize = 16 << 10;
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = stream.read(&mut piece) {
        kept.extend_from_slice(&piece[..length]);
        kept.drain(..kept.len().saturating_sub(MOST));
    }
    kept
}

/// What is wrong with the champion itself fails its build.
impl From<ChampionError> for Error {
    fn from(why: ChampionError) -> Self {
        match why {
            ChampionError::Flaw(flaw) => BuildError::ChampionFailed(flaw).into(),
            ChampionError::Sandbox(refused) => {
                BuildError::Sandbox { what: "cannot set up the sandbox for the compiler".into(), refused }.into()
            }
            ChampionError::Cancelled => Self::Cancelled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_champion_is_refused_as_a_program_behind_any_words() {
        let here = std::env::temp_dir().join(format!("agon-refused-{}", std::process::id()));
        std::fs::create_dir_all(here.join("mine")).expect("a folder");
        for name in ["prologin.py", "mine/prologin.py"] {
            std::fs::write(here.join(name), "def partie_init(): pass").expect("a file");
        }
        for (command, hint) in [
            ("python3 prologin.py", Some("champion:.")),
            ("./mine/prologin.py", Some("champion:mine")),
            ("timeout 9 python3 mine/prologin.py", Some("champion:mine")),
            ("nice -n 5 ./prologin.py", Some("champion:.")),
            ("sh -c 'exec python3 prologin.py'", Some("champion:.")),
            ("timeout 9 bash -c 'cd mine && A=1 exec python3 -u prologin.py'", Some("champion:mine")),
            ("python3 adapter.py prologin.py", None),
            ("./adapter python3 prologin.py", None),
            ("sh -c 'cat prologin.py'", None),
        ] {
            let hinted = match refuse_as_program(&shlex::split(command).expect("quotes"), &here) {
                Ok(()) => None,
                Err(Error::Build(BuildError::ChampionFailed(flaw))) => flaw.hint,
                Err(other) => panic!("{command}: {other}"),
            };
            assert_eq!(hinted.as_deref().and_then(|hint| hint.rsplit('`').nth(1)), hint, "{command}");
        }
        std::fs::remove_dir_all(&here).expect("it can be removed");
    }
}
