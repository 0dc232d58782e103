//! Runs compilers in a sandbox, on a copy of the files.

use crate::{
    ChampionError,
    taken::{SOURCES, Taken},
};
use agon_core::Flaw;
use agon_spec::Isolation;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// One run of a compiler.
pub(crate) struct Step {
    /// The compiler and its arguments. The paths of our own files are relative to its working directory.
    pub words: Vec<OsString>,
    /// The message if the compiler fails, such as "`x.c` does not compile".
    pub failing: String,
    /// The paths outside the system that the compiler must see, in addition to its own installation.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "without a sandbox it sees everything"))]
    pub read: Vec<PathBuf>,
}

/// Runs all steps within the time `wall` in a copy of the folder `work` of the champion, which has its files in
/// [`SOURCES`]. Returns the folder with the resulting files, and the output of the compilers.
///
/// # Errors
/// If a step fails, a compiler is missing, the sandbox cannot be set up, or `cancel` returns true.
#[cfg(target_os = "linux")]
pub(crate) fn work(
    steps: &[Step],
    taken: &Taken,
    level: Isolation,
    wall: Duration,
    cancel: &dyn Fn() -> bool,
) -> Result<(PathBuf, String), ChampionError> {
    use agon_sandbox::{Confinement, Job, JobExit, Work, environment};
    use std::os::unix::ffi::OsStrExt;

    /// The exit code if the first step fails. Each later step has the next code. The shell uses lower and higher codes
    /// itself.
    const FIRST: usize = 10;
    /// The last of these codes. All remaining steps share it.
    const LAST: usize = 120;
    const MEMORY_MIB: u32 = 1024;

    let work = taken.work();
    let mut read = Vec::new();
    let mut script = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        read.extend(installation(&step.words)?);
        read.extend(step.read.iter().cloned());
        for word in &step.words {
            script.extend_from_slice(&quoted(word.as_bytes()));
            script.push(b' ');
        }
        script.extend_from_slice(format!("|| exit {}\n", (FIRST + number).min(LAST)).as_bytes());
    }
    let confinement = Confinement {
        read,
        memory_mib: Some(MEMORY_MIB),
        processes: 32,
        file_mib: 256,
        scratch_mib: 256,
        work: Some(Work { from: work, at: "/agon-work".into(), mib: 512 }),
        ..Confinement::new(level)
    };
    let mut environment = environment(&confinement);
    // People search the web for the English messages.
    environment.push(("LC_ALL".into(), "C".into()));
    if let Some(path) = std::env::var_os("PATH") {
        environment.retain(|(name, _)| name != "PATH");
        environment.push(("PATH".into(), path));
    }
    let job = Job {
        words: vec!["/bin/sh".into(), "-c".into(), std::os::unix::ffi::OsStringExt::from_vec(script)],
        environment,
        confinement,
        wall,
        log_bytes: 64 << 10,
        keep_mib: 512,
        keep_files: 20_000,
    };
    let made = taken.part.path("made");
    let end = job.run(&made, cancel, &mut |_| ()).map_err(ChampionError::Sandbox)?;
    let said = with_known_paths(&String::from_utf8_lossy(&end.log), taken);
    let failed = match end.how {
        JobExit::Code(code) => usize::try_from(code).ok().and_then(|code| code.checked_sub(FIRST)),
        _ => None,
    };
    let failed = failed.filter(|number| number + FIRST < LAST);
    // A job that was killed does not report the step.
    let only = if let [only] = steps { Some(only) } else { None };
    let step = failed.and_then(|number| steps.get(number)).or(only);
    let failing = step.map_or("the champion cannot be built", |step| step.failing.as_str());
    let why = match end.how {
        JobExit::Code(0) => return Ok((made, said)),
        JobExit::Code(_) => said.trim_end().to_owned(),
        JobExit::Signal(number) => format!("{said}the compiler was killed by signal {number}"),
        JobExit::TooMuchMemory => format!("{said}this took too much memory"),
        JobExit::TimedOut => format!("{said}this took longer than {} s", wall.as_secs()),
        JobExit::Cancelled => return Err(ChampionError::Cancelled),
        JobExit::NotKept(why) => why,
    };
    Err(Flaw::new(format!("{failing}:\n{why}")).into())
}

/// Returns the installation of a compiler outside the system, which the compiler must see.
#[cfg(target_os = "linux")]
fn installation(words: &[OsString]) -> Result<Vec<PathBuf>, Flaw> {
    let name = words.first().map(PathBuf::from).unwrap_or_default();
    let missing = || {
        Flaw::new(format!("there is no compiler `{}`", name.display()))
            .hint("champions in C and C++ need gcc and g++: install them, or name others in CC and CXX")
    };
    let real = found(&name).ok_or_else(missing)?.canonicalize().map_err(|_| missing())?;
    Ok(vec![top(&real)])
}

/// Returns the folder of an installation with this program, whose path has no links. The program itself if it is one of the system.
pub(crate) fn top(program: &Path) -> PathBuf {
    let top = program.parent().filter(|folder| folder.ends_with("bin")).and_then(Path::parent);
    top.filter(|top| top.components().count() > 2).unwrap_or(program).to_owned()
}

/// Returns the output of a compiler with the paths that the author knows in place of those of the copy.
fn with_known_paths(said: &str, taken: &Taken) -> String {
    let folder = std::path::absolute(&taken.source.named).unwrap_or_else(|_| taken.source.named.clone());
    said.replace(SOURCES, &folder.display().to_string())
}

/// Finds the file of a program, by its path or by its name in the search path.
pub(crate) fn found(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return Some(name.to_owned()).filter(|path| path.is_file());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Quotes a word for a shell.
#[cfg(target_os = "linux")]
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for byte in word {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

/// Runs all steps without a sandbox: this system has none.
///
/// # Errors
/// If a step fails or a compiler is missing.
#[cfg(not(target_os = "linux"))]
pub(crate) fn work(
    steps: &[Step],
    taken: &Taken,
    _: Isolation,
    _: Duration,
    _: &dyn Fn() -> bool,
) -> Result<(PathBuf, String), ChampionError> {
    use std::{io::ErrorKind, process::Command};
    let work = taken.work();
    let mut remarks = String::new();
    for step in steps {
        let (program, arguments) = step.words.split_first().ok_or_else(|| Flaw::new("no compiler is named"))?;
        let output = Command::new(program).args(arguments).current_dir(&work).env("LC_ALL", "C").output();
        let output = output.map_err(|why| match why.kind() {
            ErrorKind::NotFound => Flaw::new(format!("there is no compiler `{}`", program.display()))
                .hint("champions in C and C++ need gcc and g++: install them, or name others in CC and CXX"),
            _ => Flaw::new(format!("cannot start the compiler `{}`: {why}", program.display())),
        })?;
        let said = with_known_paths(&String::from_utf8_lossy(&output.stderr), taken);
        if !output.status.success() {
            return Err(Flaw::new(format!("{}:\n{}", step.failing, said.trim_end())).into());
        }
        remarks += &said;
    }
    Ok((work, remarks))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted(b"a b"), b"'a b'");
        assert_eq!(quoted(b"it's; rm -rf $HOME"), b"'it'\\''s; rm -rf $HOME'");
    }
}
