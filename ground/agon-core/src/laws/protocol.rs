//! The laws of what bots are told.

use super::{Case, play};
use crate::{Contest, Remaining, Seats};
use alloc::{format, string::String, vec, vec::Vec};
use core::iter;

/// An option of a dialogue: its name and its value.
pub(super) type Choice = (String, String);

/// Returns a dialect without options, and one for every value of every option.
pub(super) fn dialects<C: Contest>() -> Vec<Vec<Choice>> {
    let options = C::INFO.dialect.iter();
    let values =
        options.flat_map(|option| option.values.iter().map(|value| (String::from(option.name), String::from(*value))));
    iter::once(Vec::new()).chain(values.map(|value| vec![value])).collect()
}

/// Tells a position to a bot in each seat, as if the match began there. Returns everything that was said.
pub(super) fn tell<C: Contest>(game: &C, dialect: &[Choice]) -> Vec<u8> {
    let mut said = Vec::new();
    for seat in Seats::first(game.seats()).iter() {
        let mut dialogue = game.dialogue(seat, dialect);
        let _ = dialogue.greet(game.view(seat), Remaining::default(), &mut said);
        if game.over() {
            dialogue.farewell(game.view(seat), &mut said);
        } else if game.awaiting().contains(seat) {
            dialogue.prompt(game.view(seat), Remaining::default(), &mut said);
        }
    }
    said
}

/// Tests, with every option of the dialogue, that every line of a greeting, a first prompt or the end that begins with a letter
/// begins with a word of [`GameInfo::protocol_words`](crate::GameInfo::protocol_words), so that a person can complete it.
/// [`bots_play_the_same_over_the_wire`](super::bots_play_the_same_over_the_wire) tests the same of whole dialogues.
pub fn lines_begin_with_words_of_the_protocol<C: Contest>(case: &Case<'_>) {
    let dialects = dialects::<C>();
    play::<C>(case, |game, ply| {
        for dialect in &dialects {
            check_words::<C>(&tell(game, dialect), &format!("ply {ply}, {dialect:?}"));
        }
    });
}

/// Checks the first words of what a bot was told. `whence` says for the message where that was.
pub(super) fn check_words<C: Contest>(told: &[u8], whence: &str) {
    let words = C::INFO.protocol_words;
    for line in String::from_utf8_lossy(told).lines().filter(|line| line.starts_with(char::is_alphabetic)) {
        let first = line.split_whitespace().next().unwrap_or_default();
        assert!(words.contains(&first), "{whence}: `protocol_words` does not have the first word of `{line}`");
    }
}
