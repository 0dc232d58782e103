//! `cargo xtask citations` checks that everything that comments, tests and documents cite about the rules of a game
//! exists.
//!
//! `docs/games/GAME.md` defines what may be cited: numbered points (`T6`), as rows of the tables under "Points", and
//! chapters of the contest's document (`specification "Arrival"`), as rows of the table under "The specification".
//! Files of a game cite them without the name of the game. All other files name the game first (`Lighthouses L18`).

use crate::root;
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The definitions in the document of a game.
#[derive(Debug, Default)]
struct Game {
    /// The name in `docs/games/NAME.md` and in the names of the game's folders.
    name: String,
    /// The heading of the document. Texts use it to name the game.
    title: String,
    /// Points and chapters, each with the line of its definition.
    points: BTreeMap<String, usize>,
    chapters: BTreeMap<String, usize>,
}

impl Game {
    /// Returns whether points of the game begin with the same letter as this one.
    fn has_letter(&self, point: &str) -> bool {
        self.points.keys().any(|own| own[..1] == point[..1])
    }
}

/// The extensions of the files to read: sources, documents and starter kits. Recordings and maps contain texts of
/// others.
const EXTENSIONS: &[&str] = &["rs", "md", "py", "cpp", "java", "js", "toml"];

/// Folders without files of ours.
const SKIPPED: &[&str] = &["target", ".git", "node_modules"];

/// Runs the task.
pub fn run() -> ExitCode {
    match findings(root()) {
        Ok(found) if found.is_empty() => {
            println!("citations: every cited point and chapter is defined");
            ExitCode::SUCCESS
        }
        Ok(found) => {
            for line in found {
                eprintln!("citations: {line}");
            }
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn findings(root: &Path) -> Result<Vec<String>, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let mut found = Vec::new();
    let mut games: Vec<Game> = Vec::new();
    for path in files(&root.join("docs/games"))? {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let (game, flaws) = define(name, &read(&path)?);
        found.extend(flaws.into_iter().map(|(line, what)| format!("docs/games/{name}.md:{line}: {what}")));
        for other in &games {
            if let Some(point) = game.points.keys().find(|point| other.has_letter(point)) {
                found.push(format!(
                    "docs/games/{name}.md: {point} begins with the same letter as the points of {}",
                    other.title
                ));
            }
        }
        games.push(game);
    }
    for path in files(root)? {
        let name = path.strip_prefix(root).unwrap_or(&path);
        // The examples in this file are not citations.
        if name != Path::new("xtask/src/citations.rs") {
            let flaws = check(&games, game_of(&games, name), &read(&path)?);
            found.extend(flaws.into_iter().map(|(line, what)| format!("{}:{line}: {what}", name.display())));
        }
    }
    Ok(found)
}

/// The number of a line, and what is wrong there.
type Flaw = (usize, String);

/// Reads the tables of definitions in the document of a game.
fn define(name: &str, text: &str) -> (Game, Vec<Flaw>) {
    let mut game = Game { name: name.to_owned(), ..Game::default() };
    let mut flaws = Vec::new();
    let mut section = "";
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim();
        } else if let Some(title) = line.strip_prefix("# ").filter(|_| game.title.is_empty()) {
            game.title = title.trim().to_owned();
        }
        let Some(first) = line.strip_prefix("| ").and_then(|rest| rest.split(" |").next()) else { continue };
        let chapter = first.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let former = match (section, chapter) {
            ("Points", _) if is_point(first) => game.points.insert(first.to_owned(), number),
            ("The specification", Some(chapter)) => game.chapters.insert(chapter.to_owned(), number),
            _ => None,
        };
        if let Some(former) = former {
            flaws.push((number, format!("{first} is already defined in line {former}")));
        }
    }
    for (what, missing) in [("point", game.points.is_empty()), ("chapter", game.chapters.is_empty())] {
        if missing {
            flaws.push((1, format!("no {what} is defined")));
        }
    }
    (game, flaws)
}

/// Returns every citation in a text that is not defined. `own` is the index of the game to which the text belongs.
fn check(games: &[Game], own: Option<usize>, text: &str) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    for Citation { line, game, what } in cited(games, text) {
        // Outside a game's files, a letter with a number may mean anything.
        let Some(of) = game.or(own) else { continue };
        let Game { name, title, points, chapters } = &games[of];
        let flaw = match what {
            Cited::Point(point) if points.contains_key(&point) => continue,
            Cited::Chapter(chapter) if chapters.contains_key(&chapter) => continue,
            Cited::Point(point) if games[of].has_letter(&point) => {
                format!("{point} is not defined in docs/games/{name}.md")
            }
            Cited::Point(point) => format!("{point} is not a point of {title}: put the name of its game before it"),
            Cited::Chapter(chapter) => format!("docs/games/{name}.md lists no chapter \"{chapter}\""),
            Cited::Seed => "the contest's document is the specification; a seed is a random seed".to_owned(),
        };
        flaws.push((line, flaw));
    }
    flaws
}

#[derive(Debug, PartialEq)]
struct Citation {
    line: usize,
    /// The game that is named immediately before the citation.
    game: Option<usize>,
    what: Cited,
}

#[derive(Debug, PartialEq)]
enum Cited {
    Point(String),
    Chapter(String),
    /// A chapter of a "seed", which is what the specification was once called.
    Seed,
}

/// Returns every citation in a text.
fn cited(games: &[Game], text: &str) -> Vec<Citation> {
    let (joined, lines) = join(text);
    let line_at = |at: usize| lines.partition_point(|start| *start <= at);
    let mut found = Vec::new();
    for (at, word) in words(&joined) {
        let before = joined[..at].trim_end_matches([' ', '(']);
        let game = games.iter().position(|game| !game.title.is_empty() && before.ends_with(&game.title));
        let line = line_at(at);
        let mut rest = &joined[at + word.len()..];
        match word {
            "specification" | "Specification" => {
                rest = rest.strip_prefix("'s").unwrap_or(rest);
                let mut joint = " \"";
                while let Some((chapter, after)) = rest.strip_prefix(joint).and_then(|quoted| quoted.split_once('"')) {
                    found.push(Citation { line, game, what: Cited::Chapter(chapter.to_owned()) });
                    rest = after;
                    joint = if rest.starts_with(" and") { " and \"" } else { ", \"" };
                }
            }
            "seed" | "Seed" if rest.starts_with(" \"") => found.push(Citation { line, game, what: Cited::Seed }),
            point if is_point(point) && games.iter().any(|game| game.has_letter(point)) => {
                found.push(Citation { line, game, what: Cited::Point(point.to_owned()) })
            }
            _ => {}
        }
    }
    found
}

/// Returns the text as one line without comment marks, so that a citation across two lines is found, and the position
/// in it at which each original line starts.
fn join(text: &str) -> (String, Vec<usize>) {
    let mut joined = String::with_capacity(text.len());
    let mut starts = Vec::new();
    for line in text.lines() {
        starts.push(joined.len());
        let line = line.trim();
        let bare = ["//!", "///", "//", "#"].iter().find_map(|sign| line.strip_prefix(sign)).unwrap_or(line);
        joined.push_str(bare.trim_start());
        joined.push(' ');
    }
    (joined, starts)
}

/// Returns runs of letters, digits and underscores, each with its position.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = at + text[at..].find(is_part)?;
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        at = start + length;
        Some((start, &text[start..at]))
    })
}

/// Returns whether the word is a capital letter with a number from 1 to 99.
fn is_point(word: &str) -> bool {
    let digits = word.strip_prefix(|letter: char| letter.is_ascii_uppercase()).unwrap_or_default();
    (1..=2).contains(&digits.len()) && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the game of a file: the file, or a folder around it, has its name.
fn game_of(games: &[Game], path: &Path) -> Option<usize> {
    let stem = |part: &OsStr| part.to_string_lossy().split('.').next().unwrap_or_default().replace('_', "-");
    games.iter().position(|game| path.iter().any(|part| stem(part) == game.name))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !SKIPPED.contains(&name) {
                found.extend(files(&path)?);
            }
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
# Triangles

## The specification

| chapter | what it has |
| --- | --- |
| \"Protokół\" | the protocol |
| \"Rozgrywki\" | the contest |

## Points

| point | what it decides | option |
| --- | --- | --- |
| T1 | sides | |
| T6 | unlawful segments | |

### Facts

| fact | what it says |
| --- | --- |
| P5 | the length |

## Other

| T9 | in no table of points | |
";

    const GRID: usize = 0;
    const TRIANGLES: usize = 1;

    fn games() -> Vec<Game> {
        let grid = "# Grid\n## The specification\n| \"Order format\" | a |\n## Points\n| G1 | axes |\n| G4 | map |\n";
        [("grid", grid), ("triangles", DOCUMENT)].map(|(name, text)| define(name, text)).map(no_flaws).into()
    }

    fn no_flaws((game, flaws): (Game, Vec<Flaw>)) -> Game {
        assert_eq!(flaws, []);
        game
    }

    fn flaws(own: Option<usize>, text: &str) -> Vec<String> {
        check(&games(), own, text).into_iter().map(|(line, what)| format!("{line}: {what}")).collect()
    }

    #[test]
    fn a_document_defines_the_rows_of_its_two_sections() {
        let game = no_flaws(define("triangles", DOCUMENT));
        assert_eq!(game.title, "Triangles");
        assert_eq!(game.points.into_keys().collect::<Vec<_>>(), ["P5", "T1", "T6"]);
        assert_eq!(game.chapters.into_keys().collect::<Vec<_>>(), ["Protokół", "Rozgrywki"]);
    }

    #[test]
    fn a_point_that_is_defined_twice_or_not_at_all_is_a_flaw() {
        let text = "## The specification\n| \"A\" | a |\n| \"A\" | b |\n## Points\n| T1 | a |\n| T1 | c |\n";
        let (_, flaws) = define("triangles", text);
        assert_eq!(
            flaws.iter().map(|(line, what)| (*line, what.as_str())).collect::<Vec<_>>(),
            [(3, "\"A\" is already defined in line 2"), (6, "T1 is already defined in line 5")]
        );
        let (_, flaws) = define("triangles", "# Triangles\n");
        assert_eq!(flaws.len(), 2, "{flaws:?}");
    }

    #[test]
    fn defined_points_and_chapters_may_be_cited() {
        let text = "/// As point T6 has it (facts P5, T1).\n\
                    // specification \"Protokół\" and \"Rozgrywki\": ... the specification's \"Protokół\"\n\
                    let t1 = Foo::<T>::T100(\"seed 7\"); // T_1, T01 and xT1 are no points\n";
        assert_eq!(flaws(Some(TRIANGLES), text), [""; 0]);
    }

    #[test]
    fn a_cited_point_without_a_definition_is_a_flaw_in_its_line() {
        let text = "fn a() {}\n    // points T1 to T7\n//! specification \"Protokół\",\n//! \"Zasady\"\n// seed \"Protokół\"\n// G4\n";
        assert_eq!(
            flaws(Some(TRIANGLES), text),
            [
                "2: T7 is not defined in docs/games/triangles.md",
                "3: docs/games/triangles.md lists no chapter \"Zasady\"",
                "5: the contest's document is the specification; a seed is a random seed",
                "6: G4 is not a point of Triangles: put the name of its game before it",
            ]
        );
    }

    #[test]
    fn a_text_of_no_game_names_the_game() {
        assert_eq!(flaws(None, "`L0 T9`, Triangles T6, Triangles specification \"Protokół\""), [""; 0]);
        assert_eq!(flaws(None, "as Triangles T9 says"), ["1: T9 is not defined in docs/games/triangles.md"]);
        assert_eq!(flaws(None, "Triangles (T9)").len(), 1);
        assert_eq!(flaws(Some(GRID), "Triangles T9, G4, and Triangles T1").len(), 1);
    }

    #[test]
    fn a_file_belongs_to_the_game_that_its_path_names() {
        let games = ["grid", "planet-wars"].map(|name| Game { name: name.to_owned(), ..Game::default() });
        let game = |path: &str| game_of(&games, Path::new(path)).map(|i| games[i].name.as_str());
        assert_eq!(game("games/planet-wars/src/turn.rs"), Some("planet-wars"));
        assert_eq!(game("xtask/src/golden/planet_wars.rs"), Some("planet-wars"));
        assert_eq!(game("machines/agon-games/tests/grid/main.rs"), Some("grid"));
        assert_eq!(game("docs/games/grid.md"), Some("grid"));
        assert_eq!(game("docs/cli.md"), None);
    }
}
