//! Plays single matches of a tournament whose store is on another machine.

use crate::{
    Field, Replays, TournamentError, TournamentFile,
    played::{Manner, MatchEnd},
    recheck::{by_playing, by_rules},
};
use agon_core::Derivation;
use agon_play::{Cancel, CorePlacement, HostHistory};
use agon_spec::WorkerFound;
use agon_store::{BlobHash, PlannedMatch, RecordedResult};
use std::{num::NonZeroUsize, sync::atomic::AtomicU32};

/// Plays matches of a tournament for somebody else, who draws them and keeps their results. Any number of threads may use it at the
/// same time.
pub struct Player {
    field: Field,
    host: HostHistory,
    placements: Vec<CorePlacement>,
    cores: Option<u32>,
    ponder: bool,
    replays: Replays,
    versions: Vec<u32>,
}

/// What became of a match that a [`Player`] has played.
#[derive(Clone, PartialEq, Debug)]
pub enum PlayerEnd {
    /// The match is over, or the host spoilt it again and again, as the ending of the result says.
    Over {
        /// The result.
        result: Box<RecordedResult>,
        /// The bytes of the replay and the log that the result names.
        files: Vec<Vec<u8>>,
        /// Why each earlier attempt has no result, the first one first.
        spoilt: Vec<String>,
    },
    /// Bots could not be started here, although they were once: their numbers, each with the reason. On another machine they may
    /// start, so nobody has lost.
    NotStarted(Vec<(u32, String)>),
    /// The match was cancelled.
    Cancelled,
}

impl Player {
    /// Gets ready to play up to `at_once` matches of this file at the same time. `seeds` says how seeds follow from that of a match,
    /// and `versions` has the version of each bot, which results name.
    #[must_use]
    pub fn new(
        file: &TournamentFile,
        mut field: Field,
        seeds: Derivation,
        versions: Vec<u32>,
        at_once: NonZeroUsize,
        placement: &CorePlacement,
    ) -> Self {
        field.begun(seeds);
        let (host, placements) = (HostHistory::default(), placement.divided(at_once));
        let (cores, ponder, replays) = (file.cores, file.ponder, file.replays);
        Self { field, host, placements, cores, ponder, replays, versions }
    }

    /// Returns the bots and the maps.
    #[must_use]
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// Returns whether there are all bots and the map that a match needs, and each of these bots can be started.
    #[must_use]
    pub fn has(&self, planned: &PlannedMatch) -> bool {
        let bots = self.field.bots();
        let is_there = |bot: &u32| {
            let number = *bot as usize;
            number < self.versions.len() && bots.get(number).is_some_and(|bot| bot.ready.is_ok())
        };
        planned.bots.len() == self.field.seats()
            && planned.bots.iter().all(is_there)
            && (planned.map as usize) < self.field.map_count()
    }

    /// Plays a match. `worker` is the number of the thread, from 0, whose cores it uses. `turn` has the turn in which it is, from 1,
    /// and 0 while its bots start. The second stage of `cancel` breaks it off.
    ///
    /// # Errors
    /// If no match can be played, or a bot is another one than was prepared. [`Player::has`] must be `true` of the match.
    pub fn play(
        &self,
        worker: usize,
        planned: &PlannedMatch,
        cancel: &Cancel,
        turn: &AtomicU32,
    ) -> Result<PlayerEnd, TournamentError> {
        let manner = self.manner(worker, cancel);
        let mut files = Vec::new();
        let mut pack = |bytes: Vec<u8>| {
            let hash = BlobHash::of(&bytes);
            files.push(bytes);
            Ok(hash)
        };
        Ok(match manner.play_to_the_end(planned, cancel, Some(turn), &mut pack)? {
            MatchEnd::Over { result, spoilt } => PlayerEnd::Over { result: Box::new(result), files, spoilt },
            MatchEnd::NotStarted { seats, .. } => {
                let of_bot = |(seat, why): (agon_core::Seat, String)| Some((*planned.bots.get(seat.index())?, why));
                PlayerEnd::NotStarted(seats.into_iter().filter_map(of_bot).collect())
            }
            MatchEnd::Cancelled => PlayerEnd::Cancelled,
        })
    }

    /// Finds out again how a match has ended that another machine has played: from its replay, by the rules, or by playing it
    /// again if its bots cannot depend on time. `worker` and `cancel` are those of [`Player::play`], and [`Player::has`] must be
    /// `true` of the match.
    #[must_use]
    pub fn check(&self, worker: usize, planned: &PlannedMatch, replay: Option<&[u8]>, cancel: &Cancel) -> WorkerFound {
        match replay {
            Some(replay) => by_rules(&self.field, planned, replay),
            None => by_playing(&Manner { replays: Replays::None, ..self.manner(worker, cancel) }, planned, cancel),
        }
    }

    fn manner<'a>(&'a self, worker: usize, cancel: &'a Cancel) -> Manner<'a> {
        Manner {
            field: &self.field,
            host: &self.host,
            cancel,
            placement: &self.placements[worker % self.placements.len()],
            cores: self.cores,
            ponder: self.ponder,
            replays: self.replays,
            versions: &self.versions,
        }
    }
}

impl Field {
    /// Returns the names of the maps, in the order of their numbers.
    pub fn map_names(&self) -> impl Iterator<Item = &str> {
        self.maps().iter().map(crate::field::FieldMap::name)
    }

    /// Returns the name of the bot with this number. `None` if there is none.
    #[must_use]
    pub fn name_of(&self, number: u32) -> Option<&str> {
        self.bots().get(number as usize).map(|bot| bot.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_play::Helper;
    use agon_store::Ending;
    use std::sync::atomic::Ordering;

    const FILE: &str = "game = \"grid\"\nlimit = 30\n[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"b\"\nrun = \"@greedy\"\n";

    fn player(keys: &str) -> Player {
        let file = TournamentFile::parse(&format!("{keys}{FILE}")).expect("it is a tournament");
        let cancel = Cancel::new().expect("a flag");
        let field = Field::prepare(&file, &Helper::ThisProgram, &cancel, &mut |_| ()).expect("bots of our own");
        Player::new(&file, field, Derivation::Keyed, vec![3, 4], NonZeroUsize::MIN, &CorePlacement::Anywhere)
    }

    fn planned(bots: Vec<u32>) -> PlannedMatch {
        PlannedMatch { id: 1, round: 1, seed: 5, map_seed: 6, bots, ..PlannedMatch::default() }
    }

    fn play(player: &Player, bots: Vec<u32>) -> (RecordedResult, Vec<Vec<u8>>, u32) {
        let (cancel, turn) = (Cancel::new().expect("a flag"), AtomicU32::new(0));
        match player.play(0, &planned(bots), &cancel, &turn).expect("it can be played") {
            PlayerEnd::Over { result, files, .. } => (*result, files, turn.load(Ordering::Relaxed)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_turns_are_told_whatever_is_kept() {
        let mut results = Vec::new();
        for (keys, kept) in [("", 1), ("replays = \"faults\"\n", 0), ("replays = \"none\"\n", 0)] {
            let (result, files, turn) = play(&player(keys), vec![1, 0]);
            assert_eq!((files.len(), turn), (kept, result.plies + 1), "{keys}");
            assert_eq!(result.replay, files.first().map(|file| BlobHash::of(file)), "{keys}");
            assert_eq!(result.seats.iter().map(|seat| seat.version).collect::<Vec<_>>(), [4, 3]);
            results.push(result);
        }
        assert!(results.iter().all(|result| result.agrees(&results[0]) && result.ending == Ending::Finished));
    }

    #[test]
    fn a_match_of_a_bot_that_is_not_there_is_not_played() {
        let player = player("");
        assert!(player.has(&planned(vec![0, 1])) && player.has(&planned(vec![1, 1])));
        assert!(
            !player.has(&planned(vec![0, 2])) && !player.has(&planned(vec![0])) && !player.has(&planned(vec![0, 1, 0]))
        );
        assert!(!player.has(&PlannedMatch { map: 1, ..planned(vec![0, 1]) }));
        assert!(player.field().map_names().eq(["gen"]));
    }

    #[test]
    fn a_match_that_is_broken_off_has_no_result() {
        let (cancel, turn) = (Cancel::new().expect("a flag"), AtomicU32::new(0));
        cancel.kill();
        let end = player("").play(0, &planned(vec![0, 1]), &cancel, &turn).expect("it is no error");
        assert_eq!(end, PlayerEnd::Cancelled);
    }
}
