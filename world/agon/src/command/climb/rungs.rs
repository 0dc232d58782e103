//! The rungs of a climb: the bots in a folder, or the built-in bots.

use crate::{
    clean::{clean, shell_word},
    error::{Error, Result},
    exit::Exit,
    printer::Printer,
};
use agon_games::AnyGame;
use agon_play::{BotSpec, NamedBot, usual_start};
use std::{
    cmp::Ordering,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The folder in which Python keeps what it has compiled.
const PYTHON_CACHE: &str = "__pycache__";

/// Returns the built-in bots, weakest first.
pub fn builtin(game: &dyn AnyGame) -> Result<Vec<NamedBot>> {
    let builtin = |bot: &agon_core::BotKind| NamedBot::builtin(game, bot.name).map_err(agon_play::Error::from);
    Ok(game.info().bots.iter().map(builtin).collect::<std::result::Result<_, _>>()?)
}

/// Returns the bots in a folder, in the natural order of their names.
///
/// # Errors
/// The folder cannot be read, or it has no bot.
pub fn of_folder(game: &dyn AnyGame, folder: &Path, printer: &Printer) -> Result<Vec<NamedBot>> {
    let failed = |why| Error::file("read the folder", folder, &why);
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && name != PYTHON_CACHE {
            names.push(name);
        }
    }
    names.sort_by(|one, other| natural(one, other));
    let mut rungs = Vec::new();
    for name in names {
        match rung(game, &folder.join(&name))? {
            Some(bot) => rungs.push(bot),
            None => printer.note(format!("`{}` is no bot, so it is left out", clean(&name))),
        }
    }
    if rungs.is_empty() {
        let shown = clean(&folder.display().to_string());
        return Err(Error::user(format!("there is no bot in `{shown}`"))
            .hint("each rung is a folder, an archive, a script or a program in it")
            .exit(Exit::Nothing));
    }
    Ok(rungs)
}

/// Returns the bot in a folder or a file. `None` if the file is neither a program nor anything that Agon starts.
fn rung(game: &dyn AnyGame, path: &Path) -> Result<Option<NamedBot>> {
    // A path without a slash would be looked up among the programs of the system.
    let path = if path.parent().is_none_or(|folder| folder.as_os_str().is_empty()) {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    };
    let shared = path.extension().is_some_and(|end| end == "so");
    let words = match usual_start(&path.to_string_lossy()).filter(|_| path.is_file()) {
        // It plays without a host of its own, or it is built.
        Some(interpreter) if interpreter != "java -jar" => format!("{interpreter} {}", shell_word(&path)),
        _ if shared && game.info().champions => format!("champion:{}", path.display()),
        _ => shell_word(&path),
    };
    let parsed = NamedBot::parse(game, &words).map_err(agon_play::Error::from)?;
    if matches!(parsed.spec, BotSpec::Command(_))
        && usual_start(&path.to_string_lossy()).is_none()
        && !is_program(&path)
    {
        return Ok(None);
    }
    Ok(Some(NamedBot { name: name_of(&path), is_named: true, ..parsed }))
}

/// Returns the name of a folder, or of a file without its ending.
fn name_of(path: &Path) -> String {
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let name = name.unwrap_or_default().to_string_lossy();
    name.strip_suffix(".tar").unwrap_or(&name).to_owned()
}

fn is_program(path: &PathBuf) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// Compares names as people order them: the numbers in them by their values, so that `v2` is before `v10`.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    while let (Some(a), Some(b)) = (left.chars().next(), right.chars().next()) {
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (long, wide) = (digits(left), digits(right));
        let order = if long > 0 && wide > 0 {
            let (number, than) = (left[..long].trim_start_matches('0'), right[..wide].trim_start_matches('0'));
            (left, right) = (&left[long..], &right[wide..]);
            number.len().cmp(&than.len()).then_with(|| number.cmp(than))
        } else {
            (left, right) = (&left[a.len_utf8()..], &right[b.len_utf8()..]);
            a.cmp(&b)
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_ordered_by_their_values() {
        let sorted =
            ["2", "10", "10a", "a", "v1", "v01b", "v2", "v2.1", "v2.10", "v10", "v99999999999999999999", "é1", "é2"];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|one, other| natural(one, other));
        assert_eq!(names, sorted);
        assert_eq!((natural("a01", "a1"), natural("a1", "a01")), (Ordering::Less, Ordering::Greater));
        assert_eq!(natural("x", "x"), Ordering::Equal);
    }
}
