//! The role of this process: a bot, the referee of a row, or the victim.

use crate::{
    Attack, BOT, Facts, Kind, REFEREE, VICTIM,
    client::{Client, Protocol, Question, write},
    cpu::cpu_time,
    find,
    kind::Behaviour,
    referee, victim_process,
};
#[cfg(target_os = "linux")]
use crate::{SERIES, random_calls};
use agon_spec::Isolation;
use std::{ffi::OsString, thread, time::Duration};

/// The name of the bot that checks whether a level contains the minimum.
pub(crate) const VERIFIER: &str = "verifier";
/// The names of the honest bots, one for each protocol.
pub(crate) const HONEST: [(&str, Protocol); 3] =
    [("honest-toy", Protocol::Toy), ("honest-grid", Protocol::Grid), ("honest-lighthouses", Protocol::Lighthouses)];
/// The name of the honest bot that takes 50 ms for each turn.
pub(crate) const SLOW: &str = "honest-slow";

/// The names of the bots that make random calls: with one process, and with several.
#[cfg(target_os = "linux")]
pub(crate) const CALLERS: [&str; 2] = ["random-calls", "random-calls-of-children"];
/// The name of the bot that leaves something behind.
#[cfg(target_os = "linux")]
pub(crate) const TRACES: &str = "leaves-traces";

/// The names of the honest bots that compute for 30 ms before each answer, to the greeting too.
pub(crate) const WORKERS: [(&str, Protocol); 2] =
    [("honest-worker", Protocol::Toy), ("honest-worker-grid", Protocol::Grid)];

/// The kinds whose attacks the verifier makes: the minimum that a level must contain before anything worse runs in it.
pub(crate) const MINIMUM: &[&str] =
    &["reads-a-key", "signals-all-processes", "forks", "tcp", "raises-limits", "new-privileges"];

/// The role that this process was started for. It is no command for users: its arguments and its output are private to
/// the suite.
#[derive(Debug)]
pub enum Role {
    /// The bot with this name.
    Bot(String, Facts),
    /// The referee of one row, with its kind and level.
    Referee(&'static Kind, Isolation, Facts),
    /// The referee of a series of matches, with the bot of seat 1 and its level.
    #[cfg(target_os = "linux")]
    Series(String, Isolation, Facts),
    /// The victim.
    Victim,
}

/// What the program of a hostile bot can use.
#[derive(Debug)]
pub struct Bot {
    /// The client that speaks the protocol honestly.
    pub client: Client,
    /// What the bot knows about its victims.
    pub facts: Facts,
}

impl Role {
    /// Returns the role of this process, if it has one.
    #[must_use]
    pub fn asked_for() -> Option<Self> {
        Self::read(std::env::args_os().skip(1))
    }

    fn read(words: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = words.into_iter();
        let role = words.next()?;
        if role == VICTIM {
            return Some(Self::Victim);
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
        #[cfg(target_os = "linux")]
        if role == SERIES {
            let player = words.next()?.into_string().ok()?;
            let level = words.next()?.to_str()?.parse().ok()?;
            return Some(Self::Series(player, level, Facts::read(words)));
        }
        None
    }

    /// Plays the role and returns the exit code of the process.
    #[must_use]
    pub fn run(self) -> u8 {
        match self {
            Self::Bot(name, facts) => become_bot(&name, facts),
            Self::Referee(kind, level, facts) => referee::run(kind, level, &facts),
            #[cfg(target_os = "linux")]
            Self::Series(player, level, facts) => random_calls::run_series(&player, level, &facts),
            Self::Victim => victim_process::run(),
        }
    }
}

/// Plays the bot with this name.
fn become_bot(name: &str, facts: Facts) -> u8 {
    if let Some((_, protocol)) = HONEST.iter().find(|(honest, _)| *honest == name) {
        Client::new(*protocol).play_turns(|client| client.answer(Question::Move));
        return 0;
    }
    if let Some((_, protocol)) = WORKERS.iter().find(|(honest, _)| *honest == name) {
        let mut client = Client::new(*protocol);
        while let Some(question) = client.next_question() {
            compute(Duration::from_millis(30));
            client.answer(question);
        }
        return 0;
    }
    #[cfg(target_os = "linux")]
    if random_calls::is_bot(name) {
        random_calls::play(name, &mut Bot { client: Client::new(Protocol::Toy), facts });
        return 0;
    }
    match name {
        SLOW => Client::new(Protocol::Toy).play_turns(|client| {
            thread::sleep(Duration::from_millis(50));
            client.answer(Question::Move);
        }),
        VERIFIER => attack(Client::new(Protocol::Toy), &facts, |attack| {
            MINIMUM.iter().filter_map(|name| find(name)).for_each(|kind| make(kind, attack));
        }),
        _ => match find(name) {
            Some(kind) => play(kind, facts),
            // The usual exit code for wrong arguments.
            None => return 64,
        },
    }
    0
}

/// Computes until this thread has used so much CPU time.
fn compute(cpu: Duration) {
    let start = cpu_time(libc::CLOCK_THREAD_CPUTIME_ID);
    while cpu_time(libc::CLOCK_THREAD_CPUTIME_ID) - start < cpu {
        std::hint::spin_loop();
    }
}

fn play(kind: &Kind, facts: Facts) {
    let mut client = Client::new(kind.scenario.protocol);
    match kind.behaviour {
        Behaviour::Program(program) => program(&mut Bot { client, facts }),
        Behaviour::Answer(line) => {
            client.wait_for_move();
            write(line);
            client.play_turns(|client| client.answer(Question::Move));
        }
        // The driver runs these kinds. They play no match.
        Behaviour::Submission(_) | Behaviour::Poisoning(_) => {}
        Behaviour::Attack(_) => attack(client, &facts, |attack| make(kind, attack)),
    }
}

/// Attacks in the first turn and plays on.
fn attack(mut client: Client, facts: &Facts, make: impl FnOnce(&mut Attack<'_>)) {
    client.wait_for_move();
    make(&mut Attack::of_client(facts, &mut client));
    client.play_on();
}

fn make(kind: &Kind, attack: &mut Attack<'_>) {
    if let Behaviour::Attack(function) = kind.behaviour {
        function(attack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_no_role() {
        for words in [&[][..], &["match", "grid"], &[BOT], &[REFEREE, "nobody", "full"], &[REFEREE, "mute", "fully"]] {
            assert!(Role::read(words.iter().map(OsString::from)).is_none(), "{words:?}");
        }
        let role = Role::read([REFEREE, "mute", "none"].map(OsString::from));
        assert!(matches!(role, Some(Role::Referee(kind, Isolation::None, _)) if kind.name == "mute"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_verifier_knows_every_kind_of_the_minimum() {
        let is_attack = |kind: &Kind| matches!(kind.behaviour, Behaviour::Attack(_));
        assert!(MINIMUM.iter().all(|name| find(name).is_some_and(is_attack)));
    }
}
