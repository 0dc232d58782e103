//! The order of the bots before the first match, from the result of an earlier tournament.

use crate::{TournamentError, TournamentFile, export};
use agon_spec::TournamentDocument;
use agon_store::{Records, Snapshot, SqliteReader, Store};
use agon_tourney::{Entrant, Seeding, Spec};
use std::{fs, path::Path};

/// The name of the snapshot that has the order with which a tournament began.
const SEEDING: &str = "seeding";

/// The order of the bots of a tournament by an earlier result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlierOrder {
    /// The numbers of the bots, from 0, the best one first. Those of which the result knows nothing are last, in the order of
    /// the file.
    pub order: Vec<u32>,
    /// The names of the bots of which the result knows nothing.
    pub unknown: Vec<String>,
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
        let ranked = document.standings.iter().filter_map(|row| file.bots.iter().position(|bot| bot.name == row.bot));
        let mut order: Vec<usize> = Vec::new();
        for bot in ranked {
            if !order.contains(&bot) {
                order.push(bot);
            }
        }
        let last: Vec<usize> = (0..file.bots.len()).filter(|bot| !order.contains(bot)).collect();
        let unknown = last.iter().map(|bot| file.bots[*bot].name.clone()).collect();
        order.extend(last);
        Ok(Some(Self { order: order.into_iter().map(|bot| bot as u32).collect(), unknown }))
    }

    /// Returns the tournament with this order.
    #[must_use]
    pub fn of(&self, spec: Spec) -> Spec {
        Spec { seeding: Seeding::Given(self.order.iter().copied().map(Entrant).collect()), ..spec }
    }
}

fn document(path: &Path) -> Result<TournamentDocument, String> {
    if path.extension().is_some_and(|end| end == "agon") {
        let store = SqliteReader::open(path).map_err(|why| why.to_string())?;
        return export(&store).map_err(|why| why.to_string());
    }
    let text = fs::read_to_string(path).map_err(|why| agon_play::system_words(&why))?;
    serde_json::from_str(&text).map_err(|why| format!("this is no export of a tournament: {why}"))
}

/// Keeps the order with which a tournament begins, so that a later change of the other result changes nothing.
pub(crate) fn keep(store: &impl Store, file: &TournamentFile) -> Result<(), TournamentError> {
    let Some(earlier) = EarlierOrder::read(file)? else { return Ok(()) };
    let text = serde_json::to_string(&earlier.order).unwrap_or_default();
    Ok(store.keep(SEEDING, Snapshot { after: 0, text }).wait()?)
}

/// Returns the specification of a tournament that began with this file, with the order that was kept.
pub(crate) fn spec(records: &impl Records, first: &TournamentFile, maps: usize) -> Result<Spec, TournamentError> {
    let spec = first.spec(maps);
    let Some(path) = &first.seeded_by else { return Ok(spec) };
    let kept = records.snapshot(SEEDING)?.and_then(|kept| serde_json::from_str::<Vec<u32>>(&kept.text).ok());
    let missing =
        || TournamentError::Seeding { path: path.clone(), why: "the store has not kept its order".to_owned() };
    Ok(EarlierOrder { order: kept.ok_or_else(missing)?, unknown: Vec::new() }.of(spec))
}
