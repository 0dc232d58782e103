//! How bots are kept from everything but their match: the level, what each bot sees, what it may use.

use crate::{
    clean::clean,
    error::{Error, Result},
    exit::Exit,
    values::Known,
};
use agon_run::Program;
use agon_sandbox::Confinement;
use agon_spec::Isolation;
use clap::Args;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

/// What a command takes that starts bots.
#[derive(Args, Clone, Debug)]
pub struct SandboxOptions {
    /// How far bots are kept from the host and from each other: `full`, `restricted`, `none`, or `auto` for the
    /// strongest of these that works here. `agon doctor` says which does, and why.
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = levels(), hide_possible_values = true)]
    pub sandbox: Wish,

    /// The folder that a bot may read if no word of its command names a file of it.
    #[arg(long, value_name = "DIR")]
    pub bot_dir: Option<PathBuf>,

    /// Another file or folder that every bot may read. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub read: Vec<PathBuf>,

    /// How many processes a bot may be at once; threads are free.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    #[arg(allow_negative_numbers = true)]
    pub processes: u32,
}

/// The value of `--sandbox`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// The strongest level that works.
    Auto,
    /// This one or none at all.
    Exactly(Isolation),
}

/// The value of `--sandbox`, for every command that has it.
pub fn levels() -> Known<Wish> {
    Known::new(|| ["auto"].into_iter().chain(Isolation::ALL.map(Isolation::name)).collect(), wish)
}

/// Reads the value of `--sandbox`.
pub fn wish(text: &str) -> std::result::Result<Wish, String> {
    match text {
        "auto" => Ok(Wish::Auto),
        level => level.parse().map(Wish::Exactly).map_err(|_| "levels are: auto, full, restricted, none".to_owned()),
    }
}

/// A level that was decided on, and what is to be said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The level.
    pub level: Isolation,
    /// What a user must know: that bots are not kept from anything, or less than they could be.
    pub warning: Option<String>,
}

impl SandboxOptions {
    /// The level for a match, tried out.
    ///
    /// # Errors
    /// If the level that was asked for does not work here: exit code 40, with the reason and the way out.
    pub fn decide(&self) -> Result<Decision> {
        match self.sandbox {
            Wish::Exactly(Isolation::None) => Ok(Decision {
                level: Isolation::None,
                warning: Some("NO SANDBOX: the bots can do whatever you can (--sandbox none)".into()),
            }),
            Wish::Exactly(level) => {
                self.fits(level)?;
                works("--sandbox", level)
            }
            Wish::Auto => {
                let decision = strongest()?;
                self.fits(decision.level)?;
                Ok(decision)
            }
        }
    }

    /// More than one process needs something that holds them together.
    fn fits(&self, level: Isolation) -> Result<()> {
        if self.processes > 1 && level == Isolation::Restricted {
            return Err(Error::user(format!("--processes {}: `{level}` holds one process only", self.processes))
                .exit(Exit::Sandbox)
                .hint("more of them need `--sandbox full`; `agon doctor` says what that takes here"));
        }
        Ok(())
    }

    /// What a bot may use at a level; `None` where nothing is limited.
    pub fn confinement(&self, level: Isolation, memory_mib: Option<u32>) -> Option<Confinement> {
        (level > Isolation::None).then(|| Confinement {
            memory_mib,
            processes: self.processes,
            read: self.read.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect(),
            ..Confinement::new(level)
        })
    }

    /// Whether a bot in a sandbox sees no file of its user's: then nothing can be where it looks for it.
    #[cfg(target_os = "linux")]
    pub fn shows_nothing(&self, words: &[String]) -> bool {
        let named = |word: &String| word.split('=').any(|part| !part.is_empty() && Path::new(part).exists());
        let Ok(dir) = here() else { return false };
        let words_of_system: Vec<OsString> = words.iter().map(OsString::from).collect();
        self.bot_dir.is_none()
            && self.read.is_empty()
            && !words.iter().any(named)
            && !names_module(&words_of_system, &dir)
    }

    /// There is no sandbox on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn shows_nothing(&self, _: &[String]) -> bool {
        false
    }

    /// Checks what `--read` and `--bot-dir` name.
    ///
    /// # Errors
    /// A path that does not exist, or would show everything of somebody.
    pub fn check(&self) -> Result<()> {
        if let Some(dir) = self.bot_dir.as_ref().filter(|dir| !dir.is_dir()) {
            return Err(Error::user(format!("--bot-dir: there is no folder `{}`", clean(&dir.display().to_string()))));
        }
        for path in &self.read {
            if !path.exists() {
                return Err(Error::user(format!("--read: there is no `{}`", clean(&path.display().to_string()))));
            }
            #[cfg(target_os = "linux")]
            agon_sandbox::may_be_shown(path).map_err(|why| not_shown(why).context("--read"))?;
        }
        Ok(())
    }

    /// A command line with all that it needs to see.
    ///
    /// # Errors
    /// A folder that must not be shown to a bot.
    #[cfg(target_os = "linux")]
    pub fn command(&self, mut program: Program, confinement: Option<&Confinement>) -> Result<Program> {
        let Some(confinement) = confinement else { return Ok(program) };
        program.sandbox = Some(confinement.clone());
        // What cannot be found cannot be started either, and that is said there.
        let Ok(file) = program.find() else { return Ok(program) };
        let dir = here()?;
        let bot_dir = self.bot_dir.as_ref().map(|dir| std::path::absolute(dir).unwrap_or_else(|_| dir.clone()));
        let bot_dir = bot_dir.or_else(|| names_module(&program.words, &dir).then(|| dir.clone()));
        let words = named_anywhere(&program.words, &dir);
        let line = agon_sandbox::CommandLine {
            words: &words,
            program: &file,
            dir: Path::new(NOBODYS),
            bot_dir: bot_dir.as_deref(),
        };
        let visible = agon_sandbox::visible_files(line).map_err(not_shown)?;
        Ok(shown(program, visible))
    }

    /// A program that reads what is named and its interpreter's own.
    ///
    /// # Errors
    /// An interpreter that cannot be found.
    #[cfg(target_os = "linux")]
    pub fn ready(&self, mut program: Program, read: &[PathBuf], confinement: Option<&Confinement>) -> Result<Program> {
        let Some(confinement) = confinement else { return Ok(program) };
        let mut confinement = confinement.clone();
        confinement.read.extend_from_slice(read);
        confinement.memory_mib =
            confinement.memory_mib.map(|mib| mib.saturating_add(program.host.map_or(0, |host| host.spare_mib)));
        program.sandbox = Some(confinement);
        let Ok(file) = program.find() else { return Ok(program) };
        let visible = agon_sandbox::visible_files_of_interpreter(&file, Path::new(NOBODYS)).map_err(not_shown)?;
        Ok(shown(program, visible))
    }

    /// There is no sandbox on this system.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(target_os = "linux"))]
    pub fn command(&self, program: Program, _: Option<&Confinement>) -> Result<Program> {
        Ok(program)
    }

    /// There is no sandbox on this system.
    ///
    /// # Errors
    /// Never.
    #[cfg(not(target_os = "linux"))]
    pub fn ready(&self, program: Program, _: &[PathBuf], _: Option<&Confinement>) -> Result<Program> {
        Ok(program)
    }
}

#[cfg(target_os = "linux")]
fn here() -> Result<PathBuf> {
    std::env::current_dir().map_err(|why| Error::user(format!("the working directory: {}", crate::error::reason(&why))))
}

/// Interpreters are asked here where they are. What stands for one, as version managers have it, runs outside with all
/// that its user may do, and finds out which one it starts by the folder where it is started: that may be a bot's, with
/// a `.python-version` or a `.tool-versions` that names a program of its own.
#[cfg(target_os = "linux")]
const NOBODYS: &str = "/";

/// A command line of which only what names files is left behind its first word, so named that it does not matter where
/// one is: a whole word, what is behind a `=`, and the parts of a list.
#[cfg(target_os = "linux")]
fn named_anywhere(words: &[OsString], dir: &Path) -> Vec<OsString> {
    let named = |text: &OsStr| Some(dir.join(text)).filter(|path| !text.is_empty() && path.exists());
    let files = |word: &OsString| {
        if let Some(whole) = named(word) {
            return vec![whole.into()];
        }
        let text = word.to_str().unwrap_or_default();
        let value = text.split_once('=').map_or(text, |(_, value)| value);
        value.split(':').filter_map(|part| named(OsStr::new(part))).map(OsString::from).collect()
    };
    words.iter().take(1).cloned().chain(words.iter().skip(1).flat_map(files)).collect()
}

#[cfg(target_os = "linux")]
pub fn not_shown(error: agon_sandbox::VisibilityError) -> Error {
    Error::user(clean(&error.what)).hint(clean(&error.hint))
}

#[cfg(target_os = "linux")]
fn shown(mut program: Program, visible: agon_sandbox::VisibleFiles) -> Program {
    program.file = Some(visible.program);
    if let Some(confinement) = &mut program.sandbox {
        confinement.read.extend(visible.read);
        confinement.search.extend(visible.search);
    }
    program
}

/// Whether a command line names a file below `dir` by the name of a module or a class: `python3 -m bot`, `java Bot`.
#[cfg(target_os = "linux")]
fn names_module(words: &[OsString], dir: &Path) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let program = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let arguments = || arguments.iter().map(|word| word.to_string_lossy());
    let there = |module: &str, ends: &[&str]| {
        let path = module.replace('.', "/");
        !path.is_empty() && ends.iter().any(|end| dir.join(format!("{path}{end}")).is_file())
    };
    if program == "java" {
        return arguments().any(|word| !word.starts_with('-') && there(&word, &[".class"]));
    }
    if program.starts_with("python") || program.starts_with("pypy") {
        let named = arguments().skip_while(|word| !word.starts_with("-m")).find(|word| word != "-m");
        return named.is_some_and(|word| there(word.strip_prefix("-m").unwrap_or(&word), &[".py", "/__main__.py"]));
    }
    false
}

/// The strongest level that works here.
///
/// # Errors
/// What works here could not be tried out: exit code 40. Only what a host does not support lowers the level: whoever can
/// make a host short of something for a moment must not choose it.
#[cfg(target_os = "linux")]
pub fn strongest() -> Result<Decision> {
    let supported = agon_sandbox::best().map_err(|refused| {
        let why = clean(&refused.to_string());
        Error::user(format!("--sandbox auto: what works here could not be tried out: {why}"))
            .exit(Exit::Sandbox)
            .hint(DISTURBED)
    })?;
    let refused = match supported.level {
        Isolation::Full => None,
        Isolation::Restricted => supported.full.as_ref(),
        Isolation::None => supported.restricted.as_ref(),
    };
    let warning = refused.map(|refused| {
        let why = clean(&refused.to_string());
        match supported.level {
            Isolation::None => format!("NO SANDBOX: the bots can do whatever you can ({why}; see `agon doctor`)"),
            level => format!("the sandbox is `{level}`, not `full` ({why}; see `agon doctor`)"),
        }
    });
    Ok(Decision { level: supported.level, warning })
}

/// What helps where a sandbox could not be made, and the host is not known to be unable to.
#[cfg(target_os = "linux")]
pub const DISTURBED: &str = "try again when the host has more room; `--sandbox restricted` needs less, \
                             `--sandbox none` nothing, if you trust the bots";

/// The strongest level that works here, where nobody has asked for one.
///
/// # Errors
/// As [`strongest`].
pub fn level_here() -> Result<Isolation> {
    strongest().map(|decision| decision.level)
}

/// The strongest level that works here: none.
///
/// # Errors
/// Never.
#[cfg(not(target_os = "linux"))]
pub fn strongest() -> Result<Decision> {
    Ok(Decision {
        level: Isolation::None,
        warning: Some("NO SANDBOX: the bots can do whatever you can (isolation needs Linux)".into()),
    })
}

/// This level, if it works here. `option` is where it was asked for.
///
/// # Errors
/// If it does not: exit code 40, with the reason and the way out.
#[cfg(target_os = "linux")]
pub fn works(option: &str, level: Isolation) -> Result<Decision> {
    let Err(refused) = agon_sandbox::attempt(level) else { return Ok(Decision { level, warning: None }) };
    let error = Error::user(format!("{option} {level}: {}", clean(&refused.to_string()))).exit(Exit::Sandbox);
    Err(match (refused.remedy(), refused.kind()) {
        (Some(remedy), _) => error.hint(format!("what would help: {remedy}")),
        (None, agon_sandbox::RefusalKind::Unsupported) => {
            error.hint("`agon doctor` says what works here; `--sandbox auto` takes the strongest of it")
        }
        (None, _) => error.hint(DISTURBED),
    })
}

/// This level, which never works here.
#[cfg(not(target_os = "linux"))]
pub fn works(option: &str, level: Isolation) -> Result<Decision> {
    Err(Error::user(format!("{option} {level}: isolation needs Linux"))
        .exit(Exit::Sandbox)
        .hint("run it in a virtual machine or a container with Linux, or trust the bots: `--sandbox none`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn files_of_a_command_are_named_from_anywhere() {
        let words =
            ["python3", "src", "-v", "--maps=Cargo.toml:/etc/passwd:nothing", "bin", "/", ""].map(OsString::from);
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (source, manifest) = (dir.join("src"), dir.join("Cargo.toml"));
        let expected: [OsString; 5] =
            ["python3".into(), source.into(), manifest.into(), "/etc/passwd".into(), "/".into()];
        assert_eq!(named_anywhere(&words, dir), expected, "there is a `bin` elsewhere");
    }

    #[test]
    fn levels_are_read() {
        assert_eq!(wish("auto"), Ok(Wish::Auto));
        assert_eq!(wish("restricted"), Ok(Wish::Exactly(Isolation::Restricted)));
        assert!(wish("Full").is_err() && wish("").is_err());
    }
}
