//! Tournaments of two bots, played for a bench in a folder that is removed afterwards.

use super::{Effort, bot::Behaviour, duel::interrupted};
use agon_cli::{
    clean::{clean, shell_word},
    error::{Error, Result, reason},
};
use agon_play::{CorePlacement, Helper};
use agon_sandbox::TemporaryFolder;
use agon_store::{Records, Sqlite};
use agon_tournament::{Field, RunEnd, RunOptions, Tournament, TournamentError, TournamentEvent, TournamentFile};
use std::{
    cell::Cell,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// What the names of its folders begin with.
const PREFIX: &str = "agon-bench-cup-";

/// The bots of a tournament.
#[derive(Clone, Copy, Debug)]
pub enum Players {
    /// Two built-in bots with these names.
    Builtin([&'static str; 2]),
    /// Two processes in the strongest sandbox that works here. They answer `go` at once.
    Instant,
}

/// A tournament of two bots.
#[derive(Clone, Debug)]
pub struct Cup {
    game: &'static str,
    players: Players,
    map: &'static str,
    limit: Option<u32>,
    replays: &'static str,
    /// The number of rounds. Each has two matches, in exchanged seats.
    rounds: u32,
}

impl Cup {
    pub fn new(game: &'static str, players: Players, map: &'static str) -> Self {
        Self { game, players, map, limit: None, replays: "all", rounds: 1 }
    }

    /// Ends matches after this many turns.
    pub fn limit(self, turns: u32) -> Self {
        Self { limit: Some(turns), ..self }
    }

    /// Plays this many matches, which is an even number.
    pub fn matches(self, count: u32) -> Self {
        Self { rounds: count / 2, ..self }
    }

    /// Says which replays are kept, in the words of the file.
    pub fn replays(self, replays: &'static str) -> Self {
        Self { replays, ..self }
    }

    /// Returns the number of matches.
    pub fn count(&self) -> u32 {
        2 * self.rounds
    }

    /// Returns the file of the tournament.
    pub fn text(&self) -> String {
        let Self { game, map, replays, rounds, .. } = self;
        let mut text =
            format!("game = \"{game}\"\nseed = 7\nmaps = [\"{map}\"]\nreplays = \"{replays}\"\nrounds = {rounds}\n");
        if let Some(limit) = self.limit {
            text += &format!("limit = {limit}\n");
        }
        for (name, run) in ["one", "two"].into_iter().zip(self.words()) {
            let run = serde_json::Value::from(run);
            text += &format!("[[bot]]\nname = \"{name}\"\nrun = {run}\n");
        }
        text
    }

    fn words(&self) -> [String; 2] {
        match self.players {
            Players::Builtin(names) => names.map(|name| format!("@{name}")),
            Players::Instant => {
                let words = Behaviour::Go.command().unwrap_or_default();
                let words: Vec<String> = words.iter().map(|word| shell_word(Path::new(word))).collect();
                [words.join(" "), words.join(" ")]
            }
        }
    }

    /// Plays the tournament in a new store. Returns how long the run took.
    ///
    /// # Errors
    /// The tournament cannot be played, or the user pressed Ctrl-C.
    pub fn play(
        &self,
        effort: &Effort,
        folder: &Folder,
        at_once: usize,
        events: &mut dyn FnMut(&TournamentEvent),
    ) -> Result<Duration> {
        self.play_whole(effort, folder, at_once, events).map(|(took, _)| took)
    }

    /// Plays the tournament and returns its table as a store has it.
    ///
    /// # Errors
    /// The same as those of [`Cup::play`].
    pub fn standings(&self, effort: &Effort, folder: &Folder) -> Result<String> {
        self.play_whole(effort, folder, 1, &mut |_| ()).map(|(_, standings)| standings)
    }

    fn play_whole(
        &self,
        effort: &Effort,
        folder: &Folder,
        at_once: usize,
        events: &mut dyn FnMut(&TournamentEvent),
    ) -> Result<(Duration, String)> {
        let path = folder.store();
        let played = self.play_in(effort, &path, at_once, events)?;
        clear(&path);
        Ok(played)
    }

    /// Opens the tournament in the store at `path`, which may be new. Returns how long that took without the bots.
    ///
    /// # Errors
    /// The tournament cannot be opened.
    pub fn open(&self, effort: &Effort, path: &Path) -> Result<(Duration, Tournament<Sqlite>)> {
        let text = self.text();
        let file = TournamentFile::parse(&text).map_err(|flaw| Error::user(flaw.to_string()))?;
        let field = Field::prepare(&file, &Helper::ThisProgram, &effort.cancel, &mut |_| ()).map_err(of_tournament)?;
        let begin = Instant::now();
        let tournament = Tournament::open(Sqlite::open(path)?, &text, file, field).map_err(of_tournament)?;
        Ok((begin.elapsed(), tournament))
    }

    /// Plays the tournament in the store at `path`. Returns how long the run took, and the table as the store has it.
    ///
    /// # Errors
    /// The same as those of [`Cup::play`].
    pub fn play_in(
        &self,
        effort: &Effort,
        path: &Path,
        at_once: usize,
        events: &mut dyn FnMut(&TournamentEvent),
    ) -> Result<(Duration, String)> {
        let (_, mut tournament) = self.open(effort, path)?;
        let at_once = NonZeroUsize::new(at_once).unwrap_or(NonZeroUsize::MIN);
        let options = RunOptions { at_once, cancel: effort.cancel.clone(), placement: CorePlacement::Dense };
        let (begin, mut faults) = (Instant::now(), 0);
        let ended = tournament.run(&options, &mut |event| {
            if let TournamentEvent::Match { result, .. } = &event {
                faults += result.seats.iter().filter(|seat| seat.fault.is_some()).count();
            }
            events(&event);
        });
        let took = begin.elapsed();
        if ended.map_err(of_tournament)? == RunEnd::Interrupted {
            return Err(interrupted());
        }
        if faults > 0 {
            return Err(Error::user(format!("bots of the bench failed {faults} times, so nothing was measured")));
        }
        let table = tournament.store().snapshot("standings")?;
        tournament.into_store().close()?;
        Ok((took, table.map(|table| table.text).unwrap_or_default()))
    }
}

/// A folder for stores, which is removed with everything in it.
#[derive(Debug)]
pub struct Folder {
    folder: TemporaryFolder,
    /// The number of stores so far.
    stores: Cell<u32>,
}

impl Folder {
    /// Creates the folder in the temporary folder.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn new() -> Result<Self> {
        let place = std::env::temp_dir();
        TemporaryFolder::sweep(&place, PREFIX);
        let folder = TemporaryFolder::new(&place, PREFIX, 0o700)
            .map_err(|why| Error::user(format!("cannot create a folder: {}", reason(&why))))?;
        Ok(Self { folder, stores: Cell::new(0) })
    }

    /// Returns a path for a new store.
    pub fn store(&self) -> PathBuf {
        self.stores.set(self.stores.get() + 1);
        self.folder.path().join(format!("{}.agon", self.stores.get()))
    }
}

/// Removes a store, so that stores do not fill the disk.
pub fn clear(store: &Path) {
    // The folder is removed in the end, whatever is in it.
    let _ = fs::remove_file(store);
}

/// Converts an error of a tournament.
pub fn of_tournament(why: TournamentError) -> Error {
    Error::user(clean(&why.to_string()))
}
