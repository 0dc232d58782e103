//! What is kept is used only where nobody else can have written it, and as long as it is what was kept.

use super::{keeping::Fake, place::Place};
use agon_build::{Cache, News, Preparation, Prepared, Tools, Verdict, intake::Kind, intake::Submission, prepare};
use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
};

const BOT: &[(&str, &[u8])] = &[("agon-bot", b"\x7fELF"), ("data", b"12")];

/// A bot that is built into a cache around which everything is the user's.
struct Trial {
    place: Place,
    tools: Tools,
    fake: Fake,
}

impl Trial {
    fn new() -> Self {
        let place = Place::new();
        place.write("bot.c", "int main() {}");
        for folder in ["", "bot"] {
            fs::set_permissions(place.path(folder), Permissions::from_mode(0o755)).expect("it is ours");
        }
        let tools = place.tools(&["gcc", "g++", "make"], "");
        Self { place, tools, fake: Fake::making(BOT) }
    }

    /// Prepares the bot; also what was warned of.
    fn prepare(&self) -> (Prepared, Vec<String>) {
        let mut warnings = Vec::new();
        let mut news = |news: News<'_>| {
            if let News::Warning(text) = news {
                warnings.push(text.to_owned());
            }
        };
        let cache = Cache::at(self.place.path("caches/bots"));
        let environment = Some(&self.fake as _);
        let mut preparation = Preparation {
            cache: &cache,
            tools: &self.tools,
            environment,
            judge: &|_| Verdict::Accepted,
            cancel: &|| false,
            news: &mut news,
        };
        let submission = Submission::open(&self.place.path("bot"), Kind::Folder).expect("it is there");
        let prepared = prepare(&submission, &mut preparation).expect("it builds");
        assert_eq!(fs::read(prepared.folder.join("data")).expect("it is kept"), b"12");
        assert_eq!(fs::read(prepared.folder.join("agon-bot")).expect("it is kept"), b"\x7fELF");
        (prepared, warnings)
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn an_entry_that_is_not_what_was_kept_is_built_anew() {
    type Change<'a> = (&'a str, &'a dyn Fn(&Path));
    let record = |entry: &Path, old: &str, new: &str| {
        let path = entry.join("build.json");
        let text = fs::read_to_string(&path).expect("it is there");
        assert!(text.contains(old), "{text}");
        fs::write(path, text.replacen(old, new, 1)).expect("it is ours");
    };
    let changes: [Change<'_>; 12] = [
        ("can be written to by other users", &|entry| mode(entry, 0o775)),
        ("can be written to by other users", &|entry| mode(&entry.join("bot"), 0o757)),
        ("can be written to by other users", &|entry| mode(&entry.join("bot/data"), 0o664)),
        ("can be written to by other users", &|entry| mode(&entry.join("build.json"), 0o666)),
        ("data` was changed", &|entry| mode(&entry.join("bot/data"), 0o644)),
        ("agon-bot` was changed", &|entry| mode(&entry.join("bot/agon-bot"), 0o4755)),
        ("data` was changed", &|entry| fs::write(entry.join("bot/data"), "13").expect("it is ours")),
        ("was changed", &|entry| fs::write(entry.join("log"), "no words").expect("it is ours")),
        ("build.json` was changed", &|entry| fs::write(entry.join("build.json"), "{").expect("it is ours")),
        ("are missing", &|entry| fs::remove_file(entry.join("bot/data")).expect("it is ours")),
        ("data` was changed", &|entry| {
            let data = entry.join("bot/data");
            fs::rename(&data, entry.join("12")).expect("it is ours");
            symlink("../12", data).expect("links can be made");
        }),
        ("was changed", &|entry| {
            let name = entry.file_name().expect("it has one").to_string_lossy().into_owned();
            record(entry, &name, &"0".repeat(64));
        }),
    ];
    let trial = Trial::new();
    let (first, warnings) = trial.prepare();
    assert!(!first.kept && warnings.is_empty(), "{warnings:?}");
    let entry = first.folder.parent().expect("it lies in its entry").to_owned();
    for (why, change) in changes {
        change(&entry);
        let (bot, warnings) = trial.prepare();
        assert!(!bot.kept && warnings.len() == 1, "{why}: {warnings:?}");
        assert!(warnings[0].contains("is built again") && warnings[0].contains(why), "{why}: {warnings:?}");
        let (bot, warnings) = trial.prepare();
        assert!(bot.kept && warnings.is_empty(), "{why}: {warnings:?}");
    }
    // A command that no plan of these files leads to.
    record(&entry, "\"./agon-bot\"", "\"id\"");
    assert_eq!(trial.prepare().0.words, first.words);
    if is_root() {
        for name in ["", "bot", "bot/data", "build.json"] {
            chown(entry.join(name), Some(4242), None).expect("we are root");
            let (bot, warnings) = trial.prepare();
            assert!(!bot.kept && warnings[0].contains("belongs to another user"), "{name}: {warnings:?}");
        }
    }
}

#[test]
fn files_added_to_an_entry_are_taken_away() {
    let trial = Trial::new();
    let folder = trial.prepare().0.folder;
    fs::create_dir_all(folder.join("__pycache__")).expect("it is ours");
    fs::write(folder.join("__pycache__/data.pyc"), "").expect("it is ours");
    let (bot, warnings) = trial.prepare();
    assert!(bot.kept && warnings.is_empty() && !folder.join("__pycache__").exists(), "{warnings:?}");
    fs::create_dir_all(folder.join("notes/old")).expect("it is ours");
    fs::write(folder.join("notes/old/1"), "").expect("it is ours");
    let (bot, warnings) = trial.prepare();
    assert!(bot.kept && warnings.len() == 1 && warnings[0].contains("notes` was added"), "{warnings:?}");
    assert!(!folder.join("notes").exists());
}

#[test]
fn a_cache_that_others_could_write_to_is_emptied() {
    let trial = Trial::new();
    trial.prepare();
    let cache = trial.place.path("caches/bots");
    mode(&cache, 0o777);
    let (bot, warnings) = trial.prepare();
    assert!(!bot.kept && warnings.len() == 1 && warnings[0].contains("other users could write to"), "{warnings:?}");
    assert_eq!(cache.metadata().expect("it is there").permissions().mode() & 0o7777, 0o755);
    let (bot, warnings) = trial.prepare();
    assert!(bot.kept && warnings.is_empty() && bot.folder.starts_with(cache), "{warnings:?}");
}

#[test]
fn where_others_decide_nothing_is_used_or_kept() {
    let trial = Trial::new();
    let kept = trial.prepare().0.folder;
    let around = trial.place.path("caches");
    // What is there is perfect, but may be exchanged at any moment.
    let untrusted = |why: &str| -> PathBuf {
        let (bot, warnings) = trial.prepare();
        assert!(!bot.kept && warnings.len() == 1 && warnings[0].contains(why), "{warnings:?}");
        assert!(!bot.folder.starts_with(&around) && bot.folder.is_dir() && bot.cache.is_private());
        bot.folder
    };
    mode(&around, 0o777);
    let folder = untrusted("can be written to by other users");
    assert!(!folder.exists() && kept.exists(), "it ends with the last one who holds it");
    mode(&around, 0o1777);
    assert!(trial.prepare().0.kept, "nobody else can exchange what lies there");
    mode(&around, 0o755);
    if is_root() {
        chown(&around, Some(4242), None).expect("we are root");
        untrusted("belongs to another user");
        chown(&around, Some(0), None).expect("we are root");
    }
    assert!(trial.prepare().0.kept);
}
