//! What needs the built-in bots: their decisions, and how a match may go on from a position.

use crate::{
    encoder::Encoder,
    engine::{Engine, Failed},
};
use agon_core::{Seat, Seed};
use agon_games::playable::{self, AnyPlayable};
use serde_json::{Value, json};

/// Returns every game with what can be played in it, as a JSON list.
#[must_use]
pub fn games() -> String {
    let named = |name: &str, about: &str| json!({ "name": name, "about": about });
    let describe = |game: &&dyn AnyPlayable| -> Value {
        let info = game.info();
        json!({
            "name": game.name(),
            "title": info.title,
            "about": info.about,
            "seats": [info.seats.start(), info.seats.end()],
            "default_seats": info.default_seats,
            "rules": game.rule_sets(),
            "limit": info.limit.map(|limit| json!({ "default": limit.default, "unit": limit.unit })),
            "maps": info.map_kinds.iter().map(|kind| named(kind.name, kind.about)).collect::<Vec<_>>(),
            "bots": info.bots.iter().map(|bot| named(bot.name, bot.about)).collect::<Vec<_>>(),
            "protocol_words": info.protocol_words,
        })
    };
    Value::Array(playable::all().iter().map(describe).collect()).to_string()
}

/// Returns the game of this name.
///
/// # Errors
/// Fails if there is none.
pub(crate) fn game(name: &str) -> Result<&'static dyn AnyPlayable, Failed> {
    let unknown = || Failed { why: format!("this version of Agon does not have the game `{name}`"), line: None };
    playable::find(name).ok_or_else(unknown)
}

/// A rollout that counts: more of them in one call would keep the page waiting.
const MOST_ROLLOUTS: u32 = 4096;

impl Engine {
    /// Returns what a built-in bot decides for `seat` in the shown position, as a JSON list of orders. The same position, bot
    /// and seed give the same orders.
    ///
    /// # Errors
    /// Fails if the game has no such bot or the match no such seat.
    pub fn decide(&self, seat: Seat, bot: &str, seed: Seed) -> Result<String, Failed> {
        let position = self.here();
        let seed = seed.derive("decision", position.plies().into()).derive("bot", seat.index() as u64);
        let orders = game(self.game())?.decide(position, seat, bot, seed)?;
        Ok(format!("[{}]", orders.texts().collect::<Vec<_>>().join(",")))
    }

    /// Plays `count` matches from the shown position to their end, and writes for each the places of the seats and their
    /// scores. `bots` is a JSON list with the name of a built-in bot for each seat. The same arguments give the same
    /// matches.
    ///
    /// # Errors
    /// Fails if the bots cannot be read or do not fit the match, or if `count` is too large.
    pub fn write_rollouts(&self, bots: &[u8], seed: Seed, count: u32, out: &mut Encoder) -> Result<(), Failed> {
        let failed = |why: String| Failed { why, line: None };
        if count > MOST_ROLLOUTS {
            return Err(failed(format!("at most {MOST_ROLLOUTS} matches can be played at once")));
        }
        let names: Vec<String> =
            serde_json::from_slice(bots).map_err(|why| failed(format!("the bots cannot be read: {why}")))?;
        let game = game(self.game())?;
        let known = |name: &String| game.info().bot(name).map(|bot| bot.name);
        let bots = names.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        let mut rollouts = game.rollouts(self.here(), &bots)?;
        out.count(count as usize);
        for number in 0..u64::from(count) {
            let standing = rollouts.play(seed.derive("rollout", number));
            out.count(standing.places.len());
            standing.places.iter().for_each(|place| _ = out.byte(*place));
            out.count(standing.scores.len());
            standing.scores.iter().for_each(|score| _ = out.double(*score as f64));
        }
        Ok(())
    }
}
