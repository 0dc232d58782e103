//! What workers on other machines fetch of a tournament.

use crate::{Replays, Tournament, TournamentError, TournamentFile, tournament::wait};
use agon_bundle::{BundleError, BundlePlan, PIECE, PieceHash, PieceSink, store_bundle};
use agon_core::Flaw;
use agon_spec::{WorkerField, WorkerFieldBot, WorkerFieldMap, WorkerReplays};
use agon_store::{Artefact, Blob, BlobHash, Store, StoreError, Ticket};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    time::Duration,
};

/// How many pieces may be on their way to the disk.
const UNDERWAY: usize = 4;
/// What a turn may take longer than its clock allows, because of the host.
const SLACK: Duration = Duration::from_secs(60);

/// What workers on other machines fetch of a tournament.
pub struct Stock {
    /// What they need to make its folder anew.
    pub field: WorkerField,
    /// The maps that are files.
    pub maps: BTreeMap<BlobHash, Vec<u8>>,
    /// The bundles of bots. Their pieces are in the store.
    pub bundles: BTreeMap<BlobHash, Artefact>,
}

impl Stock {
    /// Returns the piece of a bundle in which the byte `from` is, and how many bytes of it come before.
    #[must_use]
    pub fn piece_at(from: u64) -> (usize, usize) {
        let piece = PIECE as u64;
        (usize::try_from(from / piece).unwrap_or(usize::MAX), (from % piece) as usize)
    }
}

impl<S: Store> Tournament<S> {
    /// Puts the bundles of the bots into the store, in the order of the file with this text, and tells what workers fetch. `None`
    /// stands for a bot that does not travel, and of which no match is played.
    ///
    /// # Errors
    /// If the files of a bot have changed since its bundle was planned, or the store cannot be used.
    pub fn stock(&self, text: &str, plans: &[Option<BundlePlan>]) -> Result<Stock, TournamentError> {
        let (mut bots, mut bundles) = (Vec::new(), BTreeMap::new());
        for ((number, bot), version) in (0..).zip(&self.file.bots).zip(&self.versions) {
            let plan = plans.get(number as usize).and_then(Option::as_ref).filter(|plan| plan.files().len() > 0);
            let artefact = plan.map(|plan| self.put_bundle(&bot.name, plan)).transpose()?;
            bots.push(WorkerFieldBot {
                number,
                name: bot.name.clone(),
                bundle: artefact.as_ref().map(|artefact| artefact.hash.hex()),
                size: artefact.as_ref().map_or(0, |artefact| artefact.size),
                version: *version,
            });
            bundles.extend(artefact.map(|artefact| (artefact.hash, artefact)));
        }
        let (mut maps, mut texts) = (Vec::new(), BTreeMap::new());
        for map in self.store.maps()? {
            if let Some(hash) = map.content {
                let lost = || StoreError::Blob(format!("the map `{}` is missing", map.name));
                texts.insert(hash, self.store.get(hash)?.ok_or_else(lost)?);
            }
            maps.push(WorkerFieldMap { name: map.name, blob: map.content.map(|hash| hash.hex()) });
        }
        let versions: u64 = self.versions.iter().map(|version| u64::from(*version)).sum();
        let files = self.store.files()?;
        let begun = files.first().map_or(0, |file| file.at_ms.max(0).unsigned_abs());
        let field = WorkerField {
            // All three only rise, and a tournament that begins anew begins later.
            edition: (begun << 16) + versions + files.len() as u64,
            file: without_seed(text)?,
            bots,
            maps,
            derivation: self.seeds()?.derivation(),
            replays: match self.file.replays {
                Replays::All => WorkerReplays::All,
                Replays::Faults => WorkerReplays::Faults,
                Replays::None => WorkerReplays::None,
            },
        };
        Ok(Stock { field, maps: texts, bundles })
    }

    /// Stores a bundle, unless it is there, one piece after the other.
    fn put_bundle(&self, bot: &str, plan: &BundlePlan) -> Result<Artefact, TournamentError> {
        let hash = BlobHash::from_bytes(*plan.hash().bytes());
        if let Some(artefact) = self.store.artefact(hash)? {
            return Ok(artefact);
        }
        let mut sink = StoreSink { store: &self.store, underway: VecDeque::new(), failed: None };
        let stored = store_bundle(&mut sink, plan);
        let finished = sink.finish();
        let stored = stored.map_err(|why| match sink_failure(&finished) {
            Some(failed) => failed.into(),
            None => cannot_pack(bot, &why),
        })?;
        finished?;
        let pieces = stored.pieces.iter().map(|piece| BlobHash::from_bytes(*piece.bytes())).collect();
        let artefact = Artefact { hash, size: stored.size, pieces };
        wait(&self.store, self.store.add_artefact(artefact.clone()))?;
        Ok(artefact)
    }

    /// Returns the longest time that a turn of a match may take, with what the host may take from it. `None` if bots may think as
    /// long as they like.
    #[must_use]
    pub fn longest_turn(&self) -> Option<Duration> {
        let seats = self.field.bots().iter().filter_map(|bot| bot.ready.as_ref().ok()).map(|ready| &ready.seat);
        let clocks = seats.map(|seat| seat.clock.unwrap_or_else(|| self.field.clock()));
        let longest = clocks.map(|clock| {
            let turn = match (clock.hard, clock.bank) {
                (None, None) => return None,
                (hard, bank) => {
                    let bank = bank.map(|bank| bank + clock.increment);
                    hard.into_iter().chain(bank).min().unwrap_or_default() + clock.first
                }
            };
            let greeting = clock.greeting.unwrap_or(turn);
            // Of time that is measured as CPU time, more may go by.
            Some(agon_core::ClockPolicy::patience(turn.max(greeting)))
        });
        let longest: Vec<Duration> = longest.collect::<Option<_>>()?;
        longest.into_iter().max().map(|longest| longest + SLACK)
    }
}

fn sink_failure(finished: &Result<(), StoreError>) -> Option<StoreError> {
    finished.as_ref().err().cloned()
}

fn cannot_pack(bot: &str, why: &BundleError) -> TournamentError {
    TournamentError::Schedule(Flaw::new(format!("{bot} cannot be packed for other machines: {why}")))
}

/// Puts pieces into a store.
struct StoreSink<'a, S> {
    store: &'a S,
    underway: VecDeque<Ticket<BlobHash>>,
    failed: Option<StoreError>,
}

impl<S: Store> StoreSink<'_, S> {
    fn settle(&mut self, left: usize) {
        while self.underway.len() > left
            && let Some(ticket) = self.underway.pop_front()
        {
            self.store.hurry();
            if let Err(why) = ticket.wait() {
                self.failed.get_or_insert(why);
            }
        }
    }

    fn finish(&mut self) -> Result<(), StoreError> {
        self.settle(0);
        self.failed.take().map_or(Ok(()), Err)
    }
}

impl<S: Store> PieceSink for StoreSink<'_, S> {
    fn put(&mut self, piece: &[u8]) -> io::Result<PieceHash> {
        let blob = Blob::new(piece).map_err(io::Error::other)?;
        let hash = PieceHash::from_bytes(*blob.hash().bytes());
        self.underway.push_back(self.store.put(blob));
        self.settle(UNDERWAY);
        if self.failed.is_some() { Err(io::Error::other("the store takes no more")) } else { Ok(hash) }
    }
}

/// Takes the seed out of the text of a tournament: whoever knows it can compute the seeds of all matches.
fn without_seed(text: &str) -> Result<String, TournamentError> {
    let is_seed = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        line.contains('=') && key == "seed"
    };
    let mut in_table = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        in_table |= line.trim_start().starts_with('[');
        in_table || !is_seed(line)
    });
    let kept: String = kept.collect();
    match TournamentFile::parse(&kept) {
        Ok(file) if file.seed.is_none() => Ok(kept),
        _ => {
            let flaw = Flaw::new("the key `seed` cannot be taken out for other machines");
            Err(TournamentError::Schedule(flaw.hint("write it on a line of its own, before the first `[[bot]]`")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_stays_at_home() {
        let bots = "[[bot]]\nname = \"a\"\nrun = \"@random\"\n[[bot]]\nname = \"b\"\nrun = \"@random\"\n";
        for (head, kept) in [
            ("game = \"grid\"\nseed = 7\nlimit = 30\n", "game = \"grid\"\nlimit = 30\n"),
            ("game = \"grid\"\n  \"seed\"=7 # luck\n", "game = \"grid\"\n"),
            ("game = \"grid\" # seed = 7\n", "game = \"grid\" # seed = 7\n"),
            ("seeding = \"list\"\ngame = \"grid\"\n", "seeding = \"list\"\ngame = \"grid\"\n"),
        ] {
            let text = without_seed(&format!("{head}{bots}")).expect("it can be taken out");
            assert_eq!(text, format!("{kept}{bots}"));
        }
    }

    #[test]
    fn a_byte_is_found_in_its_piece() {
        let piece = PIECE as u64;
        for (from, place) in [(0, (0, 0)), (5, (0, 5)), (piece, (1, 0)), (3 * piece + 7, (3, 7))] {
            assert_eq!(Stock::piece_at(from), place);
        }
    }
}
