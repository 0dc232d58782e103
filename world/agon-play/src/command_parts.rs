//! What the words of a command name. The hash of a command and the files that travel with it both follow from this list, so that
//! whatever identifies a bot also goes with it to another machine.

use crate::{
    bot_name::{file_name, is_interpreter},
    visible::{Entered, Inside, commands, entered, named_inside},
};
use agon_sandbox::{is_system, paths_named};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// A part of a command, as its [`ContentHash`](crate::ContentHash) sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommandPart {
    /// A program that counts by its name: one that is looked up in the search path, an interpreter, or one of the system.
    Program(String),
    /// A word that counts as it is. It names no file outside the system.
    Word(String),
    /// A word that names the folder in which a wrapper starts the program: `bots` in `env -C bots ./mine`. It counts as it is.
    Entered(CommandPath),
    /// An option that counts by its name: `--model` in `--model=big.bin`. The files in its value follow.
    Option(String),
    /// A file or folder outside the system. Its bytes count.
    Path(CommandPath),
    /// A file or folder that the text of a shell names. Its bytes count.
    InText(CommandPath),
    /// A file that the command names by a module or a class: `python3 -m bot`. Its bytes count.
    Module(CommandPath),
}

/// A path that a command names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandPath {
    /// The word of the command, or of the text of a shell.
    pub word: String,
    /// The part of the word that is the path. Of a module, its file as seen from `base`.
    pub named: PathBuf,
    /// The folder in which the path begins.
    pub base: PathBuf,
}

impl CommandPath {
    /// Returns the whole path.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.base.join(&self.named)
    }

    fn of_word(word: &str, base: &Path, path: &Path) -> Self {
        let texts = std::iter::once(word).chain(word.split_once('=').map_or(word, |(_, value)| value).split(':'));
        let named = texts.map(Path::new).find(|text| base.join(text) == path).unwrap_or(path);
        Self { word: word.to_owned(), named: named.to_owned(), base: base.to_owned() }
    }
}

/// Splits a command that is started in `dir` into its parts, in the order in which they are hashed.
#[must_use]
pub fn command_parts(words: &[String], dir: &Path) -> Vec<CommandPart> {
    let os_words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let Entered { folder, by, inner } = entered(&os_words, dir);
    let mut parts = Vec::new();
    for (i, (os_word, word)) in os_words.iter().zip(words).enumerate() {
        let here = if i < inner { dir } else { &folder };
        // An interpreter counts by its name, whatever its location. So does any program of the system.
        let program = || !word.contains('/') || is_interpreter(file_name(word)) || is_system(&here.join(word));
        if i == 0 && program() {
            parts.push(CommandPart::Program(word.clone()));
            continue;
        }
        if by.contains(&i) {
            let value = word.strip_prefix("--chdir=").or_else(|| word.strip_prefix("-C")).unwrap_or(word);
            let inside = folder.strip_prefix(dir).ok().filter(|_| !value.starts_with('/'));
            let named = inside.unwrap_or(&folder).to_owned();
            parts.push(CommandPart::Entered(CommandPath { word: word.clone(), named, base: dir.to_owned() }));
            continue;
        }
        let own: Vec<PathBuf> = paths_named(os_word, here).into_iter().filter(|path| !is_system(path)).collect();
        if own.is_empty() {
            parts.push(CommandPart::Word(word.clone()));
            continue;
        }
        if !here.join(word).exists() {
            let option = word.split_once('=').map_or("", |(option, _)| option);
            parts.push(CommandPart::Option(option.to_owned()));
        }
        parts.extend(own.iter().map(|path| CommandPart::Path(CommandPath::of_word(word, here, path))));
    }
    parts.extend(named_inside(&os_words, dir).into_iter().map(|Inside { word, base, path, is_module }| {
        let word = word.to_string_lossy();
        if is_module {
            let named = path.strip_prefix(&base).unwrap_or(&path).to_owned();
            return CommandPart::Module(CommandPath { word: word.into_owned(), named, base });
        }
        CommandPart::InText(CommandPath::of_word(&word, &base, &path))
    }));
    parts
}

/// Returns the programs that a command starts, as far as its words tell: the first word of the command, and of every command that
/// a wrapper or the text of a shell starts. Each comes with the folder in which it starts.
#[must_use]
pub fn programs_started(words: &[String], dir: &Path) -> Vec<(String, PathBuf)> {
    let os_words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let inner = commands(&os_words, dir).into_iter();
    let inner = inner.filter_map(|(words, dir)| Some((words.into_iter().next()?.into_string().ok()?, dir)));
    words.first().cloned().map(|program| (program, dir.to_owned())).into_iter().chain(inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn each_word_is_told_with_what_it_names() {
        let top = std::env::temp_dir().join(format!("agon-parts-{}", std::process::id()));
        fs::create_dir_all(top.join("bots")).expect("a folder");
        for name in ["bots/bot.py", "bots/a.bin", "solo.py"] {
            fs::write(top.join(name), "").expect("a file");
        }
        for (command, expected) in [
            ("python3 bots/bot.py 3", "program python3, path bots/bot.py, word 3"),
            ("bots/bot.py --book=bots/a.bin", "path bots/bot.py, option --book, path bots/a.bin"),
            ("java -cp bots:solo.py", "program java, word -cp, option , path bots, path solo.py"),
            ("env -C bots python3 bot.py", "program env, word -C, entered bots, word python3, path bot.py"),
            ("sh -c 'cd bots && python3 bot.py'", "program sh, word -c, word cd bots && python3 bot.py, text bot.py"),
            ("timeout 9 python3 -m solo", "program timeout, word 9, word python3, word -m, word solo, module solo.py"),
            ("python3 -m bots.bot", "program python3, word -m, word bots.bot, module bots/bot.py"),
            (".venv/bin/python solo.py", "program .venv/bin/python, path solo.py"),
        ] {
            let words = shlex::split(command).expect("quotes");
            let shown: Vec<String> = command_parts(&words, &top)
                .into_iter()
                .map(|part| match part {
                    CommandPart::Program(word) => format!("program {word}"),
                    CommandPart::Word(word) => format!("word {word}"),
                    CommandPart::Option(word) => format!("option {word}"),
                    CommandPart::Entered(path) => format!("entered {}", path.named.display()),
                    CommandPart::Path(path) => format!("path {}", path.named.display()),
                    CommandPart::InText(path) => format!("text {}", path.named.display()),
                    CommandPart::Module(path) => format!("module {}", path.named.display()),
                })
                .collect();
            assert_eq!(shown.join(", "), expected, "{command}");
        }
        let started = programs_started(&["sh", "-c", "cd bots; mine 1 | other"].map(str::to_owned), &top);
        let started: Vec<&str> = started.iter().map(|(program, _)| &**program).collect();
        assert_eq!(started, ["sh", "mine", "other"]);
        fs::remove_dir_all(&top).expect("it can be removed");
    }
}
