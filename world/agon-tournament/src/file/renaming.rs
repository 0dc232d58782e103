//! Another name of a bot in the text of a file.

use super::TournamentFile;
use crate::text::{Text, quoted};
use agon_core::Flaw;

impl TournamentFile {
    /// Returns the text of a file in which a bot, counted from 0, has another name. Everything else stays as it is.
    ///
    /// # Errors
    /// If there is no such bot, or it cannot have this name.
    pub fn renamed(text: &str, number: usize, name: &str) -> Result<String, Flaw> {
        let lost = || Flaw::new(format!("the file has no bot {}", number + 1));
        let file = Text(text);
        let table = file.table()?;
        let list = table.get("bot").and_then(|bots| bots.get_ref().as_array());
        let bot = list.and_then(|bots| bots.get(number)).ok_or_else(lost)?;
        let own = bot.get_ref().as_table().ok_or_else(lost)?;
        let entries = file.entries(own);
        let (range, new) = match entries.iter().find(|(_, entry)| entry.key == "name") {
            Some((_, entry)) => (entry.value.span(), quoted(name)),
            None => {
                let (span, _) = entries.into_iter().next().ok_or_else(lost)?;
                // A bot is a table of its own, or stands in one line with others.
                let is_inline = text.get(bot.span()).is_some_and(|text| text.starts_with('{'));
                let end = if is_inline { ", " } else { "\n" };
                (span.start..span.start, format!("name = {}{end}", quoted(name)))
            }
        };
        let mut renamed = text.to_owned();
        renamed.replace_range(range, &new);
        let parsed = Self::parse(&renamed)?;
        if parsed.bots.get(number).is_some_and(|bot| bot.name == name) { Ok(renamed) } else { Err(lost()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_changes() {
        let list = "game = \"grid\"\nbot = [{ run = \"@random\" }, {name='b',run=\"@greedy\"}] # two\n";
        let tables =
            "game = \"grid\"\n\n[[bot]] # one\n  run = \"@random\"\n[[bot]]\nrun = \"@greedy\"\nname   = \"b\" # two\n";
        for (text, number, name, expected) in [
            (list, 0, "c", list.replace("{ run", "{ name = \"c\", run")),
            (list, 1, "c", list.replace("'b'", "\"c\"")),
            (tables, 0, "a \"b\"", tables.replace("run = \"@random", "name = \"a \\\"b\\\"\"\nrun = \"@random")),
            (tables, 1, "Équipe", tables.replace("\"b\"", "\"Équipe\"")),
        ] {
            let renamed = TournamentFile::renamed(text, number, name).expect("it can have this name");
            assert_eq!(renamed, expected);
        }
        for (number, name) in [(0, "b"), (0, ""), (0, "a\nb"), (2, "c")] {
            assert!(TournamentFile::renamed(tables, number, name).is_err(), "{name:?}");
        }
    }
}
