//! The user's files that a bot can see: only the paths among the words of its command. What a command starts is read only for
//! names, hashes and interpreters.

use crate::{BotSpec, Result, SandboxError, SandboxOptions, bot_name::file_name, interpreted::text_of_shell};
use agon_build::wrapper::{Unwrapped, is_setting, is_wrapper, unwrapped};
use agon_run::Program;
#[cfg(target_os = "linux")]
use agon_sandbox::{CommandLine, VisibleFiles};
use agon_sandbox::{Confinement, is_system, paths_named, paths_of};
use std::{
    ffi::OsString,
    io::Read,
    path::{Path, PathBuf},
};

/// Adds to a command the program, files and folders that it needs to see.
///
/// # Errors
/// If a bot must not see one of the folders.
#[cfg(target_os = "linux")]
pub(crate) fn command(mut program: Program, options: &SandboxOptions, confinement: Confinement) -> Result<Program> {
    program.sandbox = Some(confinement);
    // A program that cannot be found cannot be started either. The start reports the error.
    let Ok(file) = program.find() else { return Ok(program) };
    let dir = here()?;
    let bot_dir = options.bot_dir.as_ref().map(|dir| std::path::absolute(dir).unwrap_or_else(|_| dir.clone()));
    let bot_dir = bot_dir.or_else(|| names_module(&program.words, &dir).then(|| dir.clone()));
    let starts = started_by(&program.words, &dir);
    let line =
        CommandLine { words: &program.words, program: &file, starts: &starts, dir: &dir, bot_dir: bot_dir.as_deref() };
    let visible = agon_sandbox::visible_files(line)?;
    Ok(shown(program, visible))
}

/// Adds to a program the files in `read` and those of its interpreter. A program of which the file is known already needs no
/// others.
///
/// # Errors
/// If the interpreter cannot be found.
#[cfg(target_os = "linux")]
pub(crate) fn ready(mut program: Program, read: &[PathBuf], mut confinement: Confinement) -> Result<Program> {
    confinement.read.extend_from_slice(read);
    program.sandbox = Some(confinement);
    let unknown = program.file.is_none();
    let Some(file) = program.find().ok().filter(|_| unknown) else { return Ok(program) };
    Ok(shown(program, agon_sandbox::visible_files_of_interpreter(&file)?))
}

/// There is no sandbox on this system: the start refuses it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn command(program: Program, _: &SandboxOptions, confinement: Confinement) -> Result<Program> {
    Ok(Program { sandbox: Some(confinement), ..program })
}

/// There is no sandbox on this system: the start refuses it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ready(program: Program, _: &[PathBuf], confinement: Confinement) -> Result<Program> {
    Ok(Program { sandbox: Some(confinement), ..program })
}

/// Returns whether a bot in a sandbox sees no file of its user. Such a bot does not find any file that it looks for.
pub(crate) fn shows_nothing(spec: &BotSpec, options: &SandboxOptions) -> bool {
    let BotSpec::Command(words) = spec else { return false };
    let Ok(dir) = here() else { return false };
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let names_nothing = words.iter().all(|word| paths_of(word, &dir).is_empty()) && !names_module(&words, &dir);
    options.bot_dir.is_none() && options.read.is_empty() && names_nothing
}

pub(crate) fn here() -> Result<PathBuf, SandboxError> {
    std::env::current_dir().map_err(SandboxError::WorkingDirectory)
}

/// The folder in which wrappers start a program.
pub(crate) struct Entered {
    pub folder: PathBuf,
    /// Where the words are that name it.
    pub by: Vec<usize>,
    /// Where the program begins. The number of words if there is none.
    pub inner: usize,
}

/// Finds the folder that `env` enters before it starts a program, in a command that is started in `dir`: `env -C bots ./mine`.
pub(crate) fn entered(words: &[OsString], dir: &Path) -> Entered {
    let Unwrapped { own, inner } = unwrapped(words);
    let (mut folder, mut by, mut is_env) = (dir.to_owned(), Vec::new(), false);
    let mut own = own.into_iter();
    while let Some(mut at) = own.next() {
        let Some(mut word) = words[at].to_str() else { continue };
        is_env = if is_wrapper(word) { file_name(word) == "env" } else { is_env };
        if is_env && ["-C", "--chdir"].contains(&word) {
            let Some(value) = own.next() else { break };
            (at, word) = (value, words[value].to_str().unwrap_or_default());
        } else if let Some(value) = word.strip_prefix("--chdir=").or_else(|| word.strip_prefix("-C")).filter(|_| is_env)
        {
            word = value;
        } else {
            continue;
        }
        folder.push(word);
        by.push(at);
    }
    Entered { folder, by, inner }
}

/// Returns the commands that a command starts by wrappers and in the text of a shell, each with the folder in which it starts. Of a
/// command that does neither this is the command itself, in `dir`.
pub(crate) fn commands(words: &[OsString], dir: &Path) -> Vec<(Vec<OsString>, PathBuf)> {
    let Entered { folder: mut here, inner, .. } = entered(words, dir);
    let rest = &words[inner..];
    let Some(at) = text_of_shell(rest) else { return vec![(rest.to_vec(), here)] };
    let mut found = Vec::new();
    for command in rest[at].to_str().map(commands_of_text).unwrap_or_default() {
        match command.split_first() {
            Some((first, words)) if first == "cd" || first == "pushd" => {
                let folder = words.iter().map(|word| here.join(word)).find(|folder| folder.is_dir());
                here = folder.unwrap_or(here);
            }
            _ => found.extend(commands(&command, &here)),
        }
    }
    found
}

/// What a command names by words that are not its own.
pub(crate) struct Inside {
    /// The word of an inner command.
    pub word: OsString,
    /// The folder in which it is looked for.
    pub base: PathBuf,
    /// The file or folder.
    pub path: PathBuf,
    /// Whether the word names a module or a class, and not a path.
    pub is_module: bool,
}

/// Returns the files and folders that a command names by words which are not its own: in the text of a shell, or by a module. A
/// folder that the text only enters is not among them.
pub(crate) fn named_inside(words: &[OsString], dir: &Path) -> Vec<Inside> {
    let inner = commands(words, dir);
    let inside = |word: &OsString, base: &Path, is_module| {
        let (word, base) = (word.clone(), base.to_owned());
        move |path| Inside { word: word.clone(), base: base.clone(), path, is_module }
    };
    // Where the text leaves a folder again is not read.
    let named = |word: &OsString, here: &Path| {
        let (base, paths) = match paths_named(word, here) {
            paths if paths.is_empty() => (dir, paths_named(word, dir)),
            paths => (here, paths),
        };
        paths.into_iter().map(inside(word, base, false)).collect::<Vec<_>>()
    };
    let hidden = inner.iter().flat_map(|(command, here)| {
        let hidden = command.iter().filter(|word| !words.contains(word));
        hidden.flat_map(|word| named(word, here)).filter(|inside| !is_system(&inside.path))
    });
    let modules = inner.iter().flat_map(|(command, here)| {
        (0..command.len()).filter_map(|at| {
            let of = |base: &Path| module_file(&command[at..], base).map(inside(&command[at], base, true));
            of(here).or_else(|| of(dir))
        })
    });
    hidden.chain(modules).collect()
}

/// Returns the commands in a text for a shell, without what they set and the files to which they write.
fn commands_of_text(text: &str) -> Vec<Vec<OsString>> {
    // A sign in quotes is taken for one without.
    let spaced: String = text
        .chars()
        .map(|c| match c {
            ';' | '&' | '|' | '(' | ')' | '<' | '\n' => " ; ".to_owned(),
            '>' => " > ".to_owned(),
            c => c.to_string(),
        })
        .collect();
    let words = shlex::split(&spaced).unwrap_or_default();
    let of = |command: &[String]| {
        let follows_sign = |at: usize| at > 0 && command[at - 1] == ">";
        let read = (0..command.len()).filter(|at| command[*at] != ">" && !follows_sign(*at)).map(|at| &command[at]);
        read.skip_while(|word| is_setting(word)).map(OsString::from).collect()
    };
    words.split(|word| word == ";").map(of).collect()
}

/// Returns names of programs that a command may start: its words, and those of the scripts that it names.
#[cfg(target_os = "linux")]
fn started_by(words: &[OsString], dir: &Path) -> Vec<OsString> {
    const SCRIPT: u64 = 16 << 10;
    let mut found: Vec<OsString> = words.iter().skip(1).cloned().collect();
    for path in words.iter().map(|word| dir.join(word)).filter(|path| path.is_file()) {
        let mut text = Vec::new();
        let read = std::fs::File::open(&path).and_then(|file| file.take(SCRIPT).read_to_end(&mut text));
        let is_script = text.starts_with(b"#!") || path.extension().is_some_and(|end| end == "sh");
        if read.is_ok() && is_script {
            let text = String::from_utf8_lossy(&text).into_owned();
            let names = text.split(|c: char| c.is_whitespace() || ";&|()`\"'=".contains(c));
            found.extend(names.filter(|name| !name.is_empty()).map(OsString::from));
        }
    }
    found.retain(|name| !name.as_encoded_bytes().contains(&b'/'));
    found.sort();
    found.dedup();
    found
}

/// Returns whether a command, perhaps behind others in front, names a file below `dir` by a module or a class.
fn names_module(words: &[OsString], dir: &Path) -> bool {
    (0..words.len()).any(|at| module_file(&words[at..], dir).is_some())
}

/// Finds the file below `dir` that a command names by a module or a class: `python3 -m bot`, `java Bot`.
pub(crate) fn module_file(words: &[OsString], dir: &Path) -> Option<PathBuf> {
    let (program, arguments) = words.split_first()?;
    let program = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let mut arguments = arguments.iter().map(|word| word.to_string_lossy());
    let there = |module: &str, ends: &[&str]| {
        let path = module.replace('.', "/");
        let files = ends.iter().map(|end| dir.join(format!("{path}{end}")));
        files.filter(|_| !path.is_empty()).find(|file| file.is_file())
    };
    if program == "java" {
        return arguments.filter(|word| !word.starts_with('-')).find_map(|word| there(&word, &[".class"]));
    }
    if program.starts_with("python") || program.starts_with("pypy") {
        let module = arguments.find_map(|word| behind_m(&word).map(str::to_owned))?;
        let module = if module.is_empty() { arguments.next()?.into_owned() } else { module };
        return there(&module, &[".py", "/__main__.py"]);
    }
    None
}

/// Returns the module that a command starts in place of a file: `bot` in `python3 -m bot`.
pub(crate) fn started_module(words: &[OsString]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let program = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    if !(program.starts_with("python") || program.starts_with("pypy")) {
        return None;
    }
    let mut arguments = arguments.iter().map(|word| word.to_string_lossy());
    while let Some(word) = arguments.next().filter(|word| word.starts_with('-')) {
        if let Some(module) = behind_m(&word) {
            return if module.is_empty() { arguments.next().map(Into::into) } else { Some(module.to_owned()) };
        }
        // Their values are words of their own.
        if matches!(&*word, "-X" | "-W") {
            arguments.next();
        }
    }
    None
}

/// Returns what stands behind the `m` in an option of Python: `bot` in `-mbot`, nothing in `-um`. `None` if it is another option.
fn behind_m(word: &str) -> Option<&str> {
    /// The letters that may be before it. They take no value.
    const PLAIN: &str = "bBdEiIOPqRsSuvx";
    let (before, module) = word.strip_prefix('-')?.split_once('m')?;
    before.chars().all(|letter| PLAIN.contains(letter)).then_some(module)
}

#[cfg(target_os = "linux")]
fn shown(mut program: Program, visible: VisibleFiles) -> Program {
    program.file = Some(visible.program);
    if let Some(confinement) = &mut program.sandbox {
        confinement.read.extend(visible.read);
        confinement.search.extend(visible.search);
    }
    program
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_module_of_a_command_is_found() {
        let dir = std::env::temp_dir().join(format!("agon-visible-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        std::fs::write(dir.join("bot.py"), "").expect("a file");
        for (command, expected) in [
            ("python3 -m bot", true),
            ("python3 -Bumbot", true),
            ("env A=1 python3 -um bot", true),
            ("python3 --some bot", false),
            ("python3 -W module bot", false),
            ("timeout 9 python3 -m bot", true),
            ("timeout 9 python3 -m other", false),
            ("./mine -m bot", false),
        ] {
            let words: Vec<OsString> = shlex::split(command).expect("quotes").into_iter().map(OsString::from).collect();
            assert_eq!(names_module(&words, &dir), expected, "{command}");
        }
        std::fs::remove_dir_all(&dir).expect("it can be removed");
    }
}
