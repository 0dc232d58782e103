//! The file with the callbacks: by it a folder is known as that of a champion, and as nothing else.

use crate::{
    chosen_python::interpreter_of,
    generate::Flavour,
    source::{Language, note},
};
use agon_build::Manifest;
use agon_core::Flaw;
use std::{fs, io::Read, path::Path};

/// The names of the file with the callbacks, each with the language and flavour that follow from it.
pub(crate) const MAINS: &[(&str, Language, Flavour)] = &[
    ("prologin.cc", Language::Cpp, Flavour::Of2015),
    ("champion.cc", Language::Cpp, Flavour::Of2020),
    ("prologin.c", Language::C, Flavour::Of2015),
    ("champion.c", Language::C, Flavour::Of2020),
    ("prologin.ml", Language::Caml, Flavour::Of2015),
    ("champion.ml", Language::Caml, Flavour::Of2020),
    ("prologin.py", Language::Python, Flavour::Of2015),
    ("Champion.py", Language::Python, Flavour::Of2020),
];

/// The main files of languages that Agon cannot play.
const FOREIGN: &[(&str, &str)] = &[
    ("Prologin.java", "Java"),
    ("Champion.java", "Java"),
    ("prologin.cs", "C#"),
    ("champion.cs", "C#"),
    ("prologin.php", "PHP"),
    ("champion.php", "PHP"),
    ("Prologin.hs", "Haskell"),
    ("Champion.hs", "Haskell"),
    ("champion.rs", "Rust"),
];

/// The number of bytes of a main file in which a callback is looked for.
const MAIN_LIMIT: u64 = 1 << 20;

/// Returns whether a folder has the sources of a champion: a main file with one of the callbacks. An `agon.toml` that starts
/// something else says that it is another bot.
#[must_use]
pub fn is_champion(folder: &Path) -> bool {
    let mut mains = MAINS.iter().filter(|(name, ..)| is_main_file(&folder.join(name)));
    let manifest = folder.join(Manifest::FILE);
    if manifest.symlink_metadata().is_err() {
        return mains.next().is_some();
    }
    let Some(Ok(manifest)) = note(&manifest).map(|text| Manifest::parse(&text)) else { return false };
    mains.any(|(main, language, _)| starts(&manifest, *language, main))
}

/// Returns whether an `agon.toml` is about the champion with this main file.
fn starts(manifest: &Manifest, language: Language, main: &str) -> bool {
    manifest.build.is_none()
        && manifest.language.is_none_or(|named| named == language.of_bots())
        && match (&manifest.run, &manifest.main) {
            (Some(run), _) => interpreter_of(run, language, main).is_some(),
            (None, Some(named)) => named == main,
            (None, None) => true,
        }
}

/// Returns whether a file is the main file of a champion: by its name, and by a callback in its first bytes.
#[must_use]
pub fn is_main_file(path: &Path) -> bool {
    const CALLBACK: &[u8] = b"partie_init";
    let is_named = MAINS.iter().any(|(name, ..)| path.file_name().is_some_and(|file| file == *name));
    let mut text = Vec::new();
    is_named
        && path.is_file()
        && fs::File::open(path).is_ok_and(|file| file.take(MAIN_LIMIT).read_to_end(&mut text).is_ok())
        && text.windows(CALLBACK.len()).any(|word| word == CALLBACK)
}

/// Returns the flaw of a folder that has no main file, before anything in it is copied or read.
pub(crate) fn without_main(folder: &Path) -> Option<Flaw> {
    let is_there = |name: &str| folder.join(name).symlink_metadata().is_ok();
    (!MAINS.iter().any(|(name, ..)| is_there(name))).then(|| none_in(folder, folder))
}

/// Returns the flaw of a folder in which there is no champion.
pub(crate) fn none_in(folder: &Path, named: &Path) -> Flaw {
    let shown = named.display();
    match FOREIGN.iter().find(|(name, _)| folder.join(name).is_file()) {
        Some((name, language)) => Flaw::new(format!("`{shown}`: champions in {language} (`{name}`) are not played"))
            .hint("C, C++, OCaml and Python are; a program in any language can speak the text protocol instead"),
        None => Flaw::new(format!("there is no champion in `{shown}`")).hint(format!(
            "its main file has one of the names {}",
            MAINS.iter().map(|m| m.0).collect::<Vec<_>>().join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::folder;

    #[test]
    fn a_long_main_file_is_one_of_a_champion() {
        let long = format!("{}def partie_init():\n    pass\n", "# long\n".repeat(12_000));
        let folder = folder("long", &[("prologin.py", &long), ("champion.py", &long), ("other/prologin.py", "x = 1")]);
        assert!(is_champion(&folder) && is_main_file(&folder.join("prologin.py")));
        assert!(!is_champion(&folder.join("other")) && !is_main_file(&folder.join("champion.py")));
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn a_manifest_that_starts_something_else_is_not_of_a_champion() {
        let text = "def partie_init():\n    pass\n";
        for (main, manifest, expected) in [
            ("prologin.py", "[limits]\nmemory = '300MiB'", true),
            ("prologin.py", "run = ['.venv/bin/python', '-u', './prologin.py']", true),
            ("prologin.py", "main = 'prologin.py'\nlanguage = 'python'", true),
            ("prologin.py", "language = 'python'", true),
            ("prologin.ml", "language = 'ocaml'", true),
            ("prologin.py", "main = 'prologin.py'\nlanguage = 'c++'", false),
            ("prologin.py", "run = ['python3', 'bot.py']", false),
            ("prologin.py", "run = ['python3', 'adapter.py', 'prologin.py']", false),
            ("prologin.py", "run = ['./host', 'prologin.py']", false),
            ("prologin.c", "run = ['./host', 'prologin.c']", false),
            ("prologin.c", "run = ['python3', 'prologin.c']", false),
            ("prologin.py", "main = 'bot.py'", false),
            ("prologin.py", "language = 'c++'", false),
            ("prologin.cc", "language = 'c'", false),
            ("prologin.py", "build = ['make']", false),
            ("prologin.py", "broken", false),
        ] {
            let folder = folder("manifest", &[(main, text), (Manifest::FILE, manifest)]);
            assert_eq!(is_champion(&folder), expected, "{main}, {manifest}");
            let _ = fs::remove_dir_all(&folder);
        }
    }
}
