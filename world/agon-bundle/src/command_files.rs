//! The files of a command: those that it names, and the folders that a bot sees because of them.

use crate::{
    Listing,
    error::shown,
    inside::{COPY, Inside, Top},
    search_path::SearchPath,
};
use agon_build::wrapper::is_wrapper;
use agon_core::Flaw;
use agon_languages::{file_name, is_interpreter};
use agon_play::{CommandPart, CommandPath, command_parts, programs_started};
use agon_sandbox::is_system;
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// A command of which something cannot travel.
#[derive(Debug)]
pub(crate) struct Stays {
    /// The word that names it.
    pub word: Option<String>,
    pub flaw: Flaw,
}

impl From<Flaw> for Stays {
    fn from(flaw: Flaw) -> Self {
        Self { word: None, flaw }
    }
}

/// Lists the files of a command that is started in the folder of the tournament.
///
/// # Errors
/// If one of them cannot travel.
pub(crate) fn list(words: &[String], top: &Top, search: &SearchPath) -> Result<Listing, Stays> {
    if is_system(&top.path) {
        let flaw = Flaw::new(format!(
            "the folder of the tournament is in `{}`, and files of the system do not travel",
            top.path.parent().unwrap_or(&top.path).display()
        ));
        return Err(flaw.hint("move the tournament to another folder, such as one in your home").into());
    }
    let mut listing = Listing::default();
    for part in command_parts(words, &top.path) {
        let mut add = |named: &CommandPath, seen: &dyn Fn(&Inside) -> Option<String>| {
            add(&mut listing, top, named, seen).map_err(|flaw| Stays { word: Some(named.word.clone()), flaw })
        };
        match &part {
            CommandPart::Word(word) => {
                text_may_travel(word, top).map_err(|flaw| Stays { word: Some(word.clone()), flaw })?
            }
            CommandPart::Option(_) => {}
            CommandPart::Program(word) => {
                let at = program(word, top).map_err(|flaw| Stays { word: Some(word.clone()), flaw })?;
                if let Some(named) = at {
                    add(&named, &folder_of)?;
                }
            }
            CommandPart::Entered(named) => add(named, &|it: &Inside| Some(it.path.clone()))?,
            CommandPart::Path(named) | CommandPart::InText(named) => add(named, &folder_of)?,
            CommandPart::Module(named) => add(named, &|_: &Inside| package_of(named, top))?,
        }
    }
    for (program, dir) in programs_started(words, &top.path) {
        program_may_travel(&program, &dir, top, search).map_err(|flaw| Stays { word: Some(program), flaw })?;
    }
    Ok(listing)
}

/// Adds what a command names, and the folder that the bot sees because of it.
fn add(
    listing: &mut Listing,
    top: &Top,
    named: &CommandPath,
    seen: &dyn Fn(&Inside) -> Option<String>,
) -> Result<(), Flaw> {
    // Every machine has its own.
    if ["/dev", "/proc", "/sys"].iter().any(|machine| named.named.starts_with(machine)) {
        return Ok(());
    }
    let found = top.inside(&named.named, &named.base)?;
    let is_entered = seen(&found).as_deref() == Some(found.path.as_str());
    if found.path.is_empty() {
        if is_entered {
            return Ok(());
        }
        return Err(Flaw::new(format!("`{}` is the folder of the tournament itself", shown(named.word.as_bytes())))
            .hint(
                "move the files of the bot to a folder of their own, beside the file of the tournament, and name that",
            ));
    }
    if found.is_folder {
        may_be_seen(top, &found.path)?;
        return listing.folder(top, &found.path, !is_entered);
    }
    listing.file(top, &found.path, Path::new(&found.real))?;
    // Of the folder of the tournament, which has the files of all, only what is named travels.
    match seen(&found).filter(|folder| !folder.is_empty()) {
        Some(folder) => {
            may_be_seen(top, &folder)?;
            listing.folder(top, &folder, false)
        }
        None => Ok(()),
    }
}

/// Returns the folder of a file, all of which the bot sees. A folder has none.
fn folder_of(found: &Inside) -> Option<String> {
    let (folder, _) = found.path.rsplit_once('/').filter(|_| !found.is_folder)?;
    Some(folder.to_owned())
}

/// Returns the folder from which a module imports others.
fn package_of(named: &CommandPath, top: &Top) -> Option<String> {
    let base = named.base.strip_prefix(&top.path).ok()?;
    if !base.as_os_str().is_empty() {
        return base.to_str().map(str::to_owned);
    }
    let mut parts = named.named.iter();
    let package = parts.next()?;
    parts.next()?;
    package.to_str().map(str::to_owned)
}

/// Refuses a folder that no bot may see.
#[cfg(target_os = "linux")]
pub(crate) fn may_be_seen(top: &Top, folder: &str) -> Result<(), Flaw> {
    agon_sandbox::may_be_shown(&top.path.join(folder)).map_err(|why| Flaw::new(why.what).hint(COPY))
}

/// Allows every folder: this system has no sandbox.
#[cfg(not(target_os = "linux"))]
pub(crate) fn may_be_seen(_: &Top, _: &str) -> Result<(), Flaw> {
    Ok(())
}

/// Returns the file of a program that counts by its name, if it is one of the bot. The system's are expected elsewhere, too.
fn program(word: &str, top: &Top) -> Result<Option<CommandPath>, Flaw> {
    let path = Path::new(word);
    if !word.contains('/') {
        return Ok(None);
    }
    let name = file_name(word);
    if path.is_absolute() {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if is_system(path) && is_system(&real) {
            return Ok(None);
        }
        return Err(Flaw::new(format!(
            "`{}` is not of the system, so other machines do not have it",
            shown(word.as_bytes())
        ))
        .hint(format!("write `{name}`: each machine plays the bot with its own")));
    }
    // The rest of an installation is elsewhere, as with a virtual environment.
    let is_link = || std::fs::symlink_metadata(top.path.join(path)).is_ok_and(|about| about.is_symlink());
    if path.parent().is_some_and(|folder| folder.ends_with("bin")) || is_link() {
        return Err(Flaw::new(format!(
            "`{}` is an interpreter of its own, which does not travel",
            shown(word.as_bytes())
        ))
        .hint(format!(
            "write `{name}`: each machine plays the bot with its own; or name the folder of the bot in place of the \
                 command, and the packages of its virtual environment travel with it"
        )));
    }
    Ok(Some(CommandPath { word: word.to_owned(), named: path.to_owned(), base: top.path.clone() }))
}

/// Refuses a text for a shell that names places of this machine.
fn text_may_travel(text: &str, top: &Top) -> Result<(), Flaw> {
    let here = top.path.to_string_lossy();
    let is_text = text.contains(char::is_whitespace);
    let places = [&*here, "~/", "$HOME", "${HOME"].into_iter().filter(|place| place.len() > 1);
    match places.into_iter().find(|place| is_text && text.contains(*place)) {
        Some(place) => Err(Flaw::new(format!(
            "its text names `{}`, which leads nowhere on another machine",
            shown(place.as_bytes())
        ))
        .hint("write paths from the folder of the tournament, in which every bot starts")),
        None => Ok(()),
    }
}

/// Refuses a program that other machines do not have: one that was found in the search path and is not of the system, or a script
/// whose interpreter is.
fn program_may_travel(program: &str, dir: &Path, top: &Top, search: &SearchPath) -> Result<(), Flaw> {
    if !program.contains('/') {
        if is_interpreter(program) || is_wrapper(program) {
            return Ok(());
        }
        let Some(found) = search.find(program) else { return Ok(()) };
        let real = found.canonicalize().unwrap_or_else(|_| found.clone());
        if is_system(&found) && is_system(&real) {
            return Ok(());
        }
        let found = shown(found.as_os_str().as_encoded_bytes());
        return Err(Flaw::new(format!("the program `{program}` is `{found}` here, which is not of the system"))
            .hint(format!("put it into the folder of the bot, and name it by its path: `./FOLDER/{program}`")));
    }
    let at = dir.join(program);
    if !at.starts_with(&top.path) {
        return Ok(());
    }
    let Some(interpreter) = interpreter_of_script(&at) else { return Ok(()) };
    let real = interpreter.canonicalize().unwrap_or_else(|_| interpreter.clone());
    if is_system(&interpreter) && is_system(&real) {
        return Ok(());
    }
    let name = interpreter.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let interpreter = shown(interpreter.as_os_str().as_encoded_bytes());
    Err(Flaw::new(format!("`{program}` begins with `#!{interpreter}`, which is not of the system"))
        .hint(format!("write `#!/usr/bin/env {name}`")))
}

/// Returns the interpreter in the first line of a script, if it is an absolute path.
fn interpreter_of_script(at: &Path) -> Option<PathBuf> {
    const LINE: u64 = 256;
    let mut head = Vec::new();
    std::fs::File::open(at).ok()?.take(LINE).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = std::str::from_utf8(line).ok()?.split_whitespace().next()?;
    Some(PathBuf::from(word)).filter(|path| path.is_absolute())
}
