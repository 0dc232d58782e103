//! The run script of a bot's folder, such as `run.sh`: what it starts.

use crate::{
    Language,
    intake::{Entry, SourceTree},
    packages::{is_python_of_environment, program_of_environment},
    start::stem,
    wrapper::{is_setting, unwrapped},
};
use agon_languages::{file_name, is_interpreter, is_shell, tool};

/// Usual names of run scripts, the best first.
const NAMES: &[&str] = &["run.sh", "start.sh", "play.sh", "bot.sh", "run", "start", "play"];
/// The longest script that is read, in bytes.
const LOOK: u64 = 16 << 10;
/// Files that play whole matches, and not one bot: their names without an ending, in lower case.
pub(crate) const MATCHES: &[&str] = &["playgame", "playnview", "showgame"];
/// Programs that do so. Files of bots are often named after them: `halite.py`.
const REFEREES: &[&str] = &["halite", "agon"];
/// A run script.
pub(crate) struct Found {
    /// Its path.
    pub name: String,
    /// What it starts.
    pub runs: RunScript,
    executable: bool,
}

/// What a run script starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RunScript {
    /// A file of the bot, by this command. Nothing has to be built.
    Words(String, Vec<String>),
    /// A program that is built from this source.
    Source(String),
    /// Nothing that can be told: it may be the bot itself. `interprets` says whether it starts an interpreter, so that it is
    /// sure to be one.
    Itself { interprets: bool },
}

impl Found {
    /// Returns the command that executes the script itself.
    pub(crate) fn words(&self) -> Vec<String> {
        script_words(&self.name, self.executable)
    }
}

fn script_words(name: &str, executable: bool) -> Vec<String> {
    // With the folder in its name, a script finds the files beside it.
    let path = format!("./{name}");
    if executable { vec![path] } else { vec!["sh".to_owned(), path] }
}

/// Finds the run script of a bot. `None` if there is none, or if it plays matches.
pub(crate) fn find(tree: &SourceTree) -> Option<Found> {
    let is_script = |name: &str, entry: &Entry| {
        entry.size > 0 && (name.ends_with(".sh") || (entry.executable && tree.head(name, 2) == b"#!"))
    };
    let named = |wanted: &&&str| tree.files().any(|(name, entry)| name == **wanted && is_script(name, entry));
    let name = *NAMES.iter().find(named)?;
    let executable = tree.files().any(|(file, entry)| file == name && entry.executable && tree.head(file, 2) == b"#!");
    let text = String::from_utf8_lossy(&tree.head(name, LOOK)).into_owned();
    let runs = read(&text, name, executable, tree)?;
    Some(Found { name: name.to_owned(), runs, executable })
}

fn read(text: &str, name: &str, executable: bool, tree: &SourceTree) -> Option<RunScript> {
    let joined = text.replace("\\\n", " ");
    let lines: Vec<&str> =
        joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    if lines.iter().any(|line| plays_matches(line, tree)) {
        return None;
    }
    // From there on, names mean the files of that folder.
    let goes_to = lines.iter().find_map(|line| other_folder(line));
    let prepares = |line: &&&str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        ["cd", "set", "pushd", "unset", "umask"].contains(&first) && !line.contains([';', '&', '|'])
            || *first == *"export" && line.contains("LANG")
            || activated(line, tree).is_some()
    };
    let own: Vec<&str> = lines.iter().filter(|line| !prepares(line)).copied().collect();
    let words: Vec<Vec<String>> = own.iter().map(|line| shlex::split(line).unwrap_or_default()).collect();
    let all: Vec<&str> = words.iter().flatten().map(String::as_str).collect();
    // A script that names no file of the bot is not about its files.
    let named = |word: &&str| match goes_to {
        Some(folder) => file_of(&format!("{folder}/{}", word.strip_prefix("./").unwrap_or(word)), tree),
        None => file_of(word, tree),
    };
    if goes_to.is_none()
        && let ([line], [command]) = (&own[..], &words[..])
        && let Some(simple) = simple(line, command)
        && let Some((file, mut command)) = plain_command(&simple, tree)
    {
        let environment = lines.iter().find_map(|line| activated(line, tree));
        if let (Some(folder), "python" | "python3") = (environment, &*command[0]) {
            command[0] = format!("{folder}/bin/{}", command[0]);
        }
        return Some(RunScript::Words(file, command));
    }
    let module = words.iter().rev().find_map(|command| {
        let bases = [goes_to.unwrap_or_default(), "src"];
        bases.iter().find_map(|base| module_of(command, base, tree))
    });
    if let Some(file) = module.or_else(|| all.iter().rev().find_map(named)) {
        let is_source = Language::of(&file).is_some_and(|language| !language.entry().is_played_as_it_is(&file));
        let words = script_words(name, executable);
        return Some(if is_source { RunScript::Source(file) } else { RunScript::Words(file, words) });
    }
    // `java MyBot` and `./MyBot` are made from a source of that name.
    let source = all.iter().rev().find_map(|word| {
        let word = word.rsplit('/').next().filter(|word| !word.starts_with(['-', '$']))?;
        let of_name = |file: &&str| {
            Language::of(file).is_some_and(|language| !language.entry().is_played_as_it_is(file))
                && stem(file) == word.to_lowercase()
        };
        tree.files().map(|(file, _)| file).find(of_name).map(str::to_owned)
    });
    // A module that is not the bot's is a tool, such as `pytest`.
    let starts = |word: &String| is_interpreter(word) && !is_shell(word);
    let interprets = |command: &Vec<String>| command.iter().any(starts) && !command.iter().any(|word| word == "-m");
    let interprets = words.iter().any(interprets);
    Some(source.map_or(RunScript::Itself { interprets }, RunScript::Source))
}

/// Returns whether a line of a script plays whole matches.
fn plays_matches(line: &str, tree: &SourceTree) -> bool {
    line.split([';', '&', '|', '(', ')', '`']).any(|command| {
        let words: Vec<String> =
            shlex::split(command).unwrap_or_else(|| command.split_whitespace().map(str::to_owned).collect());
        let of_match = |word: &String| {
            let name = file_name(word).to_lowercase();
            MATCHES.contains(&name.split('.').next().unwrap_or_default())
        };
        // A program of that name in the folder is the bot's own.
        let referee = program(&words).filter(|word| !tree.has(in_folder(word)));
        words.iter().any(of_match) || referee.is_some_and(|word| REFEREES.contains(&file_name(word)))
    })
}

/// Returns the program that a command starts, behind words of the shell and behind programs that start another.
fn program(mut words: &[String]) -> Option<&str> {
    const OF_SHELL: &[&str] = &["do", "then", "else", "elif", "if", "while", "until", "!", "{"];
    while let Some(first) = words.first() {
        // This only asks where a program is.
        if first == "command" && words.get(1).is_some_and(|option| option == "-v" || option == "-V") {
            return None;
        }
        let is_before = OF_SHELL.contains(&first.as_str()) || is_setting(first);
        match if is_before { 1 } else { unwrapped(words).inner } {
            0 => return Some(first),
            skipped => words = &words[skipped..],
        }
    }
    None
}

/// Returns the file of the bot that a command of Python names as a module, in the folder `base`: `player/__main__.py` in `python3
/// -m player`.
fn module_of(command: &[String], base: &str, tree: &SourceTree) -> Option<String> {
    let python = command.iter().position(|word| file_name(word).starts_with("python"))?;
    let option = command.iter().skip(python).position(|word| word == "-m")?;
    let path = command.get(python + option + 1)?.replace('.', "/");
    let base = if base.is_empty() { String::new() } else { format!("{base}/") };
    ["", "/__main__"].iter().map(|end| format!("{base}{path}{end}.py")).find(|file| tree.has(file))
}

/// Returns the virtual environment of the bot that a line sets up, if it does nothing else: `. .venv/bin/activate`.
fn activated(line: &str, tree: &SourceTree) -> Option<String> {
    let words = shlex::split(line).filter(|_| !line.contains([';', '&', '|']))?;
    let ([".", file] | ["source", file]) = words.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return None;
    };
    program_of_environment(in_folder(file), tree)
        .filter(|(_, name)| *name == "activate")
        .map(|(folder, _)| folder.to_owned())
}

/// Returns the folder that a line goes to, unless that is the folder of the script. Variables are taken for that folder.
fn other_folder(line: &str) -> Option<&str> {
    line.split([';', '&', '|', '(', '{']).find_map(|command| {
        let (first, to) = command.trim().split_once(char::is_whitespace)?;
        let to = to.trim().trim_matches(['"', '\'']).trim_start_matches("./").trim_end_matches('/');
        let goes = ["cd", "pushd"].contains(&first) && !to.starts_with(['$', '`', '-']);
        (goes && !matches!(to, "" | ".")).then_some(to)
    })
}

/// Returns the words of a command that a shell would start as they are. `None` if the shell would do more.
fn simple(line: &str, words: &[String]) -> Option<Vec<String>> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.first() == Some(&"exec") {
        words.remove(0);
    }
    while words.last().is_some_and(|word| ["$@", "$*"].contains(word) || *word == "2>/dev/null") {
        words.pop();
    }
    let line = line.replace("\"$@\"", "").replace("$@", "").replace("$*", "").replace("2>/dev/null", "");
    let shell = line.contains(['|', '&', ';', '<', '>', '$', '`', '(', ')', '*', '?', '~', '{']);
    let first = words.first()?;
    (!shell && !first.contains('=')).then(|| words.iter().map(|word| (*word).to_owned()).collect())
}

/// Returns the file of the bot that a command starts, and the command itself. `None` if it has to be built first.
fn plain_command(words: &[String], tree: &SourceTree) -> Option<(String, Vec<String>)> {
    let (first, arguments) = words.split_first()?;
    // The Python of a virtual environment stands for an installed one.
    if first.contains('/') && !is_python_of_environment(first, tree) {
        let file = file_of(first, tree)?;
        let executable = tree.files().any(|(name, entry)| name == file && entry.executable);
        return executable.then(|| (file, words.to_vec()));
    }
    let file = module_of(words, "", tree).or_else(|| arguments.iter().find_map(|word| file_of(word, tree)))?;
    let language = Language::of(&file);
    let as_it_is = language.is_none_or(|language| language.entry().is_played_as_it_is(&file));
    // `node`, `java` and `mono` are tools that play; the others build.
    let builds = tool(first).is_some() && !is_interpreter(first);
    (as_it_is && !builds).then(|| (file, words.to_vec()))
}

fn file_of(word: &str, tree: &SourceTree) -> Option<String> {
    let word = in_folder(word);
    tree.has(word).then(|| word.to_owned()).filter(|word| !NAMES.contains(&word.as_str()))
}

/// Returns a path in the folder of a script: `bot.py` for `./bot.py`, and for `$DIR/bot.py`, which usually means the same.
pub(crate) fn in_folder(word: &str) -> &str {
    let word = word.strip_prefix("./").unwrap_or(word);
    if word.starts_with('$') { word.split_once('/').map_or(word, |(_, rest)| rest) } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_behind_others_is_found() {
        for (command, expected) in [
            ("./halite a", Some("./halite")),
            ("then A=1 B=2 exec timeout 60 ./halite a", Some("./halite")),
            ("stdbuf -o L ./halite a", Some("./halite")),
            ("time -o log.txt ./halite a", Some("./halite")),
            ("chrt -f 5 ./halite a", Some("./halite")),
            ("command ./halite a", Some("./halite")),
            ("command -v halite", None),
            ("strace -f -o log.txt ./halite a", Some("./halite")),
            ("exec -a x ./halite a", Some("./halite")),
            ("time ! ./halite a", Some("./halite")),
            ("timeout 9", None),
            ("A=1", None),
        ] {
            let words = shlex::split(command).expect("quotes");
            assert_eq!(program(&words), expected, "{command}");
        }
    }
}
