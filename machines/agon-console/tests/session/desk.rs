//! A console with a world in memory: programs are built-in bots behind their wire protocols, and files are texts.

use agon_console::{Binding, Console, Effect};
use agon_core::{Flaw, Seat, Seed};
use agon_games::{AnyGame, AnyWireBot};
use agon_referee::{MatchEvent, SeatKind};
use agon_spec::{ConsoleDocument, MatchSpec, SeatSpec};
use std::{cell::Cell, collections::BTreeMap, time::Duration};

/// How a program of the test behaves.
pub enum Behaviour {
    /// It plays as the built-in bot of this name.
    Plays(Box<dyn AnyWireBot>),
    /// It reads and never answers.
    Hangs,
    /// It answers everything with the same bytes.
    Says(Vec<u8>),
}

/// A console and its world.
pub struct Desk {
    pub console: Console,
    pub game: &'static dyn AnyGame,
    pub spec: MatchSpec,
    pub files: BTreeMap<String, Vec<u8>>,
    pub answers: Vec<ConsoleDocument>,
    pub events: Vec<MatchEvent>,
    /// Everything that programs were told.
    pub told: Vec<(Seat, String)>,
    pub starts: u32,
    pub now: Duration,
    /// How long a built-in bot thinks.
    pub thinks: Duration,
    programs: BTreeMap<usize, (u32, Behaviour)>,
    /// The bot that a program plays as, for each seat.
    pub bots: Vec<String>,
}

/// Returns a match on a generated map, for as many seats as there are words.
pub fn spec(game: &'static dyn AnyGame, seed: u64, words: &[&str]) -> MatchSpec {
    let kind = game.info().map_kinds[0].name;
    let map = game.generate(kind, Seed(seed), words.len()).expect("a map");
    let rules = game.rules("spec").expect("a rule set");
    let seats = words.iter().map(|words| SeatSpec::of_words(*words));
    MatchSpec {
        map_name: format!("gen:{kind}:{seed}"),
        seed: Seed(seed),
        ..MatchSpec::new(game.name(), rules, map, seats)
    }
}

/// Says what takes a seat: `human`, a built-in bot with `@`, or a program.
pub fn binding(game: &dyn AnyGame, words: &str) -> Binding {
    let builtin = words.strip_prefix('@').and_then(|name| game.info().bots.iter().find(|bot| bot.name == name));
    let kind = match builtin {
        Some(bot) => SeatKind::Builtin(bot.name),
        None if words == "human" => SeatKind::Human,
        None => SeatKind::Process,
    };
    Binding { name: words.into(), words: words.into(), kind }
}

impl Desk {
    /// Opens a console of the game. A word that is neither `human` nor begins with `@` is a program: `random`, `hangs` or
    /// `says TEXT`.
    pub fn open(name: &str, seed: u64, words: &[&str]) -> Self {
        let game = agon_games::find(name).expect("a game");
        Self::on(game, spec(game, seed, words), words)
    }

    /// Opens a console with this clock in every seat.
    pub fn timed(name: &str, words: &[&str], clock: &str) -> Self {
        let game = agon_games::find(name).expect("a game");
        let clock = clock.parse().expect(clock);
        Self::on(game, MatchSpec { clock, ..spec(game, 3, words) }, words)
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: Duration) {
        self.now += time;
        self.console.tick(self.now);
        self.work();
    }

    /// Opens a console of this match.
    pub fn on(game: &'static dyn AnyGame, spec: MatchSpec, words: &[&str]) -> Self {
        let bots = words.iter().map(|word| binding(game, word)).collect();
        let console = Console::new(game, spec.clone(), bots, Some(Duration::from_secs(10))).expect("a console");
        Self {
            console,
            game,
            spec,
            files: BTreeMap::new(),
            answers: Vec::new(),
            events: Vec::new(),
            told: Vec::new(),
            starts: 0,
            now: Duration::ZERO,
            thinks: Duration::ZERO,
            programs: BTreeMap::new(),
            bots: words.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    /// Gives a command and returns its answer. Time passes only if the console waits for nothing else.
    pub fn say(&mut self, line: &str) -> ConsoleDocument {
        let before = self.answers.len();
        self.console.command(self.now, before as u64, line);
        loop {
            self.work();
            if self.answers.len() > before {
                assert_eq!(self.answers.len(), before + 1, "{line} has one answer");
                return self.answers[before].clone();
            }
            self.now = self.console.deadline().unwrap_or_else(|| panic!("{line} waits for nothing"));
            self.console.tick(self.now);
        }
    }

    /// Gives a command that must be carried out.
    pub fn done(&mut self, line: &str) -> ConsoleDocument {
        let answer = self.say(line);
        assert!(answer.ok, "{line}: {:?}", answer.error);
        answer
    }

    /// Gives a command that must be refused, and returns why.
    pub fn refused(&mut self, line: &str) -> String {
        let answer = self.say(line);
        assert!(!answer.ok, "{line}: {answer:?}");
        answer.error.expect("an error").text
    }

    /// Ends the process of a seat, as if somebody had killed it.
    pub fn crash(&mut self, seat: usize) {
        let (run, _) = self.programs.remove(&seat).expect("a process");
        self.console.ended(self.now, Seat::new(seat), run, "it was killed by the signal KILL");
        self.work();
    }

    /// Lets a program write.
    pub fn write(&mut self, seat: usize, bytes: &[u8]) {
        self.write_at(self.now, seat, bytes);
    }

    /// Reports what a program wrote at this instant, which may have passed.
    pub fn write_at(&mut self, at: Duration, seat: usize, bytes: &[u8]) {
        let run = self.programs[&seat].0;
        self.console.heard(at, Seat::new(seat), run, bytes);
        self.work();
    }

    /// Does everything that the console asks of the world.
    pub fn work(&mut self) {
        while let Some(effect) = self.console.next() {
            match effect {
                Effect::Answer { id, document } => {
                    assert_eq!(id, self.answers.len() as u64, "answers come in the order of the commands");
                    self.answers.push(*document);
                }
                Effect::Record(event) => self.events.push(*event),
                Effect::Bind { seat, words } => {
                    self.bots[seat.index()].clone_from(&words);
                    let bound = if words == "nothing" {
                        Err(Flaw::new("there is no such program"))
                    } else {
                        Ok(binding(self.game, &words))
                    };
                    self.console.bind(self.now, seat, bound);
                }
                Effect::Start { seat, run } => {
                    self.starts += 1;
                    let words = &self.bots[seat.index()];
                    let behaviour = match words.as_str() {
                        "hangs" => Behaviour::Hangs,
                        words => match words.strip_prefix("says ") {
                            Some(text) => Behaviour::Says(format!("{text}\n").into_bytes()),
                            None => Behaviour::Plays(self.game.wire_bot(words, self.spec.bot_seed(seat)).expect(words)),
                        },
                    };
                    self.programs.insert(seat.index(), (run, behaviour));
                    self.console.started(self.now, seat, run, Ok(()));
                }
                Effect::Stop { seat } => drop(self.programs.remove(&seat.index())),
                Effect::Tell { seat, bytes } => {
                    self.told.push((seat, String::from_utf8_lossy(&bytes).into_owned()));
                    let Some((run, behaviour)) = self.programs.get_mut(&seat.index()) else { continue };
                    let mut said = Vec::new();
                    match behaviour {
                        Behaviour::Plays(bot) => drop(bot.hear(&bytes, &mut said)),
                        Behaviour::Hangs => {}
                        Behaviour::Says(text) => said.clone_from(text),
                    }
                    if !said.is_empty() {
                        let run = *run;
                        self.console.heard(self.now, seat, run, &said);
                    }
                }
                Effect::Think { seat } => {
                    let (from, asked) = (self.now, Cell::new(false));
                    self.now += self.thinks;
                    let until = self.now;
                    self.console.think(seat, || if asked.replace(true) { until } else { from });
                }
                Effect::Load { name } => {
                    let map = self.files.get(&name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                    self.console.loaded(self.now, map.ok_or_else(|| Flaw::new(format!("there is no file `{name}`"))));
                }
                Effect::Save { what, name, bytes } => {
                    self.files.insert(name, bytes);
                    self.console.saved(self.now, what, Ok(()));
                }
                Effect::Quit => self.programs.clear(),
            }
        }
    }

    /// Compares the position with a straight replay of its line of play, and with the replay of the whole session.
    pub fn check(&mut self) {
        let mark = self.console.position().fingerprint();
        let (map, state, turns) = self.console.line_of_play();
        let mut rerun = self
            .game
            .rerun(&MatchSpec { map: map.into(), state: state.clone(), ..self.spec.clone() })
            .expect("the base");
        for record in turns {
            rerun.step(record).expect("a lawful turn");
        }
        assert_eq!(rerun.board().fingerprint(), mark, "the line of play");
        self.done("save replay s.jsonl");
        let verified = agon_replay::verify(&*self.files["s.jsonl"], |spec| self.game.rerun(spec));
        assert_eq!(verified.expect("the replay reproduces").fingerprint, mark, "the replay");
        assert_eq!(self.answers.last().and_then(|answer| answer.file.as_deref()), Some("s.jsonl"));
    }

    /// Returns a lawful decision of a seat, chosen by a number.
    pub fn decision(&self, seat: Seat, choice: usize) -> String {
        let mut bot = self.game.bot("random", Seed(choice as u64)).expect("every game has it");
        let orders = bot.decide(self.console.position(), seat).expect("a decision");
        serde_json::to_string(&orders).expect("JSON")
    }
}
