//! What a command line needs to see beside the system: the bot's own folder, and its interpreter where that is not part
//! of the system.

use crate::{interpreter, system};
use std::{
    ffi::{OsStr, OsString},
    fmt, fs,
    path::{Path, PathBuf},
};

/// A command line whose sight is asked for.
#[derive(Clone, Copy, Debug)]
pub struct CommandLine<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// The file of the program, absolute.
    pub program: &'a Path,
    /// Where it starts, absolute; its arguments name files from there.
    pub dir: &'a Path,
    /// The bot's folder, if no argument names a file of it.
    pub bot_dir: Option<&'a Path>,
}

/// What a command line needs to see, and what to execute.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sight {
    /// The file to execute: another one than before if that was a script of a version manager, which stays outside.
    pub program: PathBuf,
    /// Files and folders to show.
    pub read: Vec<PathBuf>,
    /// Folders of programs to search before those of the system.
    pub search: Vec<PathBuf>,
    /// The bot's own folder, if it has one.
    pub folder: Option<PathBuf>,
}

/// Why a command line cannot be shown what it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unseen {
    /// A lower-case fragment.
    pub what: String,
    /// The way out.
    pub hint: String,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Folders that everybody writes to: of these a bot sees the files that are named, and nothing else.
const SHARED: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/run/shm"];

/// Finds out what a command line needs to see.
///
/// The bot's folder is that of the first word that names a file outside the system, the program itself included; else
/// [`CommandLine::bot_dir`].
///
/// # Errors
/// If that folder is `/`, a home or around one: then everything of a user would be shown.
pub fn sight(line: CommandLine<'_>) -> Result<Sight, Unseen> {
    let mut sight = Sight { program: line.program.to_owned(), ..Sight::default() };
    let by_name = line.words.first().is_some_and(|word| !word.as_encoded_bytes().contains(&b'/'));
    let real = line.program.canonicalize().unwrap_or_else(|_| line.program.to_owned());
    if !system::holds(&real) {
        if interpreter::is_known(line.program) && (by_name || in_installation(line.program)) {
            let found = interpreter::find(line.program, line.dir)?;
            found.show(&mut sight);
            sight.program = found.program;
        } else if by_name {
            // Of a folder of programs that is somebody's own, the one that is named.
            sight.read.push(line.program.to_owned());
            through_first_line(line.program, line.dir, &mut sight)?;
        } else {
            take(line.program, &mut sight)?;
            through_first_line(line.program, line.dir, &mut sight)?;
        }
    }
    if sight.folder.is_none() {
        let arguments = line.words.iter().skip(1);
        match arguments.flat_map(|word| paths_in(word, line.dir)).find(|path| !system::holds(path)) {
            Some(path) => {
                take(&path, &mut sight)?;
                through_first_line(&path, line.dir, &mut sight)?;
            }
            None => {
                if let Some(folder) = line.bot_dir {
                    let shown = folder.display();
                    let real = folder.canonicalize().map_err(|e| Unseen {
                        what: format!("the bot's folder `{shown}`: {e}"),
                        hint: "name a folder that exists".into(),
                    })?;
                    refuse(&real)?;
                    sight.read.extend([folder.to_owned(), real.clone()]);
                    sight.folder = Some(real);
                }
            }
        }
    }
    sight.read.dedup();
    Ok(sight)
}

/// What a program needs to see that is known to be an interpreter, or part of the system: its installation.
///
/// # Errors
/// If it is a script that does not say what it stands for.
pub fn sight_of_interpreter(program: &Path, dir: &Path) -> Result<Sight, Unseen> {
    let mut sight = Sight { program: program.to_owned(), ..Sight::default() };
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    if !system::holds(&real) && interpreter::is_known(program) {
        let found = interpreter::find(program, dir)?;
        found.show(&mut sight);
        sight.program = found.program;
    }
    Ok(sight)
}

/// Shows the folder of a file, or a folder itself.
fn take(path: &Path, sight: &mut Sight) -> Result<(), Unseen> {
    let named = if path.is_dir() { Some(path) } else { path.parent() };
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = if real.is_dir() { Some(real.as_path()) } else { real.parent() };
    let (Some(named), Some(folder)) = (named, folder) else { return Ok(()) };
    if !path.is_dir() && [named, folder].iter().any(|folder| SHARED.iter().any(|shared| *folder == Path::new(shared))) {
        sight.read.extend([path.to_owned(), real.clone()]);
        sight.folder = Some(folder.to_owned());
        return Ok(());
    }
    refuse(folder)?;
    // Both: the file may be a link from a folder with its own files.
    refuse(&named.canonicalize().unwrap_or_else(|_| named.to_owned()))?;
    sight.read.extend([named.to_owned(), folder.to_owned()]);
    sight.folder = Some(folder.to_owned());
    Ok(())
}

/// `/`, homes, and what is around them.
fn refuse(folder: &Path) -> Result<(), Unseen> {
    let homes = homes();
    let Some(home) = homes.iter().find(|home| home.starts_with(folder)) else { return Ok(()) };
    let shown = folder.display();
    let what = if home == folder {
        format!("the bot's folder is the home `{shown}`: everything in it would be open to the bot")
    } else {
        format!("the bot's folder is `{shown}`: everything in it, homes as well, would be open to the bot")
    };
    Err(Unseen { what, hint: "put the bot into a folder of its own, or trust it: `--sandbox none`".into() })
}

fn homes() -> Vec<PathBuf> {
    let mut homes = vec![PathBuf::from("/root"), PathBuf::from("/home"), PathBuf::from("/Users")];
    homes.extend(std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute()));
    for folder in ["/home", "/Users"] {
        homes.extend(fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    let real: Vec<PathBuf> = homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
    homes.extend(real);
    homes
}

/// The files and folders that a word names: the word itself, what is behind a `=`, and the parts of a list.
fn paths_in(word: &OsStr, dir: &Path) -> Vec<PathBuf> {
    let existing = |text: &OsStr| {
        let path = dir.join(text);
        (!text.is_empty() && path.exists()).then_some(path)
    };
    if let Some(path) = existing(word) {
        return vec![path];
    }
    let Some(text) = word.to_str() else { return Vec::new() };
    let value = text.split_once('=').map_or(text, |(_, value)| value);
    value.split(':').filter_map(|part| existing(OsStr::new(part))).collect()
}

/// Whether a program given by its path is one of an installation, as `…/bin/python3`, and no bot.
fn in_installation(program: &Path) -> bool {
    program.parent().is_some_and(|folder| folder.ends_with("bin"))
}

/// What the first line of a script names: `#!/usr/bin/env python3` must find the same one inside as outside.
fn through_first_line(script: &Path, dir: &Path, sight: &mut Sight) -> Result<(), Unseen> {
    let Some(words) = interpreter::first_line(script) else { return Ok(()) };
    let mut words = words.iter().map(String::as_str);
    let Some(program) = words.next().map(Path::new) else { return Ok(()) };
    let found = if program.file_name() == Some(OsStr::new("env")) {
        words
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .and_then(|name| interpreter::search(OsStr::new(name)))
    } else {
        Some(program.to_owned())
    };
    let Some(found) = found else { return Ok(()) };
    let real = found.canonicalize().unwrap_or_else(|_| found.clone());
    if !system::holds(&real) && interpreter::is_known(&found) {
        interpreter::find(&found, dir)?.show(sight);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ground(PathBuf);

    impl Ground {
        fn new(name: &str) -> Self {
            let top = std::env::temp_dir().join(format!("agon-sight-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&top);
            for folder in ["bots/book", "elsewhere"] {
                fs::create_dir_all(top.join(folder)).expect("a folder");
            }
            for file in ["bots/run", "bots/main.py", "bots/book/open.txt", "elsewhere/data"] {
                fs::write(top.join(file), "x").expect("a file");
            }
            Self(top.canonicalize().expect("it is there"))
        }

        fn see(&self, program: &str, words: &str) -> Result<Sight, Unseen> {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            sight(CommandLine { words: &words, program: &self.0.join(program), dir: &self.0, bot_dir: None })
        }

        fn folder(&self, program: &str, words: &str) -> Option<PathBuf> {
            let folder = self.see(program, words).expect("it may be shown").folder?;
            Some(folder.strip_prefix(&self.0).expect("of the ground").to_owned())
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_folder_is_that_of_the_first_file_that_is_not_the_systems() {
        let ground = Ground::new("first");
        for (program, words, folder) in [
            ("bots/run", "bots/run elsewhere/data", Some("bots")),
            ("/usr/bin/env", "env -S bots/main.py elsewhere/data", Some("bots")),
            ("/usr/bin/env", "env --book=elsewhere/data bots/main.py", Some("elsewhere")),
            ("/usr/bin/env", "env -cp /usr/share:bots Main", Some("bots")),
            ("/usr/bin/env", "env /usr/bin/env 3 --fast", None),
        ] {
            assert_eq!(ground.folder(program, words), folder.map(PathBuf::from), "{words}");
        }
    }

    #[test]
    fn without_such_a_file_it_is_the_one_that_was_given() {
        let ground = Ground::new("given");
        let words = ["env".into(), "-m".into(), "bot".into()];
        let bots = ground.0.join("bots");
        let line =
            CommandLine { words: &words, program: Path::new("/usr/bin/env"), dir: &ground.0, bot_dir: Some(&bots) };
        assert_eq!(sight(line).expect("it may be shown").folder, Some(bots.clone()));
        let none = bots.join("none");
        assert!(sight(CommandLine { bot_dir: Some(&none), ..line }).is_err());
    }

    #[test]
    fn homes_and_what_is_around_them_are_refused() {
        for folder in ["/", "/home", "/root"] {
            assert!(refuse(Path::new(folder)).is_err(), "{folder}");
        }
        assert!(refuse(Path::new("/root/bots")).is_ok());
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/root".into()));
        assert!(refuse(&home).expect_err("a home").hint.contains("folder of its own"));
    }

    #[test]
    fn of_a_folder_of_everybodys_only_the_file_is_shown() {
        let file = std::env::temp_dir().join(format!("agon-sight-{}.sh", std::process::id()));
        fs::write(&file, "#!/bin/sh\n").expect("a file");
        let mut seen = Sight::default();
        take(&file, &mut seen).expect("it may be shown");
        fs::remove_file(&file).expect("it is ours");
        if SHARED.contains(&std::env::temp_dir().to_str().unwrap_or_default()) {
            assert!(seen.read.iter().all(|path| path.ends_with(file.file_name().expect("a name"))), "{seen:?}");
        }
    }

    #[test]
    fn a_script_brings_the_interpreter_of_its_first_line() {
        let ground = Ground::new("script");
        let Some(python) = interpreter::search(OsStr::new("python3")) else { return };
        fs::write(ground.0.join("bots/run"), "#!/usr/bin/env python3\n").expect("a file");
        let seen = ground.see("bots/run", "bots/run").expect("it may be shown");
        let outside = python.canonicalize().is_ok_and(|real| !system::holds(&real));
        assert_eq!(outside, !seen.search.is_empty(), "{seen:?}");
    }
}
