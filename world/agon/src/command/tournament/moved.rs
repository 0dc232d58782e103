//! The words of a BOT, as they are written from another folder.

use agon_play::{BotSpec, NamedBot};
use std::path::{Component, Path, PathBuf};

/// Returns the words that name a bot from `folder` as they name it from the current folder `here`. Both are absolute
/// and without links. Relative paths that lead to something change; all else stays as it is. `None` if the bot names a
/// module that is looked up in the folder where it starts: no words can name it from elsewhere.
pub fn moved(bot: &NamedBot, here: &Path, folder: &Path) -> Option<String> {
    if here == folder {
        return Some(bot.words.clone());
    }
    let moved = |path: &str| relative(here, Path::new(path), folder);
    let quoted = |path: String| shlex::try_quote(&path).map_or_else(|_| path.clone(), std::borrow::Cow::into_owned);
    Some(match &bot.spec {
        BotSpec::Builtin(_) | BotSpec::Human => bot.words.clone(),
        BotSpec::Champion(path) => {
            moved(&path.to_string_lossy()).map_or_else(|| bot.words.clone(), |path| format!("champion:{path}"))
        }
        BotSpec::Folder(path) | BotSpec::Archive(path) | BotSpec::Wasm(path) => {
            moved(&path.to_string_lossy()).map_or_else(|| bot.words.clone(), |path| quoted(plain(path)))
        }
        BotSpec::Command(words) => {
            if bot.spec.module_file().is_some() {
                return None;
            }
            let mut changed = false;
            let mut word = |(at, word): (usize, &String)| {
                let new = if at == 0 { program(word, &moved) } else { argument(word, &moved) };
                changed |= new.is_some();
                new.unwrap_or_else(|| word.clone())
            };
            let words: Vec<String> = words.iter().enumerate().map(&mut word).collect();
            let joined = shlex::try_join(words.iter().map(String::as_str)).ok();
            joined.filter(|_| changed).unwrap_or_else(|| bot.words.clone())
        }
    })
}

/// A first word without a slash is looked up in `PATH`, so it must neither lose nor get one.
fn program(word: &str, moved: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let path = moved(word).filter(|_| word.contains('/'))?;
    Some(if path.contains('/') { path } else { format!("./{path}") })
}

/// An argument names a file, or a list of files behind a `=`.
fn argument(word: &str, moved: &impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(path) = moved(word) {
        return Some(path);
    }
    let (option, value) = word.split_once('=').map_or(("", word), |(option, value)| (option, value));
    let parts: Vec<Option<String>> = value.split(':').map(moved).collect();
    if parts.iter().all(Option::is_none) {
        return None;
    }
    let parts = value.split(':').zip(parts).map(|(old, new)| new.unwrap_or_else(|| old.to_owned()));
    let value = parts.collect::<Vec<_>>().join(":");
    Some(if option.is_empty() { value } else { format!("{option}={value}") })
}

/// Makes a path that is a whole BOT one that is taken for nothing else.
fn plain(path: String) -> String {
    if path.starts_with('@') || path.contains('=') { format!("./{path}") } else { path }
}

/// Returns `path`, which is relative to `here` and leads to something, relative to `folder`.
fn relative(here: &Path, path: &Path, folder: &Path) -> Option<String> {
    if path.is_absolute() || path.as_os_str().is_empty() {
        return None;
    }
    let whole = here.join(path);
    whole.symlink_metadata().ok()?;
    // A link in the last place stays: an interpreter may look where it was started.
    let target = match (whole.parent(), whole.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => parent.canonicalize().ok()?.join(name),
        _ => whole.canonicalize().ok()?,
    };
    let common = target.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(target.components().skip(common)).collect();
    let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_file() {
        let game = agon_play::find_game("grid").expect("it is a game");
        // Tests run in the folder of their crate.
        let here = std::env::current_dir().expect("a folder").canonicalize().expect("it is there");
        let above = here.parent().expect("it has one").to_owned();
        let inside = here.join("src");
        let from = |words: &str, folder: &Path| {
            let bot = NamedBot::parse(game, words).expect("a bot");
            moved(&bot, &here, folder).expect("no module")
        };
        for (words, outside, within) in [
            ("@random", "@random", "@random"),
            ("python3 src/main.rs -v", "python3 agon/src/main.rs -v", "python3 main.rs -v"),
            ("python3 ./Cargo.toml", "python3 agon/Cargo.toml", "python3 ../Cargo.toml"),
            ("src/main.rs --map=Cargo.toml:/etc", "agon/src/main.rs '--map=agon/Cargo.toml:/etc'", ""),
            ("src/main.rs", "agon/src/main.rs", "./main.rs"),
            ("cargo none.txt", "cargo none.txt", "cargo none.txt"),
            ("Cargo.toml x", "Cargo.toml x", "Cargo.toml x"),
            ("src", "agon/src", "."),
            ("./src/../src", "agon/src", "."),
        ] {
            assert_eq!(from(words, &here), words);
            assert_eq!(from(words, &above), outside, "{words}");
            if !within.is_empty() {
                assert_eq!(from(words, &inside), within, "{words}");
            }
        }
    }
}
