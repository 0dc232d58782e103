//! A whole match as the original's replay formats hold it: the map, the participants, and the actions of each turn.

use crate::{MAX_ACTIONS, Order, Position, Rules, map, turn};
use agon_core::{
    Entry, Flaw, Game, Joint, Seat, Terms,
    geometry::{Point, pt},
};
use alloc::{format, string::String, vec::Vec};

/// A recorded match, for [`dump`](crate::dump) and [`binary`](crate::binary).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The text of the map file.
    pub map: String,
    /// The number of rounds of the match.
    pub rounds: u32,
    /// The two players. Their ids are 0 and 1.
    pub players: [Participant; 2],
    /// The participants that only watched.
    pub spectators: Vec<Participant>,
    /// The actions of each turn; player 0 and player 1 take turns. A void turn is empty. There are fewer than two for
    /// each round if the match was broken off.
    pub turns: Vec<Vec<Order>>,
}

/// A participant at the original's server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Participant {
    /// The id. Players have 0 and 1.
    pub id: u32,
    /// The kind: 1 is a player, 2 a spectator.
    pub kind: u32,
    /// The name that the participant gave to the server.
    pub name: String,
}

impl Participant {
    /// Makes the player with this id.
    #[must_use]
    pub fn player(id: u32, name: impl Into<String>) -> Self {
        Self { id, kind: 1, name: name.into() }
    }
}

impl Record {
    /// Plays the match again. `each` gets the position before the first turn without actions, and the position after
    /// each turn with its actions.
    ///
    /// # Errors
    /// If the map cannot be played, there are more turns than the rounds have, or `rules` refuse an action.
    pub fn replay(&self, rules: Rules, mut each: impl FnMut(&Position, &[Order])) -> Result<Position, Flaw> {
        let mut position = self.start(rules)?;
        each(&position, &[]);
        for actions in &self.turns {
            play(&mut position, actions)?;
            each(&position, actions);
        }
        Ok(position)
    }

    pub(crate) fn start(&self, rules: Rules) -> Result<Position, Flaw> {
        let terms = Terms { rules, seats: 2, limit: Some(self.rounds) };
        map::build(map::parse(self.map.as_bytes())?, &terms).map_err(|flawed| flawed.flaw)
    }
}

/// Plays one recorded turn. Every action of it must be lawful.
pub(crate) fn play(position: &mut Position, actions: &[Order]) -> Result<(), Flaw> {
    let (round, player) = (position.round(), position.mover());
    let place = |what: String| Flaw::new(format!("round {round}, player {player}: {what}"));
    if position.over() {
        return Err(Flaw::new(format!("there are more turns than in {} rounds", position.rounds)));
    }
    if actions.len() > MAX_ACTIONS {
        return Err(place(format!("more than {MAX_ACTIONS} actions")));
    }
    let mut done = Vec::new();
    let entry = Entry { seat: Seat::new(player), orders: actions, failure: None };
    turn::play(position, Joint::new(&[entry]), &mut done);
    let acted = done.iter().filter(|event| matches!(event, crate::Event::Acted { .. })).count();
    if acted == actions.len() {
        return Ok(());
    }
    // The executed actions are a subsequence of the recorded ones: the first difference is the first refusal.
    let wanted = actions
        .iter()
        .zip(&done)
        .find(|(action, event)| !matches!(event, crate::Event::Acted { action: acted, .. } if acted == *action));
    let wanted = wanted.map_or(&actions[acted], |(action, _)| action);
    Err(place(format!("the rules refuse {wanted:?}")).hint("name the rule set of the recording with `--rules`"))
}

/// Appends the bytes that the original sends for a turn: for each action its number, its cell if it has one, and the
/// player. Each is a little-endian number of 32 bits.
pub(crate) fn encode(actions: &[Order], player: u32, out: &mut Vec<u8>) {
    for action in actions {
        let (number, cell) = match action {
            Order::Move(p) => (0u32, Some(p)),
            Order::Turbo => (1, None),
            Order::Capture => (2, None),
            Order::Link(p) => (3, Some(p)),
            Order::Neutralise => (4, None),
            Order::Shield => (5, None),
        };
        out.extend(number.to_le_bytes());
        if let Some(p) = cell {
            out.extend(p.x.to_le_bytes());
            out.extend(p.y.to_le_bytes());
        }
        out.extend(player.to_le_bytes());
    }
}

/// Reads the bytes that [`encode`] writes.
pub(crate) fn decode(bytes: &[u8], player: u32) -> Result<Vec<Order>, String> {
    let mut words = Words { bytes, at: 0 };
    let mut actions = Vec::new();
    while words.at < bytes.len() {
        let action = match words.word()? {
            0 => Order::Move(words.cell()?),
            1 => Order::Turbo,
            2 => Order::Capture,
            3 => Order::Link(words.cell()?),
            4 => Order::Neutralise,
            5 => Order::Shield,
            other => return Err(format!("there is no action {other}")),
        };
        let whose = words.word()?;
        if whose != player {
            return Err(format!("an action of player {whose} in a turn of player {player}"));
        }
        actions.push(action);
    }
    Ok(actions)
}

struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Words<'_> {
    fn word(&mut self) -> Result<u32, String> {
        let word = self.bytes.get(self.at..self.at + 4).and_then(|b| b.try_into().ok());
        self.at += 4;
        word.map(u32::from_le_bytes).ok_or_else(|| "an action is cut off".into())
    }

    fn cell(&mut self) -> Result<Point, String> {
        Ok(pt(self.word()? as i32, self.word()? as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_survive_their_bytes() {
        let actions = [
            Order::Move(pt(12, -1)),
            Order::Turbo,
            Order::Capture,
            Order::Link(pt(3, 29)),
            Order::Neutralise,
            Order::Shield,
        ];
        let mut bytes = Vec::new();
        encode(&actions, 1, &mut bytes);
        assert_eq!(bytes.len(), 4 * 8 + 2 * 16);
        assert_eq!(decode(&bytes, 1).unwrap(), actions);
        assert!(decode(&bytes, 0).is_err());
        for cut in 1..bytes.len() {
            let _ = decode(&bytes[..cut], 1);
        }
        assert!(decode(&bytes[..bytes.len() - 1], 1).is_err());
        assert!(decode(&[9, 0, 0, 0, 1, 0, 0, 0], 1).is_err());
    }
}
