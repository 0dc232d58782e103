//! Tells of files of matches that a kill has cut short.

use crate::{
    clean::{clean, shell_word},
    printer::Printer,
};
use agon_play::Unfinished;
use std::path::Path;

/// Warns of each file that an earlier program withheld from bots and could not take to its place before it was killed.
pub fn tell(printer: &Printer) {
    for file in Unfinished::all() {
        printer.warning(words(&file));
    }
}

fn words(file: &Unfinished) -> String {
    let (here, there) = (&file.here, &file.there);
    let word = |path: &Path| clean(&shell_word(path));
    let from = if here.is_dir() { format!("{}/*", word(here)) } else { word(here) };
    let name = clean(&there.display().to_string());
    let folder = here.parent().map(word).unwrap_or_default();
    format!(
        "an earlier `agon` was killed before it wrote `{name}`; what it had is kept\n  to have it:    mv {from} {}\n  \
         to remove it:  rm -r {folder}",
        word(there)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_can_be_copied() {
        let file = |here: &str| Unfinished { here: here.into(), there: "/bots/my game.jsonl".into() };
        let said = words(&file("/state/match-1/my game.jsonl"));
        assert!(said.contains("mv '/state/match-1/my game.jsonl' '/bots/my game.jsonl'"), "{said}");
        assert!(said.ends_with("rm -r /state/match-1"), "{said}");
        let folder = std::env::temp_dir();
        let said = words(&Unfinished { here: folder.clone(), there: "/bots/out".into() });
        assert!(said.contains(&format!("mv {}/* /bots/out\n", folder.display())), "{said}");
    }
}
