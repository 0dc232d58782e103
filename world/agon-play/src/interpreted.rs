//! The file that the interpreter of a command executes: `bot.py` in `python3 -u bot.py`.
//!
//! Only the first word of the command and the interpreter's first word that is no option are judged. An option that is not
//! known may take the next word. After it, a word is judged only if it ends as programs of that language do.

use agon_languages::{Interpreter, interpreter, is_shell};
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// Returns the absolute path of the file that a command's interpreter executes, seen from `dir`. The file need not exist.
/// `None` if the program is no known interpreter, or if it executes no file.
pub(crate) fn file(words: &[OsString], dir: &Path) -> Option<PathBuf> {
    let (program, arguments) = words.split_first()?;
    let program = program.to_str()?;
    let (interpreter, is_shell) = (interpreter(program)?, is_shell(program));
    let word = executed(interpreter, is_shell, arguments)?;
    // Streams and pipes of a shell are no files of a bot.
    let path = dir.join(word);
    if path.starts_with("/dev") || path.starts_with("/proc") {
        return None;
    }
    let found = found(interpreter, std::path::absolute(path).ok()?);
    // A shell also looks for a program in the search path, but only Bash and its kin do that for what they read.
    if is_shell && !found.exists() && is_in_path(word) {
        return None;
    }
    Some(found)
}

/// Returns which word of a command is the text that a shell executes in place of a file: the third of `sh -c 'exec ./mine'`. `None` if
/// the program is no shell or executes a file.
pub(crate) fn text_of_shell<W: AsRef<OsStr>>(words: &[W]) -> Option<usize> {
    let interpreter = words.first()?.as_ref().to_str().filter(|program| is_shell(program)).and_then(interpreter)?;
    let (mut at, mut is_text) = (1, false);
    loop {
        let text = words.get(at)?.as_ref().to_string_lossy();
        if text == "--" {
            return (is_text && at + 1 < words.len()).then_some(at + 1);
        }
        if text == "-" || !text.starts_with(['-', '+']) {
            return is_text.then_some(at);
        }
        let letters = if text.starts_with("--") { "" } else { &text[1..] };
        is_text |= text.starts_with('-') && letters.contains('c');
        // `-o`, also among other letters, and options such as `--rcfile` take the next word.
        at += if interpreter.valued.contains(&&*text) || letters.contains(['o', 'O']) { 2 } else { 1 };
    }
}

/// Returns whether a name without a slash is that of a file in the search path.
fn is_in_path(name: &OsStr) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    !name.as_encoded_bytes().contains(&b'/') && std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn executed<'a>(interpreter: &Interpreter, is_shell: bool, arguments: &'a [OsString]) -> Option<&'a OsStr> {
    let ends = interpreter.ends();
    let ends = |word: &str| ends.iter().any(|end| word.ends_with(end));
    let (mut arguments, mut doubtful) = (arguments.iter(), interpreter.by_end);
    while let Some(word) = arguments.next() {
        let text = word.to_string_lossy();
        if matches!(&*text, "-f" | "-jar") {
            // PHP and Java name the file by an option.
            continue;
        }
        if text == "--" {
            return arguments
                .next()
                .map(OsString::as_os_str)
                .filter(|word| !interpreter.by_end || ends(&word.to_string_lossy()));
        }
        let is_option = text.starts_with('-') || (text.starts_with('+') && is_shell);
        if !is_option {
            let is_file = !doubtful || ends(&text);
            return (is_file && !text.is_empty()).then_some(word.as_os_str());
        }
        if text == "-" || interpreter.without.contains(&&*text) {
            return None;
        }
        if interpreter.valued.contains(&&*text) {
            arguments.next();
            continue;
        }
        if text.starts_with("--") {
            doubtful |= !text.contains('=');
            continue;
        }
        for (at, letter) in text.char_indices().skip(1) {
            let rest = &text[at + letter.len_utf8()..];
            if interpreter.letters.contains(letter) {
                return None;
            }
            if interpreter.valued.contains(&&*format!("-{letter}")) {
                if rest.is_empty() {
                    arguments.next();
                } else if is_shell {
                    // Most shells take the next word, and more letters follow here.
                    return None;
                }
                break;
            }
            if !interpreter.plain.contains(letter) {
                doubtful |= rest.is_empty() || !interpreter.attached.contains(letter);
                break;
            }
        }
    }
    None
}

/// Returns the file that the interpreter takes for a path.
fn found(interpreter: &Interpreter, path: PathBuf) -> PathBuf {
    if path.is_dir() {
        return interpreter.in_folder.iter().map(|name| path.join(name)).find(|file| file.exists()).unwrap_or(path);
    }
    if path.exists() {
        return path;
    }
    let with = |end: &&str| {
        let mut name = path.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    interpreter.added.iter().map(with).find(|file| file.exists()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Option<String> {
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        file(&words, Path::new("/bots")).map(|path| path.display().to_string())
    }

    #[test]
    fn the_first_word_that_is_no_option_is_the_file() {
        for (command, expected) in [
            ("python3 bot.py", Some("/bots/bot.py")),
            ("/opt/bin/python3.12 -u -W ignore -Xdev my/bot --fast", Some("/bots/my/bot")),
            ("python3 -uc print() bot.py", None),
            ("python3 -m bot bot.py", None),
            ("python3 -", None),
            ("python3", None),
            ("python3 /dev/stdin", None),
            ("python3 --new-option value bot.py", None),
            ("python3 --new-option bot.py", Some("/bots/bot.py")),
            ("node --max-old-space-size=300 bot", Some("/bots/bot")),
            ("node -r ./hook.js bot.js", Some("/bots/bot.js")),
            ("node -e 1 bot.js", None),
            ("sh run.sh 3", Some("/bots/run.sh")),
            ("bash -e -o pipefail run", Some("/bots/run")),
            ("bash -ec ./run", None),
            ("bash -euo pipefail run", Some("/bots/run")),
            ("bash +eo posix run", Some("/bots/run")),
            ("bash -oe pipefail run", None),
            ("sh -Z what run", None),
            ("python3 -uW ignore bot", Some("/bots/bot")),
            ("python3 -J value bot.py", None),
            ("julia -t 4 bot", Some("/bots/bot")),
            ("julia --project bot bot.jl", None),
            ("julia -O3 bot", Some("/bots/bot")),
            ("ruby -C lib bot.rb", None),
            ("ruby -W0e 1 bot.rb", None),
            ("ruby -wIlib bot", Some("/bots/bot")),
            ("perl -wI lib bot", Some("/bots/bot")),
            ("perl -i.bak -l012 -0777 bot", Some("/bots/bot")),
            ("php -nr 1 bot.php", None),
            ("php -dx=1 bot", Some("/bots/bot")),
            ("perl -w -Ilib -MList::Util bot.pl", Some("/bots/bot.pl")),
            ("perl -lane print bot.pl", None),
            ("php -d memory_limit=1G -f bot.php", Some("/bots/bot.php")),
            ("java -Xmx300m -jar build/bot.jar", Some("/bots/build/bot.jar")),
            ("java -cp out:lib.jar Main", None),
            ("java -server Bot.java", Some("/bots/Bot.java")),
            ("java Main", None),
            ("dotnet run", None),
            ("dotnet out/bot.dll", Some("/bots/out/bot.dll")),
            ("timeout 10 python3 bot.py", None),
            ("env A=1 python3 bot.py", None),
            ("./bot.py", None),
            ("", None),
        ] {
            assert_eq!(of(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn the_text_of_a_shell_is_found() {
        for (command, expected) in [
            ("sh -c TEXT", Some(2)),
            ("/bin/bash -xeuo pipefail -c TEXT more", Some(4)),
            ("bash -ec TEXT", Some(2)),
            ("sh -c -e TEXT", Some(3)),
            ("sh -c -- TEXT", Some(3)),
            ("bash +e -o posix -c TEXT", Some(5)),
            ("bash --norc --rcfile x -lc TEXT", Some(5)),
            ("sh run.sh -c 3", None),
            ("sh -- run.sh -c 3", None),
            ("sh -e run.sh", None),
            ("sh - -c", None),
            ("sh -c", None),
            ("sh -c --", None),
            ("python3 -c TEXT", None),
            ("./mine -c TEXT", None),
            ("", None),
        ] {
            let words: Vec<&str> = command.split_whitespace().collect();
            assert_eq!(text_of_shell(&words), expected, "{command}");
        }
    }

    #[test]
    fn folders_and_names_without_an_end_are_what_the_interpreter_takes_them_for() {
        let top = std::env::temp_dir().join(format!("agon-interpreted-{}", std::process::id()));
        std::fs::create_dir_all(top.join("package")).expect("a folder");
        for name in ["package/__main__.py", "bot.js"] {
            std::fs::write(top.join(name), "").expect("a file");
        }
        let of = |words: [&str; 2]| file(&words.map(OsString::from), &top);
        assert_eq!(of(["python3", "package"]), Some(top.join("package/__main__.py")));
        assert_eq!(of(["sh", "package"]), Some(top.join("package")));
        assert_eq!(of(["node", "bot"]), Some(top.join("bot.js")));
        assert_eq!(of(["node", "missing"]), Some(top.join("missing")));
        std::fs::remove_dir_all(&top).expect("it can be removed");
    }
}
