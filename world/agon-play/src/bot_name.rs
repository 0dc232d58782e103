//! The names of bots.

use crate::{BotSpec, NamedBot, interpreted::text_of_shell};
use agon_build::{
    intake::Kind,
    wrapper::{is_wrapper, unwrapped},
};
use agon_core::text::is_hidden;
use agon_languages::{interpreter, is_shell};
use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::fs::PermissionsExt,
    path::Path,
};

/// The maximum number of characters in a name.
pub(crate) const NAME_LIMIT: usize = 40;

/// Makes every name unique. Bots whose files have the same name are told apart by the shortest ends of their paths, as
/// `a/bot` and `b/bot`, unless the user has named them. If they are equal still, the second `random` becomes `random#2`.
pub fn unique_names(bots: &mut [NamedBot]) {
    name_by_paths(bots);
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

/// Puts folders before the names that come from files, where several bots have the same one.
fn name_by_paths(bots: &mut [NamedBot]) {
    let mut groups: BTreeMap<String, Vec<(usize, Vec<String>)>> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for (number, bot) in bots.iter().enumerate() {
        match path_parts(&bot.spec).filter(|_| !bot.is_named) {
            Some(path) => groups.entry(bot.name.clone()).or_default().push((number, path)),
            None => drop(taken.insert(bot.name.clone())),
        }
    }
    for same in groups.into_values() {
        let different = same.iter().map(|(_, path)| path).collect::<BTreeSet<_>>().len();
        let longest = same.iter().map(|(_, path)| path.len()).max().unwrap_or(0);
        let end = |path: &[String], count: usize| path[path.len().saturating_sub(count)..].join("/");
        let fits = |ends: &Vec<String>| {
            ends.iter().collect::<BTreeSet<_>>().len() == different
                && ends.iter().all(|end| !taken.contains(end) && end.chars().count() <= NAME_LIMIT)
        };
        let ends = |count: usize| same.iter().map(|(_, path)| end(path, count)).collect();
        let Some(ends) = (1..=longest).map(ends).find(fits) else { continue };
        for ((number, _), end) in same.into_iter().zip(ends) {
            bots[number].name = end;
        }
    }
}

/// Returns the names of the folders and at last of the file from which a bot has its name, as the user wrote them. `None`
/// without such a file.
fn path_parts(spec: &BotSpec) -> Option<Vec<String>> {
    let name = default_name(spec);
    let path = match spec {
        BotSpec::Command(words) => named_word(words),
        BotSpec::Wasm(path) | BotSpec::Folder(path) | BotSpec::Archive(path) | BotSpec::Champion(path) => {
            // `.` and `..` have no name of their own.
            let whole = path.file_name().is_none().then(|| path.canonicalize().ok()).flatten();
            whole.as_ref().unwrap_or(path).to_string_lossy().into_owned()
        }
        BotSpec::Builtin(_) | BotSpec::Human => return None,
    };
    let (folders, _) = path.trim_end_matches('/').rsplit_once('/').unwrap_or(("", &path));
    let folders = folders.split('/').filter(|folder| !matches!(*folder, "" | "."));
    let folders = folders.map(|folder| folder.chars().map(|c| if is_name_char(c) { c } else { '_' }).collect());
    Some(folders.chain([name]).collect())
}

/// Splits `NAME=SPEC`. The text before `=` counts only if it is a valid name: `./bot --depth=3` has no name.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, words)) if is_name(name) && !is_command(name, words) => (Some(name), words),
        _ => (None, text),
    }
}

/// Returns whether a text before a `=` begins a command, of which `after` is the rest: `python3 bot.py --depth`, `env A`. What is
/// installed here decides only if nothing else does, because the same words should mean the same everywhere.
fn is_command(text: &str, after: &str) -> bool {
    let Some((first, rest)) = text.split_once(' ') else { return false };
    if after.starts_with('@') && !after.contains(' ') {
        return false;
    }
    if is_interpreter(first) || rest.split(' ').any(|word| word.starts_with('-')) {
        return true;
    }
    if begins_bot(after) {
        return false;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    rest.split(' ').any(|word| Path::new(word).is_file())
        || Path::new(first).exists()
        || std::env::split_paths(&path).any(|folder| folder.join(first).is_file())
}

/// Returns whether a text can be nothing but a bot: `@rage`, `python3 bot.py`, `./bot --fast`, a folder or an archive.
pub(crate) fn begins_bot(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    let path = Path::new(first);
    let is_bot = |about: std::fs::Metadata| about.is_dir() || about.permissions().mode() & 0o111 != 0;
    first.starts_with('@')
        || is_interpreter(file_name(first))
        || path.metadata().is_ok_and(is_bot)
        || Kind::of(path).is_some()
        || (first.ends_with(".wasm") && path.is_file())
}

/// Derives the name of a bot to which the user gave none.
pub(crate) fn default_name(spec: &BotSpec) -> String {
    match spec {
        BotSpec::Builtin(name) => (*name).to_owned(),
        BotSpec::Command(words) => plain(stem(&named_word(words))),
        BotSpec::Wasm(path) => plain(&path.file_stem().unwrap_or_default().to_string_lossy()),
        BotSpec::Folder(path) | BotSpec::Archive(path) => {
            // Resolve the path: the folders `.` and `..` have names, too.
            let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
            let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = if matches!(spec, BotSpec::Folder(_)) { &name } else { stem(name.trim_end_matches(['.', ' '])) };
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

/// Returns the word of a command that names the bot. A program that starts another one or executes a file does not: in
/// `timeout 10 python3 bots/mine.py --fast 3`, it is `bots/mine.py`. Empty if there is none.
fn named_word(words: &[String]) -> String {
    let words = &words[unwrapped(words).inner..];
    let Some((program, arguments)) = words.split_first() else { return String::new() };
    if !is_interpreter(program) {
        return program.clone();
    }
    let text_of_shell = text_of_shell(words);
    let is_code = |word: &str| interpreter(program).is_some_and(|it| it.code.contains(&word));
    // Before this there is no text of a program.
    let code = match text_of_shell {
        Some(at) => Some(at - 1),
        None if is_shell(program) => None,
        None => arguments.iter().position(|word| is_code(word)),
    };
    let module = arguments.iter().position(|w| w == "-m").and_then(|at| arguments.get(at + 1));
    // The name of a module is `package.name`, that of a file is `name.ending`.
    if let Some(module) = module {
        return module.replace('.', "/");
    }
    let before = &arguments[..code.unwrap_or(arguments.len())];
    let has_ending = |word: &str| {
        let (file, stem) = (file_name(word), stem(word));
        file.len() > stem.len() + 1 && file[stem.len() + 1..].starts_with(|c: char| c.is_alphabetic())
    };
    let is_plain = |word: &&String| !word.starts_with(['-', '+']) && !word.contains('=');
    if let Some(file) = before.iter().filter(is_plain).find(|word| has_ending(word) && !word.contains(':')) {
        return file.clone();
    }
    let follows_option = |at: usize| at > 0 && before[at - 1].starts_with('-');
    let named = before.iter().enumerate().filter(|(_, word)| is_plain(word));
    let mut named = named.filter(|(at, word)| !follows_option(*at) || word.contains('/')).map(|(_, word)| word);
    if let Some(word) = named.next_back().filter(|_| code.is_none()) {
        return word.clone();
    }
    // The text of a shell's program is a command again.
    let text = text_of_shell.and_then(|at| words.get(at));
    let prepares = |part: &&str| {
        let first = part.split(' ').next().unwrap_or_default();
        ["", "cd", "export", "set", "source", ".", "ulimit", "true", ":"].contains(&first)
    };
    let first = text.and_then(|text| text.split(['\n', ';', '&', '|']).map(str::trim).find(|part| !prepares(part)));
    first.and_then(shlex::split).map(|words| named_word(&words)).unwrap_or_default()
}

/// Returns whether a program of this name is an interpreter or a wrapper: it runs the program in its arguments.
pub(crate) fn is_interpreter(program: &str) -> bool {
    interpreter(program).is_some() || is_wrapper(program)
}

/// Makes a valid name of a word: each character that a name cannot have becomes `_`.
fn plain(word: &str) -> String {
    let name: String = word.chars().map(|c| if is_name_char(c) { c } else { '_' }).take(NAME_LIMIT).collect();
    if name.chars().any(char::is_alphanumeric) { name } else { "bot".to_owned() }
}

/// Returns whether a text is a name: words of any script, with single blanks between them.
fn is_name(name: &str) -> bool {
    // In many scripts signs that are no letters belong to a word, but none that looks like nothing, or like a mark of ASCII.
    let is_of_word = |c: char| is_name_char(c) || (!c.is_ascii() && !c.is_whitespace() && !is_hidden(c));
    name.chars().next().is_some_and(char::is_alphanumeric)
        && name.split(' ').all(|word| !word.is_empty() && word.chars().all(is_of_word))
        && name.chars().count() <= NAME_LIMIT
}

fn is_name_char(c: char) -> bool {
    // Some letters are as wide as nothing.
    (c.is_alphanumeric() && !is_hidden(c)) || matches!(c, '-' | '_' | '.' | '+' | '#')
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
            ("bash -c 'cat'", "cat"),
            ("python3 -c 'sys.exit()'", "bot"),
            ("sh -c 'cd bots && exec python3 -u mine.py 3'", "mine"),
            ("sh run.sh", "run"),
            ("timeout 10 python3 bots/mine.py", "mine"),
            ("timeout -k 5 1.5s ./mine", "mine"),
            ("env A=/x/y.z B=2 python3 mine.py", "mine"),
            ("nice -n 5 java -cp out:lib.jar MyBot", "MyBot"),
            ("java -jar build/mine.jar", "mine"),
            ("python3 -u bots/mine", "mine"),
            ("python3 -", "bot"),
            ("erl -noshell -s mine", "bot"),
            ("timeout 10", "bot"),
            ("python3 -m bots.mine --fast 3", "mine"),
            ("./...", "bot"),
            ("'./my bot' x", "my_bot"),
            ("taskset -c 0-3 ./mine", "mine"),
            ("timeout -s KILL 10 ./mine", "mine"),
            ("timeout --signal KILL 10 python3 py/bot.py", "bot"),
            ("env --chdir bots --unset HOME python3 mine.py", "mine"),
            ("bash -xeuo pipefail -c './mine'", "mine"),
            ("sh run.sh -c 3", "run"),
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
        assert_eq!(split("Équipe 3=python3 bot.py"), (Some("Équipe 3"), "python3 bot.py"));
        assert_eq!(split("हिन्दी दल=./bot"), (Some("हिन्दी दल"), "./bot"));
        // Programs of these names may be installed.
        for (text, name, words) in [
            ("test 1=@random", "test 1", "@random"),
            ("time 3=@random", "time 3", "@random"),
            ("yes we can=python3 bot.py", "yes we can", "python3 bot.py"),
            ("sort 2=timeout 5 ./mine", "sort 2", "timeout 5 ./mine"),
            ("look 1=src", "look 1", "src"),
        ] {
            assert_eq!(split(text), (Some(name), words));
        }
        for command in [
            "time x=1",
            "sort key=3",
            "sort key=Cargo.toml",
            "python3 bot.py --depth=3",
            "env A=1 ./bot",
            "a  b=./bot",
            "a =./bot",
            "sh x=y",
            "a\u{202e}b=./bot",
            "ab\u{3164}=./bot",
            "x -d=3",
        ] {
            assert_eq!(split(command), (None, command));
        }
    }

    #[test]
    fn names_become_unique() {
        let bot = |name: &str| NamedBot {
            name: name.into(),
            words: String::new(),
            spec: BotSpec::Builtin("random"),
            is_named: true,
        };
        let mut bots: Vec<_> = ["a", "a", "a#2", "a", "b"].map(bot).into();
        unique_names(&mut bots);
        let names: Vec<_> = bots.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["a", "a#2", "a#2#2", "a#3", "b"]);
    }

    #[test]
    fn files_of_the_same_name_are_told_apart_by_their_folders() {
        for (given, wanted) in [
            (&["python3 a/bot.py", "python3 b/bot.py"][..], &["a/bot", "b/bot"][..]),
            (&["python3 bot.py", "python3 old/bot.py"], &["bot", "old/bot"]),
            (&["./x/1/bot", "./x/2/bot", "./y/1/bot"], &["x/1/bot", "x/2/bot", "y/1/bot"]),
            (&["python3 a/bot.py 1", "python3 a/bot.py 2", "./b/bot"], &["a/bot", "a/bot#2", "b/bot"]),
            (&["./bot", "./bot"], &["bot", "bot#2"]),
            (&["python3 -m a.bot", "python3 -m b.bot"], &["a/bot", "b/bot"]),
            (&["bot=./a/bot", "./b/bot"], &["bot", "b/bot"]),
            (&["bot=./a/bot", "./bot"], &["bot", "bot#2"]),
            (&["bot=./a/bot", "bot=./b/bot"], &["bot", "bot#2"]),
            (&["bot=./a/bot", "./b/bot", "./c/bot"], &["bot", "b/bot", "c/bot"]),
            (&["@random", "./a/random", "./b/random"], &["random", "a/random", "b/random"]),
            (&["./../bot", "'./my dir/bot'"], &["../bot", "my_dir/bot"]),
            (&["./one", "./two/one/too", "@random"], &["one", "too", "random"]),
        ] {
            let game = agon_games::find("grid").expect("a game");
            let mut bots: Vec<_> = given.iter().map(|text| NamedBot::parse(game, text).expect(text)).collect();
            unique_names(&mut bots);
            let names: Vec<_> = bots.iter().map(|bot| bot.name.as_str()).collect();
            assert_eq!(names, wanted, "{given:?}");
        }
    }
}
