//! A tournament with its store: begins it, or continues where it was.

use crate::{
    EarlierOrder, Field, Seeds, TournamentError, TournamentEvent, TournamentFile,
    decisions::noted,
    fault_count::FaultCount,
    field::FieldMap,
    file::Machines,
    kept::KEPT_FROM,
    past::{Past, note_forfeits, parse},
    played::now_ms,
    seeding,
};
use agon_play::IsolationChoice;
use agon_spec::Isolation;
use agon_store::{
    Blob, BotVersion, EventKind, FileVersion, Progress, Store, StoreError, StoredBot, StoredEvent, StoredMap, Ticket,
};
use agon_tourney::{Amendment, Bracket, Schedule, Spec, Standings};
use std::{collections::BTreeSet, sync::Arc};

/// After this many faults in a row, the matches of a bot are played last.
pub(crate) const LAST_AFTER: u32 = 5;

/// A tournament with its store.
pub struct Tournament<S> {
    pub(crate) file: TournamentFile,
    pub(crate) field: Arc<Field>,
    pub(crate) store: S,
    pub(crate) schedule: Schedule,
    /// The version of each bot.
    pub(crate) versions: Vec<u32>,
    /// The number of matches in a row in which each bot has failed.
    pub(crate) streaks: Vec<u32>,
    /// The faults in a row, in the order of the schedule.
    pub(crate) faults: FaultCount,
    /// How many matches are over.
    pub(crate) over: u64,
    /// How many were over when the schedule was kept.
    pub(crate) kept: u64,
    /// From how many matches on it is kept: [`KEPT_FROM`], but for tests.
    pub(crate) kept_from: u64,
    /// The bots whose withdrawal is among the events of the store.
    pub(crate) noted: BTreeSet<u32>,
    /// Withdrawals that are stored, and are still to be reported.
    pub(crate) withdrawn: Vec<TournamentEvent>,
}

impl<S: Store> Tournament<S> {
    /// Begins the tournament that `text` describes, or continues the one in the store.
    ///
    /// # Errors
    /// If the store cannot be used, or has a tournament whose past would not be true under `text`.
    pub fn open(store: S, text: &str, file: TournamentFile, field: Field) -> Result<Self, TournamentError> {
        Self::open_seeded(store, text, file, field, None)
    }

    /// Does the same as [`Tournament::open`], with what [`EarlierOrder::read`] has returned, which is used only if the
    /// tournament begins. With `None`, it is read then. Read it yourself before you move a store that the file names as
    /// `seeding`.
    ///
    /// # Errors
    /// The same.
    pub fn open_seeded(
        store: S,
        text: &str,
        file: TournamentFile,
        mut field: Field,
        earlier: Option<EarlierOrder>,
    ) -> Result<Self, TournamentError> {
        let files = store.files()?;
        let first = match (files.first(), files.last()) {
            (Some(first), Some(last)) => {
                check_past(&store, &named_now(&store, parse(last)?)?, &file, &field)?;
                if last.text != text {
                    wait(&store, add_file(&store, text))?;
                    wait(&store, note(&store, EventKind::FileChanged, None, "the file has changed"))?;
                }
                parse(first)?
            }
            _ => {
                let earlier = earlier.map_or_else(|| EarlierOrder::read(&file), |earlier| Ok(Some(earlier)))?;
                if let Some(earlier) = earlier {
                    seeding::keep(&store, &earlier)?;
                }
                Seeds::begin(&store, &file)?;
                note_forfeits(&store)?;
                begin(&store, &field)?;
                file.clone()
            }
        };
        field.begun(Seeds::read(&store)?.derivation());
        let maps = store.maps()?.len();
        add_bots(&store, &file)?;
        if files.is_empty() {
            // Last of all: a store with a file is complete.
            wait(&store, add_file(&store, text))?;
        }
        let versions = add_versions(&store, &file, &field)?;
        let Past { schedule, streaks, faults, over, kept } = Past::resume_undrawn(&store, &first, maps)?;
        let field = Arc::new(field);
        let noted = noted(&store)?;
        let mut tournament = Self {
            file,
            field,
            store,
            schedule,
            versions,
            streaks,
            faults,
            over,
            kept,
            kept_from: KEPT_FROM,
            noted,
            withdrawn: Vec::new(),
        };
        tournament.count_past(&files)?;
        tournament.schedule.advance();
        tournament.extend()?;
        tournament.complete_withdrawals()?;
        wait(&tournament.store, tournament.keep_planned())?;
        Ok(tournament)
    }

    /// Takes more bots and more rounds of the file into the schedule.
    fn extend(&mut self) -> Result<(), TournamentError> {
        let wanted = self.file.spec(self.field.map_count());
        let now = self.schedule.spec();
        if (wanted.entrants, wanted.rounds) != (now.entrants, now.rounds) {
            let amendment = self.schedule.extend(wanted.entrants, wanted.rounds).map_err(TournamentError::Schedule)?;
            wait(&self.store, self.amend(&amendment)?)?;
        }
        Ok(())
    }

    /// Stores a decision before anything that depends on it.
    pub(crate) fn amend(&self, amendment: &Amendment) -> Result<Ticket<()>, TournamentError> {
        let text = serde_json::to_string(amendment);
        let text = text.map_err(|why| TournamentError::Schedule(agon_core::Flaw::new(why.to_string())))?;
        Ok(self.store.amend(&text))
    }

    /// Returns the table. It looks at every match.
    #[must_use]
    pub fn standings(&self) -> Standings {
        self.schedule.standings()
    }

    /// Returns the bracket of an elimination as it is now. `None` for other kinds.
    #[must_use]
    pub fn bracket(&self) -> Option<Bracket> {
        self.schedule.bracket()
    }

    /// Returns the title and the name of the game.
    #[must_use]
    pub fn about(&self) -> (&str, &'static str) {
        (&self.file.name, self.file.game)
    }

    /// Returns whether only machines with the same processor may play.
    #[must_use]
    pub fn wants_alike(&self) -> bool {
        self.file.machines == Machines::Alike
    }

    /// Returns the weakest isolation that a machine must have: what the file names, if a bot is a program. `None` if that does not
    /// matter.
    #[must_use]
    pub fn least_isolation(&self) -> Option<Isolation> {
        match self.file.sandbox {
            IsolationChoice::Exactly(level) if self.field.processes(usize::MAX) > 0 => Some(level),
            _ => None,
        }
    }

    /// Returns the number of matches of the whole tournament. `None` if it depends on results to come.
    #[must_use]
    pub fn planned(&self) -> Option<u64> {
        self.schedule.planned()
    }

    /// Returns whether every match is over.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.schedule.is_complete()
    }

    /// Returns the matches without a result, because the host spoilt them again and again, each with the numbers of its bots.
    #[must_use]
    pub fn spoilt(&self) -> Vec<(u64, Vec<u32>)> {
        let numbers = |bots: &[agon_tourney::Entrant]| bots.iter().map(|bot| bot.0).collect();
        self.schedule.without_result().map(|(id, bots)| (id.0, numbers(bots))).collect()
    }

    /// Returns how many matches the store has in each state.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn progress(&self) -> Result<Progress, TournamentError> {
        Ok(self.store.progress()?)
    }

    /// Returns what the schedule follows from, with the key of the seeds.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        self.schedule.spec()
    }

    /// Returns what the seeds follow from.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn seeds(&self) -> Result<Seeds, TournamentError> {
        Seeds::read(&self.store)
    }

    /// Returns the store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Closes the tournament and returns its store.
    #[must_use]
    pub fn into_store(self) -> S {
        self.store
    }
}

fn add_file(store: &impl Store, text: &str) -> Ticket<()> {
    let agon = env!("CARGO_PKG_VERSION").to_owned();
    store.add_file(FileVersion { text: text.to_owned(), agon, at_ms: now_ms() })
}

/// Waits for a write after which nothing else is written meanwhile.
pub(crate) fn wait<T>(store: &impl Store, ticket: Ticket<T>) -> Result<T, StoreError> {
    store.hurry();
    ticket.wait()
}

pub(crate) fn note(store: &impl Store, kind: EventKind, bot: Option<u32>, text: &str) -> Ticket<()> {
    store.record(StoredEvent { kind, at_ms: now_ms(), id: None, bot, text: text.to_owned() })
}

/// Stores the maps of a new tournament. An earlier attempt may have been killed after some of them.
fn begin(store: &impl Store, field: &Field) -> Result<(), TournamentError> {
    let known = store.maps()?.len();
    for map in field.maps().iter().skip(known) {
        let content = match map {
            FieldMap::Generated { .. } => None,
            FieldMap::File(map) => Some(wait(store, store.put(Blob::new(&map.bytes)?))?),
        };
        wait(store, store.add_map(StoredMap { name: map.name().to_owned(), content }))?;
    }
    Ok(())
}

/// Returns a file of an earlier run with the names that its bots have now.
fn named_now(store: &impl Store, mut file: TournamentFile) -> Result<TournamentFile, TournamentError> {
    for (bot, stored) in file.bots.iter_mut().zip(store.bots()?) {
        bot.name = stored.name;
    }
    Ok(file)
}

/// Refuses a file under which what was played would not be true.
fn check_past(
    store: &impl Store,
    last: &TournamentFile,
    new: &TournamentFile,
    field: &Field,
) -> Result<(), TournamentError> {
    let maps = store.maps()?;
    let mut found = last.differences(new, (maps.len(), field.map_count()));
    for (old, new) in maps.iter().zip(field.maps()) {
        let content = match new {
            FieldMap::Generated { .. } => None,
            FieldMap::File(map) => Some(agon_store::BlobHash::of(&map.bytes)),
        };
        if old.content != content {
            let what = format!("the map `{}` has changed", old.name);
            found.push(agon_tourney::Difference { key: "maps", what, keeps_the_past: false });
        }
    }
    if found.iter().any(|difference| !difference.keeps_the_past) {
        Err(TournamentError::Changed(found))
    } else {
        Ok(())
    }
}

fn add_bots(store: &impl Store, file: &TournamentFile) -> Result<(), TournamentError> {
    let known = store.bots()?.len();
    for bot in file.bots.iter().skip(known) {
        wait(store, store.add_bot(&bot.name))?;
    }
    Ok(())
}

/// Adds a version of every bot whose content has changed. Returns the version of each bot.
fn add_versions(store: &impl Store, file: &TournamentFile, field: &Field) -> Result<Vec<u32>, TournamentError> {
    let stored = store.bots()?;
    let mut versions = Vec::new();
    for ((StoredBot { number, name, versions: known, .. }, bot), own) in stored.iter().zip(field.bots()).zip(&file.bots)
    {
        let last = known.last();
        // A bot that cannot play has no new version.
        let same = |last: &BotVersion| last.hash.is_some() && last.hash == bot.hash();
        if bot.ready.is_err() || last.is_some_and(same) {
            versions.push(last.map_or(0, |last| last.number));
            continue;
        }
        let version = BotVersion { number: 0, hash: bot.hash(), words: own.run.clone(), at_ms: now_ms() };
        let version = wait(store, store.add_version(*number, version))?;
        if version > 1 {
            let text = format!("`{name}` plays with version {version} from now on");
            wait(store, note(store, EventKind::NewVersion, Some(*number), &text))?;
        }
        versions.push(version);
    }
    Ok(versions)
}
