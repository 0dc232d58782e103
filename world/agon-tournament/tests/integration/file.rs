//! The file of a tournament: what is read, and what is refused where.

use agon_core::Flaw;
use agon_play::{IsolationChoice, MemoryLimit, find_game};
use agon_tournament::{Replays, TournamentBot, TournamentFile};
use agon_tourney::{Kind, Points, Seatings, Seeding, Withdrawn};

const WHOLE: &str = r#"
name = "Spring cup"
game = "grid"
kind = "gauntlet"
challengers = 2
seed = "18446744073709551615"
seats = 2
rounds = 4
seatings = "one"
seeding = "drawn"
maps = ["gen:10x10", "maps/*.txt"]
rules = "original"
limit = 90
clock = "move=1s"
points = "3/1/0"
replays = "faults"
ponder = true
cores = 2
sandbox = "full"
processes = 8
memory = "512MiB"
withdraw-after = 20
withdrawn = "lose"

[[bot]]
name = "Équipe 3"
run = "python3 bot.py"
dir = "bots/3"
memory = 900
env = { THREADS = "2", "A B" = "say \"hi\"\n" }
clock = "move=2s"
read = ["book.bin", "data"]

[[bot]]
run = "@random"

[[bot]]
name = "last one"
run = "@greedy"
"#;

const SHORT: &str = "game = \"grid\"\n[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";

fn parse(text: &str) -> TournamentFile {
    TournamentFile::parse(text).expect(text)
}

#[test]
fn every_key_is_read() {
    let file = parse(WHOLE);
    let bot = TournamentBot {
        name: "Équipe 3".into(),
        run: "python3 bot.py".into(),
        main: None,
        dir: Some("bots/3".into()),
        memory: Some(900),
        env: [("THREADS".into(), "2".into()), ("A B".into(), "say \"hi\"\n".into())].into(),
        clock: "move=2s".into(),
        read: vec!["book.bin".into(), "data".into()],
    };
    assert_eq!(file.bots[0], bot);
    assert_eq!(file.bots[1].name, "random", "a bot without a name gets one");
    assert_eq!((file.kind, file.seed), (Kind::Gauntlet { challengers: 2 }, Some(agon_core::Seed(u64::MAX))));
    assert_eq!((file.seatings, &file.seeding), (Seatings::One, &Seeding::Drawn));
    assert_eq!((file.limit, file.rounds, file.seats), (Some(90), 4, 2));
    assert_eq!((&file.points, file.replays), (&Points::WinDrawLoss(3, 1, 0), Replays::Faults));
    assert_eq!((file.memory, file.cores, file.processes), (MemoryLimit::Mib(512), Some(2), Some(8)));
    assert_eq!((file.withdraw_after, file.withdrawn), (Some(20), Withdrawn::Lose));
    assert!(matches!(file.sandbox, IsolationChoice::Exactly(_)) && file.ponder);
    assert_eq!(file.spec(7).maps, 7);
}

#[test]
fn a_file_is_written_with_every_default_and_reads_back() {
    let starting = format!("{SHORT}[[bot]]\nname = \"a bot\"\nrun = \"bots/it\"\nmain = \"src/bot.py\"\n");
    assert_eq!(parse(&starting).bots[2].main.as_deref(), Some("src/bot.py"));
    for text in [WHOLE, SHORT, &starting] {
        let file = parse(text);
        assert_eq!(parse(&file.to_string()), file, "{file}");
    }
    for game in agon_games::all() {
        let mut file = TournamentFile::new(*game);
        let bots = game.info().bots.iter().cycle().take(file.seats as usize + 1).enumerate();
        let bot = |(i, bot): (usize, &agon_core::BotKind)| TournamentBot {
            name: format!("{} {i}", bot.name),
            run: format!("@{}", bot.name),
            ..TournamentBot::default()
        };
        file.bots = bots.map(bot).collect();
        let text = file.to_string();
        assert_eq!(parse(&text), file);
        for key in ["kind", "rounds", "seatings", "maps", "rules", "clock", "points", "replays", "sandbox"] {
            assert!(text.contains(&format!("\n{key} = ")), "{key}: {text}");
        }
        assert!(!text.contains("seed = "), "it is drawn and kept secret: {text}");
    }
    assert!(find_game("grid").is_ok());
}

#[test]
fn every_kind_is_written_and_reads_back() {
    let bots: String = (1..=8).map(|i| format!("[[bot]]\nname = \"{i}\"\nrun = \"@random\"\n")).collect();
    let eight = parse(&format!("game = \"grid\"\n{bots}"));
    for kind in Kind::ALL {
        let file = TournamentFile { kind, ..eight.clone() };
        assert_eq!(parse(&file.to_string()).kind, kind, "{file}");
    }
    let keys = "kind = \"groups\"\nbest-of = 3\nthird-place = true\ngroups = 4\nadvance = 1\n";
    let text = format!("game = \"grid\"\n{keys}{bots}");
    assert_eq!(parse(&text).kind, Kind::Groups { groups: 4, advance: 1, best_of: 3, third_place: true });
    let wrong =
        TournamentFile::parse(&text.replace("\"groups\"", "\"swiss\"")).expect_err("a Swiss tournament has no groups");
    assert!(wrong.to_string().contains("swiss has no such key"), "{wrong}");
}

#[test]
fn every_flaw_has_its_line_and_its_key() {
    let bots = "[[bot]]\nrun = \"@random\"\n[[bot]]\nrun = \"@greedy\"\n";
    for (text, place, what, hint) in [
        ("", (1, 1), "the key `game` is missing", "game = "),
        ("game = \"gird\"", (1, 8), "`game`: there is no game `gird`", "did you mean `grid`"),
        ("game = 3", (1, 8), "`game`: this must be a text", "game = \"grid\""),
        ("game = \"grid", (1, 13), "", ""),
        ("game = \"grid\"\nround = 3\n", (2, 1), "unknown key `round`", "do you mean `rounds`?"),
        ("game = \"grid\"\nrounds = 0\n", (2, 10), "`rounds`: this must be a whole number of at least 1", ""),
        ("game = \"grid\"\nrounds = 1.5\n", (2, 10), "`rounds`: this must be a whole number", ""),
        ("game = \"grid\"\nkind = \"round robin\"\n", (2, 8), "`kind`: `round robin`", "do you mean `round-robin`?"),
        (
            "game = \"grid\"\nchallengers = 1\n",
            (2, 15),
            "`challengers`: a round-robin has no such key",
            "take the line away",
        ),
        ("game = \"grid\"\nseats = 3\n", (2, 9), "`seats`: this must be a whole number from 2 to 2", ""),
        ("game = \"grid\"\nseed = -1\n", (2, 8), "`seed`: this must be a whole number from 0", "in quotes"),
        ("game = \"grid\"\nmaps = []\n", (2, 8), "`maps`: the list is empty", "[\"gen\"]"),
        ("game = \"grid\"\nmaps = [\"gen\", 3]\n", (2, 16), "`maps`: this must be a text", ""),
        ("game = \"grid\"\nmaps = [\"gen:a:b\"]\n", (2, 9), "`maps`: the seed `b` is not a whole number", ""),
        ("game = \"grid\"\nrules = \"orginal\"\n", (2, 9), "`rules`: ", ""),
        ("game = \"grid\"\nclock = \"move=soon\"\n", (2, 9), "`clock`: ", ""),
        ("game = \"grid\"\npoints = \"1/0.5/0\"\n", (2, 10), "`points`: `0.5` is not a whole number", "2/1/0"),
        ("game = \"grid\"\nponder = \"no\"\n", (2, 10), "`ponder`: this must be `true` or `false`", "ponder = false"),
        ("game = \"grid\"\nsandbox = \"fulll\"\n", (2, 11), "`sandbox`: `fulll`", "do you mean `full`?"),
        ("game = \"grid\"\nmemory = 0\n", (2, 10), "`memory`: this must be a whole number", ""),
        ("game = \"grid\"\nmemory = \"much\"\n", (2, 10), "`memory`: this is no amount of memory", "2GiB"),
        (
            "game = \"grid\"\n[[bot]]\nmemory = \"off\"\n",
            (3, 10),
            "`memory`: the memory of one bot is an amount",
            "512",
        ),
        ("game = \"grid\"\nname = \" x\"\n", (2, 8), "`name`: a name must not be empty", ""),
        ("game = \"grid\"\nname = \"a\\u001bb\"\n", (2, 8), "`name`: a name must not contain control", ""),
        ("game = \"grid\"\n", (1, 1), "the key `bot` is missing", "[[bot]]"),
        ("game = \"grid\"\n[[bot]]\nrun = \"@random\"\n", (2, 3), "`bot`: there is only one bot", "at least two"),
        ("game = \"grid\"\nbot = \"x\"\n", (2, 1), "`bot`: this must be a list of tables", "[[bot]]"),
        ("game = \"grid\"\n[[bot]]\nname = \"x\"\n", (2, 1), "the key `run` of this bot is missing", "run = "),
        ("game = \"grid\"\n[[bot]]\nrun = \"@rondom\"\n", (3, 7), "`run`: Grid has no built-in bot", "did you mean"),
        ("game = \"grid\"\n[[bot]]\nrun = \"a=@random\"\n", (3, 7), "`run`: a name does not belong here", "name = "),
        ("game = \"grid\"\n[[bot]]\nrum = \"@random\"\n", (3, 1), "unknown key `rum`", "do you mean `run`?"),
        ("game = \"grid\"\n[[bot]]\nrun = \"x\"\nenv = { A = 1 }\n", (4, 13), "`A`: this must be a text", ""),
        ("game = \"grid\"\n[[bot]]\nrun = \"x\"\nclock = \"mov=1s\"\n", (4, 9), "`clock`: ", ""),
    ] {
        let flaw = TournamentFile::parse(text).expect_err(text);
        let at = flaw.place.expect("a place");
        assert_eq!((at.line, at.column), place, "{text}: {flaw:?}");
        assert!(flaw.what.contains(what), "{text}: {flaw:?}");
        assert!(flaw.hint.clone().unwrap_or_default().contains(hint), "{text}: {flaw:?}");
    }
    let twice = format!("game = \"grid\"\n{bots}[[bot]]\nname = \"random\"\nrun = \"@warden\"\n");
    let flaw = TournamentFile::parse(&twice).expect_err("two bots have one name");
    assert_eq!(flaw.place.map(|at| at.line), Some(7), "{flaw:?}");
    assert!(flaw.what.contains("bot 1 is called `random` too"), "{flaw:?}");
}

#[test]
fn an_impossible_schedule_is_refused_with_its_number() {
    let bots: String = (0..40).map(|i| format!("[[bot]]\nname = \"{i}\"\nrun = \"@random\"\n")).collect();
    let text = format!("game = \"lighthouses\"\nseats = 8\nrounds = 3\n{bots}");
    let Flaw { what, place, hint, .. } = TournamentFile::parse(&text).expect_err("there are too many matches");
    assert!(what.contains("matches"), "{what}");
    assert_eq!(place.map(|at| at.line), Some(3));
    assert!(hint.is_some_and(|hint| !hint.is_empty()));
}

#[test]
fn changes_that_keep_the_past_true_are_taken() {
    let old = parse(WHOLE);
    let differences = |change: &dyn Fn(&mut TournamentFile)| {
        let mut new = old.clone();
        change(&mut new);
        let found = old.differences(&new, (2, 2));
        found.into_iter().map(|difference| (difference.key, difference.keeps_the_past)).collect::<Vec<_>>()
    };
    assert_eq!(differences(&|_| ()), []);
    assert_eq!(differences(&|new| new.rounds = 5), [("rounds", true)]);
    assert_eq!(differences(&|new| new.rounds = 3), [("rounds", false)]);
    assert_eq!(differences(&|new| new.bots.push(TournamentBot::default())), [("bot", true)]);
    assert_eq!(differences(&|new| drop(new.bots.pop())), [("bot", false)]);
    assert_eq!(differences(&|new| new.bots.swap(1, 2)), [("bot", false), ("run", true), ("bot", false), ("run", true)]);
    assert_eq!(differences(&|new| new.bots[0].run = "./new".into()), [("run", true)]);
    assert_eq!(differences(&|new| new.bots[0].main = Some("b.py".into())), [("main", true)]);
    assert_eq!(differences(&|new| new.bots[0].dir = None), [("dir", true)]);
    assert_eq!(differences(&|new| new.bots[0].clock.clear()), [("clock", false)]);
    assert_eq!(differences(&|new| new.seed = Some(agon_core::Seed(1))), [("seed", false)]);
    assert_eq!(differences(&|new| new.replays = Replays::All), [("replays", true)]);
    assert_eq!(differences(&|new| new.rules.clear()), [("rules", false)]);
    assert_eq!(differences(&|new| drop(new.maps.pop())), [("maps", false)]);
    assert_eq!(differences(&|new| new.clock = "move=3s".into()), [("clock", false)]);
    // The game's default, and the same in other words.
    assert_eq!(differences(&|new| new.clock.clear()), []);
    assert_eq!(differences(&|new| new.clock = "move=1000ms".into()), []);
}
