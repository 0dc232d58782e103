//! The grammar of BOT: `[NAME=]SPEC`.
//!
//! SPEC is `@builtin`, `champion:PATH`, or the path of an existing folder, archive or module. Anything else is a
//! command line, which is split into words and started without a shell.

use crate::{
    bot_name::{self, NAME_LIMIT},
    game::nearest,
};
use agon_build::intake::{Kind, packing};
use agon_core::{Flaw, text::cut};
use agon_games::AnyGame;
use agon_spec::SeatSpec;
use std::path::{Path, PathBuf};

/// The prefix of a SPEC that names a champion.
const CHAMPION: &str = "champion:";
/// File name endings of archives that Agon does not read.
const UNPLAYED: &[&str] = &[".tar.bz2", ".tar.xz", ".7z", ".rar"];

/// Returns whether this is an archive of a kind that Agon does not read.
#[must_use]
pub fn is_unsupported_archive(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    path.is_file() && UNPLAYED.iter().any(|end| name.ends_with(end))
}

/// The kind of bot that plays in a seat, parsed once from a user's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BotSpec {
    /// A built-in bot of the game, by its name. It runs in this process.
    Builtin(&'static str),
    /// A program and its arguments: at least one word.
    Command(Vec<String>),
    /// A folder with a bot's files. Agon builds it if its language needs a build.
    Folder(PathBuf),
    /// An archive of such a folder, or a `.jar` file.
    Archive(PathBuf),
    /// A file with a WASM module.
    Wasm(PathBuf),
    /// A champion of the game's original contest: a folder or an archive with its sources, or a shared object.
    Champion(PathBuf),
    /// A person, who decides while the match runs. No SPEC names a person: use [`NamedBot::human`].
    Human,
}

/// A bot and its name in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedBot {
    /// The name. It is unique in the match after a call of [`unique_names`](crate::unique_names).
    pub name: String,
    /// SPEC as the user wrote it, without the name.
    pub words: String,
    /// The bot that SPEC names.
    pub spec: BotSpec,
    /// Whether the user has chosen the name. Otherwise it comes from SPEC.
    pub is_named: bool,
}

/// Why words do not name a bot.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// The text is empty, or its first word is.
    #[error("a bot must not be empty")]
    Empty,
    /// A quotation mark is opened but not closed.
    #[error("the quotes in `{0}` do not match")]
    Quotes(String),
    /// The text contains a NUL byte, which no word of a command can have.
    #[error("`{0}` contains a NUL byte")]
    NulByte(String),
    /// The text before the `=` is not a valid name.
    #[error("`{0}` is not a valid name for a bot")]
    Name(String),
    /// The file is an archive of a kind that Agon does not read.
    #[error("`{0}`: this kind of archive is not supported")]
    Unsupported(String),
    /// The game has no such built-in bot.
    #[error("{flaw}")]
    NoBuiltin {
        /// What is wrong. Its hint lists the built-in bots of the game.
        flaw: Flaw,
        /// The sign that this place writes before the names of built-in bots: `@` or nothing.
        sign: &'static str,
        /// The built-in bot with the most similar name, if one is similar.
        nearest: Option<&'static str>,
    },
    /// The game has no champions.
    #[error("{game} has no champions")]
    NoChampions {
        /// The game's title.
        game: &'static str,
        /// The names of the games that have champions.
        games: Vec<&'static str>,
    },
    /// There is no path after `champion:`.
    #[error("`champion:` names no champion")]
    UnnamedChampion,
    /// There is no file or folder at this path.
    #[error("there is no champion `{}`", .0.display())]
    NoChampion(PathBuf),
}

impl BotError {
    /// Returns a hint on how to fix the problem, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Quotes(_) | Self::NulByte(_) => return None,
            Self::Empty => "write `@NAME` for a built-in bot, or a command such as `\"python3 bot.py\"`".to_owned(),
            Self::Name(_) => format!(
                "a name has at most {NAME_LIMIT} characters: words of letters, digits and `-_.+#`, with single blanks between them"
            ),
            Self::Unsupported(_) => {
                "use a folder, a `.zip`, `.tar.gz` or `.tar.zst` archive, or the command that starts the bot".to_owned()
            }
            Self::NoBuiltin { flaw, sign, nearest } => {
                let all = flaw.hint.as_deref().unwrap_or_default();
                nearest.map_or_else(|| all.to_owned(), |near| format!("did you mean `{sign}{near}`? {all}"))
            }
            Self::NoChampions { games, .. } => format!("`champion:` is for the game `{}`", games.join("`, `")),
            Self::UnnamedChampion => {
                "add the folder with its sources, or its `.so`, as in `champion:my/folder`".to_owned()
            }
            Self::NoChampion(_) => {
                "`champion:` takes a folder with sources, or a `.so` made by `agon champion build`".to_owned()
            }
        })
    }
}

impl NamedBot {
    /// Parses `[NAME=]SPEC`. This looks up now whether a path is a folder, an archive or a module.
    ///
    /// A bot without a name gets one from its SPEC.
    ///
    /// # Errors
    /// If the text does not name a bot.
    pub fn parse(game: &dyn AnyGame, text: &str) -> Result<Self, BotError> {
        let (name, words) = bot_name::split(text);
        if name.is_none() {
            refuse_bad_name(game, words)?;
        }
        let spec = BotSpec::parse(game, words)?;
        let is_named = name.is_some();
        let name = name.map_or_else(|| bot_name::default_name(&spec), str::to_owned);
        Ok(Self { name, words: words.to_owned(), spec, is_named })
    }

    /// Names a built-in bot of the game.
    ///
    /// # Errors
    /// If the game has no built-in bot of this name.
    pub fn builtin(game: &dyn AnyGame, name: &str) -> Result<Self, BotError> {
        Self::parse(game, &format!("@{name}"))
    }

    /// Puts a person with this name in the place of a bot.
    #[must_use]
    pub fn human(name: &str) -> Self {
        Self { name: name.to_owned(), words: String::new(), spec: BotSpec::Human, is_named: true }
    }

    /// Returns the existing files that the bot's words name. Nothing may overwrite these files.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let paths = match &self.spec {
            BotSpec::Builtin(_) | BotSpec::Human => Vec::new(),
            // The whole text may be a path that contains spaces.
            BotSpec::Command(words) => words.iter().chain([&self.words]).map(PathBuf::from).collect(),
            BotSpec::Folder(path) | BotSpec::Archive(path) | BotSpec::Wasm(path) | BotSpec::Champion(path) => {
                vec![path.clone()]
            }
        };
        paths.into_iter().filter(|path| path.is_file()).collect()
    }
}

impl BotSpec {
    /// Parses SPEC.
    ///
    /// # Errors
    /// If the text does not name a bot.
    pub fn parse(game: &dyn AnyGame, words: &str) -> Result<Self, BotError> {
        if let Some(name) = words.strip_prefix(SeatSpec::BUILTIN) {
            return builtin(game, name, "@").map(Self::Builtin);
        }
        if let Some(path) = words.strip_prefix(CHAMPION) {
            return champion(game, path);
        }
        let split = shlex::split(words).ok_or_else(|| BotError::Quotes(words.to_owned()))?;
        let program = split.first().filter(|word| !word.is_empty()).ok_or(BotError::Empty)?;
        if split.iter().any(|word| word.contains('\0')) {
            return Err(BotError::NulByte(words.to_owned()));
        }
        // The whole text may be a path that contains spaces. The first word is the same path without its quotes.
        for path in [words, program] {
            if split.len() > 1 && path != words {
                continue;
            }
            match Kind::of(Path::new(path)) {
                // Nobody else starts a champion without its host.
                Some(Kind::Folder) if game.info().champions && agon_champion::is_champion(Path::new(path)) => {
                    return Ok(Self::Champion(path.into()));
                }
                Some(Kind::Folder) => return Ok(Self::Folder(path.into())),
                Some(_) => return Ok(Self::Archive(path.into())),
                None => {}
            }
            if path.ends_with(".wasm") && Path::new(path).is_file() {
                return Ok(Self::Wasm(path.into()));
            }
            if is_unsupported_archive(Path::new(path)) {
                return Err(BotError::Unsupported(path.to_owned()));
            }
        }
        Ok(Self::Command(split))
    }

    /// Returns the kind as JSON documents write it: `builtin`, `command`, `folder`, `archive`, `wasm`, `champion` or
    /// `human`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Builtin(_) => "builtin",
            Self::Command(_) => "command",
            Self::Folder(_) => "folder",
            Self::Archive(_) => "archive",
            Self::Wasm(_) => "wasm",
            Self::Champion(_) => "champion",
            Self::Human => "human",
        }
    }

    /// Returns whether the bot runs in a process of its own.
    #[must_use]
    pub fn is_process(&self) -> bool {
        !matches!(self, Self::Builtin(_) | Self::Human)
    }

    /// Returns whether the bot is a WASM module, which is limited by instructions rather than by time.
    #[must_use]
    pub fn is_wasm(&self) -> bool {
        matches!(self, Self::Wasm(_))
    }

    /// Returns the first argument of a command that looks like the name of a script but is not an existing file.
    #[must_use]
    pub fn missing_file(&self) -> Option<&str> {
        const SCRIPTS: &[&str] =
            &[".py", ".js", ".mjs", ".cjs", ".ts", ".jar", ".rb", ".pl", ".php", ".lua", ".sh", ".exe"];
        let Self::Command(words) = self else { return None };
        let folder = folder_of(words);
        let named = |word: &&String| {
            let is_file = SCRIPTS.iter().any(|end| word.ends_with(end)) && !word.contains(char::is_whitespace);
            is_file && !word.starts_with('-') && !folder.join(word).exists()
        };
        words.iter().skip(1).find(named).map(String::as_str)
    }

    /// Returns what a command of one word names that is no program and is not there: a folder, an archive or a module.
    #[must_use]
    pub fn missing_input(&self) -> Option<&'static str> {
        let Self::Command(words) = self else { return None };
        let [word] = &words[..] else { return None };
        let name = word.to_lowercase();
        let what = match name {
            _ if name.ends_with('/') => "folder",
            _ if name.ends_with(".wasm") => "module",
            _ if packing(&name).is_some() || name.ends_with(".jar") => "archive",
            _ if UNPLAYED.iter().any(|end| name.ends_with(end)) => "archive",
            _ => return None,
        };
        (!Path::new(word).exists()).then_some(what)
    }

    /// Returns the module that a command starts with `python3 -m`, if it is not in the current directory. It may be installed.
    #[must_use]
    pub fn missing_module(&self) -> Option<String> {
        let Self::Command(words) = self else { return None };
        let words: Vec<std::ffi::OsString> = words.iter().map(Into::into).collect();
        let module = crate::visible::started_module(&words)?;
        let top = module.split('.').next().unwrap_or(&module);
        let is_here = Path::new(top).exists() || Path::new(&format!("{top}.py")).exists();
        (!is_here).then_some(module)
    }

    /// Returns the file that a command names by a module or a class, as `python3 -m bot` or `java Bot` does. It is below the
    /// current directory.
    #[must_use]
    pub fn module_file(&self) -> Option<PathBuf> {
        let Self::Command(words) = self else { return None };
        let words: Vec<std::ffi::OsString> = words.iter().map(Into::into).collect();
        crate::visible::module_file(&words, &crate::visible::here().ok()?)
    }

    /// Returns whether a command uses the syntax of a shell. Agon starts commands without a shell.
    #[must_use]
    pub fn needs_shell(&self) -> bool {
        const OPERATORS: [&str; 7] = ["&&", "||", "|", ";", ">", "<", "2>"];
        let Self::Command(words) = self else { return false };
        let own = |word: &str| OPERATORS.contains(&word) || word.starts_with("~/") || word.contains('$');
        words.iter().any(|word| own(word) && !word.contains(' ')) || words.first().is_some_and(|word| word == "cd")
    }

    /// Returns the built-in bot whose name is the whole command. The user probably forgot the `@`.
    #[must_use]
    pub fn forgotten_sign(&self, game: &dyn AnyGame) -> Option<&'static str> {
        let Self::Command(words) = self else { return None };
        let [word] = &words[..] else { return None };
        game.info().bots.iter().find(|bot| bot.name == word).map(|bot| bot.name)
    }
}

/// Returns the folder in which the program of a command starts, relative to the current directory: `env -C FOLDER` enters one.
fn folder_of(words: &[String]) -> PathBuf {
    let words: Vec<std::ffi::OsString> = words.iter().map(Into::into).collect();
    crate::visible::entered(&words, Path::new("")).folder
}

/// Finds the built-in bot of this name. Errors write `sign` before each name.
///
/// # Errors
/// If the game has no built-in bot of this name.
pub fn builtin(game: &dyn AnyGame, name: &str, sign: &'static str) -> Result<&'static str, BotError> {
    let info = game.info();
    info.bot(name).map(|bot| bot.name).map_err(|_| BotError::NoBuiltin {
        flaw: info.no_bot(sign, &cut(name, 40)),
        sign,
        nearest: nearest(name, info.bots.iter().map(|bot| bot.name)),
    })
}

fn champion(game: &dyn AnyGame, path: &str) -> Result<BotSpec, BotError> {
    if !game.info().champions {
        let games = agon_games::all().iter().filter(|game| game.info().champions).map(|game| game.name()).collect();
        return Err(BotError::NoChampions { game: game.info().title, games });
    }
    if path.is_empty() {
        return Err(BotError::UnnamedChampion);
    }
    let path = PathBuf::from(path);
    if path.is_dir() || path.is_file() { Ok(BotSpec::Champion(path)) } else { Err(BotError::NoChampion(path)) }
}

/// Refuses `what=@bot` if `what` is not a valid name: such a text would not be a usable command either.
fn refuse_bad_name(game: &dyn AnyGame, words: &str) -> Result<(), BotError> {
    let Some((name, bot)) = words.split_once("=@") else { return Ok(()) };
    let is_one_word = !name.contains(|c: char| c.is_whitespace() || c == '/');
    // A command may have an argument with such a value.
    let is_command = bot_name::begins_bot(name) || name.split_whitespace().any(|word| word.starts_with('-'));
    let is_known = game.info().bots.iter().any(|known| known.name == bot);
    if is_one_word || is_known && !is_command { Err(BotError::Name(cut(name, 60))) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(words: &str) -> Result<BotSpec, BotError> {
        BotSpec::parse(agon_games::find("grid").expect("it is a game"), words)
    }

    #[test]
    fn a_text_that_is_no_name_is_refused_unless_it_begins_a_command() {
        let game = agon_games::find("grid").expect("it is a game");
        let parsed = |text: &str| NamedBot::parse(game, text).map(|bot| bot.spec);
        for text in ["a  b=@greedy", "<b>x</b>=@greedy", "=@greedy"] {
            assert!(matches!(parsed(text), Err(BotError::Name(_))), "{text}");
        }
        for text in ["/bin/sh bot.sh rival=@greedy", "timeout 9 ./bot --rival=@greedy", "a  b=@nobody"] {
            assert!(matches!(parsed(text), Ok(BotSpec::Command(_))), "{text}: {:?}", parsed(text));
        }
    }

    #[test]
    fn words_are_read_once() {
        let command = |words: &[&str]| Ok(BotSpec::Command(words.iter().map(|word| (*word).to_owned()).collect()));
        assert_eq!(grid("@random"), Ok(BotSpec::Builtin("random")));
        assert_eq!(grid("python3 'my bot.py' -v"), command(&["python3", "my bot.py", "-v"]));
        assert_eq!(grid("src"), Ok(BotSpec::Folder("src".into())));
        assert_eq!(grid("src -v"), command(&["src", "-v"]));
        assert_eq!(grid(""), Err(BotError::Empty));
        assert_eq!(grid("'x"), Err(BotError::Quotes("'x".into())));
        assert!(matches!(grid("@randon"), Err(BotError::NoBuiltin { nearest: Some("random"), .. })));
        assert!(matches!(grid("champion:x"), Err(BotError::NoChampions { .. })));
        let portals = agon_games::find("portals").expect("it is a game");
        assert_eq!(BotSpec::parse(portals, "champion:"), Err(BotError::UnnamedChampion));
        assert_eq!(BotSpec::parse(portals, "champion:no/where"), Err(BotError::NoChampion("no/where".into())));
    }

    #[test]
    fn slips_of_the_command_are_seen() {
        for (words, file) in [
            ("python3 no/where.py", Some("no/where.py")),
            ("python3 -m x", None),
            ("bash -c 'python3 x.py'", None),
            // What `env` enters is where the file is looked for.
            ("env -C ../../examples/portals/champion-python python3 prologin.py", None),
            ("env -C ../../examples/portals/champion-python python3 bot.py", Some("bot.py")),
        ] {
            assert_eq!(grid(words).expect("a command").missing_file(), file, "{words}");
        }
        for (words, shell) in [
            ("cd bots && python3 x.py", true),
            ("~/bot", true),
            ("python3 $HOME/x.py", true),
            ("sh -c 'cd bots && exec ./x'", false),
            ("./bot --depth 3", false),
        ] {
            assert_eq!(grid(words).expect("a command").needs_shell(), shell, "{words}");
        }
        for (words, what) in [
            ("no/where.zip", Some("archive")),
            ("nowhere.TAR.gz", Some("archive")),
            ("nowhere.rar", Some("archive")),
            ("nowhere.jar", Some("archive")),
            ("nowhere.wasm", Some("module")),
            ("no/where/", Some("folder")),
            ("./nowhere", None),
            ("cp nowhere.zip", None),
        ] {
            assert_eq!(grid(words).expect("a command").missing_input(), what, "{words}");
        }
        for (words, module) in [
            ("python3 -m nowhere", Some("nowhere")),
            ("python3 -um no.where", Some("no.where")),
            ("python3 -X dev -mnowhere x", Some("nowhere")),
            ("python3 -m src.bot", None),
            ("python3 bot.py -m nowhere", None),
            ("./bot -m nowhere", None),
        ] {
            assert_eq!(grid(words).expect("a command").missing_module().as_deref(), module, "{words}");
        }
        let game = agon_games::find("grid").expect("it is a game");
        assert_eq!(grid("random").expect("a command").forgotten_sign(game), Some("random"));
        assert_eq!(grid("random 3").expect("a command").forgotten_sign(game), None);
    }
}
