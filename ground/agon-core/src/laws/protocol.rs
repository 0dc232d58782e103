//! The laws of what bots are told.

use super::{Case, play};
use crate::{Contest, Remaining, Seats};
use alloc::{string::String, vec::Vec};

/// Tells a position to a bot in each seat, as if the match began there. Returns everything that was said.
pub(super) fn tell<C: Contest>(game: &C) -> Vec<u8> {
    let mut said = Vec::new();
    for seat in Seats::first(game.seats()).iter() {
        let mut dialogue = game.dialogue(seat, &[]);
        let _ = dialogue.greet(game.view(seat), Remaining::default(), &mut said);
        if game.over() {
            dialogue.farewell(game.view(seat), &mut said);
        } else if game.awaiting().contains(seat) {
            dialogue.prompt(game.view(seat), Remaining::default(), &mut said);
        }
    }
    said
}

/// Tests that every line to a bot that begins with a letter begins with a word of
/// [`GameInfo::protocol_words`](crate::GameInfo::protocol_words), so that a person can complete it.
pub fn lines_begin_with_words_of_the_protocol<C: Contest>(case: &Case<'_>) {
    let words = C::INFO.protocol_words;
    play::<C>(case, |game, ply| {
        for line in String::from_utf8_lossy(&tell(game)).lines().filter(|line| line.starts_with(char::is_alphabetic)) {
            let first = line.split_whitespace().next().unwrap_or_default();
            assert!(words.contains(&first), "ply {ply}: `protocol_words` does not have the first word of `{line}`");
        }
    });
}
