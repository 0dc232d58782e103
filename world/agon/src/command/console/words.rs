//! The words of a command that can be completed.

use agon_console::{WORDS, Word};
use agon_games::AnyGame;

/// What the words of a session's commands can be.
pub struct Vocabulary {
    /// The lawful orders of each seat, where it decides now and the game can list them.
    orders: Vec<Vec<String>>,
    /// What can take a seat, apart from programs.
    bots: Vec<String>,
    /// The first words of the lines that the protocol sends to a bot.
    protocol: &'static [&'static str],
}

impl Vocabulary {
    /// Returns the words of a session of this game. `orders` are the lawful orders of each seat.
    pub fn new(game: &dyn AnyGame, orders: Vec<Vec<String>>) -> Self {
        let info = game.info();
        let bots = info.bots.iter().map(|bot| format!("@{}", bot.name)).chain(["human".to_owned()]).collect();
        Self { orders, bots, protocol: info.protocol_words }
    }

    /// Returns the words that can stand at the end of this beginning of a line, and where that last word begins.
    pub fn complete(&self, line: &str) -> (usize, Vec<String>) {
        let start = line.rfind(' ').map_or(0, |blank| blank + 1);
        let (head, word) = line.split_at(start);
        let before: Vec<&str> = head.split_whitespace().collect();
        let fits = self.known(&before).into_iter().filter(|known| known.starts_with(word));
        (start, fits.map(|known| known + " ").collect())
    }

    /// Returns the words that can follow these ones.
    fn known(&self, before: &[&str]) -> Vec<String> {
        let Some((command, arguments)) = before.split_first() else {
            return WORDS.iter().map(|word| word.name.to_owned()).collect();
        };
        let Some(Word { form, .. }) = WORDS.iter().find(|word| word.name == *command) else { return Vec::new() };
        let form = form.strip_prefix(command).unwrap_or(form);
        let takes = |at: usize, what: &str| form.split_whitespace().nth(at) == Some(what);
        match arguments.len() {
            0 if takes(0, "SEAT") => (1..=self.orders.len()).map(|seat| seat.to_string()).collect(),
            0 => choices(form).map(str::to_owned).collect(),
            1 if takes(0, "SEAT") && takes(1, "ORDERS") => {
                let seat = arguments[0].parse().ok().and_then(|seat: usize| seat.checked_sub(1));
                seat.and_then(|seat| self.orders.get(seat)).cloned().unwrap_or_default()
            }
            1 if takes(0, "SEAT") && takes(1, "BOT|human") => self.bots.clone(),
            1 if takes(0, "SEAT") && takes(1, "TEXT") => self.protocol.iter().map(|word| (*word).to_owned()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Returns the first words that a form can have, as `map` and `replay` in `map|replay FILE`, and `set` and `at` in
/// `set LINE | at LINE COLUMN`. Places for something else are in capitals.
fn choices(form: &str) -> impl Iterator<Item = &str> {
    let firsts = form.split(" | ").filter_map(|part| part.split_whitespace().next());
    let words = firsts.flat_map(|first| first.trim_matches(['[', ']']).split('|'));
    words.filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed_where_they_stand() {
        let triangles = agon_games::find("triangles").expect("a game");
        let words = Vocabulary::new(triangles, vec![vec!["[1,2]".into(), "[1,3]".into(), "[2,3]".into()], Vec::new()]);
        let complete = |line: &str| words.complete(line).1.concat();
        for (line, start, expected) in [
            ("un", 0, "undo "),
            ("br", 0, "branch "),
            ("raw ", 4, "1 2 "),
            ("ask 2", 4, "2 "),
            ("play 1 [2", 7, "[2,3] "),
            ("play 1 [1", 7, "[1,2] [1,3] "),
            ("play 2 ", 7, ""),
            ("play 0 ", 7, ""),
            ("play 9 ", 7, ""),
            ("raw 1 set", 6, "set_points "),
            ("raw 2 g", 6, "gen_move "),
            ("bot 1 h", 6, "human "),
            ("bot 2 @ra", 6, "@random "),
            ("save ", 5, "map replay "),
            ("show m", 5, "map "),
            ("edit i", 5, "insert "),
            ("edit de", 5, "delete "),
            ("undo 1", 5, ""),
            ("edit at 1 ", 10, ""),
            ("jump ", 5, ""),
            ("raw 1 play 3 ", 13, ""),
        ] {
            assert_eq!((words.complete(line).0, complete(line).as_str()), (start, expected), "{line}");
        }
    }

    #[test]
    fn every_command_and_every_seat_is_offered() {
        for game in agon_games::all() {
            let words = Vocabulary::new(*game, vec![Vec::new(); 3]);
            assert_eq!(words.complete("").1.len(), WORDS.len());
            assert_eq!(words.complete("kill ").1, ["1 ", "2 ", "3 "]);
            assert_eq!(words.complete("bot 3 @").1.len(), game.info().bots.len());
        }
    }
}
