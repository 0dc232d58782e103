//! The formats of contests, and where a file differs from them. `docs/tournaments.md` has the source of each value.

use crate::TournamentFile;
use agon_play::{MapSource, MemoryLimit};
use std::time::Duration;

/// The format of a contest.
#[derive(Debug)]
pub struct Preset {
    /// The name in a tournament's file.
    pub name: &'static str,
    /// The contest.
    pub contest: &'static str,
    /// The game.
    pub game: &'static str,
    /// What the contest fixes.
    fixed: &'static [Fixed],
    /// What the contest leaves open, or no source says: lines of a file that Agon chose.
    chosen: &'static str,
}

/// A key that a contest fixes.
#[derive(Debug)]
struct Fixed {
    key: &'static str,
    /// The value as a line of a file has it.
    value: &'static str,
    source: &'static str,
    matches: Match,
}

/// Which values of a key are those of the contest.
#[derive(Debug)]
enum Match {
    /// The same value, however it is written.
    Same,
    /// Maps of these generators, of any size and with any seed.
    Maps(&'static [&'static str]),
    /// A clock with a bank of so many minutes, and no other limit.
    BankMinutes(u64, u64),
}

/// A key whose value is not that of the contest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContestDifference {
    /// The key.
    pub key: &'static str,
    /// The value of the contest.
    pub contest: String,
    /// The value of the file. It may quote the file, so clean it before you show it.
    pub file: String,
    /// The source of the contest's value.
    pub source: &'static str,
}

const fn same(key: &'static str, value: &'static str, source: &'static str) -> Fixed {
    Fixed { key, value, source, matches: Match::Same }
}

/// The formats of contests that Agon knows.
pub const PRESETS: [Preset; 4] = [
    Preset {
        name: "itpw-2008",
        contest: "ITPW",
        game: "triangles",
        fixed: &[
            same("kind", "\"round-robin\"", "the contest's document, \"Rozgrywki\": each program plays each other one"),
            same("seats", "2", "the contest's document: a game for two"),
            same(
                "seatings",
                "\"all\"",
                "the contest's document, \"Rozgrywki\": once as the first player, once as the second",
            ),
            same("points", "\"2/1/0\"", "the contest's document, \"Rozgrywki\""),
            same("rules", "\"spec\"", "the contest's document"),
            same("memory", "400", "the contest's document, \"Rozgrywki\": 400 MB"),
            Fixed {
                key: "clock",
                value: "\"bank=180s\"",
                source: "the contest's document, \"Rozgrywki\": 3 to 15 minutes for a match",
                matches: Match::BankMinutes(3, 15),
            },
            Fixed {
                key: "maps",
                value: "[\"gen:uniform\"]",
                source: "the contest's document, \"Rozgrywki\": every point is equally likely",
                matches: Match::Maps(&["uniform"]),
            },
        ],
        chosen: "rounds = 3\nponder = false\n",
    },
    Preset {
        name: "euskal",
        contest: "the AI contest of Euskal Encounter",
        game: "lighthouses",
        fixed: &[
            same("rules", "\"original\"", "the contest's engine"),
            same(
                "clock",
                "\"greeting=2s,soft=100ms,move=500ms\"",
                "the contest's document: 2 s for the greeting and 100 ms for a turn; the contest's engine: out after 500 ms",
            ),
            same("seatings", "\"balanced\"", "the engine of later editions: seats are rotated"),
            same("limit", "1200", "the engine of later editions"),
            same("ponder", "false", "the engine of later editions: bots are stopped between their turns"),
        ],
        chosen: "kind = \"round-robin\"\nseats = 2\nrounds = 1\npoints = \"score\"\nmaps = [\"gen:island\"]\nmemory = \"usual\"\n",
    },
    Preset {
        name: "prologin-2015",
        contest: "the final of Prologin 2015",
        game: "portals",
        fixed: &[
            same("seats", "2", "the contest's document: two agents"),
            same("rules", "\"original\"", "the contest's engine"),
            same("clock", "\"greeting=1500ms,move=1500ms\"", "the settings of the contest's servers in the final"),
            same("limit", "100", "the contest's engine: `NB_TOURS`"),
        ],
        chosen: "kind = \"round-robin\"\nrounds = 1\nseatings = \"all\"\npoints = \"2/1/0\"\nmaps = [\"gen:queens\"]\nponder = false\nmemory = \"usual\"\n",
    },
    Preset {
        name: "google-2010",
        contest: "the Google AI Challenge of 2010",
        game: "planet-wars",
        fixed: &[
            same("kind", "\"ladder\"", "the contest's server"),
            same("seats", "2", "the contest's document: a game for two"),
            same("rules", "\"original\"", "the contest's server"),
            same(
                "clock",
                "\"move=1s,first=+2s\"",
                "the contest's document: 1 s for a turn, and two additional seconds at the start",
            ),
            same("limit", "200", "the contest's document: 200 turns"),
            Fixed {
                key: "maps",
                value: "[\"gen:final\"]",
                source: "the contest's document: a script generated most maps; its last version was that of the final",
                matches: Match::Maps(&["final", "first"]),
            },
        ],
        chosen: "rounds = 1000\nseatings = \"one\"\npoints = \"2/1/0\"\nponder = false\nmemory = \"usual\"\n",
    },
];

impl Preset {
    /// Finds a preset by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Returns the tournament of this format, with these lines for the bots.
    pub(crate) fn text(&self, bots: &str) -> String {
        let fixed: String = self.fixed.iter().map(|fixed| format!("{} = {}\n", fixed.key, fixed.value)).collect();
        format!("game = \"{}\"\npreset = \"{}\"\n{fixed}{}{bots}", self.game, self.name, self.chosen)
    }

    /// Returns the tournament of this format. It has two built-in bots, to be replaced.
    ///
    /// # Errors
    /// Never, unless this version has a defect: every preset is tested.
    pub fn file(&self) -> Result<TournamentFile, agon_core::Flaw> {
        TournamentFile::parse(
            &self.text("[[bot]]\nname = \"1\"\nrun = \"@random\"\n[[bot]]\nname = \"2\"\nrun = \"@random\"\n"),
        )
    }

    /// Returns where a file differs from the contest, in the order of the contest's keys, then of the bots. What the
    /// contest leaves open is no difference.
    #[must_use]
    pub fn differences(&self, file: &TournamentFile) -> Vec<ContestDifference> {
        let Ok(contest) = self.file() else { return Vec::new() };
        let mut found = Vec::new();
        for fixed in self.fixed {
            let own = value(file, fixed.key);
            let (wanted, agrees) = match fixed.matches {
                Match::Same => {
                    let wanted = value(&contest, fixed.key);
                    let agrees = wanted == own;
                    (wanted, agrees)
                }
                Match::Maps(generators) => (fixed.value.to_owned(), file.maps.iter().all(|map| is_of(map, generators))),
                Match::BankMinutes(least, most) => {
                    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
                    let range = minutes(least)..=minutes(most);
                    let only_bank = file.clock_policy().is_some_and(|clock| {
                        clock.hard.is_none() && clock.bank.is_some_and(|bank| range.contains(&bank))
                    });
                    (format!("a bank of {least} to {most} minutes"), only_bank)
                }
            };
            if !agrees {
                found.push(ContestDifference { key: fixed.key, contest: wanted, file: own, source: fixed.source });
            }
        }
        for bot in &file.bots {
            for (key, own) in
                [("clock", bot.clock.clone()), ("memory", bot.memory.map_or_else(String::new, |mib| mib.to_string()))]
            {
                if !own.is_empty() && self.fixed.iter().any(|fixed| fixed.key == key) {
                    let contest = format!("the same for all, not one of `{}`", bot.name);
                    found.push(ContestDifference {
                        key,
                        contest,
                        file: own,
                        source: "the same source as for all bots",
                    });
                }
            }
        }
        found
    }
}

fn is_of(map: &str, generators: &[&str]) -> bool {
    let Ok(MapSource::Generated { kind: Some(kind), .. }) = map.parse() else { return false };
    // A size follows the name, as in `uniform-80`.
    let name = kind.split('-').next().unwrap_or_default();
    generators.contains(&name)
}

/// Returns the value of a key in one form, however the file writes it.
fn value(file: &TournamentFile, key: &str) -> String {
    let game = file.game();
    match key {
        "kind" => file.kind.name().to_owned(),
        "seats" => file.seats.to_string(),
        // In a game for two these are the same.
        "seatings" if file.seats == 2 && file.seatings.name() == "balanced" => "all".to_owned(),
        "seatings" => file.seatings.name().to_owned(),
        "points" => file.points.to_string(),
        "rules" => file.full_rules(),
        "clock" => file.full_clock(),
        "limit" => {
            let limit = file.limit.or(game.info().limit.as_ref().map(|limit| limit.default));
            limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string())
        }
        "memory" => match (file.memory, game.info().memory_mib) {
            (MemoryLimit::Mib(mib), _) | (MemoryLimit::Usual, Some(mib)) => mib.to_string(),
            (MemoryLimit::Usual, None) => "usual".to_owned(),
            (MemoryLimit::Off, _) => "off".to_owned(),
        },
        "ponder" => file.ponder.to_string(),
        _ => format!("{:?}", file.maps),
    }
}
