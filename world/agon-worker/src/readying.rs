//! Gets a worker ready to play: the tournament's folder, its bots and its maps.

use crate::{
    consent::Consent,
    error::WorkerFailure,
    event::WorkerEvent,
    field_folder::{MadeField, make},
    lead::{Lead, answered},
    link::Until,
    shop::Errand,
};
use agon_play::{Room, Tier};
use agon_spec::{Isolation, WorkerField, WorkerReady, WorkerReadyBot};
use agon_tournament::{Field, Player, TournamentError, TournamentFile};
use std::{collections::BTreeMap, num::NonZeroUsize, time::Duration};

/// The pause before a field is fetched again whose bundles were gone.
const STALE: Duration = Duration::from_secs(2);

/// The tournament's folder as it is now, ready to play.
pub(crate) struct Folder {
    pub(crate) field: WorkerField,
    pub(crate) player: Player,
    pub(crate) at_once: NonZeroUsize,
    pub(crate) ready: Vec<WorkerReadyBot>,
}

impl Lead<'_> {
    /// Makes the folder anew, unless it is the same. Returns whether there is one.
    pub(crate) fn be_ready(&mut self, field: WorkerField) -> Result<bool, WorkerFailure> {
        if let Some(folder) = &mut self.folder
            && !self.signals.changed
            && is_same(&folder.field, &field)
        {
            folder.field.edition = field.edition;
            return Ok(true);
        }
        self.folder = None;
        self.signals.changed = false;
        let shop = self.shop;
        let consent = Consent { sandbox: self.options.sandbox, strongest: self.options.isolation };
        let made = self.during(|| make(&shop.link, &shop.place, &field, consent, &mut |event| shop.tell(event)))?;
        let Some(made) = answered("bundle", made)? else { return Ok(false) };
        let Some(made) = made else {
            let _ = self.during(|| shop.link.wait(STALE, Until::Finishing))?;
            return Ok(false);
        };
        match self.prepare(field, &made) {
            Err(WorkerFailure::Tournament(TournamentError::Play(why))) if why.tier() == Tier::Cancelled => Ok(false),
            Err(why) => Err(why),
            Ok(folder) => {
                self.folder = Some(folder);
                Ok(true)
            }
        }
    }

    /// Builds the bots and starts each of them once.
    fn prepare(&mut self, field: WorkerField, made: &MadeField) -> Result<Folder, WorkerFailure> {
        let (file, cancel) = (&made.file, &self.options.cancel);
        let prepared = Field::prepare(file, &self.options.helper, cancel, &mut |event| {
            (self.events)(WorkerEvent::Preparing(event))
        });
        let mut prepared = match prepared {
            Err(TournamentError::Bots(broken)) => {
                let why =
                    |number: u32| broken.iter().find(|bot| bot.number == number as usize).map(|bot| bot.why.clone());
                let bots = field.bots.iter().map(|bot| {
                    let why = made.missing.get(&bot.number).cloned().or_else(|| why(bot.number));
                    WorkerReadyBot { number: bot.number, ok: false, why }
                });
                let ready = Errand::Ready(WorkerReady { edition: field.edition, bots: bots.collect() });
                let shop = self.shop;
                // Why the worker ends says more than why that could not be told.
                let _ = self.during(|| shop.run(&ready, Until::Finishing))?;
                return Err(TournamentError::Bots(broken).into());
            }
            prepared => prepared?,
        };
        if !prepared.map_names().eq(field.maps.iter().map(|map| map.name.as_str())) {
            let there: Vec<&str> = prepared.map_names().collect();
            let why = format!("its maps are others here than on the server: {}", there.join(", "));
            return Err(WorkerFailure::Field(why));
        }
        let events = &mut *self.events;
        prepared.try_starts(cancel, &|_| false, &mut |bot| events(WorkerEvent::Starting { bot: bot.to_owned() }))?;
        let mut whys: BTreeMap<usize, String> = prepared.broken().map(|bot| (bot.number, bot.why.clone())).collect();
        made.missing.iter().for_each(|(number, why)| drop(whys.insert(*number as usize, why.clone())));
        let ready: Vec<WorkerReadyBot> = field
            .bots
            .iter()
            .map(|bot| {
                let why = whys.get(&(bot.number as usize)).cloned();
                WorkerReadyBot { number: bot.number, ok: why.is_none(), why }
            })
            .collect();
        let at_once = self.at_once(file, &prepared)?;
        let name = |bot: &WorkerReadyBot| field.bots[bot.number as usize].name.clone();
        let broken = ready.iter().filter_map(|bot| Some((name(bot), bot.why.clone()?))).collect();
        let bots = ready.iter().filter(|bot| bot.ok).count();
        let warning = prepared.warning().map(str::to_owned);
        (self.events)(WorkerEvent::Ready { bots, broken, warning, at_once: at_once.get() });
        let versions = field.bots.iter().map(|bot| bot.version).collect();
        let player = Player::new(file, prepared, field.derivation, versions, at_once, &self.options.placement);
        Ok(Folder { field, player, at_once, ready })
    }

    /// Returns how many matches are played at the same time.
    fn at_once(&mut self, file: &TournamentFile, field: &Field) -> Result<NonZeroUsize, WorkerFailure> {
        let processes = field.processes(file.seats as usize);
        let usual = self.options.placement.matches_at_once(processes, file.cores, file.ponder);
        let usual = usual.map_err(|why| TournamentError::Play(why.into()))?;
        if file.cores.is_some() && !file.ponder {
            // What no match can have is told before the first one.
            let placed = self.options.placement.place(processes, file.cores, false);
            drop(placed.map_err(|why| TournamentError::Play(why.into()))?);
        }
        let wanted = self.options.at_once.unwrap_or(usual);
        // Bots that have cores of their own have them here, too, whatever was asked for.
        let wanted = if file.cores.is_some() || file.ponder { wanted.min(usual) } else { wanted };
        let room = Room::here(processes, field.isolation().unwrap_or(Isolation::None));
        Ok(match room.filter(|room| room.matches < wanted) {
            Some(room) => {
                (self.events)(WorkerEvent::Room { wanted: wanted.get(), room });
                room.matches
            }
            None => wanted,
        })
    }
}

/// Returns whether two editions have the same bots, maps and rules.
pub(crate) fn is_same(one: &WorkerField, other: &WorkerField) -> bool {
    let plain = |field: &WorkerField| WorkerField { edition: 0, ..field.clone() };
    plain(one) == plain(other)
}
