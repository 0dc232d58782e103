//! Runs the bodies of the fuzz targets as short property tests: arbitrary bytes as a map and from a bot.

use agon_core::{
    Contest, RuleSet as _, Seed, Setup,
    laws::{
        Case, Map,
        hostile::{dialogue_bytes, map_bytes},
    },
};
use proptest::{prelude::*, test_runner::TestRunner};

/// Pieces of maps and of bots' messages from all games. With them random inputs reach deeper code.
const WORDS: &[&str] = &[
    "",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "0",
    "1",
    "-1",
    "2",
    "7",
    "42",
    "4294967296",
    "99999999999999999999",
    "1.0",
    "NaN",
    "go",
    "go\n",
    "0 1 5\n",
    "1 0 1\n",
    "# note\n",
    ".",
    ".\n",
    "C 0 1\n",
    "C 1 0\n.\n",
    "S hi\n",
    "= \n\n",
    "=\n\n",
    "? no\n\n",
    "= 1 2\n\n",
    "= 3 7\n\n",
    "{\"name\": \"x\"}\n",
    "{\"command\": \"pass\"}\n",
    "{\"command\": \"move\", \"x\": 1, \"y\": 0}\n",
    "{\"command\": \"attack\", \"energy\": 3}\n",
    "{\"command\": \"connect\", \"destination\": [1, 1]}\n",
    "{",
    "[[[[",
    "\"\\ud800\"",
    "end\n",
    "move 3 4\n",
    "capture\n",
    "link 2 3\n",
    "undo\n",
    "turbo\n",
    "shield\n",
    "neutralise\n",
    "P 1 2 0 3 4\n",
    "P 0 0 1 100 5\nP 9 9 2 100 5\n",
    "F 1 2 0 1 3 2\n",
    "#####\n#1 0#\n#! !#\n#####\n",
    "X",
    "..",
    "10\n",
    "\u{feff}",
    "\u{0}",
];

/// Generates words of protocols and maps between random bytes. The first byte chooses how a bot's output is split.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        6 => prop::sample::select(WORDS).prop_map(|w| w.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
        1 => Just(vec![0xff]),
    ];
    (any::<u8>(), prop::collection::vec(word, 0..24)).prop_map(|(split, words)| {
        let mut bytes = vec![split % 40];
        bytes.extend(words.into_iter().flatten());
        bytes
    })
}

/// Generates a real map with a few changed bytes.
fn spoilt<C: Contest>(seed: u64, edits: &[(usize, u8)]) -> Vec<u8> {
    let kind = C::INFO.map_kinds[seed as usize % C::INFO.map_kinds.len()].name;
    let map = C::generate(kind, Seed(seed), C::INFO.default_seats);
    let mut text = map.map_or_else(|_| Vec::new(), |d| C::print_map(&d).into_bytes());
    for &(at, byte) in edits {
        let len = text.len();
        match byte % 3 {
            0 if len > 0 => text[at % len] = byte,
            1 if len > 0 => drop(text.remove(at % len)),
            _ => text.insert(at % (len + 1), byte),
        }
    }
    text
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

fn any_map<C: Contest>() {
    let edits = prop::collection::vec((any::<usize>(), any::<u8>()), 0..6);
    let outcome = runner(100).run(&(bytes(), 0..40u64, edits), |(bytes, seed, edits)| {
        map_bytes::<C>(&bytes);
        map_bytes::<C>(&spoilt::<C>(seed, &edits));
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

fn any_bot<C: Contest>() {
    for set in <C as Setup>::Rules::SETS {
        let case = Case {
            map: Map::Generated(C::INFO.map_kinds[0].name, 3),
            rules: set,
            seats: C::INFO.default_seats,
            limit: C::INFO.limit.map(|_| 20),
            seed: 5,
        };
        let outcome = runner(150).run(&bytes(), |bytes| {
            dialogue_bytes::<C>(&case, &bytes);
            Ok(())
        });
        outcome.unwrap_or_else(|e| panic!("{e}"));
    }
}

macro_rules! list {
    ($($name:ident: $game:ident),* $(,)?) => {
        $(mod $name {
            #[test]
            fn any_map() {
                super::any_map::<$game::Position>();
            }
            #[test]
            fn any_bot() {
                super::any_bot::<$game::Position>();
            }
        })*
    };
}

agon_games::for_each_game!(list);

/// The toy game is not in the list of games, but the same tests apply to it.
mod a_sixth_game {
    #[test]
    fn any_map() {
        super::any_map::<agon_toy::Position>();
    }
    #[test]
    fn any_bot() {
        super::any_bot::<agon_toy::Position>();
    }
}
