//! The folder of the tournament, and which paths lead to files in it on every machine.

use agon_core::Flaw;
use std::{
    fs::{self, File},
    io,
    path::{Component, Path, PathBuf},
};

/// The folder of the tournament.
#[derive(Debug)]
pub(crate) struct Top {
    /// Its path without links.
    pub path: PathBuf,
    /// The folder, open.
    pub folder: File,
}

/// What a path in the folder of the tournament leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inside {
    /// The path from the folder of the tournament. Empty for that folder itself.
    pub path: String,
    /// The path of the file itself, which differs from `path` if that is a link beside it.
    pub real: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

impl Top {
    /// Opens the folder of a tournament.
    ///
    /// # Errors
    /// If there is no such folder.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.canonicalize()?;
        let folder = File::open(&path)?;
        if folder.metadata()?.is_dir() { Ok(Self { path, folder }) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    /// Follows a path that a user has written and that begins in `base`, which is this folder or one in it.
    ///
    /// # Errors
    /// If the same words cannot lead to the same file in the folder of another machine, with what to write instead.
    pub(crate) fn inside(&self, named: &Path, base: &Path) -> Result<Inside, Flaw> {
        let shown = named.display();
        if named.is_absolute() {
            let flaw = Flaw::new(format!("`{shown}` is an absolute path, which leads nowhere on another machine"));
            let plain = named.canonicalize().unwrap_or_else(|_| named.to_owned());
            return Err(match plain.strip_prefix(base.canonicalize().as_deref().unwrap_or(base)) {
                Ok(inside) if inside.as_os_str().is_empty() => flaw.hint("write `.`"),
                Ok(inside) => flaw.hint(format!("write `{}`", inside.display())),
                Err(_) => flaw.hint(COPY),
            });
        }
        if named.components().any(|part| part == Component::ParentDir) {
            return Err(Flaw::new(format!(
                "`{shown}` leads through `..`, and other machines have only what is in the folder \
                                          of the tournament"
            ))
            .hint("write the path without `..`, and put what it names into the folder of the tournament"));
        }
        let whole = base.join(named);
        let Ok(within) = whole.strip_prefix(&self.path) else {
            return Err(Flaw::new(format!("`{shown}` is not in the folder of the tournament")).hint(COPY));
        };
        let mut path = PathBuf::new();
        for part in within.components() {
            match part {
                Component::Normal(part) => path.push(part),
                Component::CurDir => continue,
                _ => return Err(Flaw::new(format!("`{}` leads through `..`", whole.display())).hint(COPY)),
            }
        }
        let text = path.to_str().ok_or_else(|| Flaw::new(format!("`{shown}` is not UTF-8")).hint("rename it"))?;
        let mut real = path.clone();
        for step in path.ancestors().filter(|step| !step.as_os_str().is_empty()) {
            let at = self.path.join(step);
            let about = fs::symlink_metadata(&at)
                .map_err(|why| Flaw::new(format!("cannot read `{}`: {why}", step.display())))?;
            if !about.is_symlink() {
                continue;
            }
            // A program may look for its files beside itself, and beside what a link to it leads to. These are the same only if
            // both are in one folder.
            let target = at.canonicalize().ok();
            let target = target.as_deref().and_then(|target| target.strip_prefix(&self.path).ok());
            match target {
                Some(target)
                    if step == path && target.parent() == path.parent() && self.path.join(target).is_file() =>
                {
                    real = target.to_owned();
                }
                Some(target) => {
                    let rest = path.strip_prefix(step).ok().filter(|rest| !rest.as_os_str().is_empty());
                    let whole = rest.map_or_else(|| target.to_owned(), |rest| target.join(rest));
                    return Err(Flaw::new(format!("`{}` is a link, and links do not travel", step.display()))
                        .hint(format!("write the path to which it leads: `{}`", whole.display())));
                }
                None => {
                    return Err(Flaw::new(format!(
                        "`{}` is a link out of the folder of the tournament",
                        step.display()
                    ))
                    .hint(COPY));
                }
            }
        }
        let is_folder = self.path.join(&real).is_dir();
        let real = real.to_str().ok_or_else(|| Flaw::new(format!("what `{shown}` leads to is not UTF-8")))?;
        Ok(Inside { path: text.to_owned(), real: real.to_owned(), is_folder })
    }
}

/// What to do with files that are elsewhere.
pub(crate) const COPY: &str =
    "put a copy into the folder of the bot, beside the file of the tournament, and name it by its path from there";

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_plain_paths_lead_to_the_same_file_everywhere() {
        let folder = std::env::temp_dir().join(format!("agon-inside-{}", std::process::id()));
        fs::create_dir_all(folder.join("cup/bots/book")).expect("a folder");
        fs::write(folder.join("cup/bots/bot.py"), "").expect("a file");
        fs::write(folder.join("secret"), "").expect("a file");
        for (target, link) in [
            ("bot.py", "bots/same"),
            ("bots/bot.py", "bot"),
            ("bots", "alias"),
            ("../secret", "bots/out"),
            ("x", "gone"),
        ] {
            symlink(target, folder.join("cup").join(link)).expect("a link");
        }
        let top = Top::open(&folder.join("cup")).expect("it is there");
        let whole = top.path.join("bots/bot.py").display().to_string();
        let outside = top.path.parent().expect("it has one").join("secret").display().to_string();
        for (named, expected) in [
            ("bots/bot.py", Ok(("bots/bot.py", "bots/bot.py", false))),
            ("./bots//bot.py", Ok(("bots/bot.py", "bots/bot.py", false))),
            ("bots/same", Ok(("bots/same", "bots/bot.py", false))),
            ("bots/book/", Ok(("bots/book", "bots/book", true))),
            (".", Ok(("", "", true))),
            (&*whole, Err("write `bots/bot.py`")),
            (&*outside, Err(COPY)),
            ("/etc/passwd", Err(COPY)),
            ("bots/../bots/bot.py", Err("without `..`")),
            ("../secret", Err("without `..`")),
            ("bot", Err("`bots/bot.py`")),
            ("alias/bot.py", Err("`bots/bot.py`")),
            ("bots/out", Err(COPY)),
            ("gone", Err(COPY)),
        ] {
            match (top.inside(Path::new(named), &top.path), expected) {
                (Ok(found), Ok((path, real, is_folder))) => {
                    assert_eq!(found, Inside { path: path.into(), real: real.into(), is_folder }, "{named}");
                }
                (Err(flaw), Err(hint)) => {
                    assert!(flaw.hint.as_deref().is_some_and(|told| told.contains(hint)), "{named}: {flaw:?}");
                }
                (found, _) => panic!("{named}: {found:?}"),
            }
        }
        fs::remove_dir_all(&folder).expect("it is ours");
    }
}
