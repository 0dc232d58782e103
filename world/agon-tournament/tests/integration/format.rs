//! The formats of contests, and the order of the bots by an earlier result.

use agon_play::{Cancel, CorePlacement, Helper};
use agon_store::{Memory, Records, Store};
use agon_tournament::{
    EarlierOrder, Field, PRESETS, Preset, RunOptions, Tournament, TournamentError, TournamentFile, export,
};
use agon_tourney::Kind;
use std::{fs, num::NonZeroUsize, path::PathBuf};

fn bots(names: &[&str]) -> String {
    names.iter().map(|name| format!("[[bot]]\nname = \"{name}\"\nrun = \"@{name}\"\n")).collect()
}

#[test]
fn every_preset_is_its_contest_and_reads_back() {
    for preset in &PRESETS {
        let file = preset.file().unwrap_or_else(|flaw| panic!("{}: {}", preset.name, flaw.what));
        assert_eq!((file.preset, file.game), (Some(preset.name), preset.game));
        assert_eq!(preset.differences(&file), [], "{}", preset.name);
        let again = TournamentFile::parse(&file.to_string()).expect("what is written can be read");
        assert_eq!(again, file);
        assert!(Preset::find(preset.name).is_some_and(|found| found.game == preset.game));
    }
    let other =
        TournamentFile::parse(&format!("game = \"grid\"\npreset = \"euskal\"\n{}", bots(&["random", "greedy"])));
    let flaw = other.expect_err("it was another game");
    assert!(flaw.what.contains("`preset`") && flaw.what.contains("lighthouses"), "{flaw}");
}

#[test]
fn a_difference_from_a_contest_has_both_values() {
    let keys = |name: &str, change: &dyn Fn(&mut TournamentFile)| {
        let preset = Preset::find(name).expect("it is there");
        let mut file = preset.file().expect("it can be read");
        change(&mut file);
        let told = preset.differences(&file);
        assert!(told.iter().all(|told| told.contest != told.file && !told.source.is_empty()), "{told:?}");
        told.into_iter().map(|told| told.key).collect::<Vec<_>>()
    };
    assert_eq!(keys("itpw-2008", &|file| file.clock = "15min".into()), [""; 0], "3 to 15 minutes are the contest's");
    assert_eq!(keys("itpw-2008", &|file| file.clock = "bank=20m".into()), ["clock"]);
    assert_eq!(keys("itpw-2008", &|file| file.maps = vec!["gen:uniform-80:3".into()]), [""; 0]);
    assert_eq!(keys("itpw-2008", &|file| file.maps.push("gen:convex".into())), ["maps"]);
    assert_eq!(keys("itpw-2008", &|file| file.memory = agon_play::MemoryLimit::Usual), [""; 0], "that is 400 MiB");
    assert_eq!(keys("itpw-2008", &|file| file.points = "3/1/0".parse().expect("points")), ["points"]);
    assert_eq!(keys("itpw-2008", &|file| file.rounds = 9), [""; 0], "the contest leaves it open");
    assert_eq!(keys("google-2010", &|file| file.rules = "spec".into()), ["rules"]);
    assert_eq!(keys("google-2010", &|file| file.maps = vec!["gen:first:7".into(), "gen:final".into()]), [""; 0]);
    assert_eq!(keys("google-2010", &|file| file.maps = vec!["gen:finest".into()]), ["maps"]);
    assert_eq!(keys("itpw-2008", &|file| file.maps = vec!["gen:uniformly".into()]), ["maps"]);
    assert_eq!(keys("google-2010", &|file| file.clock = String::new()), [""; 0], "the game's clock is the contest's");
    assert_eq!(keys("google-2010", &|file| file.bots[1].clock = "move=2s".into()), ["clock"]);
    assert_eq!(keys("prologin-2015", &|file| file.limit = Some(50)), ["limit"]);
    assert_eq!(keys("prologin-2015", &|file| file.limit = None), [""; 0]);
    assert_eq!(keys("euskal", &|file| (file.ponder, file.clock) = (true, "ee31".into())), ["clock", "ponder"]);
}

fn open<S: Store>(store: S, text: &str) -> Result<Tournament<S>, TournamentError> {
    let file = TournamentFile::parse(text).unwrap_or_else(|flaw| panic!("{}: {text}", flaw.what));
    let cancel = Cancel::new().expect("a flag");
    let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ())?;
    Tournament::open(store, text, file, field)
}

fn play<S: Store>(tournament: &mut Tournament<S>) {
    let cancel = Cancel::new().expect("a flag");
    let options = RunOptions { at_once: NonZeroUsize::MIN, cancel, placement: CorePlacement::Anywhere };
    tournament.run(&options, &mut |_| ()).expect("it can be played");
}

#[test]
fn an_earlier_result_seeds_the_bots() {
    let folder = std::env::temp_dir().join(format!("agon-tournament-seeding-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let earlier: PathBuf = folder.join("earlier.json");
    let mut league =
        open(Memory::new(), &format!("game = \"grid\"\nlimit = 40\n{}", bots(&["random", "greedy", "frontier"])));
    let league = league.as_mut().expect("it is new");
    play(league);
    let document = export(league.store()).expect("it was played");
    let ranked: Vec<String> = document.standings.iter().map(|row| row.bot.clone()).collect();
    fs::write(&earlier, serde_json::to_string(&document).expect("JSON")).expect("it can be written");

    let names = ["warden", "random", "greedy", "frontier"];
    let head =
        format!("game = \"grid\"\nlimit = 40\nkind = \"single-elimination\"\nseeding = '{}'\n", earlier.display());
    let text = format!("{head}{}", bots(&names));
    let file = TournamentFile::parse(&text).expect("it can be read");
    let found = EarlierOrder::read(&file).expect("it is there").expect("the file names it");
    let order: Vec<&str> = found.order.iter().map(|bot| names[*bot as usize]).collect();
    assert_eq!(order[..3], ranked, "by name, the best first");
    assert_eq!((order[3], &found.unknown[..]), ("warden", &["warden".to_owned()][..]), "who is not in it comes last");

    let cup = open(Memory::new(), &text).expect("it is new");
    let first = cup.bracket().expect("it is an elimination");
    // The first of four meets the last.
    fs::write(&earlier, "{}").expect("it can be written");
    let mut again = open(cup.into_store(), &text).expect("what the other file says now does not matter");
    assert_eq!(
        again.bracket().expect("it is one").text(|bot| names[bot.index()].to_owned(), str::len),
        first.text(|bot| names[bot.index()].to_owned(), str::len)
    );
    play(&mut again);
    assert!(again.is_complete());
    let stored = again.store().matches(0, 2).expect("it can be read");
    let strongest = stored.iter().find(|stored| stored.planned.bots.contains(&found.order[0])).expect("it plays");
    assert!(strongest.planned.bots.contains(&0), "the best seed meets the last one: {strongest:?}");
    export(again.store()).expect("it needs the other file no more");

    let failed = open(Memory::new(), &text).map(drop);
    assert!(matches!(failed, Err(TournamentError::Seeding { .. })), "{failed:?}");
    fs::remove_dir_all(&folder).expect("it can be removed");
}

#[test]
fn an_earlier_ladder_gives_its_ratings() {
    let folder = std::env::temp_dir().join(format!("agon-tournament-ratings-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let earlier: PathBuf = folder.join("earlier.json");
    let head = "game = \"grid\"\nlimit = 40\nkind = \"ladder\"\nrounds = 30\n";
    let first = open(Memory::new(), &format!("{head}{}", bots(&["random", "greedy"])));
    let mut first = first.expect("it is new");
    play(&mut first);
    let document = export(first.store()).expect("it was played");
    fs::write(&earlier, serde_json::to_string(&document).expect("JSON")).expect("it can be written");
    let ratings = |tournament: &Tournament<Memory>| {
        let rows = tournament.standings().rows.into_iter();
        let mut rated: Vec<_> = rows.map(|row| (row.entrant.0, row.rating.expect("a ladder rates"))).collect();
        rated.sort_by_key(|(bot, _)| *bot);
        rated.into_iter().map(|(_, rating)| rating).collect::<Vec<_>>()
    };
    let known = ratings(&first);

    let text = format!("{head}seeding = '{}'\n{}", earlier.display(), bots(&["frontier", "greedy", "random"]));
    let second = open(Memory::new(), &text).expect("it is new");
    assert_eq!(ratings(&second), [agon_stats::Rating::default(), known[1], known[0]], "by name");
    fs::remove_dir_all(&folder).expect("it can be removed");
    let mut again = open(second.into_store(), &text).expect("the store has kept the ratings");
    play(&mut again);
    let ended = ratings(&again);
    assert!(again.is_complete() && ended[0] != agon_stats::Rating::default());
    let whole = export(again.store()).expect("it was played");
    let told = whole.standings.iter().find(|row| row.bot == "greedy").and_then(|row| row.rating);
    assert_eq!(told.map(|rating| rating.mean), Some(ended[1].mean));
}

#[test]
fn every_kind_takes_an_earlier_result() {
    for kind in Kind::ALL {
        let text = format!(
            "game = \"grid\"\nkind = \"{}\"\nseeding = \"earlier.agon\"\n{}",
            kind.name(),
            bots(&["random", "greedy", "frontier", "warden"])
        );
        TournamentFile::parse(&text).unwrap_or_else(|flaw| panic!("{}: {flaw}", kind.name()));
    }
}
