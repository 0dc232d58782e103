//! What a store in PostgreSQL keeps beside its matches.

use crate::{Postgres, read, write};
use agon_store::{
    Artefact, Attempt, Blob, BlobHash, BlobStore, BotVersion, Claim, Decision, EarlierResult, FileVersion, Progress,
    Records, Registry, Result, Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch, StoredWorker, Ticket,
};

impl BlobStore for Postgres {
    fn put(&self, blob: Blob) -> Ticket<BlobHash> {
        self.write(move |scope| write::put(scope.db, &blob))
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.read(move |db, _| read::get(db, hash))
    }
}

impl Records for Postgres {
    fn progress(&self) -> Result<Progress> {
        self.read(read::progress)
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        self.ask(move |db, state, tournament| {
            // The rows of the server have hundreds of matches each.
            let waiting = state.led(tournament).and_then(|led| led.own.waiting.get(id));
            match waiting.map(|(planned, attempts)| (planned.clone(), attempts)) {
                Some((planned, attempts)) => Ok(Some(StoredMatch { planned, attempts, result: None })),
                None => read::find(db, tournament, id),
            }
        })
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        self.read(move |db, tournament| read::matches(db, tournament, after, count))
    }

    fn over_since(&self, after: u64, count: usize) -> Result<Vec<(u64, StoredMatch)>> {
        self.read(move |db, tournament| read::over_since(db, tournament, after, count))
    }

    fn attempts(&self, id: u64) -> Result<Vec<Attempt>> {
        self.read(move |db, tournament| read::attempts(db, tournament, id))
    }

    fn claims(&self) -> Result<Vec<Claim>> {
        self.with_state(|led| led.own.claims.iter().copied().collect())
    }

    fn workers(&self) -> Result<Vec<StoredWorker>> {
        self.read(|db, _| read::workers(db))
    }

    fn artefact(&self, hash: BlobHash) -> Result<Option<Artefact>> {
        self.read(move |db, _| read::artefact(db, hash))
    }

    fn bots(&self) -> Result<Vec<StoredBot>> {
        self.read(read::bots)
    }

    fn files(&self) -> Result<Vec<FileVersion>> {
        self.read(read::files)
    }

    fn maps(&self) -> Result<Vec<StoredMap>> {
        self.read(read::maps)
    }

    fn amendments(&self) -> Result<Vec<String>> {
        self.read(read::amendments)
    }

    fn earlier(&self) -> Result<Vec<EarlierResult>> {
        self.read(read::earlier)
    }

    fn events(&self, count: usize) -> Result<Vec<StoredEvent>> {
        self.read(move |db, tournament| read::events(db, tournament, count))
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        let name = name.to_owned();
        self.read(move |db, tournament| read::snapshot(db, tournament, &name))
    }
}

impl Registry for Postgres {
    fn add_file(&self, file: FileVersion) -> Ticket<()> {
        self.write(move |scope| write::add_file(scope, &file))
    }

    fn add_worker(&self, name: &str, facts: &str, now_ms: i64) -> Ticket<u32> {
        let (name, facts) = (name.to_owned(), facts.to_owned());
        self.write(move |scope| write::add_worker(scope.db, &name, &facts, now_ms))
    }

    fn add_artefact(&self, artefact: Artefact) -> Ticket<()> {
        self.write(move |scope| write::add_artefact(scope, &artefact))
    }

    fn add_map(&self, map: StoredMap) -> Ticket<()> {
        self.write(move |scope| write::add_map(scope, &map))
    }

    fn add_bot(&self, name: &str) -> Ticket<u32> {
        let name = name.to_owned();
        self.write(move |scope| write::add_bot(scope, &name))
    }

    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32> {
        self.write(move |scope| write::add_version(scope, bot, &version))
    }

    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()> {
        let why = why.map(str::to_owned);
        self.write(move |scope| write::withdraw(scope, bot, why.as_deref()))
    }

    fn amend(&self, text: &str) -> Ticket<()> {
        let text = text.to_owned();
        self.write(move |scope| write::amend(scope, &text))
    }

    fn decide(&self, decision: Decision) -> Ticket<()> {
        self.write(move |scope| write::decide(scope, &decision))
    }

    fn record(&self, event: StoredEvent) -> Ticket<()> {
        self.write(move |scope| write::record(scope, &event))
    }

    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()> {
        let name = name.to_owned();
        self.write(move |scope| write::keep(scope, &name, &snapshot))
    }

    fn hurry(&self) {
        self.hurry_writes();
    }
}
