//! The one grammar of BOT: `[NAME=]SPEC`, SPEC being `@builtin`, `champion:PATH`, an existing folder, archive or module,
//! else a command line that is split into words and started without a shell.

use crate::{
    bot_name::{self, NAME_LIMIT},
    game::nearest,
};
use agon_build::intake::Kind;
use agon_games::AnyGame;
use agon_spec::SeatSpec;
use std::path::{Path, PathBuf};

/// What a champion begins with.
const CHAMPION: &str = "champion:";
/// Endings of files that hold a bot but cannot be started as they are.
const UNPLAYED: &[&str] = &[".tar.bz2", ".tar.xz", ".7z", ".rar"];

/// What plays in a seat, read once from a user's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BotSpec {
    /// A built-in bot of the game, computed in this process.
    Builtin(&'static str),
    /// A program and its arguments, at least one word.
    Command(Vec<String>),
    /// A folder with a bot's files, which is built if it must be.
    Folder(PathBuf),
    /// The same packed into one file, or a `.jar`.
    Archive(PathBuf),
    /// A file with a module in WASM.
    Wasm(PathBuf),
    /// A champion of the game's own contest: a folder with its sources, or a shared object.
    Champion(PathBuf),
    /// A person, whose decisions come in while the match runs. No words name one: see [`NamedBot::human`].
    Human,
}

/// A bot with the name that it has in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedBot {
    /// Unique in its match once [`unique_names`](crate::unique_names) was called.
    pub name: String,
    /// SPEC as it was written, without the name.
    pub words: String,
    /// What plays.
    pub spec: BotSpec,
}

/// Why words name no bot.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// Nothing was written, or an empty first word.
    #[error("a bot must not be empty")]
    Empty,
    /// A quote is opened and not closed.
    #[error("the quotes of `{0}` do not match")]
    Quotes(String),
    /// No word of a command can have a NUL byte.
    #[error("`{0}` holds a NUL byte")]
    NulByte(String),
    /// What stands before the `=` cannot be a name.
    #[error("`{0}` is no name for a bot")]
    Name(String),
    /// A file that holds a bot, but in a form that is not read.
    #[error("`{0}`: a file of this kind as a bot is not supported")]
    Unsupported(String),
    /// The game has no such built-in bot.
    #[error("{game} has no built-in bot `{sign}{name}`")]
    NoBuiltin {
        /// The game's title.
        game: &'static str,
        /// What is written before names of built-in bots here: `@`, or nothing.
        sign: &'static str,
        /// What was asked for.
        name: String,
        /// The built-in bot that is spelt nearly so.
        nearest: Option<&'static str>,
        /// All built-in bots of the game.
        known: Vec<&'static str>,
    },
    /// Champions belong to other games.
    #[error("{game} has no champions")]
    NoChampions {
        /// The game's title.
        game: &'static str,
        /// The names of those that have some.
        games: Vec<&'static str>,
    },
    /// `champion:` and nothing behind it.
    #[error("`champion:` names no champion")]
    UnnamedChampion,
    /// There is nothing at this path.
    #[error("there is no champion `{}`", .0.display())]
    NoChampion(PathBuf),
}

impl BotError {
    /// The way out, if there is a short one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Quotes(_) | Self::NulByte(_) => return None,
            Self::Empty => "write `@NAME` for a built-in bot, or a command as `\"python3 bot.py\"`".to_owned(),
            Self::Name(_) => format!(
                "a name begins with a letter or a digit and has letters, digits and `-_.+#`, at most {NAME_LIMIT}"
            ),
            Self::Unsupported(_) => {
                "give a folder, a `.zip`, `.tar.gz` or `.tar.zst`, or the command that starts it".to_owned()
            }
            Self::NoBuiltin { sign, nearest, known, .. } => {
                let all = known.iter().map(|name| format!("{sign}{name}")).collect::<Vec<_>>().join(", ");
                match nearest {
                    Some(near) => format!("did you mean `{sign}{near}`? there are: {all}"),
                    None => format!("there are: {all}"),
                }
            }
            Self::NoChampions { games, .. } => format!("`champion:` is for the game `{}`", games.join("`, `")),
            Self::UnnamedChampion => {
                "write the folder with its sources or its `.so` behind it, as `champion:my/folder`".to_owned()
            }
            Self::NoChampion(_) => {
                "`champion:` takes a folder with sources, or a `.so` made by `agon champion build`".to_owned()
            }
        })
    }
}

impl NamedBot {
    /// Reads `[NAME=]SPEC`. Whether a path is a folder or an archive is looked up now.
    ///
    /// # Errors
    /// The words name no bot.
    pub fn parse(game: &dyn AnyGame, text: &str) -> Result<Self, BotError> {
        let (name, words) = bot_name::split(text);
        if name.is_none() {
            refuse_bad_name(words)?;
        }
        let spec = BotSpec::parse(game, words)?;
        let name = name.map_or_else(|| bot_name::default_name(&spec), str::to_owned);
        Ok(Self { name, words: words.to_owned(), spec })
    }

    /// A built-in bot, which must be one of the game's.
    ///
    /// # Errors
    /// It is none.
    pub fn builtin(game: &dyn AnyGame, name: &str) -> Result<Self, BotError> {
        Self::parse(game, &format!("@{name}"))
    }

    /// A person in place of a bot.
    #[must_use]
    pub fn human(name: &str) -> Self {
        Self { name: name.to_owned(), words: String::new(), spec: BotSpec::Human }
    }

    /// The files that its words name: nothing may be written over them.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let paths = match &self.spec {
            BotSpec::Builtin(_) | BotSpec::Human => Vec::new(),
            // The whole text may be a path with blanks in it.
            BotSpec::Command(words) => words.iter().chain([&self.words]).map(PathBuf::from).collect(),
            BotSpec::Folder(path) | BotSpec::Archive(path) | BotSpec::Wasm(path) | BotSpec::Champion(path) => {
                vec![path.clone()]
            }
        };
        paths.into_iter().filter(|path| path.is_file()).collect()
    }
}

impl BotSpec {
    /// Reads SPEC.
    ///
    /// # Errors
    /// The words name no bot.
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
        // The whole text may be a path with blanks in it; quotes around it are gone in the first word.
        for path in [words, program] {
            if split.len() > 1 && path != words {
                continue;
            }
            match Kind::of(Path::new(path)) {
                Some(Kind::Folder) => return Ok(Self::Folder(path.into())),
                Some(_) => return Ok(Self::Archive(path.into())),
                None => {}
            }
            if path.ends_with(".wasm") && Path::new(path).is_file() {
                return Ok(Self::Wasm(path.into()));
            }
            if Path::new(path).is_file() && UNPLAYED.iter().any(|end| path.to_lowercase().ends_with(end)) {
                return Err(BotError::Unsupported(path.to_owned()));
            }
        }
        Ok(Self::Command(split))
    }

    /// As documents have it: `builtin`, `command`, `folder`, `archive`, `wasm` or `champion`; `human` for a person.
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

    /// Whether it runs in a process of its own.
    #[must_use]
    pub fn is_process(&self) -> bool {
        !matches!(self, Self::Builtin(_) | Self::Human)
    }

    /// Whether instructions are its limit rather than time.
    #[must_use]
    pub fn is_wasm(&self) -> bool {
        matches!(self, Self::Wasm(_))
    }

    /// A word of a command, behind the program, that looks like a file and is none.
    #[must_use]
    pub fn missing_file(&self) -> Option<&str> {
        const SCRIPTS: &[&str] =
            &[".py", ".js", ".mjs", ".cjs", ".ts", ".jar", ".rb", ".pl", ".php", ".lua", ".sh", ".exe"];
        let Self::Command(words) = self else { return None };
        let named = |word: &&String| {
            let is_file = SCRIPTS.iter().any(|end| word.ends_with(end)) && !word.contains(char::is_whitespace);
            is_file && !word.starts_with('-') && !Path::new(word).exists()
        };
        words.iter().skip(1).find(named).map(String::as_str)
    }

    /// Whether a command is written for a shell, and there is none.
    #[must_use]
    pub fn needs_shell(&self) -> bool {
        const OPERATORS: [&str; 7] = ["&&", "||", "|", ";", ">", "<", "2>"];
        let Self::Command(words) = self else { return false };
        let own = |word: &str| OPERATORS.contains(&word) || word.starts_with("~/") || word.contains('$');
        words.iter().any(|word| own(word) && !word.contains(' ')) || words.first().is_some_and(|word| word == "cd")
    }

    /// The built-in bot whose name is the whole command: its sign was forgotten.
    #[must_use]
    pub fn forgotten_sign(&self, game: &dyn AnyGame) -> Option<&'static str> {
        let Self::Command(words) = self else { return None };
        let [word] = &words[..] else { return None };
        game.info().bots.iter().find(|bot| bot.name == word).map(|bot| bot.name)
    }
}

/// The built-in bot of this name; errors write names with `sign` before them.
///
/// # Errors
/// There is none.
pub fn builtin(game: &dyn AnyGame, name: &str, sign: &'static str) -> Result<&'static str, BotError> {
    let known = || game.info().bots.iter().map(|bot| bot.name);
    known().find(|bot| *bot == name).ok_or_else(|| BotError::NoBuiltin {
        game: game.info().title,
        sign,
        name: bot_name::shortened(name, 40),
        nearest: nearest(name, known()),
        known: known().collect(),
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

/// `what=@bot` with a name that cannot be one: it would be no command either.
fn refuse_bad_name(words: &str) -> Result<(), BotError> {
    match words.split_once("=@") {
        Some((name, _)) if !name.contains(|c: char| c.is_whitespace() || c == '/') => {
            Err(BotError::Name(bot_name::shortened(name, 60)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(words: &str) -> Result<BotSpec, BotError> {
        BotSpec::parse(agon_games::find("grid").expect("it is a game"), words)
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
        for (words, file) in
            [("python3 no/where.py", Some("no/where.py")), ("python3 -m x", None), ("bash -c 'python3 x.py'", None)]
        {
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
        let game = agon_games::find("grid").expect("it is a game");
        assert_eq!(grid("random").expect("a command").forgotten_sign(game), Some("random"));
        assert_eq!(grid("random 3").expect("a command").forgotten_sign(game), None);
    }
}
