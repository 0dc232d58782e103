//! Matches of instant bots.

use super::{boards::spec, bot::Behaviour};
use agon_cli::{
    clean::clean,
    error::{Error, Result, reason},
    exit::Exit,
};
use agon_games::{AnyGame, TypedGame};
use agon_referee::{MatchEvent, Recording, SeatKind, Settings};
use agon_run::{CancelFlag, Chunk, Ended, Launch, Options, Outcome, Program, play};
use agon_sandbox::Confinement;
use agon_spec::{Isolation, MatchSpec};
use agon_toy::Position as Toy;

static TOY: TypedGame<Toy> = TypedGame::new();

/// A match of two instant bots. It can be played many times, each time by fresh processes.
#[derive(Clone)]
pub struct Duel {
    game: &'static dyn AnyGame,
    spec: MatchSpec,
    kinds: Vec<SeatKind>,
    launches: Vec<Launch>,
    /// Whether the bots share a core, so that each is stopped while it is not asked.
    in_turn: bool,
}

impl Duel {
    /// Returns a match of the toy game with `turns` turns. Lines have 16 bytes in both directions.
    pub fn toy(turns: u32) -> Result<Self> {
        // The heap is so large that its number always has seven digits.
        Self::new(&TOY, "heap 9999999\nmost 99\n".to_owned(), turns, Behaviour::Toy)
    }

    /// Returns the same match with another instant bot in seat 1.
    pub fn toy_of(turns: u32, behaviour: Behaviour) -> Result<Self> {
        let mut duel = Self::toy(turns)?;
        let words = behaviour.command().map_err(|why| Error::user(format!("cannot find myself: {}", reason(&why))))?;
        duel.launches[0] = Launch::Program(Program::new(words));
        Ok(duel)
    }

    /// Returns a match of Planet Wars on this map with `turns` turns. No bot ever attacks.
    pub fn planet_wars(map: String, turns: u32) -> Result<Self> {
        Self::new(agon_cli::game::find("planet-wars")?, map, turns, Behaviour::Go)
    }

    fn new(game: &'static dyn AnyGame, map: String, turns: u32, behaviour: Behaviour) -> Result<Self> {
        let words = behaviour.command().map_err(|why| Error::user(format!("cannot find myself: {}", reason(&why))))?;
        Ok(Self {
            game,
            spec: spec(game, map, 2, Some(turns)),
            kinds: vec![SeatKind::Process; 2],
            launches: vec![Launch::Program(Program::new(words)); 2],
            in_turn: false,
        })
    }

    /// Changes parts of the clock, in the syntax of `--time`.
    pub fn timed(mut self, parts: &str) -> Result<Self> {
        self.spec.clock = self.spec.clock.amended(parts)?;
        Ok(self)
    }

    /// Stops each bot while it is not asked, as in a match whose bots share a core.
    pub fn in_turn(mut self) -> Self {
        self.in_turn = true;
        self
    }

    /// Puts every process into a sandbox of this level.
    pub fn confined(mut self, level: Isolation) -> Self {
        for launch in &mut self.launches {
            if let Launch::Program(program) = launch {
                let read = program.find().into_iter().collect();
                program.sandbox = Some(Confinement { read, ..Confinement::new(level) });
            }
        }
        self
    }

    /// Replaces all instant bots by this program.
    #[cfg(feature = "wasm")]
    pub fn played_by(mut self, program: &Program) -> Self {
        self.launches.fill(Launch::Program(program.clone()));
        self
    }

    /// Puts a built-in bot into seat 2.
    pub fn against_builtin(mut self) -> Self {
        self.kinds[1] = SeatKind::Builtin(self.game.info().bots[0].name);
        self.launches[1] = Launch::Builtin;
        self
    }

    /// Plays the match and records only the result.
    ///
    /// # Errors
    /// The match cannot be played to its end.
    pub fn play(&self, cancel: &CancelFlag, options: Options<'_>) -> Result<Outcome> {
        self.run(Recording::Result, &mut |_| {}, cancel, options)
    }

    /// Plays the match and passes every turn with its orders and times to `observer`.
    ///
    /// # Errors
    /// The match cannot be played to its end.
    pub fn watch(&self, cancel: &CancelFlag, observer: &mut dyn FnMut(&MatchEvent)) -> Result<Outcome> {
        self.run(Recording::Orders, observer, cancel, Options::default())
    }

    fn run(
        &self,
        recording: Recording,
        observer: &mut dyn FnMut(&MatchEvent),
        cancel: &CancelFlag,
        options: Options<'_>,
    ) -> Result<Outcome> {
        let settings = Settings { recording, freeze: self.in_turn, in_turn: self.in_turn, ..Settings::default() };
        let mut machine = self.game.referee(&self.spec, &self.kinds, settings)?;
        let outcome = play(&mut *machine, &self.launches, observer, cancel, options)
            .map_err(|why| Error::user(format!("cannot run the match: {}", reason(&why))))?;
        match &outcome.ended {
            Ended::Finished => Ok(outcome),
            Ended::Interrupted => Err(interrupted()),
            Ended::Short(shortage) => Err(Error::from(agon_play::Error::Short(*shortage))),
            Ended::NeverStarted(seats) => {
                let why = seats.first().map_or_else(String::new, |(_, why)| clean(&why.to_string()));
                Err(Error::user(format!("an instant bot could not be started: {why}")).exit(Exit::NotStarted))
            }
        }
    }

    /// Plays the match and checks that no bot failed, so that every turn was asked and answered.
    ///
    /// # Errors
    /// The same as those of [`Duel::play`]. Also, a bot failed.
    pub fn play_through(&self, cancel: &CancelFlag, options: Options<'_>) -> Result<Outcome> {
        let outcome = self.play(cancel, options)?;
        match outcome.seats.iter().find_map(|seat| seat.fault.as_ref()) {
            None => Ok(outcome),
            Some(record) => Err(Error::user(format!(
                "an instant bot failed in turn {}, so nothing was measured: {}",
                record.ply,
                clean(&record.fault.to_string())
            ))),
        }
    }

    /// Returns the prompt for turn `ply`, which must be a turn of seat 1.
    ///
    /// # Errors
    /// The same as those of [`Duel::play_through`].
    pub fn prompt(&self, cancel: &CancelFlag, ply: u32) -> Result<Vec<u8>> {
        let mut prompt = Vec::new();
        let mut keep = |chunk: Chunk<'_>| {
            if chunk.ply == ply && chunk.seat.index() == 0 && chunk.stream == agon_run::Stream::In {
                prompt.extend_from_slice(chunk.bytes);
            }
        };
        self.play_through(cancel, Options { transcript: Some(&mut keep), ..Options::default() })?;
        Ok(prompt)
    }
}

/// Returns the error of a bench that Ctrl-C has ended.
pub fn interrupted() -> Error {
    Error::user("interrupted, no figures").exit(Exit::Interrupted)
}
