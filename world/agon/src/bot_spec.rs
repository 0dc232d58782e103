//! The one grammar of BOT for all commands: `[NAME=]SPEC`, SPEC being `@builtin`, `champion:PATH`, an existing folder
//! or archive, else a command line split into words and started without a shell.

use crate::{
    champion,
    clean::{clean, cut},
    error::{Error, Result},
    game::builtin,
};
use agon_build::intake::Kind;
use agon_games::AnyGame;
use std::path::{Path, PathBuf};

/// A bot as asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotSpec {
    /// Its name, unique once [`unique_names`] was called.
    pub name: String,
    /// SPEC as written, without the name.
    pub text: String,
    /// What is started.
    pub program: Program,
}

/// What is started for a bot.
#[expect(clippy::large_enum_variant, reason = "there are a few of them in a match, and none is moved about")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Program {
    /// A built-in bot inside the process.
    Builtin(&'static str),
    /// A program and its arguments, at least one word.
    Command(Vec<String>),
    /// A folder or an archive, which is built if it must be.
    Packed(PathBuf, Kind),
    /// A file with a module in WASM.
    Wasm(PathBuf),
    /// A program of which it is known what it reads beside its interpreter and the system.
    Ready {
        /// What is started.
        program: agon_run::Program,
        /// Files and folders.
        read: Vec<PathBuf>,
    },
}

/// The most characters of a name.
const NAME_LIMIT: usize = 40;

/// Endings of files that hold a bot but cannot be started as they are.
const UNPLAYED: &[&str] = &[".tar.bz2", ".tar.xz", ".7z", ".rar"];

impl BotSpec {
    /// Reads `[NAME=]SPEC`.
    ///
    /// # Errors
    /// An unknown built-in bot, words that cannot be split, or a kind of bot that is not supported yet.
    pub fn parse(game: &dyn AnyGame, text: &str) -> Result<Self> {
        let (name, spec) = split_name(text);
        if name.is_none() {
            refuse_bad_name(spec)?;
        }
        let (program, usual) = match spec.strip_prefix(champion::PREFIX) {
            Some(path) => (champion::command(game, path)?, plain_name(&champion::name(path))),
            None => {
                let program = Program::parse(game, spec)?;
                let usual = program.default_name();
                (program, usual)
            }
        };
        let name = name.map_or(usual, str::to_owned);
        Ok(Self { name, text: spec.to_owned(), program })
    }
}

impl Program {
    fn parse(game: &dyn AnyGame, spec: &str) -> Result<Self> {
        if let Some(name) = spec.strip_prefix('@') {
            return builtin(game, name, "@").map(Self::Builtin);
        }
        let words =
            shlex::split(spec).ok_or_else(|| Error::user(format!("the quotes of `{}` do not match", clean(spec))))?;
        let Some(program) = words.first().filter(|w| !w.is_empty()) else {
            return Err(Error::user("a bot must not be empty")
                .hint("write `@NAME` for a built-in bot, or a command as `\"python3 bot.py\"`"));
        };
        if words.iter().any(|w| w.contains('\0')) {
            return Err(Error::user(format!("`{}` holds a NUL byte", clean(spec))));
        }
        // The whole text may be a path with blanks in it; quotes around it are gone in the first word.
        for path in [spec, program] {
            if words.len() == 1 || path == spec {
                if let Some(kind) = Kind::of(Path::new(path)) {
                    return Ok(Self::Packed(path.into(), kind));
                }
                if path.ends_with(".wasm") && Path::new(path).is_file() {
                    return Ok(Self::Wasm(path.into()));
                }
                refuse_unsupported(path)?;
            }
        }
        Ok(Self::Command(words))
    }

    /// The name of a bot that was given none.
    fn default_name(&self) -> String {
        let words = match self {
            Self::Builtin(name) => return (*name).to_owned(),
            Self::Wasm(path) => return plain_name(&path.file_stem().unwrap_or_default().to_string_lossy()),
            Self::Ready { .. } => return "bot".to_owned(),
            Self::Packed(path, kind) => return packed_name(path, *kind),
            Self::Command(words) => words,
        };
        // `python3 bots/mine.py --fast 3` is `mine`: the first word after an interpreter that names a file.
        let program = words.first().map(String::as_str).unwrap_or_default();
        let module = words.iter().position(|w| w == "-m").and_then(|at| words.get(at + 1)).map(String::as_str);
        let code = words.iter().position(|w| w == "-c" || w == "-e").unwrap_or(words.len());
        let named_file = |w: &&String| !w.starts_with('-') && stem(w) != file_name(w);
        let script = words[..code].iter().skip(1).find(named_file).map_or(program, String::as_str);
        // A module is `package.name`, a file `name.ending`.
        let module = module.and_then(|module| module.rsplit('.').next());
        plain_name(match module {
            _ if !is_interpreter(file_name(program)) => stem(program),
            Some(module) => module,
            None => stem(script),
        })
    }
}

/// A folder is called after itself, an archive after what it was before it was packed.
fn packed_name(path: &Path, kind: Kind) -> String {
    // `.` and `..` have names, too.
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = if kind == Kind::Folder { &name } else { stem(&name) };
    plain_name(name.strip_suffix(".tar").unwrap_or(name))
}

/// A word as a name: what names do not have becomes `_`.
fn plain_name(word: &str) -> String {
    let name: String = word.chars().map(|c| if is_name_char(c) { c } else { '_' }).take(NAME_LIMIT).collect();
    if name.chars().any(char::is_alphanumeric) { name } else { "bot".to_owned() }
}

/// The files that `[NAME=]SPEC` names.
pub fn files(text: &str) -> Vec<PathBuf> {
    let (_, spec) = split_name(text);
    let words = shlex::split(spec).unwrap_or_default();
    // The whole text may be a path with blanks in it.
    let words = words.into_iter().chain([spec.to_owned()]);
    words.map(PathBuf::from).filter(|path| path.is_file()).collect()
}

/// A word of SPEC, behind the program, that looks like a file and is none.
pub fn missing_file(spec: &str) -> Option<String> {
    const SCRIPTS: &[&str] =
        &[".py", ".js", ".mjs", ".cjs", ".ts", ".jar", ".rb", ".pl", ".php", ".lua", ".sh", ".exe"];
    let mut words = shlex::split(spec)?.into_iter().skip(1);
    words.find(|word| {
        let is_file = SCRIPTS.iter().any(|end| word.ends_with(end)) && !word.contains(char::is_whitespace);
        is_file && !word.starts_with('-') && !Path::new(word).exists()
    })
}

/// Whether SPEC is written for a shell, and there is none.
pub fn needs_shell(spec: &str) -> bool {
    let words = shlex::split(spec).unwrap_or_default();
    let operators = ["&&", "||", "|", ";", ">", "<", "2>"];
    let own = |word: &str| operators.contains(&word) || word.starts_with("~/") || word.contains('$');
    words.iter().any(|word| own(word) && !word.contains(' ')) || words.first().is_some_and(|word| word == "cd")
}

/// Makes every name unique: the second `random` becomes `random#2`.
pub fn unique_names(bots: &mut [BotSpec]) {
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

fn refuse_unsupported(path: &str) -> Result<()> {
    if Path::new(path).is_file() && UNPLAYED.iter().any(|end| path.to_lowercase().ends_with(end)) {
        return Err(Error::user(format!("`{}`: a file of this kind as a bot is not supported", clean(path)))
            .hint("give a folder, a `.zip`, `.tar.gz` or `.tar.zst`, or the command that starts it"));
    }
    Ok(())
}

/// `NAME=` counts as a name only if it looks like one: `./bot --depth=3` has none.
fn split_name(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, spec)) if is_name(name) => (Some(name), spec),
        _ => (None, text),
    }
}

/// `what=@bot` with a name that cannot be one: it would be no command either.
fn refuse_bad_name(spec: &str) -> Result<()> {
    match spec.split_once("=@") {
        Some((name, _)) if !name.contains(|c: char| c.is_whitespace() || c == '/') => {
            Err(Error::user(format!("`{}` is no name for a bot", clean(&cut(name, 60)))).hint(format!(
                "a name begins with a letter or a digit and has letters, digits and `-_.+#`, at most {NAME_LIMIT}"
            )))
        }
        _ => Ok(()),
    }
}

fn is_name(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_alphanumeric)
        && name.chars().all(is_name_char)
        && name.chars().count() <= NAME_LIMIT
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#')
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

fn is_interpreter(program: &str) -> bool {
    const KNOWN: &[&str] = &[
        "python", "pypy", "node", "deno", "bun", "java", "ruby", "perl", "php", "lua", "luajit", "bash", "sh", "dash",
        "zsh", "env", "mono", "dotnet", "Rscript", "guile", "racket", "wine", "nice", "taskset", "timeout", "strace",
    ];
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    KNOWN.contains(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Program {
        Program::Command(shlex::split(text).expect("quotes match"))
    }

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
            assert_eq!(command(text).default_name(), name, "{text}");
        }
    }

    #[test]
    fn only_what_looks_like_a_name_is_one() {
        assert_eq!(split_name("me=./bot"), (Some("me"), "./bot"));
        assert_eq!(split_name("me=./bot --depth=3"), (Some("me"), "./bot --depth=3"));
        assert_eq!(split_name("./bot --depth=3"), (None, "./bot --depth=3"));
        assert_eq!(split_name("=x"), (None, "=x"));
        assert_eq!(split_name("@random"), (None, "@random"));
    }

    #[test]
    fn slips_of_the_command_are_seen() {
        for (spec, file) in
            [("python3 no/where.py", Some("no/where.py")), ("python3 -m x", None), ("bash -c 'python3 x.py'", None)]
        {
            assert_eq!(missing_file(spec).as_deref(), file, "{spec}");
        }
        for (spec, shell) in [
            ("cd bots && python3 x.py", true),
            ("~/bot", true),
            ("python3 $HOME/x.py", true),
            ("sh -c 'cd bots && exec ./x'", false),
            ("./bot --depth 3", false),
        ] {
            assert_eq!(needs_shell(spec), shell, "{spec}");
        }
    }

    #[test]
    fn names_become_unique() {
        let bot = |name: &str| BotSpec { name: name.into(), text: String::new(), program: Program::Builtin("random") };
        let mut bots: Vec<_> = ["a", "a", "a#2", "a", "b"].map(bot).into();
        unique_names(&mut bots);
        let names: Vec<_> = bots.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["a", "a#2", "a#2#2", "a#3", "b"]);
    }
}
