//! A second look, from outside of the sandbox: whether the files that a failed bot did not find are there.

use super::{Guess, signs::Sign, written_in};
use crate::{BotSpec, Exposure, PreparedBot};
use agon_languages::{Entry, Flush, Language};
use agon_spec::{FaultCause, Isolation};
use rustix::{
    fs::{Access, access},
    process::geteuid,
};
use std::{
    fs,
    io::{ErrorKind, Read},
    os::unix::fs::MetadataExt,
    path::{Component, Path, PathBuf},
};

/// How much of a script is read, in bytes.
const MOST_READ: u64 = 1 << 20;
/// The home of bots in a sandbox.
const HOME: &str = "/home/bot";

/// Looks at what a sign points to. `None` if the sandbox is not the reason.
///
/// `where_to_write` is the way out for a bot that writes a file.
pub(super) fn look(sign: &Sign, bot: &PreparedBot, where_to_write: &str) -> Option<Guess> {
    let guess = found(sign, bot)?;
    let is_write = guess.code == FaultCause::ReadOnly;
    Some(if is_write { Guess { hint: where_to_write.to_owned(), ..guess } } else { guess })
}

fn found(sign: &Sign, bot: &PreparedBot) -> Option<Guess> {
    match sign {
        Sign::NoFile(paths) => {
            paths.iter().find_map(|path| hidden(path, bot).or_else(|| beside(path, bot)).or_else(|| above(path, bot)))
        }
        Sign::Denied(paths) => paths.iter().find_map(|path| denied(path, bot)),
        Sign::ReadOnly(paths) => Some(read_only(paths.first().map(String::as_str))),
        Sign::Database(path) => database(path.as_deref(), bot),
        Sign::NoModule(name, importer) => beside_importer(name, importer.as_deref(), bot).or_else(|| module(name, bot)),
        _ => None,
    }
}

/// Whether the script of a bot has words that flush, or its command makes that needless.
pub(super) fn flushes(bot: &PreparedBot, language: &Entry) -> bool {
    let Some(program) = bot.program() else { return false };
    if language.language == Language::Python && program.words.iter().any(|word| word == "-u") {
        return true;
    }
    let mut text = String::new();
    let script = file_of(bot).and_then(|file| fs::File::open(file).ok());
    // Of a program that was built this is no text, so that nothing is known.
    let read = script.is_some_and(|script| script.take(MOST_READ).read_to_string(&mut text).is_ok());
    let Flush::By { signs, .. } = language.flush else { return false };
    read && signs.iter().any(|words| text.contains(words))
}

/// Returns the file that the bot's interpreter reads, or that is executed as the bot.
fn file_of(bot: &PreparedBot) -> Option<PathBuf> {
    let program = bot.program()?;
    let first = || Some(start_folder(bot)?.join(program.words.first()?)).filter(|file| file.is_file());
    program.script.clone().or_else(first)
}

/// Returns the folder in which the bot starts.
fn start_folder(bot: &PreparedBot) -> Option<PathBuf> {
    let dir = bot.program().and_then(|program| program.dir.clone());
    dir.or_else(|| std::env::current_dir().ok())
}

/// Returns the path outside that a path in the bot's message means: relative to where it starts, or in its user's home.
fn outside(path: &str, bot: &PreparedBot) -> Option<PathBuf> {
    let path = Path::new(path.strip_prefix("file://").unwrap_or(path));
    let home = std::env::var_os("HOME").map(PathBuf::from);
    if let (Ok(rest), Some(home)) = (path.strip_prefix(HOME).or_else(|_| path.strip_prefix("~")), home) {
        return Some(home.join(rest));
    }
    Some(start_folder(bot)?.join(path))
}

/// A file that is there, but not in the sandbox.
fn hidden(path: &str, bot: &PreparedBot) -> Option<Guess> {
    let file = outside(path, bot)?;
    let there = file.exists() && bot.exposure(&file) == Exposure::Hidden;
    // The whole system is shown already, and what is not shown of it, nobody can show.
    let is_system = ["/proc", "/sys", "/dev", "/run"].iter().any(|folder| file.starts_with(folder));
    (there && !is_system).then(|| {
        let what = format!("it did not find `{path}`: the file exists, but the sandbox does not show it");
        let hint = if Path::new(path).starts_with(HOME) {
            "`$HOME` is an empty folder in the sandbox: put the file into the bot's folder".to_owned()
        } else if bot.sees_nothing() {
            "its command names no file of yours: `--bot-dir DIR` lets it read a folder".to_owned()
        } else {
            format!("`--read {}` lets bots read it", quoted(&file))
        };
        Guess::new(FaultCause::HiddenFile, what, hint)
    })
}

/// A file that is in the folder of the program, while the bot starts in another one. The sandbox has no part in that.
fn beside(path: &str, bot: &PreparedBot) -> Option<Guess> {
    let start = start_folder(bot)?;
    let folder = file_of(bot)?.parent()?.canonicalize().ok()?;
    let is_elsewhere = start.canonicalize().is_ok_and(|start| start != folder) && !start.join(path).exists();
    let is_there = Path::new(path).is_relative() && folder.join(path).exists();
    (is_elsewhere && is_there).then(|| {
        let (start, folder) = (start.display(), quoted(&folder));
        let what = format!("it did not find `{path}`: the file is in its own folder, but it starts in `{start}`");
        let own = written_in(bot).filter(|language| !language.own_folder.is_empty());
        let open = own.map(|it| format!("; or open the file in its own folder, in {} `{}`", it.title, it.own_folder));
        let hint = format!("start it there, after `cd {folder}`{}", open.unwrap_or_default());
        Guess::new(FaultCause::WrongFolder, what, hint)
    })
}

/// A file outside of the folder of the bot, of which a copy plays.
fn above(path: &str, bot: &PreparedBot) -> Option<Guess> {
    let (BotSpec::Folder(own) | BotSpec::Archive(own)) = bot.spec() else { return None };
    let mut parts = Path::new(path).components().skip_while(|part| *part == Component::CurDir);
    if parts.next() != Some(Component::ParentDir) {
        return None;
    }
    let is_there = matches!(bot.spec(), BotSpec::Folder(_)) && own.join(path).exists();
    let known = if is_there {
        "the file exists there, but a copy of the bot's folder plays"
    } else {
        "a copy of the bot's folder plays"
    };
    let what = format!("it did not find `{path}`, which is outside of its folder: {known}, with nothing around it");
    let hint = "put what it reads into its folder, and open it there, without `..`";
    Some(Guess::new(FaultCause::HiddenFile, what, hint))
}

/// A database that the bot could neither open nor make.
fn database(path: Option<&str>, bot: &PreparedBot) -> Option<Guess> {
    match path {
        // The folder may not be there at all.
        Some(path) => denied(path, bot).or_else(|| beside(path, bot)),
        None => {
            let what = "perhaps it could not make its database: the sandbox shows files only for reading";
            Some(Guess::new(FaultCause::ReadOnly, what, String::new()))
        }
    }
}

/// A file or folder that the bot may not use in the way in which it tried.
fn denied(path: &str, bot: &PreparedBot) -> Option<Guess> {
    let file = outside(path, bot)?;
    // A shell names the script that it reads before what it says.
    if bot.program().is_some_and(|program| program.script.as_ref() == Some(&file)) {
        return None;
    }
    let shown = match bot.exposure(&file) {
        // The name of a file that is not there is looked up first, so who may not use it wants to make it.
        Exposure::Hidden => return hidden(path, bot).or_else(|| is_new(&file).then(|| read_only(Some(path)))),
        Exposure::Shown(shown) => Some(shown),
        Exposure::Unconfined => None,
    };
    let other_user = if geteuid().is_root() { "bots run as another user, and " } else { "" };
    let whose = if geteuid().is_root() { 'a' } else { 'u' };
    if let Some(folder) = closed_folder(&file, shown.filter(|_| bot.isolation() == Some(Isolation::Full))) {
        let what =
            format!("it may not enter `{}` for `{path}`: {other_user}the folder's mode shuts it out", folder.display());
        let hint = format!("`chmod {whose}+x {}` lets it enter the folder", quoted(&folder));
        return Some(Guess::new(FaultCause::Rights, what, hint));
    }
    let Ok(about) = fs::metadata(&file) else { return is_new(&file).then(|| read_only(Some(path))) };
    if !is_open(&file, about.mode() & 0o004, Access::READ_OK) {
        let what = format!("it may not read `{path}`: {other_user}the file's mode shuts it out");
        let hint = format!("`chmod {whose}+r {}` lets it read the file", quoted(&file));
        return Some(Guess::new(FaultCause::Rights, what, hint));
    }
    if !about.is_file() || about.mode() & 0o111 != 0 {
        return None;
    }
    Some(if is_program(&file) {
        let what = format!("perhaps it tried to execute `{path}`, whose mode does not allow that");
        Guess::new(FaultCause::Rights, what, format!("perhaps `chmod +x {}`", quoted(&file)))
    } else {
        let what = format!("perhaps it wrote to `{path}`: the sandbox shows files only for reading");
        Guess::new(FaultCause::ReadOnly, what, String::new())
    })
}

/// Whether a file is not there, and could be made in its folder.
fn is_new(file: &Path) -> bool {
    let is_missing = fs::symlink_metadata(file).is_err_and(|why| why.kind() == ErrorKind::NotFound);
    is_missing && file.parent().is_some_and(Path::is_dir)
}

/// Whether the user that bots run as may use a file in this way. `others` are the bits of its mode for other users.
fn is_open(file: &Path, others: u32, way: Access) -> bool {
    // The bots of root run as another user, and those of another user as that one.
    if geteuid().is_root() { others != 0 } else { access(file, way).is_ok() }
}

/// Returns the outermost folder around a file that bots may not enter. `shown` is the file or folder that the sandbox has in
/// its place, whatever is around it outside.
fn closed_folder(file: &Path, shown: Option<PathBuf>) -> Option<PathBuf> {
    let folder = file.parent()?;
    let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder)).ok()?;
    let inside = |folder: &&Path| shown.as_ref().is_none_or(|shown| folder.starts_with(shown));
    let closed = |folder: &&Path| {
        fs::metadata(folder).is_ok_and(|about| !is_open(folder, about.mode() & 0o001, Access::EXEC_OK))
    };
    folder.ancestors().take_while(inside).filter(closed).last().map(Path::to_owned)
}

/// Whether a file begins as a program for this system or a script with an interpreter does.
fn is_program(file: &Path) -> bool {
    let mut start = [0; 4];
    let read = fs::File::open(file).and_then(|mut file| file.read(&mut start));
    read.is_ok_and(|length| start[..length].starts_with(b"#!") || start[..length] == *b"\x7fELF")
}

/// A write to a file system that is read-only.
fn read_only(path: Option<&str>) -> Guess {
    let what = match path {
        Some(path) => format!("it wrote to `{path}`, but the sandbox shows files only for reading"),
        None => "it wrote to a file, but the sandbox shows files only for reading".to_owned(),
    };
    Guess::new(FaultCause::ReadOnly, what, String::new())
}

/// A module beside the file that imports it, where Python 2 looks for it.
fn beside_importer(name: &str, importer: Option<&str>, bot: &PreparedBot) -> Option<Guess> {
    let importer = outside(importer?, bot)?;
    let path = importer.parent()?.join(name.replace('.', "/"));
    let is_there = path.with_extension("py").is_file() || path.join("__init__.py").is_file();
    let file = importer.file_name()?.to_string_lossy().into_owned();
    is_there.then(|| {
        let what = format!("`{file}` imports `{name}`, which is beside it, as Python 2 allows and Python 3 does not");
        let hint = format!("write `from . import {name}`, or start it with `python2` where that is installed");
        Guess::new(FaultCause::Python2, what, hint)
    })
}

/// A module that was not found.
fn module(name: &str, bot: &PreparedBot) -> Option<Guess> {
    if name.starts_with(['.', '/']) {
        return ["", ".js", ".json", ".mjs"].iter().find_map(|end| hidden(&format!("{name}{end}"), bot));
    }
    let top = name.split(['.', '/']).next().unwrap_or(name);
    if bot.sees_nothing() {
        let path = name.replace('.', "/");
        let ends = [".py", "/__main__.py", ".class"];
        return ends.iter().find_map(|end| hidden(&format!("{path}{end}"), bot));
    }
    let Some(file) = of_user(top, name).into_iter().find(|path| path.exists()) else {
        return Some(nowhere(top, bot));
    };
    if bot.isolation().is_none_or(|level| level == Isolation::None) {
        // It sees those packages, so another version of its interpreter has them.
        return None;
    }
    let folder = file.display();
    let what = format!("it did not find the module `{name}`, which only your own packages have: `{folder}`");
    let hint = if file.components().any(|part| part.as_os_str() == "node_modules") {
        "install it in the bot's folder: `npm install` there".to_owned()
    } else {
        // Of folders and archives the bot has a copy.
        let folder = match bot.spec() {
            BotSpec::Folder(folder) => Some(quoted(folder)),
            BotSpec::Command(_) => file_of(bot).and_then(|file| Some(quoted(file.parent()?))),
            _ => None,
        };
        let folder = folder.unwrap_or_else(|| "FOLDER".to_owned());
        format!("install it in the bot's folder: `pip install --target {folder} {top}`")
    };
    Some(Guess::new(FaultCause::UserPackages, what, hint))
}

/// A module that nobody has.
fn nowhere(top: &str, bot: &PreparedBot) -> Guess {
    let nobody = "neither its folder nor this system has it";
    let (what, install) = match written_in(bot).map(|entry| entry.language) {
        Some(Language::JavaScript | Language::TypeScript) => {
            ("its folder has no such module", format!("`npm install {top}` in the bot's folder installs it"))
        }
        Some(Language::Ruby) => {
            (nobody, format!("put it into the bot's folder, and load it with `require_relative '{top}'`"))
        }
        Some(Language::Perl) => (nobody, format!("put `{}.pm` into the bot's folder", top.replace("::", "/"))),
        Some(Language::Lua | Language::Php) => (nobody, "put it into the bot's folder".to_owned()),
        _ => (nobody, format!("install it into the bot's folder: `pip install --target FOLDER {top}`")),
    };
    let what = format!("it did not find the module `{top}`: {what}");
    let hint = format!("{install}; a file of your own must be in the folder of the program");
    Guess::new(FaultCause::NoModule, what, hint)
}

/// Returns where a module can be among the packages of this user.
fn of_user(top: &str, name: &str) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut found = Vec::new();
    for version in home.iter().flat_map(|home| fs::read_dir(home.join(".local/lib")).into_iter().flatten().flatten()) {
        let packages = version.path().join("site-packages");
        found.extend([packages.join(top), packages.join(format!("{top}.py"))]);
    }
    let here = std::env::current_dir().ok();
    let around = here.iter().flat_map(|here| here.ancestors()).chain(home.as_deref());
    found.extend(around.map(|folder| folder.join("node_modules").join(name)));
    let paths = std::env::var_os("NODE_PATH").unwrap_or_default();
    found.extend(std::env::split_paths(&paths).map(|folder| folder.join(name)));
    found
}

fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    shlex::try_quote(&path).map_or_else(|_| path.clone().into_owned(), std::borrow::Cow::into_owned)
}
