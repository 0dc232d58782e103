//! Finds out what a command line needs to see beside the system: the bot's folder, and the bot's interpreter if that
//! is not part of the system.

use crate::{
    interpreter,
    named_paths::paths_of,
    privacy::{is_machine, is_shared, may_be_shown},
    system,
};
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// A command line, for which [`visible_files()`] finds out what it needs to see.
#[derive(Clone, Copy, Debug)]
pub struct CommandLine<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// The absolute path of the program's file.
    pub program: &'a Path,
    /// Names of programs that it may start. Those that are the user's own interpreters are shown.
    pub starts: &'a [OsString],
    /// The absolute path of the working directory, in which relative paths begin.
    pub dir: &'a Path,
    /// The bot's folder, which is used if no word names a file or a folder outside the system.
    pub bot_dir: Option<&'a Path>,
}

/// What a command line needs to see, and what to execute.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VisibleFiles {
    /// The file to execute. If the command line names a script of a version manager, this is the interpreter that the
    /// script stands for, because the script is not shown.
    pub program: PathBuf,
    /// Files and folders to show.
    pub read: Vec<PathBuf>,
    /// Folders that are searched for programs before those of the system.
    pub search: Vec<PathBuf>,
    /// The bot's folder. `None` if no word names a file outside the system and no folder was given.
    pub folder: Option<PathBuf>,
}

/// Why a command line cannot be shown what it needs.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{what}")]
pub struct VisibilityError {
    /// What is wrong, as a lower-case fragment.
    pub what: String,
    /// What the user can do about it.
    pub hint: String,
}

/// Finds out what a command line needs to see.
///
/// Each word that is the path of a file outside the system shows the folder of the file, and one that is the path of a folder
/// shows that; the program itself counts as a word. A list of paths with `:` between them counts as several words. If no word is
/// such a path, the command sees [`CommandLine::bot_dir`].
///
/// # Errors
/// * A bot may not see the first of these folders as a whole (see [`may_be_shown`]), or the folder does not exist. Of the others,
///   those that it may not see are left out.
/// * The interpreter is a script that does not report which interpreter it stands for.
pub fn visible_files(line: CommandLine<'_>) -> Result<VisibleFiles, VisibilityError> {
    let mut files = VisibleFiles { program: line.program.to_owned(), ..VisibleFiles::default() };
    let by_name = line.words.first().is_some_and(|word| !word.as_encoded_bytes().contains(&b'/'));
    let real = line.program.canonicalize().unwrap_or_else(|_| line.program.to_owned());
    if !(system::is_system(line.program) && system::is_system(&real)) {
        let known = interpreter::is_known(line.program);
        let of_user = interpreter::is_of_user(line.program);
        if known && of_user {
            let found = interpreter::find(line.program)?;
            found.show(&mut files);
            files.program = found.program;
        } else if known && in_installation(line.program) && interpreter::first_line(&real).is_none() {
            // An interpreter that is named by its path may belong to the bot, so it is not run outside of the sandbox.
            interpreter::placed(line.program).show(&mut files);
        } else if by_name {
            // The user's folder of programs is not shown, only the named file in it.
            files.read.push(line.program.to_owned());
            through_first_line(line.program, of_user, &mut files)?;
        } else {
            take(line.program, &mut files)?;
            through_first_line(line.program, false, &mut files)?;
        }
    }
    for name in line.starts.iter().filter(|name| interpreter::is_known(Path::new(name))) {
        let own = interpreter::search(name).filter(|own| !is_system_file(own));
        // If it does not say where it is, the bot that starts it fails, and others do not.
        if let Some(found) = own.and_then(|own| interpreter::find(&own).ok()) {
            found.show(&mut files);
        }
    }
    let own = |path: &PathBuf| !system::is_system(path) && !is_machine(path);
    for path in line.words.iter().skip(1).flat_map(|word| paths_of(word, line.dir)).filter(own) {
        let is_first = files.folder.is_none();
        match take(&path, &mut files) {
            Ok(()) if is_first => through_first_line(&path, false, &mut files)?,
            Ok(()) => {}
            Err(refused) if is_first => return Err(refused),
            Err(_) => {}
        }
    }
    if let Some(folder) = line.bot_dir.filter(|_| files.folder.is_none()) {
        let shown = folder.display();
        let real = folder.canonicalize().map_err(|e| VisibilityError {
            what: format!("cannot find the bot's folder `{shown}`: {e}"),
            hint: "name a folder that exists".into(),
        })?;
        may_be_shown(folder)?;
        files.read.extend([folder.to_owned(), real.clone()]);
        files.folder = Some(real);
    }
    files.read.dedup();
    Ok(files)
}

fn is_system_file(path: &Path) -> bool {
    system::is_system(path) && path.canonicalize().is_ok_and(|real| system::is_system(&real))
}

/// Finds out what an interpreter in this user's search path needs to see: its installation. For any other program,
/// such as a bot's file with the name `python3`, the result is empty, because such a program is not run outside of the
/// sandbox.
///
/// # Errors
/// The interpreter is a script that does not report which interpreter it stands for.
pub fn visible_files_of_interpreter(program: &Path) -> Result<VisibleFiles, VisibilityError> {
    let mut files = VisibleFiles { program: program.to_owned(), ..VisibleFiles::default() };
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let system = system::is_system(program) && system::is_system(&real);
    if !system && interpreter::is_known(program) && interpreter::is_of_user(program) {
        let found = interpreter::find(program)?;
        found.show(&mut files);
        files.program = found.program;
    } else if !system && interpreter::is_known(program) && in_installation(program) {
        // Somebody else may have written this path. It is shown only if it is what the user has under that name.
        let own = program.file_name().and_then(interpreter::search).and_then(|own| interpreter::find(&own).ok());
        if let Some(own) = own.filter(|own| own.program.canonicalize().is_ok_and(|own| own == real)) {
            own.show(&mut files);
            files.program = own.program;
        }
    }
    Ok(files)
}

/// Shows a folder, or the folder of a file, as the bot's folder. In a shared folder, shows only the file.
fn take(path: &Path, files: &mut VisibleFiles) -> Result<(), VisibilityError> {
    let named = if path.is_dir() { Some(path) } else { path.parent() };
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = if real.is_dir() { Some(real.as_path()) } else { real.parent() };
    let (Some(named), Some(folder)) = (named, folder) else { return Ok(()) };
    if !path.is_dir() && (is_shared(named) || is_shared(folder)) {
        files.read.extend([path.to_owned(), real.clone()]);
        files.folder = Some(folder.to_owned());
        return Ok(());
    }
    // Both folders are shown: the file may be a link, and the folder of the link may hold files of the bot too.
    may_be_shown(folder)?;
    if named != folder {
        may_be_shown(named)?;
    }
    files.read.extend([named.to_owned(), folder.to_owned()]);
    files.folder = Some(folder.to_owned());
    Ok(())
}

/// Whether a program that is named by its path is part of an installation, as `…/bin/python3` is, and not a bot.
fn in_installation(program: &Path) -> bool {
    program.parent().is_some_and(|folder| folder.ends_with("bin"))
}

/// Shows the interpreter that the first line of a script names: `#!/usr/bin/env python3` must find the same
/// interpreter in the sandbox as outside.
///
/// The first line of a script in the user's search path is trusted. That of a bot is not: the program that it names is
/// neither run outside of the sandbox nor shown, unless it is the user's own interpreter with that name.
fn through_first_line(script: &Path, of_user: bool, files: &mut VisibleFiles) -> Result<(), VisibilityError> {
    let Some(words) = interpreter::first_line(script) else { return Ok(()) };
    let mut words = words.iter().map(String::as_str);
    let Some(mut program) = words.next() else { return Ok(()) };
    if Path::new(program).file_name() == Some(OsStr::new("env")) {
        let Some(name) = words.find(|word| !word.starts_with('-') && !word.contains('=')) else { return Ok(()) };
        program = name;
    }
    let program = Path::new(program);
    let found = if program.components().count() > 1 || program.is_absolute() {
        Path::new("/").join(program)
    } else {
        let Some(found) = interpreter::search(program.as_os_str()) else { return Ok(()) };
        found
    };
    let real = found.canonicalize().unwrap_or_else(|_| found.clone());
    if (system::is_system(&found) && system::is_system(&real)) || !interpreter::is_known(&found) {
        return Ok(());
    }
    if of_user || interpreter::is_of_user(&found) {
        interpreter::find(&found)?.show(files);
    } else if let Some(own) = found.file_name().and_then(interpreter::search) {
        let own = interpreter::find(&own)?;
        if own.program.canonicalize().is_ok_and(|own| own == real) {
            own.show(files);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
    };

    struct Ground(PathBuf);

    impl Ground {
        fn new(name: &str) -> Self {
            let top = std::env::temp_dir().join(format!("agon-files-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&top);
            for folder in ["bots/book", "elsewhere"] {
                fs::create_dir_all(top.join(folder)).expect("a folder");
            }
            for file in ["bots/run", "bots/main.py", "bots/book/open.txt", "elsewhere/data"] {
                fs::write(top.join(file), "x").expect("a file");
            }
            Self(top.canonicalize().expect("it is there"))
        }

        fn see(&self, program: &str, words: &str) -> Result<VisibleFiles, VisibilityError> {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            visible_files(CommandLine {
                words: &words,
                program: &self.0.join(program),
                starts: &[],
                dir: &self.0,
                bot_dir: None,
            })
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
    fn a_command_sees_the_paths_among_its_words() {
        let ground = Ground::new("words");
        for (program, words, shown) in [
            ("bots/run", "bots/run", "bots"),
            ("bots/run", "bots/run elsewhere/data", "bots elsewhere"),
            ("bots/run", "bots/run --into elsewhere", "bots elsewhere"),
            ("/usr/bin/timeout", "timeout 60 bots/main.py", "bots"),
            ("/usr/bin/env", "env X=elsewhere/data bots/main.py", "bots"),
            ("/usr/bin/env", "env -C bots ./main.py", "bots"),
            ("/usr/bin/env", "env --book=elsewhere/data bots/main.py", "bots"),
            ("/usr/bin/env", "env --log=elsewhere bots/main.py", "bots"),
            ("/usr/bin/env", "env -cp /usr/share:bots:elsewhere Main", "bots elsewhere"),
            ("/usr/bin/env", "env A=nowhere:elsewhere", ""),
            ("/usr/bin/env", "env bots/main.py /", "bots"),
            ("/usr/bin/env", "env bots/nowhere.py", ""),
            ("/usr/bin/env", "env /usr/bin/env 3 --fast", ""),
        ] {
            let seen = ground.see(program, words).expect("it may be shown");
            let own = seen.read.iter().filter_map(|path| path.strip_prefix(&ground.0).ok());
            let own: std::collections::BTreeSet<_> = own.map(|path| path.display().to_string()).collect();
            assert_eq!(own.into_iter().collect::<Vec<_>>().join(" "), shown, "{words}");
        }
        let text = ["sh".into(), "-c".into(), "exec bots/run elsewhere".into()];
        let line =
            CommandLine { words: &text, program: Path::new("/bin/sh"), starts: &[], dir: &ground.0, bot_dir: None };
        assert_eq!(visible_files(line).expect("it may be shown").folder, None, "a text is no path");
        assert!(ground.see("/usr/bin/env", "env / bots/main.py").is_err(), "the first path is the bot's");
    }

    #[test]
    fn without_such_a_file_it_is_the_one_that_was_given() {
        let ground = Ground::new("given");
        let words = ["env".into(), "-m".into(), "bot".into()];
        let bots = ground.0.join("bots");
        let line = CommandLine {
            words: &words,
            program: Path::new("/usr/bin/env"),
            starts: &[],
            dir: &ground.0,
            bot_dir: Some(&bots),
        };
        assert_eq!(visible_files(line).expect("it may be shown").folder, Some(bots.clone()));
        let none = bots.join("none");
        assert!(visible_files(CommandLine { bot_dir: Some(&none), ..line }).is_err());
    }

    #[test]
    fn of_a_folder_of_everybodys_only_the_file_is_shown() {
        let file = Path::new("/tmp").join(format!("agon-files-{}.sh", std::process::id()));
        fs::write(&file, "#!/bin/sh\n").expect("a file");
        let mut seen = VisibleFiles::default();
        take(&file, &mut seen).expect("it may be shown");
        fs::remove_file(&file).expect("it is ours");
        assert!(seen.read.iter().all(|path| path.ends_with(file.file_name().expect("a name"))), "{seen:?}");
    }

    #[test]
    fn a_script_brings_the_interpreter_of_its_first_line() {
        let ground = Ground::new("script");
        let Some(python) = interpreter::search(OsStr::new("python3")) else {
            assert!(std::env::var_os("CI").is_none(), "there is no `python3`, which this test needs");
            return eprintln!("SKIPPED: there is no `python3`, which this test needs");
        };
        fs::write(ground.0.join("bots/run"), "#!/usr/bin/env python3\n").expect("a file");
        let seen = ground.see("bots/run", "bots/run").expect("it may be shown");
        let outside = python.canonicalize().is_ok_and(|real| !system::is_system(&real));
        assert_eq!(outside, !seen.search.is_empty(), "{seen:?}");
    }

    /// No program of a bot may run outside of the sandbox, not even to find out what it is.
    #[test]
    fn an_interpreter_of_a_bot_is_neither_run_nor_shown() {
        let ground = Ground::new("trap");
        let trap = ground.0.join("sprung");
        let script = |name: &str, text: &str| {
            let path = ground.0.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
        };
        for name in ["python3", "bots/python3", "bots/bin/python3", "elsewhere/bin/python3"] {
            script(name, &format!("#!/bin/sh\n: > {}\necho agon:/usr/bin/env\n", trap.display()));
        }
        fs::write(ground.0.join("elsewhere/bin/node"), "no script").expect("a file");
        let top = ground.0.display();
        for line in [
            "./python3".to_owned(),
            "bots/python3".into(),
            format!("{top}/elsewhere/bin/python3"),
            format!("{top}/elsewhere/bin/node"),
            format!("/usr/bin/env {top}/elsewhere/bin/python3"),
            "/usr/bin/env ./python3".into(),
            "/usr/bin/env -S bots/bin/python3 -u".into(),
            format!("/usr/bin/env ../..{top}/elsewhere/bin/python3"),
        ] {
            script("bots/run", &format!("#!{line}\n"));
            let seen = ground.see("bots/run", "bots/run").expect("it may be shown");
            assert!(!trap.exists(), "{line} was run");
            let elsewhere = ground.0.join("elsewhere");
            assert!(seen.read.iter().all(|path| !path.starts_with(&elsewhere)), "{line}: {seen:?}");
        }
        for program in ["bots/bin/python3", "python3", "bots/python3"] {
            let _ = ground.see(program, program);
            let alone = visible_files_of_interpreter(&ground.0.join(program)).expect("nothing is asked");
            assert!(!trap.exists() && alone.read.is_empty(), "{program} was run");
        }
    }

    #[test]
    fn a_virtual_environment_is_shown_with_what_it_links_to() {
        let ground = Ground::new("venv");
        for folder in ["venv/bin", "versions/3.99/bin", "versions/3.99/lib"] {
            fs::create_dir_all(ground.0.join(folder)).expect("a folder");
        }
        fs::write(ground.0.join("versions/3.99/bin/python3.99"), "no script").expect("a file");
        symlink(ground.0.join("versions/3.99/bin/python3.99"), ground.0.join("venv/bin/python")).expect("a link");
        symlink("/usr/bin/env", ground.0.join("venv/bin/python3")).expect("a link");
        let seen = ground.see("venv/bin/python", "venv/bin/python bots/main.py").expect("it may be shown");
        assert_eq!(seen.program, ground.0.join("venv/bin/python"));
        assert_eq!(seen.folder, Some(ground.0.join("bots")));
        for shown in ["venv", "versions/3.99"] {
            assert!(seen.read.contains(&ground.0.join(shown)), "{shown}: {seen:?}");
        }
        let seen = ground.see("venv/bin/python3", "venv/bin/python3 bots/main.py").expect("it may be shown");
        assert!(seen.read.contains(&ground.0.join("venv")) && !seen.read.contains(&"/usr".into()), "{seen:?}");
    }

    #[test]
    fn the_machine_is_no_file_of_a_bot() {
        let ground = Ground::new("machine");
        for words in ["env /proc/self/environ bots/main.py", "env /dev/stdin bots/main.py"] {
            assert_eq!(ground.folder("/usr/bin/env", words), Some("bots".into()), "{words}");
        }
    }
}
