//! The tournament's folder, made anew from what the server has.

use crate::{
    bundle_cache::{BundleCache, blob},
    consent::Consent,
    error::WorkerFailure,
    event::WorkerEvent,
    link::{Link, Unanswered, Until},
    map_name::place_of,
    outbox::hex_hash,
    place::Place,
};
use agon_bundle::{BundleHash, unpack};
use agon_spec::{WorkerErrorCode, WorkerField};
use agon_tournament::TournamentFile;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    time::Duration,
};

/// A map is not larger, in bytes.
const LARGEST_MAP: u64 = 64 << 20;
/// The time between two events of the same transfer.
const TOLD_EVERY: Duration = Duration::from_millis(200);

/// A tournament whose folder is the current one.
#[derive(Debug)]
pub(crate) struct MadeField {
    pub(crate) file: TournamentFile,
    /// Bots whose files cannot be here, with the reason, by their numbers.
    pub(crate) missing: BTreeMap<u32, String>,
}

/// Makes the folder of a tournament and enters it. `None` if the server has another edition by now.
pub(crate) fn make(
    link: &Link,
    place: &Place,
    field: &WorkerField,
    consent: Consent,
    tell: &mut dyn FnMut(WorkerEvent<'static>),
) -> Result<Option<MadeField>, Unanswered> {
    let file = check(field).map_err(|why| Unanswered::Failed(WorkerFailure::Field(why)))?;
    let not_allowed = |flaw| Unanswered::Failed(WorkerFailure::NotAllowed(flaw));
    consent.check_file(&file).map_err(not_allowed)?;
    let cache = BundleCache::new(place.bundles(), &place.part());
    let until = Until::Finishing;
    let (mut bundles, mut missing) = (BTreeMap::new(), BTreeMap::new());
    for bot in &field.bots {
        let Some(hash) = &bot.bundle else { continue };
        if bundles.contains_key(hash) {
            continue;
        }
        let mut told = None;
        let mut progress = |there| {
            let now = link.clock().now();
            if there == bot.size || told.is_none_or(|told| now.saturating_sub(told) >= TOLD_EVERY) {
                told = Some(now);
                tell(WorkerEvent::Fetching { bot: bot.name.clone(), there, size: bot.size });
            }
        };
        match cache.get(link, until, hash, bot.size, &mut progress) {
            Ok(path) => drop(bundles.insert(hash.clone(), path)),
            Err(Unanswered::Refused(error)) if error.code == WorkerErrorCode::NotFound => return Ok(None),
            Err(Unanswered::Refused(error)) => drop(missing.insert(bot.number, error.message)),
            Err(why) => return Err(why),
        }
    }
    cache.sweep(&|hash| bundles.contains_key(hash));
    let mut maps = BTreeMap::new();
    for one in &field.maps {
        let Some(hash) = &one.blob else { continue };
        match blob(link, until, hash, LARGEST_MAP) {
            Ok(bytes) => drop(maps.insert(one.name.clone(), bytes)),
            Err(Unanswered::Refused(error)) if error.code == WorkerErrorCode::NotFound => return Ok(None),
            Err(Unanswered::Refused(error)) => {
                return Err(Unanswered::Failed(WorkerFailure::Refused { request: "blob", error }));
            }
            Err(why) => return Err(why),
        }
    }
    let folder = place.field();
    let made = begin(&folder).map_err(|why| WorkerFailure::file("make the folder", &folder, why));
    made.map_err(Unanswered::Failed)?;
    for bot in &field.bots {
        let path = bot.bundle.as_ref().and_then(|hash| Some((hash, bundles.get(hash)?)));
        let Some((hash, path)) = path else { continue };
        if let Err(why) = unpacked(path, hash, &folder) {
            missing.insert(bot.number, why);
        }
    }
    for (name, bytes) in maps {
        let written = write_map(&folder, &name, &bytes);
        written.map_err(|why| Unanswered::Failed(WorkerFailure::file("write the map", &folder.join(&name), why)))?;
    }
    let entered = std::env::set_current_dir(&folder);
    entered.map_err(|why| Unanswered::Failed(WorkerFailure::file("enter the folder", &folder, why)))?;
    consent.check_words(&file, &folder).map_err(not_allowed)?;
    Ok(Some(MadeField { file, missing }))
}

/// Checks that what the server says fits together and is about the tournament's folder alone. Returns the file.
pub(crate) fn check(field: &WorkerField) -> Result<TournamentFile, String> {
    if field.file.len() > TournamentFile::MOST {
        return Err(format!("its file is larger than {} MiB", TournamentFile::MOST >> 20));
    }
    let file = TournamentFile::parse(&field.file).map_err(|flaw| format!("its file: {flaw}"))?;
    if field.bots.len() != file.bots.len() {
        return Err(format!("its file has {} bots, and the server {}", file.bots.len(), field.bots.len()));
    }
    for ((number, bot), own) in (0..).zip(&field.bots).zip(&file.bots) {
        if bot.number != number || bot.name != own.name {
            return Err(format!("its bot {number} is `{}`, and that of the server `{}`", own.name, bot.name));
        }
    }
    let mut names = BTreeSet::new();
    for map in field.maps.iter().filter(|map| map.blob.is_some()) {
        let place = place_of(&map.name).map_err(|why| format!("the map `{}` cannot be written: {why}", map.name))?;
        if !names.insert(place) {
            return Err(format!("there are two maps `{}`", map.name));
        }
    }
    Ok(file)
}

/// Makes an empty folder, whatever was there.
fn begin(folder: &Path) -> io::Result<()> {
    // Nobody can be in a folder that is going to be removed.
    if let Some(parent) = folder.parent() {
        std::env::set_current_dir(parent)?;
    }
    match fs::remove_dir_all(folder) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
        _ => {}
    }
    DirBuilder::new().mode(0o700).create(folder)
}

fn unpacked(path: &Path, hash: &str, folder: &Path) -> Result<(), String> {
    let hash: BundleHash = format!("sha256:{hash}").parse()?;
    let mut file = File::open(path).map_err(|why| format!("its bundle: {}", agon_play::system_words(&why)))?;
    unpack(&mut file, hash, folder).map(drop).map_err(|why| why.to_string())
}

/// Writes a map. A bot may have brought the same file.
fn write_map(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let place = place_of(name).map_err(io::Error::other)?;
    let path = folder.join(&place);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    // A link in the place of the last part is not followed. Of the other parts none is one: bundles have no links.
    let made = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&path);
    match made {
        Ok(mut file) => file.write_all(bytes),
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
            let there = fs::symlink_metadata(&path)?;
            if there.is_file() && hex_hash(&fs::read(&path)?) == hex_hash(bytes) {
                return Ok(());
            }
            Err(io::Error::other("a bot has another file of this name"))
        }
        Err(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use agon_core::Derivation;
    use agon_spec::{WorkerFieldBot, WorkerFieldMap, WorkerReplays};

    const FILE: &str =
        "game = \"grid\"\n[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"b\"\nrun = \"@greedy\"\n";

    fn field(maps: &[&str]) -> WorkerField {
        let bot = |(number, name): (u32, &str)| WorkerFieldBot {
            number,
            name: name.to_owned(),
            bundle: None,
            size: 0,
            version: 1,
        };
        WorkerField {
            edition: 1,
            file: FILE.to_owned(),
            bots: (0..).zip(["a", "b"]).map(bot).collect(),
            maps: maps
                .iter()
                .map(|name| WorkerFieldMap { name: (*name).to_owned(), blob: Some("0".repeat(64)) })
                .collect(),
            derivation: Derivation::Keyed,
            replays: WorkerReplays::All,
        }
    }

    #[test]
    fn parts_that_do_not_fit_together_are_refused() {
        assert!(check(&field(&["maps/a.txt", "maps/b.txt"])).is_ok());
        for (maps, why) in
            [(&["../../.bashrc"][..], ".."), (&["/tmp/x"], "absolute"), (&["a.txt", "./a.txt"], "two maps")]
        {
            let refused = check(&field(maps)).expect_err("it leads out");
            assert!(refused.contains(why), "{refused}");
        }
        let mut generated = field(&[]);
        generated.maps = vec![WorkerFieldMap { name: "gen:../..".to_owned(), blob: None }];
        assert!(check(&generated).is_ok(), "it is no name of a file");
        let mut other = field(&[]);
        other.bots.swap(0, 1);
        assert!(check(&other).is_err());
        other.bots.pop();
        assert!(check(&other).is_err());
        assert!(check(&WorkerField { file: "game = \"chess\"".to_owned(), ..field(&[]) }).is_err());
        assert!(check(&WorkerField { file: "#".repeat(5 << 20), ..field(&[]) }).is_err());
    }

    #[test]
    fn a_map_is_written_where_nothing_else_is() {
        let scratch = Scratch::new("field");
        let folder = scratch.path();
        write_map(folder, "maps/a.txt", b"map").expect("it is written");
        assert_eq!(fs::read(folder.join("maps/a.txt")).expect("it is there"), b"map");
        write_map(folder, "./maps/a.txt", b"map").expect("it is the same");
        assert!(write_map(folder, "maps/a.txt", b"another").is_err());
        std::os::unix::fs::symlink("/dev/null", folder.join("link")).expect("a link");
        assert!(write_map(folder, "link", b"").is_err(), "a link is not followed");
        assert!(write_map(folder, "../b.txt", b"map").is_err() && !scratch.path().join("../b.txt").exists());
    }
}
