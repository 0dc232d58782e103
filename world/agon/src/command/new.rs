//! `agon new GAME LANG DIR`: a starter kit.

use crate::{
    clean::{clean, shell_word},
    error::{Error, Result},
    exit::Exit,
    game::list,
    printer::Printer,
    values::{self, Known},
};
use clap::Args;
use std::{fs, path::PathBuf};

/// The files of one starter kit.
struct Kit {
    game: &'static str,
    language: &'static str,
    /// The path of each file within the kit, and its bytes.
    files: &'static [(&'static str, &'static [u8])],
}

/// Every kit in `examples/`. `build.rs` embeds them.
static KITS: &[Kit] = include!(concat!(env!("OUT_DIR"), "/kits.rs"));

/// Other words that people use for a language, and the name of its kit.
const ALIASES: &[(&str, &str)] = &[
    ("py", "python"),
    ("python3", "python"),
    ("c++", "cpp"),
    ("cxx", "cpp"),
    ("js", "javascript"),
    ("node", "javascript"),
    ("rs", "rust"),
];

/// Write a starter kit: a small bot that plays, and how to run it.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  agon new planet-wars python mybot
  cd mybot && agon check planet-wars 'python3 bot.py'
  agon new lighthouses rust mybot")]
pub struct New {
    /// The game.
    #[arg(value_parser = values::game(), hide_possible_values = true)]
    game: String,
    /// The language: python, cpp, java, javascript or rust.
    #[arg(value_name = "LANG", value_parser = languages(), hide_possible_values = true)]
    language: String,
    /// The folder for the kit. It must be empty, or not exist yet.
    dir: PathBuf,
}

/// Returns every file of every kit, with its path.
pub fn kit_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    KITS.iter().flat_map(|kit| kit.files.iter().copied())
}

fn languages() -> Known<String> {
    let words = || {
        let all: std::collections::BTreeSet<_> = KITS.iter().map(|kit| kit.language).collect();
        all.into_iter().collect()
    };
    Known::new(words, |text| Ok(text.to_owned()))
}

/// Returns what a language is called in the kits.
fn kit_name(asked: &str) -> String {
    let asked = asked.to_lowercase();
    ALIASES.iter().find(|(alias, _)| *alias == asked).map_or(asked, |(_, name)| (*name).to_owned())
}

fn is_language(word: &str) -> bool {
    let name = kit_name(word);
    KITS.iter().any(|kit| kit.language == name)
}

impl New {
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let game = match crate::game::find(&self.game) {
            Err(error) if is_language(&self.game) && agon_games::find(&self.language).is_some() => {
                let dir = shell_word(&self.dir);
                return Err(error.hint(format!("did you mean `agon new {} {} {dir}`?", self.language, self.game)));
            }
            found => found?,
        };
        let kits = || KITS.iter().filter(|k| k.game == game.name() && !k.files.is_empty());
        if kits().next().is_none() {
            return Err(Error::user(format!("there is no starter kit for {} yet", game.info().title)));
        }
        let language = kit_name(&self.language);
        let Some(kit) = kits().find(|k| k.language == language) else {
            return Err(Error::user(format!(
                "{} has no starter kit in `{}`",
                game.info().title,
                clean(&self.language)
            ))
            .hint(format!("there are: {}", list(kits().map(|k| k.language.to_owned())))));
        };
        let shown = clean(&self.dir.display().to_string());
        let occupied = match fs::read_dir(&self.dir) {
            Ok(mut entries) => entries.next().is_some(),
            Err(_) => self.dir.exists(),
        };
        if occupied {
            return Err(Error::user(format!("`{shown}` is not an empty folder"))
                .hint("nothing was written; choose a folder that does not exist"));
        }
        for (path, bytes) in kit.files {
            let path = self.dir.join(path);
            let parent = path.parent().unwrap_or(&self.dir);
            fs::create_dir_all(parent).map_err(|e| Error::file("create", parent, &e))?;
            fs::write(&path, bytes).map_err(|e| Error::file("write", &path, &e))?;
        }
        let names = list(kit.files.iter().map(|(path, _)| (*path).to_owned()));
        printer.data(format!("{shown}: a bot for {} in {} ({names})\n", game.info().title, kit.language))?;
        printer.hint(format!("`{shown}/README.md` says how to build it and how to play"));
        Ok(Exit::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kit_is_of_a_game_and_can_be_read() {
        let kits: Vec<_> = KITS.iter().filter(|k| !k.files.is_empty()).collect();
        assert!(!kits.is_empty());
        for kit in kits {
            assert!(agon_games::find(kit.game).is_some(), "{} is no game", kit.game);
            assert!(kit.files.iter().any(|(path, _)| *path == "README.md"), "{}/{}", kit.game, kit.language);
            for (path, bytes) in kit.files {
                assert!(!path.starts_with('/') && !path.contains("..") && !bytes.is_empty(), "{path}");
            }
        }
    }
}
