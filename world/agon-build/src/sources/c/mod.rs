//! C and C++: `#include`, the source beside a header, and functions and variables that one source uses and another defines.

mod act;
mod condition;
mod expression;
mod statement;
mod unit;

use super::{Links, MOST_MEANINGS, Source, folder, join, token::tokens};
use crate::Language;
use condition::{Truth, macros};
use std::collections::{BTreeMap, BTreeSet};
use unit::Unit;

pub(super) fn links(sources: &[Source<'_>]) -> Links {
    let read: Vec<_> = sources.iter().map(|source| (source.name, tokens(&source.text, Language::Cpp))).collect();
    let macros: Vec<BTreeSet<&str>> = read.iter().map(|(_, tokens)| macros(tokens)).collect();
    let mut files_with: BTreeMap<&str, usize> = BTreeMap::new();
    for word in macros.iter().flatten() {
        *files_with.entry(word).or_default() += 1;
    }
    let units: BTreeMap<&str, Unit<'_>> = read
        .iter()
        .zip(&macros)
        .map(|((name, tokens), own)| {
            let elsewhere =
                |word: &str| files_with.get(word).is_some_and(|files| *files > usize::from(own.contains(word)));
            (*name, Unit::read(tokens, &elsewhere))
        })
        .collect();
    let names = Names::new(units.keys().copied());
    let mut defined: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, unit) in units.iter().filter(|(name, _)| is_compiled(name)) {
        for word in &unit.defines {
            defined.entry(word).or_default().push(name);
        }
    }
    let (sure, doubtful) = (with_main(&units, Truth::Always), with_main(&units, Truth::Perhaps));
    let programs = sure.union(&doubtful).cloned().collect();
    // Where nothing is sure, they count as if they were.
    let (sure, doubtful) = if sure.is_empty() { (doubtful, sure) } else { (sure, doubtful) };
    let mut links = Links { programs, doubtful, active: active(&units, &sure), ..Links::default() };
    for (name, unit) in &units {
        let included: BTreeSet<&str> = unit.includes.iter().flat_map(|path| names.included(path, name)).collect();
        // The compiler must not see such a source twice.
        let sources = included.iter().filter(|file| is_compiled(file) && *file != name);
        links.included.extend(sources.map(|file| (*file).to_owned()));
        let beside: BTreeSet<&str> = included.iter().flat_map(|header| names.beside(header)).copied().collect();
        let mut needed = included;
        if !is_compiled(name) {
            needed.extend(names.beside(name));
        }
        for word in unit.uses.iter().filter(|word| !unit.defines.contains(*word) && !unit.own.contains(*word)) {
            let Some(files) = defined.get(word).filter(|files| files.len() <= MOST_MEANINGS) else { continue };
            // Several sources may define the same function, and only one belongs to the headers of this file.
            let near: Vec<&str> = files.iter().copied().filter(|file| file != name && beside.contains(file)).collect();
            needed.extend(if near.is_empty() { files } else { &near });
        }
        needed.remove(name);
        links.needs.insert((*name).to_owned(), needed.into_iter().map(str::to_owned).collect());
    }
    links
}

/// Returns the sources whose function `main` is compiled with this certainty.
fn with_main(units: &BTreeMap<&str, Unit<'_>>, truth: Truth) -> BTreeSet<String> {
    let those = units.iter().filter(|(name, unit)| is_compiled(name) && unit.main == truth);
    those.map(|(name, _)| (*name).to_owned()).collect()
}

/// Returns the sources that do something before `main`, and are no programs.
fn active(units: &BTreeMap<&str, Unit<'_>>, programs: &BTreeSet<String>) -> BTreeSet<String> {
    let mut declaring: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, unit) in units {
        for word in &unit.declares {
            declaring.entry(word).or_default().push(name);
        }
    }
    let is_active = |name: &str, unit: &Unit<'_>| {
        let is_of_bot = |word: &str| declaring.get(word).is_some_and(|files| files.iter().any(|file| *file != name));
        let is_known = |word: &str| declaring.contains_key(word);
        let is_cpp = Language::of(name) == Some(Language::Cpp);
        unit.acts.iter().any(|act| act.is_sure(is_cpp, &is_of_bot, &is_known))
    };
    let those =
        units.iter().filter(|(name, unit)| is_compiled(name) && !programs.contains(**name) && is_active(name, unit));
    those.map(|(name, _)| (*name).to_owned()).collect()
}

fn is_compiled(name: &str) -> bool {
    matches!(Language::of(name), Some(Language::C | Language::Cpp))
}

fn file(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn stem(name: &str) -> &str {
    file(name).rsplit_once('.').map_or(file(name), |(stem, _)| stem)
}

/// The files of a bot, by what an `#include` says of them.
struct Names<'n> {
    all: BTreeSet<&'n str>,
    of_file: BTreeMap<&'n str, Vec<&'n str>>,
    sources_of_stem: BTreeMap<&'n str, Vec<&'n str>>,
    sources_in_folder: BTreeMap<(&'n str, &'n str), Vec<&'n str>>,
}

impl<'n> Names<'n> {
    fn new(all: impl Iterator<Item = &'n str>) -> Self {
        let (mut of_file, mut sources_of_stem, mut sources_in_folder) =
            (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        let all: BTreeSet<&str> = all.collect();
        for name in all.iter().copied() {
            of_file.entry(file(name)).or_default().push(name);
            if is_compiled(name) {
                sources_of_stem.entry(stem(name)).or_default().push(name);
                sources_in_folder.entry((folder(name), stem(name))).or_default().push(name);
            }
        }
        Self { all, of_file, sources_of_stem, sources_in_folder }
    }

    /// Returns the files that a path in `#include` may mean.
    fn included(&self, path: &str, includer: &str) -> Vec<&'n str> {
        let bases = [folder(includer), "", "include", "src"];
        let direct =
            bases.iter().filter_map(|base| join(base, path)).find_map(|file| self.all.get(file.as_str()).copied());
        if let Some(direct) = direct {
            return vec![direct];
        }
        let path = path.rsplit("../").next().unwrap_or(path);
        let end = format!("/{path}");
        let of_file = self.of_file.get(file(path)).filter(|names| names.len() <= MOST_MEANINGS);
        of_file.into_iter().flatten().copied().filter(|name| name.ends_with(&end)).collect()
    }

    /// Returns the sources of a header: those with its name, in its folder or else anywhere.
    fn beside(&self, header: &'n str) -> &[&'n str] {
        let near = self.sources_in_folder.get(&(folder(header), stem(header)));
        let anywhere = || self.sources_of_stem.get(stem(header)).filter(|names| names.len() <= MOST_MEANINGS);
        near.or_else(anywhere).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::lines, *};

    #[test]
    fn a_source_is_needed_for_its_header_or_for_what_it_defines() {
        let files = [
            ("bot.c", "#include \"map.h\"\n#include \"all.h\"\nint main(void) { read_map(); return pick(limits[0]); }"),
            ("map.h", "int read_map(void);\nint old(void);"),
            ("map.c", "#include \"map.h\"\nint read_map(void)\n{ return 1; }"),
            ("all.h", "int pick(int);\nint dead(int);\nextern int limits[];"),
            ("choose.c", "static int helper(int x) { return x; }\nint pick(int x) { return helper(x); }"),
            ("data.c", "int limits[] = { 1, 2 };"),
            ("dead.c", "int dead(int x) { broken(pick) }\nint helper(int x) {}"),
            ("old/map.c", "int read_map(void) { broken }"),
        ];
        let needs = lines(Language::C, &files);
        assert_eq!(needs[2], "choose.c: ");
        assert_eq!(needs[1], "bot.c: all.h choose.c data.c map.c map.h");
        assert_eq!(needs[6], "map.h: map.c");
    }

    #[test]
    fn what_is_called_outside_of_braces_is_used() {
        let files = [
            ("main.cpp", "#include \"all.h\"\nstatic int T = make();\nBot::Bot() : map(load()) {}\nint main() {}"),
            ("all.h", "int make();\nint load();\nint dead();"),
            ("impl.cpp", "int make() { return 1; }"),
            ("maps.cpp", "int load() { return 1; }"),
            ("old.cpp", "int dead() { broken }"),
        ];
        assert_eq!(lines(Language::Cpp, &files)[2], "main.cpp: all.h impl.cpp maps.cpp");
    }

    #[test]
    fn classes_namespaces_and_sources_that_are_included_are_seen() {
        let files = [
            ("src/main.cpp", "#include <vector>\n#include \"game/board.hpp\"\nint main() { game::Board b; solve(b); }"),
            (
                "include/game/board.hpp",
                "namespace game { class Board { public: int play() const; }; }\nvoid solve(game::Board&);",
            ),
            ("src/board_moves.cpp", "namespace game {\nint Board::play() const { return 1; }\n}"),
            ("src/solver.cpp", "#include \"table.inc\"\nvoid solve(game::Board& b) noexcept { b.play(); }"),
            ("src/table.inc", "int table[] = {1};"),
            ("src/unused.cpp", "namespace game { class Old { void solve() {} }; }"),
        ];
        let needs = lines(Language::Cpp, &files);
        assert_eq!(needs[2], "src/main.cpp: include/game/board.hpp src/board_moves.cpp src/solver.cpp");
        assert_eq!(needs[3], "src/solver.cpp: src/table.inc");
    }
}
