//! The order of the bots before the first match, from the result of an earlier tournament.

use crate::{Seeds, TournamentError, TournamentFile, export, tournament::wait};
use agon_spec::TournamentDocument;
use agon_stats::Rating;
use agon_store::{Records, Snapshot, SqliteReader, Store};
use agon_tourney::{Entrant, Seeding, Spec};
use serde::de::DeserializeOwned;
use std::{fs, path::Path};

/// The name of the snapshot that has the order with which a tournament began.
const SEEDING: &str = "seeding";
/// The name of the snapshot that has the ratings with which a ladder began.
const RATINGS: &str = "ratings";

/// The order of the bots of a tournament by an earlier result.
#[derive(Clone, PartialEq, Debug)]
pub struct EarlierOrder {
    /// The numbers of the bots, from 0, the best one first. Those of which the result knows nothing are last, in the
    /// order of the file.
    pub order: Vec<u32>,
    /// The names of the bots of which the result knows nothing.
    pub unknown: Vec<String>,
    /// What the result knows about the strength of each bot, in the order of the file. Empty if it is not that of a
    /// ladder.
    pub ratings: Vec<Rating>,
}

impl EarlierOrder {
    /// Reads the result that a file names: a store, or an export as JSON. `None` if the file names none.
    ///
    /// # Errors
    /// If the result cannot be read.
    pub fn read(file: &TournamentFile) -> Result<Option<Self>, TournamentError> {
        let Some(path) = &file.seeded_by else { return Ok(None) };
        let wrong = |why: String| TournamentError::Seeding { path: path.clone(), why };
        let document = document(path).map_err(wrong)?;
        let rows = || document.standings.iter();
        let ranked = rows().filter_map(|row| file.bots.iter().position(|bot| bot.name == row.bot));
        let mut order: Vec<usize> = Vec::new();
        for bot in ranked {
            if !order.contains(&bot) {
                order.push(bot);
            }
        }
        let last: Vec<usize> = (0..file.bots.len()).filter(|bot| !order.contains(bot)).collect();
        let unknown = last.iter().map(|bot| file.bots[*bot].name.clone()).collect();
        order.extend(last);
        let rating = |name: &str| {
            let known = rows().find(|row| row.bot == name).and_then(|row| row.rating);
            known.map_or_else(Rating::default, |rating| Rating { mean: rating.mean, deviation: rating.deviation })
        };
        let ratings = match rows().any(|row| row.rating.is_some()) {
            true => file.bots.iter().map(|bot| rating(&bot.name)).collect(),
            false => Vec::new(),
        };
        let found = Self { order: order.into_iter().map(|bot| bot as u32).collect(), unknown, ratings };
        // What somebody has written by hand may be impossible.
        found.of(file.spec(1)).check().map_err(|flaw| wrong(flaw.what))?;
        Ok(Some(found))
    }

    /// Returns the tournament with this order, and a ladder also with these ratings.
    #[must_use]
    pub fn of(&self, spec: Spec) -> Spec {
        Spec {
            seeding: Seeding::Given(self.order.iter().copied().map(Entrant).collect()),
            ratings: if spec.kind.is_rated() { self.ratings.clone() } else { Vec::new() },
            ..spec
        }
    }
}

fn document(path: &Path) -> Result<TournamentDocument, String> {
    if path.extension().is_some_and(|end| end == "agon") {
        let store = SqliteReader::open(path).map_err(|why| why.to_string())?;
        // It may be played meanwhile.
        store.freeze().map_err(|why| why.to_string())?;
        return export(&store).map_err(|why| why.to_string());
    }
    let text = fs::read_to_string(path).map_err(|why| agon_play::system_words(&why))?;
    serde_json::from_str(&text).map_err(|why| format!("this is no export of a tournament: {why}"))
}

/// Keeps the order with which a tournament begins, so that a later change of the other result changes nothing.
pub(crate) fn keep(store: &impl Store, earlier: &EarlierOrder) -> Result<(), TournamentError> {
    let order = serde_json::to_string(&earlier.order).unwrap_or_default();
    wait(store, store.keep(SEEDING, Snapshot { after: 0, text: order }))?;
    let ratings = serde_json::to_string(&earlier.ratings).unwrap_or_default();
    Ok(wait(store, store.keep(RATINGS, Snapshot { after: 0, text: ratings }))?)
}

fn kept<T: DeserializeOwned>(records: &impl Records, name: &str) -> Result<Option<T>, TournamentError> {
    Ok(records.snapshot(name)?.and_then(|kept| serde_json::from_str(&kept.text).ok()))
}

/// Returns the specification of a tournament that began with this file, with the order that was kept.
pub(crate) fn spec(records: &impl Records, first: &TournamentFile, maps: usize) -> Result<Spec, TournamentError> {
    let spec = Spec { key: Seeds::read(records)?.key(first), ..first.spec(maps) };
    let Some(path) = &first.seeded_by else { return Ok(spec) };
    let missing =
        || TournamentError::Seeding { path: path.clone(), why: "the store has not kept its order".to_owned() };
    let order = kept(records, SEEDING)?.ok_or_else(missing)?;
    let ratings = kept(records, RATINGS)?.ok_or_else(missing)?;
    Ok(EarlierOrder { order, unknown: Vec::new(), ratings }.of(spec))
}
