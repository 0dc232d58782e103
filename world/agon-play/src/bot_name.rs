//! The names of bots.

use crate::{BotSpec, NamedBot};

/// The maximum number of characters in a name.
pub(crate) const NAME_LIMIT: usize = 40;

/// Programs that run the program named by their arguments.
const INTERPRETERS: &[&str] = &[
    "python", "pypy", "node", "deno", "bun", "java", "ruby", "perl", "php", "lua", "luajit", "bash", "sh", "dash",
    "zsh", "env", "mono", "dotnet", "Rscript", "guile", "racket", "wine", "nice", "taskset", "timeout", "strace",
];

/// Makes every name unique: the second `random` becomes `random#2`.
pub fn unique_names(bots: &mut [NamedBot]) {
    for i in 1..bots.len() {
        let (before, rest) = bots.split_at_mut(i);
        let bot = &mut rest[0];
        let taken = |name: &str| before.iter().any(|b| b.name == name);
        if taken(&bot.name) {
            let free = (2..).map(|n| format!("{}#{n}", bot.name)).find(|name| !taken(name));
            bot.name = free.unwrap_or_default();
        }
    }
}

/// Splits `NAME=SPEC`. The text before `=` counts only if it is a valid name: `./bot --depth=3` has no name.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, words)) if is_name(name) => (Some(name), words),
        _ => (None, text),
    }
}

/// Derives the name of a bot to which the user gave none.
pub(crate) fn default_name(spec: &BotSpec) -> String {
    match spec {
        BotSpec::Builtin(name) => (*name).to_owned(),
        BotSpec::Command(words) => plain(name_of_command(words)),
        BotSpec::Wasm(path) => plain(&path.file_stem().unwrap_or_default().to_string_lossy()),
        BotSpec::Folder(path) | BotSpec::Archive(path) => {
            // Resolve the path: the folders `.` and `..` have names, too.
            let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
            let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = if matches!(spec, BotSpec::Folder(_)) { &name } else { stem(&name) };
            plain(name.strip_suffix(".tar").unwrap_or(name))
        }
        BotSpec::Champion(path) => {
            let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
            let named = if whole.is_dir() { whole.file_name() } else { whole.file_stem() };
            plain(&named.unwrap_or_default().to_string_lossy())
        }
        BotSpec::Human => "human".to_owned(),
    }
}

/// Derives a name from a command. After an interpreter, the first word that names a file counts: the name of
/// `python3 bots/mine.py --fast 3` is `mine`.
fn name_of_command(words: &[String]) -> &str {
    let program = words.first().map(String::as_str).unwrap_or_default();
    let module = words.iter().position(|w| w == "-m").and_then(|at| words.get(at + 1)).map(String::as_str);
    let code = words.iter().position(|w| w == "-c" || w == "-e").unwrap_or(words.len());
    let named_file = |w: &&String| !w.starts_with('-') && stem(w) != file_name(w);
    let script = words[..code].iter().skip(1).find(named_file).map_or(program, String::as_str);
    // The name of a module is `package.name`, that of a file is `name.ending`.
    let module = module.and_then(|module| module.rsplit('.').next());
    match module {
        _ if !is_interpreter(file_name(program)) => stem(program),
        Some(module) => module,
        None => stem(script),
    }
}

/// Returns whether a program of this name is an interpreter or a wrapper: it runs the program in its arguments.
pub(crate) fn is_interpreter(program: &str) -> bool {
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&plain)
}

/// Cuts `text` to at most `most` characters. A cut text ends with `…`.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Makes a valid name of a word: each character that a name cannot have becomes `_`.
fn plain(word: &str) -> String {
    let name: String = word.chars().map(|c| if is_name_char(c) { c } else { '_' }).take(NAME_LIMIT).collect();
    if name.chars().any(char::is_alphanumeric) { name } else { "bot".to_owned() }
}

fn is_name(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_alphanumeric)
        && name.chars().all(is_name_char)
        && name.chars().count() <= NAME_LIMIT
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#')
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_program_or_the_script() {
        for (text, name) in [
            ("./mybot", "mybot"),
            ("python3 bots/mine.py --fast 3", "mine"),
            ("python3.12 -u mine.py", "mine"),
            ("/usr/bin/env node a/b.js", "b"),
            ("agon bot planet-wars rage", "agon"),
            ("bash -c 'cat'", "bash"),
            ("python3 -c 'sys.exit()'", "python3"),
            ("python3 -m bots.mine --fast 3", "mine"),
            ("./...", "bot"),
            ("'./my bot' x", "my_bot"),
        ] {
            let command = BotSpec::Command(shlex::split(text).expect("quotes match"));
            assert_eq!(default_name(&command), name, "{text}");
        }
    }

    #[test]
    fn only_what_looks_like_a_name_is_one() {
        assert_eq!(split("me=./bot"), (Some("me"), "./bot"));
        assert_eq!(split("me=./bot --depth=3"), (Some("me"), "./bot --depth=3"));
        assert_eq!(split("./bot --depth=3"), (None, "./bot --depth=3"));
        assert_eq!(split("=x"), (None, "=x"));
        assert_eq!(split("@random"), (None, "@random"));
    }

    #[test]
    fn names_become_unique() {
        let bot = |name: &str| NamedBot { name: name.into(), words: String::new(), spec: BotSpec::Builtin("random") };
        let mut bots: Vec<_> = ["a", "a", "a#2", "a", "b"].map(bot).into();
        unique_names(&mut bots);
        let names: Vec<_> = bots.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["a", "a#2", "a#2#2", "a#3", "b"]);
    }

    #[test]
    fn long_texts_are_cut_by_characters() {
        assert_eq!(shortened("日本語", 3), "日本語");
        assert_eq!(shortened("日本語です", 3), "日本…");
    }
}
