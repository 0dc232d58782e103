//! What a store in one file keeps beside its matches.

use super::{
    Sqlite, read, write,
    writer::{Request, State},
};
use crate::{
    Blob, BlobHash, BlobStore, BotVersion, Decision, EarlierResult, FileVersion, Progress, Records, Registry, Result,
    Snapshot, StoredBot, StoredEvent, StoredMap, StoredMatch, Ticket,
};
use rusqlite::Connection;

impl BlobStore for Sqlite {
    fn put(&self, blob: Blob) -> Ticket<BlobHash> {
        self.write(move |db, _| write::put(db, &blob))
    }

    fn get(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        self.read(move |db| read::get(db, hash))
    }
}

impl Records for Sqlite {
    fn progress(&self) -> Result<Progress> {
        self.read(read::progress)
    }

    fn find(&self, id: u64) -> Result<Option<StoredMatch>> {
        self.read(move |db| read::find(db, id))
    }

    fn matches(&self, after: u64, count: usize) -> Result<Vec<StoredMatch>> {
        self.read(move |db| read::matches(db, after, count))
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
        self.read(move |db| read::events(db, count))
    }

    fn snapshot(&self, name: &str) -> Result<Option<Snapshot>> {
        let name = name.to_owned();
        self.read(move |db| read::snapshot(db, &name))
    }
}

impl Registry for Sqlite {
    fn add_file(&self, file: FileVersion) -> Ticket<()> {
        self.write(move |db, _| write::add_file(db, &file))
    }

    fn add_map(&self, map: StoredMap) -> Ticket<()> {
        self.write(move |db, _| write::add_map(db, &map))
    }

    fn add_bot(&self, name: &str) -> Ticket<u32> {
        let name = name.to_owned();
        self.write(move |db, _| write::add_bot(db, &name))
    }

    fn add_version(&self, bot: u32, version: BotVersion) -> Ticket<u32> {
        self.write(move |db, _| write::add_version(db, bot, &version))
    }

    fn withdraw(&self, bot: u32, why: Option<&str>) -> Ticket<()> {
        let why = why.map(str::to_owned);
        self.write(move |db, _| write::withdraw(db, bot, why.as_deref()))
    }

    fn amend(&self, text: &str) -> Ticket<()> {
        let text = text.to_owned();
        self.write(move |db, _| write::amend(db, &text))
    }

    fn decide(&self, decision: Decision) -> Ticket<()> {
        let again = decision.again.clone();
        let decide = move |db: &Connection, state: &mut State| write::decide(db, state, &decision);
        self.write_then(1, decide, move |claims| again.into_iter().for_each(|id| claims.end(id)))
    }

    fn record(&self, event: StoredEvent) -> Ticket<()> {
        self.write(move |db, _| write::record(db, &event))
    }

    fn keep(&self, name: &str, snapshot: Snapshot) -> Ticket<()> {
        let name = name.to_owned();
        self.write(move |db, _| write::keep(db, &name, &snapshot))
    }

    fn hurry(&self) {
        // Whatever is read, the open group is committed before.
        self.send(Request::Read(Box::new(|_| ())));
    }
}
