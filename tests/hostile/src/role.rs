//! What this process was started as: a bot, a referee of one row, or the victim.

use crate::{
    BOT, CANARY, Facts, Kind, REFEREE, Tries, canary, find,
    kind::Deed,
    kinds,
    player::{Asked, Player, Tongue, say},
    referee,
};
use agon_spec::Isolation;
use std::{ffi::OsString, thread, time::Duration};

/// The first word of the bot that tries whether a level contains the least.
pub(crate) const VERIFIER: &str = "verifier";
/// The first word of the bot that makes all brief attacks in a row.
pub(crate) const PROBE: &str = "probe";
/// The bots that do nothing wrong, in each protocol.
pub(crate) const HONEST: [(&str, Tongue); 3] =
    [("honest-toy", Tongue::Toy), ("honest-grid", Tongue::Grid), ("honest-lighthouses", Tongue::Lighthouses)];
/// Nothing wrong, and 50 ms for each turn.
pub(crate) const SLOW: &str = "honest-slow";

/// What the verifier tries: the least that a level must contain before anything worse is started in it.
pub(crate) const LEAST: &[&str] =
    &["reads-a-key", "signals-everybody", "forks", "tcp", "raises-limits", "new-privileges"];

/// What one line of the probe begins with: the name of the kind whose lines follow.
pub(crate) const KIND_LINE: &str = "kind ";

/// A role that this process was started for. No command of a user: what it takes and prints is between the processes of
/// the suite.
#[derive(Debug)]
pub enum Role {
    /// A bot of this name.
    Bot(String, Facts),
    /// The referee of one row: the kind and the level.
    Referee(&'static Kind, Isolation, Facts),
    /// The victim.
    Canary,
}

/// A hostile bot of its own making.
#[derive(Debug)]
pub struct Bot {
    /// Its protocol.
    pub player: Player,
    /// Its victims.
    pub facts: Facts,
}

impl Role {
    /// The role of this process, if it has one.
    #[must_use]
    pub fn asked_for() -> Option<Self> {
        Self::read(std::env::args_os().skip(1))
    }

    fn read(words: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = words.into_iter();
        let role = words.next()?;
        if role == CANARY {
            return Some(Self::Canary);
        }
        if role == BOT {
            let name = words.next()?.into_string().ok()?;
            return Some(Self::Bot(name, Facts::read(words)));
        }
        if role == REFEREE {
            let kind = find(words.next()?.to_str()?)?;
            let level = words.next()?.to_str()?.parse().ok()?;
            return Some(Self::Referee(kind, level, Facts::read(words)));
        }
        None
    }

    /// Plays it, and gives the exit code of the process.
    #[must_use]
    pub fn run(self) -> u8 {
        match self {
            Self::Bot(name, facts) => become_bot(&name, facts),
            Self::Referee(kind, level, facts) => referee::run(kind, level, &facts),
            Self::Canary => canary::run(),
        }
    }
}

/// Plays as the bot of this name.
fn become_bot(name: &str, facts: Facts) -> u8 {
    if let Some((_, tongue)) = HONEST.iter().find(|(honest, _)| *honest == name) {
        Player::new(*tongue).turns(|player| player.answer(Asked::Move));
        return 0;
    }
    match name {
        SLOW => Player::new(Tongue::Toy).turns(|player| {
            thread::sleep(Duration::from_millis(50));
            player.answer(Asked::Move);
        }),
        VERIFIER => attack(Player::new(Tongue::Toy), &facts, |tries| {
            LEAST.iter().filter_map(|name| find(name)).for_each(|kind| strike(kind, tries));
        }),
        PROBE => attack(Player::new(Tongue::Toy), &facts, |tries| {
            for kind in kinds().into_iter().filter(|kind| kind.brief) {
                crate::tries::line(&format!("{KIND_LINE}{}", kind.name));
                strike(kind, tries);
            }
        }),
        _ => match find(name) {
            Some(kind) => play(kind, facts),
            // As a program that does not know its arguments.
            None => return 64,
        },
    }
    0
}

fn play(kind: &Kind, facts: Facts) {
    let mut player = Player::new(kind.stage.tongue);
    match kind.deed {
        Deed::Program(program) => program(&mut Bot { player, facts }),
        Deed::Says(line) => {
            player.until_asked();
            say(line);
            player.turns(|player| player.answer(Asked::Move));
        }
        // It is no bot: the driver submits it.
        Deed::Submits(_) => {}
        Deed::Tries(_) => attack(player, &facts, |tries| strike(kind, tries)),
    }
}

/// Attacks in the first turn, and plays on.
fn attack(mut player: Player, facts: &Facts, strike: impl FnOnce(&mut Tries<'_>)) {
    player.until_asked();
    strike(&mut Tries::of_player(facts, &mut player));
    player.honestly();
}

fn strike(kind: &Kind, tries: &mut Tries<'_>) {
    if let Deed::Tries(tried) = kind.deed {
        tried(tries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_is_taken_for_a_role() {
        for words in [&[][..], &["match", "grid"], &[BOT], &[REFEREE, "nobody", "full"], &[REFEREE, "mute", "fully"]] {
            assert!(Role::read(words.iter().map(OsString::from)).is_none(), "{words:?}");
        }
        let role = Role::read([REFEREE, "mute", "none"].map(OsString::from));
        assert!(matches!(role, Some(Role::Referee(kind, Isolation::None, _)) if kind.name == "mute"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_verifier_tries_kinds_that_there_are() {
        assert!(LEAST.iter().all(|name| find(name).is_some_and(|kind| kind.brief)));
    }
}
